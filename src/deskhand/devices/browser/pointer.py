"""The mouse: a hit-test first, then press and release in one go; hovering, dragging, swiping, the wheel."""

from __future__ import annotations

from typing import Any, Literal

from deskhand.core.actions import Direction, Drag, LongPress, Scroll, Swipe
from deskhand.core.geometry import Rect
from deskhand.core.protocols import Clock
from deskhand.devices.browser.cdp_target import CALL_S
from deskhand.devices.browser.documents import Reached, Target
from deskhand.devices.browser.popups import Options
from deskhand.devices.browser.tab import Tab

Button = Literal["left", "right", "middle"]
Call = tuple[str, dict[str, Any]]

_BITS = {"left": 1, "right": 2, "middle": 4}
_WAYS: dict[Direction, tuple[int, int]] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
# A drag is seen as one only when it moves in several steps.
DRAG_STEPS = 12
SWIPE_S = 10.0


class Pointer:
    """Works one tab; points are pixels of its frames."""

    def __init__(self, tab: Tab, clock: Clock) -> None:
        self._tab = tab
        self._clock = clock

    async def click(
        self, x: int, y: int, target: Target | None, what: str, *, button: Button = "left", times: int = 1
    ) -> None:
        reached = await self._tab.documents.reach(x, y, target, what)
        native = reached.kind in ("select", "picker") and button == "left"
        document = reached.document
        if native:
            await document.wire.ask(document.frame, "deskhand.holdBack()")
        calls = [self._mouse("mouseMoved", x, y)]
        for count in range(1, times + 1):
            calls.append(self._mouse("mousePressed", x, y, button, count))
            calls.append(self._mouse("mouseReleased", x, y, button, count))
        await self._tab.do(*calls)
        if native and reached.kind == "select":
            await self._open_select(x, y, reached)

    async def _open_select(self, x: int, y: int, reached: Reached) -> None:
        """Its list is never in the picture, so ours takes its place, under the box that was clicked."""
        document = reached.document
        facts = await document.wire.ask(document.frame, "deskhand.options(true)")
        view = await document.wire.ask(document.frame, "deskhand.view()")
        # Relative to the point that was clicked, which is known in both the frame's and the document's pixels.
        ratio = view["ratio"]
        left, top, right, bottom = (
            round(at + (edge - reached.facts[axis]) * ratio)
            for at, edge, axis in zip((x, y, x, y), facts["box"], ("x", "y", "x", "y"), strict=True)
        )
        self._tab.overlay = Options(document, Rect(left, top, right, bottom), facts)

    async def move(self, x: int, y: int) -> None:
        await self._tab.do(self._mouse("mouseMoved", x, y))

    async def long_press(self, action: LongPress, target: Target | None, what: str) -> None:
        await self._tab.documents.reach(action.x, action.y, target, what)
        down = self._mouse("mousePressed", action.x, action.y, "left", 1)
        await self._tab.do(self._mouse("mouseMoved", action.x, action.y), down)
        seconds = action.duration_ms / 1000
        try:
            await self._tab.unless_asked(self._clock.sleep(seconds), "a long press", seconds + CALL_S)
        finally:
            await self._tab.do(self._mouse("mouseReleased", action.x, action.y, "left", 1))

    async def drag(self, action: Drag, target: Target | None, what: str) -> None:
        """Through Playwright's mouse, which also carries the data of an HTML drag and drop."""
        await self._tab.documents.reach(action.x, action.y, target, what)
        mouse = self._tab.page.mouse
        (x, y), (to_x, to_y) = self._dip(action.x, action.y), self._dip(action.to_x, action.to_y)
        await self._tab.unless_asked(mouse.move(x, y), "drag")
        await self._tab.unless_asked(mouse.down(), "drag")
        try:
            for step in range(1, DRAG_STEPS + 1):
                part = step / DRAG_STEPS
                await self._clock.sleep(action.duration_ms / 1000 / DRAG_STEPS)
                await self._tab.unless_asked(mouse.move(x + (to_x - x) * part, y + (to_y - y) * part), "drag")
        finally:
            await self._tab.unless_asked(mouse.up(), "drag")

    async def swipe(self, action: Swipe) -> None:
        """A finger, as on a touch screen: the page scrolls as it would there."""
        x, y = self._dip(action.x, action.y)
        to_x, to_y = self._dip(action.to_x, action.to_y)
        steps = max(2, min(DRAG_STEPS, action.duration_ms // 16))
        await self._touch("touchStart", (x, y))
        try:
            for step in range(1, steps + 1):
                part = step / steps
                await self._clock.sleep(action.duration_ms / 1000 / steps)
                await self._touch("touchMove", (x + (to_x - x) * part, y + (to_y - y) * part))
        finally:
            await self._touch("touchEnd")

    async def _touch(self, kind: str, *points: tuple[float, float]) -> None:
        await self._tab.do(
            ("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})
        )

    async def scroll(self, action: Scroll, size: tuple[int, int]) -> str:
        x, y = (action.x, action.y) if action.x is not None and action.y is not None else (size[0] // 2, size[1] // 2)
        across, down = _WAYS[action.direction]
        reached = await self._tab.documents.scroller(x, y, across, down)
        wheel = self._mouse("mouseWheel", x, y)
        wheel[1]["deltaX"] = across * action.pages * reached.facts["width"]
        wheel[1]["deltaY"] = down * action.pages * reached.facts["height"]
        await self._tab.do(self._mouse("mouseMoved", x, y), wheel)
        # The wheel is answered before the page has moved, and a look in between would show the old place.
        await self._tab.drawn(reached.document)
        return "" if reached.facts["room"] else f"nothing scrolls further {action.direction} here"

    # --- coordinates -----------------------------------------------------------------------------------------

    def _dip(self, x: int, y: int) -> tuple[float, float]:
        """The middle of that pixel, in the browser's own units."""
        return (x + 0.5) / self._tab.scale, (y + 0.5) / self._tab.scale

    def _mouse(self, kind: str, x: int, y: int, button: Button | None = None, count: int = 0) -> Call:
        at_x, at_y = self._dip(x, y)
        params: dict[str, Any] = {"type": kind, "x": at_x, "y": at_y, "button": button or "none", "clickCount": count}
        if button:
            params["buttons"] = _BITS[button] if kind == "mousePressed" else 0
        return "Input.dispatchMouseEvent", params
