"""The journal: what was appended survives kill -9; what can't be read or written is said in one sentence."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from deskhand.core.errors import JournalError
from deskhand.core.screen import Frame
from deskhand.core.statuses import TaskStatus
from deskhand.task.append_log import VERSION
from deskhand.task.events import Answered, Memorized, TaskCreated, TaskEnded
from deskhand.task.journal import FRAMES_WAITING, SqliteJournal

CREATED = TaskCreated(goal="打开微信", device="sim:a", worker="offline", max_steps=5)


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[SqliteJournal]:
    journal = SqliteJournal(tmp_path)
    yield journal
    await journal.close()


def picture(shade: int) -> Frame:
    return Frame(np.full((60, 40, 4), shade, np.uint8))


async def test_events_come_back_as_they_went_in(journal: SqliteJournal) -> None:
    written = await journal.append("a", [CREATED, Memorized(text="x")])
    await journal.append("b", [CREATED])
    read = await journal.read("a")
    assert [record.event for record in read] == [CREATED, Memorized(text="x")]
    assert [record.seq for record in read] == [record.seq for record in written]
    assert await journal.read("a", after=written[0].seq) == read[1:]


async def test_runs_are_listed_newest_first_with_how_they_ended(journal: SqliteJournal) -> None:
    ended = TaskEnded(status=TaskStatus.REJECTED, cause="failed", reason="no such contact")
    await journal.append("old", [CREATED, ended])
    await journal.append("new", [CREATED])
    new, old = await journal.runs()
    assert (new.task_id, new.status, new.ended) == ("new", TaskStatus.INTERRUPTED, None)
    assert (old.task_id, old.status, old.reason) == ("old", TaskStatus.REJECTED, "no such contact")
    assert await journal.runs(limit=1) == [new]


async def test_a_picture_is_stored_once_under_its_content(journal: SqliteJournal, tmp_path: Path) -> None:
    name = await journal.keep_frame(picture(7))
    assert await journal.keep_frame(picture(7)) == name
    assert await journal.keep_frame(picture(8)) != name
    data = await journal.load_frame(name)
    assert data is not None
    assert data.startswith(b"\xff\xd8")
    assert await journal.load_frame("0" * 32) is None
    assert len(list((tmp_path / "frames").rglob("*.jpg"))) <= 2


async def test_many_pictures_at_once_all_reach_the_disk(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path)
    names = [await journal.keep_frame(picture(shade)) for shade in range(40)]
    await journal.close()
    stored = {file.stem for file in (tmp_path / "frames").rglob("*.jpg")}
    assert stored == set(names)


def noise(seed: int) -> Frame:
    """A picture that takes its time to be encoded."""
    return Frame(np.random.default_rng(seed).integers(0, 255, (1600, 1200, 4), np.uint8))


async def test_a_picture_can_be_loaded_while_it_is_still_being_encoded(journal: SqliteJournal) -> None:
    assert await journal.load_frame(await journal.keep_frame(noise(1)))


async def test_only_so_many_pictures_wait_in_memory(journal: SqliteJournal, tmp_path: Path) -> None:
    frames = [noise(seed) for seed in range(2 * FRAMES_WAITING)]
    for frame in frames:
        await journal.keep_frame(frame)
    assert len(list((tmp_path / "frames").rglob("*.jpg"))) >= FRAMES_WAITING


FULL_DISK = """
import asyncio, resource, signal, sys
from pathlib import Path
import numpy as np
from deskhand.core.errors import JournalError
from deskhand.core.screen import Frame
from deskhand.task.journal import SqliteJournal

async def main():
    journal = SqliteJournal(Path(sys.argv[1]))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))
    await journal.keep_frame(Frame(np.random.default_rng(1).integers(0, 255, (800, 600, 4), np.uint8)))
    try:
        await journal.close()
    except JournalError as error:
        sys.stdout.write(str(error))

asyncio.run(main())
"""


def test_half_a_picture_never_has_a_valid_name(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path)]
    said = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
    assert "free some space" in said
    assert list((tmp_path / "frames").rglob("*.jpg")) == []


async def test_events_that_can_not_be_written_whole_are_not_written_at_all(journal: SqliteJournal) -> None:
    with pytest.raises(AttributeError):
        await journal.append("t", [CREATED, cast("Any", "no event")])
    assert await journal.read("t") == []
    await journal.append("t", [CREATED])
    assert [record.event for record in await journal.read("t")] == [CREATED]


async def test_a_power_cut_damages_no_journal(journal: SqliteJournal) -> None:
    """SQLite's own promise, in WAL mode with synchronous NORMAL (1) or FULL (2); a power cut can't be had here."""
    assert journal._log.db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert journal._log.db.execute("PRAGMA synchronous").fetchone()[0] >= 1


async def test_several_tasks_may_keep_pictures_at_once(journal: SqliteJournal) -> None:
    async def keep(task: int) -> None:
        for shade in range(20):
            await journal.keep_frame(picture(10 * task + shade))

    await asyncio.gather(*(keep(task) for task in range(6)))


WRITER = """
import asyncio, sys
from pathlib import Path
from deskhand.task.events import Answered
from deskhand.task.journal import SqliteJournal

async def main():
    journal = SqliteJournal(Path(sys.argv[1]))
    number = 0
    while True:
        await journal.append("t", [Answered(text=str(number)), Answered(text=str(number))])
        print(number, flush=True)
        number += 1

asyncio.run(main())
"""


async def test_nothing_that_was_acknowledged_is_lost_by_kill_9(tmp_path: Path) -> None:
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE)
    assert writer.stdout
    acknowledged = [int(writer.stdout.readline()) for _ in range(50)][-1]
    os.kill(writer.pid, signal.SIGKILL)
    acknowledged = max([acknowledged, *(int(line) for line in writer.stdout if line.endswith(b"\n"))])
    writer.wait()
    writer.stdout.close()
    journal = SqliteJournal(tmp_path)
    texts = [record.event.text for record in await journal.read("t") if isinstance(record.event, Answered)]
    await journal.close()
    assert len(texts) >= 2 * (acknowledged + 1)
    assert len(texts) % 2 == 0, "an append is whole or not there at all"
    assert texts == [str(number // 2) for number in range(len(texts))]


async def test_two_processes_may_write_at_once(tmp_path: Path) -> None:
    first, second = SqliteJournal(tmp_path), SqliteJournal(tmp_path)
    for number in range(20):
        await first.append("t", [Answered(text=f"first {number}")])
        await second.append("t", [Answered(text=f"second {number}")])
    assert len(await first.read("t")) == 40
    await first.close()
    await second.close()


def test_a_journal_of_a_newer_version_is_not_touched(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "journal.db") as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    db.close()
    with pytest.raises(JournalError, match=rf"newer Deskhand \(format {VERSION + 1}\); update"):
        SqliteJournal(tmp_path)


def test_a_file_that_is_no_journal_is_said_to_be_damaged(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"half a page of nonsense" * 1000)
    with pytest.raises(JournalError, match="is damaged"):
        SqliteJournal(tmp_path)


def test_a_data_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(JournalError, match=r"The data folder .*file.* can't be written .* DESKHAND_DATA_DIR"):
        SqliteJournal(tmp_path / "file" / "deeper")


async def test_a_full_disk_loses_nothing_that_was_written(journal: SqliteJournal) -> None:
    await journal.append("t", [CREATED])
    journal._log.db.execute("PRAGMA max_page_count = 1")  # the smallest full disk there is
    with pytest.raises(JournalError, match="check free space"):
        for _ in range(50):
            await journal.append("t", [Answered(text="x" * 20_000)])
    assert (await journal.read("t"))[0].event == CREATED
