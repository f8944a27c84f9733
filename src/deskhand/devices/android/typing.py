"""Types text into the focused field by the first way that works, and reads back what stands there.

The ways: key events (ASCII), ADBKeyboard (any text; the person's own keyboard is put back), the clipboard.
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
from deskhand.core.errors import ActionFailed, DeviceFault, NoElements, TextNotTyped
from deskhand.core.protocols import Clock
from deskhand.core.screen import Element
from deskhand.devices.android.keys import BACKSPACE, CTRL, ENTER, LETTER_A, MOVE_END, PASTE, TAB
from deskhand.devices.android.phone_shell import Line

ADB_KEYBOARD = re.compile(r"^\S*adbkeyboard\S*$", re.MULTILINE | re.IGNORECASE)
CHUNK = 200
KEYBOARD_S = 3.0
POLL_S = 0.1
READS = 3
COMBINATIONS_SINCE = 31

Look = Callable[[], Awaitable[tuple[Element, ...]]]
Way = Callable[[str, "Target"], Awaitable["str | None"]]


@dataclass(frozen=True, slots=True)
class Target:
    """The field that is typed into. `element` is None when it can't be seen, and then nothing can be read back."""

    element: Element | None
    before: str = ""
    wanted: str = ""

    @property
    def password(self) -> bool:
        return self.element is not None and self.element.password


class NotHere(Exception):
    """This phone does not have this way of typing."""


class Typist:
    """Types on one phone; `look` lists its elements."""

    def __init__(self, line: Line, clock: Clock, look: Look, sdk: int) -> None:
        self._line = line
        self._clock = clock
        self._look = look
        self._sdk = sdk
        self._restoring: set[asyncio.Task[None]] = set()

    async def type(self, action: Type, seen: tuple[Element, ...] | None = None) -> str:
        """`seen` are elements that were read after the last action, if there are any."""
        await self.settle_keyboard()
        element = await self._field(seen)
        before = element.value if element else ""
        if action.clear_first and (element is None or before):
            element = await self._clear(element)
            before = ""
        note = ""
        if action.text:
            await self._climb(action.text, Target(element, before, before + action.text))
            note = "" if element else "typed, but it could not be read back"
        if action.press_enter:
            await self._line.keys(ENTER)
        return note

    async def settle_keyboard(self) -> None:
        """Wait until a keyboard that an abandoned call was putting back is back."""
        if self._restoring:
            await asyncio.wait(self._restoring)

    # --- the ladder ---------------------------------------------------------------------------------------------

    async def _climb(self, text: str, target: Target) -> None:
        ways: list[Way] = [self._by_adb_keyboard, self._by_clipboard]
        if _printable(text):
            ways.insert(0, self._by_keys)
        found: str | None = target.before
        tried = False
        for way in ways:
            if tried and target.password and target.before:
                break  # what stood there before can't be read, so it can't be typed again
            if tried and (found != target.before or not target.before):
                # Half of it arrived, or all of it where it can't be read: start over with the whole.
                await self._clear(target.element)
                text = target.wanted
            try:
                found = await way(text, target)
            except NotHere:
                continue
            tried = True
            if target.element is None or (found is not None and matches(target, text, found)):
                return
        raise TextNotTyped(_complaint(text, target, found, tried))

    async def _by_keys(self, text: str, target: Target) -> str | None:
        for piece in key_pieces(text):
            if piece in "\n\t":
                await self._line.keys(ENTER if piece == "\n" else TAB)
            else:
                await self._line.do(f"input text {shlex.quote(piece.replace(' ', '%s'))}")
        return await self._read(target, text)

    async def _by_adb_keyboard(self, text: str, target: Target) -> str | None:
        async with self._adb_keyboard():
            packed = base64.b64encode(text.encode()).decode()
            await self._line.do(f"am broadcast -a ADB_INPUT_B64 --es msg {packed}")
            return await self._read(target, text)

    async def _by_clipboard(self, text: str, target: Target) -> str | None:
        """Android's own shell can't fill the clipboard; the Clipper app can."""
        said = await self._line.text(f"am broadcast -a clipper.set -e text {shlex.quote(text)}")
        if "result=-1" not in said:
            raise NotHere
        await self._line.keys(PASTE)
        return await self._read(target, text)

    # --- ADBKeyboard ----------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _adb_keyboard(self) -> AsyncGenerator[None]:
        """Switch to ADBKeyboard and back, whatever happens meanwhile."""
        found = ADB_KEYBOARD.search(await self._line.text("ime list -a -s"))
        if not found:
            raise NotHere
        keyboard = shlex.quote(found[0])
        old = await self._line.text("settings get secure default_input_method")
        try:
            switched = await self._line.run(f"ime enable {keyboard} && ime set {keyboard}")
            if switched.code or not await self._is_active(found[0]):
                raise NotHere  # some makers deny it
            yield
        finally:
            if old not in (found[0], "", "null"):
                await self._put_back(old)

    async def _is_active(self, keyboard: str) -> bool:
        deadline = self._clock.now() + KEYBOARD_S
        while self._clock.now() < deadline:
            said = await self._line.text("dumpsys input_method | grep -E 'mCurId=|mCurMethodId='")
            if f"mCurId={keyboard}" in said and f"mCurMethodId={keyboard}" in said:
                return True
            await self._clock.sleep(POLL_S)
        return False

    async def _put_back(self, keyboard: str) -> None:
        """In a task of its own: a cancelled caller leaves at once, the keyboard is restored all the same."""
        task = asyncio.ensure_future(self._restore(keyboard))
        self._restoring.add(task)
        task.add_done_callback(self._restoring.discard)
        current = asyncio.current_task()
        if current is None or not current.cancelling():
            await asyncio.shield(task)

    async def _restore(self, keyboard: str) -> None:
        with contextlib.suppress(DeviceFault):  # gone or denied: the next call says so
            await self._line.run(f"ime set {shlex.quote(keyboard)}")

    # --- reading and clearing -------------------------------------------------------------------------------------

    async def _field(self, seen: tuple[Element, ...] | None) -> Element | None:
        """The focused field; None when it can't be seen; raises ActionFailed when there is none."""
        field = focused(seen or ())
        if field is not None:
            return field
        try:
            field = focused(await self._look())
        except NoElements:
            return None
        if field is None and "mInputShown=true" not in await self._line.text("dumpsys input_method"):
            raise ActionFailed("No text field has the focus: click the field first.")
        return field

    async def _read(self, target: Target, text: str) -> str | None:
        """What the field holds now; looked at again while nothing has arrived in it yet."""
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
            field = focused(elements) or _same(target.element, elements)
            found = field.value if field else None
            if found is not None and matches(target, text, found):
                break
        return found

    async def _clear(self, element: Element | None) -> Element | None:
        """Empty the field by select-all, and by one deletion a character where that does not work."""
        if self._sdk >= COMBINATIONS_SINCE:
            await self._line.do(f"input keycombination {CTRL} {LETTER_A} && input keyevent {BACKSPACE}")
            if element is None:
                return None
            with contextlib.suppress(NoElements):
                element = focused(await self._look()) or element
        count = len(element.value) if element else CHUNK
        for start in range(0, count, CHUNK):
            await self._line.keys(MOVE_END, *[BACKSPACE] * min(CHUNK, count - start))
        return element


def key_pieces(text: str) -> list[str]:
    """Text as `input text` can take it: no line ends or tabs, not too long, and never `%s`, which means a blank."""
    pieces: list[str] = []
    for part in re.split(r"(\n|\t)", text.replace("\r\n", "\n")):
        for piece in re.split(r"(?<=%)(?=s)", part):
            pieces += [piece[start : start + CHUNK] for start in range(0, len(piece), CHUNK)]
    return pieces


def _printable(text: str) -> bool:
    return all(" " <= char <= "~" or char in "\n\t\r" for char in text)


def focused(elements: tuple[Element, ...]) -> Element | None:
    return next((each for each in elements if each.focused and each.editable), None)


def _same(field: Element, elements: tuple[Element, ...]) -> Element | None:
    """The field again after it lost the focus."""
    fields = [each for each in elements if each.editable]
    return next((each for each in fields if each.id == field.id and each.bounds == field.bounds), None)


def matches(target: Target, text: str, found: str) -> bool:
    """Whether the field holds what was typed: after, within or instead of what it held before."""
    if target.password:
        return len(found) in (len(target.before) + len(text), len(text))
    wanted, whole, got = _plain(text), _plain(target.wanted), _plain(found)
    hint = _plain(target.element.hint) if target.element else ""
    if got in (whole, wanted, hint + wanted) or (not got and wanted == hint):  # a text equal to the hint reads as none
        return True
    if re.fullmatch(r"[\d+]+", wanted):  # phone and card numbers are shown in groups
        got, wanted, whole = (re.sub(r"[^\d+]", "", each) for each in (got, wanted, whole))
        return got in (whole, wanted)
    before = _plain(target.before)
    at = got.find(wanted)
    while at >= 0:
        if got[:at] + got[at + len(wanted) :] == before:
            return True
        at = got.find(wanted, at + 1)
    return False


def _plain(text: str) -> str:
    """One-line fields show line ends as blanks, and some keyboards add one at the end."""
    return re.sub(r"\s", " ", text.replace("\r\n", "\n")).strip()


def _complaint(text: str, target: Target, found: str | None, tried: bool) -> str:
    if not tried:
        what = "This password" if target.password else repr(text)
        return f"{what} can't be typed on this phone: install ADBKeyboard on it and allow adb to change the keyboard."
    if target.password:
        return f"The password field holds {len(found or '')} characters instead of {len(target.wanted)}."
    return (
        f"The field was to hold {target.wanted!r} but holds {found!r}."
        if found is not None
        else (f"The field was to hold {target.wanted!r} but can't be found any more.")
    )
