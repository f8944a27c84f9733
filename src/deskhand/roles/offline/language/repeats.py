"""Matches a sentence that says how often it is to be done: `press Tab twice`, 返回两次."""

from collections.abc import Sequence
from dataclasses import replace

from deskhand.roles.offline.language.lexicon import SentenceRule, count_phrase, load_lexicon
from deskhand.roles.offline.language.patterns import SentenceMatch, Span, match_rules
from deskhand.roles.offline.language.tokens import Token
from deskhand.screen.grounding.query import parse_chinese_number

# What may be done several times in a row: `press Tab twice`.
_REPEATED = frozenset(
    {"click", "double", "key", "back", "undo", "redo", "paste",
     "scroll_down", "scroll_up", "swipe_left", "swipe_right", "swipe_up", "swipe_down"}
)  # fmt: skip
MOST_TIMES = 20


def match_repeated(
    rules: Sequence[SentenceRule], tokens: Sequence[Token], start: int, end: int
) -> SentenceMatch | None:
    """`press Tab three times`, 返回两次, 按三次Tab键: a sentence, and how often it is to be done."""
    known: dict[str, int] = {"twice": 2, "once": 1, "thrice": 3}
    at, count = end - 1, known.get(tokens[end - 1].plain, 0)
    if count and at - start > 2 and tokens[at - 1].plain in {"only", "just", "exactly"}:
        at -= 1
    if not count and end - start > 2:
        at, count = end - 2, _read_times(tokens, end - 2, end)
    if 0 < count <= MOST_TIMES and at > start:
        return _repeat_sentence(rules, (tokens, start, at), (start, at), count)
    for at in range(start + 1, min(start + _LONGEST_VERB, end - 2) + 1):
        if tokens[at - 1].kind == "han" and 0 < (count := _read_times(tokens, at, at + 2)) <= MOST_TIMES:
            bare = [*tokens[start:at], *tokens[at + 2 : end]]
            found = _repeat_sentence(rules, (bare, 0, len(bare)), (start, end), count)
            # 按5次下箭头 is not 按下 said of an arrow: the verb ends where the number stands
            verb_ends = found is not None and min((first for first, _ in found.slots.values()), default=0) == at - start
            return _shift_slots(found, start, at) if found is not None and verb_ends else None
    return None


# 点击两次保存: behind so many characters at most stands how often.
_LONGEST_VERB = 2


def _repeat_sentence(
    rules: Sequence[SentenceRule], clause: tuple[Sequence[Token], int, int], own: Span, count: int
) -> SentenceMatch | None:
    found = match_rules(rules, *clause)
    return replace(found, times=count, own=own) if found is not None and found.kind in _REPEATED else None


def _shift_slots(found: SentenceMatch, start: int, at: int) -> SentenceMatch:
    """Place the slots where they stand in the goal, with the number and its 次 that were left out at this place."""

    def shift_position(position: int) -> int:
        return start + position + (2 if start + position >= at else 0)

    return replace(
        found,
        slots={name: (shift_position(first), shift_position(last)) for name, (first, last) in found.slots.items()},
    )


def _read_times(tokens: Sequence[Token], at: int, end: int) -> int:
    """Return the number that stands here before `times` or 次; 0 if none does."""
    if not count_phrase(load_lexicon().classes["times"], tokens, at + 1, end):
        return 0
    numbers = load_lexicon().extra["numbers"]
    return int(numbers.get(tokens[at].plain, 0) or parse_chinese_number(tokens[at].plain) or 0)
