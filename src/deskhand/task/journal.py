"""The journal: one SQLite file, append-only, with the pictures beside it, each stored once under its content's hash.

One thread writes events, another encodes pictures, so neither the loop nor an append ever waits for a JPEG.
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Protocol, TypeVar
from weakref import WeakKeyDictionary

import simplejpeg
import xxhash
from pydantic import ValidationError

from deskhand.core.errors import JournalError
from deskhand.core.screen import Frame
from deskhand.task.events import Event, Record, TaskSummary, parse_event
from deskhand.task.fold import fold_all
from deskhand.task.state import summarize_task

VERSION = 1
JPEG_QUALITY = 80
# Pictures waiting to be encoded; past this the caller waits, so that memory stays bounded.
FRAMES_WAITING = 8

_SCHEMA = """
CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id TEXT NOT NULL,
    at REAL NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS events_by_task ON events (task_id, seq);
"""

T = TypeVar("T")


class Journal(Protocol):
    """Append-only memory of all tasks. When `append` returns, the events survive a kill -9."""

    async def append(self, task_id: str, events: Sequence[Event]) -> list[Record]: ...
    async def read(self, task_id: str, after: int = 0) -> list[Record]: ...
    async def runs(self, limit: int = 50) -> list[TaskSummary]: ...
    async def keep_frame(self, frame: Frame) -> str:
        """Remember a picture once, by content; returns its name. Encoding happens off the caller's path."""
        ...

    async def load_frame(self, name: str) -> bytes | None: ...
    async def close(self) -> None: ...


class SqliteJournal:
    """Safe to use from several tasks, and from several processes on one folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "journal.db"
        self._frames = folder / "frames"
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._painter = ThreadPoolExecutor(1, thread_name_prefix="frames")
        self._painting: dict[str, Future[None]] = {}
        self._names: WeakKeyDictionary[Frame, str] = WeakKeyDictionary()
        self._db = self._open_database(folder)

    def _open_database(self, folder: Path) -> sqlite3.Connection:
        try:
            self._frames.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None, timeout=10)
        except (OSError, sqlite3.Error) as error:
            raise JournalError(
                f"The data folder {folder} can't be written ({error}); free space, fix its rights, "
                "or choose another with DESKHAND_DATA_DIR."
            ) from None
        try:
            with self._explain_errors():
                _prepare_schema(db, self.path)
        except JournalError:
            db.close()
            raise
        return db

    def _explain_errors(self) -> "_ExplainedErrors":
        return _ExplainedErrors(self.path)

    async def append(self, task_id: str, events: Sequence[Event]) -> list[Record]:
        return await self._run_in_thread(lambda: self._append_rows(task_id, events))

    def _append_rows(self, task_id: str, events: Sequence[Event]) -> list[Record]:
        at = time.time()
        records: list[Record] = []
        with self._explain_errors():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                for event in events:
                    row = self._db.execute(
                        "INSERT INTO events (task_id, at, body) VALUES (?, ?, ?)",
                        (task_id, at, event.model_dump_json()),
                    )
                    records.append(Record.model_construct(seq=row.lastrowid or 0, task_id=task_id, at=at, event=event))
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
        return records

    async def read(self, task_id: str, after: int = 0) -> list[Record]:
        return await self._run_in_thread(lambda: self._read_rows(task_id, after))

    def _read_rows(self, task_id: str, after: int) -> list[Record]:
        query = "SELECT seq, at, body FROM events WHERE task_id = ? AND seq > ? ORDER BY seq"
        with self._explain_errors():
            rows = self._db.execute(query, (task_id, after)).fetchall()
        return [self._parse_row(seq, task_id, at, body) for seq, at, body in rows]

    def _parse_row(self, seq: int, task_id: str, at: float, body: str) -> Record:
        try:
            return Record.model_construct(seq=seq, task_id=task_id, at=at, event=parse_event(body))
        except ValidationError as error:
            what = error.errors(include_url=False)[0]["msg"]
            raise JournalError(
                f"Entry {seq} of task {task_id} in {self.path} can't be read ({what}); it was half-written or comes "
                "from another version of Deskhand."
            ) from None

    async def runs(self, limit: int = 50) -> list[TaskSummary]:
        """The newest tasks first."""
        return await self._run_in_thread(lambda: self._list_tasks(limit))

    def _list_tasks(self, limit: int) -> list[TaskSummary]:
        query = "SELECT task_id FROM events GROUP BY task_id ORDER BY MIN(seq) DESC LIMIT ?"
        with self._explain_errors():
            ids = [row[0] for row in self._db.execute(query, (limit,)).fetchall()]
        return [summarize_task(fold_all(self._read_rows(task_id, 0))) for task_id in ids]

    async def keep_frame(self, frame: Frame) -> str:
        await self._reap_encodings()
        if name := self._names.get(frame):  # a step begins with the frame that the last one ended with
            return name
        name = xxhash.xxh3_128_hexdigest(frame.pixels.data)  # 0.2 ms for a phone's screen: less than a thread's hop
        file = self._path_of(name)
        if name not in self._painting and not file.exists():
            self._painting[name] = self._painter.submit(_encode_frame, frame, file)
        self._names[frame] = name
        return name

    async def _reap_encodings(self) -> None:
        for name, painting in list(self._painting.items()):
            if painting.done() or len(self._painting) >= FRAMES_WAITING:
                # Another task on this journal may have waited for the same picture meanwhile.
                self._painting.pop(name, None)
                await self._await_encoding(painting)

    async def _await_encoding(self, painting: Future[None]) -> None:
        try:
            await asyncio.wrap_future(painting)
        except OSError as error:
            raise JournalError(f"A picture can't be stored in {self._frames} ({error}); free some space.") from None

    async def load_frame(self, name: str) -> bytes | None:
        if painting := self._painting.get(name):
            await self._await_encoding(painting)
        file = self._path_of(name)
        return await asyncio.to_thread(file.read_bytes) if file.exists() else None

    def _path_of(self, name: str) -> Path:
        return self._frames / name[:2] / f"{name}.jpg"

    async def close(self) -> None:
        try:
            for painting in self._painting.values():
                await self._await_encoding(painting)
        finally:
            self._painter.shutdown(wait=False)
            await self._run_in_thread(self._db.close)
            self._writer.shutdown(wait=False)

    async def _run_in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._writer, work)


class _ExplainedErrors:
    """Turns SQLite's errors into one sentence that says what to do."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, sqlite3.OperationalError):
            raise JournalError(
                f"The journal {self._path} can't be used ({error}); check free space and rights of its folder."
            ) from None
        if isinstance(error, sqlite3.DatabaseError):
            raise JournalError(
                f"The journal {self._path} is damaged ({error}); move it aside or restore a copy to go on."
            ) from None


def _prepare_schema(db: sqlite3.Connection, path: Path) -> None:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise JournalError(f"The journal {path} was written by a newer Deskhand (format {version}); update Deskhand.")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.executescript(_SCHEMA)
    db.execute(f"PRAGMA user_version = {VERSION}")


def _encode_frame(frame: Frame, file: Path) -> None:
    file.parent.mkdir(exist_ok=True)
    data = simplejpeg.encode_jpeg(frame.pixels, quality=JPEG_QUALITY, colorspace=frame.order)
    # Renamed into place, so that a crash never leaves half a picture under a valid name.
    draft = file.with_suffix(".tmp")
    draft.write_bytes(data)
    draft.replace(file)
