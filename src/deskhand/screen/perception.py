"""Eyes on one leased device: keeps its newest frame and elements, and tells what changes. Never acts.

By push signal where the device has one, else at a low rate. What to do about a change is left to the listeners.
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Self

from deskhand.errors import DeviceFault, NoElements
from deskhand.protocols import Clock, Device
from deskhand.screen.diff import Tiles, changed_fraction, changed_share, regions, tile_mask
from deskhand.screen.movers import Movers
from deskhand.screen.pulse import Pulse, listening, look
from deskhand.types import AppInfo, Element, Frame, Observation, Rect

# Not a multiple of a caret's half period (500 or 530 ms), or its blinking would never be seen.
_EVERY_S = 0.7
# With push signals, looks come when called for; this often something is looked at in any case.
_EVERY_WITH_PUSH_S = 5.0
# After a fault the device is left alone for a while, and longer after each further one.
_FAULT_REST_S, _MAX_REST_S = 1.0, 8.0
# A polled frame this old no longer stands for the screen.
_VALID_S = 0.4

_LARGE = 0.1


@dataclass(frozen=True, slots=True)
class ScreenChanged:
    """The picture changed by more than its own habits. `expected` is whether an action was under way."""

    device_id: str
    frame: Frame
    regions: tuple[Rect, ...]
    fraction: float
    expected: bool


class Perception:
    """One a lease, for as long as the `async with` block lasts. `publish` is the bus's."""

    def __init__(
        self,
        device: Device,
        publish: Callable[[ScreenChanged], None],
        clock: Clock,
        movers: Movers | None = None,
        every_s: float = _EVERY_S,
    ) -> None:
        self._device = device
        self._publish = publish
        self._clock = clock
        self._movers = movers or Movers()
        self._every = every_s
        self._pulse: Pulse | None = None
        self._task: asyncio.Task[None] | None = None
        self._newest: Frame | None = None
        self._seen_at = 0.0
        self._acting = 0
        self._free = asyncio.Event()
        self._free.set()
        self._epoch = 0
        self._listed: tuple[int, tuple[Element, ...] | None, str, AppInfo] | None = None
        self.surprise: ScreenChanged | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._watch(), name=f"perception {self._device.id}")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    @property
    def newest(self) -> Frame | None:
        """The last frame that was seen, valid or not."""
        return self._newest

    # --- for the one who acts ----------------------------------------------------------------------------

    @contextmanager
    def acting(self) -> Generator[None]:
        """While an action is under way and settles: what changes is expected, and the device is left alone."""
        self._acting += 1
        self._epoch += 1
        self._free.clear()
        self.surprise = None
        try:
            yield
        finally:
            self._acting -= 1
            self._epoch += 1
            if not self._acting:
                self._free.set()

    def settled(self, frame: Frame) -> None:
        """The frame with which an action's wait ended: now the newest there is."""
        last = self._newest
        self._keep(frame)
        if last is not None:
            self._tell(last, frame, expected=True)

    # --- for the one who observes ------------------------------------------------------------------------

    async def frame(self) -> Frame:
        """The newest frame if it still stands for the screen, else a new one."""
        if self._newest is not None and self._valid():
            return self._newest
        return await self._look()

    async def observe(self, with_elements: bool) -> Observation:
        """Frame, app and elements; what is known and still true is not asked for again."""
        frame = await self.frame()
        known = self._listed
        if known is None or known[0] != self._epoch or (with_elements and known[1] is None and not known[2]):
            epoch = self._epoch
            app, (elements, problem) = await asyncio.gather(self._device.app(), self._elements(with_elements))
            known = self._listed = (epoch, elements, problem, app)
        _, elements, problem, app = known
        if not with_elements:
            elements, problem = None, ""
        return Observation(frame, elements, app.name, app.title, problem)

    async def _elements(self, wanted: bool) -> tuple[tuple[Element, ...] | None, str]:
        if not wanted:
            return None, ""
        try:
            return await self._device.elements(), ""
        except NoElements as why:
            return None, str(why)

    def _valid(self) -> bool:
        if self._pulse is not None and self._pulse.alive:
            return self._pulse.last is None or self._pulse.last < self._seen_at
        return self._clock.now() - self._seen_at < _VALID_S

    # --- the watch ---------------------------------------------------------------------------------------

    async def _watch(self) -> None:
        rest = 0.0
        async with listening(self._device, self._clock) as pulse:
            self._pulse = pulse
            while True:
                await self._free.wait()
                try:
                    await self._look()
                    rest = 0.0
                except DeviceFault:  # whoever acts on the device meets it too, and reports it
                    rest = min(_MAX_REST_S, 2 * rest or _FAULT_REST_S)
                now = self._clock.now()
                pause = rest or (_EVERY_WITH_PUSH_S if pulse.alive else self._every)
                await pulse.until(now + pause, not_before=now + (rest or self._every / 2))

    async def _look(self) -> Frame:
        epoch, last, at = self._epoch, self._newest, self._clock.now()
        frame = await look(self._device)
        if epoch != self._epoch:  # an action came between: neither idle nor a surprise
            self._keep(frame, at)
            return frame
        self._keep(frame, at)
        if last is not None and not self._acting:
            self._tell(last, frame, expected=False)
            self._movers.idle(last, frame)
        return frame

    def _keep(self, frame: Frame, at: float | None = None) -> None:
        self._newest = frame
        self._seen_at = self._clock.now() if at is None else at

    def _tell(self, last: Frame, frame: Frame, expected: bool) -> None:
        changed = tile_mask(last, frame)
        if not changed.any():
            return
        if last.size == frame.size:
            changed &= ~self._movers.explained(last, frame, changed)
        if not changed.any():
            return
        self._epoch += 1
        news = ScreenChanged(self._device.id, frame, *_extent(last, frame, changed), expected)
        if not expected:
            self.surprise = news
        self._publish(news)


def _extent(last: Frame, frame: Frame, changed: Tiles) -> tuple[tuple[Rect, ...], float]:
    """Where and how much; of a large change the share is taken in one go, not tile by tile."""
    large = float(changed.mean()) > _LARGE
    fraction = changed_fraction(last, frame) if large else changed_share(last, frame, changed)
    return regions(changed, frame.size), fraction
