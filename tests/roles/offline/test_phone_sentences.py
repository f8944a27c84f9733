"""Goals about a phone as users say them: each is read as its maker meant it, or refused whole."""

import itertools

import pytest

from deskhand.roles.offline.explaining import explain_goal
from deskhand.roles.offline.language.grammar import parse_goal
from deskhand.roles.offline.language.instructions import Instruction, NotUnderstood

Reading = list[tuple[object, ...]]
PEOPLE, PEOPLE_ZH = ("Bob", "Emma", "Tom Smith", "王五"), ("张三", "李四", "韩梅", "Alice")
SWITCHES, SWITCHES_ZH = ("Wi-Fi", "Bluetooth", "mobile data", "dark mode"), ("Wi-Fi", "蓝牙", "飞行模式", "移动数据")
TEXTS, TEXTS_ZH = ("I'm late", "see you at 8", "call me when you land"), ("我晚点到", "明天八点见", "会议改到三点")


def read_goal(goal: str) -> Reading:
    return [_tell_meaning(step) for step in parse_goal(goal)]


def _tell_meaning(step: Instruction) -> tuple[object, ...]:
    values = [getattr(step, name) for name in type(step).__dataclass_fields__ if name != "source"]
    return type(step).__name__, *values


def is_refused(goal: str) -> bool:
    return any(isinstance(step, NotUnderstood) for step in parse_goal(goal))


SENDING = (
    "text {to} on WeChat that {text}",
    "message {to} on WeChat: {text}",
    "tell {to} on WeChat that {text}",
    "let {to} know on WeChat that {text}",
    "message {to} in WeChat {text}",
)
SENDING_ZH = (
    "发微信给{to}说{text}",
    "给{to}发微信说{text}",
    "用微信跟{to}说{text}",
    "微信告诉{to}说{text}",
    "在微信里给{to}发消息说{text}",
)


@pytest.mark.parametrize(("pattern", "to", "text"), list(itertools.product(SENDING, PEOPLE, TEXTS)))
def test_an_app_between_a_person_and_a_text_is_no_text(pattern: str, to: str, text: str) -> None:
    assert read_goal(pattern.format(to=to, text=text)) == [("Open", "WeChat"), ("Send", text, to)]


@pytest.mark.parametrize(("pattern", "to", "text"), list(itertools.product(SENDING_ZH, PEOPLE_ZH, TEXTS_ZH)))
def test_so_it_is_in_chinese(pattern: str, to: str, text: str) -> None:
    assert read_goal(pattern.format(to=to, text=text)) == [("Open", "微信"), ("Send", text, to)]


MADE_UP = (
    "reply to {to} with something funny", "send {to} a joke", "tell {to} a joke", "tell {to} something nice",
    "send {to} a nice message", "message {to} something polite", "reply with something kind", "send {to} a picture",
)  # fmt: skip
MADE_UP_ZH = (
    "回复{to}一句客气话", "给{to}发一句祝福", "给{to}发个红包", "给{to}发一个笑话", "给{to}发一张照片", "回复张三好的",
    "回复李四知道了",
)  # fmt: skip


@pytest.mark.parametrize(
    "goal",
    [
        *(
            f"{before}{pattern.format(to=to)}"
            for pattern in MADE_UP
            for to in PEOPLE
            for before in ("", "open WeChat, ")
        ),
        *(
            f"{before}{pattern.format(to=to)}"
            for pattern in MADE_UP_ZH
            for to in PEOPLE_ZH
            for before in ("", "打开微信，")
        ),
    ],
)
def test_what_would_have_to_be_thought_up_is_never_sent_as_it_stands(goal: str) -> None:
    assert is_refused(goal), read_goal(goal)


@pytest.mark.parametrize(("kept", "done"), list(itertools.permutations(SWITCHES, 2)))
def test_what_is_not_to_be_done_is_left_undone(kept: str, done: str) -> None:
    for goal in (
        f"don't turn on {kept}, turn on {done}",
        f"turn on {done} but don't turn on {kept}",
        f"turn on {done} but leave {kept} alone",
        f"please turn on {done} and do not turn on {kept}",
    ):
        assert read_goal(goal) == [("Toggle", done, True)], goal


@pytest.mark.parametrize(("kept", "done"), list(itertools.permutations(SWITCHES_ZH, 2)))
def test_so_it_is_left_in_chinese(kept: str, done: str) -> None:
    for goal in (f"不要打开{kept}，开启{done}", f"别开{kept}，开启{done}", f"开启{done}，但不要打开{kept}"):
        assert read_goal(goal) == [("Toggle", done, True)], goal


@pytest.mark.parametrize(
    "goal",
    [
        "don't turn on Wi-Fi",
        "不要打开蓝牙",
        "别给张三发消息",
        "turn on Wi-Fi and don't turn on Wi-Fi",
        "don't message Bob, tell Bob “hi”",
        "don't forget to call Emma",
        "别忘了给王五打电话",
        "turn on Bluetooth but not now",
    ],
)
def test_nothing_to_do_and_what_contradicts_itself_is_refused(goal: str) -> None:
    assert is_refused(goal), read_goal(goal)


def test_a_message_that_is_not_to_be_sent_is_not_sent() -> None:
    assert read_goal("Don't message Alice, message Bob “hold on”") == [("Send", "hold on", "Bob")]
    assert read_goal("不要给Alice发消息，给Bob发微信“稍等”") == [("Open", "微信"), ("Send", "稍等", "Bob")]
    told = explain_goal("Don't message Alice, message Bob “hold on”")
    assert [step.kind for step in told] == ["Refrain", "Send"]


@pytest.mark.parametrize(
    ("goal", "means"),
    [
        ("take a photo", [("TakePhoto",)]),
        ("拍张照片", [("TakePhoto",)]),
        ("connect to the Library Wi-Fi", [("JoinNetwork", "Library", "")]),
        ("连接 Home-5G 的无线网络", [("JoinNetwork", "Home-5G", "")]),
        ("打开 Wi-Fi，连接 Cafe-Free", [("Open", "Wi-Fi"), ("JoinNetwork", "Cafe-Free", "")]),
        ("start a 10 minute timer", [("StartTimer", 600)]),
        ("set a timer for 1 minute and 30 seconds", [("StartTimer", 90)]),
        ("倒计时五分钟", [("StartTimer", 300)]),
        ("定一个一个半小时的倒计时", [("StartTimer", 5400)]),
        ("move the 7:00 alarm to 7:20", [("MoveAlarm", "the 7:00 alarm", "7:20")]),
        ("把七点的闹钟改到七点半", [("MoveAlarm", "七点的闹钟", "七点半")]),
        ("which alarms do I have?", [("ListAlarms",)]),
        ("我有哪些闹钟", [("ListAlarms",)]),
        ("what did Emma write to me last?", [("Read", "Emma's last message")]),
        ("李四最近给我发了什么", [("Read", "李四的最后一条消息")]),
        ("what's on my shopping list?", [("ReadNote", "shopping list")]),
        ("会议记录这条笔记里写了什么", [("ReadNote", "会议记录")]),
        ("what's the weather in London?", [("ReadWeather", "London")]),
        ("北京今天多少度", [("ReadWeather", "北京")]),
        ("mark the photo IMG_0003 as a favourite", [("Favour", "IMG_0003")]),
        ("收藏照片IMG_0002", [("Favour", "IMG_0002")]),
        ("turn the brightness all the way up", [("SetValue", "the brightness", "max")]),
        ("turn Wi-Fi on, and Bluetooth too", [("Toggle", "Wi-Fi", True), ("Toggle", "Bluetooth", True)]),
        ("开启蓝牙，Wi-Fi关了", [("Toggle", "蓝牙", True), ("Toggle", "Wi-Fi", False)]),
        ("open WeChat, then Settings, then Clock", [("Open", name) for name in ("WeChat", "Settings", "Clock")]),
        ("给韩梅和刘洋都发消息“好”", [("Send", "好", "韩梅"), ("Send", "好", "刘洋")]),
        (
            "turn on the 8:30 alarm and delete the 22:45 one",
            [("Toggle", "the 8:30 alarm", True), ("Delete", "the 22:45 alarm")],
        ),
        ("delete the notes Plans and Ideas", [("Delete", "the note “Plans”"), ("Delete", "the note “Ideas”")]),
        ("删除计划和想法这两条笔记", [("Delete", "笔记“计划”"), ("Delete", "笔记“想法”")]),
        ("删除购物清单这条笔记", [("Delete", "笔记“购物清单”")]),
    ],
)  # fmt: skip
def test_what_phones_are_asked(goal: str, means: Reading) -> None:
    assert read_goal(goal) == means
    # a subtask's title is made of the steps' own words, and read again
    joint = "，" if any("\u3400" <= sign <= "\u9fff" for sign in goal) else ", "
    assert read_goal(joint.join(step.source for step in parse_goal(goal))) == means


@pytest.mark.parametrize(
    ("goal", "times"),
    [
        ("set alarms for 6 am and 6:15 am", ["6 am", "6:15 am"]),
        ("set an alarm for 7, 8 and 9", ["7", "8", "9"]),
        ("定两个闹钟，六点和六点一刻", ["六点", "六点一刻"]),
    ],
)
def test_several_times_are_several_alarms(goal: str, times: list[str]) -> None:
    steps = read_goal(goal)
    assert [fields[0][1] for _, _, fields in steps] == times  # type: ignore[index]


@pytest.mark.parametrize(
    "goal",
    [
        "set two alarms for 6, 7 and 8",
        "定三个闹钟，六点和七点",
        "删除计划和想法这三条笔记",
        "move the 22:45 alarm to 11",
        "connect to Bob",
        "set a timer for a while",
        "set a timer for 5 minutes every day",
        "工作日每天七点半叫我",
        "set an alarm for 6:45 every weekday",
        "add a note titled",
        "type echo hello > out.txt",
        "open the terminal and type ls > a.txt and press enter",
    ],
)
def test_what_does_not_add_up_is_refused(goal: str) -> None:
    assert is_refused(goal), read_goal(goal)


@pytest.mark.parametrize(
    ("goal", "fields"),
    [
        ("make a note called Plan that says meet Bob at 5", (("name", "Plan"), ("content", "meet Bob at 5"))),
        ("create a note saying my phone number is 555", (("content", "my phone number is 555"),)),
        ("create a note titled Boats with the text name the boat", (("title", "Boats"), ("content", "name the boat"))),
        ("新建一条笔记，内容是给王五打电话", (("content", "给王五打电话"),)),
        ("新建一条笔记，标题是电话，内容是号码是5", (("title", "电话"), ("content", "号码是5"))),
        ("新建一条笔记，内容是买菜，标题是周末", (("content", "买菜"), ("title", "周末"))),
    ],
)
def test_what_is_written_into_a_note_goes_on_to_its_end(goal: str, fields: tuple[tuple[str, str], ...]) -> None:
    assert [step[2] for step in read_goal(goal)] == [fields]
