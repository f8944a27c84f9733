"""Watches one leased device: keeps its newest frame and elements, and publishes changes. Never acts.

Uses push signals where the device has them, else polls at a low rate. Leaves the reaction to the listeners.
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Self

from deskhand.clock import cancel_task
from deskhand.core.errors import DeviceError, NoElements
from deskhand.core.geometry import Rect
from deskhand.core.protocols import Clock, Device
from deskhand.core.screen import AppInfo, Change, Element, Frame, Observation
from deskhand.screen.diff import Tiles, change_between, regions_of
from deskhand.screen.stillness.change_signal import ChangeSignal, capture_frame, listen_for_changes
from deskhand.screen.stillness.self_motion import SelfMotion

# Not a multiple of a caret's half period (500 or 530 ms), or its blinking would never be seen.
_EVERY_S = 0.7
# With push signals, frames are captured on a signal, and at least this often.
_EVERY_WITH_PUSH_S = 5.0
# For each unit of time that a capture takes, pause this many.
_LEISURE = 20
# After an error the device is left alone for a while, and longer after each further one.
_FAULT_REST_S, _MAX_REST_S = 1.0, 8.0
# A polled frame this old no longer represents the screen.
_VALID_S = 0.4


@dataclass(frozen=True, slots=True)
class ScreenChanged:
    """The picture changed in these tiles beyond its own motion. `expected`: while an action was running."""

    device_id: str
    change: Change
    tiles: Tiles
    expected: bool

    @property
    def frame(self) -> Frame:
        return self.change.after

    @property
    def regions(self) -> tuple[Rect, ...]:
        return regions_of(self.tiles, self.frame.size)

    @property
    def fraction(self) -> float:
        return self.change.share_of(self.tiles)


class Perception:
    """Watches for one lease, while the `async with` block runs. `publish` is the bus's."""

    def __init__(
        self,
        device: Device,
        publish: Callable[[ScreenChanged], None],
        clock: Clock,
        movers: SelfMotion | None = None,
        every_s: float = _EVERY_S,
    ) -> None:
        self._device = device
        self._publish = publish
        self._clock = clock
        self._movers = movers or SelfMotion()
        self._every = every_s
        self._pulse: ChangeSignal | None = None
        self._task: asyncio.Task[None] | None = None
        self._newest: Frame | None = None
        self._seen_at = 0.0
        self._acting = 0
        self._touched = False  # an action ran since the newest frame was taken: its changes are not habits
        self._free = asyncio.Event()
        self._free.set()
        self._epoch = 0
        self._listed: tuple[int, tuple[Element, ...] | None, str, AppInfo] | None = None
        self.surprise: ScreenChanged | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._watch_screen(), name=f"perception {self._device.id}")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            await cancel_task(self._task)

    @property
    def newest(self) -> Frame | None:
        """Return the last frame that was captured, valid or not."""
        return self._newest

    # --- for the one who acts ----------------------------------------------------------------------------

    @contextmanager
    def expect_changes(self) -> Generator[None]:
        """Treat changes as expected, and leave the device alone, while an action runs and settles."""
        self._acting += 1
        self._epoch += 1
        self._touched = True
        self._free.clear()
        self.surprise = None
        try:
            yield
        finally:
            self._acting -= 1
            self._epoch += 1
            if not self._acting:
                self._free.set()

    def note_settled(self, change: Change) -> None:
        """Record what an action changed; the last frame of its wait becomes the newest."""
        last = self._newest
        self._newest, self._seen_at = change.after, self._clock.now()
        self._touched = False
        if last is not None:
            self._report_change(change if last is change.before else change_between(last, change.after), expected=True)

    # --- for the one who observes ------------------------------------------------------------------------

    async def frame(self) -> Frame:
        """Return the newest frame if it still represents the screen, else a new one."""
        if self._newest is not None and self._is_valid():
            return self._newest
        return await self._capture_frame()

    async def recapture_frame(self) -> Frame:
        """Capture a new frame in any case, and discard the elements listed before."""
        self._epoch += 1
        return await self._capture_frame()

    async def observe_screen(self, with_elements: bool) -> Observation:
        """Return frame, app and elements; reuse the parts that are still valid."""
        frame = await self.frame()
        known = self._listed
        if known is None or known[0] != self._epoch or (with_elements and known[1] is None and not known[2]):
            epoch = self._epoch
            if with_elements:
                app, (elements, problem) = await asyncio.gather(self._device.app(), self._read_elements())
            else:
                app, elements, problem = await self._device.app(), None, ""
            known = self._listed = (epoch, elements, problem, app)
        _, elements, problem, app = known
        if not with_elements:
            elements, problem = None, ""
        return Observation(frame, elements, app.name, app.title, problem, app.address, app.at_home, app.clock)

    async def _read_elements(self) -> tuple[tuple[Element, ...] | None, str]:
        try:
            return await self._device.elements(), ""
        except NoElements as why:
            return None, str(why)

    def _is_valid(self) -> bool:
        if self._pulse is not None and self._pulse.alive:
            return self._pulse.last is None or self._pulse.last < self._seen_at
        return self._clock.now() - self._seen_at < _VALID_S

    # --- the watch ---------------------------------------------------------------------------------------

    async def _watch_screen(self) -> None:
        rest = 0.0
        async with listen_for_changes(self._device, self._clock) as pulse:
            self._pulse = pulse
            while True:
                await self._free.wait()
                begun = self._clock.now()
                try:
                    await self._capture_frame()
                    rest = 0.0
                except DeviceError:  # whoever acts on the device gets it too, and reports it
                    rest = min(_MAX_REST_S, 2 * rest or _FAULT_REST_S)
                now = self._clock.now()
                # Where captures are slow (a hundred devices on one machine), watching must not slow them further.
                every = max(self._every, _LEISURE * (now - begun))
                pause = rest or (_EVERY_WITH_PUSH_S if pulse.alive else every)
                await pulse.wait_until(now + pause, not_before=now + (rest or every / 2))

    async def _capture_frame(self) -> Frame:
        epoch, last, at = self._epoch, self._newest, self._clock.now()
        frame = await capture_frame(self._device)
        if self._newest is not None and at < self._seen_at:  # a slow capture, overtaken by the last frame of an action
            return self._newest
        self._newest, self._seen_at = frame, at
        if epoch != self._epoch or self._acting:  # an action came between: neither idle nor unexpected
            return frame
        if last is not None:
            self._report_change(change_between(last, frame), expected=False)
            if not self._touched:
                self._movers.learn_idle(last, frame)
        self._touched = False
        return frame

    def _report_change(self, change: Change, expected: bool) -> None:
        tiles = self._movers.find_unexplained(change)
        if not tiles.any():
            return
        self._epoch += 1
        news = ScreenChanged(self._device.id, change, tiles, expected)
        if not expected:
            self.surprise = news
        self._publish(news)
