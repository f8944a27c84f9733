"""The same goals on every maker's phone: nothing hangs on ids, packages, launchers or how dialogs look."""

from __future__ import annotations

from typing import Any

import pytest

from deskhand.simphone.skin import SKINS
from tests.roles.handset import Handset

# The handset opens apps by the table of well-known names; those of other makers are opened by icons, on a real device.
WECHAT = "com.tencent.mm"


def said_last(handset: Handset, name: str) -> dict[str, Any]:
    return handset.phone.read_state()["apps"][WECHAT]["chats"][name]["messages"][-1]


@pytest.mark.parametrize("skin", SKINS)
@pytest.mark.parametrize(
    ("locale", "goal", "messages"),
    [
        ("zh", "打开微信，给张三发消息“好的”，再给李四发消息“明天见”", {"张三": "好的", "李四": "明天见"}),
        ("en", 'Open WeChat, send "yes" to Bob, send "no" to Tom', {"Bob": "yes", "Tom": "no"}),
        (
            "en",
            'Open WeChat, send "1" to Tom, send "2" to Emma and send "3" to Mary',
            {"Tom": "1", "Emma": "2", "Mary": "3"},
        ),
    ],
)
async def test_a_chat_is_left_for_the_next_person(skin: str, locale: str, goal: str, messages: dict[str, str]) -> None:
    handset = Handset(locale=locale, skin=skin)
    ended = await handset.run(goal, max_steps=60)
    assert ended.kind == "done", ended.message
    for name, text in messages.items():
        assert said_last(handset, name) == {"from": "me", "text": text}


@pytest.mark.parametrize(
    ("locale", "goal", "setting"),
    [
        ("en", "Open WeChat, turn on Wi-Fi", "wifi_on"),
        ("zh", "打开微信，打开蓝牙", "bluetooth_on"),
        ("zh", "打开计算器，打开飞行模式", "airplane_mode_on"),
        ("en", "Open Notes and turn on Do not disturb", "zen_mode"),
    ],
)
async def test_the_phones_own_switches_are_reached_from_any_app(locale: str, goal: str, setting: str) -> None:
    handset = Handset(locale=locale)
    ended = await handset.run(goal)
    assert ended.kind == "done", ended.message
    assert handset.phone.read_state()["settings"]["global"][setting] == "1"
