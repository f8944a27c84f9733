"""Opens the SQLite file of a log, to write or only to read it, and notices what was lost of it."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from deskhand.core.errors import JournalError
from deskhand.private_files import make_private_file


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Return a connection to the file, which nobody else may read; SQLite gives -wal and -shm the same rights."""
    for beside in ("-wal", "-shm"):
        if (file := _file_beside(path, beside)).exists():
            make_private_file(file)
    return _connect_to(str(make_private_file(path)))


def open_for_reading(path: Path) -> tuple[sqlite3.Connection, Callable[[], None]]:
    """Return a connection that needs no right to write, and what is to be called when it is closed.

    A log with a -wal can only be read with a -shm, which SQLite makes beside it. Where it can't, it reads the
    file alone if nothing is in a -wal, else a copy of both.
    """
    if not path.exists():
        return _connect_to(":memory:"), _do_nothing
    address = f"file:{quote(str(path))}"
    with suppress(sqlite3.OperationalError):
        return _probe_log(_connect_to(f"{address}?mode=rw")), _do_nothing
    wal = _file_beside(path, "-wal")
    if not wal.exists() or not wal.stat().st_size:
        return _probe_log(_connect_to(f"{address}?immutable=1")), _do_nothing
    folder = TemporaryDirectory(prefix="deskhand-log-")
    for file in (path, wal):
        shutil.copyfile(file, Path(folder.name, file.name))
    return _probe_log(_connect_to(str(Path(folder.name, path.name)))), folder.cleanup


def _connect_to(address: str) -> sqlite3.Connection:
    db = sqlite3.connect(
        address, check_same_thread=False, isolation_level=None, timeout=10, uri=address.startswith("file:")
    )
    # A damaged byte must not keep the other entries from being read.
    db.text_factory = _decode_text
    return db


def _decode_text(data: bytes) -> str:
    return data.decode(errors="backslashreplace")


def _probe_log(db: sqlite3.Connection) -> sqlite3.Connection:
    try:
        db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        db.close()
        raise
    return db


def _do_nothing() -> None:
    pass


def _file_beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


class LastNumber:
    """The number of a log's newest entry, in a file beside it: it tells if the end of the log was lost, or all of it.

    SQLite takes a log without its -wal, and one that was cut to nothing, for whole.
    """

    def __init__(self, log: Path) -> None:
        self._log = log
        self.path = _file_beside(log, "-last")
        self._file = -1

    def count_lost(self, found: int) -> int:
        """Return how many entries are missing behind `found`, the newest that the log has. Raises if all are."""
        try:
            written = int(self.path.read_bytes() or b"0")
        except (OSError, ValueError):  # of an older version, or on a full disk: nothing can be told
            return 0
        if written and not found:
            raise JournalError(
                f"{self._log} has lost all of its {written} entries (it, or its -wal, was deleted or emptied); "
                f"restore a copy, or delete {self.path.name} beside it to begin anew."
            )
        return max(0, written - found)

    def write(self, number: int) -> None:
        """Overwrite it in place. The entry itself is on disk: without this, only its loss would go unnoticed."""
        with suppress(OSError):
            if self._file < 0:
                self._file = os.open(self.path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
            os.pwrite(self._file, b"%020d\n" % number, 0)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
