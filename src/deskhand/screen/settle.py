"""Waits until a screen is still, by looking at it. Whether that was the wanted effect is left to others."""

from deskhand.config import SettleSettings
from deskhand.protocols import Clock, Device
from deskhand.screen.diff import changed_fraction, changed_regions
from deskhand.types import Frame, SettleResult


class VisualStability:
    """Settles by comparing successive frames: still is when enough of them in a row are alike."""

    def __init__(self, settings: SettleSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    async def __call__(self, device: Device, before: Frame) -> SettleResult:
        settings = self._settings
        started = self._clock.now()
        last = before
        alike, frames = 0, 0
        while True:
            frame = await device.frame()
            frames += 1
            alike = alike + 1 if frames > 1 and changed_fraction(last, frame) < settings.threshold else 1
            waited_ms = round((self._clock.now() - started) * 1000)
            if alike >= settings.still_frames:
                return SettleResult(True, waited_ms, frames, frame)
            if waited_ms >= settings.max_wait_ms:
                return SettleResult(False, waited_ms, frames, frame, changed_regions(last, frame))
            last = frame
            await self._clock.sleep(settings.interval_ms / 1000)
