"""The files of a sandbox's folder, read back as data: no link is followed, nothing but plain files is opened."""

from __future__ import annotations

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
# Each level of folders costs an open descriptor while it is walked.
_MAX_DEPTH = 16
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

# A file's identity and last change, by its path in the folder.
Snapshot = dict[str, tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class _Entry:
    """Something in the folder: its path there, its name, and its parent, open."""

    path: str
    name: str
    parent: int
    info: os.stat_result


def snapshot(folder: Path) -> Snapshot:
    return {entry.path: _state(entry) for entry in _plain_files(folder)}


def _state(entry: _Entry) -> tuple[int, int, int]:
    return entry.info.st_ino, entry.info.st_mtime_ns, entry.info.st_size


def disk_use(folder: Path) -> tuple[int, int]:
    """Bytes on disk and entries, while they change. What can't be looked into counts as far too many."""
    total = entries = 0
    try:
        for entry in _entries(folder):
            entries += 1
            total += taken(entry.info)
    except _Hidden:
        entries = 2 * MAX_ENTRIES
    return total, entries


def taken(info: os.stat_result) -> int:
    """What a file takes or may come to take: blocks are given to it late, and may be given beyond its end."""
    return max(info.st_size, info.st_blocks * 512)


def changed_files(folder: Path, before: Snapshot) -> tuple[Artifact, ...]:
    """What was written since: a bounded number of files, each with the beginning of its text."""
    kept: list[Artifact] = []
    for entry in _plain_files(folder):
        if before.get(entry.path) != _state(entry):
            name = _readable(entry.path)[:_MAX_NAME]
            kept.append(Artifact(name=name, size=entry.info.st_size, text=_text(entry.name, entry.parent)))
        if len(kept) == MAX_ARTIFACTS:
            break
    return tuple(kept)


def _plain_files(folder: Path) -> Iterator[_Entry]:
    with contextlib.suppress(_Hidden):
        for entry in islice(_entries(folder), MAX_ENTRIES):
            hidden = entry.path.startswith(".") or "/." in entry.path
            if stat.S_ISREG(entry.info.st_mode) and not hidden:
                yield entry


class _Hidden(Exception):
    """A folder that can't be looked into: too deep, or closed to us."""


def _entries(folder: Path) -> Iterator[_Entry]:
    top = os.open(folder, _FOLDER)
    try:
        yield from _below(top, "", 0)
    finally:
        os.close(top)


def _below(parent: int, path: str, depth: int) -> Iterator[_Entry]:
    """Everything below an open folder, in order. Whoever moves things around meanwhile can't lead it astray."""
    for name in sorted(os.listdir(parent)):
        try:
            entry = _Entry(path + name, name, parent, os.stat(name, dir_fd=parent, follow_symlinks=False))
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
            raise _Hidden(entry.path) from None
        try:
            if depth == _MAX_DEPTH:
                raise _Hidden(entry.path)
            yield from _below(opened, f"{entry.path}/", depth + 1)
        finally:
            os.close(opened)


def _text(leaf: str, at: int) -> str:
    """The beginning of a file's text; empty when it is no text or can't be read."""
    try:
        opened = os.open(leaf, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
    except OSError:
        return ""
    try:
        # Looked at again after opening: what was a file a moment ago may be a pipe now.
        data = os.read(opened, 4 * MAX_TEXT) if stat.S_ISREG(os.fstat(opened).st_mode) else b""
    except OSError:
        return ""
    finally:
        os.close(opened)
    return "" if b"\0" in data else data.decode("utf-8", "replace")[:MAX_TEXT]


def _readable(name: str) -> str:
    """A file's name may hold anything but a slash; what can't be shown is replaced."""
    known = os.fsencode(name).decode("utf-8", "replace")
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in known)
