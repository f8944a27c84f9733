"""The browser's keyboard: types text into the focused field and reads it back; presses keys by name."""

import json
from typing import Any

from playwright.async_api import Error

from deskhand.core.actions import Type
from deskhand.core.errors import ActionFailed, NotPossible, TextNotTyped
from deskhand.devices.browser.documents import Document
from deskhand.devices.browser.popups import choose_option_named, require_files
from deskhand.devices.browser.tab import Tab

READ_BACK_MS = 400
_AT_ONCE = 4_000
_SHOWN = 80

_NAMES = {
    "return": "Enter", "enter": "Enter", "esc": "Escape", "escape": "Escape", "tab": "Tab", "space": "Space",
    "spacebar": "Space", "backspace": "Backspace", "back_space": "Backspace", "delete": "Delete", "del": "Delete",
    "insert": "Insert", "home": "Home", "end": "End", "pageup": "PageUp", "page_up": "PageUp", "pgup": "PageUp",
    "pagedown": "PageDown", "page_down": "PageDown", "pgdn": "PageDown", "up": "ArrowUp", "down": "ArrowDown",
    "left": "ArrowLeft", "right": "ArrowRight", "arrowup": "ArrowUp", "arrowdown": "ArrowDown",
    "arrowleft": "ArrowLeft", "arrowright": "ArrowRight", "ctrl": "Control", "control": "Control", "alt": "Alt",
    "option": "Alt", "shift": "Shift", "meta": "Meta", "win": "Meta", "cmd": "Meta", "command": "Meta",
    "super": "Meta", "plus": "+", "minus": "-", "comma": ",", "period": ".", "slash": "/", "menu": "ContextMenu",
    **{f"f{number}": f"F{number}" for number in range(1, 13)},
}  # fmt: skip
_MODIFIERS = {"Control", "Alt", "Shift", "Meta"}


def to_key_name(name: str) -> str:
    """Return the browser's name of a key; raises NotPossible if there is no such key."""
    if name == " ":
        return "Space"
    if len(name) == 1:
        return name
    if known := _NAMES.get(name.strip().lower()):
        return known
    raise NotPossible(f'There is no key "{name}": use a name such as Enter, Escape, Tab, PageDown, ArrowLeft, F5, a.')


def to_key_combination(keys: tuple[str, ...]) -> str:
    """Return `("ctrl", "shift", "a")` as one press, with the modifiers first."""
    names = [to_key_name(key) for key in keys]
    held = [name for name in names if name in _MODIFIERS]
    struck = [name for name in names if name not in _MODIFIERS]
    if len(struck) > 1:
        raise NotPossible(f"Press one key with the modifiers at a time, not {' and '.join(struck)} together.")
    if struck and held and len(struck[0]) == 1:
        struck = [struck[0].upper() if "Shift" in held else struck[0].lower()]
    return "+".join(held + struck)


class BrowserKeyboard:
    def __init__(self, tab: Tab) -> None:
        self._tab = tab

    async def press_keys(self, keys: str) -> None:
        board = self._tab.page.keyboard
        if len(keys) == 1 and not keys.isascii():
            await self._tab.wait_unless_dialog(board.insert_text(keys), f"the key {keys}")
            return
        try:
            await self._tab.wait_unless_dialog(board.press(keys), f"the key {keys}")
        except Error as error:
            if "Unknown key" in str(error):
                raise NotPossible(f'There is no key "{keys}": use a key of a US keyboard.') from None
            raise

    async def type_text(self, action: Type) -> str:
        text = action.text.replace("\r\n", "\n")
        document, field = await self._tab.documents.find_focus(text, action.clear_first)
        match field["kind"]:
            case "text" | "editable":
                said = await self._write_text(document, field, text, action.clear_first)
            case "sink":
                said = await self._write_into_sink(document, text, action.clear_first)
            case "select":
                said = await choose_option_named(document, action.text)
            case "valued":
                said = await self._assign_value(document, field, action.text)
            case "file":
                said = await self._attach_files(document, action.text)
            case "fixed":
                name = f' "{field["name"]}"' if field["name"] else ""
                raise ActionFailed(f"The field{name} is read-only: nothing was typed.")
            case _:
                raise ActionFailed("No field has the focus: click the field that the text is for, then type.")
        if action.press_enter:
            await self.press_keys("Enter")
        return said

    async def _write_text(self, document: Document, field: dict[str, Any], text: str, clear: bool) -> str:
        if field["most"] == 1 and len(text) > 1 and not field["value"]:
            return await self._write_cells(document, text)
        wanted: list[str] = field["wanted"]
        if clear:
            await self._select_all(document, field)
            if not text:
                await self.press_keys("Delete")
        if text and field["kind"] == "editable":
            if await self._paste_exactly(document, field, text, clear):
                return ""
            await self._insert_lines(text)
        elif text:
            await self._insert_text(text)
        read_back = f"deskhand.readBack({json.dumps(wanted)}, {READ_BACK_MS})"
        held = await document.cdp.evaluate_in(document.frame, read_back)
        if held not in wanted and (field["exact"] or clear or not _is_added(field["value"], held, text)):
            raise TextNotTyped(_describe_difference(field, wanted[0], held))
        return ""

    async def _select_all(self, document: Document, field: dict[str, Any]) -> None:
        """Select everything. An editor has its own idea of what is selected, so it gets the keys for it."""
        await document.cdp.evaluate_in(document.frame, "deskhand.selectAll()")
        if field["kind"] == "editable" and field["value"]:
            await self.press_keys("Control+a")

    async def _insert_lines(self, text: str) -> None:
        """Insert line by line with Enter between: some editors drop a line end inside of a text."""
        first, *others = text.split("\n")
        if first:
            await self._insert_text(first)
        for line in others:
            await self.press_keys("Enter")
            if line:
                await self._insert_text(line)

    async def _paste_exactly(self, document: Document, field: dict[str, Any], text: str, clear: bool) -> bool:
        """Paste into an editor that takes pastes itself: it closes brackets, indents and curls quotes that are typed.

        False if the text has yet to be typed.
        """
        ways = [(text,), tuple(text.split("\n"))]
        if "\n\n" in text and field["paragraphs"]:
            ways.reverse()  # editors of paragraphs drop the empty lines of a paste
        for parts in dict.fromkeys(ways):
            if not await self._paste_parts(document, parts):
                return False
            lines = await self._read_lines(document, field, text, clear)
            if lines is None:
                return True
            if clear:
                await self._select_all(document, {**field, "value": lines})
            elif lines != field["lines"]:
                raise TextNotTyped(_describe_difference(field, field["lines"] + text, lines))
        return False

    async def _paste_parts(self, document: Document, parts: tuple[str, ...]) -> bool:
        for number, part in enumerate(parts):
            if number:
                await self.press_keys("Enter")
            if part and not await document.cdp.evaluate_in(document.frame, f"deskhand.paste({json.dumps(part)})"):
                return False
        return True

    async def _read_lines(self, document: Document, field: dict[str, Any], text: str, clear: bool) -> str | None:
        """Return the lines that an editor draws; None if they are just what they should be."""
        before = "" if clear else field["lines"]
        drawn = (before + text).replace("\u00a0", " ")
        call = f"deskhand.readDrawn({json.dumps(drawn)}, {READ_BACK_MS})"
        lines: str = await document.cdp.evaluate_in(document.frame, call)
        if lines == drawn or (not clear and _is_added(before, lines, text)):
            return None
        # A long text is drawn in part only; what would be copied is all of it.
        return None if clear and await self._copy_all(document, text) == text else lines

    async def _copy_all(self, document: Document, wanted: str) -> str:
        """Return what an editor holds, by what it would copy; the caret is at its end then."""
        await self.press_keys("Control+a")
        call = f"deskhand.readCopied({json.dumps(wanted)}, {READ_BACK_MS})"
        held: str = await document.cdp.evaluate_in(document.frame, call)
        await self.press_keys("ArrowRight")
        return held

    async def _write_into_sink(self, document: Document, text: str, clear: bool) -> str:
        """Type into an editor that catches keys in a hidden field; its copy, or what it shows, tells if it got them."""
        if clear:
            await self.press_keys("Control+a")
            await self.press_keys("Delete")
        if text and not await document.cdp.evaluate_in(document.frame, f"deskhand.paste({json.dumps(text)})"):
            # At once: an editor indents the lines that are typed one by one.
            await self._tab.send_calls(("Input.insertText", {"text": text}))
        await self._require_written(document, text, clear)
        return ""

    async def _require_written(self, document: Document, text: str, clear: bool) -> None:
        # What is drawn comes first: an editor that is still at it would lose what is selected for the copy.
        call = f"deskhand.readShown({json.dumps(text)}, {READ_BACK_MS})"
        result = await document.cdp.evaluate_in(document.frame, call)
        if result["holds"] and not clear:
            return
        held = await self._copy_all(document, text)
        if text and (held == text or (not clear and text in held)):
            return
        if held.strip("\n") or not result["holds"] or (result["shown"] and not text):
            shown = (held or result["shown"])[:_SHOWN]
            raise TextNotTyped(f'The editor holds "{shown}" instead of the text that was typed.')

    async def _insert_text(self, text: str) -> None:
        """Insert all at once, but the last letter by a key: some pages read the field only when a key goes up."""
        head, last = (text[:-1], text[-1]) if text[-1].isascii() and text[-1].isprintable() else (text, "")
        for start in range(0, len(head), _AT_ONCE):  # in parts, so that typing can be stopped
            await self._tab.send_calls(("Input.insertText", {"text": head[start : start + _AT_ONCE]}))
        if last:
            await self._tab.wait_unless_dialog(
                self._tab.page.keyboard.press("Space" if last == " " else last), "the last key"
            )

    async def _write_cells(self, document: Document, text: str) -> str:
        """Type a code into cells of one letter each, key by key: the page itself moves the focus on."""
        await document.cdp.evaluate_in(document.frame, "void (deskhand.first = deskhand.field)")
        for letter in text:
            await self.press_keys("Space" if letter == " " else letter)
        held = await document.cdp.evaluate_in(document.frame, "deskhand.cells()")
        if held != text:
            raise TextNotTyped(
                f"The cells hold {len(held)} of {len(text)} letters: click each cell and type its letter."
            )
        return ""

    async def _assign_value(self, document: Document, field: dict[str, Any], text: str) -> str:
        result = await document.cdp.evaluate_in(document.frame, f"deskhand.assign({json.dumps(text)})")
        if result["held"] != result["wanted"]:
            raise TextNotTyped(f'This field does not accept "{text}": type it as {field["format"]}.')
        if key := result.get("key"):
            await self.press_keys(key)
            held = await document.cdp.evaluate_in(document.frame, "deskhand.held()")
            if held != result["held"]:
                raise TextNotTyped(f"The slider holds {held} instead of {result['held']}.")
        return f"holds {result['held']}"

    async def _attach_files(self, document: Document, text: str) -> str:
        files = require_files(text)
        held = await document.cdp.evaluate_in(document.frame, "deskhand.field", by_value=False)
        paths = [str(file.resolve()) for file in files]
        await document.cdp.send_command("DOM.setFileInputFiles", {"files": paths, "objectId": held["objectId"]})
        return f"chose {', '.join(file.name for file in files)}"


def _is_added(before: str, held: str, text: str) -> bool:
    """True if the field got the text and nothing else. Where the caret was is unknown."""
    return text in held and len(held) == len(before) + len(text)


def _describe_difference(field: dict[str, Any], wanted: str, held: str) -> str:
    name = f' "{field["name"]}"' if field["name"] else ""
    if field["password"]:
        return f"The field{name} holds {len(held)} characters instead of {len(wanted)}."
    shown = held if len(held) <= _SHOWN else held[:_SHOWN] + "…"
    return (
        f'The field{name} holds "{shown}" ({len(held)} characters) instead of the {len(wanted)} that should be there.'
    )
