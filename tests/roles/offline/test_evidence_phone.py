"""Every instruction on a phone that works and on one that sabotages it: only where it had its effect it is done.

Judged by the phone's own state. The worker is alone, as in the single loop and in a job of a layered chat.
"""

from collections.abc import Callable
from typing import Any

import pytest

from tests.roles.handset import Handset

State = dict[str, Any]


def settings(space: str, name: str, value: str) -> Callable[[State], bool]:
    return lambda state: state["settings"][space].get(name) == value


def notes(*titles: str, without: str = "") -> Callable[[State], bool]:
    def check(state: State) -> bool:
        held = [note["title"] for note in state["apps"]["com.miui.notes"]["notes"]]
        return set(titles) <= set(held) and without not in held

    return check


def said(name: str, text: str) -> Callable[[State], bool]:
    def check(state: State) -> bool:
        chats = state["apps"]["com.tencent.mm"]["chats"]
        return [m["text"] for m in chats.get(name, {"messages": []})["messages"]][-1:] == [text]

    return check


# goal in Chinese and in English, what is so afterwards on a phone that works, the conditions that sabotage it
TABLE = {
    "toggle": (
        "打开设置，打开飞行模式", "open Settings, turn on Airplane mode",
        settings("global", "airplane_mode_on", "1"), ("springing-switches", "deaf-buttons"),
    ),
    "toggle behind a row": (
        "打开设置，打开蓝牙", "open Settings, turn on Bluetooth",
        settings("global", "bluetooth_on", "1"), ("springing-switches", "deaf-buttons"),
    ),
    "send": (
        "打开微信，给张三发消息“今天晚点到”", "open WeChat, send “on my way” to Alice",
        None, ("failed-sending", "deaf-buttons", "short-fields"),
    ),
    "delete": (
        "打开笔记，删除“会议记录”", "open Notes, delete “Meeting notes”",
        None, ("refused-deletions", "stuck-dialogs", "deaf-buttons"),
    ),
    "create note": (
        "打开笔记，新建笔记标题是周末计划", "open Notes, create a note titled Weekend plans",
        None, ("forgetful", "short-fields", "deaf-buttons"),
    ),
    "create alarm": (
        "打开时钟，新建7:45的闹钟", "open Clock, create an alarm for 7:45",
        None, ("forgetful", "deaf-buttons"),
    ),
    "create contact": (
        "打开通讯录，新建联系人姓名是周九，电话是13800001111",
        "open Contacts, create a contact named Zed with phone 13800001111",
        None, ("forgetful", "short-fields", "deaf-buttons"),
    ),
    "call": ("打开通讯录，给张三打电话", "open Contacts, call Alice", None, ("no-service", "deaf-buttons")),
    "tap": ("打开设置，点击显示", "open Settings, tap Display", None, ("deaf-buttons",)),
    "open by touch": ("打开笔记，打开“购物清单”", "open Notes, open “Shopping list”", None, ("deaf-buttons",)),
    "type": (
        "打开设置，在搜索框里输入“蓝牙设备”", "open Settings, type “Bluetooth” into the search field",
        None, ("short-fields",),
    ),
    "add to note": (
        "打开笔记，在购物清单里加上香蕉", "open Notes, add bananas to the Shopping list note",
        None, ("forgetful", "short-fields", "deaf-buttons"),
    ),
}  # fmt: skip
CASES = [
    (name, locale, trouble)
    for name, (_, _, _, troubles) in TABLE.items()
    for locale in ("zh", "en")
    for trouble in ("", *troubles)
]


@pytest.mark.parametrize(("name", "locale", "trouble"), CASES)
async def test_only_what_had_its_effect_on_the_phone_is_done(name: str, locale: str, trouble: str) -> None:
    zh, en, holds, _ = TABLE[name]
    handset = Handset(conditions=(trouble,) if trouble else (), locale=locale)
    before = handset.phone.read_state()
    decision = await handset.run(zh if locale == "zh" else en)
    assert (decision.kind == "done") is not bool(trouble), handset.log
    assert decision.message
    if not trouble:
        after = handset.phone.read_state()
        assert holds(after) if holds else after != before, handset.log
