"""Times the captures of a device: by its push signals if it has them, else by the clock."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from deskhand.clock import cancel_task
from deskhand.core.errors import DeviceError, DeviceTimeout
from deskhand.core.protocols import Clock, Device
from deskhand.core.screen import Frame

# Longer than the devices' own timeouts, which report the cause better; on a busy machine a
# capture may also have to wait its turn.
_LOOK_TIMEOUT_S = 60.0


async def capture_frame(device: Device) -> Frame:
    """Capture one frame, within a time limit that no working device needs."""
    try:
        async with asyncio.timeout(_LOOK_TIMEOUT_S):
            return await device.frame()
    except TimeoutError:
        raise DeviceTimeout(f"The device {device.id} sent no picture within {_LOOK_TIMEOUT_S:.0f} s.") from None


class ChangeSignal:
    """Delivers a device's push signals during a wait; without them, waits by the clock."""

    def __init__(self, clock: Clock, alive: bool) -> None:
        self._clock = clock
        self._signal = asyncio.Event()
        self.alive = alive
        self.last: float | None = None

    async def follow_stream(self, stream: AsyncIterator[None]) -> None:
        try:
            async for _ in stream:
                self.last = self._clock.now()
                self._signal.set()
        except DeviceError:
            pass  # capturing goes on without it, and gets the same error if it matters
        finally:
            self.alive = False
            self._signal.set()

    async def wait_until(self, moment: float, not_before: float = 0.0) -> None:
        """Wait until the moment, or until the device signals a change; never return before `not_before`."""
        if not self.alive:
            await self._clock.sleep(moment - self._clock.now())
            return
        if not self._signal.is_set():
            await self._first_of(self._clock.sleep(moment - self._clock.now()), self._signal.wait())
        self._signal.clear()
        if (early := not_before - self._clock.now()) > 0:
            await self._clock.sleep(min(early, moment - self._clock.now()))

    @staticmethod
    async def _first_of(*waits: Coroutine[Any, Any, Any]) -> None:
        tasks = [asyncio.ensure_future(wait) for wait in waits]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def listen_for_changes(device: Device, clock: Clock) -> AsyncGenerator[ChangeSignal]:
    """Provide the device's signals while the block runs."""
    stream = device.changes()
    pulse = ChangeSignal(clock, alive=stream is not None)
    if stream is None:
        yield pulse
        return
    listener = asyncio.ensure_future(pulse.follow_stream(stream))
    try:
        yield pulse
    finally:
        await cancel_task(listener)
