"""`runs` and `show`: what the journal remembers, and how they fail when it can't be read."""

import ctypes
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deskhand.core.decisions import StepReport
from deskhand.core.statuses import TaskStatus
from deskhand.task.events import StepFinished, TaskCreated, TaskEnded, Warned
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
    assert [line.split()[3] for line in lines[1:]] == ["interrupted", "rejected", "fulfilled"]


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
    assert "✔ 完成：sent" in shown.out
    assert (await cli("show", "last", "--json")).json["task_id"] == past[2]


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


async def test_a_half_written_entry_is_shown_as_such_in_its_own_task(cli: Cli, past: list[str]) -> None:
    with sqlite3.connect(cli.data / "journal.db") as db:
        db.execute("UPDATE events SET body = substr(body, 1, 9) WHERE task_id = ? AND body LIKE '%step_f%'", (past[0],))
    db.close()
    shown = await cli("show", "aaaa")
    assert shown.code == 0, shown.err
    assert """第 2 条读不出来 (Invalid JSON: EOF while parsing a string at line 1 column 9): {"type":""" in shown.out
    assert "✔ 完成：sent" in shown.out, "what can be read is told"
    listed = (await cli("runs")).out.splitlines()
    assert [("can't be read" in line) for line in listed[1:]] == [False, False, True]
    assert "can't be read" not in (await cli("show", past[1])).out


async def test_a_task_without_a_readable_beginning_is_listed_and_not_resumed(cli: Cli, past: list[str]) -> None:
    with sqlite3.connect(cli.data / "journal.db") as db:
        db.execute("UPDATE events SET body = 'x' WHERE task_id = ? AND body LIKE '%task_created%'", (past[2],))
    db.close()
    assert len((await cli("runs")).out.splitlines()) == 4
    assert "its goal is not known: start it anew." in (await cli("resume", "bbbb")).refused(2)


async def test_a_resumed_task_with_a_damaged_log_asks_before_it_sends(cli: Cli) -> None:
    """An entry that can't be read may have been the message: the goal's own yes is used up."""
    created = TaskCreated(goal='打开微信，找到张三，发送消息"到家了"', device="sim", worker="offline", max_steps=50)
    journal = SqliteJournal(cli.data)
    for task_id in ("hurt00000000", "well00000000"):
        await journal.append(task_id, [created, Warned(text="x")])
    await journal.close()
    with sqlite3.connect(cli.data / "journal.db") as db:
        db.execute("UPDATE events SET body = '{' WHERE task_id LIKE 'hurt%' AND body LIKE '%warned%'")
    db.close()
    assert (await cli("resume", "well", "--json")).json["status"] == "fulfilled"
    asked = await cli("resume", "hurt")
    assert asked.code == 1, asked.out + asked.err
    assert "需要你的同意" in asked.out


def obey_rights() -> None:
    """Take from root what makes it ignore rights: CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, before the exec."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (1, 2) if os.getuid() == 0 else ():
        assert libc.prctl(24, capability, 0, 0, 0) == 0, os.strerror(ctypes.get_errno())


@pytest.fixture
def read_only(cli: Cli, past: list[str]) -> Iterator[Callable[[], None]]:
    """Takes the right to write from the data folder and its files."""

    def lock() -> None:
        for file in cli.data.iterdir():
            file.chmod(0o500 if file.is_dir() else 0o400)
        cli.data.chmod(0o500)

    yield lock
    cli.data.chmod(0o700)


@pytest.mark.parametrize("left", [(), ("-wal", "-shm"), ("-wal",)], ids=["closed", "killed", "copied without -shm"])
async def test_a_folder_that_cant_be_written_is_read(
    cli: Cli, past: list[str], read_only: Callable[[], None], left: tuple[str, ...], tmp_path: Path
) -> None:
    if left:  # as a killed process leaves it: the newest task is in the -wal alone
        db = sqlite3.connect(cli.data / "journal.db")
        body = TaskCreated(goal="新的", device="sim", worker="offline", max_steps=50).model_dump_json()
        db.execute("INSERT INTO events (task_id, at, body) VALUES ('cccc', 1, ?)", (body,))
        db.commit()
        for ending in left:
            shutil.copy(cli.data / f"journal.db{ending}", tmp_path)
        db.close()
        for ending in left:
            shutil.copy(tmp_path / f"journal.db{ending}", cli.data)
        shutil.copy(tmp_path / "journal.db-wal", cli.data)
    read_only()
    listed = await cli("runs", preexec=obey_rights)
    assert listed.code == 0, listed.err
    assert len(listed.out.splitlines()) == (5 if left else 4)
    shown = await cli("show", "last", preexec=obey_rights)
    assert ("新的" if left else "打开设置") in shown.out
    assert "can't be written" in (await cli("run", "打开设置", preexec=obey_rights)).refused(2)


async def test_looking_at_runs_makes_no_folder(cli: Cli) -> None:
    assert (await cli("runs")).code == 0
    assert not cli.data.exists()


async def test_a_lost_wal_and_an_emptied_file_are_noticed(cli: Cli, past: list[str]) -> None:
    last = cli.data / "journal.db-last"
    last.write_text(f"{int(last.read_text()) + 3:020d}\n")  # as if three entries had been in a -wal that is gone
    listed = await cli("runs")
    assert listed.err == (
        f"The last 3 entries of {cli.data}/journal.db are lost (its -wal was deleted, or the power failed); "
        "restore a copy of both files, or go on without.\n"
    )
    assert len(listed.out.splitlines()) == 4
    (cli.data / "journal.db").write_bytes(b"")
    for command in (["runs"], ["show", "last"], ["run", "打开设置"], ["resume", "last"]):
        assert "has lost all of its" in (await cli(*command)).refused(2)
    last.unlink()
    assert (await cli("runs")).out.startswith("No runs yet")
