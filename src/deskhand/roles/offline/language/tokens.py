"""Cuts a goal into tokens: quoted texts, addresses, words, numbers, single characters of Chinese or punctuation."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

TokenKind = Literal["quote", "url", "number", "word", "han", "mark"]

_URL = r"(?:https?://|www\.)[^\s，。；、“”「」\"]*[^\s，。；、“”「」\".,;!?)]|[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*\.(?:com|org|net|cn|io|dev|local|edu|gov)(?:[:/](?:[^\s，。；、“”]*[^\s，。；、“”.,;!?)])?)?(?![a-zA-Z0-9])"
_TOKEN = re.compile(
    rf"""
    (?P<quote>\{{\{{secret:[^{{}}]*\}}\}}|“[^”]*”|「[^」]*」|『[^』]*』|《[^》]*》|‘[^’]*’|"[^"]*"|(?<![A-Za-z0-9])'[^']*'(?![A-Za-z0-9])|`[^`]*`|”[^“”]*”)
    |(?P<url>{_URL})
    |(?P<number>\d+(?:\.\d+)?)
    |(?P<word>[^\W\d_\u3400-\u9fff\uf900-\ufaff][^\W\u3400-\u9fff\uf900-\ufaff]*(?:['’-][^\W\u3400-\u9fff\uf900-\ufaff]+|\.[a-z][a-z0-9-]*)*)
    |(?P<han>[\u3400-\u9fff\uf900-\ufaff])
    |(?P<mark>\S|\n)
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """`text` is what it says (of a quote: what is inside), `plain` is that folded for comparison."""

    kind: TokenKind
    text: str
    plain: str
    start: int
    end: int


def cut_tokens(source: str) -> tuple[Token, ...]:
    """All tokens in order; blanks are dropped, positions point into `source`."""
    return tuple(_make_token(found) for found in _TOKEN.finditer(source))


def _make_token(found: re.Match[str]) -> Token:
    kind: TokenKind = found.lastgroup  # type: ignore[assignment] # the pattern's groups are the kinds
    quoted = kind == "quote" and not found[0].startswith("{{")  # a secret's placeholder is a text of its own
    text = found[0][1:-1] if quoted else found[0]
    plain = text if kind == "quote" else unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return Token(kind, text, plain, found.start(), found.end())
