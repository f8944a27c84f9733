"""The notification shade: pulled down, listed, tapped, swept away; by touch, by key and from the shell."""

from __future__ import annotations

import re

import pytest

from deskhand.simphone.apps.messenger.app import Messenger
from tests.conftest import ConnectedPhone

WECHAT = "com.tencent.mm"
DUMP = "uiautomator dump /data/local/tmp/x.xml >/dev/null; cat /data/local/tmp/x.xml"


def messenger(sim: ConnectedPhone) -> Messenger:
    app = sim.phone.apps.find_app(WECHAT)
    assert isinstance(app, Messenger)
    return app


def is_open(sim: ConnectedPhone) -> bool:
    return sim.phone.read_state()["apps"]["com.android.systemui"]["shade"]


async def find_text(sim: ConnectedPhone, text: str) -> tuple[int, int] | None:
    found = re.search(rf'text="{re.escape(text)}"[^>]*bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"', await sim.out(DUMP))
    return ((int(found[1]) + int(found[3])) // 2, (int(found[2]) + int(found[4])) // 2) if found else None


@pytest.mark.parametrize(
    "way", ["input swipe 540 10 540 1500 200", "input keyevent 83", "cmd statusbar expand-notifications"]
)
async def test_the_shade_comes_down_and_lists_the_notifications(sim: ConnectedPhone, way: str) -> None:
    messenger(sim).receive_message("张三", "晚上一起吃饭吗")
    assert await find_text(sim, "晚上一起吃饭吗") is None
    await sim.out(way)
    assert is_open(sim)
    assert await find_text(sim, "张三")
    assert await find_text(sim, "晚上一起吃饭吗")
    assert "mCurrentFocus=Window{" in (focus := await sim.out("dumpsys window | grep mCurrentFocus"))
    assert "NotificationShade" in focus


@pytest.mark.parametrize(
    "way",
    ["input swipe 540 1800 540 300 200", "input keyevent 4", "cmd statusbar collapse", "input keyevent 3"],
)
async def test_the_shade_goes_up_again(sim: ConnectedPhone, way: str) -> None:
    await sim.out("am start -n com.android.settings/.Settings; cmd statusbar expand-notifications")
    assert is_open(sim)
    await sim.out(way)
    assert not is_open(sim)
    front = "launcher3" if way.endswith(" 3") else "settings"
    assert front in sim.phone.windows.foreground[0], "back closes the shade and nothing behind it"


async def test_a_tapped_notification_opens_its_chat_and_is_gone(sim: ConnectedPhone) -> None:
    messenger(sim).receive_message("张三", "晚上一起吃饭吗")
    await sim.out("cmd statusbar expand-notifications")
    place = await find_text(sim, "晚上一起吃饭吗")
    assert place
    await sim.out(f"input tap {place[0]} {place[1]}")
    assert not is_open(sim)
    assert sim.phone.windows.foreground == (WECHAT, ".ui.chatting.ChattingUI")
    assert await find_text(sim, "晚上一起吃饭吗"), "the chat itself"
    await sim.out("input keyevent 3; cmd statusbar expand-notifications")
    assert await find_text(sim, "晚上一起吃饭吗") is None


async def test_a_chat_that_was_read_is_no_news_and_a_new_message_is(sim: ConnectedPhone) -> None:
    app = messenger(sim)
    app.receive_message("张三", "一")
    assert any(one.title == "张三" for one in app.list_notifications())
    app.show_chat("张三")
    assert not any(one.title == "张三" for one in app.list_notifications())
    await sim.out("input keyevent 3")
    app.receive_message("张三", "二")
    assert [one.text for one in app.list_notifications() if one.title == "张三"] == ["二"]
    app.notify = False
    assert app.list_notifications() == []


async def test_clearing_leaves_what_can_not_be_cleared(sim: ConnectedPhone) -> None:
    messenger(sim).receive_message("张三", "一")
    await sim.out("cmd statusbar expand-notifications")
    place = await find_text(sim, "全部清除")
    assert place
    await sim.out(f"input tap {place[0]} {place[1]}")
    left = sim.phone.read_state()["apps"]["com.android.systemui"]["notifications"]
    assert [one["package"] for one in left] == ["com.android.systemui"]
    messenger(sim).receive_message("张三", "二")
    assert any(one.title == "张三" for one in sim.phone.apps.system_ui.list_notifications()), "what is new comes again"


async def test_quick_settings_switch_the_radios(sim: ConnectedPhone) -> None:
    await sim.out("cmd statusbar expand-settings")
    place = await find_text(sim, "蓝牙")
    assert place
    await sim.out(f"input tap {place[0]} {place[1]}")
    assert await sim.out("settings get global bluetooth_on") == "1\n"
    assert is_open(sim)


async def test_dumpsys_and_cmd_tell_and_post(sim: ConnectedPhone) -> None:
    await sim.out("cmd notification post -t 'A title' mytag 'some words'")
    assert "|mytag|" in await sim.out("cmd notification list")
    told = await sim.out("dumpsys notification")
    assert "NotificationRecord(" in told
    assert "some words" not in told, "redacted, as on a phone"
    whole = await sim.out("dumpsys notification --noredact")
    assert "android.title=String (A title)" in whole
    assert "android.text=String (some words)" in whole
    await sim.out("cmd statusbar expand-notifications")
    assert await find_text(sim, "A title")


async def test_the_shade_takes_no_keys_for_the_field_behind_it_and_none_comes_while_locked(sim: ConnectedPhone) -> None:
    await sim.out("cmd statusbar expand-notifications; input text abc")
    assert sim.phone.read_state()["focused"] is None
    await sim.out("cmd statusbar collapse")
    sim.phone.conditions.add("locked")
    await sim.out("cmd statusbar expand-notifications")
    assert not is_open(sim)
