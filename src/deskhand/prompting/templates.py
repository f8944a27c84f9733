"""Prompt sheets: text files with named sections, one file a language. Prompts are files, never strings in code.

Text from outside (screens, pages, files, workers' notes of them) is filled in between marks, as data.
"""

import re
from functools import cache
from importlib import resources
from string import Template

from deskhand.core.llm import Language

# Between these marks stands data, which every role is told never to follow. A text can neither open nor close one.
MARKS = ("screen", "history", "notes", "answers", "material", "claim", "reports", "reason", "output", "data")
_MARK = re.compile(rf"<(?=\s*/?\s*(?:{'|'.join(MARKS)})s?\b)", re.IGNORECASE)


def as_data(mark: str, text: str) -> str:
    """Return the text between marks that it can't close itself; empty text stays empty."""
    assert mark in MARKS, f"no prompt says what <{mark}> is"
    return f"<{mark}>\n{_MARK.sub('‹', text)}\n</{mark}>" if text else ""


class PromptSheet:
    """The sections of one file, each begun by a line `## name`."""

    def __init__(self, text: str, origin: str = "") -> None:
        self._origin = origin
        self._sections: dict[str, Template] = {}
        name, lines = "", list[str]()
        for line in [*text.splitlines(), "## "]:
            if line.startswith("## "):
                if name:
                    self._sections[name] = Template("\n".join(lines).strip())
                name, lines = line[3:].strip(), []
            else:
                lines.append(line)

    def __contains__(self, name: str) -> bool:
        return name in self._sections

    def fill_section(self, name: str, **values: object) -> str:
        """Return a section with its `$names` filled in; a `$name` inside of a value stays as it is."""
        try:
            return self._sections[name].substitute(values)
        except KeyError as missing:
            raise KeyError(f"{self._origin}: section {name!r} lacks {missing}") from None


@cache
def load_sheet(package: str, folder: str, language: Language, name: str) -> PromptSheet:
    """Load `<package>/<folder>/<language>/<name>.md`."""
    file = resources.files(package).joinpath(folder, language, f"{name}.md")
    return PromptSheet(file.read_text(encoding="utf-8"), f"{folder}/{language}/{name}.md")
