"""The prompt memory: what was learned about each type of task, in one JSON file that users may read and edit.

The coach writes the prompts; the engine decides when.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import math
import os
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from deskhand.private_files import make_private_folder

Entry = dict[str, Any]
Entries = dict[str, Entry]

CORRECTIONS_KEPT = 10
_PROMPT, _CORRECTION, _FILE = 8_000, 1_000, 10_000_000


class PromptMemoryFile:
    """Safe with several processes: each change reads the newest file and replaces it whole.

    A file without valid entries is renamed and a new one begins; `trouble` says so until the next call that succeeds.
    Trouble with the file never stops a task: what can't be written is not learned.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.trouble = ""

    async def pick(self, task_type: str) -> str:
        return await asyncio.to_thread(self._pick_prompt, task_type)

    async def learn(
        self, task_type: str, *, success: bool, prompt: str = "", corrections: tuple[str, ...] = ()
    ) -> None:
        # Shielded: a write ends before its lock is released.
        await asyncio.shield(asyncio.to_thread(self._learn_result, task_type, success, prompt, corrections))

    def _pick_prompt(self, task_type: str) -> str:
        self.trouble = ""
        try:
            try:
                entries = self._read_entries()
            except ValueError:
                with self._lock_file() as held:
                    entries = self._read_or_keep_aside() if held else {}
        except OSError as error:
            self._can_not("read", error)
            return ""
        prompt = entries.get(task_type, {}).get("system_prompt")
        return prompt[:_PROMPT] if isinstance(prompt, str) else ""

    def _learn_result(self, task_type: str, success: bool, prompt: str, corrections: tuple[str, ...]) -> None:
        self.trouble = ""
        with self._lock_file() as held:
            if not held:
                return
            try:
                entries = self._read_or_keep_aside()
                entries[task_type] = _merge_result(entries.get(task_type, {}), success, prompt, corrections)
                self._write_entries(entries)
            except OSError as error:
                self._can_not("written", error)

    def _can_not(self, what: str, error: OSError) -> None:
        self.trouble = f"The prompt memory {self.path} can't be {what}: {error.strerror or error}."

    @contextmanager
    def _lock_file(self) -> Generator[bool]:
        """Yield True if the lock is held. It is on another file, since each write replaces the file itself."""
        try:
            if not self.path.parent.is_dir():
                make_private_folder(self.path.parent)
            lock = os.open(self.path.with_name(self.path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            self._can_not("written", error)
            yield False
            return
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield True
        finally:
            os.close(lock)

    def _read_entries(self) -> Entries:
        """Return the stored entries. Raises ValueError if the file holds anything else."""
        try:
            with self.path.open("rb") as file:
                raw = file.read(_FILE + 1)
        except FileNotFoundError:
            return {}
        if len(raw) > _FILE:
            raise ValueError("it is too large")
        return _check_entries(raw)

    def _read_or_keep_aside(self) -> Entries:
        try:
            return self._read_entries()
        except ValueError as error:
            aside = self._free_name()
            self.path.replace(aside)
            self.trouble = f"The prompt memory {self.path} can't be used ({error}): it is kept as {aside.name}."
            return {}

    def _free_name(self) -> Path:
        stem = f"{self.path.name}.broken-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
        names = (stem if n == 0 else f"{stem}-{n}" for n in range(10_000))
        return next(path for name in names if not (path := self.path.with_name(name)).exists())

    def _write_entries(self, entries: Entries) -> None:
        """Replace the file in one move, after the new one is on the disk."""
        # Follows a link, so that it stays one when the user keeps the file elsewhere.
        target = Path(os.path.realpath(self.path))
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(entries, file, indent=2, ensure_ascii=False)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(name)
            raise
        _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _check_entries(raw: bytes) -> Entries:
    """Return the entries by task type, with whatever else the user put into them."""
    try:
        data: object = json.loads(raw.decode("utf-8").strip() or "{}")
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    if not isinstance(data, dict):
        raise ValueError("it is not a JSON object")
    entries = cast("dict[str, Any]", data)
    for name, entry in entries.items():
        if not isinstance(entry, dict):
            raise ValueError(f"{name!r} is not a JSON object")
    return entries


# --- one more use ----------------------------------------------------------------------------------------------


def _merge_result(entry: Mapping[str, Any], success: bool, prompt: str, corrections: tuple[str, ...]) -> Entry:
    """Return the entry after one more use; its keys keep their order."""
    uses, successes = _count_result(entry)
    uses, successes = uses + 1, successes + success
    kept = entry.get("system_prompt")
    return {
        **entry,
        "system_prompt": prompt[:_PROMPT] or (kept if isinstance(kept, str) else ""),
        "last_updated": datetime.now(UTC).isoformat(timespec="seconds"),
        "success_rate": round(successes / uses, 4),
        "uses": uses,
        "successes": successes,
        "corrections": _keep_newest(entry.get("corrections"), corrections),
    }


def _count_result(entry: Mapping[str, Any]) -> tuple[int, int]:
    """Return uses and successes so far. A rate that the user has edited counts more than the number of successes."""
    uses = int(_to_number(entry.get("uses"), 0, 1_000_000_000))
    rate = _to_number(entry.get("success_rate"), 0, 1)
    successes = int(_to_number(entry.get("successes"), 0, uses))
    untouched = uses and "successes" in entry and abs(successes / uses - rate) < 0.0001
    return uses, successes if untouched else round(rate * uses)


def _to_number(value: object, least: float, most: float) -> float:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
    return min(max(float(cast("float", value)), least), most) if usable else least


def _keep_newest(known: object, new: tuple[str, ...]) -> list[str]:
    """Return the newest distinct corrections, oldest first; a repeated one counts as new."""
    old = [text for text in cast("list[object]", known) if isinstance(text, str)] if isinstance(known, list) else []
    latest_first = dict.fromkeys(text[:_CORRECTION] for text in reversed((*old, *new)) if text.strip())
    return list(reversed(list(latest_first)[:CORRECTIONS_KEPT]))
