"""The view tree of the simulated phone: nodes, text fields and scroll positions, with no drawing and no input.

Apps build a fresh tree whenever something changed; what must outlive a rebuild (what is typed, how far a list
is scrolled) is held by the page in `Field` and `ScrollState` objects that the nodes only point to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

FILL = -1
WRAP = -2

Colour = tuple[int, int, int]
Pad = tuple[int, int, int, int]
Action = Callable[[], object]


class Box(NamedTuple):
    """A rectangle in screen pixels; right and bottom are exclusive."""

    x1: int
    y1: int
    x2: int
    y2: int

    @property
    def width(self) -> int:
        return self.x2 - self.x1

    @property
    def height(self) -> int:
        return self.y2 - self.y1

    @property
    def is_empty(self) -> bool:
        return self.x2 <= self.x1 or self.y2 <= self.y1

    def has_point(self, x: float, y: float) -> bool:
        return self.x1 <= x < self.x2 and self.y1 <= y < self.y2

    def intersect_with(self, other: Box) -> Box:
        return Box(max(self.x1, other.x1), max(self.y1, other.y1), min(self.x2, other.x2), min(self.y2, other.y2))

    def join_with(self, other: Box) -> Box:
        return Box(min(self.x1, other.x1), min(self.y1, other.y1), max(self.x2, other.x2), max(self.y2, other.y2))


NOWHERE = Box(0, 0, 0, 0)


@dataclass(slots=True)
class ScrollState:
    """The offset of something that scrolls. `paged` snaps to whole viewports when the finger lifts."""

    axis: Literal["x", "y"] = "y"
    paged: bool = False
    offset: float = 0.0
    limit: float = 0.0
    span: int = 1
    stick_to_end: bool = False

    def move_to(self, offset: float) -> None:
        self.offset = min(max(offset, 0.0), self.limit)
        self.stick_to_end = False

    @property
    def page(self) -> int:
        return round(self.offset / self.span)


@dataclass(slots=True)
class TextField:
    """The text of one field; the caret is an index, the selection a pair of indices."""

    key: str
    text: str = ""
    caret: int = 0
    selection: tuple[int, int] | None = None
    multiline: bool = False
    password: bool = False
    digits_only: bool = False
    on_change: Action | None = None
    on_enter: Action | None = None
    enter_label: str = ""

    def set_text(self, text: str) -> None:
        self.text, self.caret, self.selection = text, len(text), None

    def insert_text(self, text: str) -> None:
        if not self.multiline:
            text = text.replace("\n", " ")
        if self.digits_only:
            text = "".join(c for c in text if c.isdigit())
        start, end = self.selection or (self.caret, self.caret)
        self.text = self.text[:start] + text + self.text[end:]
        self.caret, self.selection = start + len(text), None
        self._notify_change()

    def delete_text(self, *, forward: bool = False) -> None:
        if self.selection is None:
            start, end = (self.caret, self.caret + 1) if forward else (self.caret - 1, self.caret)
            self.selection = (max(start, 0), min(end, len(self.text)))
        self.insert_text("")

    def clear_text(self) -> None:
        self.set_text("")
        self._notify_change()

    def move_caret(self, caret: int) -> None:
        self.caret, self.selection = min(max(caret, 0), len(self.text)), None

    def select_all(self) -> None:
        self.selection, self.caret = (0, len(self.text)), len(self.text)

    @property
    def selected(self) -> str:
        return self.text[slice(*self.selection)] if self.selection else ""

    @property
    def shown(self) -> str:
        return "•" * len(self.text) if self.password else self.text

    def _notify_change(self) -> None:
        if self.on_change:
            self.on_change()


@dataclass(slots=True)
class Node:
    """One view. Layout fills in `box` (where it is) and `seen` (the part that is not clipped away)."""

    kind: str = "android.widget.FrameLayout"
    text: str = ""
    desc: str = ""
    rid: str = ""
    children: list[Node] = field(default_factory=list["Node"])

    flow: Literal["column", "row", "stack"] = "column"
    w: int = FILL
    h: int = WRAP
    weight: float = 0.0
    pad: Pad = (0, 0, 0, 0)
    gap: int = 0
    align: Literal["start", "center", "end"] = "start"
    justify: Literal["start", "center", "end"] = "start"
    max_w: int = 0

    fill: Colour | None = None
    alpha: int = 255
    radius: int = 0
    off: Colour = (150, 155, 164)
    """The colour of a switch, check box or slider where it is not on."""
    ink: Colour = (26, 28, 32)
    size: int = 44
    bold: bool = False
    max_lines: int = 0
    icon: str = ""
    glyph: str = ""
    hint: str = ""

    on_tap: Action | None = None
    on_long: Action | None = None
    on_slide: Callable[[float], object] | None = None
    entry: TextField | None = None
    scroll: ScrollState | None = None
    checked: bool | None = None
    level: float = 0.0
    enabled: bool = True
    selected: bool = False
    tween: str = ""

    box: Box = NOWHERE
    seen: Box = NOWHERE
    lines: tuple[str, ...] = ()
    fitted: tuple[int, int, int, int] | None = None

    @property
    def shown_text(self) -> str:
        """Its text, or what its field shows: what is typed, else the hint."""
        return self.text if self.entry is None else (self.entry.shown or self.hint)

    @property
    def is_clickable(self) -> bool:
        return self.on_tap is not None or self.on_slide is not None or self.entry is not None
