"""The change signal: a tiny screencast of the tab in front, stopped where an animation would make it cost a core."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

from deskhand.core.errors import DeviceTimeout
from deskhand.core.protocols import Clock
from deskhand.devices.browser.cdp_target import Interrupted, TabLost, Wire

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

# Frames come by damage, not by content, so the smallest picture says as much as a large one.
_PICTURE = {"format": "jpeg", "quality": 1, "maxWidth": 64, "maxHeight": 64}
# So many frames in a row, each soon after the last, are an animation and no news.
BUSY_FRAMES = 40
BUSY_GAP_S = 0.1
# While the screencast rests on an animated page, "may have changed" is said at this pace, and after the rest it
# is tried again.
TICK_S = 0.2
REST_TICKS = 10
LINGER_S = 2.0


class Changes:
    """Listeners come and go; the screencast runs while there are any, and a little longer."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._listeners: set[asyncio.Event] = set()
        self._wire: Wire | None = None
        self._heard: set[CDPSession] = set()
        self._running = False
        self._switching = asyncio.Lock()
        self._recent: deque[float] = deque(maxlen=BUSY_FRAMES)
        self._work: set[asyncio.Task[None]] = set()
        self._resting = False
        self._leaving: asyncio.TimerHandle | None = None
        self._closed = False

    async def listen(self) -> AsyncIterator[None]:
        """One signal each time the picture may have changed; many at once count as one. Ends with the browser."""
        bell = asyncio.Event()
        self._listeners.add(bell)
        try:
            await self._switch()
            while not self._closed:
                await bell.wait()
                bell.clear()
                if not self._closed:
                    yield
        finally:
            self._listeners.discard(bell)
            # The next one to listen is often the next action: starting anew would cost it a first, needless frame.
            loop = asyncio.get_running_loop()
            if not self._closed:
                self._leaving = loop.call_later(LINGER_S, lambda: self._later(self._switch()))

    def ring(self) -> None:
        """Something else than the page changed what is seen: a dialog, another tab."""
        for bell in self._listeners:
            bell.set()

    async def watch(self, wire: Wire | None) -> None:
        """From now on this tab is the one in front."""
        if wire is self._wire:
            return
        async with self._switching:
            await self._order("Page.stopScreencast", self._running)
            self._wire, self._running = wire, False
            if wire is not None and wire.session not in self._heard:
                self._heard.add(wire.session)
                wire.session.on("Page.screencastFrame", partial(self._frame, wire))
        await self._switch()
        self.ring()

    async def close(self) -> None:
        self._closed = True
        if self._leaving is not None:
            self._leaving.cancel()
        await self.watch(None)
        self.ring()
        for task in list(self._work):
            task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)

    # --- the screencast -------------------------------------------------------------------------------------

    async def _switch(self) -> None:
        """On while somebody listens and nothing is animated, else off."""
        async with self._switching:
            wanted = bool(self._listeners) and not self._resting
            if wanted != self._running:
                self._recent.clear()
                self._running = wanted and self._wire is not None
                await self._order("Page.startScreencast" if wanted else "Page.stopScreencast", True)

    async def _order(self, method: str, needed: bool) -> None:
        from playwright.async_api import Error

        if self._wire is None or not needed:
            return
        try:
            await self._wire.send(method, _PICTURE if method == "Page.startScreencast" else {})
        except (Error, Interrupted, TabLost, DeviceTimeout):
            self._running = False  # the tab is going away; whoever looks at it next is told so

    def _frame(self, wire: Wire, event: dict[str, Any]) -> None:
        if wire is not self._wire or not self._running:
            return
        now = self._clock.now()
        if self._recent and now - self._recent[-1] > BUSY_GAP_S:
            self._recent.clear()
        self._recent.append(now)
        self.ring()
        if len(self._recent) < BUSY_FRAMES:
            self._later(self._acknowledge(wire, event["sessionId"]))
        elif not self._resting:
            self._resting = True
            self._later(self._rest())

    async def _acknowledge(self, wire: Wire, number: int) -> None:
        from playwright.async_api import Error

        try:
            await wire.send("Page.screencastFrameAck", {"sessionId": number})
        except (Error, Interrupted, TabLost, DeviceTimeout):
            return  # stopped or gone in between: there is nothing left to acknowledge

    async def _rest(self) -> None:
        try:
            await self._switch()
            for _ in range(REST_TICKS):
                await self._clock.sleep(TICK_S)
                self.ring()
        finally:
            self._resting = False
        await self._switch()

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)
