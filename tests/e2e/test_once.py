"""Nothing that can't be undone is done twice: not by a hint, a fresh start, a new plan, a resume or a late clock."""

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deskhand.build import Deskhand
from deskhand.clock import SystemClock
from deskhand.core.statuses import TaskStatus
from deskhand.devices.android.adb.private_server import run_private_server
from deskhand.settings.schema import AdbSettings, RuleSettings, Settings
from deskhand.simphone.adb.phone_server import SimPhone
from deskhand.simphone.phone import Phone
from deskhand.task.events import Ruled

GOALS = {
    "zh": ('打开微信，找到张三，发送消息"两点开会"', "张三", "两点开会"),
    "en": ('open WeChat, find 李四, send "meeting at two"', "李四", "meeting at two"),
    "two": ('打开微信，给张三发消息"到了"，给李四发消息"到了"', "张三", "到了"),
}


class JumpingClock(SystemClock):
    """Somebody sets the wall clock ahead by ten minutes, again and again."""

    def __init__(self) -> None:
        self._jumps = itertools.count()

    def wall(self) -> float:
        return super().wall() + 600 * next(self._jumps)


class FastClock(SystemClock):
    """Minutes that are waited for pass at once; everything else takes as long as it takes."""

    def __init__(self) -> None:
        self._skipped = 0.0

    def now(self) -> float:
        return super().now() + self._skipped

    async def sleep(self, seconds: float) -> None:
        if seconds >= 60:
            self._skipped += seconds
            seconds = 0.1
        await super().sleep(seconds)


@asynccontextmanager
async def phone_at_hand(folder: Path, rules: RuleSettings) -> AsyncIterator[tuple[Deskhand, Phone, str]]:
    phone = Phone()
    async with (
        run_private_server(AdbSettings(), SystemClock()) as adb,
        SimPhone(phone) as sim,
        Deskhand(Settings(data_dir=folder, adb=adb, rules=rules)) as hand,
    ):
        yield hand, phone, f"android:{sim.address}"


def count_sent(phone: Phone, to: str, text: str) -> int:
    messages = phone.read_state()["apps"]["com.tencent.mm"]["chats"][to]["messages"]
    return sum(message["text"] == text and message["from"] == "me" for message in messages)


@pytest.mark.parametrize("language", GOALS)
@pytest.mark.parametrize("seconds", [1.0, 6.0])
async def test_a_subtask_that_takes_too_long_sends_once(tmp_path: Path, language: str, seconds: float) -> None:
    goal, to, text = GOALS[language]
    async with phone_at_hand(tmp_path, RuleSettings(subtask_s=seconds)) as (hand, phone, device):
        state = await hand.run(goal, device=device)
        assert count_sent(phone, to, text) <= 1
        if state.status is TaskStatus.FULFILLED:
            assert count_sent(phone, to, text) == 1
        if language == "two":
            assert count_sent(phone, "李四", text) <= 1


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_a_wall_clock_that_jumps_changes_nothing(tmp_path: Path, language: str) -> None:
    goal, to, text = GOALS[language]
    async with phone_at_hand(tmp_path, RuleSettings()) as (hand, phone, device):
        hand.clock = JumpingClock()
        state = await hand.run(goal, device=device)
        assert state.status is TaskStatus.FULFILLED, state.reason
        assert count_sent(phone, to, text) == 1
        ruled = [record.event for record in await hand.journal.read(state.task_id) if isinstance(record.event, Ruled)]
        assert "subtask_timeout" not in [event.ruling.rule for event in ruled]


LONG = {
    "zh": '打开微信，等待100秒，找到张三，发送消息"两点开会"，等待300秒，等待300秒，返回',
    "en": 'open WeChat, wait 100 seconds, find 张三, send "两点开会", wait 300 seconds, wait 300 seconds, go back',
}


@pytest.mark.parametrize("language", LONG)
async def test_a_task_of_more_than_ten_minutes_sends_once(tmp_path: Path, language: str) -> None:
    """With every limit as it is shipped: the subtask takes longer than it should, and is checked and helped."""
    clock = FastClock()
    async with phone_at_hand(tmp_path, RuleSettings()) as (hand, phone, device):
        hand.clock, begun = clock, clock.now()
        state = await hand.run(LONG[language], device=device)
        assert clock.now() - begun > 600, state.reason
        ruled = [record.event for record in await hand.journal.read(state.task_id) if isinstance(record.event, Ruled)]
        assert "subtask_timeout" in [event.ruling.rule for event in ruled], "nobody minded how long it took"
        assert count_sent(phone, "张三", "两点开会") == 1, state.reason
