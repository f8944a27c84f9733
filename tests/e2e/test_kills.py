"""Killed at any row of its journal, a task goes on: nothing irreversible twice, none of it called done that was not."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from deskhand.clock import SystemClock
from deskhand.core.statuses import TaskStatus
from deskhand.devices.android.adb.private_server import run_private_server
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ReceivedRequest, ScriptedStep
from deskhand.settings.schema import AdbSettings
from deskhand.simphone.adb.phone_server import SimPhone
from deskhand.simphone.phone import Phone
from deskhand.task.journal import SqliteJournal
from tests.devices.browser.browser_stage import serving
from tests.e2e.kill_harness import NEVER, Kill, World, survive
from tests.e2e.test_dispatch import act, call, done

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

FORM = (
    "<title>Contact</title><form method=post action=/send><label>Name <input name=name></label>"
    "<label>Message <input name=message></label><button>Send</button></form>"
)
TEXT = "两点开会"


@asynccontextmanager
async def phone_world(folder: Path, to: str = "张三") -> AsyncIterator[World]:
    phone = Phone()

    def count() -> int:
        chats = phone.read_state()["apps"]["com.tencent.mm"]["chats"]
        mine = [one["text"] for chat in chats.values() for one in chat["messages"] if one["from"] == "me"]
        return mine.count(TEXT)

    async with run_private_server(AdbSettings(), SystemClock()) as adb, SimPhone(phone) as sim:
        goal = f'打开微信，找到{to}，发送消息"{TEXT}"'
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


@asynccontextmanager
async def model_world(folder: Path) -> AsyncIterator[World]:
    """A model that knows only what it sees: each life of the task, it looks at the screen and does what comes next."""
    async with phone_world(folder, "李四") as world, ModelServer([decide_by_screen] * 300) as server:
        world.settings["models"] = {"operator": {"model": "scripted", "base_url": server.url, "free": True}}
        world.settings["policy"] = {"irreversible": "allow"}  # a model is asked about it otherwise
        yield world


def decide_by_screen(seen: ReceivedRequest) -> ScriptedStep:
    listed = re.findall(r'\[(\d+)\] (\w+) "([^"]*)"(.*)', seen.text)
    index = {name: int(number) for number, _, name, _ in listed}
    field = next(((int(number), rest) for number, role, _, rest in listed if role == "field"), None)
    if any(name == TEXT and role != "field" for _, role, name, _ in listed):
        return done("Sent.")
    if field and TEXT in field[1]:
        return act("click", element=index["发送"])
    if field and "李四" in index:
        typing = [{"kind": "click", "element": field[0]}, {"kind": "type", "text": TEXT}]
        return call("step", decision="actions", actions=typing)
    return act("click", element=index["李四"]) if "李四" in index else act("open_app", name="微信")


Stage = Callable[[Path], AbstractAsyncContextManager[World]]
WORLDS: dict[str, Stage] = {"phone": phone_world, "browser": browser_world, "call": call_world, "model": model_world}
# As many rows as a task has at most when nothing disturbs it.
ROWS = {"phone": 70, "browser": 60, "call": 60, "model": 60}
PARTS = 6
AT_ONCE = 3


async def survive_all(folder: Path, kind: str, cases: Iterable[Sequence[Kill]]) -> None:
    """Each case in a world of its own, a few at a time."""
    room = asyncio.Semaphore(AT_ONCE)

    async def survive_one(number: int, kills: Sequence[Kill]) -> None:
        async with room, WORLDS[kind](folder / str(number)) as world:
            state = await survive(world, *kills)
            assert state is None or state.status is TaskStatus.FULFILLED, f"{kills}: {state.reason}"

    await asyncio.gather(*(survive_one(number, kills) for number, kills in enumerate(cases)))


@pytest.mark.parametrize("kind", WORLDS)
async def test_undisturbed_it_has_no_more_rows_than_are_tried(tmp_path: Path, kind: str) -> None:
    async with WORLDS[kind](tmp_path) as world:
        assert not await world.run_child(NEVER)
        journal = SqliteJournal(tmp_path)
        try:
            (task,) = await journal.find_ids()
            rows = len(await journal.read(task))
        finally:
            await journal.close()
        assert world.count() == 1
    assert ROWS[kind] - 25 <= rows <= ROWS[kind]


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", WORLDS)
async def test_killed_at_any_row(tmp_path: Path, kind: str, part: int) -> None:
    await survive_all(tmp_path, kind, [[Kill(row)] for row in range(part + 1, ROWS[kind] + 1, PARTS)])


@pytest.mark.parametrize("kind", WORLDS)
async def test_killed_at_any_moment(tmp_path: Path, kind: str) -> None:
    chance = random.Random(kind)
    moments = [Kill(chance.randint(1, ROWS[kind]), chance.uniform(0.002, 0.6)) for _ in range(9)]
    await survive_all(tmp_path, kind, [[moment] for moment in moments])


@pytest.mark.parametrize("kind", WORLDS)
async def test_killed_in_the_middle_of_what_can_not_be_undone(tmp_path: Path, kind: str) -> None:
    late = (0.005, 0.02, 0.04, 0.07, 0.12, 0.25)
    await survive_all(tmp_path, kind, [[Kill("act", late_s)] for late_s in late])


@pytest.mark.parametrize("kind", WORLDS)
async def test_killed_again_while_it_is_resumed(tmp_path: Path, kind: str) -> None:
    chance = random.Random(kind)
    late = (0.0, 0.05, 0.3)

    def choose_kills() -> list[Kill]:
        rows = chance.randint(1, ROWS[kind] // 2), chance.randint(1, 25), chance.randint(1, 25)
        return [Kill(row, chance.choice(late)) for row in rows]

    await survive_all(tmp_path, kind, [choose_kills() for _ in range(6)])


@pytest.mark.parametrize("kind", WORLDS)
@pytest.mark.parametrize("row", [10, 25, 40])
async def test_two_resumes_at_once(tmp_path: Path, kind: str, row: int) -> None:
    async with WORLDS[kind](tmp_path) as world:
        if not await world.run_child(Kill(row)):
            pytest.fail("it was to be killed in the middle")
        task = await world.find_task()
        both = [world.start_child(task=task, wait_s=60) for _ in range(2)]
        await asyncio.gather(*(asyncio.to_thread(child.communicate) for child in both))
        assert world.count() <= 1
        assert world.count() == 1 or (await world.finish(task)).status is TaskStatus.FULFILLED
        assert world.count() == 1
