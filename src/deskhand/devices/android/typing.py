"""Types text into the focused field by the first method that works, and reads the field back.

Methods: key events (ASCII), ADBKeyboard (any text; the user's own keyboard is restored), the clipboard.
"""

import asyncio
import base64
import contextlib
import re
import shlex
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from deskhand.core.actions import Type
from deskhand.core.errors import ActionFailed, DeviceError, NoElements, TextNotTyped
from deskhand.core.protocols import Clock
from deskhand.core.screen import Element
from deskhand.devices.android.keys import BACKSPACE, CTRL, ENTER, LETTER_A, MOVE_END, PASTE, TAB
from deskhand.devices.android.phone_shell import PhoneShell

ADB_KEYBOARD = re.compile(r"^\S*adbkeyboard\S*$", re.MULTILINE | re.IGNORECASE)
CHUNK = 200
KEYBOARD_S = 3.0
POLL_S = 0.1
READS = 3
COMBINATIONS_SINCE = 31

Look = Callable[[], Awaitable[tuple[Element, ...]]]
TypingMethod = Callable[[str, "TypedField"], Awaitable["str | None"]]


@dataclass(frozen=True, slots=True)
class TypedField:
    """The field that is typed into. `element` is None if it can't be seen; then it can't be read back either."""

    element: Element | None
    before: str = ""
    wanted: str = ""

    @property
    def password(self) -> bool:
        return self.element is not None and self.element.password


class MethodMissing(Exception):
    """This phone does not have this method of typing."""


class AndroidTyper:
    """Types on one phone; `look` reads its elements."""

    def __init__(self, shell: PhoneShell, clock: Clock, look: Look, sdk: int) -> None:
        self._shell = shell
        self._clock = clock
        self._look = look
        self._sdk = sdk
        self._restoring: set[asyncio.Task[None]] = set()

    async def type_text(self, action: Type, seen: tuple[Element, ...] | None = None) -> str:
        """Type into the focused field; `seen` are the elements read since the last action, if any."""
        await self.wait_for_keyboard()
        element = await self._find_field(seen)
        before = element.value if element else ""
        if action.clear_first and (element is None or before):
            element = await self._clear_field(element)
            before = ""
        note = ""
        if action.text:
            await self._try_methods(action.text, TypedField(element, before, before + action.text))
            note = "" if element else "typed, but it could not be read back"
        if action.press_enter:
            await self._shell.press_keys(ENTER)
        return note

    async def wait_for_keyboard(self) -> None:
        """Wait until the keyboard that a cancelled call was restoring is restored."""
        if self._restoring:
            await asyncio.wait(self._restoring)

    # --- methods ------------------------------------------------------------------------------------------------

    async def _try_methods(self, text: str, target: TypedField) -> None:
        methods: list[TypingMethod] = [self._type_by_adb_keyboard, self._type_by_clipboard]
        if all(" " <= char <= "~" or char in "\n\t\r" for char in text):
            methods.insert(0, self._type_by_keys)
        found: str | None = target.before
        tried = False
        for method in methods:
            if tried and target.password and target.before:
                break  # what the field held before can't be read, so it can't be typed again
            if tried and (found != target.before or not target.before):
                # Part of it arrived, or all of it in a field that can't be read: start over with the whole text.
                await self._clear_field(target.element)
                text = target.wanted
            try:
                found = await method(text, target)
            except MethodMissing:
                continue
            tried = True
            if target.element is None or (found is not None and holds_text(target, text, found)):
                return
        raise TextNotTyped(_describe_failure(text, target, found, tried))

    async def _type_by_keys(self, text: str, target: TypedField) -> str | None:
        for piece in split_for_input(text):
            if piece in "\n\t":
                await self._shell.press_keys(ENTER if piece == "\n" else TAB)
            else:
                await self._shell.run_checked(f"input text {shlex.quote(piece.replace(' ', '%s'))}")
        return await self._read_field(target, text)

    async def _type_by_adb_keyboard(self, text: str, target: TypedField) -> str | None:
        async with self._use_adb_keyboard():
            packed = base64.b64encode(text.encode()).decode()
            await self._shell.run_checked(f"am broadcast -a ADB_INPUT_B64 --es msg {packed}")
            return await self._read_field(target, text)

    async def _type_by_clipboard(self, text: str, target: TypedField) -> str | None:
        """Paste the text. Android's own shell can't fill the clipboard; the Clipper app can."""
        said = await self._shell.run_to_end(f"am broadcast -a clipper.set -e text {shlex.quote(text)}")
        if "result=-1" not in said.text:
            raise MethodMissing
        await self._shell.press_keys(PASTE)
        return await self._read_field(target, text)

    # --- ADBKeyboard ----------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _use_adb_keyboard(self) -> AsyncGenerator[None]:
        """Switch to ADBKeyboard for the block, and back at its end in any case."""
        found = ADB_KEYBOARD.search(await self._shell.read_output("ime list -a -s"))
        if not found:
            raise MethodMissing
        keyboard = shlex.quote(found[0])
        old = await self._shell.read_output("settings get secure default_input_method")
        try:
            switched = await self._shell.run_to_end(f"ime enable {keyboard} && ime set {keyboard}")
            if switched.code or not await self._wait_until_active(found[0]):
                raise MethodMissing  # some makers forbid it
            yield
        finally:
            if old not in (found[0], "", "null"):
                await self._restore_keyboard(old)

    async def _wait_until_active(self, keyboard: str) -> bool:
        deadline = self._clock.now() + KEYBOARD_S
        while self._clock.now() < deadline:
            said = await self._shell.read_output("dumpsys input_method | grep -E 'mCurId=|mCurMethodId='")
            if f"mCurId={keyboard}" in said and f"mCurMethodId={keyboard}" in said:
                return True
            await self._clock.sleep(POLL_S)
        return False

    async def _restore_keyboard(self, keyboard: str) -> None:
        """Restore the keyboard in a separate task: a cancelled caller returns at once, and it is restored anyway."""
        task = asyncio.ensure_future(self._set_keyboard(keyboard))
        self._restoring.add(task)
        task.add_done_callback(self._restoring.discard)
        current = asyncio.current_task()
        if current is None or not current.cancelling():
            await asyncio.shield(task)

    async def _set_keyboard(self, keyboard: str) -> None:
        with contextlib.suppress(DeviceError):  # disconnected or denied: the next call raises that
            await self._shell.run_command(f"ime set {shlex.quote(keyboard)}")

    # --- reading and clearing -------------------------------------------------------------------------------------

    async def _find_field(self, seen: tuple[Element, ...] | None) -> Element | None:
        """Return the focused field, or None if it can't be seen; raises ActionFailed if there is none."""
        if field := find_focused(seen or ()):
            return field
        try:
            field = find_focused(await self._look())
        except NoElements:
            return None
        if field is None and "mInputShown=true" not in await self._shell.read_output("dumpsys input_method"):
            raise ActionFailed("No text field has the focus: click a field first, then type.")
        return field

    async def _read_field(self, target: TypedField, text: str) -> str | None:
        """Return what the field holds; reads it up to READS times until it holds the text."""
        if target.element is None:
            return None
        found = None
        for attempt in range(READS):
            if attempt:
                await self._clock.sleep(POLL_S)
            try:
                elements = await self._look()
            except NoElements:
                continue
            field = find_focused(elements) or _find_again(target.element, elements)
            found = field.value if field else None
            if found is not None and holds_text(target, text, found):
                break
        return found

    async def _clear_field(self, element: Element | None) -> Element | None:
        """Empty the field by select-all, else by one deletion per character."""
        if self._sdk >= COMBINATIONS_SINCE:
            await self._shell.run_checked(f"input keycombination {CTRL} {LETTER_A} && input keyevent {BACKSPACE}")
            if element is None:
                return None
            with contextlib.suppress(NoElements):
                element = find_focused(await self._look()) or element
        count = len(element.value) if element else CHUNK
        for start in range(0, count, CHUNK):
            await self._shell.press_keys(MOVE_END, *[BACKSPACE] * min(CHUNK, count - start))
        return element


def split_for_input(text: str) -> list[str]:
    """Split text for `input text`: no line ends or tabs, not too long, and never `%s`, which means a blank."""
    pieces: list[str] = []
    for part in re.split(r"(\n|\t)", text.replace("\r\n", "\n")):
        for piece in re.split(r"(?<=%)(?=s)", part):
            pieces += [piece[start : start + CHUNK] for start in range(0, len(piece), CHUNK)]
    return pieces


def find_focused(elements: tuple[Element, ...]) -> Element | None:
    return next((each for each in elements if each.focused and each.editable), None)


def _find_again(field: Element, elements: tuple[Element, ...]) -> Element | None:
    """Return the same field after it lost the focus."""
    fields = [each for each in elements if each.editable]
    return next((each for each in fields if each.id == field.id and each.bounds == field.bounds), None)


def holds_text(target: TypedField, text: str, found: str) -> bool:
    """True if the field holds what was typed: after, within or instead of what it held before."""
    if target.password:
        return len(found) in (len(target.before) + len(text), len(text))
    wanted, whole, got = _normalize_text(text), _normalize_text(target.wanted), _normalize_text(found)
    hint = _normalize_text(target.element.hint) if target.element else ""
    if got in (whole, wanted, hint + wanted) or (not got and wanted == hint):  # a text equal to the hint reads as ""
        return True
    if re.fullmatch(r"[\d+]+", wanted):  # phone and card numbers are shown in groups
        got, wanted, whole = (re.sub(r"[^\d+]", "", each) for each in (got, wanted, whole))
        return got in (whole, wanted)
    before = _normalize_text(target.before)
    at = got.find(wanted)
    while at >= 0:
        if got[:at] + got[at + len(wanted) :] == before:
            return True
        at = got.find(wanted, at + 1)
    return False


def _normalize_text(text: str) -> str:
    """Replace line ends by blanks, as one-line fields do, and strip the blank some keyboards add at the end."""
    return re.sub(r"\s", " ", text.replace("\r\n", "\n")).strip()


def _describe_failure(text: str, target: TypedField, found: str | None, tried: bool) -> str:
    if not tried:
        what = "This password" if target.password else repr(text)
        return f"{what} can't be typed on this phone: install ADBKeyboard on it and let adb switch to that keyboard."
    if target.password:
        return f"The password field holds {len(found or '')} characters instead of {len(target.wanted)}."
    if found is None:
        return f"The field should hold {target.wanted!r} but can't be found any more."
    return f"The field should hold {target.wanted!r} but holds {found!r}."
