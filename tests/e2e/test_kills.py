"""Killed at any row of its journal, a task goes on: nothing irreversible twice, none of it called done that was not."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deskhand.clock import SystemClock
from deskhand.core.statuses import TaskStatus
from deskhand.devices.android.adb.private_server import run_private_server
from deskhand.settings.schema import AdbSettings
from deskhand.simphone.adb.phone_server import SimPhone
from deskhand.simphone.phone import Phone
from tests.devices.browser.browser_stage import serving
from tests.e2e.kill_harness import World, survive

pytestmark = pytest.mark.slow

FORM = (
    "<title>Contact</title><form method=post action=/send><label>Name <input name=name></label>"
    "<label>Message <input name=message></label><button>Send</button></form>"
)
ROWS = 70


@asynccontextmanager
async def phone_world(folder: Path) -> AsyncIterator[World]:
    phone = Phone()

    def count() -> int:
        chats = phone.read_state()["apps"]["com.tencent.mm"]["chats"]
        mine = [one["text"] for chat in chats.values() for one in chat["messages"] if one["from"] == "me"]
        return mine.count("两点开会")

    async with run_private_server(AdbSettings(), SystemClock()) as adb, SimPhone(phone) as sim:
        goal = '打开微信，找到张三，发送消息"两点开会"'
        settings = {"adb": adb.model_dump(mode="json", exclude_unset=True)}
        yield World(goal, f"android:{sim.address}", folder, count, settings=settings)


@asynccontextmanager
async def browser_world(folder: Path) -> AsyncIterator[World]:
    with serving() as site:
        site.page("<title>Sent</title><p>Thank you</p>", "/send")
        page = site.page(FORM)

        def count() -> int:
            assert all(body == "name=Ann&message=hello" for _, _, body in site.posted), site.posted
            return len(site.posted)

        goal = "type Ann into Name, type hello into Message, click Send"
        yield World(goal, "browser", folder, count, url=page)


@asynccontextmanager
async def call_world(folder: Path) -> AsyncIterator[World]:
    phone = Phone()
    async with run_private_server(AdbSettings(), SystemClock()) as adb, SimPhone(phone) as sim:
        settings = {"adb": adb.model_dump(mode="json", exclude_unset=True)}
        calls = phone.read_state()["apps"]["com.android.contacts"]["calls"]
        assert calls == []
        yield World(
            "打开通讯录，找到李四，点击拨打电话",
            f"android:{sim.address}",
            folder,
            lambda: len(phone.read_state()["apps"]["com.android.contacts"]["calls"]),
            settings=settings,
        )


WORLDS = {"phone": phone_world, "browser": browser_world, "call": call_world}


@pytest.mark.parametrize("kind", WORLDS)
@pytest.mark.parametrize("row", range(1, ROWS, 3))
async def test_killed_at_a_row(tmp_path: Path, kind: str, row: int) -> None:
    async with WORLDS[kind](tmp_path) as world:
        state = await survive(world, [row])
        assert state is None or state.status is TaskStatus.FULFILLED, state.reason


@pytest.mark.parametrize("kind", WORLDS)
@pytest.mark.parametrize("seed", range(6))
async def test_killed_again_while_it_is_resumed(tmp_path: Path, kind: str, seed: int) -> None:
    chance = random.Random(seed)
    kills = [chance.randint(1, ROWS // 2), chance.randint(1, 25), chance.randint(1, 25)]
    async with WORLDS[kind](tmp_path) as world:
        state = await survive(world, kills)
        assert state is None or state.status is TaskStatus.FULFILLED, state.reason


@pytest.mark.parametrize("kind", WORLDS)
@pytest.mark.parametrize("row", [10, 25, 40])
async def test_two_resumes_at_once(tmp_path: Path, kind: str, row: int) -> None:
    async with WORLDS[kind](tmp_path) as world:
        if not await world.run_child(row):
            pytest.fail("it was to be killed in the middle")
        task = await world.find_task()
        both = [world.start_child(0, task, wait_s=60) for _ in range(2)]
        await asyncio.gather(*(asyncio.to_thread(child.communicate) for child in both))
        assert world.count() <= 1
        assert world.count() == 1 or (await world.finish(task)).status is TaskStatus.FULFILLED
        assert world.count() == 1
