"""The browser's pointer: clicks after a hit-test, moves, drags, swipes and turns the wheel."""

from typing import Any, Literal

from deskhand.core.actions import SCROLL_ENDED, Direction, Drag, LongPress, Scroll, Swipe
from deskhand.core.geometry import Rect
from deskhand.core.protocols import Clock
from deskhand.devices.browser.cdp_target import CALL_S
from deskhand.devices.browser.documents import ElementPath, HitResult
from deskhand.devices.browser.popups import SelectPopup
from deskhand.devices.browser.tab import Tab

Button = Literal["left", "right", "middle"]
Call = tuple[str, dict[str, Any]]

_BITS = {"left": 1, "right": 2, "middle": 4}
_WAYS: dict[Direction, tuple[int, int]] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_CTRL = 2
# Pages recognise a drag only if it moves in several steps.
DRAG_STEPS = 12


class Pointer:
    """Points are pixels of the tab's frames."""

    def __init__(self, tab: Tab, clock: Clock) -> None:
        self._tab = tab
        self._clock = clock

    async def click_point(
        self, x: int, y: int, target: ElementPath | None, what: str, *, button: Button = "left", times: int = 1
    ) -> None:
        reached = await self._tab.documents.reach_point(x, y, target, what)
        native = reached.kind in ("select", "picker") and button == "left"
        document = reached.document
        if native:
            await document.cdp.evaluate_in(document.frame, "deskhand.holdBack()")
        calls = [self._build_mouse_call("mouseMoved", x, y)]
        for count in range(1, times + 1):
            calls.append(self._build_mouse_call("mousePressed", x, y, button, count))
            calls.append(self._build_mouse_call("mouseReleased", x, y, button, count))
        if reached.kind == "option":
            # A plain click would drop what is chosen already in a list of several choices.
            calls = [(method, {**params, "modifiers": _CTRL}) for method, params in calls]
        await self._tab.send_calls(*calls)
        if native and reached.kind == "select":
            await self._open_select(x, y, reached)

    async def _open_select(self, x: int, y: int, reached: HitResult) -> None:
        """Show our own list under the select box that was clicked: the browser's own list is in no screenshot."""
        document = reached.document
        facts = await document.cdp.evaluate_in(document.frame, "deskhand.options(true)")
        view = await document.cdp.evaluate_in(document.frame, "deskhand.view()")
        # Relative to the clicked point, which is known in both the frame's and the document's pixels.
        ratio = view["ratio"]
        left, top, right, bottom = (
            round(at + (edge - reached.facts[axis]) * ratio)
            for at, edge, axis in zip((x, y, x, y), facts["box"], ("x", "y", "x", "y"), strict=True)
        )
        self._tab.popup = SelectPopup(document, Rect(left, top, right, bottom), facts)

    async def move_to(self, x: int, y: int) -> None:
        await self._tab.send_calls(self._build_mouse_call("mouseMoved", x, y))

    async def long_press(self, action: LongPress, target: ElementPath | None, what: str) -> None:
        await self._tab.documents.reach_point(action.x, action.y, target, what)
        down = self._build_mouse_call("mousePressed", action.x, action.y, "left", 1)
        await self._tab.send_calls(self._build_mouse_call("mouseMoved", action.x, action.y), down)
        seconds = action.duration_ms / 1000
        try:
            await self._tab.wait_unless_dialog(self._clock.sleep(seconds), "a long press", seconds + CALL_S, acts=False)
        finally:
            await self._tab.send_calls(self._build_mouse_call("mouseReleased", action.x, action.y, "left", 1))

    async def drag_mouse(self, action: Drag, target: ElementPath | None, what: str) -> None:
        """Drag by Playwright's mouse, which also carries the data of an HTML drag and drop."""
        await self._tab.documents.reach_point(action.x, action.y, target, what)
        mouse = self._tab.page.mouse
        (x, y), (to_x, to_y) = self._to_css(action.x, action.y), self._to_css(action.to_x, action.to_y)
        await self._tab.wait_unless_dialog(mouse.move(x, y), "drag")
        await self._tab.wait_unless_dialog(mouse.down(), "drag")
        try:
            for step in range(1, DRAG_STEPS + 1):
                part = step / DRAG_STEPS
                await self._clock.sleep(action.duration_ms / 1000 / DRAG_STEPS)
                await self._tab.wait_unless_dialog(mouse.move(x + (to_x - x) * part, y + (to_y - y) * part), "drag")
        finally:
            await self._tab.wait_unless_dialog(mouse.up(), "drag")

    async def swipe_finger(self, action: Swipe) -> None:
        """Swipe a finger, so that the page scrolls as on a touch screen."""
        x, y = self._to_css(action.x, action.y)
        to_x, to_y = self._to_css(action.to_x, action.to_y)
        steps = max(2, min(DRAG_STEPS, action.duration_ms // 16))
        await self._send_touch("touchStart", (x, y))
        try:
            for step in range(1, steps + 1):
                part = step / steps
                await self._clock.sleep(action.duration_ms / 1000 / steps)
                await self._send_touch("touchMove", (x + (to_x - x) * part, y + (to_y - y) * part))
        finally:
            await self._send_touch("touchEnd")

    async def _send_touch(self, kind: str, *points: tuple[float, float]) -> None:
        await self._tab.send_calls(
            ("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})
        )

    async def turn_wheel(self, action: Scroll, size: tuple[int, int]) -> str:
        x, y = (action.x, action.y) if action.x is not None and action.y is not None else (size[0] // 2, size[1] // 2)
        across, down = _WAYS[action.direction]
        reached = await self._tab.documents.find_scroller(x, y, across, down)
        wheel = self._build_mouse_call("mouseWheel", x, y)
        wheel[1]["deltaX"] = across * action.pages * reached.facts["width"]
        wheel[1]["deltaY"] = down * action.pages * reached.facts["height"]
        await self._tab.send_calls(self._build_mouse_call("mouseMoved", x, y), wheel)
        # The wheel is acknowledged before the page has scrolled: a frame taken before that would show the old place.
        await self._tab.wait_until_drawn(reached.document)
        return "" if reached.facts["room"] else f"{SCROLL_ENDED} {action.direction} here"

    def _to_css(self, x: int, y: int) -> tuple[float, float]:
        """Return the middle of that frame pixel in CSS pixels."""
        return (x + 0.5) / self._tab.scale, (y + 0.5) / self._tab.scale

    def _build_mouse_call(self, kind: str, x: int, y: int, button: Button | None = None, count: int = 0) -> Call:
        at_x, at_y = self._to_css(x, y)
        params: dict[str, Any] = {"type": kind, "x": at_x, "y": at_y, "button": button or "none", "clickCount": count}
        if button:
            params["buttons"] = _BITS[button] if kind == "mousePressed" else 0
        return "Input.dispatchMouseEvent", params
