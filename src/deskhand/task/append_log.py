"""One SQLite file of JSON entries, append-only, each entry with an owner: the tasks' journal and the conversations.

One thread reads and writes, so the event loop never waits for the disk. Several processes may share a file.
"""

import asyncio
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from deskhand.core.errors import JournalError
from deskhand.private_files import prepare_data_folder
from deskhand.task.log_file import LastNumber, open_for_reading, open_for_writing

VERSION = 1
# With less free space than this, in bytes, the next picture or entry may not be stored.
LEAST_ROOM = 1_000_000

_log = logging.getLogger("deskhand.log")

B = TypeVar("B", bound=BaseModel)
T = TypeVar("T")


class LogRow(NamedTuple, Generic[B]):
    """`unknown` names the fields of the stored entry that this version does not know."""

    seq: int
    at: float
    body: B
    unknown: tuple[str, ...] = ()


class EntryParser(Generic[B]):
    """Parses stored entries and never fails: what can't be read becomes an entry that says so, made by `mark`."""

    def __init__(self, adapter: TypeAdapter[Any], mark: Callable[[str, str], B]) -> None:
        self._adapter = adapter
        self._mark = mark

    def parse_entry(self, body: str) -> tuple[B, tuple[str, ...]]:
        """Return the entry and the fields in it that are not known."""
        try:
            return self._adapter.validate_json(body), ()
        except ValidationError as error:
            problems = error.errors(include_url=False, include_context=False)
        unknown = tuple(".".join(map(str, one["loc"][1:])) for one in problems if one["type"] == "extra_forbidden")
        if len(unknown) == len(problems):
            return self._adapter.validate_json(body, extra="ignore"), unknown
        return self._mark(problems[0]["msg"], body), ()


class AppendLog(Generic[B]):
    """`owner` names the kind of owner: "task" is stored in the column `task_id`.

    `append_rows`, `read_rows`, `list_owners` and `db` block: use them inside of `run_in_thread`.
    `to_read`: nothing is written, so the file may be one that can't be.
    """

    def __init__(self, path: Path, table: str, owner: str, parser: EntryParser[B], *, to_read: bool = False) -> None:
        self.path = path
        self._table = table
        self._owner = owner
        self._parser = parser
        self._to_read = to_read
        self._last = LastNumber(path)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=path.stem)
        self._clean_up: Callable[[], None] = lambda: None
        with self._explain_errors():
            self.db = self._open_file()
        try:
            with self._explain_errors():
                self._prepare_schema()
                self.lost = self._count_lost()
        except JournalError:
            self.db.close()
            self._clean_up()
            raise

    def _open_file(self) -> sqlite3.Connection:
        if self._to_read:
            try:
                db, self._clean_up = open_for_reading(self.path)
            except OSError as error:
                raise JournalError(f"{self.path} can't be read ({error}); fix its rights.") from None
            return db
        try:
            prepare_data_folder(self.path.parent)
            return open_for_writing(self.path)
        except (OSError, sqlite3.Error) as error:
            raise JournalError(
                f"The data folder {self.path.parent} can't be written ({error}); free space, fix its rights, "
                "or choose another with DESKHAND_DATA_DIR."
            ) from None

    def _prepare_schema(self) -> None:
        (version,) = self.db.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise JournalError(f"{self.path} was written by a newer Deskhand (format {version}); update Deskhand.")
        if self._to_read and version:
            return
        if not self._to_read:
            self.db.execute("PRAGMA journal_mode = WAL")
            self.db.execute("PRAGMA synchronous = NORMAL")
        self.db.executescript(f"""
            CREATE TABLE IF NOT EXISTS {self._table} (
                seq INTEGER PRIMARY KEY AUTOINCREMENT,
                {self._owner}_id TEXT NOT NULL,
                at REAL NOT NULL,
                body TEXT NOT NULL
            );
            CREATE INDEX IF NOT EXISTS {self._table}_by_{self._owner} ON {self._table} ({self._owner}_id, seq);
            PRAGMA user_version = {VERSION};
        """)

    def _count_lost(self) -> int:
        """Return how many of the newest entries are missing, and warn of it."""
        found = self.find_last_number()
        if lost := self._last.count_lost(found):
            _log.warning(
                "The last %d entries of %s are lost (its -wal was deleted, or the power failed); "
                "restore a copy of both files, or go on without.", lost, self.path,
            )  # fmt: skip
            if not self._to_read:
                self._last.write(found)
        return lost

    def append_rows(
        self, owner_id: str, bodies: Sequence[B], check_writer: Callable[[str], None] | None = None
    ) -> list[LogRow[B]]:
        """Append all of these or none. When this returns, they survive a kill -9.

        `check_writer` is called with the owner inside of the transaction, and raises to refuse the writer.
        """
        at = time.time()
        insert = f"INSERT INTO {self._table} ({self._owner}_id, at, body) VALUES (?, ?, ?)"
        with self.db:  # commits, or rolls back
            self.db.execute("BEGIN IMMEDIATE")
            if check_writer:
                check_writer(owner_id)
            written = [self.db.execute(insert, (owner_id, at, body.model_dump_json())).lastrowid for body in bodies]
        if written:
            self._last.write(written[-1] or 0)
        return [LogRow(seq or 0, at, body) for seq, body in zip(written, bodies, strict=True)]

    def read_rows(self, owner_id: str, after: int = 0, limit: int = -1) -> list[LogRow[B]]:
        """Return the entries of this owner behind the one numbered `after`; at most `limit`, if it is not negative."""
        query = f"SELECT seq, at, body FROM {self._table} WHERE {self._owner}_id = ? AND seq > ? ORDER BY seq LIMIT ?"
        rows = self.db.execute(query, (owner_id, after, limit)).fetchall()
        return [LogRow(seq, at, *self._parser.parse_entry(str(body))) for seq, at, body in rows]

    def read_newer_rows(self, after: int, limit: int) -> list[tuple[str, LogRow[B]]]:
        """Return at most `limit` entries of all owners behind the one numbered `after`, each with its owner's id."""
        query = f"SELECT {self._owner}_id, seq, at, body FROM {self._table} WHERE seq > ? ORDER BY seq LIMIT ?"
        rows = self.db.execute(query, (after, limit)).fetchall()
        return [(owner, LogRow(seq, at, *self._parser.parse_entry(str(body)))) for owner, seq, at, body in rows]

    def find_last_number(self) -> int:
        """Return the number of the newest entry, also of one that was deleted; 0 if there was never any."""
        newest = self.db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (self._table,)).fetchone()
        return newest[0] if newest else 0

    def check_writable(self) -> None:
        """Write and commit a row that says nothing; an error of SQLite says why that is not possible."""
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            self.db.execute("CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, at REAL NOT NULL)")
            self.db.execute("INSERT OR REPLACE INTO probe (id, at) VALUES (1, ?)", (time.time(),))
        room = os.statvfs(self.path.parent)
        if room.f_bavail * room.f_frsize < LEAST_ROOM:
            raise JournalError(f"The disk of {self.path.parent} is full; free some space.")

    def delete_rows(self, owner_ids: Sequence[str]) -> int:
        """Delete all entries of these owners, also from the pages of the file; return how many they were."""
        marks = ", ".join("?" * len(owner_ids))
        self.db.execute("PRAGMA secure_delete = ON")
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            gone = self.db.execute(f"DELETE FROM {self._table} WHERE {self._owner}_id IN ({marks})", owner_ids).rowcount
        # The entries are still in the log of changes until it is emptied.
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return gone

    def list_owners(self, beginning: str = "", limit: int = -1) -> list[str]:
        """Return the ids that begin like this, those that began last first.

        One look into the index an id: neither entries nor those of other ids are read.
        """
        column = f"{self._owner}_id"
        query = f"""
            WITH RECURSIVE ids(id) AS (
                SELECT MIN({column}) FROM {self._table} WHERE {column} >= :beginning
                UNION ALL
                SELECT (SELECT MIN({column}) FROM {self._table} WHERE {column} > ids.id) FROM ids
                WHERE ids.id IS NOT NULL AND substr(ids.id, 1, :length) = :beginning
            )
            SELECT id FROM ids WHERE substr(id, 1, :length) = :beginning
            ORDER BY (SELECT MIN(seq) FROM {self._table} WHERE {column} = id) DESC LIMIT :limit"""
        asked = {"beginning": beginning, "length": len(beginning), "limit": limit}
        return [str(owner) for (owner,) in self.db.execute(query, asked).fetchall()]

    async def run_in_thread(self, work: Callable[[], T]) -> T:
        """Run `work` in the log's thread. An error of SQLite becomes a sentence that says what to do."""
        with self._explain_errors():
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def close(self) -> None:
        await self.run_in_thread(self.db.close)
        self._thread.shutdown(wait=False)
        self._last.close()
        self._clean_up()

    @contextmanager
    def _explain_errors(self) -> Generator[None, None, None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise JournalError(
                f"{self.path} can't be used ({error}); check free space and the rights of its folder."
            ) from None
        except sqlite3.DatabaseError as error:
            raise JournalError(f"{self.path} is damaged ({error}); move it aside or restore a copy to go on.") from None
