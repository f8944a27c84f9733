"""One finger on the glass: tells taps, long presses, drags, slides and edge swipes apart, and calls what they mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deskhand.simphone.ui.nodes import Action, Box, Node, ScrollState, TextField

SLOP = 24
LONG_PRESS = 0.5
EDGE = 30
TOP_EDGE = 96
FLIP = 0.12


@dataclass
class Window:
    """A laid-out layer of the screen. `content` is what accessibility sees (a dialog without its dimmed surround)."""

    package: str
    activity: str
    root: Node
    content: Node
    secure: bool = False
    focus: TextField | None = None
    on_flick: Callable[[float, float], object] | None = None
    on_swipe: Callable[[float, float], object] | None = None
    focusable: bool = True
    outside: Action | None = None


@dataclass
class GestureHandlers:
    """The phone's reactions to a finished gesture."""

    focus: Callable[[TextField, float, Node], object]
    hold: Callable[[TextField], object]
    glide: Callable[[ScrollState, float], object]
    home: Action
    back: Action
    shade: Action
    press: Callable[[Node], object]


@dataclass
class _TouchContact:
    window: Window
    x: float
    y: float
    at: float
    size: tuple[int, int]
    tap: Node | None
    hold: Node | None
    slide: Node | None
    scrolls: list[ScrollState]
    dragging: ScrollState | None = None
    from_offset: float = 0.0
    moved: bool = False


def find_path(node: Node, x: float, y: float) -> list[Node]:
    """Return the nodes under a point, outermost first; later siblings lie above earlier ones.

    As in Android, a view that reacts to nothing lets the touch through to what lies below it.
    """
    if not node.seen.has_point(x, y):
        return []
    for child in reversed(node.children):
        below = find_path(child, x, y)
        if below:
            return [node, *below]
    return [node] if node.is_clickable or node.on_long is not None or node.scroll is not None else []


class Finger:
    def __init__(self, handlers: GestureHandlers) -> None:
        self._do = handlers
        self._contact: _TouchContact | None = None

    def put_down(self, windows: list[Window], x: float, y: float, now: float, size: tuple[int, int]) -> None:
        self._contact = None
        # the strip under the navigation pill belongs to no window; a swipe from there is the lowest one's
        window = next((w for w in reversed(windows) if w.root.seen.has_point(x, y)), windows[0])
        inner = list(reversed(find_path(window.root, x, y)))
        self._contact = _TouchContact(
            window,
            x,
            y,
            now,
            size,
            tap=next((n for n in inner if n.is_clickable and n.enabled), None),
            hold=next((n for n in inner if n.on_long is not None and n.enabled), None),
            slide=next((n for n in inner if n.on_slide is not None and n.enabled), None),
            scrolls=[n.scroll for n in inner if n.scroll is not None],
        )

    def move_to(self, x: float, y: float) -> None:
        c = self._contact
        if c is None:
            return
        dx, dy = x - c.x, y - c.y
        if not c.moved and max(abs(dx), abs(dy)) > SLOP:
            c.moved = True
            if c.slide is None and not self._is_from_edge(c):
                axis = "x" if abs(dx) > abs(dy) else "y"
                c.dragging = next((s for s in c.scrolls if s.axis == axis and s.limit > 0), None)
                c.from_offset = c.dragging.offset if c.dragging else 0.0
        if c.moved and c.slide is not None:
            self._move_slider(c.slide, x)
        elif c.dragging is not None:
            c.dragging.move_to(c.from_offset - (dx if c.dragging.axis == "x" else dy))

    def cancel_contact(self) -> None:
        """Forget the finger: what it began is not carried out, and its further moves mean nothing."""
        self._contact = None

    def lift_off(self, x: float, y: float, now: float) -> None:
        self.move_to(x, y)
        c, self._contact = self._contact, None
        if c is None:
            return
        dx, dy = x - c.x, y - c.y
        if not c.moved:
            self._press_contact(c, now)
        elif c.slide is not None:
            return
        elif c.dragging is not None:
            if c.dragging.paged:
                self._snap_page(c.dragging, c.from_offset)
        elif self._is_from_edge(c) and self._handle_edge_swipe(c, dx, dy):
            return
        elif c.window.on_swipe is not None:
            c.window.on_swipe(dx, dy)
        elif c.tap is not None and c.tap.seen.has_point(x, y):
            self._press_contact(c, now)
        elif c.window.on_flick is not None:
            c.window.on_flick(dx, dy)

    def _press_contact(self, c: _TouchContact, now: float) -> None:
        if now - c.at >= LONG_PRESS and c.hold is not None and c.hold.on_long is not None:
            c.hold.on_long()
        elif c.window.outside is not None and not c.window.content.seen.has_point(c.x, c.y):
            c.window.outside()
        elif c.tap is None:
            return
        elif c.tap.entry is not None:
            self._do.focus(c.tap.entry, c.x, c.tap)
            if now - c.at >= LONG_PRESS:
                self._do.hold(c.tap.entry)
        elif c.tap.on_slide is not None:
            self._move_slider(c.tap, c.x)
        elif c.tap.on_tap is not None:
            self._do.press(c.tap)

    def _move_slider(self, node: Node, x: float) -> None:
        assert node.on_slide is not None
        box: Box = node.box
        node.on_slide(min(max((x - box.x1 - 30) / max(box.width - 60, 1), 0.0), 1.0))

    def _snap_page(self, scroll: ScrollState, start: float) -> None:
        first = round(start / scroll.span)
        moved = (scroll.offset - start) / scroll.span
        page = first + (1 if moved > FLIP else -1 if moved < -FLIP else 0)
        self._do.glide(scroll, min(max(page * scroll.span, 0.0), scroll.limit))

    def _is_from_edge(self, c: _TouchContact) -> bool:
        width, height = c.size
        return c.y < TOP_EDGE or c.y > height - 2 * EDGE or c.x < EDGE or c.x >= width - EDGE

    def _handle_edge_swipe(self, c: _TouchContact, dx: float, dy: float) -> bool:
        width, height = c.size
        if c.window.on_swipe is not None:
            return False
        if c.y > height - 2 * EDGE and dy < -150:
            self._do.home()
            return True
        if c.y < TOP_EDGE and dy > 150 and dy > abs(dx):
            self._do.shade()
            return True
        if (c.x < EDGE and dx > 150) or (c.x >= width - EDGE and dx < -150):
            self._do.back()
            return True
        return False
