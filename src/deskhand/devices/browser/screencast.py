"""The change signal: a tiny screencast of the tab in front, paused while an animation would make it use a core."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial
from typing import Any

from playwright.async_api import CDPSession, Error

from deskhand.core.errors import DeviceTimeout
from deskhand.core.protocols import Clock
from deskhand.devices.browser.cdp_target import CdpTarget, DialogOpened, TabFrozen, TabLost

# Frames are sent on damage, whatever their size, so the smallest picture is enough.
_PICTURE = {"format": "jpeg", "quality": 1, "maxWidth": 64, "maxHeight": 64}
# This many frames in a row, each soon after the last, are an animation.
BUSY_FRAMES = 40
BUSY_GAP_S = 0.1
# While the screencast is paused on an animated page, changes are signalled at this pace; then it is tried again.
TICK_S = 0.2
REST_TICKS = 10
LINGER_S = 2.0


class Screencast:
    """The screencast runs while there are listeners, and a little longer. `run_later` runs work in the background."""

    def __init__(self, clock: Clock, run_later: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        self._clock = clock
        self._run_later = run_later
        self._listeners: set[asyncio.Event] = set()
        self._cdp: CdpTarget | None = None
        self._heard: set[CDPSession] = set()
        self._running = False
        self._switching = asyncio.Lock()
        self._recent: deque[float] = deque(maxlen=BUSY_FRAMES)
        self._resting = False
        self._leaving: asyncio.TimerHandle | None = None
        self._closed = False

    async def listen_for_changes(self) -> AsyncIterator[None]:
        """Yield each time the picture may have changed; many changes at once count as one. Ends with the browser."""
        bell = asyncio.Event()
        self._listeners.add(bell)
        try:
            await self._switch_screencast()
            while not self._closed:
                await bell.wait()
                bell.clear()
                if not self._closed:
                    yield
        finally:
            self._listeners.discard(bell)
            # The next action often listens again soon: a restart would cost it a needless first frame.
            loop = asyncio.get_running_loop()
            if not self._closed:
                self._leaving = loop.call_later(LINGER_S, lambda: self._run_later(self._switch_screencast()))

    def signal_change(self) -> None:
        """Wake the listeners; also called for changes outside the page: a dialog, another tab."""
        for bell in self._listeners:
            bell.set()

    async def watch_tab(self, cdp: CdpTarget | None) -> None:
        """Move the screencast to this tab, which is now in front."""
        if cdp is self._cdp:
            return
        async with self._switching:
            await self._send_order("Page.stopScreencast", self._running)
            self._cdp, self._running = cdp, False
            if cdp is not None and cdp.session not in self._heard:
                self._heard.add(cdp.session)
                cdp.session.on("Page.screencastFrame", partial(self._on_frame, cdp))
        await self._switch_screencast()
        self.signal_change()

    async def close(self) -> None:
        self._closed = True
        if self._leaving is not None:
            self._leaving.cancel()
        await self.watch_tab(None)
        self.signal_change()

    async def _switch_screencast(self) -> None:
        """Run the screencast while there are listeners and nothing is animated, else stop it."""
        async with self._switching:
            wanted = bool(self._listeners) and not self._resting
            if wanted != self._running:
                self._recent.clear()
                self._running = wanted and self._cdp is not None
                await self._send_order("Page.startScreencast" if wanted else "Page.stopScreencast", True)

    async def _send_order(self, method: str, needed: bool) -> None:
        if self._cdp is None or not needed:
            return
        try:
            await self._cdp.send_command(method, _PICTURE if method == "Page.startScreencast" else {})
        except (Error, DialogOpened, TabFrozen, TabLost, DeviceTimeout):
            self._running = False  # the tab is closing; the next call on it raises that

    def _on_frame(self, cdp: CdpTarget, event: dict[str, Any]) -> None:
        if cdp is not self._cdp or not self._running:
            return
        now = self._clock.now()
        if self._recent and now - self._recent[-1] > BUSY_GAP_S:
            self._recent.clear()
        self._recent.append(now)
        self.signal_change()
        if len(self._recent) < BUSY_FRAMES:
            self._run_later(self._acknowledge_frame(cdp, event["sessionId"]))
        elif not self._resting:
            self._resting = True
            self._run_later(self._rest_while_animated())

    async def _acknowledge_frame(self, cdp: CdpTarget, number: int) -> None:
        try:
            await cdp.send_command("Page.screencastFrameAck", {"sessionId": number})
        except (Error, DialogOpened, TabFrozen, TabLost, DeviceTimeout):
            return  # stopped or closed meanwhile: there is nothing left to acknowledge

    async def _rest_while_animated(self) -> None:
        try:
            await self._switch_screencast()
            for _ in range(REST_TICKS):
                await self._clock.sleep(TICK_S)
                self.signal_change()
        finally:
            self._resting = False
        await self._switch_screencast()
