"""Waits until a screen is still, by looking at it. Whether that was the wanted effect is left to others."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

from deskhand.config import SettleSettings
from deskhand.errors import BadFrame, DeviceFault, DeviceTimeout
from deskhand.protocols import Clock, Device
from deskhand.screen.movers import Movers
from deskhand.screen.watch import Watch
from deskhand.types import Frame, SettleResult

_LOOK_TIMEOUT_S = 15.0
_ANIMATION_MAX_WAIT_MS = 15_000


class VisualStability:
    """Settles by comparing successive frames, and remembers of each device what moves on its own."""

    def __init__(self, settings: SettleSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._movers: dict[str, Movers] = {}
        self._settled: dict[str, Frame] = {}

    def movers(self, device_id: str) -> Movers:
        """What is known to move on its own there; whoever watches the device between actions may teach it more."""
        return self._movers.setdefault(device_id, Movers())

    async def __call__(self, device: Device, before: Frame) -> SettleResult:
        """Wait for the end of what an action started; `before` is the last frame from before the action."""
        return await self._settle(device, before, self._settings.max_wait_ms)

    async def wait_for_animation_completion(
        self, device: Device, before: Frame, max_wait_ms: int = _ANIMATION_MAX_WAIT_MS
    ) -> SettleResult:
        """The same for long transitions (an installer, a boot, a heavy page), with a limit of its own."""
        return await self._settle(device, before, max_wait_ms)

    async def _settle(self, device: Device, before: Frame, max_wait_ms: int) -> SettleResult:
        movers = self.movers(device.id)
        if (settled := self._settled.get(device.id)) is not None:
            movers.idle(settled, before)
        started = self._clock.now()
        watch = Watch(self._settings, before, movers, started)
        async with _pulse(device, self._clock) as pulse:
            await pulse.until(min(watch.first_look, started + max_wait_ms / 1000))
            result = await self._looks(device, watch, pulse, started, max_wait_ms / 1000)
        if not result.still:
            movers.never_stopped(result.frame, watch.ceaseless())
        movers.acted(before, result.frame)
        self._settled[device.id] = result.frame
        return result

    async def _looks(
        self, device: Device, watch: Watch, pulse: "_Pulse", started: float, max_wait: float
    ) -> SettleResult:
        while True:
            at = self._clock.now()
            still, frame = False, None
            try:
                frame = await _look(device)
                still = watch.saw(frame, at, self._clock.now() - at, pulse.last)
            except BadFrame:  # a device that turns or redraws may send half a picture; the next one tells
                if at - started >= max_wait:
                    raise
            waited = self._clock.now() - started
            if frame is not None and (still or waited >= max_wait):
                still = still or watch.quiet_enough(at)
                moving = () if still else watch.moving()
                return SettleResult(still, round(waited * 1000), watch.frames, frame, moving)
            await pulse.until(min(watch.next_look(at, pulse.alive), started + max_wait), not_before=watch.soonest(at))


async def _look(device: Device) -> Frame:
    try:
        async with asyncio.timeout(_LOOK_TIMEOUT_S):
            return await device.frame()
    except TimeoutError:
        raise DeviceTimeout(f"The device {device.id} sent no picture within {_LOOK_TIMEOUT_S:.0f} s.") from None


class _Pulse:
    """A device's push signals while somebody waits; without them, plain waiting."""

    def __init__(self, clock: Clock, alive: bool) -> None:
        self._clock = clock
        self._signal = asyncio.Event()
        self.alive = alive
        self.last: float | None = None

    async def listen(self, stream: AsyncIterator[None]) -> None:
        try:
            async for _ in stream:
                self.last = self._clock.now()
                self._signal.set()
        except DeviceFault:
            pass  # the looks go on without it, and meet the same fault if it matters
        finally:
            self.alive = False
            self._signal.set()

    async def until(self, moment: float, not_before: float = 0.0) -> None:
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
async def _pulse(device: Device, clock: Clock) -> AsyncGenerator[_Pulse]:
    stream = device.changes()
    pulse = _Pulse(clock, alive=stream is not None)
    if stream is None:
        yield pulse
        return
    listener = asyncio.ensure_future(pulse.listen(stream))
    try:
        yield pulse
    finally:
        listener.cancel()
        with suppress(asyncio.CancelledError):
            await listener
