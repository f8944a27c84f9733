"""The change signal: wakes those who wait for the screen to be painted. Without waiters it causes no traffic."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from typing import TypeVar

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.ext import damage
from Xlib.protocol.event import ClientMessage

from deskhand.core.errors import DeviceSetup
from deskhand.core.protocols import Clock
from deskhand.devices.desktop.x_connection import DEAD, XListener, connect_display, make_gone_error

Result = TypeVar("Result")
_POLL_S = 0.1


class DamageSignal(XListener):
    def __init__(self, name: str, clock: Clock, on_resize: Callable[[], None]) -> None:
        super().__init__(name)
        self._clock = clock
        self._on_resize = on_resize
        self._damage = 0
        self._waiters: set[asyncio.Event] = set()
        self._dead = False

    def _connect_display(self) -> Display:
        display = connect_display(self._name)
        if not display.has_extension("DAMAGE"):
            display.close()
            raise DeviceSetup(f"The X server {self._name} has no DAMAGE extension: start it with `+extension DAMAGE`.")
        display.damage_query_version()
        root = display.screen().root
        root.change_attributes(event_mask=X.StructureNotifyMask)
        self._damage = root.damage_create(damage.DamageReportNonEmpty)
        self._echo = root.create_window(-1, -1, 1, 1, 0, X.CopyFromParent)
        display.sync()
        return display

    def _process_events(self) -> None:
        while (display := self._display) is not None and self._read_events(display):
            pass

    def _read_events(self, display: Display) -> bool:
        """Handle the pending events; return True if there were any."""
        try:
            events = {display.next_event().type for _ in range(display.pending_events())}
        except DEAD:
            self._dead = True
            self._disconnect()
            self._wake_waiters()
            return False
        if X.ConfigureNotify in events:
            self._on_resize()
        if X.ClientMessage in events:
            self._wake_waiters()
        if self._waiters and events - {X.ClientMessage}:
            self._request_signal(display, echo=True)
        return bool(events)

    def _wake_waiters(self) -> None:
        for waiter in self._waiters:
            waiter.set()

    def _request_signal(self, display: Display, *, echo: bool) -> None:
        """Ask for the next paint. The echo comes back when the server has done so: a frame taken after it misses
        nothing, because every later paint is a new event."""
        display.damage_subtract(self._damage)
        if echo:
            self._echo.send_event(ClientMessage(window=self._echo, client_type=Xatom.STRING, data=(8, b"\0" * 20)))
        display.flush()

    @contextmanager
    def _add_waiter(self) -> Generator[asyncio.Event]:
        waiter = asyncio.Event()
        self._waiters.add(waiter)
        try:
            if self._display is not None:
                self._request_signal(self._display, echo=False)
                self._process_events()
            yield waiter
        finally:
            self._waiters.discard(waiter)

    async def iterate_changes(self) -> AsyncIterator[None]:
        """Yield each time something was painted; paints that come together count once."""
        with self._add_waiter() as waiter:
            while True:
                await waiter.wait()
                waiter.clear()
                if self._dead:
                    raise make_gone_error(self._name)
                if self._display is None:
                    return
                yield

    async def wait_until(self, condition: Callable[[], Awaitable[Result]], seconds: float) -> Result | None:
        """Check after each paint (or 100 ms) until the condition is true, and return it; None after `seconds`."""
        deadline = self._clock.now() + seconds
        while not (answer := await condition()):
            if self._clock.now() >= deadline:
                return None
            with self._add_waiter() as waiter, suppress(TimeoutError):
                async with asyncio.timeout(_POLL_S):
                    await waiter.wait()
        return answer

    async def close(self) -> None:
        self._disconnect()
        self._wake_waiters()
