"""Search the user's own files and folders by SQLite's full-text search.

The index lives in memory and is refreshed by modification time before each search. `passages` reads the files,
`search_words` chooses the words that count.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from deskhand.core.errors import LookupFailed
from deskhand.core.planning import Material
from deskhand.research.passages import is_text_file, read_text, split_passages
from deskhand.research.search_words import extract_terms, to_index_words

MAX_FILES = 5000
MAX_TOTAL = 32 * 1024 * 1024
MAX_FOUND = 5
_CANDIDATES = 60


class UserFilesSource:
    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = tuple(root.expanduser() for root in roots)
        self._index: _PassageIndex | None = None
        self._turn = threading.Lock()

    async def look_up(self, need: str, goal: str) -> tuple[Material, ...]:
        given_up = threading.Event()
        try:
            return await asyncio.to_thread(self._look_up, need, goal, given_up)
        finally:
            given_up.set()  # a thread can't be cancelled, but it stops at the next file

    def _look_up(self, need: str, goal: str, given_up: threading.Event) -> tuple[Material, ...]:
        missing = [str(root) for root in self._roots if not root.exists()]
        with self._turn:
            if self._index is None:
                self._index = _PassageIndex()
            self._index.refresh_files(_list_files(self._roots), given_up)
            found = self._index.find_passages(extract_terms(need), extract_terms(goal))
        if missing:
            raise LookupFailed(f"{missing[0]} does not exist: correct the folders under [supplement].", found)
        return found

    async def close(self) -> None:
        await asyncio.to_thread(self._close_index)

    def _close_index(self) -> None:
        with self._turn:
            if self._index:
                self._index.close()
            self._index = None


@dataclass(frozen=True, slots=True)
class _IndexedFile:
    """A file as it was when it was read: its time and size, and its rows in the index."""

    stamp: tuple[int, int]
    rows: range


class _PassageIndex:
    """One passage a row. Used by one thread at a time."""

    def __init__(self) -> None:
        self._db = sqlite3.connect(":memory:", check_same_thread=False)
        self._db.execute(
            "create virtual table passages using fts5"
            " (words, path unindexed, part unindexed, body unindexed, tokenize='porter unicode61')"
        )
        self._kept: dict[Path, _IndexedFile] = {}
        self._next_row = 1

    def close(self) -> None:
        self._db.close()

    def refresh_files(self, files: Iterator[tuple[Path, os.stat_result]], given_up: threading.Event) -> None:
        """Add new and changed files up to the limits, and remove those that are gone."""
        seen: set[Path] = set()
        total = 0
        for path, stat in files:
            total += min(stat.st_size, MAX_TOTAL)
            if given_up.is_set() or len(seen) >= MAX_FILES or total > MAX_TOTAL:
                break
            seen.add(path)
            stamp = (stat.st_mtime_ns, stat.st_size)
            kept = self._kept.get(path)
            if kept is None or kept.stamp != stamp:
                self._remove_files([path])
                self._add_file(path, stamp)
        if not given_up.is_set():
            self._remove_files(self._kept.keys() - seen)
        self._db.commit()

    def _add_file(self, path: Path, stamp: tuple[int, int]) -> None:
        parts = split_passages(read_text(path))
        rows = range(self._next_row, self._next_row + len(parts))
        self._next_row = rows.stop
        self._db.executemany(
            "insert into passages (rowid, words, path, part, body) values (?, ?, ?, ?, ?)",
            [
                (row, to_index_words(f"{path.stem} {part}"), str(path), number, part)
                for number, (row, part) in enumerate(zip(rows, parts, strict=True), 1)
            ],
        )
        self._kept[path] = _IndexedFile(stamp, rows)

    def _remove_files(self, paths: Iterable[Path]) -> None:
        for path in paths:
            if kept := self._kept.pop(path, None):
                self._db.executemany("delete from passages where rowid = ?", [(row,) for row in kept.rows])

    def find_passages(self, need: list[str], goal: list[str]) -> tuple[Material, ...]:
        """Return the passages with most terms of `need`; those of `goal` only decide between equals."""
        if not need:
            return ()
        candidates: list[tuple[int, str, int, str]] = self._db.execute(
            "select rowid, path, part, body from passages where passages match ? order by rank limit ?",
            (" OR ".join(need), _CANDIDATES),
        ).fetchall()
        wanted, context = self._count_hits(need), self._count_hits(goal)
        good = [row for row in candidates if wanted.get(row[0], 0) >= count_needed_terms(len(need))]
        good.sort(key=lambda row: (-wanted[row[0]], -context.get(row[0], 0)))
        return tuple(_make_material(Path(path), part, body) for _, path, part, body in good[:MAX_FOUND])

    def _count_hits(self, terms: list[str]) -> dict[int, int]:
        """Return how many of the terms each passage has."""
        counts: dict[int, int] = {}
        for term in terms:
            for (row,) in self._db.execute("select rowid from passages where passages match ?", (term,)):
                counts[row] = counts.get(row, 0) + 1
        return counts


def count_needed_terms(terms: int) -> int:
    """Return how many terms a passage must have: one common word out of many is no answer."""
    return terms if terms <= 2 else max(2, -(-terms // 3))


def _make_material(path: Path, part: int, body: str) -> Material:
    title = path.name if part == 1 else f"{path.name} (part {part})"
    return Material(source=str(path), title=title[:200], text=body)


def _list_files(roots: Iterable[Path]) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield text files, named ones first, without hidden ones and links."""
    for root in roots:
        if root.is_file():
            yield root, root.stat()
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = Path(folder, name)
                if is_text_file(path) and not path.is_symlink() and (stat := _stat_file(path)):
                    yield path, stat


def _stat_file(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None  # gone since it was listed
