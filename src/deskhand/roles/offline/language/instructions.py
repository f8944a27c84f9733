"""Defines the parts of a goal: typed instructions and the conditions that can be checked on a screen."""

from dataclasses import dataclass
from typing import Literal

Gesture = Literal["click", "double_click", "right_click", "long_press"]
Direction = Literal["up", "down", "left", "right"]
DIRECTIONS: tuple[Direction, ...] = ("up", "down", "left", "right")
EditCommand = Literal["select_all", "copy", "cut", "paste", "undo", "redo", "save"]
WindowPlace = Literal["maximize", "minimize", "restore"]
EDIT_COMMANDS: tuple[EditCommand, ...] = ("select_all", "copy", "cut", "paste", "undo", "redo", "save")
WINDOW_PLACES: tuple[WindowPlace, ...] = ("maximize", "minimize", "restore")
ConditionKind = Literal[
    "on", "off", "visible", "hidden", "contains", "equals", "selected", "empty", "enabled", "disabled", "open"
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that is true of the screen or not; `source` is how the user said it."""

    kind: ConditionKind
    subject: str
    value: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Instruction:
    """`source` is the part of the goal that it comes from."""

    source: str


@dataclass(frozen=True, slots=True)
class Open(Instruction):
    """An app, or (打开 says both) a switch or a page: decided by what it is applied to and what is on the screen."""

    name: str


@dataclass(frozen=True, slots=True)
class Visit(Instruction):
    url: str


@dataclass(frozen=True, slots=True)
class Close(Instruction):
    """A switch, a dialog, a page or an app, decided as with Open."""

    target: str


@dataclass(frozen=True, slots=True)
class Tap(Instruction):
    target: str
    gesture: Gesture = "click"


@dataclass(frozen=True, slots=True)
class Write(Instruction):
    """Text into a field; without a target, into the field that has the focus or the only one there is."""

    text: str
    target: str = ""
    replace: bool = False


@dataclass(frozen=True, slots=True)
class Transfer(Instruction):
    """What stands somewhere on the screen into a field: a field's text, a word of a text, the value of a name."""

    what: str
    target: str


@dataclass(frozen=True, slots=True)
class SelectText(Instruction):
    """Marks the words of a text, as the pointer does that is dragged over them."""

    target: str


@dataclass(frozen=True, slots=True)
class Shift(Instruction):
    """Drags a thing in a direction: by so many places of its list or grid, or (0) just that way."""

    item: str
    direction: Direction
    places: int = 0


@dataclass(frozen=True, slots=True)
class Place(Instruction):
    """Drags a thing of a list or a grid to a place in it: `3` in its order, or `top left`, `bottom`, `center`."""

    item: str
    place: str


@dataclass(frozen=True, slots=True)
class Resize(Instruction):
    """Drags the corner of a thing until its width or height (or both) is larger or smaller."""

    target: str
    side: Literal["width", "height", "both"]
    larger: bool


@dataclass(frozen=True, slots=True)
class Clear(Instruction):
    target: str


@dataclass(frozen=True, slots=True)
class Search(Instruction):
    text: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class Find(Instruction):
    """Bring it to the screen and go into it."""

    target: str


@dataclass(frozen=True, slots=True)
class Select(Instruction):
    """`listed`: one more of a list of choices; it must be a choice on the screen too, never a button."""

    option: str
    source_name: str = ""
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Toggle(Instruction):
    target: str
    on: bool


@dataclass(frozen=True, slots=True)
class Scrolling(Instruction):
    """By a page in a direction, to something, or (`to_end`) as far as it goes: all, or what is called `area`."""

    direction: Direction = "down"
    target: str = ""
    to_end: bool = False
    area: str = ""


@dataclass(frozen=True, slots=True)
class Swiping(Instruction):
    direction: Direction


@dataclass(frozen=True, slots=True)
class Pausing(Instruction):
    seconds: float


@dataclass(frozen=True, slots=True)
class WaitUntil(Instruction):
    condition: Condition


@dataclass(frozen=True, slots=True)
class Read(Instruction):
    target: str


@dataclass(frozen=True, slots=True)
class Verify(Instruction):
    condition: Condition


@dataclass(frozen=True, slots=True)
class Ask(Instruction):
    """A question that is answered with yes or no, whichever is seen."""

    condition: Condition


@dataclass(frozen=True, slots=True)
class Send(Instruction):
    text: str
    to: str = ""


@dataclass(frozen=True, slots=True)
class SetValue(Instruction):
    target: str
    value: str


@dataclass(frozen=True, slots=True)
class Delete(Instruction):
    target: str


@dataclass(frozen=True, slots=True)
class Create(Instruction):
    """A new note, contact, alarm … `fields` are (label, value); an empty label means "the one that fits"."""

    what: str
    fields: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AddToCart(Instruction):
    """Without a target: the product whose page is shown."""

    target: str


@dataclass(frozen=True, slots=True)
class GoBack(Instruction):
    pass


@dataclass(frozen=True, slots=True)
class GoHome(Instruction):
    pass


@dataclass(frozen=True, slots=True)
class Another(Instruction):
    """Not the thing that was taken last: the next one that fits as well."""


@dataclass(frozen=True, slots=True)
class StartAgain(Instruction):
    """Do anew what can be done twice without harm."""


@dataclass(frozen=True, slots=True)
class PressKey(Instruction):
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Drag(Instruction):
    item: str
    onto: str


@dataclass(frozen=True, slots=True)
class Hover(Instruction):
    target: str


@dataclass(frozen=True, slots=True)
class Expand(Instruction):
    """A section, a tree node or a menu; `expanded` False folds it."""

    target: str
    expanded: bool = True


@dataclass(frozen=True, slots=True)
class Upload(Instruction):
    """Without a target: the only place for files that there is."""

    file: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class LogIn(Instruction):
    user: str
    password: str


@dataclass(frozen=True, slots=True)
class SaveAs(Instruction):
    name: str


@dataclass(frozen=True, slots=True)
class Edit(Instruction):
    """A command that every editor has, on what is in front or selected."""

    command: EditCommand


@dataclass(frozen=True, slots=True)
class ArrangeWindow(Instruction):
    """Without a target: the window in front."""

    how: WindowPlace
    target: str = ""


@dataclass(frozen=True, slots=True)
class GoToCell(Instruction):
    """A cell of a spreadsheet by its name, such as B3."""

    cell: str


@dataclass(frozen=True, slots=True)
class AddTo(Instruction):
    """Text at the end of a note, list or document that exists already."""

    text: str
    target: str


@dataclass(frozen=True, slots=True)
class Call(Instruction):
    """A phone call to a person or a number."""

    to: str


@dataclass(frozen=True, slots=True)
class SelectNone(Instruction):
    """Nothing is to be chosen."""


@dataclass(frozen=True, slots=True)
class Reveal(Instruction):
    """A menu or a section that has to be opened before the next thing in it is seen."""

    target: str
    thing: str


@dataclass(frozen=True, slots=True)
class Compute(Instruction):
    """A sum, in the signs + - * / ( ) . % ^, by the keys of a calculator."""

    sum: str


@dataclass(frozen=True, slots=True)
class TakePhoto(Instruction):
    """One picture with the phone's camera."""


@dataclass(frozen=True, slots=True)
class JoinNetwork(Instruction):
    """A Wi-Fi network by its name; Wi-Fi is turned on for it."""

    target: str
    password: str = ""


@dataclass(frozen=True, slots=True)
class StartTimer(Instruction):
    """A timer that counts down from these seconds."""

    seconds: int


@dataclass(frozen=True, slots=True)
class MoveAlarm(Instruction):
    """An alarm that exists is set to another time of day."""

    target: str
    time: str


@dataclass(frozen=True, slots=True)
class ListAlarms(Instruction):
    """All alarms are told, each with its time and whether it is on."""


@dataclass(frozen=True, slots=True)
class ReadNote(Instruction):
    """What stands in a note is told."""

    target: str


@dataclass(frozen=True, slots=True)
class ReadWeather(Instruction):
    place: str


@dataclass(frozen=True, slots=True)
class Favour(Instruction):
    """A photo is marked as a favourite."""

    target: str


@dataclass(frozen=True, slots=True)
class Refrain(Instruction):
    """What is not to be done: a deed, a message to a person, or anything with a switch."""

    deed: str = ""
    person: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class NotUnderstood(Instruction):
    """A part of the goal that fits no sentence."""
