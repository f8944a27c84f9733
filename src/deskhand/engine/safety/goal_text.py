"""Reads a goal as people write it: folded to one spelling, with what is quoted in it set apart."""

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

# Stand for a quoted text, the text that is looked for, and the name that is looked for: signs that no goal has.
_FIRST = 0xE000
TEXT, NAME = "\uf8f0", "\uf8f1"
_QUOTED = re.compile(
    r"“([^”]*)”|「([^」]*)」|『([^』]*)』|《([^》]*)》|‘([^’]*)’|\"([^\"]*)\"|`([^`]*)`|(?<!\w)'([^']*)'(?!\w)"
)
_REFUSAL = re.compile(r"\b(?:not|never|without|cannot|\w+n't)\b(?! forget)|不要|不许|不用|不必|别(?!忘)|勿|禁止")
_SENTENCE = re.compile(r"[;!?\n。]|\.(?!\w)|\bthen\b|然后|接着")


@dataclass(frozen=True, slots=True)
class GoalText:
    """`text` has one sign for each quoted text, in the order of `quotes`."""

    text: str
    quotes: tuple[str, ...]

    def mark_words(self, text: str, name: str) -> list[str]:
        """Return the goal with this text marked, once for each place where it stands, and with every such name."""
        marked = [
            "".join(self._mark_sign(letter, text, name) for letter in self.text),
        ]
        for at in find_whole(self.text, text) if text else ():
            rest = self.text[:at] + TEXT + self.text[at + len(text) :]
            marked.append("".join(self._mark_sign(letter, "", name) for letter in rest))
        return [_mark_bare(one, name) for one in marked if TEXT in one]

    def _mark_sign(self, letter: str, text: str, name: str) -> str:
        at = ord(letter) - _FIRST
        if not 0 <= at < len(self.quotes):
            return letter
        quoted = self.quotes[at]
        return TEXT if text and quoted == text else NAME if quoted == name else letter

    def restore_quotes(self, part: str) -> str:
        """Return a part of the text with its quotes as they were."""
        return "".join(
            f'"{self.quotes[ord(letter) - _FIRST]}"' if 0 <= ord(letter) - _FIRST < len(self.quotes) else letter
            for letter in part
        )

    def list_quoted(self, part: str) -> list[str]:
        return [self.quotes[ord(one) - _FIRST] for one in part if 0 <= ord(one) - _FIRST < len(self.quotes)]


@cache
def read_goal_words() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("goal_words.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=64)
def read_goal_text(goal: str) -> GoalText:
    quotes: list[str] = []

    def set_apart(found: re.Match[str]) -> str:
        quotes.append(fold_words(next(part for part in found.groups() if part is not None)))
        return chr(_FIRST + len(quotes) - 1)

    return GoalText(fold_words(_QUOTED.sub(set_apart, goal)), tuple(quotes))


def fold_words(text: str) -> str:
    """Return a text as it is compared: width, letter case, quotes, unseen signs and white space don't count."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").replace("‘", "'")
    plain = re.sub(r"[“”„«»]", '"', plain)
    plain = "".join(letter for letter in plain if unicodedata.category(letter) != "Cf")
    return " ".join(plain.split())


def find_whole(text: str, words: str) -> list[int]:
    """Return where these words stand in a text, not as parts of longer ones."""
    before = r"(?<![^\W\u3040-\u9fff])" if is_latin(words[:1]) else ""
    behind = r"(?![^\W\u3040-\u9fff])" if is_latin(words[-1:]) else ""
    return [found.start() for found in re.finditer(before + re.escape(words) + behind, text)]


def is_latin(sign: str) -> bool:
    return sign.isalnum() and not "\u3040" <= sign <= "\u9fff"


def is_taken_back(before: str) -> bool:
    """True if the sentence says not to, before it comes here."""
    return bool(_REFUSAL.search(_SENTENCE.split(before)[-1]))


def _mark_bare(text: str, name: str) -> str:
    for at in reversed(find_whole(text, name) if name else []):
        text = text[:at] + NAME + text[at + len(name) :]
    return text
