"""Reads the files of a sandbox's folder as data: follows no link, and opens only plain files."""

import contextlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from deskhand.core.decisions import Artifact

MAX_ENTRIES = 10_000
MAX_ARTIFACTS = 8
MAX_TEXT = 4_000
_MAX_NAME = 200
# Each level of folders needs an open descriptor during the walk.
_MAX_DEPTH = 16
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

# A file's identity and last change, by its path in the folder.
Snapshot = dict[str, tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class _FolderEntry:
    """A file or folder: its path in the sandbox's folder, its name, and its parent's descriptor."""

    path: str
    name: str
    parent: int
    info: os.stat_result


def take_snapshot(folder: Path) -> Snapshot:
    return {entry.path: _state_of(entry) for entry in _iterate_files(folder)}


def _state_of(entry: _FolderEntry) -> tuple[int, int, int]:
    return entry.info.st_ino, entry.info.st_mtime_ns, entry.info.st_size


def measure_disk_use(folder: Path) -> tuple[int, int]:
    """Return bytes on disk and number of entries. A folder that can't be read counts as far too many."""
    total = entries = 0
    try:
        for entry in _iterate_entries(folder):
            entries += 1
            total += disk_bytes_of(entry.info)
    except _Unreadable:
        entries = 2 * MAX_ENTRIES
    return total, entries


def disk_bytes_of(info: os.stat_result) -> int:
    """Return what a file takes or may come to take: blocks are allocated late, and may lie beyond its end."""
    return max(info.st_size, info.st_blocks * 512)


def read_changed_files(folder: Path, before: Snapshot) -> tuple[Artifact, ...]:
    """Return the files written since, at most MAX_ARTIFACTS, each with the beginning of its text."""
    kept: list[Artifact] = []
    for entry in _iterate_files(folder):
        if before.get(entry.path) != _state_of(entry):
            name = _to_printable(entry.path)[:_MAX_NAME]
            kept.append(Artifact(name=name, size=entry.info.st_size, text=_read_text(entry.name, entry.parent)))
        if len(kept) == MAX_ARTIFACTS:
            break
    return tuple(kept)


def _iterate_files(folder: Path) -> Iterator[_FolderEntry]:
    with contextlib.suppress(_Unreadable):
        for entry in islice(_iterate_entries(folder), MAX_ENTRIES):
            hidden = entry.path.startswith(".") or "/." in entry.path
            if stat.S_ISREG(entry.info.st_mode) and not hidden:
                yield entry


class _Unreadable(Exception):
    """A folder that can't be read: too deep, or not permitted."""


def _iterate_entries(folder: Path) -> Iterator[_FolderEntry]:
    top = os.open(folder, _FOLDER)
    try:
        yield from _iterate_below(top, "", 0)
    finally:
        os.close(top)


def _iterate_below(parent: int, path: str, depth: int) -> Iterator[_FolderEntry]:
    """Yield everything below an open folder, in order. By descriptors, so that moving folders can't mislead it."""
    for name in sorted(os.listdir(parent)):
        try:
            entry = _FolderEntry(path + name, name, parent, os.stat(name, dir_fd=parent, follow_symlinks=False))
        except OSError:  # removed in between
            continue
        yield entry
        if not stat.S_ISDIR(entry.info.st_mode):
            continue
        try:
            opened = os.open(name, _FOLDER, dir_fd=parent)
        except (FileNotFoundError, NotADirectoryError):  # removed or replaced in between
            continue
        except OSError:
            raise _Unreadable(entry.path) from None
        try:
            if depth == _MAX_DEPTH:
                raise _Unreadable(entry.path)
            yield from _iterate_below(opened, f"{entry.path}/", depth + 1)
        finally:
            os.close(opened)


def _read_text(leaf: str, at: int) -> str:
    """Return the beginning of a file's text; empty if it is no text or can't be read."""
    try:
        opened = os.open(leaf, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
    except OSError:
        return ""
    try:
        # Checked again after opening: what was a file a moment ago may be a pipe now.
        data = os.read(opened, 4 * MAX_TEXT) if stat.S_ISREG(os.fstat(opened).st_mode) else b""
    except OSError:
        return ""
    finally:
        os.close(opened)
    return "" if b"\0" in data else data.decode("utf-8", "replace")[:MAX_TEXT]


def _to_printable(name: str) -> str:
    """Replace what can't be shown: a file's name may hold anything but a slash."""
    known = os.fsencode(name).decode("utf-8", "replace")
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in known)
