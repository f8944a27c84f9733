"""Conversations on disk: one SQLite file, appended to before anything is streamed. Safe with several processes."""

from __future__ import annotations

import asyncio
import fcntl
import os
import re
import sqlite3
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

from deskhand.core.errors import JournalError, UsageError
from deskhand.sessions.conversation_entries import Entry, StoredEntry, UserMessage, parse_entry

VERSION = 1
SESSION_NAME = re.compile(r"[\w.-]{1,100}")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL,
    at REAL NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS entries_by_session ON entries (session_id, seq);
"""

T = TypeVar("T")


class ConversationSummary(BaseModel):
    """One row of the list of conversations."""

    model_config = ConfigDict(frozen=True)

    session_id: str
    title: str
    started: float
    updated: float
    entries: int


class ConversationStore:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "conversations.db"
        self._locks = folder / "locks"
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="conversations")
        try:
            self._locks.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None, timeout=10)
            self._prepare_schema()
        except (OSError, sqlite3.Error) as error:
            raise JournalError(
                f"Conversations can't be kept in {self.path} ({error}): free space or fix its rights."
            ) from None

    def _prepare_schema(self) -> None:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise JournalError(f"{self.path} was written by a newer Deskhand (format {version}); update Deskhand.")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.executescript(_SCHEMA)
        self._db.execute(f"PRAGMA user_version = {VERSION}")

    async def append(self, session_id: str, *entries: Entry) -> list[StoredEntry]:
        """When this returns, the entries survive a kill -9."""
        return await self._run_in_writer(lambda: self._insert_entries(session_id, entries))

    def _insert_entries(self, session_id: str, entries: Sequence[Entry]) -> list[StoredEntry]:
        at = time.time()
        kept: list[StoredEntry] = []
        self._db.execute("BEGIN IMMEDIATE")
        try:
            for entry in entries:
                row = self._db.execute(
                    "INSERT INTO entries (session_id, at, body) VALUES (?, ?, ?)",
                    (session_id, at, entry.model_dump_json()),
                )
                kept.append(StoredEntry.model_construct(seq=row.lastrowid or 0, at=at, entry=entry))
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        return kept

    async def read(self, session_id: str, after: int = 0) -> list[StoredEntry]:
        query = "SELECT seq, at, body FROM entries WHERE session_id = ? AND seq > ? ORDER BY seq"
        rows = await self._run_in_writer(lambda: self._db.execute(query, (session_id, after)).fetchall())
        return [StoredEntry.model_construct(seq=seq, at=at, entry=parse_entry(body)) for seq, at, body in rows]

    async def list_conversations(self, limit: int = 50) -> list[ConversationSummary]:
        """Return the newest conversations first; the title is how the first message begins."""
        return await self._run_in_writer(lambda: self._select_conversations(limit))

    def _select_conversations(self, limit: int) -> list[ConversationSummary]:
        query = """SELECT session_id, MIN(seq), MIN(at), MAX(at), COUNT(*) FROM entries
                   GROUP BY session_id ORDER BY MAX(seq) DESC LIMIT ?"""
        talks: list[ConversationSummary] = []
        for session_id, first, started, updated, count in self._db.execute(query, (limit,)).fetchall():
            (body,) = self._db.execute("SELECT body FROM entries WHERE seq = ?", (first,)).fetchone()
            opening = parse_entry(body)
            title = opening.content[:80] if isinstance(opening, UserMessage) else ""
            talks.append(
                ConversationSummary(session_id=session_id, title=title, started=started, updated=updated, entries=count)
            )
        return talks

    async def delete_entries(self, session_id: str) -> int:
        """Delete a conversation; return the number of its entries."""
        return await self._run_in_writer(
            lambda: self._db.execute("DELETE FROM entries WHERE session_id = ?", (session_id,)).rowcount
        )

    @contextmanager
    def hold_conversation(self, session_id: str) -> Generator[None, None, None]:
        """Lock the conversation: one turn at a time, in any process. The kernel frees it when its holder dies."""
        file = os.open(self._locks / f"conversation-{session_id}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ConversationBusy(session_id) from None
            yield
        finally:
            os.close(file)

    async def close(self) -> None:
        await self._run_in_writer(self._db.close)
        self._writer.shutdown(wait=False)

    async def _run_in_writer(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._writer, work)
        except sqlite3.Error as error:
            raise JournalError(
                f"The conversations in {self.path} can't be used ({error}); check free space and its rights."
            ) from None


class ConversationBusy(UsageError):
    def __init__(self, session_id: str) -> None:
        super().__init__(f"The conversation {session_id} is busy with a message: wait until it has ended, or abort it.")


def check_session_id(session_id: str) -> str:
    """Return the id if it is safe in a path; raise UsageError otherwise."""
    if not SESSION_NAME.fullmatch(session_id) or session_id.strip(".") == "":
        raise UsageError("A session_id has at most 100 letters, digits, dots, dashes and underscores.")
    return session_id
