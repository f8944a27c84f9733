"""One writer a task: two programs never write one log, whoever is late, killed, or has lost its lock."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deskhand.clock import SystemClock
from deskhand.core.errors import JournalError, TaskBusy
from deskhand.task.events import Warned
from deskhand.task.journal import SqliteJournal
from deskhand.task.task_lease import hold_task

HOLDER = """
import asyncio, sys
from pathlib import Path
from deskhand.task.journal import SqliteJournal

async def main():
    assert await SqliteJournal(Path(sys.argv[1])).claim("t")
    print("mine", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_a_task_has_one_holder_at_a_time(tmp_path: Path) -> None:
    mine, theirs = SqliteJournal(tmp_path), SqliteJournal(tmp_path)
    for other in (theirs, mine):  # another program, and another part of this one
        async with hold_task(mine, "t", SystemClock()):
            with pytest.raises(TaskBusy, match="Task t is under way in another program"):
                async with hold_task(other, "t", SystemClock()):
                    pass
            async with hold_task(other, "another", SystemClock()):
                pass
    async with hold_task(theirs, "t", SystemClock()):
        pass
    assert not list((tmp_path / "locks").iterdir())


async def test_who_waits_gets_the_task_when_it_is_free(tmp_path: Path) -> None:
    mine, theirs = SqliteJournal(tmp_path), SqliteJournal(tmp_path)
    order: list[str] = []

    async def wait_for_it() -> None:
        async with hold_task(theirs, "t", SystemClock(), wait_s=20):
            order.append("second")

    async with hold_task(mine, "t", SystemClock()):
        waiting = asyncio.create_task(wait_for_it())
        await asyncio.sleep(0.2)
        order.append("first")
    await waiting
    assert order == ["first", "second"]


async def test_a_killed_program_holds_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    with process.stdout as lines:
        await asyncio.to_thread(lines.readline)
        journal = SqliteJournal(tmp_path)
        assert not await journal.claim("t")
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert await journal.claim("t")
    await journal.append("t", [Warned(text="mine")])


async def test_the_log_refuses_a_writer_whose_lease_was_lost(tmp_path: Path) -> None:
    slow, quick = SqliteJournal(tmp_path), SqliteJournal(tmp_path)
    assert await slow.claim("t")
    await slow.append("t", [Warned(text="slow")])
    (tmp_path / "locks" / "task-t.lock").unlink()  # a clean-up, a network file system
    assert await quick.claim("t")
    await quick.append("t", [Warned(text="quick")])
    with pytest.raises(JournalError, match="taken over by another program"):
        await slow.append("t", [Warned(text="late")])
    assert [record.event for record in await slow.read("t")] == [Warned(text="slow"), Warned(text="quick")]


async def test_nobody_writes_a_leased_task_without_a_lease(tmp_path: Path) -> None:
    holder, stranger = SqliteJournal(tmp_path), SqliteJournal(tmp_path)
    assert await holder.claim("t")
    with pytest.raises(JournalError, match="taken over"):
        await stranger.append("t", [Warned(text="x")])
