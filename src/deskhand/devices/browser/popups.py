"""The browser's own pop-ups: dialogs, file choosers, opened select boxes. Each lays itself out and takes answers.

`popup_actions` turns actions into answers, `popup_panel` draws.
"""

import json
from pathlib import Path
from typing import Any, ClassVar, Protocol

from playwright.async_api import Dialog, FileChooser

from deskhand.core.errors import ActionFailed, TextNotTyped
from deskhand.core.geometry import Rect
from deskhand.core.screen import FILE_HINT
from deskhand.devices.browser.documents import Document
from deskhand.devices.browser.popup_panel import PanelPart, lay_out_dialog, lay_out_list

YES, NO = "yes", "no"


class Popup(Protocol):
    """If `modal`, nothing else can be done before it is answered. An answer closes it."""

    modal: bool

    def lay_out(self, size: tuple[int, int], scale: float) -> list[PanelPart]: ...
    async def answer(self, answer: str) -> str: ...
    async def write_text(self, text: str, clear: bool) -> str:
        """Type text into it; return a few words for the user, may be empty."""
        ...

    def move_choice(self, steps: int) -> None:
        """Move up or down in a list, as the arrow keys do; without a list, nothing moves."""


class DialogPopup(Popup):
    """alert, confirm, prompt and beforeunload."""

    modal = True
    _ANSWERS: ClassVar = {"alert": (("OK", YES),), "beforeunload": (("Leave", YES), ("Stay", NO))}

    def __init__(self, dialog: Dialog) -> None:
        self._dialog = dialog
        self.message = dialog.message or ("Leave this page?" if dialog.type == "beforeunload" else "")
        self._text = dialog.default_value if dialog.type == "prompt" else None

    @property
    def asks_to_leave(self) -> bool:
        return self._dialog.type == "beforeunload"

    def lay_out(self, size: tuple[int, int], scale: float) -> list[PanelPart]:
        answers = self._ANSWERS.get(self._dialog.type, (("OK", YES), ("Cancel", NO)))
        return lay_out_dialog(size, scale, self.message, self._text, answers)

    async def answer(self, answer: str) -> str:
        if answer == NO:
            await self._dialog.dismiss()
        else:
            await self._dialog.accept(self._text)
        return ""

    async def write_text(self, text: str, clear: bool) -> str:
        if self._text is None:
            raise ActionFailed(f'The dialog "{self.message}" has no text field: click one of its buttons.')
        # As in a browser: a prompt's default text is selected, so typing replaces it.
        self._text = text if clear or self._text == self._dialog.default_value else self._text + text
        return ""


class FilePopup(Popup):
    """A file chooser: paths are typed, one a line."""

    modal = True

    def __init__(self, chooser: FileChooser) -> None:
        self._chooser = chooser
        self._text = ""
        several = chooser.is_multiple()
        self.message = "Choose files: type their paths, one a line" if several else "Choose a file: type its path"

    def lay_out(self, size: tuple[int, int], scale: float) -> list[PanelPart]:
        return lay_out_dialog(size, scale, self.message, self._text, (("Open", YES), ("Cancel", NO)), FILE_HINT)

    async def answer(self, answer: str) -> str:
        if answer == NO:
            return "no file was chosen"
        files = require_files(self._text)
        if len(files) > 1 and not self._chooser.is_multiple():
            raise ActionFailed("This page accepts only one file: type one path.")
        await self._chooser.set_files(files)
        return f"chose {', '.join(file.name for file in files)}"

    async def write_text(self, text: str, clear: bool) -> str:
        self._text = text if clear else self._text + text
        return ""


def require_files(text: str) -> list[Path]:
    """Return the files that the lines name; raises ActionFailed if one does not exist."""
    files = [Path(line.strip()).expanduser() for line in text.splitlines() if line.strip()]
    for file in files:
        if not file.is_file():
            raise ActionFailed(f"The file {file} was not found: type the path of an existing file.")
    if not files:
        raise ActionFailed("Type the path of a file first.")
    return files


class SelectPopup(Popup):
    """An opened select box."""

    modal = False

    def __init__(self, document: Document, anchor: Rect, facts: dict[str, Any]) -> None:
        self._document = document
        self._anchor = anchor
        self._rows = [
            PanelPart("item", anchor, option["label"], answer=str(option["index"]), enabled=option["enabled"])
            for option in facts["options"]
        ]
        self._chosen = max(0, facts["selected"])

    def lay_out(self, size: tuple[int, int], scale: float) -> list[PanelPart]:
        return lay_out_list(size, scale, self._anchor, self._rows, self._chosen)

    async def answer(self, answer: str) -> str:
        if answer == NO:
            return ""
        index = self._chosen if answer == YES else int(answer)
        if not self._rows[index].enabled:
            raise ActionFailed(f'The option "{self._rows[index].text}" is disabled: choose another.')
        return f'chose "{await choose_option(self._document, index)}"'

    async def write_text(self, text: str, clear: bool) -> str:
        del clear
        return await choose_option_named(self._document, text)

    def move_choice(self, steps: int) -> None:
        self._chosen = max(0, min(len(self._rows) - 1, self._chosen + steps))


async def choose_option(document: Document, index: int) -> str:
    return await document.cdp.evaluate_in(document.frame, f"deskhand.choose({index})")


async def choose_option_named(document: Document, words: str) -> str:
    """Choose the option with this label in the select box that has the focus."""
    wanted = json.dumps(words)
    index = await document.cdp.evaluate_in(document.frame, f"deskhand.optionFor({wanted})")
    if index < 0:
        facts = await document.cdp.evaluate_in(document.frame, "deskhand.options(false)")
        known = ", ".join(f'"{option["label"]}"' for option in facts["options"][:20])
        raise TextNotTyped(f'The select box has no option "{words}". Its options: {known}.')
    return f'chose "{await choose_option(document, index)}"'
