"""A small grammar for text of models: `name(key=value, …)` calls, lists, numbers, strings, JSON-like maps.

It reads every quote style, full-width punctuation and raw line breaks in strings. It evaluates nothing, and text
that is cut off or ambiguous is an error: half a coordinate is a wrong coordinate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn

Value = str | int | float | bool | None | list["Value"] | dict[str, "Value"]

MAX_DEPTH = 12
_WIDE = str.maketrans("（）［］｛｝，：；＝【】", "()[]{},:;=[]")
_CLOSERS = {
    '"': '"', "'": "'", "“": "”\"", "”": "”\"", "‘": "’'", "’": "’'",
    "「": "」", "『": "』", "＂": "＂", "＇": "＇", "`": "`",
}  # fmt: skip
_OPEN, _CLOSED = "([{", ")]}"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\", "/": "/", "`": "`", "“": "“", "”": "”"}
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?")
_NAME = re.compile(r"[^\W\d]\w*")
# A call's name may be written with a space or a hyphen: `Long Press(…)`.
_CALL_NAME = re.compile(r"([^\W\d]\w*(?:[ -][^\W\d]\w*)?)\s*[(（]")
_NEXT_ARGUMENT = re.compile(r"[,，]\s*[^\W\d]\w*\s*[=＝]")
_SPACE = re.compile(r"\s*")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "none": None, "null": None}


class GrammarError(ValueError):
    """Says where and why parsing stopped, in words for the model."""


@dataclass(frozen=True, slots=True)
class CommandCall:
    name: str
    args: tuple[Value, ...] = ()
    named: dict[str, Value] = field(default_factory=dict[str, Value])


class CallReader:
    """Reads one value after the other from a text; `at` is its position."""

    def __init__(self, text: str, at: int = 0) -> None:
        self.text = text
        self.at = at

    def raise_expected(self, wanted: str) -> NoReturn:
        found = repr(self.text[self.at : self.at + 20]) if self.at < len(self.text) else "the end of the reply"
        raise GrammarError(f"expected {wanted} but found {found}")

    # --- small steps -------------------------------------------------------------------------------------

    def skip_space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def peek_mark(self) -> str:
        """Return the next character after spaces, in its half-width form; empty at the end."""
        self.skip_space()
        return self.text[self.at : self.at + 1].translate(_WIDE)

    def take_mark(self, mark: str) -> bool:
        if self.peek_mark() == mark:
            self.at += 1
            return True
        return False

    # --- grammar -----------------------------------------------------------------------------------------

    def peek_call_name(self) -> str:
        """Return the name of the call that begins here; empty if none does."""
        self.skip_space()
        match = _CALL_NAME.match(self.text, self.at)
        return match[1] if match else ""

    def read_call(self) -> CommandCall:
        self.skip_space()
        match = _CALL_NAME.match(self.text, self.at)
        if not match:
            self.raise_expected("a command such as name(key=value)")
        self.at = match.end()
        args: list[Value] = []
        named: dict[str, Value] = {}
        while not self.take_mark(")"):
            self._read_argument(args, named)
            if not self.take_mark(",") and self.peek_mark() != ")":
                self.raise_expected("',' or ')'")
        return CommandCall(match[1], tuple(args), named)

    def _read_argument(self, args: list[Value], named: dict[str, Value]) -> None:
        self.skip_space()
        match = _NAME.match(self.text, self.at)
        before = self.at
        if match:
            self.at = match.end()
            if self.take_mark("="):
                if match[0] in named:
                    raise GrammarError(f"{match[0]!r} is given twice")
                named[match[0]] = self.read_value(1, in_call=True)
                return
            self.at = before
        args.append(self.read_value(1, in_call=True))

    def read_value(self, depth: int = 0, *, in_call: bool = False) -> Value:
        if depth > MAX_DEPTH:
            raise GrammarError("brackets are nested too deeply")
        mark = self.peek_mark()
        if mark in ("(", "["):
            return self._read_list(depth)
        if mark == "{":
            return self._read_map(depth)
        if mark and mark in _CLOSERS:
            return self._read_string(in_call)
        if match := _NUMBER.match(self.text, self.at):
            self.at = match.end()
            plain = match[0].lstrip("+-").isdigit()
            return int(match[0]) if plain and len(match[0]) < 20 else float(match[0])
        if match := _NAME.match(self.text, self.at):
            self.at = match.end()
            word = match[0].lower()
            return _WORDS[word] if word in _WORDS else match[0]
        return self.raise_expected("a value")

    def _read_list(self, depth: int) -> list[Value]:
        closed = _CLOSED[_OPEN.index(self.peek_mark())]
        self.at += 1
        items: list[Value] = []
        while not self.take_mark(closed):
            items.append(self.read_value(depth + 1))
            if not self.take_mark(",") and self.peek_mark() != closed:
                self.raise_expected(f"',' or {closed!r}")
        return items

    def _read_map(self, depth: int) -> dict[str, Value]:
        self.at += 1
        items: dict[str, Value] = {}
        while not self.take_mark("}"):
            key = self.read_value(depth + 1)
            if not isinstance(key, str):
                raise GrammarError("the keys of a map are strings")
            if not self.take_mark(":"):
                self.raise_expected("':'")
            items[key] = self.read_value(depth + 1)
            if not self.take_mark(",") and self.peek_mark() != "}":
                self.raise_expected("',' or '}'")
        return items

    # --- strings -----------------------------------------------------------------------------------------

    def _read_string(self, in_call: bool) -> str:
        closers = _CLOSERS[self.text[self.at]]
        triple = self.text[self.at] * 3
        if triple in ('"""', "'''") and self.text.startswith(triple, self.at):
            end = self.text.find(triple, self.at + 3)
            if end >= 0:
                begin, self.at = self.at + 3, end + 3
                return self.text[begin:end]
        self.at += 1
        said: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "\\":
                said.append(self._read_escape())
                continue
            self.at += 1
            # Models leave quotes inside of a text unescaped, so a quote ends it only where the text may end.
            if char in closers and self._is_closing_quote(in_call):
                return "".join(said)
            said.append(char)
        raise GrammarError("a quoted text is not closed")

    def _is_closing_quote(self, in_call: bool) -> bool:
        match = _SPACE.match(self.text, self.at)
        after = match.end() if match else self.at
        mark = self.text[after : after + 1].translate(_WIDE)
        if mark == "," and in_call:
            return bool(_NEXT_ARGUMENT.match(self.text, after))
        return mark in ("", ",", ":", *_CLOSED)

    def _read_escape(self) -> str:
        following = self.text[self.at + 1 : self.at + 2]
        if following == "u" and re.fullmatch(r"[0-9a-fA-F]{4}", self.text[self.at + 2 : self.at + 6]):
            code = int(self.text[self.at + 2 : self.at + 6], 16)
            self.at += 6
            return chr(code) if not 0xD800 <= code <= 0xDFFF else "\ufffd"
        self.at += 2
        return _ESCAPES.get(following, "\\" + following)


def read_calls(reader: CallReader, known: frozenset[str]) -> list[CommandCall]:
    """Read consecutive calls, as long as their names are known; at least one."""
    calls = [reader.read_call()]
    while True:
        end = reader.at
        while reader.take_mark(";") or reader.take_mark(","):
            pass
        if normalize_name(reader.peek_call_name()) not in known:
            reader.at = end
            return calls
        calls.append(reader.read_call())


def normalize_name(name: str) -> str:
    """Return one spelling for `Long Press`, `long_press` and `LongPress`."""
    return re.sub(r"[\s_-]", "", name).casefold()


_FENCE = re.compile(r"^[ \t]*```[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL | re.MULTILINE)


def strip_fence(text: str) -> str:
    """Return the content of the only code fence (closed or not); the text itself if there is none or several.

    A fence with nothing in it is the end of one that began after words.
    """
    blocks = _FENCE.findall(text)
    return blocks[0] if len(blocks) == 1 and blocks[0].strip() else text


def quote_text(text: str, quote: str = '"') -> str:
    """Return the text in quotes, as the grammar reads it back."""
    escaped = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
    return quote + escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + quote
