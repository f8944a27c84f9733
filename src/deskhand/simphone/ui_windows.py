"""Lays out the layers of the screen: an app's page, a dialog over it, the system's own windows."""

from __future__ import annotations

from collections.abc import Callable

from deskhand.simphone.apps.base import App, Page
from deskhand.simphone.ui import FILL, Box, Colour, Node
from deskhand.simphone.ui_layout import lay_out
from deskhand.simphone.ui_touch import Window
from deskhand.simphone.ui_widgets import stack

SHADE: Colour = (0, 0, 0)
MARGIN = 48


def app_window(app: App, page: Page, root: Node, box: Box) -> Window:
    lay_out(root, box)
    return Window(app.package, page.activity or app.activity, root, root, app.secure, page.focus)


def dialog_window(app: App, page: Page, content: Node, box: Box, outside: Callable[[], object]) -> Window:
    """A card in the middle of a dimmed screen; `outside` is what a tap beside it does."""
    pad = (MARGIN, MARGIN, MARGIN, MARGIN)
    shade = stack(content, h=FILL, align="center", justify="center", pad=pad, fill=SHADE, alpha=120)
    lay_out(shade, box)
    activity = page.activity or app.activity
    return Window(app.package, activity, shade, content, app.secure, page.focus, outside=outside)


def every(node: Node) -> list[Node]:
    """A node and all visible ones below it, in reading order."""
    return [node, *(below for child in node.children if not child.seen.empty for below in every(child))]
