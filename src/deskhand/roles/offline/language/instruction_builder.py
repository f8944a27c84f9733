"""Turns a matched sentence into instructions: one short function for each kind of sentence."""

import re
from collections.abc import Callable, Sequence

from deskhand.language import has_chinese, is_chinese
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language import sums
from deskhand.roles.offline.language.instructions import DIRECTIONS, Condition, ConditionKind, Instruction
from deskhand.roles.offline.language.lexicon import load_lexicon
from deskhand.roles.offline.language.new_things import read_fields
from deskhand.roles.offline.language.patterns import count_phrase, is_app, match_rules, read_keys, write_span
from deskhand.roles.offline.language.tokens import cut_tokens
from deskhand.screen.grounding.query import parse_chinese_number
from deskhand.screen.grounding.vocabulary import is_same_word

Slots = dict[str, str]
_IN_APP = re.compile(r"(?P<where>(?P<app>.+?)(?:里面|里|中|上)的)(?P<thing>.+)")
_COUNT = re.compile(r"(?:[二两三四五六七八九十几]|\d+)[个条则篇份]|two|three|four|five|several|a few", re.IGNORECASE)


def build_instructions(kind: str, slots: Slots, source: str, before: Sequence[Instruction]) -> list[Instruction]:
    """`before` are the instructions so far: `it` stands for what they were about.

    Where one sentence becomes several instructions, each gets a source of its own: a plan is written with them.
    """
    subject = _find_subject(before)
    if subject:
        slots = {name: subject if text.casefold() in load_lexicon().pronouns else text for name, text in slots.items()}
        if text := slots.get("condition"):
            slots = {**slots, "condition": _put_subject(text, subject)}
    if kind == "add_to_cart" and "target" not in slots:
        slots = {**slots, "target": _find_just_sought(before)}
    made = _open_app_first(kind, slots, source) or _build_kind(kind, slots, source)
    return made[1:] if len(made) > 1 and _is_open(made[0], before) else made


def _open_app_first(kind: str, slots: Slots, source: str) -> list[Instruction]:
    """`把便签里的“周报”删掉`: the app, then the thing in it."""
    for slot in ("target", "name"):
        found = _IN_APP.fullmatch(slots.get(slot, ""))
        if found and is_app(tokens := cut_tokens(found["app"]), 0, len(tokens)):
            own = {**slots, slot: _strip_quotes(found["thing"])}
            return [open_app(found["app"]), *_build_kind(kind, own, source.replace(found["where"], "", 1))]
    return []


def _build_kind(kind: str, slots: Slots, source: str) -> list[Instruction]:
    made = _BUILDERS[kind](slots, source)
    return made if isinstance(made, list) else [made]


def _put_subject(condition: str, subject: str) -> str:
    """`… and verify that it is on`, `…，并确认已经关闭`: said of what the goal was about."""
    about = condition_of(condition).subject
    tokens, already = cut_tokens(about), load_lexicon().classes["already_zh"]
    if about.casefold() in load_lexicon().pronouns:
        return condition.replace(about, subject, 1)
    bare = tokens and count_phrase(already, tokens, 0, len(tokens)) == len(tokens)
    return f"{subject}{condition}" if bare else condition


def _is_open(opened: Instruction, before: Sequence[Instruction]) -> bool:
    """`打开微信，给张三发微信…`: the app was opened last, so it needs no second time."""
    last = next((step for step in reversed(before) if isinstance(step, say.Open | say.GoHome | say.Visit)), None)
    return isinstance(opened, say.Open) and isinstance(last, say.Open) and is_same_word(last.name, opened.name)


def open_app(app: str) -> Instruction:
    return say.Open(f"打开{app}" if has_chinese(app) else f"open {app}", app)


def condition_of(text: str) -> Condition:
    """A condition in words; what fits no pattern is something that has to be seen."""
    tokens = cut_tokens(text)
    found = match_rules(load_lexicon().conditions, tokens, 0, len(tokens))
    if found is None:
        return Condition("visible", text, source=text)
    parts = {name: write_span(tokens, *span) for name, span in found.slots.items()}
    kind: ConditionKind = found.kind  # type: ignore[assignment] # the file's kinds; a test compares them
    subject = re.sub(r"^(the switch of |开关)", "", parts["subject"])
    # `Wi-Fi已` and `Wi-Fi是` are what a lazy slot leaves of `Wi-Fi已打开`
    bare = re.sub(r"(是否|已经|已|是|的状态|状态)+$", "", subject).strip()
    return Condition(kind, bare or subject, parts.get("value", ""), source=text)


def _find_subject(before: Sequence[Instruction]) -> str:
    for instruction in reversed(before):
        for field in ("target", "to", "name", "option", "text"):
            if text := getattr(instruction, field, ""):
                return str(text)
        if isinstance(instruction, say.Verify | say.WaitUntil):
            return instruction.condition.subject
        if isinstance(instruction, say.Compute):
            return "result"
    return ""


def _find_just_sought(before: Sequence[Instruction]) -> str:
    """Return what was searched for, unless the goal has gone on to another page since."""
    stays = (say.Read, say.Verify, say.Ask, say.WaitUntil, say.Pausing, say.Scrolling)
    last = next((step for step in reversed(before) if not isinstance(step, stays)), None)
    return last.text if isinstance(last, say.Search) else ""


def _read_seconds(text: str) -> float:
    known: dict[str, float] = load_lexicon().extra["numbers"]
    if text.casefold() in known:
        return float(known[text.casefold()])
    if text == "半":
        return 0.5
    return float(parse_chinese_number(text) or 0) if not re.fullmatch(r"[\d.]+", text) else float(text)


def _build_sum(slots: Slots, source: str) -> Instruction:
    return say.Compute(source, sums.read_sum(slots["sum"]) or "")


def _build_asked_sum(slots: Slots, source: str) -> list[Instruction]:
    if is_chinese(source):
        return [_build_sum(slots, f"计算{slots['sum']}"), say.Read("读取结果", "结果")]
    return [_build_sum(slots, f"compute {slots['sum']}"), say.Read("read the result", "the result")]


def _build_ensure(slots: Slots, source: str) -> Instruction:
    """Making sure that something is on is turning it on if it is not."""
    condition = condition_of(slots["condition"])
    if condition.kind in ("on", "off"):
        return say.Toggle(source, condition.subject, condition.kind == "on")
    return say.Verify(source, condition)


def _build_tell(slots: Slots, source: str) -> Instruction:
    """`告诉张三明天开会`: where the name ends is told by what a message likes to begin with."""
    if "both" not in slots:
        return say.Send(source, slots["text"], slots["to"])
    both = slots["both"]
    first, blank, rest = both.partition(" ")
    if blank and rest and first.isascii():
        return say.Send(source, rest.removeprefix("that ").strip(), first)
    people = load_lexicon().extra["people"]
    if not both or both[0] not in people["surnames"] or len(both) < 4:
        return say.NotUnderstood(source)
    for length in (2, 3, 4):
        if any(both[length:].startswith(opener) for opener in people["openers"]):
            return say.Send(source, both[length:].removeprefix("说"), both[:length])
    return say.Send(source, both[2:], both[:2])


def _build_write(slots: Slots, source: str) -> list[Instruction]:
    text, target = slots["text"], slots.get("target", "")
    written = say.Write(source, text, target)
    tokens = cut_tokens(target)
    if not is_kept(written, target) or not is_app(tokens, 0, len(tokens)):
        return [written]
    return [open_app(target), say.Write(f"{'写' if is_chinese(source) else 'write '}{_quote_text(text)}", text)]


def is_kept(step: say.Write, app: str) -> bool:
    """`在便签里写“…”`, `open Notes and write …`: a note, not whatever field happens to be there."""
    words, tokens = load_lexicon(), cut_tokens(step.source)
    end = len(tokens)
    at = next((k for k in range(end) if count_phrase(words.classes["type"], tokens, k, end)), 0)
    name = app.casefold().removeprefix("the ")
    in_notes = any(is_same_word(name, each) for each in words.extra["homes"]["note"])
    return in_notes and count_phrase(words.classes["keeping"], tokens, at, end) > 0


def _strip_quotes(text: str) -> str:
    """A name without its quotes."""
    quoted = re.fullmatch(r"“([^”]*)”", text.strip())
    return quoted[1] if quoted else text.strip()


def _quote_text(text: str) -> str:
    """In quotes that the text itself does not hold, so that it is read back as it was."""
    marks = next((pair for pair in ("“”", "「」", '""', "``") if not set(pair) & set(text)), "“”")
    return f"{marks[0]}{text}{marks[1]}"


def _build_send(slots: Slots, source: str) -> list[Instruction]:
    text, to = slots["text"], slots.get("to", "")
    if "app" not in slots:
        return [say.Send(source, text, to)]
    own = f"给{to}发送消息{_quote_text(text)}" if is_chinese(source) else f"send {_quote_text(text)} to {to}"
    return [open_app(slots["app"]), say.Send(own, text, to)]


def _build_ask(slots: Slots, source: str) -> Instruction:
    text = slots.get("condition") or f"{slots['subject']} is {slots['state']}"
    text = text.replace("是不是", "是").replace("是否", "").replace("有没有", "有").removesuffix("吗")
    return say.Ask(source, condition_of(text))


def _build_set(slots: Slots, source: str) -> Instruction:
    target = f"{slots['target']} {slots['name']}" if "name" in slots else slots["target"]
    value = slots["value"]
    kind = condition_of(f"x is {value}").kind if value.isascii() else condition_of(f"x{value}").kind
    if kind in ("on", "off"):
        return say.Toggle(source, target, kind == "on")
    return say.SetValue(source, target, value)


def _build_create(slots: Slots, source: str) -> Instruction:
    fields = (*read_fields(slots.get("fields", "")), *read_fields(slots.get("more", "")))
    if any(_COUNT.fullmatch(text) for label, text in fields if not label):
        return say.NotUnderstood(source)  # several at once
    return say.Create(source, slots["what"], fields)


def _build_search(slots: Slots, source: str) -> list[Instruction]:
    text, where = slots["text"], slots.get("where", "")
    tokens = cut_tokens(where)
    if where and is_app(tokens, 0, len(tokens)):
        own = f"{'搜索' if is_chinese(source) else 'search for '}{_quote_text(text)}"
        return [open_app(where), say.Search(own, text)]
    return [say.Search(source, text, where)]


def _build_find(slots: Slots, source: str) -> Instruction:
    """On a path of pages only the name is said."""
    target = slots["target"]
    if source == target:
        source = f"找到{target}" if has_chinese(target) else f"find {target}"
    return say.Find(source, target)


_BUILDERS: dict[str, Callable[[Slots, str], Instruction | list[Instruction]]] = {
    "compute": _build_sum,
    "ask_sum": _build_asked_sum,
    "wait_time": lambda s, t: say.Pausing(t, _read_seconds(s["n"])),
    "wait_minutes": lambda s, t: say.Pausing(t, _read_seconds(s["n"]) * 60),
    "wait_millis": lambda s, t: say.Pausing(t, _read_seconds(s["n"]) / 1000),
    "wait_gone": lambda s, t: say.WaitUntil(t, Condition("hidden", s["target"], source=t)),
    "wait_shown": lambda s, t: say.WaitUntil(t, Condition("visible", s["target"], source=t)),
    "wait_until": lambda s, t: say.WaitUntil(t, condition_of(s["condition"])),
    "home": lambda s, t: say.GoHome(t),
    "back": lambda s, t: say.GoBack(t),
    "another": lambda s, t: say.Another(t),
    "start_again": lambda s, t: say.StartAgain(t),
    "key": lambda s, t: say.PressKey(t, read_keys(cut_tokens(s["key"])) or ()),
    "scroll_end": lambda s, t: say.Scrolling(t, "down", to_end=True),
    "scroll_start": lambda s, t: say.Scrolling(t, "up", to_end=True),
    "scroll_to": lambda s, t: say.Scrolling(t, "down", s["target"]),
    **{f"scroll_{way}": lambda s, t, way=way: say.Scrolling(t, way) for way in DIRECTIONS},
    **{f"swipe_{way}": lambda s, t, way=way: say.Swiping(t, way) for way in DIRECTIONS},
    "ask": _build_ask,
    "ensure": _build_ensure,
    "verify": lambda s, t: say.Verify(t, condition_of(s["condition"])),
    "check": lambda s, t: say.Toggle(t, s["target"], True),
    "uncheck": lambda s, t: say.Toggle(t, s["target"], False),
    "send": _build_send,
    "tell": _build_tell,
    "price": lambda s, t: say.Read(t, s["target"] + ("的价格" if is_chinese(t) else "'s price")),
    "read": lambda s, t: say.Read(t, s["target"]),
    "switch_on": lambda s, t: say.Toggle(t, s["target"], True),
    "switch_off": lambda s, t: say.Toggle(t, s["target"], False),
    "open": lambda s, t: say.Open(t, s["name"]),
    "go": lambda s, t: say.Open(t, s["target"]),
    "chat": lambda s, t: say.Find(t, s["to"]),
    "close": lambda s, t: say.Close(t, s["target"]),
    "add_to_cart": lambda s, t: say.AddToCart(t, s["target"]),
    "set": _build_set,
    "create": _build_create,
    "type": _build_write,
    "clear": lambda s, t: say.Clear(t, s["target"]),
    "search": _build_search,
    "select": lambda s, t: say.Select(t, s["option"], s.get("source", "")),
    "double": lambda s, t: say.Tap(t, s["target"], "double_click"),
    "right": lambda s, t: say.Tap(t, s["target"], "right_click"),
    "long": lambda s, t: say.Tap(t, s["target"], "long_press"),
    "click": lambda s, t: say.Tap(t, f"{s['where']}里的{s['target']}" if "where" in s else s["target"]),
    "delete": lambda s, t: say.Delete(t, s["target"]),
    "url": lambda s, t: say.Visit(t, s["url"]),
    "find": _build_find,
}
KINDS = frozenset(_BUILDERS)
