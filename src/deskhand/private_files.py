"""Folders and files that only their owner can read: the data folder holds goals, screens and conversations."""

import os
import stat
from contextlib import suppress
from pathlib import Path

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
# Everything that Deskhand puts into its data folder; the files of SQLite have more beside them (-wal, -shm, -last).
_OWN = (
    "journal.db",
    "conversations.db",
    "frames",
    "work",
    "locks",
    "server-token",
    "server-sessions",
    "logs",
    "prompts.json",
)


def prepare_data_folder(path: Path) -> Path:
    """Make the data folder, or close one of an older version to others, and return it.

    The user may have chosen a folder with other things in it (`/tmp`, their home): those, and then the folder
    itself, keep their rights.
    """
    if not path.is_dir():
        return make_private_folder(path)
    found = list(path.iterdir())
    own = [file for file in found if file.name.startswith(_OWN)]
    for file in own:
        close_to_others(file)
    if len(own) == len(found):
        close_to_others(path)
    return path


def make_private_folder(path: Path) -> Path:
    """Make the folder if it is missing, close it to others if it is not, and return it."""
    if not path.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):  # another process has just made it
            path.mkdir(mode=0o700)
    close_to_others(path)
    return path


def make_private_file(path: Path) -> Path:
    """Make an empty file if there is none, close it to others if there is, and return its path."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    close_to_others(path)
    return path


def write_private_file(path: Path, data: bytes) -> None:
    """Write a file, new or not, that only its owner can read."""
    with os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(data)


def close_to_others(path: Path) -> None:
    """Take the rights of group and others from a file, or from a folder and everything in it.

    A folder comes last: one that is closed needs no second look. What belongs to another user is left to them.
    """
    with suppress(OSError):
        mode = path.lstat().st_mode
        if not mode & _OTHERS or stat.S_ISLNK(mode):
            return
        if stat.S_ISDIR(mode):
            for below in path.iterdir():
                close_to_others(below)
        path.chmod(stat.S_IMODE(mode) & ~_OTHERS)
