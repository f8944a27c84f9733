"""Looking at a device at the right moment: its push signals where it has them, the clock where it has none."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from deskhand.clock import cancel_task
from deskhand.core.errors import DeviceError, DeviceTimeout
from deskhand.core.protocols import Clock, Device
from deskhand.core.screen import Frame

# Longer than the time-outs that devices have of their own, which know better what is wrong; on a busy machine a
# picture may also have to wait its turn.
_LOOK_TIMEOUT_S = 60.0


async def capture_frame(device: Device) -> Frame:
    """One frame, within a time that no working device needs."""
    try:
        async with asyncio.timeout(_LOOK_TIMEOUT_S):
            return await device.frame()
    except TimeoutError:
        raise DeviceTimeout(f"The device {device.id} sent no picture within {_LOOK_TIMEOUT_S:.0f} s.") from None


class ChangeSignal:
    """A device's push signals while somebody waits; without them, plain waiting."""

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
            pass  # the looks go on without it, and meet the same fault if it matters
        finally:
            self.alive = False
            self._signal.set()

    async def wait_until(self, moment: float, not_before: float = 0.0) -> None:
        """Until the moment has come, or the device signals a change; in no case before `not_before`."""
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
    """The device's signals for as long as the block lasts."""
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
