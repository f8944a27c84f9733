"""The files of a sandbox's folder, read back as data: no link is followed, nothing but plain files is opened."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from deskhand.types import Artifact

MAX_ENTRIES = 10_000
MAX_ARTIFACTS = 8
MAX_TEXT = 4_000
_MAX_NAME = 200
# Each level of folders costs an open descriptor while it is walked.
_MAX_DEPTH = 16

# A file's identity and last change, by its path in the folder.
Snapshot = dict[str, tuple[int, int, int]]


def snapshot(folder: Path) -> Snapshot:
    return {name: (info.st_ino, info.st_mtime_ns, info.st_size) for name, info, _, _ in _plain_files(folder)}


def disk_use(folder: Path) -> tuple[int, int]:
    """Bytes on disk and entries; counting ends soon after the entries are too many, or nested too deep."""
    total = entries = 0
    for root, folders, files, at in os.fwalk(folder, follow_symlinks=False):
        entries += len(folders) + len(files)
        if folders and _depth(root, folder) >= _MAX_DEPTH:
            return total, 2 * MAX_ENTRIES
        for name in files:
            try:
                total += taken(os.stat(name, dir_fd=at, follow_symlinks=False))
            except OSError:  # removed in between
                continue
        if entries > MAX_ENTRIES:
            break
    return total, entries


def taken(info: os.stat_result) -> int:
    """What a file takes or may come to take: blocks are given to it late, and may be given beyond its end."""
    return max(info.st_size, info.st_blocks * 512)


def _depth(root: str, folder: Path) -> int:
    return root[len(str(folder)) :].count(os.sep)


def changed_files(folder: Path, before: Snapshot) -> tuple[Artifact, ...]:
    """What was written since: a bounded number of files, each with the beginning of its text."""
    kept: list[Artifact] = []
    for name, info, at, leaf in _plain_files(folder):
        if before.get(name) == (info.st_ino, info.st_mtime_ns, info.st_size):
            continue
        kept.append(Artifact(name=_readable(name)[:_MAX_NAME], size=info.st_size, text=_text(leaf, at)))
        if len(kept) == MAX_ARTIFACTS:
            break
    return tuple(kept)


def _plain_files(folder: Path) -> Iterator[tuple[str, os.stat_result, int, str]]:
    """Every plain file's path, with its folder's open descriptor; in order, hidden ones left out."""
    entries = 0
    for root, folders, files, at in os.fwalk(folder, follow_symlinks=False):
        deeper = _depth(root, folder) < _MAX_DEPTH
        folders[:] = sorted(name for name in folders if deeper and not name.startswith("."))
        entries += len(folders) + len(files)
        if entries > MAX_ENTRIES:
            return
        for leaf in sorted(files):
            try:
                info = os.stat(leaf, dir_fd=at, follow_symlinks=False)
            except OSError:  # removed in between
                continue
            if stat.S_ISREG(info.st_mode) and not leaf.startswith("."):
                yield os.path.relpath(os.path.join(root, leaf), folder), info, at, leaf


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
