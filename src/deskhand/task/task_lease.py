"""One writer a task: a lease that ends with its process, and a number that the log asks every writer for.

The kernel lets go of a file lock when its holder dies, so a killed process blocks nobody. The fencing number is
counted up with every lease: a writer whose lease was lost all the same is refused by the log itself.
"""

import fcntl
import os
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from deskhand.core.errors import JournalError, TaskBusy
from deskhand.core.protocols import Clock

RETRY_S = 0.05
_NEXT = (
    "INSERT INTO leases (task_id, fence) VALUES (?, 1) "
    "ON CONFLICT (task_id) DO UPDATE SET fence = fence + 1 RETURNING fence"
)


class Leasing(Protocol):
    """The part of a journal that leases tasks."""

    async def claim(self, task_id: str) -> bool: ...
    async def release(self, task_id: str) -> None: ...


@asynccontextmanager
async def hold_task(journal: Leasing, task_id: str, clock: Clock, wait_s: float = 0.0) -> AsyncGenerator[None, None]:
    """Be the task's only writer while the block runs. Waits up to `wait_s` for another one, then raises TaskBusy."""
    # At least twice: somebody who only asks whether it runs has the lock for an instant.
    deadline = clock.now() + max(wait_s, RETRY_S)
    while not await journal.claim(task_id):
        if clock.now() >= deadline:
            raise TaskBusy(
                f"Task {task_id} is under way in another program: wait for its end, or stop it there before it is "
                "resumed here."
            )
        await clock.sleep(RETRY_S)
    try:
        yield
    finally:
        await journal.release(task_id)


class TaskLeases:
    """The leases of one process. Every method blocks: call it in the thread of the log."""

    def __init__(self, db: sqlite3.Connection, folder: Path) -> None:
        self._db = db
        self._folder = folder
        self._held: dict[str, tuple[int, int]] = {}  # the open lock file and the fencing number

    def claim_task(self, task_id: str) -> bool:
        """Return False if another holder, in this process or another one, has it."""
        file = self._lock_file(task_id)
        if file is None:
            return False
        try:
            self._prepare_table()
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                (fence,) = self._db.execute(_NEXT, (task_id,)).fetchone()
        except BaseException:
            os.close(file)
            raise
        self._held[task_id] = file, fence
        return True

    def _prepare_table(self) -> None:
        """Not before the first lease: a journal that is only read may lie in a folder that can't be written."""
        self._db.execute("CREATE TABLE IF NOT EXISTS leases (task_id TEXT PRIMARY KEY, fence INTEGER NOT NULL)")

    def is_held(self, task_id: str) -> bool:
        """True if a living program has the task. A shared lock, so that two who ask don't take each other for it."""
        try:
            file = os.open(self._path_of(task_id), os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(file)
        return False

    def release_task(self, task_id: str) -> None:
        file, _ = self._held.pop(task_id)
        self._path_of(task_id).unlink(missing_ok=True)
        os.close(file)

    def check_writer(self, task_id: str) -> None:
        """Raise JournalError unless this process has the newest lease, or nobody ever had one. Inside a transaction."""
        self._prepare_table()
        row = self._db.execute("SELECT fence FROM leases WHERE task_id = ?", (task_id,)).fetchone()
        _, mine = self._held.get(task_id, (None, 0))
        if (row[0] if row else 0) != mine:
            raise JournalError(f"Task {task_id} was taken over by another program: nothing more is written here.")

    def _lock_file(self, task_id: str) -> int | None:
        path = self._path_of(task_id)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            while True:
                file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    os.close(file)
                    return None
                # Whoever released it in between has removed the file: a lock on it would keep nobody out.
                if path.exists() and os.path.samestat(os.fstat(file), path.stat()):
                    return file
                os.close(file)
        except OSError as error:
            raise JournalError(f"Tasks can't be locked in {self._folder} ({error}): fix the folder's rights.") from None

    def _path_of(self, task_id: str) -> Path:
        return self._folder / f"task-{task_id}.lock"
