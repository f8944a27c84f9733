"""One accessible object as the bus describes it: role, states, box, text, and its place in the tree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from deskhand.core.geometry import Rect

_NOWHERE = Rect(0, 0, 0, 0)
VIEWPORT = 68
# Their content opens in a window of its own, outside of what their bar lies in.
MENUS = {33, 41}
# Bare boxes (in Qt all there is around what scrolls), scroll panes, viewports.
_CLIPPING = {20, 49, VIEWPORT}


class NodeState:
    """Bits of a node's state set, as AT-SPI numbers them."""

    CHECKED, EDITABLE, ENABLED, FOCUSABLE, FOCUSED = 4, 7, 8, 11, 12
    PRESSED, SELECTED, SENSITIVE, SHOWING, VISIBLE = 20, 23, 24, 25, 30
    MANAGES_DESCENDANTS, READ_ONLY = 31, 43


class NodeRef(NamedTuple):
    """The address of a node: its program's name on the bus, and its path there."""

    bus: str
    path: str


@dataclass(eq=False)
class AccessibleNode:
    """`many` marks a container that is asked only for what it shows, because it has too many children."""

    ref: NodeRef
    role: int
    name: str
    states: int
    interfaces: frozenset[str]
    parent: AccessibleNode | None = None
    description: str = ""
    bounds: Rect = _NOWHERE
    value: str = ""
    label: str = ""
    many: bool = False
    # Its toolkit never says that something is showing: visible will do (GTK 4).
    lenient: bool = False
    # On a program's root: boxes are relative to its windows, since GTK 4 does not know where they are.
    relative: bool = False
    # How far its box was moved from where its program says that it is.
    shift: tuple[int, int] = (0, 0)
    children: list[AccessibleNode] = field(default_factory=list["AccessibleNode"])

    def has_state(self, state: int) -> bool:
        return bool(self.states >> state & 1)

    @property
    def is_showing(self) -> bool:
        # GTK compares a viewport with its own content, and calls it hidden once that content is scrolled.
        if self.has_state(NodeState.SHOWING):
            return True
        return (self.lenient or self.role == VIEWPORT) and self.has_state(NodeState.VISIBLE)

    @property
    def is_clipping(self) -> bool:
        """True if its children are cut off at its edges, as those of a menu or a drop-down list are not."""
        return self.many or (self.role in _CLIPPING and self.bounds.area > 0)

    @property
    def visible_bounds(self) -> Rect:
        """The part of its box that its ancestors do not cut off."""
        box, above = self.bounds, self.parent
        while above is not None and above.role not in MENUS:
            box, above = box.intersect_with(above.bounds) if above.is_clipping else box, above.parent
        return box

    def iterate_tree(self) -> Iterable[AccessibleNode]:
        yield self
        for child in self.children:
            yield from child.iterate_tree()
