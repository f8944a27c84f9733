"""Reads lexicon.toml and phone_sentences.toml: word classes as token sequences, and sentence patterns as parts."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from deskhand.roles.offline.language.tokens import Token, cut_tokens

Phrase = tuple[str, ...]


class PhraseList(tuple[Phrase, ...]):
    """Phrases, longest first; `by_first` finds those that begin with a word (a class may hold hundreds)."""

    by_first: dict[str, list[Phrase]]

    @staticmethod
    def from_phrases(phrases: Iterable[Phrase]) -> "PhraseList":
        made = PhraseList(sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))
        made.by_first = {}
        for phrase in made:
            made.by_first.setdefault(phrase[0], []).append(phrase)
        return made


@dataclass(frozen=True, slots=True)
class PatternPart:
    """One part of a pattern: any of `phrases`, or a slot; both may be optional."""

    phrases: tuple[Phrase, ...] = ()
    slot: str = ""
    kind: str = ""
    greedy: bool = False
    optional: bool = False
    firsts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SentenceRule:
    kind: str
    patterns: tuple[tuple[PatternPart, ...], ...]


@dataclass(frozen=True)
class Lexicon:
    classes: dict[str, PhraseList]
    separators: frozenset[str]
    arrows: frozenset[str]
    connectors: PhraseList
    polite: PhraseList
    tails: PhraseList
    greetings: PhraseList
    pronouns: frozenset[str]
    corrections: PhraseList
    # connectors that join two clauses or two things; others (first, 再) only say when
    joints: PhraseList
    # words that belong to no name, and the first token of each
    breaking: PhraseList
    breaking_firsts: frozenset[str]
    # words that begin like a verb of one character and are none
    longer_words: PhraseList
    # names that hold such words
    known_names: PhraseList
    rules: tuple[SentenceRule, ...]
    conditions: tuple[SentenceRule, ...]
    extra: dict[str, Any]


_PART = re.compile(r"(\[)?(?:<(\w+)>|\{(\w+)(\+)?(?::(\w+))?\}|([^\s\[\]<>{}]+))\]?")


@cache
def load_lexicon() -> Lexicon:
    data, of_phones = _read_words("lexicon.toml"), _read_words("phone_sentences.toml")
    marks = data["marks"]
    classes = {name: phrases_of(words) for name, words in {**of_phones["classes"], **data["classes"]}.items()}
    return Lexicon(
        classes=classes,
        separators=frozenset(marks["separators"]),
        arrows=frozenset(marks["arrows"]),
        connectors=phrases_of(marks["connectors"]),
        polite=phrases_of(marks["polite"]),
        tails=phrases_of(marks["tails"]),
        greetings=phrases_of(marks["greetings"]),
        pronouns=frozenset(marks["pronouns"]),
        corrections=phrases_of(marks["corrections"]),
        joints=phrases_of(marks["joints"]),
        breaking=phrases_of(marks["breaking"]),
        breaking_firsts=frozenset(phrase[0] for phrase in phrases_of(marks["breaking"])),
        longer_words=phrases_of(marks["longer_words"]),
        known_names=phrases_of([*data["extra"]["toggles"], *data["classes"]["app_name"], *marks["whole_names"]]),
        rules=tuple(_read_rule(entry, classes) for entry in (*of_phones["rules"], *data["rules"])),
        conditions=tuple(_read_rule(entry, classes) for entry in data["conditions"]),
        extra=data.get("extra", {}),
    )


def _read_words(file: str) -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / file).read_text(encoding="utf-8"))


def phrases_of(words: list[str]) -> PhraseList:
    """Longest first, so that "click on" is tried before "click"."""
    return PhraseList.from_phrases({tuple(token.plain for token in cut_tokens(word)) or (word,) for word in words})


def count_phrase(phrases: Sequence[Phrase], tokens: Sequence[Token], at: int, end: int) -> int:
    """Return how many tokens the longest matching phrase takes at this place; 0 if none matches."""
    if at >= end:
        return 0
    candidates = phrases.by_first.get(tokens[at].plain, ()) if isinstance(phrases, PhraseList) else phrases
    for phrase in candidates:
        stop = at + len(phrase)
        if stop <= end and all(is_word(tokens[at + k], word) for k, word in enumerate(phrase)):
            return len(phrase)
    return 0


def is_word(token: Token, word: str) -> bool:
    return token.kind != "quote" and token.plain == word


def _read_rule(entry: dict[str, Any], classes: dict[str, PhraseList]) -> SentenceRule:
    return SentenceRule(entry["kind"], tuple(_read_pattern(text, classes) for text in entry["patterns"]))


def _read_pattern(text: str, classes: dict[str, PhraseList]) -> tuple[PatternPart, ...]:
    parts: list[PatternPart] = []
    for optional, name, slot, greedy, kind, word in _PART.findall(text):
        if slot:
            parts.append(PatternPart(slot=slot, kind=kind, greedy=bool(greedy), optional=bool(optional)))
        else:
            phrases = classes[name] if name else phrases_of([word])
            firsts = frozenset(phrase[0] for phrase in phrases)
            parts.append(PatternPart(phrases=phrases, optional=bool(optional), firsts=firsts))
    return tuple(parts)
