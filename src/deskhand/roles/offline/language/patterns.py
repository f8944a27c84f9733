"""Matches a clause against sentence patterns, with backtracking; slots are checked by their kind."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from deskhand.roles.offline.language import sums
from deskhand.roles.offline.language.coverage import holds_clause, measure_joint
from deskhand.roles.offline.language.lexicon import (
    PatternPart,
    Phrase,
    SentenceRule,
    count_phrase,
    is_word,
    load_lexicon,
)
from deskhand.roles.offline.language.new_things import has_only_time, read_clock
from deskhand.roles.offline.language.phone_slots import (
    are_clocks,
    are_names,
    is_alarm,
    is_phone_number,
    is_place,
    read_duration,
    split_counted,
    split_names,
)
from deskhand.roles.offline.language.text_forms import NTH, NTH_WORD, PASSAGE
from deskhand.roles.offline.language.tokens import Token
from deskhand.screen.grounding.query import read_author, read_description
from deskhand.screen.grounding.vocabulary import is_same_word

Span = tuple[int, int]
_Fits = Callable[[Sequence[Token], int, int], bool]

# Slots that may go on over commas, since they hold what is to be said or written.
_LONG = frozenset(
    {
        "text", "more", "phrase", "quote", "sum", "url", "value", "fields", "both", "condition", "solid", "alone",
        "clocks", "counted", "listed", "sentence", "duration", "toggles",
    }
)  # fmt: skip
# What ends a phrase that is not quoted; a dot may belong to it ("Dr. Who").
_STOPS = frozenset(",，;；。!！\n")
# 打开一下蓝牙: any Chinese verb may have it, and means the same without.
_BRIEFLY: tuple[Phrase, ...] = (("一", "下"),)
_COLONS = frozenset(":：")
# `He said “hi”`, 他说“你好”: the quotes belong to the text.
_SPEECH = frozenset({"said", "say", "says", "saying", "说", "道", "喊", "问", "答", "叫"})
_DESCRIBING = frozenset({"that", "which", "whose", "starts", "starting", "ends", "ending", "begins", "containing"})
_MOST_ANNOUNCING = 8
_PARTICLES = frozenset({"的", "了", "是", "再"})
_MAY_END_IN_PARTICLE = frozenset({"condition", "question", "text", "alone"})
_STATES = (
    "state_on", "state_off", "state_checked", "state_unchecked", "state_selected", "state_visible", "state_hidden",
    "state_empty", "state_open", "state_enabled", "state_disabled",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SentenceMatch:
    """`app` is where it is to be done, if the clause says so before or behind the sentence proper, `own`."""

    kind: str
    slots: dict[str, Span]
    app: Span | None = None
    own: Span | None = None
    # how often it is to be done
    times: int = 1


def match_rules(rules: Sequence[SentenceRule], tokens: Sequence[Token], start: int, end: int) -> SentenceMatch | None:
    """The first rule whose pattern takes the whole clause."""
    present = {token.plain for token in tokens[start:end] if token.kind != "quote"}
    for rule in rules:
        for pattern in rule.patterns:
            if not _is_possible(pattern, present, tokens[start]):
                continue
            if (found := next(_match_parts(pattern, tokens, start, end, {}), None)) is not None:
                return SentenceMatch(rule.kind, found)
    return None


# Where it goes on as it likes, `in Settings` may belong to what is said; a button may be called `Open in Browser`.
_OPEN_ENDED = frozenset({"text", "both", "value", "fields"})
_TOUCHES = frozenset({"click", "double", "right", "long"})
# What a user may ask not to be done.
_DEEDS = frozenset(
    {
        "send", "tell", "tell_in", "call", "switch_on", "switch_off", "open", "close", "delete", "create", "photo",
        "join_network", "timer", "alarms", "set", "mode", "add_to_cart", "wake",
    }
)  # fmt: skip


def match_with_app(
    rules: Sequence[SentenceRule], tokens: Sequence[Token], start: int, end: int
) -> SentenceMatch | None:
    """`use the calculator to compute 6*7`, `compute 6*7 in the calculator`: a sentence, and the app for it."""
    classes = load_lexicon().classes
    if taken := count_phrase(classes["use"], tokens, start, end):
        for at in range(start + taken + 1, end - 1):
            if is_word(tokens[at], "to") and _is_tool(tokens, start + taken, at):
                found = match_rules(rules, tokens, at + 1, end)
                if found is not None:
                    return replace(found, app=(start + taken, at), own=(at + 1, end))
    for at in range(end - 2, start, -1):
        if count_phrase(classes["inside"], tokens, at, end) and is_app(tokens, at + 1, end):
            found = match_rules(rules, tokens, start, at)
            if found is not None and found.kind not in _TOUCHES and not _is_open_ended(found, tokens, at):
                return replace(found, app=(at + 1, end), own=(start, at))
    return None


def _is_tool(tokens: Sequence[Token], start: int, end: int) -> bool:
    """An app by its name; a field is a part of one."""
    return (
        fits_slot("name", "name", tokens, start, end)
        and "field" not in read_description(write_span(tokens, start, end)).roles
    )


def _is_open_ended(found: SentenceMatch, tokens: Sequence[Token], end: int) -> bool:
    last = {name for name, span in found.slots.items() if span[1] == end}
    return tokens[end - 1].kind != "quote" and not last.isdisjoint(_OPEN_ENDED)


def _is_possible(pattern: Sequence[PatternPart], present: set[str], first: Token) -> bool:
    """Quickly no for most patterns: a word that must be there is not, or the clause begins otherwise."""
    head = pattern[0]
    if head.phrases and not head.optional and (first.kind == "quote" or first.plain not in head.firsts):
        return False
    return all(part.optional or part.slot or not part.firsts.isdisjoint(present) for part in pattern)


def _match_parts(
    parts: Sequence[PatternPart], tokens: Sequence[Token], at: int, end: int, slots: dict[str, Span]
) -> Iterator[dict[str, Span]]:
    if not parts:
        if at == end:
            yield slots
        return
    part, rest = parts[0], parts[1:]
    if part.slot:
        stops = range(end, at, -1) if part.greedy else range(at + 1, end + 1)
        for stop in stops:
            if fits_slot(part.slot, part.kind or part.slot, tokens, at, stop):
                yield from _match_parts(rest, tokens, stop, end, {**slots, part.slot: (at, stop)})
    else:
        # only the longest phrase: 发送 is never read as 发 with something called 送
        taken = count_phrase(part.phrases, tokens, at, end)
        if taken and count_phrase(load_lexicon().longer_words, tokens, at, end) <= taken:
            after = at + taken
            if tokens[after - 1].kind == "han" and (briefly := count_phrase(_BRIEFLY, tokens, after, end)):
                yield from _match_parts(rest, tokens, after + briefly, end, slots)
            yield from _match_parts(rest, tokens, after, end, slots)
    if part.optional:
        yield from _match_parts(rest, tokens, at, end, slots)


def fits_slot(slot: str, kind: str, tokens: Sequence[Token], start: int, end: int) -> bool:
    """True if the span can be what a slot of this name and kind holds: any words, but never another clause."""
    last = tokens[end - 1]
    answer = end - start == 1 and last.plain == "是"  # 点击是
    if last.kind == "han" and last.plain in _PARTICLES and kind not in _MAY_END_IN_PARTICLE and not answer:
        return False
    if kind not in _LONG and any(t.kind == "mark" and t.plain in load_lexicon().separators for t in tokens[start:end]):
        return False
    fits = _FITS.get(kind)
    return (fits is None or fits(tokens, start, end)) and not holds_clause(slot, tokens, start, end)


def _is_one_of(*kinds: str) -> _Fits:
    """Return the test for a single token of these kinds."""
    return lambda tokens, start, end: end - start == 1 and tokens[start].kind in kinds


def _is_all_of(*classes: str) -> _Fits:
    """Return the test for a span that is one phrase of these classes and nothing else."""

    def fits_class(tokens: Sequence[Token], start: int, end: int) -> bool:
        known = load_lexicon().classes
        # 备忘录 is no 备忘 called 录: only the longest phrase that stands here
        longest = max(count_phrase(known[name], tokens, start, len(tokens)) for name in classes)
        return any(count_phrase(known[name], tokens, start, end) == end - start for name in classes) and (
            longest <= end - start or tokens[start].kind != "han"
        )

    return fits_class


def _has_quote(tokens: Sequence[Token], start: int, end: int) -> bool:
    return any(t.kind == "quote" for t in tokens[start:end])


def _is_person(tokens: Sequence[Token], start: int, end: int) -> bool:
    message, selves = load_lexicon().classes["message"], load_lexicon().classes["selves"]
    return (
        count_phrase(selves, tokens, start, end) != end - start
        and not (end - start > 1 and _has_quote(tokens, start, end))
        and not _is_all_of("a")(tokens, start, end)
        and not any(count_phrase(message, tokens, at, end) for at in range(start, end))
    )


def _is_question(tokens: Sequence[Token], start: int, end: int) -> bool:
    own = "".join(t.plain if t.kind != "quote" else " " for t in tokens[start:end])
    return any(mark in own for mark in load_lexicon().extra["questions"])


def _is_phrase(tokens: Sequence[Token], start: int, end: int) -> bool:
    stopped = any(t.kind == "mark" and t.plain in _STOPS for t in tokens[start:end])
    return not stopped and not _continues_after_quote(tokens, start, end)


def _continues_after_quote(tokens: Sequence[Token], start: int, end: int) -> bool:
    """A text that is given in quotes ends with them: what follows a comma or `and` is another clause."""
    quote = next((at for at in range(start, end) if tokens[at].kind == "quote"), end)
    if end - quote < 2 or not _is_announced(tokens, start, quote):
        return False
    after = tokens[quote + 1]
    if after.kind != "quote" and after.plain in {"to", "给"}:
        return True  # `reply “ok” to Bob`: whom it is for
    separated = after.kind == "mark" and after.plain in load_lexicon().separators
    return separated or bool(count_phrase(load_lexicon().connectors, tokens, quote + 1, end))


def _is_announced(tokens: Sequence[Token], start: int, quote: int) -> bool:
    """True if the words before a quote only say what it is (`the name “Alice”`, `姓名：“王五”`) and are not text."""
    words = [token for token in tokens[start:quote] if token.plain not in _COLONS]
    if not words:
        return True
    said = words[-1].plain in _SPEECH or any(token.kind not in ("word", "han") for token in words)
    # `an item that starts with “Egy”` describes a text, and “Egy” is not it
    said = said or any(token.plain in _DESCRIBING for token in words)
    if said or len(words) > _MOST_ANNOUNCING:
        return False
    classes = load_lexicon().classes
    named = any(
        count_phrase(classes["text_noun"], words, at, len(words)) == len(words) - at for at in range(len(words))
    )
    return bool(count_phrase(classes["article"], words, 0, 1)) or named


def _is_announced_quote(tokens: Sequence[Token], start: int, end: int) -> bool:
    """A quoted text, with or without the words that say what it is."""
    quotes = [at for at in range(start, end) if tokens[at].kind == "quote"]
    return quotes == [end - 1] and _is_announced(tokens, start, end - 1)


def read_text(tokens: Sequence[Token], start: int, end: int) -> str:
    """What is to be said or typed, exactly as it was written: what is in the quotes if it is given in quotes."""
    while start < end - 1 and tokens[start].plain in _COLONS:
        start += 1
    if _is_announced_quote(tokens, start, end):
        return tokens[end - 1].text
    return copy_span(tokens, start, end)


def _is_site(tokens: Sequence[Token], start: int, end: int) -> bool:
    first = tokens[start]
    return end - start == 1 and (first.kind == "url" or (first.kind == "word" and "." in first.plain))


def is_app(tokens: Sequence[Token], start: int, end: int) -> bool:
    """The name of a well-known app, or anything that is called an app."""
    classes = load_lexicon().classes
    start += count_phrase(classes["the"], tokens, start, end)
    bare = next((at for at in range(start + 1, end) if count_phrase(classes["app"], tokens, at, end) == end - at), end)
    return bare < end or count_phrase(classes["app_name"], tokens, start, end) == end - start > 0


def is_app_name(tokens: Sequence[Token], start: int, end: int) -> bool:
    return _is_all_of("app_name")(tokens, start, end)


_CHINESE_NUMBER = re.compile(r"[零一二两三四五六七八九十半]+")


def _is_number(tokens: Sequence[Token], start: int, end: int) -> bool:
    text = "".join(t.plain for t in tokens[start:end])
    if (end - start == 1 and tokens[start].kind == "number") or text in load_lexicon().extra["numbers"]:
        return True
    return _CHINESE_NUMBER.fullmatch(text) is not None


def read_keys(inside: Sequence[Token], *, named: bool = False) -> tuple[str, ...] | None:
    """`ctrl + c`, `enter`, `回车` → the keys' names; None if any of it is no key.

    `named`: they were called keys, so that Delete is one as well.
    """
    known: dict[str, str] = load_lexicon().extra["keys"]
    others: dict[str, str] = load_lexicon().extra["named_keys"]
    text = "".join(t.plain for t in inside).removesuffix("键")
    parts = [part for part in re.split(r"[+]", text) if part] or [text]
    if len(parts) == 1:
        key = known.get(text) or (others.get(text) if named else None)
        return (key,) if key else None
    names = [known.get(part) or others.get(part) or (part if len(part) == 1 else "") for part in parts]
    return tuple(names) if all(names) else None


def copy_span(tokens: Sequence[Token], start: int, end: int) -> str:
    """The span exactly as it stands in the goal, its quotes and blanks included."""
    return "".join(t.written if k == start else t.gap + t.written for k, t in enumerate(tokens[start:end], start))


def write_span(tokens: Sequence[Token], start: int, end: int, *, simplified: bool = True) -> str:
    """The words of a span with one kind of quotes and blanks, a lone quoted text without its quotes."""
    if end - start == 1 and tokens[start].kind == "quote":
        return tokens[start].text
    parts: list[str] = []
    for k in range(start, end):
        token = tokens[k]
        if parts and tokens[k - 1].end < token.start:
            parts.append(" ")
        parts.append(f"“{token.text}”" if token.kind == "quote" else token.simplified if simplified else token.text)
    return "".join(parts)


def _is_solid(tokens: Sequence[Token], start: int, end: int) -> bool:
    """A name without blanks (`bob@example.com`, `/tmp/a.pdf`), or a quoted one."""
    if end - start == 1 and tokens[start].kind == "quote":
        return True
    whole = not any(token.gap for token in tokens[start + 1 : end])
    return whole and not _has_quote(tokens, start, end) and tokens[start].plain not in _COLONS


_CELL = re.compile(r"[a-z]{1,3}[1-9]\d{0,6}")


def _is_cell(tokens: Sequence[Token], start: int, end: int) -> bool:
    return end - start == 1 and tokens[start].kind != "quote" and _CELL.fullmatch(tokens[start].plain) is not None


def _is_collection(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Something that text can be added to, called what it is: `my shopping list`, `the note Plans`, 购物清单."""
    kinds = load_lexicon().classes["collection"]
    bare = start + count_phrase(load_lexicon().classes["article"], tokens, start, end)
    first = count_phrase(kinds, tokens, bare, end)
    return any(count_phrase(kinds, tokens, at, end) == end - at for at in range(bare, end)) or 0 < first < end - bare


def _is_toggle(tokens: Sequence[Token], start: int, end: int) -> bool:
    name = write_span(tokens, start, end)
    return any(is_same_word(name, word) for word in load_lexicon().extra["toggles"])


def _are_toggles(tokens: Sequence[Token], start: int, end: int) -> bool:
    """`Wi-Fi和蓝牙`: several things, each of which is on or off."""
    names = split_names(write_span(tokens, start, end))
    known = load_lexicon().extra["toggles"]
    return len(names) > 1 and all(any(is_same_word(name, word) for word in known) for name in names)


_SETTLED = frozenset({"on", "off", "to", "into", "with", "开", "关", "到"})


def _is_single(tokens: Sequence[Token], start: int, end: int) -> bool:
    """`Bluetooth on and Wi-Fi`: what stands before the joint is said of another thing already."""
    joints = [at for at in range(start + 1, end) if tokens[at].kind != "quote" and measure_joint(tokens, at, end)]
    return not any(is_word(tokens[k], word) for at in joints for k in range(start, at) for word in _SETTLED)


def _is_alone(tokens: Sequence[Token], start: int, end: int) -> bool:
    """`Bob in the name field and 5`, `Bob and Email with x`: text and field, joined to text and field."""
    joined = any(tokens[at].kind != "quote" and measure_joint(tokens, at, end) for at in range(start + 1, end))
    links = load_lexicon().classes["field_link"]
    paired = any(tokens[at].kind != "quote" and count_phrase(links, tokens, at, end) for at in range(start + 1, end))
    return not (joined and paired) and not _continues_after_quote(tokens, start, end)


def _is_sentence(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Something that could be done by itself: what is not to be done must be understood too."""
    found = match_rules(load_lexicon().rules, tokens, start, end)
    return found is not None and found.kind in _DEEDS


def _reads_as(is_so: Callable[[str], object]) -> _Fits:
    """Return the test for a span by the text that it makes."""
    return lambda tokens, start, end: bool(is_so(write_span(tokens, start, end)))


def _is_dial(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Something that is set to a value by turning or sliding it."""
    query = read_description(write_span(tokens, start, end))
    return "slider" in query.roles or "spin" in query.name.casefold() or "field" in query.roles


def _is_like(pattern: re.Pattern[str]) -> _Fits:
    """Return the test for words of this form, none of them in quotes."""
    return lambda tokens, start, end: (
        not _has_quote(tokens, start, end) and pattern.fullmatch(write_span(tokens, start, end).casefold()) is not None
    )


_FITS: dict[str, _Fits] = {
    "sentence": _is_sentence,
    "place": is_place,
    "duration": _reads_as(read_duration),
    "clocks": _reads_as(are_clocks),
    "alarm": _reads_as(is_alarm),
    "phone": _reads_as(is_phone_number),
    "counted": _reads_as(lambda text: split_counted(text)[0]),
    "listed": are_names,
    "nth_word": _is_like(NTH_WORD),
    "nth": _is_like(NTH),
    "mail": lambda t, a, b: _is_all_of("mail_ref")(t, a, b) or bool(read_author(write_span(t, a, b))),
    "passage": _is_like(PASSAGE),
    "spot": _is_all_of("spot"),
    "side": _is_all_of("side_height", "side_width"),
    "alone": _is_alone,
    "single": _is_single,
    "dial": _is_dial,
    "solid": _is_solid,
    "cell": _is_cell,
    "collection": _is_collection,
    "toggle": _is_toggle,
    "toggles": _are_toggles,
    "moment": _reads_as(lambda text: read_clock(text) and has_only_time(text)),
    "one_alarm": _reads_as(
        lambda text: is_alarm(text) and not re.fullmatch(r"(?:[把将].*|闹钟|(?:the |my )?alarm)", text)
    ),
    "mode_of": _is_all_of("mode_of"),
    "clock": lambda tokens, start, end: read_clock(write_span(tokens, start, end)) is not None,
    "named_key": lambda tokens, start, end: read_keys(tokens[start:end], named=True) is not None,
    "quote": _is_one_of("quote"),
    "announced": _is_announced_quote,
    "url": _is_one_of("url"),
    "word": _is_one_of("word", "quote"),
    "number": _is_number,
    "sum": lambda tokens, start, end: sums.read_sum(write_span(tokens, start, end)) is not None,
    "site": _is_site,
    "app": is_app,
    "key": lambda tokens, start, end: read_keys(tokens[start:end]) is not None,
    "field": lambda tokens, start, end: "field" in read_description(write_span(tokens, start, end)).roles,
    "menu_name": lambda tokens, start, end: "menu" in read_description(write_span(tokens, start, end)).roles,
    "thing": _is_all_of("thing"),
    "step": _is_all_of("step"),
    "messenger": _is_all_of("messenger"),
    "terminal": _is_all_of("terminal"),
    "state": _is_all_of(*_STATES),
    "name": lambda tokens, start, end: (
        (end - start == 1 or not _has_quote(tokens, start, end)) and not is_word(tokens[start], "and")
    ),
    "plain": lambda tokens, start, end: not _has_quote(tokens, start, end),
    "person": _is_person,
    "both": lambda tokens, start, end: tokens[start].kind != "mark",  # `Text: pack bags` is told to nobody
    "question": _is_question,
    "text": lambda tokens, start, end: not _continues_after_quote(tokens, start, end),
    "phrase": _is_phrase,
}
