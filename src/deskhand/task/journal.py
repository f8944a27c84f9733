"""The journal of all tasks: an append log, with the pictures beside it, each stored once under its content's hash.

One thread writes events, another encodes pictures, so neither the loop nor an append ever waits for a JPEG.
"""

import asyncio
import re
import sqlite3
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Protocol
from weakref import WeakKeyDictionary

import simplejpeg
import xxhash

from deskhand.core.errors import JournalError, UsageError
from deskhand.core.screen import Frame
from deskhand.private_files import make_private_folder, write_private_file
from deskhand.task.append_log import AppendLog, EntryParser, LogRow
from deskhand.task.events import EVENT, Event, Record, TaskSummary, Unreadable
from deskhand.task.fold import fold_all
from deskhand.task.state import mark_interrupted, summarize_task
from deskhand.task.task_lease import TaskLeases

JPEG_QUALITY = 80
# At most this many pictures wait to be encoded: past it the caller waits, so that memory stays bounded.
FRAMES_WAITING = 8
_PICTURE = re.compile(r'"frame":"([0-9a-f]{32})"')


_PARSER = EntryParser[Event](EVENT, lambda why, body: Unreadable(why=why, body=body))


class Journal(Protocol):
    """The events and pictures of all tasks. When `append` returns, the events survive a kill -9."""

    async def append(self, task_id: str, events: Sequence[Event]) -> list[Record]: ...
    async def read(self, task_id: str, after: int = 0) -> list[Record]: ...
    async def runs(self, limit: int = 50) -> list[TaskSummary]: ...
    async def find_ids(self, beginning: str = "", limit: int = -1) -> list[str]: ...
    async def keep_frame(self, frame: Frame) -> str:
        """Store a picture once, by content, and return its name. The caller does not wait for the encoding."""
        ...

    async def load_frame(self, name: str) -> bytes | None: ...
    def find_frame_file(self, name: str) -> Path: ...
    async def claim(self, task_id: str) -> bool:
        """Become the task's only writer; False if somebody else is. See `task_lease.hold_task`."""
        ...

    async def release(self, task_id: str) -> None: ...
    async def close(self) -> None: ...


class SqliteJournal:
    """Safe with several tasks, and with several processes on one folder.

    `to_read`: nothing is written, so the folder may be one that can't be.
    """

    def __init__(self, folder: Path, *, to_read: bool = False) -> None:
        self.path = folder / "journal.db"
        self._log = AppendLog[Event](self.path, "events", "task", _PARSER, to_read=to_read)
        self._leases = TaskLeases(self._log.db, folder / "locks")
        if self._log.lost and not to_read:
            self._mark_losses(self._log.lost)
        self._frames = folder / "frames"
        self._painter = ThreadPoolExecutor(1, thread_name_prefix="frames")
        self._painting: dict[str, Future[None]] = {}
        self._names: WeakKeyDictionary[Frame, str] = WeakKeyDictionary()

    async def append(self, task_id: str, events: Sequence[Event]) -> list[Record]:
        check = self._leases.check_writer
        rows = await self._log.run_in_thread(lambda: self._log.append_rows(task_id, events, check))
        return [_to_record(task_id, row) for row in rows]

    async def read(self, task_id: str, after: int = 0, limit: int = -1) -> list[Record]:
        return await self._log.run_in_thread(lambda: self._read_records(task_id, after, limit))

    def _read_records(self, task_id: str, after: int = 0, limit: int = -1) -> list[Record]:
        return [_to_record(task_id, row) for row in self._log.read_rows(task_id, after, limit)]

    async def read_newer(self, after: int, limit: int) -> list[Record]:
        """Return at most `limit` records of all tasks behind the one numbered `after`."""
        rows = await self._log.run_in_thread(lambda: self._log.read_newer_rows(after, limit))
        return [_to_record(task_id, row) for task_id, row in rows]

    async def find_last_number(self) -> int:
        return await self._log.run_in_thread(self._log.find_last_number)

    async def claim(self, task_id: str) -> bool:
        return await self._log.run_in_thread(lambda: self._leases.claim_task(task_id))

    async def release(self, task_id: str) -> None:
        await self._log.run_in_thread(lambda: self._leases.release_task(task_id))

    async def is_running(self, task_id: str) -> bool:
        """True if a living program, this one or another, has the task."""
        return await self._log.run_in_thread(lambda: self._leases.is_held(task_id))

    async def check_writable(self) -> None:
        """Raise JournalError if nothing can be stored."""
        await self._log.run_in_thread(self._log.check_writable)

    async def delete_tasks(self, *task_ids: str) -> int:
        """Delete tasks with the pictures that no other task has; return the number of events.

        Raises UsageError while one of them runs.
        """
        async with AsyncExitStack() as held:
            for task_id in task_ids:
                if not await self.claim(task_id):
                    raise UsageError(f"Task {task_id} is under way: stop it before it is deleted.")
                held.push_async_callback(self.release, task_id)
            return await self._log.run_in_thread(lambda: self._delete_rows(task_ids))

    def _delete_rows(self, task_ids: Sequence[str]) -> int:
        pictures = self._list_pictures("task_id = ?", task_ids)
        gone = self._log.delete_rows(task_ids)
        # One look at everything that is left: a picture is stored once, and may belong to other tasks, too.
        kept = self._list_pictures("body LIKE '%\"frame\":%'", ()) if pictures else set[str]()
        for name in pictures - kept:
            self.find_frame_file(name).unlink(missing_ok=True)
        for frame, name in list(self._names.items()):
            if name in pictures:
                del self._names[frame]  # it is stored anew when it is seen again
        return gone

    def _list_pictures(self, where: str, owners: Sequence[str]) -> set[str]:
        query = f"SELECT body FROM events WHERE {where}"
        rows = (row for one in owners or ("",) for row in self._log.db.execute(query, (one,) if owners else ()))
        return {name for (body,) in rows for name in _PICTURE.findall(str(body))}

    async def runs(self, limit: int = 50) -> list[TaskSummary]:
        """Return the newest tasks first."""
        return await self._log.run_in_thread(lambda: self._list_tasks(limit))

    async def find_ids(self, beginning: str = "", limit: int = -1) -> list[str]:
        """Return the ids of tasks that begin like this, the newest task first. No event is read for it."""
        return await self._log.run_in_thread(lambda: self._log.list_owners(beginning, limit))

    def _list_tasks(self, limit: int) -> list[TaskSummary]:
        return [self._summarize_id(task_id) for task_id in self._log.list_owners(limit=limit)]

    def _summarize_id(self, task_id: str) -> TaskSummary:
        """Damage in the log of one task says nothing of the others."""
        try:
            records = self._read_records(task_id)
        except sqlite3.DatabaseError as error:
            records = [Record(seq=0, task_id=task_id, at=0, event=Unreadable(why=str(error)))]
        state = fold_all(records)
        return summarize_task(state if state.over or self._leases.is_held(task_id) else mark_interrupted(state))

    def _mark_losses(self, lost: int) -> None:
        """Note in every unfinished task that the newest entries of the journal are gone: some may have been its own."""
        why = f"up to {lost} entries were lost here"
        for task_id in self._log.list_owners():
            if not fold_all(self._read_records(task_id)).over:
                self._log.append_rows(task_id, [Unreadable(why=why)])

    async def keep_frame(self, frame: Frame) -> str:
        await self._reap_encodings()
        if name := self._names.get(frame):  # a step begins with the frame that the last one ended with
            return name
        name = xxhash.xxh3_128_hexdigest(frame.pixels.data)  # 0.2 ms for a phone's screen: less than a thread's hop
        file = self.find_frame_file(name)
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
            raise JournalError(
                f"A picture can't be stored in {self._frames} ({error}); free some space or fix its rights."
            ) from None

    async def load_frame(self, name: str) -> bytes | None:
        if painting := self._painting.get(name):
            await self._await_encoding(painting)
        file = self.find_frame_file(name)
        return await asyncio.to_thread(file.read_bytes) if file.exists() else None

    def find_frame_file(self, name: str) -> Path:
        """Return where a picture is, or would be, stored."""
        return self._frames / name[:2] / f"{name}.jpg"

    async def close(self) -> None:
        try:
            for painting in self._painting.values():
                await self._await_encoding(painting)
        finally:
            self._painter.shutdown(wait=False)
            await self._log.close()


def _to_record(task_id: str, row: LogRow[Event]) -> Record:
    return Record.model_construct(seq=row.seq, task_id=task_id, at=row.at, event=row.body, unknown=row.unknown)


def _encode_frame(frame: Frame, file: Path) -> None:
    make_private_folder(make_private_folder(file.parents[1]) / file.parent.name)
    data = simplejpeg.encode_jpeg(frame.pixels, quality=JPEG_QUALITY, colorspace=frame.order)
    # Renamed into place, so that a crash never leaves half a picture under a valid name.
    draft = file.with_suffix(".tmp")
    write_private_file(draft, data)
    draft.replace(file)
