"""Owns the CLIPBOARD selection while a text is pasted, and tells when an application has fetched it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import XError
from Xlib.protocol import request
from Xlib.protocol.event import SelectionNotify, SelectionRequest
from Xlib.protocol.rq import Event

from deskhand.devices.desktop.x_connection import DEAD, connect, gone, hang_up, opened

# Characters in one transfer: four bytes each at most, and all has to fit into one request (256 KiB) of X.
LARGEST = 50_000
# Some programs fetch more than once; then the clipboard is given back as it was, so that no secret stays in it.
_KEEP_S = 2.0
_TEXT_TARGETS = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT")
_READ_S = 0.5


class Clipboard:
    """One connection with one hidden window. Requests are served from the event loop."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._display: Display | None = None
        self._text: str | None = None
        self._ours = False
        self._fetched: Callable[[int], None] = lambda _client: None
        self._answer: asyncio.Future[str | None] | None = None
        self._before: str | None = None
        self._return: asyncio.TimerHandle | None = None

    async def open(self) -> None:
        self._display = await opened(self._name, self._connect)
        asyncio.get_running_loop().add_reader(self._display.display.socket, self._read)

    def _connect(self) -> Display:
        display = connect(self._name)
        root = display.screen().root
        self._window = root.create_window(-1, -1, 1, 1, 0, X.CopyFromParent)
        self._clipboard = display.intern_atom("CLIPBOARD")
        self._targets = display.intern_atom("TARGETS")
        self._texts = [display.intern_atom(name) for name in _TEXT_TARGETS]
        self._inbox = display.intern_atom("DESKHAND_SELECTION")
        display.sync()
        return display

    async def lend(self, text: str, fetched: Callable[[int], None]) -> None:
        """Offer a text for a paste, until it is taken back."""
        if self._return is not None:
            self._return.cancel()
        if self._return is None or not self._ours:
            self._before = await self.read()
        self.offer(text, fetched)

    def take_back(self, *, pasted: bool) -> None:
        """What was there before is put back, a little later. Who comes late for a paste that was given up gets nothing,
        neither the text nor what the user had copied."""
        if not pasted:
            self._text = None
        self._return = asyncio.get_running_loop().call_later(_KEEP_S, self._give_back)

    def _give_back(self) -> None:
        self._return = None
        if self._display is None or not self._ours:
            return
        if self._before is not None:
            self.offer(self._before, lambda _client: None)
        else:
            self._text, self._ours = None, False
            request.SetSelectionOwner(
                display=self._display.display, window=X.NONE, selection=self._clipboard, time=X.CurrentTime
            )
            self._display.flush()
            self._read()

    def offer(self, text: str, fetched: Callable[[int], None]) -> None:
        """Own the selection; `fetched` is called with the X client's id base each time somebody takes the text."""
        display = self._open_display()
        self._text, self._ours, self._fetched = text, True, fetched
        self._window.set_selection_owner(self._clipboard, X.CurrentTime)
        display.flush()
        self._read()

    async def read(self) -> str | None:
        """What the clipboard holds as text; None when nobody owns it, or its owner does not answer."""
        if self._text is not None:
            return self._text
        display = self._open_display()
        self._answer = asyncio.get_running_loop().create_future()
        self._window.convert_selection(self._clipboard, self._texts[0], self._inbox, X.CurrentTime)
        display.flush()
        self._read()
        try:
            async with asyncio.timeout(_READ_S):
                return await self._answer
        except TimeoutError:
            return None
        finally:
            self._answer = None

    def _open_display(self) -> Display:
        if self._display is None:
            raise gone(self._name)
        return self._display

    def _read(self) -> None:
        """Also after each flush: python-xlib takes in what came meanwhile, and nothing on the socket tells of it."""
        try:
            while (display := self._display) is not None and display.pending_events():
                self._handle(display, display.next_event())
                display.flush()
        except DEAD:
            self._stop()

    def _handle(self, display: Display, event: Event) -> None:
        if isinstance(event, SelectionRequest):
            self._serve(display, event)
        elif event.type == X.SelectionClear:
            self._text, self._ours = None, False
        elif isinstance(event, SelectionNotify) and self._answer is not None and not self._answer.done():
            self._answer.set_result(self._received() if event.property != X.NONE else None)

    def _received(self) -> str | None:
        try:
            value = self._window.get_full_property(self._inbox, X.AnyPropertyType)
        except XError:
            return None
        return bytes(value.value).decode("utf-8", "replace") if value is not None and value.format == 8 else None

    def _serve(self, display: Display, asked: SelectionRequest) -> None:
        target, place = asked.target, asked.property or asked.target
        taken = False
        if self._text is None or asked.selection != self._clipboard:
            place = X.NONE
        elif target == self._targets:
            asked.requestor.change_property(place, Xatom.ATOM, 32, [self._targets, *self._texts, Xatom.STRING])
        elif target in self._texts:
            asked.requestor.change_property(place, target, 8, self._text.encode())
            taken = True
        elif target == Xatom.STRING:
            asked.requestor.change_property(place, target, 8, self._text.encode("latin-1", "replace"))
            taken = True
        else:
            place = X.NONE
        answer = SelectionNotify(
            time=asked.time, requestor=asked.requestor, selection=asked.selection, target=target, property=place
        )
        asked.requestor.send_event(answer)
        display.flush()
        if taken:
            self._fetched(asked.requestor.id & ~display.display.info.resource_id_mask)

    def _stop(self) -> None:
        if self._display is not None:
            asyncio.get_running_loop().remove_reader(self._display.display.socket)
            hang_up(self._display)
            self._display = None

    async def close(self) -> None:
        if self._return is not None:
            self._return.cancel()
        self._stop()
