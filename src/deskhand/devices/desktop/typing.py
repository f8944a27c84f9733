"""Types text by keys or by paste, whichever the program accepts, and reads it back if it can."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from deskhand.core.actions import READ_BACK, Type
from deskhand.core.errors import TextNotTyped
from deskhand.core.protocols import Clock
from deskhand.devices.desktop.accessible_node import AccessibleNode
from deskhand.devices.desktop.clipboard import LARGEST, DesktopClipboard
from deskhand.devices.desktop.elements import PASSWORD, TERMINAL, is_field
from deskhand.devices.desktop.keyboard import DesktopKeyboard
from deskhand.devices.desktop.keys import chord_of
from deskhand.devices.desktop.windows import WindowInfo
from deskhand.devices.desktop.x_connection import XThread

# Programs in which Ctrl+V types a character instead of pasting.
_TERMINALS = ("xterm", "uxterm", "rxvt", "urxvt", "kitty", "alacritty", "konsole", "terminal", "tilix", "st-256color")
# Longer texts take more time by keys than by paste, and editors change them (indentation, completion).
_SHORT = 120
# Longest text typed by keys if a paste was not fetched; a longer one would keep the program busy for minutes.
_MOST_KEYS = 2_000
_FETCH_S = 5.0
_READ_BACK_S = 3.0
_POLL_S = 0.01
# How long a program may take to read the new keyboard map before keycodes are remapped again.
_REMAP_S = 0.4
# Programs on the accessibility bus select all by Ctrl+A (a Qt line ignores Ctrl+Home); in Tk it moves to the start.
_SELECT_ALL = ("ctrl+a",)
_SELECT_ALL_ELSEWHERE = ("ctrl+Home", "ctrl+shift+End")


@dataclass(frozen=True)
class FocusedField:
    """What has the focus: the window and, if known, its text field with functions that read it."""

    window: WindowInfo
    node: AccessibleNode | None
    read: Callable[[], Awaitable[str | None]]
    selection: Callable[[], Awaitable[tuple[int, int] | None]]
    look_again: Callable[[], Awaitable[FocusedField]]

    @property
    def is_terminal(self) -> bool:
        app = self.window.app.casefold()
        if self.node is not None and self.node.role == TERMINAL:
            return True
        return any(app == name or app.endswith("-" + name) for name in _TERMINALS)

    @property
    def is_readable(self) -> bool:
        return self.node is not None and is_field(self.node) and "Text" in self.node.interfaces

    @property
    def is_masked(self) -> bool:
        return self.node is not None and self.node.role == PASSWORD


class DesktopTyper:
    def __init__(self, x: XThread, keyboard: DesktopKeyboard, clipboard: DesktopClipboard, clock: Clock) -> None:
        self._x = x
        self._keyboard = keyboard
        self._clipboard = clipboard
        self._clock = clock

    async def type_text(self, action: Type, field: FocusedField) -> str:
        text = action.text.replace("\r\n", "\n").replace("\r", "\n")
        if action.clear_first:
            await self._clear_field(field)
        before = await field.read() if field.is_readable else None
        replaced = await field.selection() if before is not None else None
        if text:
            await self._enter_text(text, field, before)
        note = await self._verify_text(text, field, before, replaced)
        if action.press_enter:
            await self.press_keys("Return")
        return note

    async def press_keys(self, *names: str) -> None:
        keysyms = chord_of(names)
        await self._x.run_act(lambda display: self._keyboard.press_chord(display, keysyms))

    async def _clear_field(self, field: FocusedField) -> None:
        if field.is_terminal:
            await self.press_keys("ctrl+u")
            return
        for chord in (*(_SELECT_ALL if field.node is not None else _SELECT_ALL_ELSEWHERE), "BackSpace"):
            await self.press_keys(chord)
        if field.is_readable and (left := await self._wait_for_text(field, lambda held: held == "")):
            raise TextNotTyped(f"The field could not be cleared: it still holds {_shorten_text(left)}.")

    async def _enter_text(self, text: str, field: FocusedField, before: str | None) -> None:
        plain = text.isascii() and text.isprintable()
        no_field = field.node is not None and not is_field(field.node)
        if field.is_terminal or (len(text) <= _SHORT and (plain or no_field)):
            await self._write_keys(text)
            return
        for start in range(0, len(text), LARGEST):
            if await self._paste_text(text[start : start + LARGEST], field):
                continue
            if before is not None and await field.read() != before:
                continue  # the paste has begun; reading back waits for the rest
            if start or len(text) > _MOST_KEYS:
                raise TextNotTyped(
                    f"The program did not accept the paste, and the text is too long for keys: "
                    f"type at most {_MOST_KEYS} characters at a time."
                )
            await self._write_keys(text)
            return

    async def _paste_text(self, text: str, field: FocusedField) -> bool:
        """Paste with Ctrl+V; return True if the window's program fetched the text."""
        fetched = asyncio.Event()

        def on_fetched(client: int) -> None:
            # A clipboard manager fetches it, too, so only the window's own program counts.
            if client == field.window.client:
                fetched.set()

        await self._clipboard.lend_text(text, on_fetched)
        try:
            await self.press_keys("ctrl+v")
            async with asyncio.timeout(_FETCH_S):
                await fetched.wait()
        except TimeoutError:
            return False
        finally:
            self._clipboard.take_text_back(pasted=fetched.is_set())
        return True

    async def _write_keys(self, text: str) -> None:
        pieces = await self._x.run_job(lambda display: self._keyboard.split_batches(display, text))
        for number, piece in enumerate(pieces):
            if number:
                await self._clock.sleep(_REMAP_S)
            # In small parts, so that typing can be stopped.
            for start in range(0, len(piece), _SHORT):
                part = piece[start : start + _SHORT]
                await self._x.run_act(lambda display, part=part: self._keyboard.write_text(display, part))

    async def _verify_text(
        self, text: str, field: FocusedField, before: str | None, replaced: tuple[int, int] | None
    ) -> str:
        if before is None:
            return "not read back: " + ("a terminal" if field.is_terminal else "no text field here can be read")
        if not text:
            return ""

        def is_there(held: str) -> bool:
            return len(held) >= len(text) if field.is_masked else holds_text(held, text, before, replaced)

        held = await self._wait_for_text(field, is_there)
        if held is not None and not await self._has_landed_elsewhere(text, field):
            # The content of a masked field is not reported, because it may be a secret.
            content = "something else" if field.is_masked else _shorten_text(held)
            raise TextNotTyped(f"The text was typed, but the field holds {content}.")
        return READ_BACK

    async def _has_landed_elsewhere(self, text: str, field: FocusedField) -> bool:
        """True if the text is in another field: a program may report its new focus late, after the keys went there."""
        now = await field.look_again()
        if now.node is None or field.node is None or now.node.ref == field.node.ref or not now.is_readable:
            return False
        held = await now.read() or ""
        return len(held) >= len(text) if now.is_masked else text in held

    async def _wait_for_text(self, field: FocusedField, wanted: Callable[[str], bool]) -> str | None:
        """Return None once the field holds what is wanted, else what it holds after _READ_BACK_S."""
        deadline = self._clock.now() + _READ_BACK_S
        while True:
            held = await field.read() or ""
            if wanted(held):
                return None
            if self._clock.now() >= deadline:
                return held
            await self._clock.sleep(_POLL_S)


def holds_text(after: str, text: str, before: str, replaced: tuple[int, int] | None) -> bool:
    """True if `after` is `before` with the text in place of the selection.

    If the selection is unknown (or counted in other units: Qt counts an emoji as two), any place will do,
    as long as something changed: a field that already held the text proves nothing.
    """
    if replaced is not None and after == before[: replaced[0]] + text + before[replaced[1] :]:
        return True
    return after != before and _is_inserted(before, text, after)


def _is_inserted(before: str, text: str, after: str) -> bool:
    at = after.find(text)
    while at >= 0:
        head, tail = after[:at], after[at + len(text) :]
        if before.startswith(head) and before.endswith(tail) and len(head) + len(tail) <= len(before):
            return True
        at = after.find(text, at + 1)
    return False


def _shorten_text(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "…")
