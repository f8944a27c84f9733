"""Parses a description of something on the screen ("第二个搜索结果", "the switch next to Wi-Fi") into a Query."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, cast

from deskhand.core.screen import Role
from deskhand.language import has_chinese
from deskhand.screen.grounding.vocabulary import load_vocabulary

Relation = Literal["left", "right", "above", "below", "beside", "inside"]
State = Literal["checked", "unchecked", "selected", "disabled", "enabled", "focused"]

QUOTES = {"“": "”", "「": "」", "『": "』", "‘": "’", '"': '"', "'": "'", "《": "》", "【": "】", "`": "`"}
_QUOTED = re.compile(
    r"“([^”]*)”|「([^」]*)」|『([^』]*)』|‘([^’]*)’|\"([^\"]*)\"|(?<!\w)'([^']*)'(?!\w)|`([^`]*)`|《([^》]*)》"
)
_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2}
# `the center of the circle`, 圆形的正中心; not `the middle of the screen`, which is a place.
_CENTER = re.compile(
    r"(?:the )?(?:exact |very )?(?:center|centre|middle)(?: point)? of (?P<en>(?!(?:the )?(?:screen|page|window)$).+)"
    r"|(?P<zh>(?!屏幕|页面|窗口|界面).+)的(?:正?中心|正?中央|正中间?|中心点)",
    re.IGNORECASE,
)
_MARK = "\ue000"  # replaces a quoted name while the words around it are parsed


@dataclass(frozen=True)
class Query:
    """Holds a parsed description. `ordinal` counts from 1; -1 is the last one. `literal` is the description itself.

    `any_one`: any thing of that kind will do. `lines`: a field for several lines, or for one. `other`: what it means
    if nothing fits (“the button in the dialog labelled OK” may say of either that it is labelled so).
    """

    literal: str
    name: str = ""
    quoted: bool = False
    roles: frozenset[Role] = frozenset()
    ordinal: int | None = None
    position: str = ""
    state: State | None = None
    relation: Relation | None = None
    anchor: Query | None = None
    any_one: bool = False
    lines: Literal["", "one", "several"] = ""
    other: Query | None = None

    @property
    def empty(self) -> bool:
        return not (self.name or self.roles or self.ordinal or self.position or self.state or self.relation)


@lru_cache(maxsize=1024)
def read_description(description: str) -> Query:
    """Parse a description. Never fails: the part that is not recognised is the name."""
    literal = " ".join(description.split()).strip(" .。,，;；:：!！?？")
    if author := read_author(literal):
        return Query(literal=literal, name=author, quoted=True, roles=frozenset[Role]({"item"}))
    middle = _CENTER.fullmatch(literal)
    if middle and not _is_position(literal):  # a touch goes there anyway
        return replace(_read_query(middle["en"] or middle["zh"], depth=0), literal=literal)
    query = _read_query(literal, depth=0)
    other = _move_label(literal)
    return replace(query, other=_read_query(other, depth=0)) if other else query


@lru_cache(maxsize=1)
def _compile_authors() -> tuple[re.Pattern[str], ...]:
    """`the email by Ann`, `the message that Ann sent me`, `the mail you got from Ann`, `Ann's letter`, 安发的邮件."""
    words = load_vocabulary().written
    en, zh = ("|".join(re.escape(w) for w in words if has_chinese(w) is chinese) for chinese in (False, True))
    name = r"(?P<name>[^\s“”\"']+(?: [A-Z][^\s“”\"']*)*|“[^”]+”|\"[^\"]+\")"
    one = rf"(?:the |an? |that |this )?(?:{en})"
    return (
        re.compile(rf"{one} (?:by|from|sent by|written by) {name}(?:,? to me)?", re.IGNORECASE),
        re.compile(rf"{one} (?:that |which )?{name} (?:sent|wrote|has sent)(?: to)?(?: me| you| us)?"),
        re.compile(rf"{one} (?:that |which )?(?:i|you|we|I) (?:got|received|have got) from {name}"),
        re.compile(rf"{name}['’]s (?:{en})"),
        re.compile(rf"(?:来自)?(?P<name>[^的\s]{{1,12}}?)(?:发来的|发的|寄来的|写的|的)(?:那封|那条)?(?:{zh})"),
    )


def read_author(literal: str) -> str:
    """Return by whom a message is, where nothing else is said of it; empty for any other description."""
    for pattern in _compile_authors():
        if found := pattern.fullmatch(literal.strip()):
            return found["name"].strip('“”"')
    return ""


def _move_label(literal: str) -> str:
    """`the button in the dialog labelled “OK”` → `the button labelled “OK” in the dialog`; empty for any other."""
    namers = "|".join(re.escape(namer) for namer in load_vocabulary().namers if not has_chinese(namer))
    found = re.fullmatch(rf"(.+?)( (?:in|on|inside) .+?)( (?:{namers}) (?:“[^”]*”|\"[^\"]*\"))", literal, re.IGNORECASE)
    return f"{found[1]}{found[3]}{found[2]}" if found else ""


def parse_chinese_number(text: str) -> int | None:
    """Return the number of 一 … 九十九 or of digits, or None for any other text."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.partition("十")
    if any(c not in _DIGITS for c in tens + ones) or len(tens) > 1 or len(ones) > 1 or not text:
        return None
    if not ten:
        return _DIGITS[tens]
    return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)


def _read_query(literal: str, depth: int) -> Query:
    quotes: list[str] = [next(g for g in m.groups() if g is not None) for m in _QUOTED.finditer(literal)]
    rest = _QUOTED.sub(f" {_MARK} ", literal).strip()
    query = Query(literal=quotes[0] if rest == _MARK else literal)
    for phrase in load_vocabulary().anywhere:
        if found := _find_phrase(phrase, rest):
            rest = _remove_match(rest, found) or rest
    # "the text area below": below the words of the goal, which may stand on the page themselves
    rest = re.sub(r"(?<=\S) (?:just |right )?below$", "", rest, flags=re.IGNORECASE)
    # "… in the middle of the screen" is a position, not something inside an element called middle
    rest, query = _take_position(rest, query, last=True)
    if depth < 3:
        rest, query = _take_relation(rest, query, quotes, depth)
    rest, query = _take_position(rest, query)
    rest, query = _take_ordinal(rest, query)
    rest, query = _take_state(rest, query)
    query = replace(query, any_one=bool(re.match(r"an?\s", literal, re.IGNORECASE)), lines=_count_lines(rest))
    if rest:
        rest, query = _take_role(_strip_fillers(rest), query)
    # `消息里的第二个` leaves only a particle
    rest = _strip_fillers(rest)
    if _MARK in rest and quotes:
        return _read_kind(rest, quotes[0], query) or replace(query, name=quotes[0], quoted=True)
    return replace(query, name=rest)


def _read_kind(rest: str, quote: str, query: Query) -> Query | None:
    """`a “checkbox” widget`: the quotes hold a kind of thing, not a name."""
    if rest.replace(_MARK, "").strip().casefold() not in load_vocabulary().things:
        return None
    roles = dict(load_vocabulary().roles)
    # a “text” control is one for text
    found = roles.get(f"{quote.casefold()} field") or roles.get(quote.casefold())
    return replace(query, roles=found, lines=_count_lines(f"{quote} field")) if found else None


def _count_lines(text: str) -> Literal["", "one", "several"]:
    low = text.casefold()
    if any(area in low for area in load_vocabulary().areas):
        return "several"
    return "one" if any(low.endswith(word) for word in ("text", "field", "box", "input")) else ""


def _take_relation(rest: str, query: Query, quotes: list[str], depth: int) -> tuple[str, Query]:
    split = _split_relation(rest)
    if split is None:
        return rest, query
    thing, relation, anchor = split
    kept, given = _share_quotes(thing, anchor, quotes)
    quotes[:] = kept
    below = _read_query(_fill_quotes(anchor.strip(), given), depth + 1)
    return thing.strip(), replace(query, relation=cast("Relation", relation), anchor=below)


def _split_relation(rest: str) -> tuple[str, str, str] | None:
    """Return (thing, relation, anchor) if the text names two things."""
    for phrase, relation in load_vocabulary().relations_zh:
        anchor, found, thing = rest.partition(phrase)
        if found and anchor.strip() and thing.strip():
            return thing, relation, anchor
    for phrase, relation in load_vocabulary().relations_en:
        # a whole phrase between two things: "switch for Wi-Fi", not "Foreword", nor "at the top of the screen"
        found = re.search(rf"(?<=\S)\s+{re.escape(phrase)}\s+(?=\S)", rest, re.IGNORECASE)
        if found and not _is_position(rest[found.start() :]):
            return rest[: found.start()], relation, rest[found.end() :]
    return None


def _is_position(tail: str) -> bool:
    start = tail.strip().casefold()
    return any(start.startswith(phrase) for phrase, _ in load_vocabulary().positions)


def _share_quotes(thing: str, anchor: str, quotes: list[str]) -> tuple[list[str], list[str]]:
    """Split the quoted names between the two halves; the anchor may come before the thing (Chinese)."""
    mine, theirs = thing.count(_MARK), anchor.count(_MARK)
    return (quotes[-mine:] if mine else [], quotes[:theirs]) if has_chinese(thing + anchor) else (
        quotes[:mine], quotes[mine:]
    )  # fmt: skip


def _fill_quotes(text: str, quotes: list[str]) -> str:
    for quote in quotes:
        text = text.replace(_MARK, f"“{quote}”", 1)
    return text


def _take_position(rest: str, query: Query, last: bool = False) -> tuple[str, Query]:
    """Take the position out of `rest`. `last`: only a phrase of several words that ends the description."""
    if query.position:
        return rest, query
    for phrase, position in load_vocabulary().positions:
        if last and (" " not in phrase or not rest.casefold().endswith(phrase)):
            continue
        found = _find_phrase(phrase, rest)
        if found and (has_chinese(phrase) or _remove_match(rest, found)):
            return _remove_match(rest, found), replace(query, position=position)
    return rest, query


def _find_phrase(phrase: str, text: str) -> re.Match[str] | None:
    if has_chinese(phrase):
        return re.search(re.escape(phrase), text)
    return re.search(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])", text, re.IGNORECASE)


def _take_ordinal(rest: str, query: Query) -> tuple[str, Query]:
    table = load_vocabulary()
    if found := re.search(rf"(倒数)?第([一二三四五六七八九十两\d]{{1,3}})[{table.counters}]?", rest):
        number = parse_chinese_number(found[2])
        if number:
            return _finish_ordinal(rest, found, replace(query, ordinal=-number if found[1] else number))
    named = "|".join(table.ordinals)
    if found := re.search(rf"\b(?:({named})|(\d{{1,3}})(?:st|nd|rd|th))[ -](?:to[ -])?last\b", rest, re.IGNORECASE):
        number = table.ordinals.index(found[1].casefold()) + 1 if found[1] else int(found[2])
        if number:
            return _finish_ordinal(rest, found, replace(query, ordinal=-number))
    for phrase in table.last:
        pattern = re.escape(phrase) + f"[{table.counters}]?" if has_chinese(phrase) else rf"\b{re.escape(phrase)}\b"
        found = re.search(pattern, rest, re.IGNORECASE)
        if found and (has_chinese(phrase) or _remove_match(rest, found)):
            return _finish_ordinal(rest, found, replace(query, ordinal=-1))
    for number, word in enumerate(table.ordinals, start=1):
        if (found := re.search(rf"\b{word}\b", rest, re.IGNORECASE)) and _remove_match(rest, found):
            return _remove_match(rest, found), replace(query, ordinal=number)
    if (found := re.search(r"\b(\d{1,3})(?:st|nd|rd|th)\b", rest, re.IGNORECASE)) and int(found[1]):
        return _remove_match(rest, found), replace(query, ordinal=int(found[1]))
    return rest, query


def _finish_ordinal(rest: str, found: re.Match[str], query: Query) -> tuple[str, Query]:
    """Finish an ordinal: the measure word in `第二行` alone says that a row is meant."""
    left = _remove_match(rest, found)
    return left, query if left else replace(query, roles=frozenset[Role]({"item"}))


def _remove_match(text: str, found: re.Match[str]) -> str:
    return (text[: found.start()] + " " + text[found.end() :]).strip()


def _take_state(rest: str, query: Query) -> tuple[str, Query]:
    for phrase, state in load_vocabulary().states:
        found = _find_phrase(phrase, rest)
        if found and _remove_match(rest, found):
            return _remove_match(rest, found), replace(query, state=cast("State", state))
    return rest, query


def _take_role(rest: str, query: Query) -> tuple[str, Query]:
    """Take the role word, which ends a description or comes before `named …`."""
    for namer in load_vocabulary().namers:
        head, found, tail = rest.partition(f" {namer} " if not has_chinese(namer) else namer)
        if found and tail.strip():
            rest = f"{tail.strip()} {head.strip()}" if not has_chinese(namer) else tail.strip() + head.strip()
            break
    low = rest.casefold()
    for term, roles in load_vocabulary().roles:
        if low == term:
            return "", replace(query, roles=roles)
        if has_chinese(term) and low.endswith(term):
            return rest[: -len(term)].rstrip(" 的"), replace(query, roles=roles)
        if low.endswith(" " + term):
            return rest[: -len(term)].rstrip(), replace(query, roles=roles)
        if term + " " + _MARK == low or (has_chinese(term) and low.replace(" ", "") == term + _MARK):
            return _MARK, replace(query, roles=roles)
    return _take_leading_role(rest, query) or _take_kind(rest, query)


def _take_leading_role(rest: str, query: Query) -> tuple[str, Query] | None:
    """`button ONE`: written as a name, so that "tab bar" and "link accounts" stay what they are."""
    for term in load_vocabulary().leading:
        name = rest[len(term) :].strip()
        if rest.startswith(term + " ") and name and not name[0].islower() and name[0] != _MARK:
            return name, replace(query, roles=dict(load_vocabulary().roles)[term])
    return None


def _take_kind(rest: str, query: Query) -> tuple[str, Query]:
    low = rest.casefold()
    for kind in load_vocabulary().kinds:
        name = rest[len(kind) :].strip()
        # "contact Bob", "联系人王五": the kind of thing, then its name
        if low.startswith(kind if has_chinese(kind) else kind + " ") and len(name) > 1:
            return name, replace(query, roles=frozenset[Role]({"item"}))
    return rest, query


def _strip_fillers(rest: str) -> str:
    table = load_vocabulary()
    before = None
    while before != rest:
        before = rest
        for filler in table.fillers_en:
            if re.match(rf"{filler}\s", rest, re.IGNORECASE):
                rest = rest[len(filler) :].lstrip()
        for filler in table.fillers_zh:
            if rest.startswith(filler) and len(rest) > len(filler):
                rest = rest[len(filler) :].lstrip()
        rest = rest.strip(" ,，:：")
        if len(rest) > 1:
            rest = rest.removeprefix("的").removesuffix("的").strip()
    return "" if rest in {"的", "the", "a", "an", "one", "个"} else rest
