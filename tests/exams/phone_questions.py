"""The phone exam's questions: goals in a user's own words, and what the phone has to hold afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Facts = dict[str, Any]
Change = Callable[[Facts], None]


def keep_all(facts: Facts) -> None:
    """Nothing changes."""


@dataclass(frozen=True)
class Question:
    """`change` makes the facts as they have to be from those before; `answer` is to be in what the run says.

    `front`: the app that has to be in front, by its role ("home" for the home screen).
    `refusal_wanted`: the goal leaves open what it means, so that without a model it has to be refused.
    """

    goal: str
    change: Change = keep_all
    answer: str = ""
    front: str = ""
    refusal_wanted: bool = False


def send(*messages: tuple[str, str]) -> Change:
    def change(facts: Facts) -> None:
        for name, text in messages:
            chats = facts["Messenger"]["chats"]
            chats[name] = [*chats.get(name, []), {"from": "me", "text": text}]

    return change


def put(path: str, value: object) -> Change:
    """Set the leaf at a path such as `settings/global/wifi_on`; None removes it."""
    *way, last = path.split("/")

    def change(facts: Facts) -> None:
        for name in way:
            facts = facts[name]
        if value is None:
            del facts[last]
        else:
            facts[last] = value

    return change


def together(*changes: Change) -> Change:
    def change(facts: Facts) -> None:
        for each in changes:
            each(facts)

    return change


def switch(name: str, value: str, space: str = "global") -> Change:
    return put(f"settings/{space}/{name}", value)


def add_alarm(time: str, label: str = "") -> Change:
    return put(f"AlarmClock/alarms/{time}", {"label": label, "on": True})


def drop_alarm(time: str) -> Change:
    return put(f"AlarmClock/alarms/{time}", None)


def add_note(title: str, body: str) -> Change:
    return put(f"Notes/{title}", body)


def drop_note(title: str) -> Change:
    return put(f"Notes/{title}", None)


def call(name: str) -> Change:
    return put("Contacts/calls", [name])


def start_timer(seconds: int) -> Change:
    return put("AlarmClock/timer", {"running": True, "length": seconds})


def take_photo(facts: Facts) -> None:
    facts["Gallery"]["IMG_0015"] = False


AIRPLANE = together(switch("airplane_mode_on", "1"), switch("wifi_on", "0"), switch("bluetooth_on", "0"))
LIBRARY = together(
    switch("wifi_on", "1"), put("SettingsApp/network", "Library"), put("SettingsApp/known_networks", ["Library"])
)

QUESTIONS = (
    # --- English ---
    Question("Text Bob on WeChat that I'm on my way", send(("Bob", "I'm on my way"))),
    Question("set an alarm for 7:30 tomorrow", add_alarm("07:30")),
    Question("delete the note about milk", drop_note("Shopping list")),
    Question("turn on airplane mode and turn off Wi-Fi", AIRPLANE),
    Question("what's the last message from Alice?", answer="Yes, reading it now. Thanks!"),
    Question("Call Emma", call("Emma")),
    Question("Turn on dark mode", switch("ui_night_mode", "2", "secure")),
    Question("Make a note called Groceries that says eggs and flour", add_note("Groceries", "eggs and flour")),
    Question("Open the calculator and work out 17 times 24", answer="408", front="Calculator"),
    Question("Take a photo", take_photo),
    Question("What's my battery level?", answer="86"),
    Question(
        "Add a contact named Dr. Smith with the number 555-0142",
        put("Contacts/contacts/Dr. Smith", {"phone": "555-0142", "email": ""}),
    ),
    Question("Turn off the 7:00 alarm", put("AlarmClock/alarms/07:00/on", False)),
    Question("Delete the 8:30 alarm", drop_alarm("08:30")),
    Question("Start a 10 minute timer", start_timer(600)),
    Question("What's the weather in London?", answer="11"),
    Question("Connect to the Library Wi-Fi", LIBRARY),
    Question(
        'Send Alice "Dinner at 8?" and Tom "See you there" on WeChat',
        send(("Alice", "Dinner at 8?"), ("Tom", "See you there")),
    ),
    Question("Set the media volume to 80%", switch("volume_music", "12", "system")),
    Question("Go to the home screen", front="home"),
    Question("What is Grace's phone number?", answer="+44 7700 900107"),
    Question(
        "Turn on do not disturb and turn off mobile data", together(switch("zen_mode", "1"), switch("mobile_data", "0"))
    ),
    Question("Set an alarm for 6:45 every weekday", refusal_wanted=True),
    Question("Reply to Bob with something funny", refusal_wanted=True),
    # --- Chinese ---
    Question("给王五打电话", call("王五")),
    Question("把亮度调到30%", switch("screen_brightness", "30%", "system")),
    Question("给张三发微信说我晚点到", send(("张三", "我晚点到"))),
    Question("打开微信，给张三发消息“好的”，再给李四发消息“明天见”", send(("张三", "好的"), ("李四", "明天见"))),
    Question("打开勿扰模式", switch("zen_mode", "1")),
    Question("帮我定一个早上六点半的闹钟", add_alarm("06:30")),
    Question("新建一条笔记，标题是周计划，内容是写周报", add_note("周计划", "写周报")),
    Question("删除购物清单这条笔记", drop_note("购物清单")),
    Question("手机电量还剩多少？", answer="86"),
    Question("赵六最后说了什么？", answer="快递放在前台了"),
    Question("把媒体音量调到最大", switch("volume_music", "15", "system")),
    Question("查一下韩梅的电话号码", answer="138 0013 8005"),
    Question("拍一张照片", take_photo),
    Question("在微信里告诉刘洋会议改到三点", send(("刘洋", "会议改到三点"))),
    Question(
        "打开 Wi-Fi，连接 Cafe-Free",
        together(
            switch("wifi_on", "1"),
            put("SettingsApp/network", "Cafe-Free"),
            put("SettingsApp/known_networks", ["Cafe-Free"]),
        ),
    ),
    Question("如果明天下雨就提醒我带伞", refusal_wanted=True),
)
