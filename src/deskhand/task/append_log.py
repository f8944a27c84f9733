"""One SQLite file of JSON entries, append-only, each entry with an owner: the tasks' journal and the conversations.

One thread reads and writes, so the event loop never waits for the disk. Several processes may share a file.
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from deskhand.core.errors import JournalError

VERSION = 1

B = TypeVar("B", bound=BaseModel)
T = TypeVar("T")


class LogRow(NamedTuple, Generic[B]):
    seq: int
    at: float
    body: B


class AppendLog(Generic[B]):
    """`owner` names the kind of owner: "task" is stored in the column `task_id`.

    `append_rows`, `read_rows` and `db` block: use them inside of `run_in_thread`.
    """

    def __init__(self, path: Path, table: str, owner: str, parse: Callable[[str], B]) -> None:
        self.path = path
        self._table = table
        self._owner = owner
        self._parse = parse
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=path.stem)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10)
        except (OSError, sqlite3.Error) as error:
            raise JournalError(
                f"The data folder {path.parent} can't be written ({error}); free space, fix its rights, "
                "or choose another with DESKHAND_DATA_DIR."
            ) from None
        try:
            with self._explain_errors():
                self._prepare_schema()
        except JournalError:
            self.db.close()
            raise

    def _prepare_schema(self) -> None:
        (version,) = self.db.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise JournalError(f"{self.path} was written by a newer Deskhand (format {version}); update Deskhand.")
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

    def append_rows(self, owner_id: str, bodies: Sequence[B]) -> list[LogRow[B]]:
        """Append all of these or none. When this returns, they survive a kill -9."""
        at = time.time()
        insert = f"INSERT INTO {self._table} ({self._owner}_id, at, body) VALUES (?, ?, ?)"
        with self.db:  # commits, or rolls back
            self.db.execute("BEGIN IMMEDIATE")
            written = [self.db.execute(insert, (owner_id, at, body.model_dump_json())).lastrowid for body in bodies]
        return [LogRow(seq or 0, at, body) for seq, body in zip(written, bodies, strict=True)]

    def read_rows(self, owner_id: str, after: int = 0) -> list[LogRow[B]]:
        """Return the entries of this owner behind the one numbered `after`."""
        query = f"SELECT seq, at, body FROM {self._table} WHERE {self._owner}_id = ? AND seq > ? ORDER BY seq"
        rows = self.db.execute(query, (owner_id, after)).fetchall()
        return [LogRow(seq, at, self._parse_body(seq, owner_id, body)) for seq, at, body in rows]

    def _parse_body(self, seq: int, owner_id: str, body: str) -> B:
        try:
            return self._parse(body)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]["msg"]
            raise JournalError(
                f"Entry {seq} of {self._owner} {owner_id} in {self.path} can't be read ({problem}); "
                "it was half-written or comes from another version of Deskhand."
            ) from None

    async def run_in_thread(self, work: Callable[[], T]) -> T:
        """Run `work` in the log's thread. An error of SQLite becomes a sentence that says what to do."""
        with self._explain_errors():
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def close(self) -> None:
        await self.run_in_thread(self.db.close)
        self._thread.shutdown(wait=False)

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
