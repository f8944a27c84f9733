"""A task on a phone whose line breaks goes on to its end, and what it sends is sent once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from deskhand.build import Deskhand
from deskhand.bus import Subscription
from deskhand.core.statuses import TaskStatus
from deskhand.settings.load import load
from deskhand.simphone.adb.phone_server import SimPhone
from deskhand.simphone.phone import Phone
from deskhand.task.events import Record
from deskhand.task.state import TaskState
from tests.conftest import Adb

WECHAT = "com.tencent.mm"


async def send_message(adb: Adb, folder: Path, kind: str, which: int | None) -> tuple[TaskState, list[str]]:
    """Send a message on a phone whose line breaks in the command after the given event, or after each of them."""
    async with SimPhone(Phone(locale="zh")) as sim:
        overrides = {"data_dir": str(folder), "adb": {"port": adb.port}, "policy": {"irreversible": "allow"}}
        async with Deskhand(load(overrides, folder / "none.toml")) as hand:
            with hand.bus.subscribe_to(Record) as records:
                breaking = asyncio.create_task(break_line(sim, records, kind, which))
                state = await hand.run("打开微信，给张三发消息“到了吗”", device=f"android:{sim.address}")
                breaking.cancel()
        await adb.run("disconnect", sim.address)
        chats = sim.phone.read_state()["apps"][WECHAT]["chats"]
        messages = chats.get("张三", {"messages": []})["messages"]
        return state, [message["text"] for message in messages if message["from"] == "me"]


async def break_line(sim: SimPhone, records: Subscription[Record], kind: str, which: int | None) -> None:
    count = 0
    async for record in records:
        if record.event.type == kind:
            count += 1
            if which in (None, count):
                sim.phone.conditions.add("drop-once")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["observed", "action_intended"])
@pytest.mark.parametrize("which", [1, 2, 3, 4, 5, 6])
async def test_a_task_goes_on_when_the_line_breaks_once(adb: Adb, tmp_path: Path, kind: str, which: int) -> None:
    state, sent = await send_message(adb, tmp_path, kind, which)
    assert (state.status, sent) == (TaskStatus.FULFILLED, ["到了吗"]), state.reason


@pytest.mark.parametrize("kind", ["observed", "decided", "action_intended", "settled"])
async def test_a_line_that_breaks_at_every_step_never_sends_twice(adb: Adb, tmp_path: Path, kind: str) -> None:
    state, sent = await send_message(adb, tmp_path, kind, None)
    assert sent in ([], ["到了吗"]), "never twice"
    assert state.cause != "device", state.reason
    if state.status is TaskStatus.FULFILLED:
        assert sent, "never fulfilled without it"
