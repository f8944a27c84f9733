"""Scores how well a name fits an element: exact, synonym, prefix, words, identifier, similarity."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from rapidfuzz import fuzz

from deskhand.core.screen import Element
from deskhand.language import has_chinese
from deskhand.screen.grounding.tree import ElementTree
from deskhand.screen.grounding.vocabulary import (
    fold_name,
    is_same_word,
    load_vocabulary,
    split_words,
    synonyms_of,
)

EXACT = 1.0
SYNONYM = 0.96
PREFIX = 0.86
WORDS = 0.78
IDENTIFIER = 0.84
LIKE = 0.74
# The same letters as far as a picture tells: a menu's underlined F is read as an E.
READ_ALIKE = 0.88
_ALIKE = str.maketrans({"F": "E", "l": "I", "1": "I", "|": "I", "0": "O", "5": "S", "8": "B"})
# A name with fewer letters has no typos: one letter makes another word of it.
SHORT = 6
# Second halves of identifiers: what kind of thing it is.
_PARTS = frozenset({"bar", "box", "field", "input", "area", "button", "btn"})


def score_name(name: str, element: Element, tree: ElementTree, exact: bool = False) -> float:
    """Return 0 to 1 over all names of the element; a container also by the first text that is its own."""
    names = {n for n in (element.name, element.value, element.hint) if n}
    if not names and (element.clickable or element.checked is not None) and (caption := tree.find_caption(element)):
        names.add(caption.text)
    score = max((score_text(name, seen) for seen in names), default=0.0)
    if element.editable and element.value:
        # text typed into a field is not the name of the field
        named = max(
            (score_text(name, n) for n in (element.name, element.hint) if n and n != element.value), default=0.0
        )
        score = max(named, min(score, 0.5))
    if element.source == "ocr" and score < READ_ALIKE and _looks_alike(name, element.name):
        score = READ_ALIKE
    if score < IDENTIFIER:
        score = max(score, _score_identifier(name, element.id))
    if not exact or score >= PREFIX:
        return score
    return 0.9 * (min(score, _limit_single_word(name, names)) if score < IDENTIFIER else score)


def _limit_single_word(name: str, names: Iterable[str]) -> float:
    """Return how well one quoted word can fit at most: behind another word it names something else (All, Close all)."""
    want = split_words(name)
    longer = any(len(seen) > len(name) for seen in names)
    leads = len(want) != 1 or not longer or any(split_words(seen)[:1] == want for seen in names)
    return 1.0 if leads else 0.5


def _looks_alike(name: str, read: str) -> bool:
    return len(name) > 2 and fold_name(name.translate(_ALIKE)) == fold_name(read.translate(_ALIKE))


@lru_cache(maxsize=8192)
def score_text(name: str, seen: str) -> float:
    """Return how well a requested name fits a text on the screen."""
    want, have = fold_name(name), fold_name(seen)
    if not want or not have:
        return 0.0
    if want == have:
        return EXACT if name.strip().casefold() == seen.strip().casefold() else 0.99
    if is_same_word(name, seen):
        return SYNONYM
    return max(_score_part(want, have, name, seen), _score_synonyms(name, seen), _score_likeness(want, have))


def _score_part(want: str, have: str, name: str, seen: str) -> float:
    """Score a text that begins with the name or has it as whole words; the more other text, the lower the score."""
    if want not in have or _names_more(name, seen):
        return 0.0
    share = len(want) / len(have)
    if not has_chinese(name) and not _has_whole_words(name, seen):
        return 0.0 if len(want) < 4 else 0.5 + 0.1 * share
    if len(want) == 1:
        # one character somewhere in a text says nothing
        return 0.3
    if have.startswith(want):
        return PREFIX - 0.14 + 0.14 * share
    return WORDS - 0.18 + 0.18 * share


def _names_more(name: str, seen: str) -> bool:
    """True if the text says all of them, and the name does not: "Delete all" is never meant by "Delete"."""
    wide = load_vocabulary().wide
    plain, said = set(split_words(name)), set(split_words(seen))
    return any(word in said - plain if word.isascii() else word in seen and word not in name for word in wide)


def _has_whole_words(name: str, seen: str) -> bool:
    want, have = split_words(name), split_words(seen)
    width = len(want)
    return any(have[i : i + width] == want for i in range(len(have) - width + 1)) if width else False


def _score_synonyms(name: str, seen: str) -> float:
    """Score a synonym that begins the text or is a word in it: `Wi-Fi network` for `WLAN 网络`."""
    best = 0.0
    for other in synonyms_of(name):
        if len(fold_name(other)) > 1:
            best = max(best, _score_part(fold_name(other), fold_name(seen), other, seen) - 0.04)
    return best


def _score_likeness(want: str, have: str) -> float:
    """Score a possible typo. Short names differ too easily (Plan, Plane), and different digits are never a typo."""
    if min(len(want), len(have)) < SHORT or _digits_of(want) != _digits_of(have):
        return 0.0
    ratio = fuzz.ratio(want, have)
    return LIKE * ratio / 100 if ratio >= 82 else 0.0


def _is_compound(word: str, first: str) -> bool:
    """True for titlebar and searchbox, which programmers write as one."""
    return len(first) > 3 and word.startswith(first) and word.removeprefix(first) in _PARTS


def _digits_of(text: str) -> str:
    return "".join(c for c in text if c.isdigit())


@lru_cache(maxsize=8192)
def _score_identifier(name: str, identifier: str) -> float:
    """Score an identifier that has all words of the name or of a synonym: `wifi_switch` matches "Wi-Fi"."""
    words = split_words(identifier.rpartition("/")[2])
    if not words:
        return 0.0
    joined = "".join(words)
    for other in (name, *synonyms_of(name)):
        want = split_words(other)
        if not want or has_chinese(other) or fold_name(other).isdigit():
            continue
        if fold_name(other) == joined:
            return IDENTIFIER
        if len(want) == 1 and any(_is_compound(word, want[0]) for word in words):
            return IDENTIFIER - 0.1
        if set(want) <= set(words) or any(fold_name(other) == w for w in words):
            return IDENTIFIER - 0.1 * (1 - len("".join(want)) / max(len(joined), 1))
    return 0.0
