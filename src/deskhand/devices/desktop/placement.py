"""Mends where programs say that their nodes are: some count from their window, some from a widget inside of it."""

from collections.abc import Sequence

from deskhand.core.geometry import Rect
from deskhand.devices.desktop.accessible_node import AccessibleNode
from deskhand.devices.desktop.windows import WindowInfo

_MENU_BAR = 34
# A box that is smaller may have the size of its parent by chance.
_LARGE = 12


def place_in_window(top: AccessibleNode, windows: Sequence[WindowInfo]) -> None:
    """Move the boxes of a window's nodes to where the window's content is on the screen."""
    named = [one for one in windows if one.title == top.name and not one.menu] or [w for w in windows if not w.menu]
    if not named:
        return
    window = min(named, key=lambda one: abs(one.bounds.width - top.bounds.width))
    left, top_edge = window.bounds.left + window.shadow[0], window.bounds.top + window.shadow[2]
    for node in top.iterate_tree():
        node.bounds = node.bounds.move_by(left, top_edge)


def mend_tree(node: AccessibleNode) -> None:
    """Move what is drawn by another toolkit inside of a widget to where that widget is, and drop bars without height.

    LibreOffice counts the places of what it draws itself from below the menu bar, but takes them for places on
    the screen: all of it lies 25 pixels too high, and its own menu bar, which GTK shows in its place, lies over it.
    """
    node.children = [one for one in node.children if not (one.role == _MENU_BAR and _is_flat(one.bounds))]
    for child in node.children:
        child.shift = _measure_shift(node, child)
        child.bounds = child.bounds.move_by(*child.shift)
        mend_tree(child)


def _measure_shift(parent: AccessibleNode, child: AccessibleNode) -> tuple[int, int]:
    """An only child of its parent's size lies where its parent lies; any other is off by as much as its parent."""
    inner, outer = child.bounds, parent.bounds
    same = (inner.width, inner.height) == (outer.width, outer.height)
    if same and len(parent.children) == 1 and min(inner.width, inner.height) >= _LARGE:
        return outer.left - inner.left, outer.top - inner.top
    return parent.shift


def _is_flat(box: Rect) -> bool:
    return box.width > 0 and box.height == 0
