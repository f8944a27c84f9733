"""Goals that list things: numbered steps, and several switches or apps behind one verb."""

import re
from collections.abc import Sequence
from dataclasses import replace

from deskhand.language import is_chinese, to_simplified
from deskhand.roles.offline.language.coverage import find_clause, measure_joint
from deskhand.roles.offline.language.instructions import (
    Close,
    Delete,
    Instruction,
    Open,
    PressKey,
    Select,
    Send,
    SetValue,
    Tap,
    Toggle,
    Verify,
    Write,
)
from deskhand.roles.offline.language.lexicon import count_phrase, load_lexicon
from deskhand.roles.offline.language.patterns import copy_span, is_app, read_keys
from deskhand.roles.offline.language.screen_conditions import condition_of, is_condition
from deskhand.roles.offline.language.tokens import Token, cut_tokens
from deskhand.screen.grounding.query import parse_chinese_number
from deskhand.screen.grounding.vocabulary import is_same_word

_CLOSERS = frozenset(".、)）:：")
_CIRCLED = re.compile(r"[①-⑳]")
_AND = re.compile(r"\s*(?:、|,|，|&|\band\b|\bthen\b|以及|和|与|及|跟)\s*")
_ALL = re.compile(r"^both\s+|\s*(?:都|全都|全部|分别|各自)$|\s+(?:too|as well|each|both)$", re.IGNORECASE)
_ON_APP = re.compile(r"(?P<said>.+\S)\s+(?:on|in|via|using|through|with)\s+(?P<app>[^“”\"]+)", re.IGNORECASE)

# What can be said of several things at once, each of which has a name that is known.
Shared = Toggle | Open | Close
# What can be said of several things only if each is quoted: a button may be called `Save and Close`.
Quoted = Select | Tap
_QUOTE = re.compile(r"“[^”]*”")
# What can be said of one thing after the other.
Repeated = Toggle | Open | Close | Tap | Select | Delete
# A name of more words than this is hardly one of a list.
MOST_WORDS = 6


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
    if isinstance(step, Quoted):
        return _split_quoted(step)
    if isinstance(step, Send) and len(people := _list_people(step.to)) > 1:
        return [replace(step, source=step.source.replace(step.to, name, 1), to=name) for name in people]
    if not isinstance(step, Shared):
        return [step]
    names = _list_known_names(_name_of(step))
    return [_repeat_for(step, name) for name in names] if len(names) > 1 else [step]


def _split_quoted(step: Quoted) -> list[Instruction]:
    said = step.option if isinstance(step, Select) else step.target
    names = [name for name in _AND.split(_ALL.sub("", said)) if name]
    if len(names) < 2 or not all(_QUOTE.fullmatch(name) for name in names):
        return [step]
    slot = "option" if isinstance(step, Select) else "target"
    bare = [name[1:-1] for name in names]
    sources = _tell_quoted(step.source, bare)
    return mark_choices(
        [replace(step, source=source, **{slot: name}) for source, name in zip(sources, bare, strict=True)]
    )


def _tell_quoted(source: str, names: Sequence[str]) -> list[str]:
    """The source once for each of its quoted names, with only that one in it."""
    written = {token.text: token.written for token in cut_tokens(source) if token.kind == "quote"}
    begin, end = source.index(written[names[0]]), source.rindex(written[names[-1]]) + len(written[names[-1]])
    return [source[:begin] + written[name] + source[end:] for name in names]


def mark_choices(made: list[Instruction]) -> list[Instruction]:
    """`select Tea, Milk`: several at once are choices, so a button of one of these names is not meant."""
    if len(made) < 2 or not all(isinstance(step, Select) and not step.source_name for step in made):
        return made
    return [
        replace(step, source=_tell_choice(step), listed=True) if isinstance(step, Select) else step for step in made
    ]


def _tell_choice(step: Select) -> str:
    name = f"“{step.option}”" if f"“{step.option}”" in step.source or " " in step.option else step.option
    return f"从选项中选择{name}" if is_chinese(step.source) else f"select {name} from the choices"


def continue_list(said: str, last: Instruction) -> list[Instruction]:
    """`… and Wi-Fi off` behind `turn Bluetooth on`: the last instruction, then more of the same; empty if it is not."""
    said = _ALL.sub("", said)
    if isinstance(last, Shared) and _list_known_names(_name_of(last)) and (names := _list_known_names(said)):
        return [last, *(_repeat_for(last, name) for name in names)]
    if isinstance(last, Send) and (found := _ON_APP.fullmatch(said)) and _is_known(found["app"]):
        # `… and Tom "hi" on WeChat`: all of it is sent there
        sent = continue_list(found["said"], last)
        return [Open(f"open {found['app']}", found["app"]), *sent] if sent else []
    made = [last]
    for piece in _split_joined(said):
        more = _continue_with(piece, made[-1])
        if more is None:
            return []
        made.append(more)
    return mark_choices(_share_source(made))


def _split_joined(said: str) -> list[str]:
    """The parts between commas and `and`; quoted ones are never cut."""
    tokens = cut_tokens(said)
    pieces: list[str] = []
    start = at = 0
    while at < len(tokens):
        joint = measure_joint(tokens, at, len(tokens)) or int(tokens[at].kind == "han" and tokens[at].plain in "和与跟")
        if joint:
            pieces.append(copy_span(tokens, start, at))
            start = at = at + joint
        else:
            at += 1
    return [piece for piece in (*pieces, copy_span(tokens, start, len(tokens))) if piece]


_FROM_PLACE = re.compile(r"\s+(?:from|in|under)\s+(?:the\s+)?(?:“[^“”]+”|\"[^\"]+\"|[^“”,\"]+)$", re.IGNORECASE)
_STATE = re.compile(r"(?:(?P<name>.+?)\s+)?(?P<state>on|off)", re.IGNORECASE)
_TO_VALUE = re.compile(r"(?P<name>[^“”\"]+?)\s+(?:to|at)\s+(?P<value>.+)", re.IGNORECASE)
_INTO = re.compile(r"(?P<text>.+?)\s+(?:into|in)\s+(?P<name>.+)", re.IGNORECASE)
_WITH = re.compile(r"(?P<name>.+?)\s+with\s+(?P<text>.+)", re.IGNORECASE)


def _continue_with(said: str, last: Instruction) -> Instruction | None:
    """Return the instruction that says of something else what the last one says; None if that is not clear."""
    match last:
        case Toggle() if (found := _STATE.fullmatch(said)) and re.search(r"\b(?:on|off)\b", last.source):
            return _continue_switching(last, found["name"], found["state"])
        case SetValue() if found := _TO_VALUE.fullmatch(said):
            name, value = found["name"], _strip_quotes(found["value"])
            return None if _is_odd(name) else replace(last, source=f"set {name} to {value}", target=name, value=value)
        case Write(target=target) if target and (found := _INTO.fullmatch(said) or _WITH.fullmatch(said)):
            text, name = found["text"], found["name"]
            source = f"type {text} into {name}"
            return (
                None if _is_odd(text, name) else Write(source, _strip_quotes(text), _strip_quotes(name), last.replace)
            )
        case Send():
            return _continue_sending(said)
        case PressKey():
            keys = read_keys(cut_tokens(said), named=True)
            return (
                PressKey(f"press {said}{' key' if ' ' not in said and '+' not in said else ''}", keys) if keys else None
            )
        case Verify() if is_condition(said):
            return Verify(f"verify that {said}", condition_of(said))
        case Tap() | Select() | Toggle() | Delete():
            short = _is_short_name(_FROM_PLACE.sub("", said) if isinstance(last, Select) else said)
            more = _repeat_for(last, said)
            return more if short and more.source != last.source else None
        case _:
            return None


def _continue_switching(last: Toggle, said: str | None, state: str) -> Instruction | None:
    name = _strip_quotes(said) if said else last.target
    turned = replace(last, source=f"turn {name} {state}", target=name, on=state.lower() == "on")
    return None if _is_odd(name) else turned


def _continue_sending(said: str) -> Instruction | None:
    tokens = cut_tokens(said)
    if len(tokens) < 2 or sum(token.kind == "quote" for token in tokens) != 1:
        return None
    if tokens[-1].kind == "quote":
        name, text = copy_span(tokens, 0, len(tokens) - 1), tokens[-1].written
    elif tokens[0].kind == "quote" and tokens[1].plain == "to" and len(tokens) > 2:
        name, text = copy_span(tokens, 2, len(tokens)), tokens[0].written
    else:
        return None
    placed = any(token.plain in {"in", "on", "via", "using", "to"} for token in cut_tokens(name))
    return None if placed or _is_odd(name) else Send(f"send {text} to {name}", _strip_quotes(text), name)


def _share_source(made: list[Instruction]) -> list[Instruction]:
    """`pick A, B and C from Members`: each of them from there."""
    last = made[-1]
    found = re.fullmatch(r"(.+?)\s+(?:from|in|under)\s+(.+)", last.option) if isinstance(last, Select) else None
    if not found or len(made) < 2:
        return made
    return [
        Select(f"select {name} from {found[2]}", _strip_quotes(name), _strip_quotes(found[2]))
        for name in (*(step.option for step in made[:-1] if isinstance(step, Select)), found[1])
    ]


def _is_odd(*names: str) -> bool:
    """True for words that are hardly one more name of a list: a clause, a deed, too many."""
    for name in names:
        tokens = cut_tokens(name)
        deed = count_phrase(load_lexicon().classes["deed"], tokens, 0, len(tokens)) if len(tokens) > 1 else 0
        broken = tokens and count_phrase(load_lexicon().breaking, tokens, 0, len(tokens))
        if not tokens or deed or broken or len(tokens) > MOST_WORDS or find_clause(tokens, 0, len(tokens)) is not None:
            return True
    return False


def _is_short_name(said: str) -> bool:
    """`B`, `“my page”`, `Sign up`, `the Save button`: one more name, and hardly a sentence of an unknown verb."""
    tokens = cut_tokens(said)
    if said.isalnum() and said.isascii():
        return True  # `3HK` is one name, whatever it is cut into
    words = load_lexicon()
    led = count_phrase(words.corrections, tokens, 0, len(tokens)) or count_phrase(
        words.connectors, tokens, 0, len(tokens)
    )
    if led or any(count_phrase(words.classes["into_value"], tokens, at, len(tokens)) for at in range(len(tokens))):
        return False
    if len(tokens) == 1:
        return True
    named = said[:1].isupper() or tokens[0].plain == "the" or not said.isascii()
    inner = any(count_phrase(load_lexicon().classes["article"], tokens, at, at + 1) for at in range(1, len(tokens)))
    return named and not inner and not _is_odd(said)


def _list_people(said: str) -> list[str]:
    """`Alice and Bob`, 张三和李四: each of them; 和 may also belong to a name, so both must look like one."""
    names = [name for name in _AND.split(_ALL.sub("", said)) if name]
    surnames = load_lexicon().extra["people"]["surnames"]
    han = [name for name in names if not name.isascii()]
    return names if all(2 <= len(name) <= 4 and to_simplified(name[0]) in surnames for name in han) else [said]


def _strip_quotes(name: str) -> str:
    tokens = cut_tokens(name)
    return tokens[0].text if len(tokens) == 1 and tokens[0].kind == "quote" else name


def _name_of(step: Repeated) -> str:
    match step:
        case Open(name=name):
            return name
        case Select(option=name):
            return name
        case _:
            return step.target


def _repeat_for(step: Repeated, name: str) -> Instruction:
    source = _put_name(step.source, _name_of(step), name)
    bare = _strip_quotes(name)
    named = {"name" if isinstance(step, Open) else "option" if isinstance(step, Select) else "target": bare}
    return replace(step, source=source, **named)


def _put_name(source: str, old: str, new: str) -> str:
    """The source with the new name, in its own quotes if it has them, where the old one stood."""
    quoted = next((t.written for t in cut_tokens(source) if t.kind == "quote" and t.text == old), old)
    return source.replace(quoted, new, 1)


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
