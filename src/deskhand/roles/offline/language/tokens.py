"""Cuts a goal into tokens: quoted texts, addresses, words, numbers, single characters of Chinese or punctuation."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from deskhand.language import to_simplified

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
    """`text` is what it says (of a quote: what is inside), `plain` is that folded for comparison: case, width, script.

    `written` is how it stands in the goal, quotes included, and `gap` the blanks before it.
    """

    kind: TokenKind
    text: str
    plain: str
    start: int
    end: int
    written: str
    gap: str

    @property
    def simplified(self) -> str:
        """What it says, in simplified Chinese unless it is quoted: the grammar knows no other script."""
        return self.text if self.kind == "quote" else to_simplified(self.text)


def cut_tokens(source: str) -> tuple[Token, ...]:
    """All tokens in order; blanks are dropped, positions point into `source`."""
    tokens: list[Token] = []
    for found in _TOKEN.finditer(source):
        gap = source[tokens[-1].end if tokens else 0 : found.start()]
        tokens.append(_make_token(found, gap))
    return tuple(tokens)


def _make_token(found: re.Match[str], gap: str) -> Token:
    kind: TokenKind = found.lastgroup  # type: ignore[assignment] # the pattern's groups are the kinds
    quoted = kind == "quote" and not found[0].startswith("{{")  # a secret's placeholder is a text of its own
    text = found[0][1:-1] if quoted else found[0]
    plain = text if kind == "quote" else to_simplified(unicodedata.normalize("NFKC", text)).casefold().replace("’", "'")
    return Token(kind, text, plain, found.start(), found.end(), found[0], gap)
