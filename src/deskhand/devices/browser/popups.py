"""The browser's own pop-ups (dialogs, file choosers, opened select boxes) and what answering them means.

Each shows itself as parts of a panel and takes clicks, text and keys as a person would give them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from deskhand.core.errors import ActionFailed, TextNotTyped
from deskhand.core.geometry import Rect
from deskhand.core.screen import FILE_HINT
from deskhand.devices.browser.documents import Document
from deskhand.devices.browser.popup_panel import Part, dialog_parts, list_parts

if TYPE_CHECKING:
    from playwright.async_api import Dialog, FileChooser

YES, NO = "yes", "no"


class Overlay(Protocol):
    """`modal`: nothing else can be done before it is answered. An answer closes it."""

    modal: bool

    def parts(self, size: tuple[int, int], scale: float) -> list[Part]: ...
    async def answer(self, answer: str) -> str: ...
    async def write(self, text: str, clear: bool) -> str:
        """Text typed into it; the answer is what to say about it."""
        ...

    def move(self, steps: int) -> None:
        """Up or down in a list, as the arrow keys do."""
        ...


class Question:
    """alert, confirm, prompt, and the one before a page is left."""

    modal = True
    _ANSWERS: ClassVar = {
        "alert": (("OK", YES),),
        "beforeunload": (("Leave", YES), ("Stay", NO)),
    }

    def __init__(self, dialog: Dialog) -> None:
        self._dialog = dialog
        self.message = dialog.message or ("Leave this page?" if dialog.type == "beforeunload" else "")
        self._text = dialog.default_value if dialog.type == "prompt" else None

    def parts(self, size: tuple[int, int], scale: float) -> list[Part]:
        answers = self._ANSWERS.get(self._dialog.type, (("OK", YES), ("Cancel", NO)))
        return dialog_parts(size, scale, self.message, self._text, answers)

    async def answer(self, answer: str) -> str:
        if answer == NO:
            await self._dialog.dismiss()
        else:
            await self._dialog.accept(self._text)
        return ""

    async def write(self, text: str, clear: bool) -> str:
        if self._text is None:
            raise ActionFailed(f'The dialog "{self.message}" takes no text: click one of its buttons.')
        # As in a browser: what a prompt proposes is selected, so typing replaces it.
        self._text = text if clear or self._text == self._dialog.default_value else self._text + text
        return ""

    def move(self, steps: int) -> None:
        del steps  # there is nothing to move through


class Chooser:
    """A page asks for files: their paths are typed, one a line."""

    modal = True

    def __init__(self, chooser: FileChooser) -> None:
        self._chooser = chooser
        self._text = ""
        self.message = (
            "Choose files: type their paths, one a line" if chooser.is_multiple() else ("Choose a file: type its path")
        )

    def parts(self, size: tuple[int, int], scale: float) -> list[Part]:
        return dialog_parts(size, scale, self.message, self._text, (("Open", YES), ("Cancel", NO)), FILE_HINT)

    async def answer(self, answer: str) -> str:
        if answer == NO:
            return "no file was chosen"
        files = existing_files(self._text)
        if len(files) > 1 and not self._chooser.is_multiple():
            raise ActionFailed("This page takes one file only.")
        await self._chooser.set_files(files)
        return f"chose {', '.join(file.name for file in files)}"

    async def write(self, text: str, clear: bool) -> str:
        self._text = text if clear else self._text + text
        return ""

    def move(self, steps: int) -> None:
        del steps


def existing_files(text: str) -> list[Path]:
    """The files that the lines name; raises ActionFailed for the first that is none."""
    files = [Path(line.strip()).expanduser() for line in text.splitlines() if line.strip()]
    for file in files:
        if not file.is_file():
            raise ActionFailed(f"There is no file {file}.")
    if not files:
        raise ActionFailed("Type the path of a file first.")
    return files


class Options:
    """An opened select box."""

    modal = False

    def __init__(self, document: Document, anchor: Rect, facts: dict[str, Any]) -> None:
        self._document = document
        self._anchor = anchor
        self._rows = [
            Part("item", anchor, option["label"], answer=str(option["index"]), enabled=option["enabled"])
            for option in facts["options"]
        ]
        self._chosen = max(0, facts["selected"])

    def parts(self, size: tuple[int, int], scale: float) -> list[Part]:
        return list_parts(size, scale, self._anchor, self._rows, self._chosen)

    async def answer(self, answer: str) -> str:
        if answer == NO:
            return ""
        index = self._chosen if answer == YES else int(answer)
        if not self._rows[index].enabled:
            raise ActionFailed(f'The option "{self._rows[index].text}" is disabled.')
        return f'chose "{await choose(self._document, index)}"'

    async def write(self, text: str, clear: bool) -> str:
        del clear
        return await choose_by_name(self._document, text)

    def move(self, steps: int) -> None:
        self._chosen = max(0, min(len(self._rows) - 1, self._chosen + steps))


async def choose(document: Document, index: int) -> str:
    return await document.wire.ask(document.frame, f"deskhand.choose({index})")


async def choose_by_name(document: Document, words: str) -> str:
    """Choose in the select box that has the focus, by what its option says."""
    wanted = json.dumps(words)
    index = await document.wire.ask(document.frame, f"deskhand.optionFor({wanted})")
    if index < 0:
        facts = await document.wire.ask(document.frame, "deskhand.options(false)")
        known = ", ".join(f'"{option["label"]}"' for option in facts["options"][:20])
        raise TextNotTyped(f'The select box has no option "{words}"; it has: {known}.')
    return f'chose "{await choose(document, index)}"'
