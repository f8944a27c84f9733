"""What a goal does on a phone, judged by the phone: the classes of wrong acts, on the skins of two makers."""

from __future__ import annotations

from pathlib import Path

import pytest

from deskhand.build import Deskhand
from deskhand.core.statuses import TaskStatus
from deskhand.settings.schema import Settings
from deskhand.simphone.phone import Phone
from tests.exams.attended import run_beside_user
from tests.exams.phone_questions import Question, add_alarm, call, drop_note, put, send, start_timer, switch, together
from tests.exams.test_phone_exam import is_untouched, read_facts

BLUETOOTH = switch("bluetooth_on", "1")
THREE = send(("张三", "好"), ("李四", "行"), ("王五", "在"))
ACTS = (
    Question('打开微信，给Bob发消息“到了”，返回桌面', send(("Bob", "到了"))),
    Question("打开微信，给张三发消息“好”，给李四发消息“行”，给王五发消息“在”", THREE),
    Question("tell Bob on WeChat I'm late and turn on Bluetooth", together(send(("Bob", "I'm late")), BLUETOOTH)),
    Question("turn Bluetooth on and mobile data off", together(BLUETOOTH, switch("mobile_data", "0"))),
    Question("don't turn on Wi-Fi, turn on Bluetooth", BLUETOOTH),
    Question("开启蓝牙，但不要打开Wi-Fi", BLUETOOTH),
    Question("put the phone on silent", switch("mode_ringer", "0")),
    Question("set an alarm for 6:10 and 18:45", together(add_alarm("06:10"), add_alarm("18:45"))),
    Question("定一个下午三点零五分的闹钟", add_alarm("15:05")),
    Question("delete the 22:45 alarm", put("AlarmClock/alarms/22:45", None)),
    Question("delete the note about milk", drop_note("Shopping list")),
    Question("set a timer for 2 minutes and call Mary", together(start_timer(120), call("Mary"))),
)  # fmt: skip
REFUSED = (
    "set an alarm for 6:45 every weekday", "每天早上七点叫我起床", "reply to Bob with something funny",
    "打开微信，给张三发一句祝福", "delete the last photo", "delete the 10:45 alarm", "call Jac",
    "tell Tom Smith I'm late", "打开微信，给张三发消息“好”，打开设置，唱首歌", "delete all notes",
    "turn on Wi-Fi unless it rains", "connect to the Office Wi-Fi",
)  # fmt: skip


async def act_on_phone(goal: str, skin: str, home: Path) -> tuple[TaskStatus, str, Phone]:
    settings = Settings.model_validate({"data_dir": home, "simphone": {"skin": skin}})
    async with Deskhand(settings) as hand:
        ended = await run_beside_user(hand, goal, "sim:acts")
        return ended.status, ended.reason, hand.simulated.phones["acts"]


@pytest.mark.slow
@pytest.mark.parametrize("skin", ["stock", "maker"])
@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.goal)
async def test_what_is_said_is_done_and_nothing_else(act: Question, skin: str, tmp_path: Path) -> None:
    status, reason, phone = await act_on_phone(act.goal, skin, tmp_path)
    wanted = read_facts(Phone("before", locale="en" if act.goal.isascii() else "zh", skin=skin))
    act.change(wanted)
    assert status is TaskStatus.FULFILLED, reason
    assert read_facts(phone) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("skin", ["stock", "maker"])
@pytest.mark.parametrize("goal", REFUSED)
async def test_what_is_not_sure_is_refused_and_changes_nothing(goal: str, skin: str, tmp_path: Path) -> None:
    status, reason, phone = await act_on_phone(goal, skin, tmp_path)
    before = read_facts(Phone("before", locale="en" if goal.isascii() else "zh", skin=skin))
    before["settings"]["global"]["wifi_on"] = read_facts(phone)["settings"]["global"]["wifi_on"]
    assert status is TaskStatus.REJECTED, reason
    assert is_untouched(before, read_facts(phone), before), reason
