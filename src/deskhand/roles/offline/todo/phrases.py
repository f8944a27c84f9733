"""The phrases by which a to-do list is changed, from phrases.toml: which one is said, and what it is said of."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_QUOTES = re.compile(r"“[^”]*”|「[^」]*」|\"[^\"]*\"|`[^`]*`")
_INSTEAD_OF = re.compile(r"instead of (?P<both>.+)", re.IGNORECASE)
_TAIL = re.compile(r"(?:,? (?:as well|too|also|afterwards|later|at the end))+$", re.IGNORECASE)


@cache
def _load_patterns(name: str) -> tuple[re.Pattern[str], ...]:
    data = tomllib.loads((Path(__file__).parent / "phrases.toml").read_text(encoding="utf-8"))
    one, one_zh = data["one"], data["one_zh"]
    written = (text.replace("{one}", one).replace("{one_zh}", one_zh) for text in data[name])
    return tuple(re.compile(text, re.IGNORECASE) for text in written)


def is_phrase(name: str, text: str) -> bool:
    """True if the whole text is a phrase of that name."""
    return any(pattern.fullmatch(text) for pattern in _load_patterns(name))


def begins_with(name: str, text: str) -> bool:
    return _measure_phrase(name, text) > 0


def list_named(name: str, text: str) -> Iterator[str]:
    """Yield what the phrase is said of, once for each way to read the text so."""
    return (found["x"] for pattern in _load_patterns(name) if (found := pattern.fullmatch(text)))


def list_exchanges(text: str) -> Iterator[tuple[str, str]]:
    """(the old, the new), in every way in which the text can be read so."""
    for pattern in _load_patterns("change"):
        if found := pattern.fullmatch(text):
            yield found["x"], found["y"]
    if found := _INSTEAD_OF.fullmatch(text):
        words = found["both"].split(" ")
        for k in range(1, len(words)):
            yield " ".join(words[:k]), " ".join(words[k:])


def strip_phrases(text: str) -> str:
    """Return the text without words that only open or end a sentence."""
    text = text.replace("’", "'").strip(" \t\n,，;；、")
    while 0 < (taken := _measure_phrase("opener", text)) < len(text):
        text = text[taken:].lstrip()
    for pattern in _load_patterns("closer") * 2:
        text = _drop_end(pattern, text).rstrip() or text
    return text


def _drop_end(pattern: re.Pattern[str], text: str) -> str:
    for found in pattern.finditer(text):
        if found.end() == len(text):
            return text[: found.start()]
    return text


@dataclass(frozen=True, slots=True)
class PhraseLead:
    """The words before something to do: `more` says that it is one more thing, `soon` that it comes next."""

    text: str
    more: bool
    soon: bool


def split_lead(text: str) -> PhraseLead:
    more = soon = False
    for _ in range(6):
        next_one, one_more = _measure_phrase("soon", text), _measure_phrase("lead", text)
        if not (next_one or one_more):
            break
        soon, more = soon or next_one > 0, more or one_more > 0
        text = strip_phrases(text[next_one or one_more :].lstrip(":：.… "))
    plain = _TAIL.sub("", text)
    return PhraseLead(plain, more or plain != text, soon)


def list_halves(text: str) -> Iterator[tuple[str, str]]:
    """The text cut in two wherever a sentence or a clause may end, outside of quotes."""
    quoted = [found.span() for found in _QUOTES.finditer(text)]
    for pattern in _load_patterns("cut"):
        for found in pattern.finditer(text):
            inside = any(start < found.start() < end for start, end in quoted)
            left, right = text[: found.start()].strip(), text[found.end() :].strip()
            if left and right and not inside:
                yield left, right


def _measure_phrase(name: str, text: str) -> int:
    """Return the length of the phrase of that name at the text's beginning; 0 if there is none."""
    return max((found.end() for pattern in _load_patterns(name) if (found := pattern.match(text))), default=0)
