"""Typing text so that it is there: by keys or by paste, whichever the program takes, and read back where it can be."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from deskhand.core.actions import Type
from deskhand.core.errors import TextNotTyped
from deskhand.core.protocols import Clock
from deskhand.devices.desktop.atspi import Node
from deskhand.devices.desktop.clipboard import LARGEST, Clipboard
from deskhand.devices.desktop.elements import PASSWORD, TERMINAL, is_field
from deskhand.devices.desktop.keys import chord_of
from deskhand.devices.desktop.pointer_and_keyboard import Keyboard
from deskhand.devices.desktop.windows import WindowInfo
from deskhand.devices.desktop.x_connection import XThread

# Programs in which Ctrl+V is a character, not a paste.
_TERMINALS = ("xterm", "uxterm", "rxvt", "urxvt", "kitty", "alacritty", "konsole", "terminal", "tilix", "st-256color")
# Beyond this, keys take longer than a paste, and editors meddle with them (indentation, completion).
_SHORT = 120
# What is typed by keys in place of a paste that nobody fetched; more would keep the program busy for minutes.
_MOST_KEYS = 2_000
_FETCH_S = 5.0
_READ_BACK_S = 3.0
_POLL_S = 0.01
# How long a program may take to read the new keyboard map before its keycodes get new characters again.
_REMAP_S = 0.4
# Programs on the accessibility bus select all by Ctrl+A (a Qt line ignores Ctrl+Home); in Tk that goes to the start.
_SELECT_ALL = ("ctrl+a",)
_SELECT_ALL_ELSEWHERE = ("ctrl+Home", "ctrl+shift+End")


@dataclass(frozen=True)
class Field:
    """What has the keyboard: the window, and its text field with a way to read it, as far as they are known."""

    window: WindowInfo
    node: Node | None
    read: Callable[[], Awaitable[str | None]]
    selection: Callable[[], Awaitable[tuple[int, int] | None]]
    look_again: Callable[[], Awaitable[Field]]

    @property
    def terminal(self) -> bool:
        app = self.window.app.casefold()
        if self.node is not None and self.node.role == TERMINAL:
            return True
        return any(app == name or app.endswith("-" + name) for name in _TERMINALS)

    @property
    def readable(self) -> bool:
        return self.node is not None and is_field(self.node) and "Text" in self.node.interfaces

    @property
    def masked(self) -> bool:
        return self.node is not None and self.node.role == PASSWORD


class Typist:
    """Types into whatever has the keyboard."""

    def __init__(self, x: XThread, keyboard: Keyboard, clipboard: Clipboard, clock: Clock) -> None:
        self._x = x
        self._keyboard = keyboard
        self._clipboard = clipboard
        self._clock = clock

    async def type(self, action: Type, field: Field) -> str:
        text = action.text.replace("\r\n", "\n").replace("\r", "\n")
        if action.clear_first:
            await self._clear(field)
        before = await field.read() if field.readable else None
        replaced = await field.selection() if before is not None else None
        if text:
            await self._enter(text, field, before)
        told = await self._verified(text, field, before, replaced)
        if action.press_enter:
            await self.press("Return")
        return told

    async def press(self, *names: str) -> None:
        keysyms = chord_of(names)
        await self._x.run(lambda display: self._keyboard.chord(display, keysyms))

    async def _clear(self, field: Field) -> None:
        if field.terminal:
            await self.press("ctrl+u")
            return
        for chord in (*(_SELECT_ALL if field.node is not None else _SELECT_ALL_ELSEWHERE), "BackSpace"):
            await self.press(chord)
        if field.readable and (left := await self._awaited(field, lambda held: held == "")):
            raise TextNotTyped(f"The field could not be emptied first: it still holds {_short(left)}.")

    async def _enter(self, text: str, field: Field, before: str | None) -> None:
        plain = text.isascii() and text.isprintable()
        no_field = field.node is not None and not is_field(field.node)
        if field.terminal or (len(text) <= _SHORT and (plain or no_field)):
            await self._write(text)
            return
        for start in range(0, len(text), LARGEST):
            if await self._paste(text[start : start + LARGEST], field):
                continue
            if before is not None and await field.read() != before:
                continue  # it is at it; reading back waits for the rest
            if start or len(text) > _MOST_KEYS:
                raise TextNotTyped("The program did not take a paste, and the text is too long for keys.")
            await self._write(text)
            return

    async def _paste(self, text: str, field: Field) -> bool:
        """Ctrl+V with our selection; whether the window's program fetched it."""
        fetched = asyncio.Event()

        def taken(client: int) -> None:
            # A clipboard manager fetches it too, so only the window's own program counts.
            if client == field.window.client:
                fetched.set()

        await self._clipboard.lend(text, taken)
        try:
            await self.press("ctrl+v")
            async with asyncio.timeout(_FETCH_S):
                await fetched.wait()
        except TimeoutError:
            return False
        finally:
            self._clipboard.take_back(pasted=fetched.is_set())
        return True

    async def _write(self, text: str) -> None:
        pieces = await self._x.run(lambda display: self._keyboard.batches(display, text))
        for number, piece in enumerate(pieces):
            if number:
                await self._clock.sleep(_REMAP_S)
            # In small parts, so that typing can be stopped.
            for start in range(0, len(piece), _SHORT):
                part = piece[start : start + _SHORT]
                await self._x.run(lambda display, part=part: self._keyboard.write(display, part))

    async def _verified(self, text: str, field: Field, before: str | None, replaced: tuple[int, int] | None) -> str:
        if before is None:
            return "not read back: " + ("a terminal" if field.terminal else "no text field here tells what it holds")
        if not text:
            return ""

        def there(held: str) -> bool:
            return len(held) >= len(text) if field.masked else holds(held, text, before, replaced)

        held = await self._awaited(field, there)
        if held is not None and not await self._landed_elsewhere(text, field):
            # What a masked field holds is not told; neither is a text that may be a secret.
            told = "something else" if field.masked else _short(held)
            raise TextNotTyped(f"The text was typed, but the field holds {told}.")
        return "read back"

    async def _landed_elsewhere(self, text: str, field: Field) -> bool:
        """A program may tell of its new focus only after it was asked, while the keys went to the right field."""
        now = await field.look_again()
        if now.node is None or field.node is None or now.node.ref == field.node.ref or not now.readable:
            return False
        held = await now.read() or ""
        return len(held) >= len(text) if now.masked else text in held

    async def _awaited(self, field: Field, wanted: Callable[[str], bool]) -> str | None:
        """None once the field holds what is wanted, else what it held when patience ran out."""
        deadline = self._clock.now() + _READ_BACK_S
        while True:
            held = await field.read() or ""
            if wanted(held):
                return None
            if self._clock.now() >= deadline:
                return held
            await self._clock.sleep(_POLL_S)


def holds(after: str, text: str, before: str, replaced: tuple[int, int] | None) -> bool:
    """Whether `after` is `before` with the text in place of what was selected.

    Where the selection is not known (or counted in other units: Qt counts an emoji as two), any place will do,
    as long as something changed: a field that already held the text proves nothing.
    """
    if replaced is not None and after == before[: replaced[0]] + text + before[replaced[1] :]:
        return True
    return after != before and _inserted(before, text, after)


def _inserted(before: str, text: str, after: str) -> bool:
    at = after.find(text)
    while at >= 0:
        head, tail = after[:at], after[at + len(text) :]
        if before.startswith(head) and before.endswith(tail) and len(head) + len(tail) <= len(before):
            return True
        at = after.find(text, at + 1)
    return False


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "…")
