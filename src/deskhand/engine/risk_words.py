"""Reads risk_words.toml: which labels stand for a deed that can't be undone, and which goals ask for one."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

# A longer text is a message or a paragraph, not something to press.
_LABEL_WORDS, _LABEL_ZH = 9, 14
# In a list, or where nothing says that it can be pressed, only a few words that begin with the deed are one.
_ITEM_WORDS, _ITEM_ZH = 4, 6
_QUESTION = 400

_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)?(?:-[a-z]+)*")
_ZH = re.compile(r"[\u4e00-\u9fff]")
_SPACED = re.compile(r"(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Deed:
    name: str
    says: str
    words: tuple[tuple[str, ...], ...]
    alone: frozenset[tuple[str, ...]]
    zh: tuple[str, ...]
    asked: tuple[str, ...]


@cache
def table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("risk_words.toml").read_text(encoding="utf-8"))


@cache
def deeds() -> tuple[Deed, ...]:
    return tuple(
        Deed(
            entry["name"],
            entry["says"],
            tuple(tuple(words_of(phrase)) for phrase in entry["words"]),
            frozenset(tuple(words_of(phrase)) for phrase in entry["alone"]),
            tuple(entry["zh"]),
            tuple(entry["asked"]),
        )
        for entry in table()["deed"]
    )


def words_of(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("’", "'"))


@lru_cache(maxsize=4096)
def deed_in(label: str, *, pressed: bool = True) -> Deed | None:
    """What pressing something with this label does that can't be undone; `pressed`: it is known to be a button."""
    plain = _plain(label)
    spoken, signs = words_of(plain), "".join(_ZH.findall(plain))
    most_words, most_zh = (_LABEL_WORDS, _LABEL_ZH) if pressed else (_ITEM_WORDS, _ITEM_ZH)
    for deed in deeds():
        if len(spoken) <= most_words and _spoken(deed, spoken, pressed):
            return deed
        if len(signs) <= most_zh and _written(deed, plain, pressed):
            return deed
    return None


def deed_asked_about(text: str) -> Deed | None:
    """The deed that a question is about: "Delete this message?"; anywhere in a text of moderate length."""
    plain = _plain(text[:_QUESTION])
    spoken = words_of(plain)
    return next((deed for deed in deeds() if _row(deed, spoken) or _written(deed, plain, pressed=True)), None)


def deed_of_id(name: str) -> Deed | None:
    """From what programmers call a button that has no label: `btn_send`, `payNow`."""
    words = words_of(_CAMEL.sub(" ", name.rpartition("/")[2]).replace("_", " ").replace("-", " "))
    return next((deed for deed in deeds() if _row(deed, words) or tuple(words) in deed.alone), None)


def _plain(text: str) -> str:
    """As it is read: wide letters, unseen signs and spaced-out Chinese (发 送) make no difference."""
    seen = unicodedata.normalize("NFKC", text).casefold()
    seen = "".join(letter for letter in seen if unicodedata.category(letter) != "Cf")
    plain = _SPACED.sub("", seen).strip()
    for harmless in table()["harmless"]:
        plain = plain.replace(harmless, " ")
    return plain


def _spoken(deed: Deed, spoken: list[str], pressed: bool) -> bool:
    if tuple(spoken) in deed.alone:
        return True
    return _row(deed, spoken) if pressed else any(tuple(spoken[: len(row)]) == row for row in deed.words)


def _row(deed: Deed, spoken: list[str]) -> bool:
    """Whether some phrase of the deed stands in the text, and is not taken back by the word before it."""
    for row in deed.words:
        for start in range(len(spoken) - len(row) + 1):
            if tuple(spoken[start : start + len(row)]) == row:
                before = spoken[start - 1] if start else ""
                if before not in table()["not_en"]:
                    return True
    return False


def _written(deed: Deed, plain: str, pressed: bool) -> bool:
    signs = "".join(_ZH.findall(plain))
    for word in deed.zh:
        start = plain.find(word)
        if start < 0 or plain[:start].endswith(tuple(table()["not_zh"])):
            continue
        if pressed or signs.startswith(word) or signs.endswith(word):
            return True
    return False


def has(names: Iterable[str], text: str) -> str:
    """The first of these words that the text has: whole words in English, anywhere in Chinese; empty for none."""
    plain = text.casefold()
    spoken = f" {' '.join(words_of(_CAMEL.sub(' ', text).replace('_', ' ').replace('-', ' ')))} "
    return next((name for name in names if (f" {name} " in spoken if name.isascii() else name in plain)), "")


def says_yes(label: str) -> bool:
    """A label that agrees to whatever is asked around it."""
    return label.casefold().strip(" .!。！") in table()["yes"]


def speaks_of_a_field(text: str) -> bool:
    return bool(has(table()["field"], text))


def asks_for(goal: str, deed: Deed) -> bool:
    """Whether a goal asks for this deed in its own words."""
    if "*" in deed.asked or _row(deed, words_of(goal)) or any(word in goal for word in deed.zh):
        return True
    return bool(has([*deed.asked, *(" ".join(row) for row in deed.alone)], goal))
