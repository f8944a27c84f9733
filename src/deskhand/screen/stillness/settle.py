"""Waits until a screen is still, by looking at it. Whether that was the wanted effect is left to others."""

from deskhand.core.errors import BadFrame
from deskhand.core.protocols import Clock, Device
from deskhand.core.screen import Frame, SettleResult
from deskhand.screen.diff import change_between
from deskhand.screen.stillness.change_signal import Pulse, listening, look
from deskhand.screen.stillness.judge import Watch
from deskhand.screen.stillness.self_motion import SelfMotion
from deskhand.settings.schema import SettleSettings


class VisualStability:
    """Settles by comparing successive frames, and remembers of each device what moves on its own."""

    def __init__(self, settings: SettleSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._movers: dict[str, SelfMotion] = {}
        self._settled: dict[str, Frame] = {}

    def movers(self, device_id: str) -> SelfMotion:
        """What is known to move on its own there; whoever watches the device between actions may teach it more."""
        return self._movers.setdefault(device_id, SelfMotion())

    async def __call__(self, device: Device, before: Frame) -> SettleResult:
        """Wait for the end of what an action started; `before` is the last frame from before the action."""
        return await self._settle(device, before, self._settings.max_wait_ms)

    async def wait_for_animation_completion(self, device: Device, before: Frame) -> SettleResult:
        """The same for long transitions: beyond the usual time as long as the screen comes along, up to a limit.

        What only moves in its place (a film, a spinner) is given up on as soon as ever.
        """
        self.movers(device.id).page_left()
        return await self._settle(device, before, max(self._settings.max_wait_ms, self._settings.max_opening_ms))

    async def _settle(self, device: Device, before: Frame, longest_ms: int) -> SettleResult:
        movers = self.movers(device.id)
        # Taken out: when this wait is cut short, an action lies between that frame and the next `before`.
        if (settled := self._settled.pop(device.id, None)) is not None:
            movers.idle(settled, before)
        started = self._clock.now()
        watch = Watch(self._settings, before, movers, started)
        async with listening(device, self._clock) as pulse:
            await pulse.until(min(watch.first_look, started + self._settings.max_wait_ms / 1000))
            result = await self._looks(device, before, watch, pulse, started, longest_ms / 1000)
        if not result.still:
            movers.never_stopped(result.frame, watch.ceaseless())
        movers.acted(result.change)
        self._settled[device.id] = result.frame
        return result

    async def _looks(
        self, device: Device, before: Frame, watch: Watch, pulse: Pulse, started: float, longest: float
    ) -> SettleResult:
        usual = self._settings.max_wait_ms / 1000

        def over(waited: float) -> bool:
            return waited >= longest or (waited >= usual and not watch.comes_along(started + waited))

        while True:
            at = self._clock.now()
            still, frame = False, None
            try:
                frame = await look(device)
                still = watch.saw(frame, at, self._clock.now() - at, pulse.last)
            except BadFrame:  # a device that turns or redraws may send half a picture; the next one tells
                if over(at - started):
                    raise
            waited = self._clock.now() - started
            if frame is not None and (still or over(waited)):
                still = still or watch.quiet_enough(at)
                moving = () if still else watch.moving()
                return SettleResult(still, round(waited * 1000), watch.frames, change_between(before, frame), moving)
            end = started + (usual if waited < usual else longest)
            await pulse.until(min(watch.next_look(at, pulse.alive), end), not_before=watch.soonest(at))
