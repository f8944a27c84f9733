"""Goals in plain words, carried out on a phone without a model and judged by the phone's own state."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from deskhand.build import Deskhand
from deskhand.core.statuses import TaskStatus
from deskhand.settings.load import load
from deskhand.simphone.phone import Phone
from deskhand.task.state import TaskState

State = dict[str, Any]

WECHAT, NOTES, CONTACTS = "com.tencent.mm", "com.miui.notes", "com.android.contacts"
CLOCK, CALCULATOR = "com.android.deskclock", "com.android.calculator2"
BROWSER, SHOP = "com.android.browser", "com.example.shop"
LAUNCHER, SYSTEM = "com.android.launcher3", "com.android.systemui"


@pytest.fixture
async def hand(tmp_path: Path) -> AsyncIterator[Deskhand]:
    async with Deskhand(load({"data_dir": tmp_path})) as hand:
        yield hand


async def on_a_fresh_phone(hand: Deskhand, name: str, goal: str) -> tuple[TaskState, State]:
    """How the run ended, and what the phone itself says afterwards."""
    ended = await hand.run(goal, device=f"sim:{name}")
    return ended, hand.simulated.phones[name].read_state()


async def all_at_once(hand: Deskhand, goals: list[str]) -> list[tuple[TaskState, State]]:
    work = (on_a_fresh_phone(hand, f"phone{number}", goal) for number, goal in enumerate(goals))
    return await asyncio.gather(*work)


# --- what can be done ---------------------------------------------------------------------------------------------


class Feat(NamedTuple):
    goal: str
    done: Callable[[State], bool]
    answer: str = ""


def sent(to: str, text: str) -> Callable[[State], bool]:
    return lambda state: state["apps"][WECHAT]["chats"][to]["messages"][-1] == {"from": "me", "text": text}


def switched(setting: str, value: str) -> Callable[[State], bool]:
    return lambda state: state["settings"]["global"][setting] == value


def brightness(percent: int) -> Callable[[State], bool]:
    """Within 2 %: a finger on a slider."""
    return lambda state: abs(int(state["settings"]["system"]["screen_brightness"]) / 255 * 100 - percent) <= 2


def noted(title: str, body: str) -> Callable[[State], bool]:
    return lambda state: {"title": title, "body": body} in state["apps"][NOTES]["notes"]


def alarm(time: str, *, on: bool) -> Callable[[State], bool]:
    return lambda state: [each["on"] for each in state["apps"][CLOCK]["alarms"] if each["time"] == time] == [on]


def computed(sum_: str) -> Callable[[State], bool]:
    return lambda state: state["apps"][CALCULATOR]["history"] == [sum_]


def reading(address: str) -> Callable[[State], bool]:
    return lambda state: state["apps"][BROWSER]["address"] == address


def in_cart(**counts: int) -> Callable[[State], bool]:
    return lambda state: state["apps"][SHOP]["cart"] == counts and state["apps"][SHOP]["orders"] == []


def has_contact(name: str, number: str) -> Callable[[State], bool]:
    return lambda state: {"name": name, "phone": number, "email": ""} in state["apps"][CONTACTS]["contacts"]


def in_front(package: str) -> Callable[[State], bool]:
    return lambda state: state["foreground"]["package"] == package


FEATS = {
    "messenger": [
        Feat('打开微信，找到张三，发送消息"明天下午两点开会"', sent("张三", "明天下午两点开会")),
        Feat('Send the message "Running ten minutes late" to Bob in WeChat', sent("Bob", "Running ten minutes late")),
        Feat('open wechat, find Alice and send her "see you at 7"', sent("Alice", "see you at 7")),
        Feat("打开微信，把“周末见”发给刘洋", sent("刘洋", "周末见")),
    ],
    "settings": [
        Feat("Open Settings, turn on Wi-Fi and verify that Wi-Fi is on", switched("wifi_on", "1")),
        Feat("帮我打开设置，关闭移动数据", switched("mobile_data", "0")),
        Feat("打开设置，打开飞行模式，确认飞行模式已打开", switched("airplane_mode_on", "1")),
        Feat("Open Settings, tap Display and set Brightness to 80%", brightness(80)),
    ],
    "notes": [
        Feat('打开便签，新建一条便签，标题是"周计划"，内容是"周一交报告"', noted("周计划", "周一交报告")),
        Feat(
            'Open Notes, create a note titled "Packing" with the text "passport, charger", '
            'then verify that "Packing" is in the list',
            noted("Packing", "passport, charger"),
        ),
        Feat(
            'Open Notes and delete the note "读书笔记"',
            lambda state: [each["title"] for each in state["apps"][NOTES]["notes"]] == ["购物清单", "会议记录"],
        ),
    ],
    "contacts": [
        Feat('打开通讯录，新建联系人，姓名"钱七"，电话"13912345678"', has_contact("钱七", "13912345678")),
        Feat("Open Contacts, find Grace and read the phone number", in_front(CONTACTS), "+44 7700 900107"),
        Feat("打开通讯录，找到王芳，读取电话", in_front(CONTACTS), "138 0013 8013"),
    ],
    "calculator": [
        Feat("打开计算器，计算 12*34，读取结果", computed("12×34=408"), "408"),
        Feat("Open the calculator, calculate 144/12, then read the result", computed("144÷12=12"), "12"),
        Feat("打开计算器，算一下 7*8+9", computed("7×8+9=65")),
    ],
    "clock": [
        Feat("打开时钟，新建一个 6:45 的闹钟", alarm("06:45", on=True)),
        Feat("Open Clock and turn on the 08:30 alarm", alarm("08:30", on=True)),
        Feat("设置一个早上7点20分的闹钟", alarm("07:20", on=True)),
    ],
    "browser": [
        Feat('Open Browser, go to news.local and click "机器人学会了叠衣服"', reading("news.local/robot")),
        Feat(
            "打开浏览器，访问 news.local，点击“博物馆展出千年瓷器”，确认能看到“相关新闻”",
            reading("news.local/museum"),
        ),
        Feat("Open the browser and visit https://news.local then scroll down", reading("news.local/")),
    ],
    "shop": [
        Feat('Open Shop, add "无线耳机" to the cart', in_cart(headphones=1)),
        Feat("打开购物，点击无线耳机，点击加入购物车，然后返回", in_cart(headphones=1)),
    ],
}


@pytest.mark.parametrize("app", FEATS)
async def test_goals_are_reached_on_the_phone_itself_without_a_model(hand: Deskhand, app: str) -> None:
    feats = FEATS[app]
    for feat, (ended, state) in zip(feats, await all_at_once(hand, [feat.goal for feat in feats]), strict=True):
        assert ended.status is TaskStatus.FULFILLED, f"{feat.goal}: {ended.reason}"
        assert feat.done(state), f"{feat.goal}: the phone does not agree; the run says {ended.reason}"
        assert feat.answer in " ".join(ended.answers), feat.goal
        assert ended.usage.calls == 0


# --- what can't be done -------------------------------------------------------------------------------------------


class Folly(NamedTuple):
    goal: str
    looked_for: str  # what the reason has to name
    saw: str = ""  # what it has to say of what was there instead


FOLLIES = {
    "people": [
        Folly('打开微信，给不存在的人发消息"你好"', "不存在的人", "微信"),
        Folly('Send "hello" to Zebediah in WeChat', "Zebediah"),
        Folly("打开联系人，点击王", "“王”", "“王芳”"),
    ],
    "apps": [
        Folly("打开淘宝，搜索手机", "淘宝"),
        Folly("Open Photoshop", "Photoshop"),
        Folly("Open Settings and tap the purple elephant button", "purple elephant", "Wi-Fi"),
    ],
    "words": [
        Folly("asdf qwer zxcv", "asdf qwer zxcv"),
        Folly("今天天气真好啊你说呢", "天气真好"),
        Folly("Open Settings, please frobnicate", "frobnicate"),
    ],
    "facts": [
        Folly("Open Settings and verify that Wi-Fi is on", "Wi-Fi is on", "Off"),
        Folly("打开设置，确认飞行模式已打开", "飞行模式", "关闭"),
        Folly('Open Notes and verify that "Secret plan" is shown', "Secret plan", "Shopping list"),
        Folly('Open Notes and delete the note "不存在的便签"', "不存在的便签", "购物清单"),
    ],
    "choices": [
        Folly("Open Clock and tap the switch", "ambiguous", "07:00"),
        Folly("Open Clock and turn on the 03:17 alarm", "03:17", "07:00"),
        Folly("打开银行，点击转账", "转账", "登录"),
        Folly("打开银行，确认余额是 99 元", "余额", "示例银行"),
    ],
}


def belongings(state: State) -> State:
    """What the phone holds; where one has been on it is no harm done."""
    apps = {package: held for package, held in state["apps"].items() if package not in (LAUNCHER, SYSTEM)}
    return {"apps": apps, "settings": state["settings"], "clipboard": state["clipboard"]}


@pytest.mark.parametrize("kind", FOLLIES)
async def test_goals_that_cannot_be_reached_are_refused_in_a_sentence_and_change_nothing(
    hand: Deskhand, kind: str
) -> None:
    follies = FOLLIES[kind]
    for folly, (ended, state) in zip(follies, await all_at_once(hand, [each.goal for each in follies]), strict=True):
        assert ended.status is TaskStatus.REJECTED, f"{folly.goal}: {ended.reason}"
        assert ended.cause == "failed", f"{folly.goal}: {ended.reason}"
        assert folly.looked_for in ended.reason, f"{folly.goal}: {ended.reason}"
        assert folly.saw in ended.reason, f"{folly.goal}: {ended.reason}"
        assert belongings(state) == belongings(Phone(locale=state["locale"]).read_state()), folly.goal
        assert ended.usage.calls == 0


async def test_a_sum_that_has_no_result_is_no_success(hand: Deskhand) -> None:
    ended, state = await on_a_fresh_phone(hand, "phone", "打开计算器，计算 1/0，确认结果是 5")
    assert (ended.status, ended.cause) == (TaskStatus.REJECTED, "failed")
    assert "1/0" in ended.reason
    assert "错误" in ended.reason
    assert state["apps"][CALCULATOR]["history"] == []


# --- the same phone, again and side by side -----------------------------------------------------------------------


async def test_a_simulated_phone_keeps_its_state_from_run_to_run(hand: Deskhand) -> None:
    first = await hand.run("打开设置，打开蓝牙", device="sim:mine")
    second = await hand.run("Open Settings and verify that Bluetooth is on", device="sim:mine")
    assert (first.status, second.status) == (TaskStatus.FULFILLED, TaskStatus.FULFILLED), second.reason
    assert (first.device, second.device) == ("sim:mine", "sim:mine")
    assert [run.task_id for run in await hand.journal.runs()] == [second.task_id, first.task_id]
