"""The desktop's pointer by XTEST: moves, clicks, drags, turns the wheel."""

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from deskhand.core.actions import Scroll
from deskhand.core.errors import DeviceSetup
from deskhand.core.protocols import Clock
from deskhand.devices.desktop.windows import find_top_at, list_windows, read_screen_bounds
from deskhand.devices.desktop.x_connection import XThread

LEFT, MIDDLE, RIGHT = 1, 2, 3
_WHEEL = {"up": 4, "down": 5, "left": 6, "right": 7}
# One notch of the wheel scrolls 50 to 60 px in GTK, Qt and Chromium alike.
_NOTCH_PX = 55
_DRAG_STEP_S = 0.015
_HELD_BACK_S = 3.0
_HELD_POLL_S = 0.002


def require_xtest(display: Display) -> None:
    if not display.has_extension("XTEST"):
        raise DeviceSetup("The X server has no XTEST extension, which clicks need: start it with `+extension XTEST`.")


def move_pointer(display: Display, x: int, y: int) -> None:
    xtest.fake_input(display, X.MotionNotify, x=x, y=y)
    display.sync()


def click_at(display: Display, x: int, y: int, button: int = LEFT, times: int = 1) -> None:
    xtest.fake_input(display, X.MotionNotify, x=x, y=y)
    for _ in range(times):
        xtest.fake_input(display, X.ButtonPress, button)
        xtest.fake_input(display, X.ButtonRelease, button)
    display.sync()


def read_pointer(display: Display) -> tuple[int, int]:
    where = display.screen().root.query_pointer()
    return where.root_x, where.root_y


def _set_button(display: Display, button: int, *, down: bool) -> None:
    xtest.fake_input(display, X.ButtonPress if down else X.ButtonRelease, button)
    display.sync()


def _is_button_down(display: Display) -> bool:
    """True if a press is not released, or a client that grabbed it has not passed it on yet."""
    mask = display.screen().root.query_pointer().mask
    return bool(mask & (X.Button1Mask | X.Button2Mask | X.Button3Mask))


class DesktopPointer:
    def __init__(self, x: XThread, clock: Clock) -> None:
        self._x = x
        self._clock = clock

    async def wait_for_held_clicks(self) -> None:
        """Wait while a window manager holds a click back until it has moved the focus. Nothing must overtake it:
        keys would go to the previous field, and further clicks would all land where the pointer is by then."""
        deadline = self._clock.now() + _HELD_BACK_S
        while await self._x.run_job(_is_button_down) and self._clock.now() < deadline:
            await self._clock.sleep(_HELD_POLL_S)

    async def move_to(self, x: int, y: int) -> None:
        await self._x.run_act(lambda display: move_pointer(display, x, y))

    async def click_point(self, x: int, y: int, button: int = LEFT, times: int = 1) -> None:
        await self._x.run_act(lambda display: click_at(display, x, y, button, times))

    async def drag_button(self, start: tuple[int, int], end: tuple[int, int], duration_ms: int) -> None:
        """Press, move, release; the button is released even if the call is cancelled."""
        steps = max(2, round(duration_ms / 1000 / _DRAG_STEP_S))
        await self.move_to(*start)
        try:
            await self._x.run_act(lambda display: _set_button(display, LEFT, down=True))
            begun = self._clock.now()
            for step in range(1, steps + 1):
                part = step / steps
                # By the clock: on a busy machine the steps' own time would add up.
                await self._clock.sleep(max(0.0, begun + duration_ms / 1000 * part - self._clock.now()))
                x, y = (round(from_at + (to_at - from_at) * part) for from_at, to_at in zip(start, end, strict=True))
                await self.move_to(x, y)
        finally:
            self._x.post_job(lambda display: _set_button(display, LEFT, down=False))
        await self._x.run_job(Display.sync)

    async def turn_wheel(self, action: Scroll) -> None:
        """Scroll by pages of the window at the point, else of the window in front, else of the screen."""
        stack = await self._x.run_job(list_windows)
        front = next((window.bounds for window in stack if window.active), None)
        area = front or await self._x.run_job(read_screen_bounds)
        x, y = area.center
        if action.x is not None and action.y is not None:
            x, y = action.x, action.y
            under = find_top_at(stack, x, y)
            area = under.bounds if under else area
        length = area.height if action.direction in ("up", "down") else area.width
        notches = max(1, round(action.pages * length / _NOTCH_PX))
        await self.click_point(x, y, _WHEEL[action.direction], notches)
