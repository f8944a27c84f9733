"""Holds the memory of the offline strategies between steps, as frozen records; the defaults are the beginning.

`bookmark.py` writes the records into the journal.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Literal

from deskhand.core.geometry import Rect

# How a candidate is known again: by its name and its bounds.
Trace = tuple[str, Rect]


@dataclass(frozen=True, slots=True)
class ScrollMemory:
    """`back` is how many pages to scroll up again once the end was reached; `area` is which of several it is.

    `waited`: the end was reached and waited at, since a list may grow there.
    """

    way: Literal["down", "up"] = "down"
    count: int = 0
    print: int | None = None
    back: int = 1
    area: int = 0
    waited: bool = False


@dataclass(frozen=True, slots=True)
class HuntMemory:
    """One search for a thing: the stages still to try, the names seen, and how far each stage came.

    `waited` counts how often a page was looked at again before anything else, `shown` is what it showed;
    -1 when that was enough. `pages` were turned, with `passed` things of the kind on them.
    """

    stages: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    turns: int = 0
    names: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    typing: bool = False
    opened: bool = False
    entered: bool = False
    left_search: int = 0
    scroll: ScrollMemory = ScrollMemory()
    tabs: tuple[str, ...] = ()
    folds: tuple[str, ...] = ()
    ups: int = 0
    pages: int = 0
    passed: int = 0
    waited: int = 0
    shown: int | None = None
    pointed: tuple[Rect, ...] = ()


@dataclass(frozen=True, slots=True)
class Sight:
    """What a screen showed before an act, as numbers: in front, at the spot that was touched, and everywhere else.

    `words` is `rest` without its digits, which a clock changes by itself.
    """

    spot: Rect
    front: int
    rest: int
    words: int
    own: int


@dataclass(frozen=True, slots=True)
class TouchMemory:
    """`touched` is the label of what was touched, `before` the screen before that; `usable`: it was a control."""

    touched: str = ""
    print: int | None = None
    tries: int = 0
    unfolded: bool = False
    filtered: bool = False
    before: Sight | None = None
    usable: bool = False
    looks: int = 0


@dataclass(frozen=True, slots=True)
class DeleteMemory:
    """`others` stood in the same list. `hunted`: it is looked for in it.

    `buttons`: how many buttons that delete something were there before.
    """

    phase: Literal["", "hovered", "held", "opening", "asked"] = ""
    name: str = ""
    agreed: bool = False
    looks: int = 0
    others: tuple[str, ...] = ()
    count: int = 1
    hunted: bool = False
    backs: int = 0
    buttons: int = 0


@dataclass(frozen=True, slots=True)
class OpenMemory:
    """`error` is what the device said to the name in the goal, not to its translation."""

    way: Literal["", "switch", "touch", "part", "entry", "icon", "page", "app", "close", "window"] = ""
    tried: tuple[str, ...] = ()
    looked: bool = False
    error: str = ""
    touched: str = ""
    went_home: bool = False
    pages: tuple[int, ...] = ()
    went: bool = False
    closed: bool = False
    print: int | None = None


@dataclass(frozen=True, slots=True)
class ToggleMemory:
    """`app` is the app in which the switch is looked for; None until it is known.

    `menu`: it stood in a menu, which closed with the touch; it is opened once more to read it, and closed again.
    """

    menu: Literal["", "gone", "opened", "closed"] = ""
    touches: int = 0
    looks: int = 0
    agreed: bool = False
    app: str | None = None
    settings: bool = False
    entered: tuple[str, ...] = ()
    inside: bool = False


@dataclass(frozen=True, slots=True)
class WriteMemory:
    """`held` is what stood in the field before, `shown` how often the screen showed the text.

    `shift` corrects, in pixels, where a slider is let go; `fetched` was read from the screen, to be typed.
    """

    typed: int = 0
    fetched: str = ""
    shown: int | None = None
    cleared: int = 0
    held: str = ""
    phase: Literal["", "opened", "typed", "entered"] = ""
    looks: int = 0
    results: str | None = None
    slid: int = 0
    shift: int = 0
    entered: bool = False
    chosen: bool = False
    # the program's own button for a new document was used
    opened: bool = False


@dataclass(frozen=True, slots=True)
class SendMemory:
    """`before` is how often the text stood in the conversation before it was sent.

    `left` counts the steps back out of somebody else's conversation.
    """

    reached: int = 0
    left: int = 0
    opened: bool = False
    typed: int = 0
    before: int = 0
    sent: bool = False
    looks: int = 0
    again: bool = False


@dataclass(frozen=True, slots=True)
class ComputeMemory:
    """`left` are the keys still to press; None before the first was pressed."""

    opened: bool = False
    left: tuple[str, ...] | None = None
    away: bool = False
    errors: int = 0
    waited: bool = False
    looks: int = 0
    again: bool = False


@dataclass(frozen=True, slots=True)
class CreateMemory:
    phase: Literal["open", "fill", "saved"] = "open"
    opened: int = 0
    print: int | None = None
    tab: bool = False
    at: int = 0
    typed: int = 0
    looks: int = 0
    checks: int = 0
    before: int = 0
    went_back: bool = False


@dataclass(frozen=True, slots=True)
class CartMemory:
    """`page` is what the product's own page said of it."""

    phase: Literal["seek", "added", "look"] = "seek"
    print: int | None = None
    inside: int = 0
    page: tuple[str, ...] = ()
    looks: int = 0


@dataclass(frozen=True, slots=True)
class MoveMemory:
    """`left` are the seconds still to wait; None before the first."""

    done: bool = False
    count: int = 0
    print: int | None = None
    left: float | None = None
    before: Sight | None = None


@dataclass(frozen=True, slots=True)
class CheckMemory:
    answer: str | None = None
    at_owner: bool = False
    turns: int = 0
    looks: int = 0


@dataclass(frozen=True, slots=True)
class HandleMemory:
    """How far a thing is handled, and the screen before that: its number, and the texts that it showed.

    `spot` is where the thing was, `drop` where it was let go.
    Of a thing that is dragged by places: to which place (`goal`) among which `names`, or where it stood (`box`).
    """

    phase: Literal["", "begun", "chosen", "typed", "sent"] = ""
    print: int | None = None
    looks: int = 0
    texts: tuple[str, ...] = ()
    spot: Rect | None = None
    drop: Rect | None = None
    goal: int = -1
    names: tuple[str, ...] = ()
    box: Rect | None = None


@dataclass(frozen=True, slots=True)
class PhoneMemory:
    """How far a thing of the phone's own apps is: `moves` of a time picker, `before` what its list showed before."""

    phase: Literal["", "opened", "begun", "done", "look"] = ""
    moves: int = 0
    picked: bool = False
    looks: int = 0
    scrolls: int = 0
    tab: bool = False
    before: tuple[str, ...] = ()
    print: int | None = None


@dataclass(frozen=True, slots=True)
class SaveMemory:
    """How far a file is saved under a name, and the title of the window before that."""

    phase: Literal["", "keys", "menu", "entry", "typed"] = ""
    title: str = ""
    looks: int = 0


Record = (
    HuntMemory | TouchMemory | DeleteMemory | OpenMemory | ToggleMemory | WriteMemory | SendMemory | ComputeMemory
    | CreateMemory | CartMemory | MoveMemory | CheckMemory | HandleMemory | PhoneMemory | SaveMemory
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class InstructionMemory:
    """The memory of the current instruction; forgotten when it is finished."""

    home: bool = False
    hunt: HuntMemory = HuntMemory()
    touch: TouchMemory = TouchMemory()
    delete: DeleteMemory = DeleteMemory()
    open: OpenMemory = OpenMemory()
    toggle: ToggleMemory = ToggleMemory()
    write: WriteMemory = WriteMemory()
    send: SendMemory = SendMemory()
    compute: ComputeMemory = ComputeMemory()
    create: CreateMemory = CreateMemory()
    cart: CartMemory = CartMemory()
    move: MoveMemory = MoveMemory()
    check: CheckMemory = CheckMemory()
    handle: HandleMemory = HandleMemory()
    phone: PhoneMemory = PhoneMemory()
    save: SaveMemory = SaveMemory()

    def with_record(self, record: Record) -> InstructionMemory:
        return replace(self, **{RECORD_NAMES[type(record)]: record})


RECORD_NAMES: dict[type[Record], str] = {
    type(getattr(InstructionMemory(), field.name)): field.name for field in fields(InstructionMemory)
}


@dataclass(frozen=True, slots=True)
class Taken:
    """The thing touched last: its description, its trace, the screen, and by which instruction (None until it acts)."""

    description: str
    trace: Trace
    print: int
    index: int | None = None


@dataclass(frozen=True, slots=True)
class GoalMemory:
    """The memory that outlives the instruction. `wrong`: elements taken for a description that proved to be others.

    `typed` are the last texts that went into fields: a field that holds one is no sign that it is shown.
    `relooks` counts the looks at something that was done and does not seem to have lasted, `confirmed` is the number
    of instructions before which the screen was looked at once more.
    """

    found: str = ""
    # the app was only brought to the front and may still show the page where someone left it
    left_over: bool = False
    dismissed: int = 0
    # the title of the dialog that the goal itself has brought up
    own_dialog: str = ""
    taken: Taken | None = None
    wrong: tuple[tuple[str, Trace], ...] = ()
    typed: tuple[str, ...] = ()
    relooks: int = 0
    confirmed: int = 0
