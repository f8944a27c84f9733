"""Read a text file as plain text and split it into passages that fit into a plan. Other files have no text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

MAX_FILE = 2 * 1024 * 1024
PASSAGE = 1500
_SUFFIXES = (
    ".txt .text .md .markdown .rst .org .adoc .tex .csv .tsv .json .jsonl .yaml .yml .toml .ini .cfg .conf .log "
    ".html .htm .xhtml .xml .srt .vtt .ics .vcf .eml .sql .py .js .ts .sh"
)
_TEXT_FILES = frozenset(_SUFFIXES.split())
_MARKUP = frozenset({".html", ".htm", ".xhtml", ".xml"})
_ENCODINGS = ("utf-8-sig", "gb18030")
_SILENT = frozenset({"script", "style", "template", "noscript"})
_BLOCK_TAGS = "p div br li tr h1 h2 h3 h4 h5 h6 section article table ul ol dt dd pre blockquote"
_BLOCKS = frozenset(_BLOCK_TAGS.split())


def is_text_file(path: Path) -> bool:
    return path.suffix.lower() in _TEXT_FILES and not path.name.startswith(".")


def read_text(path: Path) -> str:
    """Return the beginning of a file, decoded and without markup; empty if it is no text or can't be read."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE)
    except OSError:
        return ""
    text = _decode_text(data)
    return _strip_markup(text) if path.suffix.lower() in _MARKUP else text


def _decode_text(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    if b"\0" in data[:8192]:
        return ""
    for encoding in _ENCODINGS:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            # The limit may have cut the last character; damage anywhere else means another encoding.
            if len(data) == MAX_FILE and error.start > MAX_FILE - 8:
                return data[: error.start].decode(encoding)
    return data.decode("utf-8", "replace")


class _TextExtractor(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in _SILENT
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self._silent = max(0, self._silent - 1)
        self.parts.append("\n" if tag in _BLOCKS else " ")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.parts.append(re.sub(r"\s+", " ", data))


def _strip_markup(text: str) -> str:
    words = _TextExtractor()
    words.feed(text)
    words.close()
    return re.sub(r"[ \t]*\n\s*", "\n", "".join(words.parts)).strip()


def split_passages(text: str) -> list[str]:
    """Split a text at line ends into passages; only a line that does not fit by itself is cut."""
    parts: list[str] = []
    current = ""
    for line in text.splitlines(keepends=True):
        for start in range(0, len(line), PASSAGE):
            piece = line[start : start + PASSAGE]
            if current and len(current) + len(piece) > PASSAGE:
                parts.append(current)
                current = ""
            current += piece
    parts.append(current)
    return [part.strip() for part in parts if part.strip()]
