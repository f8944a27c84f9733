"""Tells when a slot would swallow more than it holds: it holds a name, a text or a value, never another clause.

Every word of a goal stands in a slot or is a word of the pattern around it, so what is left to look at is the inside of
slots. The words that join, condition, date, deny or repeat an instruction are a closed class and belong to no name:
a span with one of them fits no slot, and the goal is refused unless another reading accounts for it. Quoted words
are never looked at.
"""

import re
from collections.abc import Sequence

from deskhand.roles.offline.language.lexicon import count_phrase, load_lexicon
from deskhand.roles.offline.language.tokens import Token

_NAMES = frozenset(
    {"target", "name", "to", "option", "source", "where", "app", "item", "onto", "subject", "owner", "entry", "place"}
    | {"what", "mail", "area"}
)
_TEXTS = frozenset({"text", "both"})
_VALUES = frozenset({"value"})
_INTO = frozenset({"into", "onto"})
_ASKS = frozenset("?？")
_INSIDE = frozenset({"in", "into"})
_CELL = re.compile(r"[A-Z]{1,3}[1-9]\d{0,6}")


def holds_clause(slot: str, tokens: Sequence[Token], start: int, end: int) -> bool:
    """True if the span is more than one slot of this name holds."""
    if slot in _NAMES:
        return find_clause(tokens, start, end) is not None
    if slot in _VALUES:
        return find_clause(tokens, start, end) is not None or _lists_more(tokens, start, end)
    if slot == "both" and any(t.kind == "quote" for t in tokens[start : end - 1]):
        return True  # whom and what, then something else
    return slot in _TEXTS and (
        _goes_on_after_quote(tokens, start, end)
        or _goes_on_with_deed(tokens, start, end)
        or _names_cell(tokens, start, end)
    )


def find_clause(tokens: Sequence[Token], start: int, end: int) -> int | None:
    """Return where the span stops being a name; None if all of it may be one."""
    words = load_lexicon()
    for at in range(start + 1, end):
        if tokens[at].kind == "quote":
            continue
        if tokens[at].plain in words.breaking_firsts and count_phrase(words.breaking, tokens, at, end):
            if not _is_known_name(tokens, start, end) and not _joins_kinds(tokens, at, end):
                return at
        elif (
            (tokens[at].plain in _ASKS and at + 1 < end)
            or (
                (joint := measure_joint(tokens, at, end))
                and end - at - joint > 1
                and begins_deed(tokens, at + joint, end)
            )
            or ((joint := measure_joint(tokens, at, end)) and _begins_clause(tokens, at + joint, end))
        ):
            return at
    return None


def _begins_clause(tokens: Sequence[Token], at: int, end: int) -> bool:
    """True for a deed with its object, and for another quoted thing: a name is quoted as a whole."""
    if at >= end or tokens[at].kind == "quote":
        return at < end
    if any(token.kind != "quote" and token.plain in _INTO for token in tokens[at + 1 : end]):
        return True  # `the first field and bob into the second`
    return end - at > 1 and (begins_deed(tokens, at, end) or _is_verb_of(tokens, at, end))


def _is_verb_of(tokens: Sequence[Token], at: int, end: int) -> bool:
    """`frobnicate the window`: an unknown word with an article behind it does something to it."""
    small = tokens[at].kind == "word" and tokens[at].text.islower()
    articles = load_lexicon().classes["article"]
    return small and not count_phrase(articles, tokens, at, end) and count_phrase(articles, tokens, at + 1, end) > 0


def _joins_kinds(tokens: Sequence[Token], at: int, end: int) -> bool:
    """`the folder or file named X`: either kind of thing, not one of two things."""
    return at > 0 and count_phrase(load_lexicon().classes["kind_pair"], tokens, at - 1, end) > 0


def _is_known_name(tokens: Sequence[Token], start: int, end: int) -> bool:
    """`Do not disturb` is a name, whatever its words."""
    start += count_phrase(load_lexicon().classes["the"], tokens, start, end)
    return count_phrase(load_lexicon().known_names, tokens, start, end) == end - start


def measure_joint(tokens: Sequence[Token], at: int, end: int) -> int:
    """Return how many tokens of separators and connectors stand here."""
    words, begun = load_lexicon(), at
    while at < end:
        mark = tokens[at].kind == "mark" and tokens[at].plain in words.separators
        taken = 1 if mark else count_phrase(words.joints, tokens, at, end)
        if not taken:
            break
        at += taken
    return at - begun


def begins_deed(tokens: Sequence[Token], at: int, end: int) -> bool:
    """True for a word that an instruction to a device may begin with."""
    if at >= end or tokens[at].kind == "quote":
        return False
    return count_phrase(load_lexicon().classes["deed"], tokens, at, end) > 0


def _lists_more(tokens: Sequence[Token], start: int, end: int) -> bool:
    """`50% and volume to max`: a value ends where something is joined to it; 1,000 is one number."""
    return any(
        measure_joint(tokens, at, end)
        and (tokens[at].kind != "mark" or not tokens[at].text.isascii() or (at + 1 < end and tokens[at + 1].gap))
        for at in range(start + 1, end)
        if tokens[at].kind != "quote"
    )


def _goes_on_after_quote(tokens: Sequence[Token], start: int, end: int) -> bool:
    """A text that begins with quotes ends with them."""
    while start < end and tokens[start].plain in {":", "："}:
        start += 1
    return end - start > 1 and tokens[start].kind == "quote" and any(t.kind != "mark" for t in tokens[start + 1 : end])


def _names_cell(tokens: Sequence[Token], start: int, end: int) -> bool:
    """`12 in A1 and 13`, `total in cell B7`: unquoted text, and where it goes."""
    for at in range(start + 1, end - 1):
        if tokens[at].kind == "quote" or tokens[at].plain not in _INSIDE:
            continue
        place = at + 1 + count_phrase(load_lexicon().classes["cell_noun"], tokens, at + 1, end)
        if place < end and _CELL.fullmatch(tokens[place].text):
            return True
    return False


def _goes_on_with_deed(tokens: Sequence[Token], start: int, end: int) -> bool:
    """`hello and mute the phone`, 你好按回车键: unquoted text, then something to be done."""
    for at in range(start + 1, end):
        if tokens[at].kind == "quote":
            continue
        joint = measure_joint(tokens, at, end)
        if joint and begins_deed(tokens, at + joint, end):
            return True
        if count_phrase(load_lexicon().classes["enter_key_zh"], tokens, at, end) == end - at:
            return True
    return False
