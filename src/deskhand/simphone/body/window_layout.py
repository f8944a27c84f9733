"""Lays out the layers of the screen: an app's page, a dialog over it, the system's own windows."""

from __future__ import annotations

from collections.abc import Callable

from deskhand.simphone.apps.framework import App, Page
from deskhand.simphone.ui.layout import lay_out
from deskhand.simphone.ui.nodes import FILL, Box, Colour, Node, TextField
from deskhand.simphone.ui.touch import Window
from deskhand.simphone.ui.widgets import Stack

SHADE: Colour = (0, 0, 0)
MARGIN = 48


def lay_out_page(app: App, page: Page[App], root: Node, box: Box) -> Window:
    lay_out(root, box)
    return Window(app.package, page.activity or app.activity, root, root, app.secure, page.focus, page.handle_flick)


def lay_out_dialog(app: App, page: Page[App], content: Node, box: Box, outside: Callable[[], object]) -> Window:
    """Lay out a card in the middle of a dimmed screen, or at its lower edge; `outside` is what a tap beside it does."""
    pad = (MARGIN, MARGIN, MARGIN, MARGIN)
    place = "end" if app.colours.sheets else "center"
    shade = Stack(content, h=FILL, align="center", justify=place, pad=pad, fill=SHADE, alpha=120)
    shade.on_tap = outside if app.colours.sheets else None
    lay_out(shade, box)
    activity = page.activity or app.activity
    return Window(app.package, activity, shade, content, app.secure, page.focus, outside=outside)


def reveal_focus(window: Window) -> None:
    """ScrollState the field in focus into view, as Android does when the keyboard takes half of the screen."""
    path = _find_path(window.root, window.focus)
    at = next((i for i in range(len(path) - 1, -1, -1) if path[i].scroll is not None), None)
    if at is None or at + 1 >= len(path):
        return
    scroll, view = path[at].scroll, path[at].box
    # what lies outside of the viewport is not laid out further down: the outermost part that has a place will do
    part = next((n for n in reversed(path[at + 1 :]) if n.box.height > 0), None)
    if scroll is None or part is None:
        return
    low, high = part.box.y2 - view.y2, part.box.y1 - view.y1
    if low > 0 or high < 0:
        scroll.move_to(scroll.offset + (min(low, high) if low > 0 else high))
        lay_out(window.root, window.root.box)


def _find_path(node: Node, field: TextField | None) -> list[Node]:
    if field is not None and node.entry is field:
        return [node]
    for child in node.children:
        below = _find_path(child, field)
        if below:
            return [node, *below]
    return []


def list_nodes(node: Node) -> list[Node]:
    """Return a node and all below it, in reading order, also those out of view."""
    return [node, *(below for child in node.children for below in list_nodes(child))]
