"""The offline worker carries goals out on the simulated phone, and the phone's own state agrees; or fails honestly."""

from typing import Any

import pytest

from tests.roles.handset import Handset

WECHAT, SETTINGS, NOTES = "com.tencent.mm", "com.android.settings", "com.miui.notes"


def said_by_me(state: dict[str, Any], name: str) -> list[str]:
    messages = state["apps"][WECHAT]["chats"].get(name, {"messages": []})["messages"]
    return [m["text"] for m in messages if m["from"] == "me"]


@pytest.mark.parametrize(
    ("goal", "name", "text"),
    [
        ('打开微信，找到张三，发送消息"明天下午两点开会"', "张三", "明天下午两点开会"),
        ("用微信给韩梅发消息：资料收到，谢谢", "韩梅", "资料收到，谢谢"),
        ("在微信里告诉李四“我到了”", "李四", "我到了"),
        ('Open WeChat and send Bob a message saying "See you at 5"', "Bob", "See you at 5"),
        ("打开微信，点击通讯录，点击韩梅，点击发消息，输入你好，点击发送，确认有“你好”", "韩梅", "你好"),
    ],
)
@pytest.mark.parametrize("locale", ["zh", "en"])
async def test_a_message_is_sent_and_seen(goal: str, name: str, text: str, locale: str) -> None:
    handset = Handset(locale=locale)
    decision = await handset.run(goal)
    assert decision.kind == "done", handset.log
    assert said_by_me(handset.phone.read_state(), name)[-1] == text
    assert text in decision.message


@pytest.mark.parametrize(
    ("goal", "space", "key", "value"),
    [
        ("Open Settings, turn on Wi-Fi and verify that Wi-Fi is on", "global", "wifi_on", "1"),
        ("打开设置，打开蓝牙，再确认蓝牙已打开", "global", "bluetooth_on", "1"),
        ("请帮我打开设置，把 WLAN 打开", "global", "wifi_on", "1"),
        ("turn on airplane mode, then turn it off", "global", "airplane_mode_on", "0"),
        ("Turn on dark mode", "secure", "ui_night_mode", "2"),
    ],
)
@pytest.mark.parametrize("locale", ["zh", "en"])
async def test_a_switch_is_turned(goal: str, space: str, key: str, value: str, locale: str) -> None:
    handset = Handset(locale=locale)
    decision = await handset.run(goal)
    assert decision.kind == "done", handset.log
    assert handset.phone.settings[space][key] == value


async def test_a_switch_that_is_already_on_is_left_alone() -> None:
    handset = Handset()
    handset.phone.settings["global"]["wifi_on"] = "1"
    decision = await handset.run("打开设置，打开 Wi-Fi")
    assert decision.kind == "done"
    assert "本来就是" in decision.message
    assert handset.phone.settings["global"]["wifi_on"] == "1"


@pytest.mark.parametrize(
    ("goal", "answer"),
    [
        ("Open the calculator, compute 12*34 and read the result", "408"),
        ("打开计算器，计算 100 除以 8，读取结果", "12.5"),
        ("7+8等于多少", "15"),
        ("打开设置，电池电量是多少", "86%"),
        ("打开通讯录，找到李四，读取电话", "138 0013 8007"),
        ("打开通讯录，查看李四的电话号码", "138 0013 8007"),
        ("Open Contacts and read Alice's phone number", "+44 7700 900101"),
        ("Use the calculator to compute 6*7 and read the result", "42"),
        ("Open Contacts, find Alice and read her phone number", "+44 7700 900101"),
        ("打开设置，找到关于手机，读取型号", "SimPhone"),
        ("Is Bluetooth on?", "no"),
        ("Open the browser, visit news.local and read the title", "本地新闻"),
        ("Open the shop, search for lamp and read the price", "159"),
    ],
)
async def test_something_is_read_and_answered(goal: str, answer: str) -> None:
    handset = Handset()
    decision = await handset.run(goal)
    assert decision.kind == "done", handset.log
    assert answer in handset.answers[-1]
    assert answer.casefold() in decision.message.casefold()


async def test_notes_are_made_and_deleted() -> None:
    handset = Handset()
    assert (
        await handset.run('Open Notes and create a note titled "Shopping" with the content "milk, eggs"')
    ).kind == "done"
    assert {"title": "Shopping", "body": "milk, eggs"} in handset.phone.read_state()["apps"][NOTES]["notes"]
    assert (await handset.run("打开笔记，新建一条笔记，标题是周报，内容是完成了测试")).kind == "done"
    assert {"title": "周报", "body": "完成了测试"} in handset.phone.read_state()["apps"][NOTES]["notes"]
    assert (await handset.run("打开笔记，删除“会议记录”，确认没有“会议记录”")).kind == "done", handset.log
    assert "会议记录" not in [n["title"] for n in handset.phone.read_state()["apps"][NOTES]["notes"]]


@pytest.mark.parametrize("goal", ["新建便签，写“牛奶”", "Open Notes, create a new note and type “牛奶”"])
async def test_what_is_typed_after_making_a_note_is_saved_in_it(goal: str) -> None:
    """It used to save an empty note, type into the search box and call that done."""
    handset = Handset()
    assert (await handset.run(goal)).kind == "done", handset.log
    assert {"title": "", "body": "牛奶"} in handset.phone.read_state()["apps"][NOTES]["notes"]


async def test_contacts_alarms_and_brightness() -> None:
    handset = Handset()
    goal = "Open Contacts and add a contact named Ann Lee with phone number 13800001111"
    assert (await handset.run(goal)).kind == "done", handset.log
    assert "Ann Lee" in str(handset.phone.read_state()["apps"]["com.android.contacts"])
    assert (await handset.run("设置一个早上七点半的闹钟")).kind == "done", handset.log
    assert (await handset.run("Open the clock, set an alarm for 6:45 and verify that 06:45 is on")).kind == "done"
    assert (await handset.run("打开时钟，关闭7:00的闹钟")).kind == "done", handset.log
    alarms = {a["time"]: a["on"] for a in handset.phone.read_state()["apps"]["com.android.deskclock"]["alarms"]}
    assert alarms["07:30"] is True
    assert alarms["06:45"] is True
    assert alarms["07:00"] is False
    assert (await handset.run("打开设置，把亮度设置为80")).kind == "done", handset.log
    assert abs(int(handset.phone.settings["system"]["screen_brightness"]) - 204) <= 8


@pytest.mark.parametrize(
    ("goal", "locale"),
    [
        ("打开商城，把保温杯加入购物车，读取合计", "zh"),
        ("Open the shop, add the thermos cup to the cart and read the total", "en"),
    ],
)
async def test_something_is_put_into_the_cart(goal: str, locale: str) -> None:
    handset = Handset(locale=locale)
    decision = await handset.run(goal)
    assert decision.kind == "done", handset.log
    assert "89" in handset.answers[-1]
    assert "cup" in str(handset.phone.read_state()["apps"]["com.example.shop"]["cart"])


@pytest.mark.parametrize(
    "goal",
    [
        '打开微信，找到张三，发送消息"明天下午两点开会"',
        "Open Settings, turn on Wi-Fi and verify that Wi-Fi is on",
        "Open the calculator, compute 12*34 and read the result",
        "打开笔记，删除“会议记录”，确认没有“会议记录”",
    ],
)
async def test_a_pop_up_in_the_middle_is_put_away_and_never_agreed_to(goal: str) -> None:
    handset = Handset(conditions=("popup",))
    decision = await handset.run(goal)
    assert decision.kind == "done", handset.log
    assert any("稍后" in line for line in handset.log)


async def test_it_works_on_a_turned_screen() -> None:
    handset = Handset(conditions=("rotated",))
    decision = await handset.run("打开微信，给李四发消息“到了”")
    assert decision.kind == "done", handset.log
    assert said_by_me(handset.phone.read_state(), "李四")[-1] == "到了"


@pytest.mark.parametrize(
    ("goal", "names"),
    [
        ("Open Telegram", ["Telegram"]),
        ("打开淘宝", ["淘宝"]),
        ("打开微信，找到诸葛亮，发送消息“你好”", ["诸葛亮"]),
        ("Open WeChat and tap the Purple Elephant button", ["Purple Elephant"]),
        ("Open Settings and turn on Telepathy", ["Telepathy"]),
        ("打开设置，确认蓝牙已打开", ["蓝牙", "已关闭"]),
        ("Open the calculator, compute 12*34 and verify that the result is 400", ["400", "408"]),
        ("给李四发送消息“hi”", ["应用"]),
        ("dance a tango", ["dance a tango"]),
        ("打开设置，然后跳个舞", ["跳个舞"]),
        ("打开计算器，点击发送", ["发送"]),
        ('Open Notes and delete the note "Tax return"', ["Tax return", "购物清单"]),
        ("type hello", ["field"]),
        ("打开商城，把飞机加入购物车", ["飞机"]),
        ("Open the clock and read the horoscope", ["horoscope"]),
        ("compute 5/0", ["5/0"]),
        ("wait until Godot appears", ["Godot"]),
        ("打开计算器，计算 (3+4)*5", ["("]),
        ("Open Settings and set the brightness to 300%", ["300%"]),
        ("打开设置，把亮度调到-20%", ["-20%"]),
        ("设置一个25点的闹钟", ["25点"]),
        ("Set an alarm for 27:80", ["27:80"]),
    ],
)
async def test_what_can_not_be_done_fails_and_says_what_was_sought_and_seen(goal: str, names: list[str]) -> None:
    handset = Handset()
    before, settings = handset.phone.read_state()["apps"], handset.phone.read_state()["settings"]
    decision = await handset.run(goal, max_steps=40)
    assert decision.kind == "fail", handset.log
    for name in names:
        assert name in decision.message
    after = handset.phone.read_state()["apps"]
    for package in (WECHAT, NOTES, "com.example.shop", "com.android.deskclock"):
        assert after[package] == before[package], "an impossible goal changes nothing"
    assert handset.phone.read_state()["settings"] == settings


async def test_a_screen_without_elements_is_an_honest_failure() -> None:
    decision = await Handset(conditions=("never-idle",)).run("Open Settings and turn on Wi-Fi")
    assert decision.kind == "fail"
    assert "idle" in decision.message


async def test_a_locked_phone_is_not_taken_for_an_open_app() -> None:
    decision = await Handset(conditions=("locked",)).run("Open Settings")
    assert decision.kind == "fail"


@pytest.mark.parametrize(
    "goal",
    [
        '打开购物，搜索"耳机"，加入购物车',
        "打开优选商城，搜索耳机并加入购物车",
        "打开商城，点击无线耳机，加入购物车",
        "Open the shop, click the first product and add to cart",
    ],
)
async def test_what_was_just_found_goes_into_the_cart(goal: str) -> None:
    handset = Handset()
    decision = await handset.run(goal)
    assert decision.kind == "done", handset.log
    assert handset.phone.read_state()["apps"]["com.example.shop"]["cart"] == {"headphones": 1}


async def test_without_a_product_nothing_goes_into_the_cart() -> None:
    handset = Handset()
    decision = await handset.run("打开商城，加入购物车")
    assert decision.kind == "fail", handset.log
    assert "加入购物车" in decision.message


@pytest.mark.parametrize(
    ("goal", "answer"),
    [
        ("What's Alice's phone number?", "+44 7700 900101"),
        ("帮我查一下王芳的手机号", "138 0013 8013"),
        ("电池电量是多少", "86%"),
    ],
)
async def test_what_is_asked_for_is_looked_up_where_it_usually_is(goal: str, answer: str) -> None:
    handset = Handset()
    assert (await handset.run(goal)).kind == "done", handset.log
    assert answer in handset.answers[-1]


async def test_without_an_app_things_are_changed_where_they_usually_are() -> None:
    handset = Handset()
    for goal in ("关掉早上7点的闹钟", "turn on the 10:45 pm alarm", "把八点半的闹钟打开", "删除读书笔记"):
        assert (await handset.run(goal)).kind == "done", handset.log
        handset.phone.input.press_key(3)
    alarms = {
        each["time"]: each["on"] for each in handset.phone.read_state()["apps"]["com.android.deskclock"]["alarms"]
    }
    assert alarms == {"07:00": False, "08:30": True, "22:45": True}
    assert [note["title"] for note in handset.phone.read_state()["apps"][NOTES]["notes"]] == ["购物清单", "会议记录"]
    assert (await handset.run("亮度调到80%")).kind == "done", handset.log
    assert abs(int(handset.phone.settings["system"]["screen_brightness"]) - 204) <= 8


@pytest.mark.parametrize("second", ["打开设置，关闭移动数据", "关闭移动数据", "Turn off mobile data in Settings"])
async def test_settings_that_were_left_on_another_page_are_gone_up(second: str) -> None:
    handset = Handset()
    assert (await handset.run("打开设置，打开 Wi-Fi")).kind == "done", handset.log
    assert (await handset.run(second)).kind == "done", handset.log
    assert handset.phone.settings["global"]["mobile_data"] == "0"


async def test_an_app_that_was_left_on_another_page_is_gone_up() -> None:
    handset = Handset()
    assert (await handset.run("打开设置，找到关于手机")).kind == "done", handset.log
    assert (await handset.run("打开设置，点击显示，读取亮度")).kind == "done", handset.log


async def test_what_is_not_on_a_page_is_not_taken_from_the_page_above() -> None:
    handset = Handset()
    decision = await handset.run("打开商城，点击无线耳机，点击保温杯")
    assert decision.kind == "fail", handset.log
    assert "保温杯" in decision.message


@pytest.mark.parametrize("locale", ["zh", "en"])
async def test_a_site_that_is_not_there_was_not_visited(locale: str) -> None:
    handset = Handset(locale=locale)
    decision = await handset.run("go to nosuch.example")
    assert decision.kind == "fail", handset.log
    assert "nosuch.example" in decision.message
