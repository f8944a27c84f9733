"""Goals that list things: numbered steps, and several switches or apps behind one verb."""

import re
from collections.abc import Sequence
from dataclasses import replace

from deskhand.roles.offline.language.instructions import Close, Instruction, Open, Toggle
from deskhand.roles.offline.language.lexicon import load_lexicon
from deskhand.roles.offline.language.patterns import is_app
from deskhand.roles.offline.language.tokens import Token, cut_tokens
from deskhand.screen.grounding.query import parse_chinese_number
from deskhand.screen.grounding.vocabulary import is_same_word

_CLOSERS = frozenset(".、)）:：")
_CIRCLED = re.compile(r"[①-⑳]")
_AND = re.compile(r"\s*(?:、|,|，|&|\band\b|以及|和|与|及|跟)\s*")
_ALL = re.compile(r"^both\s+|\s*(?:都|全都|全部)$", re.IGNORECASE)

# What can be said of several things at once, each of which has a name that is known.
Shared = Toggle | Open | Close


def drop_numbers(tokens: Sequence[Token]) -> Sequence[Token]:
    """`1. … 2. …`, `一、…二、…`, `第一步…第二步…`, `step 1: …` with a plain separator for each number.

    Only where the goal begins with the first and each next one counts on: any other number belongs to what is said.
    """
    taken, number, at = list[Token](), 1, 0
    while at < len(tokens):
        width = _measure_number(tokens, at, number)
        if not width and not at:
            return tokens
        taken.append(replace(tokens[at], kind="mark", text=";", plain=";", written=";") if width else tokens[at])
        number, at = number + bool(width), at + (width or 1)
    return taken


def _measure_number(tokens: Sequence[Token], at: int, number: int) -> int:
    """Return how many tokens the number of a step takes here; 0 if this is no such number."""
    said = [token.plain if token.kind != "quote" else "" for token in tokens[at : at + 5]] + [""] * 5
    led = 2 if said[0] + said[1] == "步骤" else int(said[0] in {"step", "第", "(", "（"})
    if parse_chinese_number(said[led]) != number:
        return 0
    end = led + 1 + (said[led + 1] == "步")
    marked = said[end] in _CLOSERS and said[end] != ""
    sure = marked or (led and said[0] != "(" and end > 1) or _CIRCLED.fullmatch(tokens[at].text)
    return end + marked if sure else 0


def split_list(step: Instruction) -> list[Instruction]:
    """`turn on Wi-Fi and Bluetooth` is an instruction for each; a button may be called `Save and Close`."""
    if not isinstance(step, Shared):
        return [step]
    names = _list_known_names(_name_of(step))
    return [_repeat_for(step, name) for name in names] if len(names) > 1 else [step]


def continue_list(said: str, last: Instruction | None) -> list[Instruction]:
    """`…, Bluetooth and dark mode` behind `turn on Wi-Fi`: more of the same, if they are all known."""
    if not isinstance(last, Shared) or not _list_known_names(_name_of(last)):
        return []
    return [_repeat_for(last, name) for name in _list_known_names(said)]


def _name_of(step: Shared) -> str:
    return step.name if isinstance(step, Open) else step.target


def _repeat_for(step: Shared, name: str) -> Instruction:
    source = step.source.replace(_name_of(step), name, 1)
    bare = name.strip("“”")
    named = {"name" if isinstance(step, Open) else "target": bare}
    return replace(step, source=source, **named)


def _list_known_names(said: str) -> list[str]:
    """Every name of the list; none at all if one of them is unknown, since then it may be a single name."""
    names = [name for name in _AND.split(_ALL.sub("", said)) if name]
    return names if all(_is_known(name) for name in names) else []


def _is_known(name: str) -> bool:
    tokens = cut_tokens(name)
    if (len(tokens) == 1 and tokens[0].kind == "quote") or is_app(tokens, 0, len(tokens)):
        return True
    bare = name.strip("“”").casefold().removeprefix("the ")
    return any(is_same_word(bare, word) for word in load_lexicon().extra["toggles"])
