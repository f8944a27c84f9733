"""`runs` and `show`: what the journal remembers, and how they fail when it can't be read."""

import sqlite3

import pytest

from deskhand.core.decisions import StepReport
from deskhand.core.statuses import TaskStatus
from deskhand.task.events import StepFinished, TaskCreated, TaskEnded
from deskhand.task.journal import SqliteJournal
from tests.cli.conftest import Cli

LONG = "打开微信，找到张三，发送消息“" + "明天下午两点开会，" * 20 + "”，然后 [bold]返回[/bold]"


@pytest.fixture
async def past(cli: Cli) -> list[str]:
    """Three runs of the past: fulfilled, rejected, never ended; their ids, oldest first."""
    ids = ["aaaa11112222", "aaab33334444", "bbbb55556666"]
    journal = SqliteJournal(cli.data)
    for task_id, goal in zip(ids, [LONG, "Open Photoshop", "打开设置"], strict=True):
        created = TaskCreated(goal=goal, device="sim", worker="offline", max_steps=50)
        report = StepReport(step=1, error="the screen\nwas [red]black[/red]")
        step = StepFinished(report=report, success=False, finished=False, screen_changed=False, ms=5)
        await journal.append(task_id, [created, step])
    await journal.append(ids[0], [TaskEnded(status=TaskStatus.FULFILLED, cause="done", reason="sent")])
    await journal.append(ids[1], [TaskEnded(status=TaskStatus.REJECTED, cause="failed", reason="no such app")])
    await journal.close()
    return ids


async def test_runs_are_listed_newest_first_each_on_one_whole_line(cli: Cli, past: list[str]) -> None:
    lines = (await cli("runs")).out.splitlines()
    assert [line.split()[0] for line in lines] == ["run", "bbbb5555", "aaab3333", "aaaa1111"]
    assert LONG in lines[3], "nothing is cut where no terminal is"
    assert [line.split()[3] for line in lines[1:]] == ["pending", "rejected", "fulfilled"]


async def test_runs_as_json_have_everything(cli: Cli, past: list[str]) -> None:
    told = (await cli("runs", "--json", "--limit", "2")).json["runs"]
    assert [run["task_id"] for run in told] == [past[2], past[1]]
    assert told[1]["goal"] == "Open Photoshop"
    assert told[1]["reason"] == "no such app"


async def test_no_runs_yet_says_how_to_start(cli: Cli) -> None:
    assert (await cli("runs")).out == 'No runs yet: deskhand run "Open Settings, turn on Wi-Fi"\n'
    assert "There is no run 'last'" in (await cli("show", "last")).refused(2)


async def test_a_run_is_shown_by_its_beginning_or_as_the_last_one(cli: Cli, past: list[str]) -> None:
    shown = await cli("show", "aaaa")
    assert shown.code == 0
    assert shown.out.splitlines()[0] == LONG
    assert "was [red]black[/red]" in shown.out, "what a screen says is no markup"
    assert "✔ fulfilled: sent" in shown.out
    assert (await cli("show", "last", "--json")).json["run"] == past[2]


@pytest.mark.parametrize(
    ("beginning", "sentence"),
    [
        ("aaa", "Several runs begin with 'aaa': aaab33334444, aaaa11112222; give more of the id."),
        ("zzz", "There is no run 'zzz': `deskhand runs` lists them."),
        ("", "There is no run ''"),
        ("%", "There is no run '%'"),
    ],
)
async def test_an_unclear_run_is_refused(cli: Cli, past: list[str], beginning: str, sentence: str) -> None:
    assert sentence in (await cli("show", beginning)).refused(2)


async def test_a_damaged_journal_is_named(cli: Cli, past: list[str]) -> None:
    for file in cli.data.glob("journal.db*"):
        file.write_bytes(b"this is no database" * 500)
    for command in (["runs"], ["show", "last"], ["run", "打开设置"]):
        sentence = (await cli(*command)).refused(2)
        assert f"{cli.data}/journal.db is damaged" in sentence


async def test_a_newer_journal_asks_for_an_update(cli: Cli, past: list[str]) -> None:
    with sqlite3.connect(cli.data / "journal.db") as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    ended = await cli("runs", "--json")
    assert "was written by a newer Deskhand (format 99); update Deskhand." in ended.refused(2)
    assert ended.json["exit_code"] == 2


async def test_a_half_written_entry_is_pointed_at(cli: Cli, past: list[str]) -> None:
    with sqlite3.connect(cli.data / "journal.db") as db:
        db.execute("UPDATE events SET body = substr(body, 1, 9) WHERE task_id = ? AND body LIKE '%step_f%'", (past[0],))
    db.close()
    assert "task aaaa11112222" in (await cli("show", "aaaa")).refused(2)
    assert (await cli("show", "aaaa")).refused(2).count("half-written") == 1
