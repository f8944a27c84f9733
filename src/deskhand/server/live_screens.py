"""Live screens: each device is looked at once and each picture encoded once, however many look on.

A screen that stands still is looked at ever more seldom, until somebody acts on the device or a task sees it change.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass

from deskhand.build import Deskhand
from deskhand.bus import Subscription
from deskhand.clock import cancel_task
from deskhand.core.errors import DeviceError
from deskhand.core.screen import Frame
from deskhand.screen.frame import hash_pixels, shrink_frame, to_jpeg
from deskhand.screen.perception import ScreenChanged

QUALITY = 75
# The longest pause between two looks at a screen that stands still.
STILL_S = 5.0


@dataclass(frozen=True, slots=True)
class DeviceTouched:
    """Published when somebody acts on a device by hand."""

    device_id: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of at most the size that was asked for, and the size of the screen itself."""

    jpeg: bytes
    width: int
    height: int


class LiveScreens:
    def __init__(self, hand: Deskhand) -> None:
        self._hand = hand
        self._screens: dict[str, _LiveScreen] = {}

    async def open_screen(self, device_id: str) -> _LiveScreen:
        """Return the live screen of a device, with its first picture; raises what is wrong with the device."""
        device_id = await self._hand.pool.resolve_id(device_id)
        if device_id not in self._screens:
            frame = await self._hand.take_covered_frame(device_id)
            self._screens.setdefault(device_id, _LiveScreen(self._hand, device_id, frame))
        return self._screens[device_id]

    async def stream_pictures(
        self, screen: _LiveScreen, side: int, rate: float, count: int
    ) -> AsyncGenerator[Picture, None]:
        """Yield the screen as it is, then each change, up to `rate` a second; ends with the device."""
        screen.join_viewer(rate)
        seen = 0
        try:
            while count and (seen := await screen.wait_behind(seen)):
                yield await screen.encode_picture(side)
                count -= 1
                await self._hand.clock.sleep(1 / rate if count else 0)
        finally:
            if await screen.leave_viewer(rate) and self._screens.get(screen.device_id) is screen:
                del self._screens[screen.device_id]

    def close(self) -> None:
        for screen in self._screens.values():
            screen.end_stream()


class _LiveScreen:
    """One device, looked at while anybody looks on."""

    def __init__(self, hand: Deskhand, device_id: str, first: Frame) -> None:
        self._hand = hand
        self.device_id = device_id
        self._frame = first
        self._hash: str = hash_pixels(first)
        self._number = 1
        self._pictures: dict[int, asyncio.Task[Picture]] = {}  # of the newest frame, by size
        self._changed = asyncio.Event()
        self._rates: list[float] = []
        self._looking: asyncio.Task[None] | None = None
        self._ended = False

    def join_viewer(self, rate: float) -> None:
        self._rates.append(rate)
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_on(), name=f"live screen {self.device_id}")

    async def leave_viewer(self, rate: float) -> bool:
        """Return True if this was the last one: nobody looks at the device any more."""
        self._rates.remove(rate)
        if self._rates:
            return False
        self.end_stream()
        if self._looking:
            await cancel_task(self._looking)
        return True

    def end_stream(self) -> None:
        self._ended = True
        self._changed.set()

    async def wait_behind(self, seen: int) -> int:
        """Wait for a frame behind the one numbered `seen` and return its number; 0 at the end."""
        while self._number == seen and not self._ended:
            await self._changed.wait()
        return 0 if self._ended else self._number

    async def encode_picture(self, side: int) -> Picture:
        """Return the newest frame as a picture; each size is encoded once."""
        if side not in self._pictures:
            frame = self._frame
            self._pictures[side] = asyncio.create_task(asyncio.to_thread(_encode_frame, frame, side))
        return await asyncio.shield(self._pictures[side])

    async def _look_on(self) -> None:
        with self._hand.bus.subscribe_to(ScreenChanged, DeviceTouched) as news, suppress(DeviceError):
            pause = 0.0
            while True:
                quick = 1 / max(self._rates)
                await self._hand.clock.sleep(quick)
                touched = await self._wait_for_touch(news, pause - quick)
                is_new = self._show_frame(await self._hand.take_covered_frame(self.device_id))
                pause = quick if is_new or touched else min(STILL_S, 2 * max(pause, quick))
        self.end_stream()  # unplugged, or its lease is another program's: there is nothing more to see

    async def _wait_for_touch(self, news: Subscription[ScreenChanged | DeviceTouched], seconds: float) -> bool:
        """Wait until something happens on this device; False if nothing did in so many seconds."""
        until = self._hand.clock.now() + seconds
        while True:
            messages = await news.drain_messages(max(0.0, until - self._hand.clock.now()))
            if any(one.device_id == self.device_id for one in messages):
                return True
            if self._hand.clock.now() >= until:
                return False

    def _show_frame(self, frame: Frame) -> bool:
        """Return False if it is the one that is shown already."""
        state = hash_pixels(frame)
        if state == self._hash:
            return False
        self._frame, self._hash, self._pictures = frame, state, {}
        self._number += 1
        self._changed.set()
        self._changed = asyncio.Event()
        return True


def _encode_frame(frame: Frame, side: int) -> Picture:
    return Picture(to_jpeg(shrink_frame(frame, side), QUALITY), frame.width, frame.height)
