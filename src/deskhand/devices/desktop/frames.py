"""Captures the screen: shared-memory pictures of the whole root window, all monitors, as the server stores them."""

import asyncio
import contextlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from mss import MSS
from mss.exception import ScreenShotError

from deskhand.core.errors import BadFrame, DeviceGone, DeviceTimeout
from deskhand.core.geometry import Rect
from deskhand.core.protocols import Clock
from deskhand.core.screen import Frame
from deskhand.devices.desktop.x_connection import ANSWER_S, CLOSED, is_reachable, make_gone_error

# mss only asserts that there is a reply; a dead server sends none.
_CAPTURE_FAULTS = (ScreenShotError, AssertionError, ValueError)
# The pad byte of a 24-bit visual is whatever the last painter left there; a frame's fourth byte is constant.
_OPAQUE = np.uint32(0xFF000000)


class DesktopCamera:
    def __init__(self, name: str, clock: Clock) -> None:
        self._name = name
        self._clock = clock
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=f"x11-camera-{name}")
        self._mss: MSS | None = None
        self.stale = False

    async def take_frame(self) -> Frame:
        try:
            async with asyncio.timeout(ANSWER_S):
                return await asyncio.get_running_loop().run_in_executor(self._pool, self._grab_frame)
        except TimeoutError:
            raise DeviceTimeout(f"The X server {self._name} timed out after {ANSWER_S:g} s (screenshot).") from None
        except RuntimeError as error:
            raise DeviceGone(CLOSED) from error

    def _grab_frame(self) -> Frame:
        with contextlib.suppress(*_CAPTURE_FAULTS):
            return self._capture_screen()
        # The screen may just have become smaller: read its size again.
        self._drop_capture()
        try:
            return self._capture_screen()
        except _CAPTURE_FAULTS as error:
            self._drop_capture()
            if is_reachable(self._name):
                raise BadFrame(f"The screen could not be captured: {error}.") from None
            raise make_gone_error(self._name) from None

    def _capture_screen(self) -> Frame:
        if self.stale:
            self._drop_capture()
        if self._mss is None:
            self._mss = MSS(display=self._name)
        box = self._mss.monitors[0]
        words = np.frombuffer(self._mss.grab(box).raw, np.uint32)
        np.bitwise_or(words, _OPAQUE, out=words)
        pixels = words.view(np.uint8).reshape(box["height"], box["width"], 4)
        pixels.setflags(write=False)
        return Frame(pixels, "BGRA", self._clock.now())

    def _drop_capture(self) -> None:
        self.stale = False
        # Dropped first: closing a dead connection raises after it was freed, and freeing it twice aborts.
        camera, self._mss = self._mss, None
        if camera is not None:
            with contextlib.suppress(ScreenShotError):
                camera.close()

    async def close(self) -> None:
        with contextlib.suppress(RuntimeError):  # closed before
            self._pool.submit(self._drop_capture)
        self._pool.shutdown(wait=False)


def has_content(frame: Frame, box: Rect) -> bool:
    """True if something is painted inside the box: more than one colour."""
    inside = box.intersect_with(frame.bounds)
    part = frame.pixels.view(np.uint32)[inside.top : inside.bottom, inside.left : inside.right, 0]
    return part.size > 0 and bool((part != part[0, 0]).any())
