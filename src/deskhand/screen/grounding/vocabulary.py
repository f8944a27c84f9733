"""Holds the vocabulary of screens: folded name comparison, synonyms, and the word lists for parsing descriptions.

The words themselves are data in vocabulary.toml.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import cast

from deskhand.core.screen import Role
from deskhand.language import has_chinese, to_simplified

_WORD = re.compile(r"[a-z]+|\d+|[\u3400-\u9fff\uf900-\ufaff]")
# 7:05 and 07:05 are the same time
_EARLY_HOUR = re.compile(r"(?<![\d:])(\d):(?=\d\d)")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True)
class Vocabulary:
    """Holds the lists of the file, sorted with the longest phrase first."""

    groups: dict[str, frozenset[int]]
    members: tuple[tuple[str, ...], ...]
    roles: tuple[tuple[str, frozenset[Role]], ...]
    ordinals: tuple[str, ...]
    last: tuple[str, ...]
    counters: str
    positions: tuple[tuple[str, str], ...]
    relations_en: tuple[tuple[str, str], ...]
    relations_zh: tuple[tuple[str, str], ...]
    states: tuple[tuple[str, str], ...]
    fillers_en: tuple[str, ...]
    fillers_zh: tuple[str, ...]
    namers: tuple[str, ...]
    anywhere: tuple[str, ...]
    kinds: tuple[str, ...]
    written: tuple[str, ...]
    things: tuple[str, ...]
    crosses: tuple[str, ...]
    leading: tuple[str, ...]
    areas: tuple[str, ...]
    wide: tuple[str, ...]


@cache
def load_vocabulary() -> Vocabulary:
    data = tomllib.loads((Path(__file__).parent / "vocabulary.toml").read_text(encoding="utf-8"))
    groups: dict[str, set[int]] = {}
    for number, terms in enumerate(data["same"]):
        for term in terms:
            groups.setdefault(fold_name(term), set()).add(number)
    roles: dict[str, set[Role]] = {}
    for role, terms in data["roles"].items():
        for term in terms:
            roles.setdefault(term, set()).add(role)
    return Vocabulary(
        groups={term: frozenset(numbers) for term, numbers in groups.items()},
        members=tuple(tuple(terms) for terms in data["same"]),
        roles=tuple((term, frozenset(roles[term])) for term in sorted(roles, key=len, reverse=True)),
        ordinals=tuple(data["ordinals"]["en"]),
        last=_longest_first(data["ordinals"]["last"]),
        counters="".join(data["ordinals"]["counters"]),
        positions=_by_phrase(data["positions"]),
        relations_en=_by_phrase(data["relations"]["en"]),
        relations_zh=_by_phrase(data["relations"]["zh"]),
        states=_by_phrase(data["states"]),
        fillers_en=_longest_first(data["fillers"]["en"]),
        fillers_zh=_longest_first(data["fillers"]["zh"]),
        namers=_longest_first(data["fillers"]["namers"]),
        anywhere=_longest_first(data["fillers"]["anywhere"]),
        kinds=_longest_first(data["fillers"]["kinds"]),
        written=_longest_first(data["fillers"]["written"]),
        things=_longest_first(data["fillers"]["things"]),
        crosses=tuple(data["fillers"]["crosses"]),
        leading=_longest_first(data["fillers"]["leading"]),
        areas=_longest_first(data["lines"]["areas"]),
        wide=tuple(data["scope"]["wide"]),
    )


def _longest_first(terms: list[str]) -> tuple[str, ...]:
    return tuple(sorted(terms, key=len, reverse=True))


def _by_phrase(table: dict[str, list[str]]) -> tuple[tuple[str, str], ...]:
    pairs = [(phrase, meaning) for meaning, phrases in table.items() for phrase in phrases]
    return tuple(sorted(pairs, key=lambda pair: len(pair[0]), reverse=True))


@lru_cache(maxsize=8192)
def fold_name(text: str) -> str:
    """Return a name to compare, without width, case, script, blanks and punctuation, unless only these are left."""
    plain = _EARLY_HOUR.sub(r"0\1:", to_simplified(unicodedata.normalize("NFKC", text)).casefold().strip())
    kept = "".join(c for c in plain if c.isalnum())
    return kept or "".join(plain.split())


@lru_cache(maxsize=8192)
def split_words(text: str) -> tuple[str, ...]:
    """Split a name or an identifier such as `com.app:id/wifiSwitch_row` into words; Chinese by the character."""
    plain = _HUMP.sub(" ", to_simplified(unicodedata.normalize("NFKC", text))).casefold()
    return tuple(cast("list[str]", _WORD.findall(plain)))


def is_same_word(one: str, other: str) -> bool:
    """True if both name the same thing, in either language."""
    left, right = fold_name(one), fold_name(other)
    if left == right:
        return bool(left)
    groups = load_vocabulary().groups
    return bool(groups.get(left, frozenset()) & groups.get(right, frozenset()))


def synonyms_of(text: str) -> tuple[str, ...]:
    """Return other names of the same thing, those of the other language first."""
    table, own = load_vocabulary(), fold_name(text)
    found: dict[str, None] = {}
    for number in sorted(table.groups.get(own, frozenset())):
        found.update(dict.fromkeys(term for term in table.members[number] if fold_name(term) != own))
    chinese = has_chinese(text)
    return tuple(sorted(found, key=lambda term: has_chinese(term) == chinese))
