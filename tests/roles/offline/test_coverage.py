"""Every word of a goal is accounted for by its reading, or the goal is refused: 350 variants, and any words at all.

The generator knows what it said: it builds each goal from the instructions that it means, independently of the parser.
"""

import itertools
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deskhand.roles.offline.language.grammar import parse_goal
from deskhand.roles.offline.language.instructions import Condition, Instruction, NotUnderstood

Reading = tuple[tuple[object, ...], ...]

SWITCHES = ("Wi-Fi", "Bluetooth", "airplane mode", "dark mode")
SWITCHES_ZH = ("Wi-Fi", "蓝牙", "飞行模式", "深色模式")
PEOPLE = ("Bob", "Alice", "Tom Smith", "Zhang San")
PEOPLE_ZH = ("张三", "李四", "王五", "赵敏")
BUTTONS = ("Reports", "Details", "Help", "About us")
TEXTS = ("hi", "see you, then call me", "open the door and wait", "if it rains, stay")
TEXTS_ZH = ("到了", "收到，然后打开门", "如果下雨就别来", "回到首页")
CHOICES = ("Tea", "Milk", "Red Apple", "Order")
CHOICES_ZH = ("苹果", "香蕉", "订单", "文件")
QUOTES = ("“”", '""', "「」")
POLITE = ("", "please ", "could you please ", "Hi, ")
POLITE_ZH = ("", "请", "麻烦帮我", "请你")


@dataclass(frozen=True)
class Said:
    """A piece of a goal and what it means."""

    words: str
    means: Reading


def quote(text: str, dice: Random) -> str:
    marks = dice.choice([pair for pair in QUOTES if not set(pair) & set(text)])
    return f"{marks[0]}{text}{marks[1]}"


def say_toggle(dice: Random) -> Said:
    name, on = dice.choice(SWITCHES), dice.random() < 0.5
    state = "on" if on else "off"
    words = dice.choice((f"turn {name} {state}", f"turn {state} {name}", f"switch {state} {name}"))
    return Said(words, (("Toggle", name, on),))


def say_both_states(dice: Random) -> Said:
    first, second = dice.sample(SWITCHES, 2)
    on = dice.random() < 0.5
    words = f"turn {first} {'on' if on else 'off'} and {second} {'off' if on else 'on'}"
    return Said(words, (("Toggle", first, on), ("Toggle", second, not on)))


def say_switches(dice: Random) -> Said:
    names = dice.sample(SWITCHES, 3)
    return Said(f"turn on {names[0]}, {names[1]} and {names[2]}", tuple(("Toggle", name, True) for name in names))


def say_conditional(dice: Random) -> Said:
    name, on = dice.choice(SWITCHES[:2]), dice.random() < 0.5
    now, then = ("off", "on") if on else ("on", "off")
    words = dice.choice((f"turn {then} {name} if it is {now}", f"turn {name} {then} if it is {now}"))
    return Said(words, (("Toggle", name, on),))


def say_values(dice: Random) -> Said:
    percent = dice.randrange(10, 90)
    return Said(
        f"set brightness to {percent}% and volume to max",
        (("SetValue", "brightness", f"{percent}%"), ("SetValue", "volume", "max")),
    )


def say_message(dice: Random) -> Said:
    person, text = dice.choice(PEOPLE), dice.choice(TEXTS)
    told = quote(text, dice)
    words = dice.choice((f"send {told} to {person}", f"tell {person} {told}", f"send {person} a message saying {told}"))
    return Said(words, (("Send", text, person),))


def say_two_messages(dice: Random) -> Said:
    (one, other), (text, more) = dice.sample(PEOPLE, 2), dice.sample(TEXTS, 2)
    words = dice.choice((
        f"text {one} {quote(text, dice)} and {other} {quote(more, dice)}",
        f"send {quote(text, dice)} to {one} and {quote(more, dice)} to {other}",
    ))  # fmt: skip
    return Said(words, (("Send", text, one), ("Send", more, other)))


def say_fields(dice: Random) -> Said:
    text, more = dice.sample(TEXTS, 2)
    words = f"enter {quote(text, dice)} into Name and {quote(more, dice)} into Email"
    return Said(words, (("Write", text, "Name", False), ("Write", more, "Email", False)))


def say_clicks(dice: Random) -> Said:
    names = dice.sample(BUTTONS, 3)
    words = f"click {names[0]}, {names[1]} and {names[2]}"
    return Said(words, tuple(("Tap", name, "click") for name in names))


def say_alarms(dice: Random) -> Said:
    one, other = dice.sample(range(6, 11), 2)
    words = f"set an alarm for {one} and {other}"
    return Said(words, tuple(("Create", "alarm", (("time", str(n)),)) for n in (one, other)))


def say_typed(dice: Random) -> Said:
    text = dice.choice(TEXTS)
    return Said(f"type {quote(text, dice)} and press Enter", (("Write", text, "", False), ("PressKey", ("enter",))))


def say_keys(dice: Random) -> Said:
    count = dice.choice((2, 3))
    return Said(f"press Tab {'twice' if count == 2 else 'three times'}", (("PressKey", ("tab",)),) * count)


def say_typed_zh(dice: Random) -> Said:
    text = dice.choice(TEXTS_ZH)
    return Said(f"输入{quote(text, dice)}{dice.choice(('，', '然后', ''))}{dice.choice(('回车', '按回车'))}",
        (("Write", text, "", False), ("PressKey", ("enter",))))  # fmt: skip


def say_message_zh(dice: Random) -> Said:
    person, text = dice.choice(PEOPLE_ZH), dice.choice(TEXTS_ZH)
    told = quote(text, dice)
    words = dice.choice((f"给{person}发消息{told}", f"把{told}发给{person}", f"告诉{person}{told}"))
    return Said(words, (("Send", text, person),))


def say_two_people_zh(dice: Random) -> Said:
    one, other = dice.sample(PEOPLE_ZH, 2)
    text = dice.choice(TEXTS_ZH)
    return Said(f"给{one}和{other}发消息{quote(text, dice)}", (("Send", text, one), ("Send", text, other)))


def say_values_zh(dice: Random) -> Said:
    percent = dice.randrange(10, 90)
    return Said(
        f"把亮度调到{percent}%，音量调到最大", (("SetValue", "亮度", f"{percent}%"), ("SetValue", "音量", "最大"))
    )


def say_switches_zh(dice: Random) -> Said:
    names = dice.sample(SWITCHES_ZH, 3)
    return Said(f"打开{names[0]}、{names[1]}和{names[2]}", tuple(("Open", name) for name in names))


def say_alarms_zh(dice: Random) -> Said:
    one, other = dice.sample(range(6, 11), 2)
    return Said(f"设{one}点和{other}点的闹钟", tuple(("Create", "闹钟", (("", f"{n}点"),)) for n in (one, other)))


def say_choices(dice: Random) -> Said:
    names = dice.sample(CHOICES, 3)
    words = dice.choice(("select {}, {} and {}", "pick {}, {}, {}", "choose “{}”, “{}” and “{}”")).format(*names)
    return Said(words, tuple(("Select", name, "", True) for name in names))


def say_choices_from(dice: Random) -> Said:
    names = dice.sample(CHOICES, 2)
    words = dice.choice(("select {}, {} from the order list", "pick {}, {} from the order list")).format(*names)
    return Said(words, tuple(("Select", name, "the order list", False) for name in names))


def say_path(dice: Random) -> Said:
    names = dice.sample(BUTTONS, 3)
    opened = tuple(("Reveal", one, other) for one, other in itertools.pairwise(names))
    return Said(f"select {' > '.join(names)}", (*opened, ("Tap", names[-1], "click")))


def say_quoted_clicks(dice: Random) -> Said:
    names = dice.sample(BUTTONS, 2)
    one, other = (quote(name, dice) for name in names)
    return Said(f"click {one} and {other}", tuple(("Tap", name, "click") for name in names))


def say_date(dice: Random) -> Said:
    day = f"2026-0{dice.randrange(1, 10)}-{dice.randrange(10, 29)}"
    words = dice.choice(("select {} as the arrival date", "enter {} as the arrival date")).format(day)
    return Said(words, (("SetValue", "the arrival date", day),))


def say_two_fields(dice: Random) -> Said:
    text, more = dice.sample(TEXTS, 2)
    words = f"enter the username {quote(text, dice)} and the password {quote(more, dice)} into the form"
    return Said(words, (("Write", text, "username", False), ("Write", more, "password", False)))


def say_upper(dice: Random) -> Said:
    text = dice.choice(TEXTS)
    words = f"type {quote(text, dice)} in all upper case letters into City"
    return Said(words, (("Write", text.upper(), "City", False),))


def say_choices_zh(dice: Random) -> Said:
    names = dice.sample(CHOICES_ZH, 2)
    words = dice.choice(("选择{}、{}", "选择「{}」和「{}」")).format(*names)
    return Said(words, tuple(("Select", name, "", True) for name in names))


def say_path_zh(dice: Random) -> Said:
    one, other = dice.sample(CHOICES_ZH, 2)
    return Said(f"点击{one} > {other}", (("Reveal", one, other), ("Tap", other, "click")))


WEB = (
    say_choices, say_choices_from, say_path, say_quoted_clicks, say_date, say_two_fields, say_upper, say_choices_zh,
    say_path_zh,
)  # fmt: skip
ENGLISH = (
    say_toggle, say_both_states, say_switches, say_conditional, say_values, say_message, say_two_messages, say_fields,
    say_clicks, say_alarms, say_typed, say_keys,
)  # fmt: skip
CHINESE = (say_typed_zh, say_message_zh, say_two_people_zh, say_values_zh, say_switches_zh, say_alarms_zh)
# What no instruction says yet; the whole goal is refused, whatever stands beside it.
REFUSED = (
    "{toggle} every weekday", "{toggle} at 8 pm", "{toggle} tomorrow", "{toggle} unless it is charging",
    "turn on Wi-Fi or Bluetooth", "turn on everything", "delete all notes", "{click} if it is blue",
    "{click} until Finish appears", "set an alarm for 7:30 every weekday", "Type the total number of blocks",
    "type the name of the first product", "enter the total into the answer field", "{message} every day",
    "{click} and frobnicate the window", "open gedit and frobnicate the window", "read the price and type it into Cost",
    "type hello and lock the screen", "{click} but not Cancel", "turn on Wi-Fi when I leave",
)  # fmt: skip
REFUSED_ZH = (
    "设一个每天7点的闹钟", "每天早上7点叫我起床", "打开Wi-Fi或者蓝牙", "明天打开Wi-Fi", "删除所有笔记",
    "除非下雨否则打开蓝牙", "输入总块数", "输入第一个商品的名称", "点击确定直到出现完成",
    "每天给张三发消息“早”",
)  # fmt: skip


def make_understood() -> list[Said]:
    """294 goals: each class alone and behind another, with other names, quotes, joins and courtesies."""
    goals: list[Said] = []
    for seed, make in zip(range(160), itertools.cycle(ENGLISH), strict=False):
        dice = Random(seed)
        said, other = make(dice), dice.choice((say_message, say_toggle, say_typed))(dice)
        joined = seed % 3 == 0
        words = f"{said.words}{dice.choice((', then ', '; ', '. '))}{other.words}" if joined else said.words
        goals.append(Said(dice.choice(POLITE) + words, (*said.means, *other.means) if joined else said.means))
    for seed, make in zip(range(80), itertools.cycle(CHINESE), strict=False):
        dice = Random(1000 + seed)
        said, other = make(dice), say_message_zh(dice)
        joined = seed % 3 == 0
        words = f"{said.words}{dice.choice(('，然后', '；', '，再', '。'))}{other.words}" if joined else said.words
        goals.append(Said(dice.choice(POLITE_ZH) + words, (*said.means, *other.means) if joined else said.means))
    for seed, make in zip(range(54), itertools.cycle(WEB), strict=False):
        dice = Random(3000 + seed)
        said = make(dice)
        joint, other = ("，然后", say_message_zh(dice)) if make in WEB[-2:] else (", then ", say_toggle(dice))
        joined = seed % 2 == 0
        words = f"{said.words}{joint}{other.words}" if joined else said.words
        goals.append(Said(words, (*said.means, *other.means) if joined else said.means))
    return goals


def make_refused() -> list[str]:
    """Every kind twice: alone, and behind something that is understood."""
    goals: list[str] = []
    for seed, pattern in enumerate((*REFUSED, *REFUSED_ZH)):
        dice = Random(2000 + seed)
        toggle = f"turn {dice.choice(('on', 'off'))} {dice.choice(SWITCHES)}"
        said = pattern.format(
            toggle=toggle, click=f"click {dice.choice(BUTTONS)}", message=f"send {quote('hi', dice)} to Bob"
        )
        before = "打开设置，" if pattern in REFUSED_ZH else "open Settings, then "
        goals += [said, before + said]
    return goals


def read_goal(goal: str) -> Reading:
    return tuple(_content(step) for step in parse_goal(goal))


def _content(step: Instruction) -> tuple[object, ...]:
    names = [name for name in type(step).__dataclass_fields__ if name != "source"]
    return type(step).__name__, *(getattr(step, name) for name in names)


@pytest.mark.parametrize("said", make_understood(), ids=lambda said: said.words)
def test_a_goal_means_what_its_maker_meant(said: Said) -> None:
    assert read_goal(said.words) == said.means


@pytest.mark.parametrize("goal", make_refused())
def test_what_is_not_understood_whole_is_refused(goal: str) -> None:
    assert any(isinstance(step, NotUnderstood) for step in parse_goal(goal)), parse_goal(goal)


def test_a_pronoun_that_nothing_explains_is_refused() -> None:
    for goal in ("turn it off", "把它关掉", "tell him “hi”", "tell Bob “hi”, tell Tom “hi”, then tell him “bye”"):
        assert any(isinstance(step, NotUnderstood) for step in parse_goal(goal)), goal
    assert read_goal("turn on Wi-Fi, then turn it off")[1] == ("Toggle", "Wi-Fi", False)
    assert read_goal("tell Bob “hi”, then call him")[1] == ("Call", "Bob")


@pytest.mark.parametrize("said", [*make_understood()[:240:4], *make_understood()[240:]], ids=lambda said: said.words)
def test_a_plan_in_the_words_of_its_steps_is_read_the_same(said: Said) -> None:
    """A subtask's title is made of its steps' own words, and read again."""
    steps = parse_goal(said.words)
    zh = any("\u3400" <= sign <= "\u9fff" for step in steps for sign in step.source)
    assert read_goal(("，" if zh else ", ").join(step.source for step in steps)) == said.means


WORDS = st.sampled_from((
    "turn", "on", "off", "open", "click", "type", "tell", "Bob", "Wi-Fi", "Bluetooth", "and", "then", "if", "or",
    "every", "morning", "the", "world", "Save", "to", "in", "Name", "red", "cat", "not", "all", "twice", "until", "set",
    "alarm", "for", "7", "8", "send", "message", "saying", "brightness", "50%", "add", "butter", "list", "note", "it",
))  # fmt: skip
FUNCTION_WORDS = frozenset((
    "turn", "on", "off", "open", "click", "type", "tell", "and", "then", "the", "to", "in", "set", "send", "message",
    "saying", "for", "add", "list", "note", "it", "if", "twice", "alarm",
))  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=9))
def test_every_content_word_is_in_a_slot_or_the_goal_is_refused(words: list[str]) -> None:
    steps = parse_goal(" ".join(words))
    if not steps or any(isinstance(step, NotUnderstood) for step in steps):
        return
    slots = " ".join(_list_texts(step) for step in steps).casefold()
    for word in words:
        assert word.casefold() in FUNCTION_WORDS or word.casefold() in slots, (words, steps)


def _list_texts(step: Instruction) -> str:
    values = [getattr(step, name) for name in type(step).__dataclass_fields__ if name != "source"]
    return " ".join(
        f"{value.subject} {value.value} {value.source}" if isinstance(value, Condition) else str(value)
        for value in values
    )
