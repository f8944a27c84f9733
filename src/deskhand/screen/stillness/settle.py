"""Waits until a screen is still, by capturing it. Leaves it to others to check that the effect was the wanted one."""

from deskhand.core.errors import BadFrame
from deskhand.core.protocols import Clock, Device
from deskhand.core.screen import Frame, SettleResult
from deskhand.screen.diff import change_between
from deskhand.screen.stillness.change_signal import ChangeSignal, capture_frame, listen_for_changes
from deskhand.screen.stillness.judge import StillnessJudge
from deskhand.screen.stillness.self_motion import SelfMotion
from deskhand.settings.schema import SettleSettings


class VisualStability:
    """Settles by comparing successive frames, and remembers for each device what moves on its own."""

    def __init__(self, settings: SettleSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._movers: dict[str, SelfMotion] = {}
        self._settled: dict[str, Frame] = {}

    def motion_of(self, device_id: str) -> SelfMotion:
        """Return the known motion of the device; a watcher may teach it more between actions."""
        return self._movers.setdefault(device_id, SelfMotion())

    async def __call__(self, device: Device, before: Frame) -> SettleResult:
        """Wait for the end of what an action started; `before` is the last frame from before the action."""
        return await self._wait_for_stillness(device, before, self._settings.max_wait_ms)

    async def wait_for_animation_completion(self, device: Device, before: Frame) -> SettleResult:
        """Wait for a long transition: beyond the usual time while the screen makes progress, up to a limit.

        Motion in place (a film, a spinner) does not extend the wait.
        """
        self.motion_of(device.id).forget_page()
        return await self._wait_for_stillness(
            device, before, max(self._settings.max_wait_ms, self._settings.max_opening_ms)
        )

    async def _wait_for_stillness(self, device: Device, before: Frame, longest_ms: int) -> SettleResult:
        movers = self.motion_of(device.id)
        # Removed here: if this wait is cancelled, an action lies between that frame and the next `before`.
        if (settled := self._settled.pop(device.id, None)) is not None:
            movers.learn_idle(settled, before)
        started = self._clock.now()
        watch = StillnessJudge(self._settings, before, movers, started)
        async with listen_for_changes(device, self._clock) as pulse:
            await pulse.wait_until(min(watch.first_look, started + self._settings.max_wait_ms / 1000))
            result = await self._watch_until_still(device, before, watch, pulse, started, longest_ms / 1000)
        if not result.still:
            movers.learn_ceaseless(result.frame, watch.find_ceaseless_tiles())
        movers.apply_action(result.change)
        self._settled[device.id] = result.frame
        return result

    async def _watch_until_still(
        self, device: Device, before: Frame, watch: StillnessJudge, pulse: ChangeSignal, started: float, longest: float
    ) -> SettleResult:
        usual = self._settings.max_wait_ms / 1000

        def is_over(waited: float) -> bool:
            return waited >= longest or (waited >= usual and not watch.is_in_transition(started + waited))

        while True:
            at = self._clock.now()
            still, frame = False, None
            try:
                frame = await capture_frame(device)
                still = watch.add_look(frame, at, self._clock.now() - at, pulse.last)
            except BadFrame:  # a device that rotates or redraws may send half a picture; the next one tells
                if is_over(at - started):
                    raise
            waited = self._clock.now() - started
            if frame is not None and (still or is_over(waited)):
                still = still or watch.is_quiet_enough(at)
                moving = () if still else watch.find_moving_regions()
                return SettleResult(still, round(waited * 1000), watch.frames, change_between(before, frame), moving)
            end = started + (usual if waited < usual else longest)
            await pulse.wait_until(min(watch.next_look(at, pulse.alive), end), not_before=watch.earliest_look(at))
