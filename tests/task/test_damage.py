"""A damaged log: what can be read is read, damage stays in its own task, and a loss is noticed."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskhand.core.actions import Click
from deskhand.core.decisions import StepReport, Usage
from deskhand.core.errors import JournalError
from deskhand.core.statuses import ExecStatus, TaskStatus
from deskhand.sessions.conversation_entries import AssistantSaid, UnreadableEntry, UserMessage
from deskhand.sessions.conversation_store import ConversationStore
from deskhand.task.events import (
    ActionEnded,
    ActionIntended,
    Billed,
    Event,
    StepFinished,
    TaskCreated,
    TaskEnded,
    Unreadable,
)
from deskhand.task.fold import fold_all
from deskhand.task.journal import SqliteJournal

CREATED = TaskCreated(goal="打开微信", device="sim:a", worker="offline", max_steps=5)
LOG: list[Event] = [
    CREATED,
    ActionIntended(step=1, number=1, action=Click(x=1, y=2)),
    ActionEnded(step=1, number=1, status=ExecStatus.EXECUTED),
    StepFinished(report=StepReport(step=1), success=True, finished=True, screen_changed=True, ms=5),
    Billed(role="operator", model="m", usage=Usage(calls=1)),
    TaskEnded(status=TaskStatus.FULFILLED, cause="done", reason="sent"),
]


def with_field(name: str) -> Callable[[bytes], bytes]:
    def add(body: bytes) -> bytes:
        tree: dict[str, Any] = json.loads(body)
        *path, last = name.split(".")
        place = tree
        for part in path:
            place = place.setdefault(part, {})
        place[last] = {"of": "a newer version"}
        return json.dumps(tree).encode()

    return add


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "half": lambda body: body[: len(body) // 2],
    "empty": lambda body: b"",
    "zeros": lambda body: bytes(len(body)),
    "no UTF-8": lambda body: b"\xff\xfe" + body,
    "damaged letter": lambda body: body.replace(b"type", b"t\xe9pe"),
    "no object": lambda body: b"[1, 2]",
    "no JSON": lambda body: b"segmentation fault",
    "unknown kind": lambda body: b'{"type": "teleported", "to": "Mars"}',
    "no kind": lambda body: b"{}",
    "wrong type": lambda body: json.dumps({"type": json.loads(body)["type"], "goal": 7, "step": "x"}).encode(),
    "endless number": lambda body: b'{"type": "observed", "step": ' + b"9" * 5000 + b"}",
    "deep": lambda body: b"[" * 5000,
}


def damage(path: Path, row: int, body: bytes) -> None:
    db = sqlite3.connect(path)
    db.execute("UPDATE events SET body = CAST(? AS TEXT) WHERE seq = ?", (body, row))
    db.commit()
    db.close()


@pytest.mark.parametrize("kind", DAMAGES)
async def test_damage_anywhere_is_kept_shown_and_stays_in_its_task(tmp_path: Path, kind: str) -> None:
    for row in range(1, len(LOG) + 1):
        journal = SqliteJournal(tmp_path / str(row))
        await journal.append("hurt", LOG)
        await journal.append("well", LOG)
        damage(journal.path, row, DAMAGES[kind](LOG[row - 1].model_dump_json().encode()))
        records = await journal.read("hurt")
        assert [r.event for r in records if r.seq != row] == [e for n, e in enumerate(LOG, 1) if n != row]
        marked = records[row - 1].event
        assert isinstance(marked, Unreadable)
        assert marked.why
        well, hurt = await journal.runs()
        assert (well.task_id, well.unreadable, well.status) == ("well", 0, TaskStatus.FULFILLED)
        assert (hurt.task_id, hurt.unreadable) == ("hurt", 1)
        assert records[row - 1].to_line()["event"]["type"] == "unreadable"
        await journal.close()


@pytest.mark.parametrize("name", ["mood", "report.mood"])
async def test_unknown_fields_are_named_and_the_rest_is_read(tmp_path: Path, name: str) -> None:
    journal = SqliteJournal(tmp_path)
    await journal.append("t", LOG)
    damage(journal.path, 4, with_field(name)(LOG[3].model_dump_json().encode()))
    records = await journal.read("t")
    assert [record.event for record in records] == LOG
    assert [record.unknown for record in records] == [(), (), (), (name,), (), ()]
    assert [("unknown" in record.to_line()) for record in records] == [False] * 3 + [True] + [False] * 2
    await journal.close()


async def test_a_conversation_with_a_damaged_entry_is_listed_and_read(tmp_path: Path) -> None:
    store = ConversationStore(tmp_path)
    await store.append("a", UserMessage(content="hello"), AssistantSaid(content="hi"))
    await store.append("b", UserMessage(content="bye"))
    with sqlite3.connect(store.path) as db:
        db.execute("UPDATE entries SET body = substr(body, 1, 9) WHERE seq = 1")
    db.close()
    assert [(talk.session_id, talk.title) for talk in await store.list_conversations()] == [("b", "bye"), ("a", "")]
    marked, said = [kept.entry for kept in await store.read("a")]
    assert isinstance(marked, UnreadableEntry)
    assert said == AssistantSaid(content="hi")
    await store.close()


WRITER = """
import asyncio, os, signal, sys
from pathlib import Path
from deskhand.task.events import Answered, TaskCreated, TaskEnded
from deskhand.task.journal import SqliteJournal

async def main():
    journal = SqliteJournal(Path(sys.argv[1]))
    created = TaskCreated(goal="g", device="sim", worker="offline", max_steps=5)
    await journal.append("over", [created, TaskEnded(status="fulfilled", cause="done", reason="")])
    await journal.append("open", [created])
    if sys.argv[2] == "late":
        journal._log.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    await journal.append("open", [Answered(text="1"), Answered(text="2")])
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


def kill_a_writer(folder: Path, when: str) -> None:
    ended = subprocess.run([sys.executable, "-c", WRITER, str(folder), when], check=False, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    assert (folder / "journal.db-wal").stat().st_size, "there is something to lose"


async def test_a_killed_writer_with_its_wal_has_lost_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    kill_a_writer(tmp_path, "late")
    journal = SqliteJournal(tmp_path)
    assert len(await journal.read("open")) == 3
    await journal.close()
    assert caplog.messages == []


async def test_entries_that_went_with_the_wal_are_missed_in_the_unfinished_task(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kill_a_writer(tmp_path, "late")
    for ending in ("-wal", "-shm"):
        os.unlink(tmp_path / f"journal.db{ending}")
    reading = SqliteJournal(tmp_path, to_read=True)
    assert len(await reading.read("open")) == 1
    await reading.close()
    for _ in range(2):
        journal = SqliteJournal(tmp_path)
        assert fold_all(await journal.read("open")).unreadable == 1
        assert fold_all(await journal.read("over")).unreadable == 0
        await journal.close()
    assert len(caplog.messages) == 2, "once for reading, once for the first that writes"
    assert all(f"The last 2 entries of {tmp_path}/journal.db are lost" in line for line in caplog.messages)


async def test_a_log_that_lost_everything_is_not_begun_anew_by_itself(tmp_path: Path) -> None:
    kill_a_writer(tmp_path, "early")
    for ending in ("-wal", "-shm"):
        os.unlink(tmp_path / f"journal.db{ending}")
    for to_read in (True, False):
        with pytest.raises(JournalError, match=r"has lost all of its 5 entries .* delete journal.db-last"):
            SqliteJournal(tmp_path, to_read=to_read)
    os.unlink(tmp_path / "journal.db")
    with pytest.raises(JournalError, match="has lost all"):
        SqliteJournal(tmp_path)


async def test_an_id_is_completed_without_reading_any_task(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path)
    body = CREATED.model_dump_json()
    rows = [(f"{number:012x}", 0.0, "x" * 300 if turn else body) for number in range(3000) for turn in range(40)]
    db = sqlite3.connect(journal.path)
    db.executemany("INSERT INTO events (task_id, at, body) VALUES (?, ?, ?)", rows)
    db.commit()
    db.close()
    began = time.perf_counter()
    assert await journal.find_ids(limit=1) == [f"{2999:012x}"]
    assert await journal.find_ids(f"{17:012x}"[:-1], limit=5) == [f"{number:012x}" for number in range(31, 26, -1)]
    assert await journal.find_ids("f") == []
    assert await journal.find_ids("%") == []
    assert await journal.find_ids("_") == []
    assert len(await journal.find_ids()) == 3000
    took = time.perf_counter() - began
    await journal.close()
    assert took < 1, "folding them took 5 s and more"
