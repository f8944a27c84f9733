"""Ctrl-C, SIGTERM and kill -9 at any moment: one sentence, exit code 130, a readable journal, nothing left running."""

import asyncio
import signal
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, Running
from tests.conftest import eventually

GOAL = "打开微信，找到张三，发送消息“到了吗”"


async def importing(cli: Cli, running: Running) -> None:
    """The command's modules are being read."""
    maps = Path(f"/proc/{running.process.pid}/maps")

    async def check() -> bool:
        return "_pydantic_core" in maps.read_text()

    await eventually(check)


async def device_starting(cli: Cli, running: Running) -> None:
    """The phone's adb server, or its keeper, is just coming up."""

    async def check() -> bool:
        return len(cli.processes()) > 1

    await eventually(check)


async def first_step(cli: Cli, running: Running) -> None:
    await running.line("  1  打开应用")


async def typing(cli: Cli, running: Running) -> None:
    await running.line("里输入")


async def at_its_end(cli: Cli, running: Running) -> None:
    """The end stands in the journal; the devices are being put away."""
    await running.line("  6  点击")
    async with asyncio.timeout(60):
        while '"task_ended"' not in _journal(cli):
            await asyncio.sleep(0.01)


def _journal(cli: Cli) -> str:
    """Everything written so far; empty while there is no journal yet."""
    try:
        with closing(sqlite3.connect(f"file:{cli.data}/journal.db?mode=ro", uri=True)) as db:
            return " ".join(row[0] for row in db.execute("SELECT body FROM events"))
    except sqlite3.OperationalError:
        return ""


Moment = Callable[[Cli, Running], Awaitable[None]]


@pytest.mark.parametrize("moment", [importing, device_starting, first_step, typing])
async def test_ctrl_c_stops_cleanly(cli: Cli, moment: Moment) -> None:
    running = await cli.start("run", GOAL)
    await moment(cli, running)
    running.send(signal.SIGINT)
    ended = await running.ended()
    assert ended.code == 130, ended.out + ended.err
    if moment in (importing, device_starting):
        assert ended.refused(130) == "deskhand: Stopped."
    else:
        assert ended.err == ""
        assert "■ 用户停止了任务" in ended.out
        shown = await cli("show", "last", "--json")
        assert (shown.json["cause"], shown.json["exit_code"]) == ("stopped", 130)
    assert (await cli("runs")).code == 0
    await cli.nothing_is_left_behind()


async def test_json_stays_one_object_when_stopped(cli: Cli) -> None:
    running = await cli.start("run", GOAL, "--json")

    async def begun() -> bool:
        return '"action_intended"' in _journal(cli)

    await eventually(begun, 60)
    running.send(signal.SIGTERM)
    ended = await running.ended()
    assert ended.code == 130
    assert (ended.json["status"], ended.json["cause"]) == ("rejected", "stopped")


@pytest.mark.parametrize("moment", [importing, device_starting, first_step, at_its_end])
async def test_any_number_of_ctrl_c_is_as_good_as_one(cli: Cli, moment: Moment) -> None:
    running = await cli.start("run", GOAL)
    await moment(cli, running)
    ending = asyncio.create_task(running.ended())
    while not ending.done():
        running.send(signal.SIGINT)
        await asyncio.sleep(0.005)
    ended = ending.result()
    last_words = [line for line in (ended.out + ended.err).splitlines() if line[:1] in "✔✘■" or "Stopped." in line]
    assert len(last_words) == 1, ended.out + ended.err
    assert ended.err in ("", "deskhand: Stopped.\n")
    assert ended.code == (0 if last_words[0].startswith("✔") else 130)
    if moment is at_its_end:  # it changes nothing of what was done
        assert (await cli("show", "last", "--json")).json["status"] == "fulfilled"
    await cli.nothing_is_left_behind()


async def test_after_kill_9_the_journal_is_whole_and_nothing_runs_on(cli: Cli) -> None:
    running = await cli.start("run", GOAL)
    await running.line("  2  点击")
    running.send(signal.SIGKILL)
    assert (await running.ended()).code == -9
    await cli.nothing_is_left_behind()
    (run,) = (await cli("runs", "--json")).json["runs"]
    assert run["goal"] == GOAL
    assert run["status"] == "interrupted"
    shown = await cli("show", run["task_id"][:5])
    assert shown.code == 0
    assert "  1  打开应用“微信”" in shown.out
    assert "… 中断：它的程序中途退出了：用 deskhand resume" in shown.out
    assert (await cli("show", "last", "--json")).json["exit_code"] is None
