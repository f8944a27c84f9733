"""Prompt sheets: text files with named sections, one file a language. Prompts are files, never strings in code."""

from functools import cache
from importlib import resources
from string import Template

from deskhand.talk import Language


class Sheet:
    """The sections of one file: `## name` on a line of its own begins each."""

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

    def section(self, name: str, **values: object) -> str:
        """A section with its `$words` filled in; what is filled in is never looked at for more of them."""
        try:
            return self._sections[name].substitute(values)
        except KeyError as missing:
            raise KeyError(f"{self._origin}: section {name!r} lacks {missing}") from None


@cache
def sheet(package: str, folder: str, language: Language, name: str) -> Sheet:
    """The sheet `<package>/<folder>/<language>/<name>.md`."""
    file = resources.files(package).joinpath(folder, language, f"{name}.md")
    return Sheet(file.read_text(encoding="utf-8"), f"{folder}/{language}/{name}.md")
