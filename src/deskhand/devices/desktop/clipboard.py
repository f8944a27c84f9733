"""Owns the CLIPBOARD selection while a text is pasted, and reports when a program has fetched it."""

import asyncio
from collections.abc import Callable

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import XError
from Xlib.protocol import request
from Xlib.protocol.event import SelectionNotify, SelectionRequest
from Xlib.protocol.rq import Event

from deskhand.devices.desktop.x_connection import DEAD, XListener, connect_display, make_gone_error

# Characters in one transfer: at most four bytes each, and all must fit into one X request (256 KiB).
LARGEST = 50_000
# Some programs fetch more than once. After this time the clipboard is restored, so that no secret stays in it.
_KEEP_S = 2.0
_TEXT_TARGETS = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "TEXT")
_READ_S = 0.5


class DesktopClipboard(XListener):
    """One connection with one hidden window."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._text: str | None = None
        self._ours = False
        self._fetched: Callable[[int], None] = lambda _client: None
        self._answer: asyncio.Future[str | None] | None = None
        self._before: str | None = None
        self._return: asyncio.TimerHandle | None = None

    def _connect_display(self) -> Display:
        display = connect_display(self._name)
        root = display.screen().root
        self._window = root.create_window(-1, -1, 1, 1, 0, X.CopyFromParent)
        self._clipboard = display.intern_atom("CLIPBOARD")
        self._targets = display.intern_atom("TARGETS")
        self._texts = [display.intern_atom(name) for name in _TEXT_TARGETS]
        self._inbox = display.intern_atom("DESKHAND_SELECTION")
        display.sync()
        return display

    async def lend_text(self, text: str, fetched: Callable[[int], None]) -> None:
        """Offer a text for a paste, until `take_text_back`."""
        if self._return is not None:
            self._return.cancel()
        if self._return is None or not self._ours:
            self._before = await self.read_text()
        self.offer_text(text, fetched)

    def take_text_back(self, *, pasted: bool) -> None:
        """Restore the previous content a little later. A program that is late for a paste that was given up gets
        nothing: neither the text nor what the user had copied."""
        if not pasted:
            self._text = None
        self._return = asyncio.get_running_loop().call_later(_KEEP_S, self._restore_previous)

    def _restore_previous(self) -> None:
        self._return = None
        if self._display is None or not self._ours:
            return
        if self._before is not None:
            self.offer_text(self._before, lambda _client: None)
        else:
            self._text, self._ours = None, False
            request.SetSelectionOwner(
                display=self._display.display, window=X.NONE, selection=self._clipboard, time=X.CurrentTime
            )
            self._display.flush()
            self._process_events()

    def offer_text(self, text: str, fetched: Callable[[int], None]) -> None:
        """Own the selection; `fetched` is called with the X client's id base each time a program fetches the text."""
        display = self._require_display()
        self._text, self._ours, self._fetched = text, True, fetched
        self._window.set_selection_owner(self._clipboard, X.CurrentTime)
        display.flush()
        self._process_events()

    async def read_text(self) -> str | None:
        """Return the clipboard's text; None if nobody owns it, or its owner does not answer."""
        if self._text is not None:
            return self._text
        display = self._require_display()
        self._answer = asyncio.get_running_loop().create_future()
        self._window.convert_selection(self._clipboard, self._texts[0], self._inbox, X.CurrentTime)
        display.flush()
        self._process_events()
        try:
            async with asyncio.timeout(_READ_S):
                return await self._answer
        except TimeoutError:
            return None
        finally:
            self._answer = None

    def _require_display(self) -> Display:
        if self._display is None:
            raise make_gone_error(self._name)
        return self._display

    def _process_events(self) -> None:
        try:
            while (display := self._display) is not None and display.pending_events():
                self._handle_event(display, display.next_event())
                display.flush()
        except DEAD:
            self._disconnect()

    def _handle_event(self, display: Display, event: Event) -> None:
        if isinstance(event, SelectionRequest):
            self._serve_request(display, event)
        elif event.type == X.SelectionClear:
            self._text, self._ours = None, False
        elif isinstance(event, SelectionNotify) and self._answer is not None and not self._answer.done():
            self._answer.set_result(self._read_received() if event.property != X.NONE else None)

    def _read_received(self) -> str | None:
        try:
            value = self._window.get_full_property(self._inbox, X.AnyPropertyType)
        except XError:
            return None
        return bytes(value.value).decode("utf-8", "replace") if value is not None and value.format == 8 else None

    def _serve_request(self, display: Display, asked: SelectionRequest) -> None:
        target, place = asked.target, asked.property or asked.target
        encodings = {**dict.fromkeys(self._texts, "utf-8"), Xatom.STRING: "latin-1"}
        if self._text is None or asked.selection != self._clipboard:
            place = X.NONE
        elif target == self._targets:
            asked.requestor.change_property(place, Xatom.ATOM, 32, [self._targets, *self._texts, Xatom.STRING])
        elif encoding := encodings.get(target):
            asked.requestor.change_property(place, target, 8, self._text.encode(encoding, "replace"))
        else:
            place = X.NONE
        answer = SelectionNotify(
            time=asked.time, requestor=asked.requestor, selection=asked.selection, target=target, property=place
        )
        asked.requestor.send_event(answer)
        display.flush()
        if place != X.NONE and target in encodings:
            self._fetched(asked.requestor.id & ~display.display.info.resource_id_mask)

    async def close(self) -> None:
        if self._return is not None:
            self._return.cancel()
        self._disconnect()
