"""A resumed task has again what it was given at its start: its author, its money, its options, its page."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from deskhand.build import Deskhand
from deskhand.core.statuses import TaskStatus
from deskhand.engine.run import Task
from deskhand.engine.safety.authority import USER, Authority
from deskhand.settings.load import load
from deskhand.task.events import ActionEnded

GOAL = '打开微信，等待 60 秒，找到张三，发送消息"两点开会"'
ALLOWED = {"policy": {"run_code": "allow"}, "budget": {"task": "0.05"}}


@pytest.fixture
async def hand(tmp_path: Path) -> AsyncIterator[Deskhand]:
    async with Deskhand(load({"data_dir": str(tmp_path)})) as hand:
        yield hand


async def begin(hand: Deskhand, goal: str = GOAL, **more: Any) -> str:
    """Stopped in the middle, while it waits."""
    async with hand.start(goal, device="sim:a", **more) as run:
        await run._wait_until(lambda state: state.step >= 2)
        await run.stop()
    return run.task_id


def settings_of(run: Task) -> Any:
    return run._parts.settings


async def test_its_options_come_back_and_new_ones_go_above_them(hand: Deskhand, tmp_path: Path) -> None:
    given = load({"data_dir": str(tmp_path), **ALLOWED})
    task_id = await begin(hand, settings=given, options=ALLOWED)
    async with hand.resume(task_id) as run:
        assert str(settings_of(run).budget.task) == "0.05"
        assert settings_of(run).policy.run_code == "allow"
        await run.stop()
    async with hand.resume(task_id, options={"budget": {"task": "0.25"}}) as run:
        assert str(settings_of(run).budget.task) == "0.25"
        assert settings_of(run).policy.run_code == "allow"
        await run.stop()
    async with hand.resume(task_id) as run:  # the last word on it
        assert str(settings_of(run).budget.task) == "0.25"
        await run.stop()


async def test_a_cap_that_was_set_in_any_way_comes_back(hand: Deskhand, tmp_path: Path) -> None:
    task_id = await begin(hand, settings=load({"data_dir": str(tmp_path), "budget": {"task": "0.03"}}))
    async with hand.resume(task_id) as run:
        assert str(settings_of(run).budget.task) == "0.03"
        await run.stop()


@pytest.mark.parametrize(
    ("authority", "sends"), [(USER, True), (Authority.of_foreign_model(()), False)], ids=["the user", "a foreign model"]
)
async def test_who_wrote_the_goal_is_not_forgotten(hand: Deskhand, authority: Authority, sends: bool) -> None:
    task_id = await begin(hand, GOAL.replace("等待 60 秒，", "等待 3 秒，"), authority=authority)
    async with hand.resume(task_id) as run:
        state = await run.wait()
    chats = hand.simulated.phones["a"].read_state()["apps"]["com.tencent.mm"]["chats"]
    sent = [one["text"] for chat in chats.values() for one in chat["messages"] if one["from"] == "me"]
    assert sent.count("两点开会") == sends
    assert (state.status is TaskStatus.FULFILLED) is sends, state.reason


@pytest.mark.parametrize(
    ("goal", "text", "to"),
    [
        ("Open WeChat, tap Bob, type “hello”, tap Send", "hello", "Bob"),
        ("打开微信，点击张三，输入“你好”，点击发送", "你好", "张三"),
    ],
)
async def test_a_simulated_phone_that_was_lost_is_worked_from_the_start(
    tmp_path: Path, goal: str, text: str, to: str
) -> None:
    """It ends with its program: on the next one nothing of what was done is there, and the message goes out once."""
    settings = load({"data_dir": str(tmp_path)})
    async with Deskhand(settings) as before, before.start(goal, device="sim:a") as run:
        done = 0
        async for record in run.events():
            done += isinstance(record.event, ActionEnded)
            if done == 2:
                await run.stop()
                break
    async with Deskhand(settings) as hand, hand.resume(run.task_id) as again:
        ended = await again.wait()
        state = hand.simulated.phones["a"].read_state()
    assert ended.status is TaskStatus.FULFILLED, ended.reason
    assert ended.reason.casefold().count("wechat" if to == "Bob" else "微信") == 1
    assert state["apps"]["com.tencent.mm"]["chats"][to]["messages"].count({"from": "me", "text": text}) == 1
