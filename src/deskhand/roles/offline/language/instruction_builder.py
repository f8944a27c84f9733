"""Turns a matched sentence into instructions: one short function for each kind of sentence."""

import re
from collections.abc import Callable, Sequence

from deskhand.language import has_chinese, is_chinese, to_simplified
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language import sums
from deskhand.roles.offline.language.builders.create_builder import build_create, build_wake
from deskhand.roles.offline.language.builders.phone_builder import BUILDERS as PHONE_BUILDERS
from deskhand.roles.offline.language.builders.phone_builder import join_after
from deskhand.roles.offline.language.builders.web_builders import WEB_BUILDERS, build_each, name_area
from deskhand.roles.offline.language.file_places import read_file_place
from deskhand.roles.offline.language.instructions import (
    DIRECTIONS,
    EDIT_COMMANDS,
    WINDOW_PLACES,
    Condition,
    Instruction,
)
from deskhand.roles.offline.language.lexicon import count_phrase, load_lexicon
from deskhand.roles.offline.language.mails import MAIL_KINDS, build_mail, is_about_mail
from deskhand.roles.offline.language.patterns import is_app, read_keys
from deskhand.roles.offline.language.screen_conditions import condition_of
from deskhand.roles.offline.language.tokens import cut_tokens
from deskhand.screen.grounding.query import parse_chinese_number, read_author
from deskhand.screen.grounding.vocabulary import is_same_word

Slots = dict[str, str]
_IN_APP = re.compile(r"(?P<where>(?P<app>.+?)(?:里面|里|中|上)的)(?P<thing>.+)")


def build_instructions(kind: str, slots: Slots, source: str, before: Sequence[Instruction]) -> list[Instruction]:
    """`before` are the instructions so far: `it` stands for what they were about.

    Where one sentence becomes several instructions, each gets a source of its own: a plan is written with them.
    """
    if kind in MAIL_KINDS and is_about_mail(slots, before):
        return build_mail(kind, slots, source)
    if kind in MAIL_KINDS and "text" not in slots:
        return [say.NotUnderstood(source)]
    if kind in MAIL_KINDS:  # `reply to him “ok”`: in a chat
        kind, slots = "send", {"to": slots["mail"], **slots}
    subject = _find_subject(before)
    if subject:
        slots = {name: _resolve_pronoun(name, text, subject, before) for name, text in slots.items()}
        if text := slots.get("condition"):
            slots = {**slots, "condition": _put_subject(text, subject)}
    if kind == "delete" and (found := _THAT_ONE.fullmatch(slots["target"])):
        slots, source = _name_that_one(slots, source, found, before)
    if kind == "add_to_cart" and "target" not in slots:
        slots = {**slots, "target": _find_just_sought(before)}
    if kind == "open" and (command := _read_command(slots["name"], source, before)):
        kind, slots = "run_command", {"text": command}
    if kind == "join_it":
        return [join_after(slots, source, before)]
    made = _open_app_first(kind, slots, source) or _build_kind(kind, slots, source)
    return made[1:] if len(made) > 1 and _is_open(made[0], before) else made


_THAT_ONE = re.compile(r"(?:the )?(?P<name>.+) one|(?P<han>.+)的?那个", re.IGNORECASE)
_KIND = re.compile(r"(?P<en>[a-z]+)$|(?P<zh>闹钟|笔记|便签|备忘录|联系人|照片)$", re.IGNORECASE)


def _name_that_one(slots: Slots, source: str, found: re.Match[str], before: Sequence[Instruction]) -> tuple[Slots, str]:
    """`turn on the 8:30 alarm and delete the 22:45 one`: of the kind that was last spoken of."""
    last = str(getattr(before[-1], "target", "")) if before else ""
    kind = _KIND.search(last)
    things = {"".join(phrase) for phrase in load_lexicon().classes["thing"]} | {"photo", "照片"}
    if kind is None or kind[0].casefold() not in things:
        return slots, source
    whole = f"{found['han'].removesuffix('的')}的{kind[0]}" if found["han"] else f"the {found['name']} {kind[0]}"
    return {**slots, "target": whole}, source.replace(slots["target"], whole, 1)


def _resolve_pronoun(slot: str, text: str, subject: str, before: Sequence[Instruction]) -> str:
    """What is typed or said is never resolved: `it` may be what was read from the screen."""
    plain = text.casefold()
    if slot in ("text", "both", "value") or plain not in load_lexicon().pronouns:
        return text
    if plain in load_lexicon().extra["people"]["pronouns"]:
        people = {step.to for step in before if isinstance(step, say.Send | say.Call) and step.to}
        people |= {step.target for step in before if isinstance(step, say.Find)}
        return people.pop() if len(people) == 1 else text
    return text if plain in load_lexicon().extra["people"]["plural"] or _is_one_of_many(before) else subject


def _is_one_of_many(before: Sequence[Instruction]) -> bool:
    """`turn on Wi-Fi and Bluetooth and check it`: either may be meant."""
    last, earlier = before[-1], before[-2] if len(before) > 1 else None
    return isinstance(last, say.Toggle | say.Tap | say.Select) and type(last) is type(earlier) and last != earlier


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
        second = rest.split()[0]
        if second[0].isupper() and not re.match(r"I(?:['’]\w+)?$", second) and not rest.startswith("that "):
            return say.NotUnderstood(source)  # `tell Tom Smith I'm late`: where the name ends is not told
        return say.Send(source, rest.removeprefix("that ").strip(), first)
    if mixed := re.fullmatch(r"([A-Za-z][A-Za-z'’-]*)([\u4e00-\u9fff].+)", both, re.DOTALL):
        return say.Send(source, mixed[2], mixed[1])  # 告诉Grace晚饭好了: the scripts tell where the name ends
    people, plain = load_lexicon().extra["people"], to_simplified(both)
    if not both or plain[0] not in people["surnames"] or len(both) < 4:
        return say.NotUnderstood(source)
    for length in (2, 3, 4):
        if any(plain[length:].startswith(opener) for opener in people["openers"]):
            said = plain[length:].removeprefix("说")
            return say.Send(source, both[len(both) - len(said) :], both[:length])
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


def _build_set(slots: Slots, source: str) -> Instruction | list[Instruction]:
    if each := build_each(slots):
        return each
    target = f"{slots['target']} {slots['name']}" if "name" in slots else slots["target"]
    value = slots["value"]
    kind = condition_of(f"x is {value}").kind if value.isascii() else condition_of(f"x{value}").kind
    if kind in ("on", "off"):
        return say.Toggle(source, target, kind == "on")
    return say.SetValue(source, target, value)


def _build_search(slots: Slots, source: str) -> list[Instruction]:
    text, where = slots["text"], slots.get("where", "")
    tokens = cut_tokens(where)
    if where and is_app(tokens, 0, len(tokens)):
        own = f"{'搜索' if is_chinese(source) else 'search for '}{_quote_text(text)}"
        return [open_app(where), say.Search(own, text)]
    return [say.Search(source, text, where)]


_NAMED_TEXT = re.compile(r"(?:(?:the|my|a|an)\s+)?(?P<name>.*?)\s*[:：]?\s*“(?P<text>[^”]*)”", re.IGNORECASE)


def _build_click(slots: Slots, source: str) -> Instruction:
    """`For the user @ann, click …`: the one that belongs to her; `在…里点击…`: the one inside of it."""
    target = slots["target"]
    if "owner" in slots:
        return say.Tap(source, f"{target} for {slots['owner']}")
    return say.Tap(source, f"{slots['where']}里的{target}" if "where" in slots and is_chinese(source) else target)


def _read_command(name: str, source: str, before: Sequence[Instruction]) -> str:
    """`open xterm and run “ls -l”`: what is quoted is no app, but what a terminal runs; empty if it is an app."""
    last = before[-1] if before else None
    quoted = any(token.kind == "quote" and token.text == name for token in cut_tokens(source))
    tokens = cut_tokens(source)
    ran = count_phrase(load_lexicon().classes["run"], tokens, 0, len(tokens)) > 0
    return name if quoted and ran and isinstance(last, say.Open) and _is_terminal(last.name) else ""


def _is_terminal(name: str) -> bool:
    tokens = cut_tokens(name)
    return any(
        count_phrase(load_lexicon().classes["terminal"], tokens, at, len(tokens)) == len(tokens) - at
        for at in range(len(tokens))
    )


def _build_go(slots: Slots, source: str) -> Instruction:
    """`switch to dark mode` turns it on; anything else is gone to."""
    if read_author(slots["target"]):
        return say.Find(source, slots["target"])
    target = slots["target"]
    mode = any(is_same_word(target, word) for word in load_lexicon().extra["toggles"])
    return say.Toggle(source, target, True) if mode and target.endswith(("mode", "模式")) else say.Open(source, target)


def _build_command(slots: Slots, source: str) -> list[Instruction]:
    text = _quote_text(slots["text"])
    told = (f"输入{text}", "按回车") if is_chinese(source) else (f"type {text}", "press Enter")
    app = slots.get("app", "").removesuffix("里").removesuffix("中")
    typed: list[Instruction] = [say.Write(told[0], slots["text"]), say.PressKey(told[1], ("enter",))]
    return [open_app(app), *typed] if app else typed


def _build_cell(slots: Slots, source: str) -> Instruction:
    """One instruction, so that what the cell then holds is read back; `source` says how."""
    return say.SetValue(source, f"cell {slots['cell'].upper()}", slots["text"])


def _build_two_texts(slots: Slots, source: str) -> list[Instruction]:
    """`Enter the username "a" and the password "b" into the fields`: each into the field of that name."""
    written: list[Instruction] = []
    for slot in ("first", "second"):
        found = _NAMED_TEXT.fullmatch(slots[slot])
        if found is None or not found["name"]:
            return [say.NotUnderstood(source)]
        written.append(
            say.Write(f"type {_quote_text(found['text'])} into {found['name']}", found["text"], found["name"])
        )
    return written


def _build_menu_entry(slots: Slots, source: str) -> list[Instruction]:
    """`From the File menu choose Print`: the menu is opened for the entry, and the entry is taken."""
    menu, entry = slots["target"], slots["entry"]
    zh = is_chinese(source)
    opened = f"打开菜单{menu}显示{entry}" if zh else f"open the menu {menu} to show {entry}"
    return [say.Reveal(opened, menu, entry), say.Tap(f"点击{entry}" if zh else f"click {entry}", entry)]


def _build_both(slots: Slots, source: str) -> list[Instruction]:
    text = slots["text"]
    return [
        say.Write(f"type {_quote_text(text)} into the {at} field", text, f"the {at} field") for at in ("1st", "2nd")
    ]


def _build_save_as(slots: Slots, source: str) -> Instruction:
    """`report.txt in my home folder` is a file and its folder; a folder that not everybody has is not understood."""
    path = read_file_place(slots["name"])
    return say.SaveAs(source, path) if path else say.NotUnderstood(source)


def _build_drag(slots: Slots, source: str) -> Instruction:
    """A slider is dragged to a value rather than to a thing."""
    if re.fullmatch(r"\d+(?:\.\d+)?\s*%?", slots["onto"]):
        return say.SetValue(source, slots["item"], slots["onto"])
    return say.Drag(source, slots["item"], slots["onto"])


def _build_add_to(slots: Slots, source: str) -> Instruction:
    """`my shopping list note` is the note called shopping list."""
    bare = re.sub(r"^(?:my|the|our)\s+|^我的", "", slots["target"], flags=re.IGNORECASE)
    name = re.sub(r"\s+(?:note|memo)$|(?<=清单|列表|名单)(?:备忘录|备忘|笔记|便签)$", "", bare, flags=re.IGNORECASE)
    return say.AddTo(source, slots["text"], _strip_quotes(name))


_KIND_LAST = re.compile(r"(?P<name>.+?)(?:这|那)[条个篇张则](?P<kind>笔记|便签|备忘录|备忘|闹钟|照片|联系人)")


def _name_kind_first(target: str) -> str:
    """购物清单这条笔记 is 笔记“购物清单”."""
    found = _KIND_LAST.fullmatch(target)
    return f"{found['kind']}“{_strip_quotes(found['name'])}”" if found else target


def _build_mode(slots: Slots, source: str) -> Instruction:
    mode = slots.get("target") or ("静音" if is_chinese(source) else "silent")
    whole = mode if has_chinese(mode) or "mode" in mode.casefold() or "disturb" in mode.casefold() else f"{mode} mode"
    return say.Toggle(source, whole, True)


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
    "key": lambda s, t: say.PressKey(t, read_keys(cut_tokens(s.get("key", "回车")), named=True) or ()),
    "scroll_end": lambda s, t: say.Scrolling(t, "down", to_end=True, area=name_area(s)),
    "scroll_start": lambda s, t: say.Scrolling(t, "up", to_end=True, area=name_area(s)),
    "scroll_to": lambda s, t: say.Scrolling(t, "down", s["target"]),
    **{f"scroll_{way}": lambda s, t, way=way: say.Scrolling(t, way) for way in DIRECTIONS},
    **{f"swipe_{way}": lambda s, t, way=way: say.Swiping(t, way) for way in DIRECTIONS},
    "reveal": lambda s, t: say.Reveal(t, s["target"], s["entry"]),
    "select_none": lambda s, t: say.SelectNone(t),
    "type_upper": lambda s, t: say.Write(t, s["text"].upper(), s.get("target", "")),
    "type_lower": lambda s, t: say.Write(t, s["text"].lower(), s.get("target", "")),
    "run_command": _build_command,
    "type_in_cell": _build_cell,
    "menu_entry": _build_menu_entry,
    "type_two": _build_two_texts,
    "type_both": _build_both,
    **WEB_BUILDERS,
    "log_in": lambda s, t: say.LogIn(t, s["user"], s["password"]),
    "upload": lambda s, t: say.Upload(t, s["file"], s.get("target", "")),
    "drag": _build_drag,
    "hover": lambda s, t: say.Hover(t, s["target"]),
    "cell": lambda s, t: say.GoToCell(t, s["cell"].upper()),
    "expand": lambda s, t: say.Expand(t, s["target"]),
    "collapse": lambda s, t: say.Expand(t, s["target"], expanded=False),
    **{how: lambda s, t, how=how: say.ArrangeWindow(t, how, s.get("target", "")) for how in WINDOW_PLACES},
    **{name: lambda s, t, name=name: say.Edit(t, name) for name in EDIT_COMMANDS},
    "save_as": _build_save_as,
    "beyond": lambda s, t: say.NotUnderstood(t),
    "log_out": lambda s, t: say.Tap(t, "退出登录" if is_chinese(t) else "Log out"),
    "reload": lambda s, t: say.PressKey(t, ("f5",)),
    "submit": lambda s, t: say.Tap(t, "提交" if is_chinese(t) else "Submit"),
    "mode": _build_mode,
    "call": lambda s, t: say.Call(t, s["to"]),
    "wake": build_wake,
    "add_to": _build_add_to,
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
    "go": _build_go,
    "chat": lambda s, t: say.Find(t, s["to"]),
    "close": lambda s, t: say.Close(t, s["target"]),
    "add_to_cart": lambda s, t: say.AddToCart(t, s["target"]),
    "set": _build_set,
    "create": build_create,
    "type": _build_write,
    "clear": lambda s, t: say.Clear(t, s["target"]),
    "search": _build_search,
    "choose": lambda s, t: say.Select(t, s["option"], listed=True),
    "select": lambda s, t: say.Select(t, s["option"], s.get("source", "")),
    "double": lambda s, t: say.Tap(t, s["target"], "double_click"),
    "right": lambda s, t: say.Tap(t, s["target"], "right_click"),
    "long": lambda s, t: say.Tap(t, s["target"], "long_press"),
    "click": _build_click,
    "delete": lambda s, t: say.Delete(t, _name_kind_first(s["target"])),
    "url": lambda s, t: say.Visit(t, s["url"]),
    "find": lambda s, t: say.Find(t, s["target"]),
    "tell_in": lambda s, t: [open_app(s["app"]), _build_tell(s, t)],
    **PHONE_BUILDERS,
}
KINDS = frozenset({*_BUILDERS, *MAIL_KINDS})
