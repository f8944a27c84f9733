"""Runs code on this host in a bubblewrap sandbox: one folder of its own, limits, and nothing left behind.

What it looks like from inside is `sandbox_command`'s matter; whether code may run at all is the policy's.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from deskhand.core.decisions import CodeResult
from deskhand.core.errors import ActionFailed
from deskhand.core.protocols import Clock
from deskhand.sandbox.bounded_output import Output
from deskhand.sandbox.bwrap_command import NOBODY, Language
from deskhand.sandbox.process_tree import Tree, bare, in_sandbox, undisturbed
from deskhand.sandbox.resource_watch import memory_of_tree, unlinked_files
from deskhand.sandbox.result_files import MAX_ENTRIES, changed_files, disk_use, snapshot
from deskhand.settings.schema import SandboxSettings

_WATCH_S = 0.1
_DRAIN_S = 5.0
_CHUNK = 65_536
_MEGABYTE = 1024 * 1024
# Reading what is thrown away costs our own processor, so output of this many times the limit ends the run.
_FLOOD = 64
_MISSING = (
    "Code is not run: bubblewrap, which keeps it in a sandbox, is not installed. Install the package bubblewrap, "
    "or set sandbox.allow_unsandboxed = true to run code without one."
)


def can_run_code(settings: SandboxSettings) -> bool:
    """Whether code can be run on this host as the user wants it to be."""
    return settings.allow_unsandboxed or shutil.which("bwrap") is not None


class Sandbox:
    """One task's folder and the code that runs in it, one piece at a time."""

    def __init__(self, settings: SandboxSettings, folder: Path, clock: Clock) -> None:
        self._settings = settings
        self._folder = folder
        self._clock = clock
        self._one = asyncio.Lock()

    async def run(self, language: Language, code: str, timeout: float | None = None) -> CodeResult:
        """Run code to its end or to a limit. When this returns or is cancelled, nothing of it runs any more.

        Files that it wrote stay in the folder, for the next run and for the user; an empty folder does not.
        """
        async with self._one:
            try:
                return await self._run(language, code, min(timeout or self._settings.time_s, self._settings.time_s))
            finally:
                with contextlib.suppress(OSError):  # not there, or not empty
                    self._folder.rmdir()

    async def _run(self, language: Language, code: str, seconds: float) -> CodeResult:
        starting = self._tree(language, code, seconds)
        await asyncio.to_thread(self._prepare)
        before = await asyncio.to_thread(snapshot, self._folder)
        output, begun = Output(self._settings.output_kb * 1024), self._clock.now()
        async with starting as tree:
            stopped, timed_out = await self._to_the_end(tree, output, seconds)
            if not stopped and tree.refused:
                raise ActionFailed(f"The sandbox could not be set up: {output.text().strip()}")
        return CodeResult(
            code=tree.exit_code,
            output=output.text(),
            timed_out=timed_out,
            truncated=output.truncated,
            seconds=self._clock.now() - begun,
            stopped=stopped,
            files=await asyncio.to_thread(changed_files, self._folder, before),
        )

    def _tree(self, language: Language, code: str, seconds: float) -> AbstractAsyncContextManager[Tree]:
        if bwrap := shutil.which("bwrap"):
            return in_sandbox(bwrap, self._settings, self._folder, language, code, seconds)
        if self._settings.allow_unsandboxed:
            return bare(self._settings, self._folder, language, code, seconds)
        raise ActionFailed(_MISSING)

    def _prepare(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.geteuid() == 0:
            os.chown(self._folder, NOBODY, NOBODY)

    async def _to_the_end(self, tree: Tree, output: Output, seconds: float) -> tuple[str, bool]:
        """Which limit ended it (empty: none), and whether that was the time."""
        stop: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        ended = asyncio.create_task(tree.process.wait())
        reading = asyncio.create_task(self._read(tree, output, stop))
        watching = asyncio.create_task(self._watch(tree, stop))
        try:
            done, _ = await asyncio.wait({ended, stop}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            watching.cancel()
            _, cancelled = await undisturbed(self._finish(tree, reading, {ended, reading, watching}))
        if cancelled:
            raise asyncio.CancelledError
        if stop.done():
            return stop.result(), False
        return ("", False) if done else (f"it took longer than {seconds:g} s", True)

    async def _finish(self, tree: Tree, reading: asyncio.Task[None], tasks: set[asyncio.Task[Any]]) -> None:
        await tree.end()
        # All who could write are gone; only what left a tree without a sandbox may still hold the pipe.
        await asyncio.wait({reading}, timeout=_DRAIN_S)
        reading.cancel()
        await asyncio.wait(tasks)

    async def _read(self, tree: Tree, output: Output, stop: asyncio.Future[str]) -> None:
        while chunk := await tree.output.read(_CHUNK):
            output.add(chunk)
            if output.total > _FLOOD * self._settings.output_kb * 1024 and not stop.done():
                stop.set_result(f"it wrote more than {_FLOOD * self._settings.output_kb} kB")

    # --- limits on the whole -------------------------------------------------------------------------------

    async def _watch(self, tree: Tree, stop: asyncio.Future[str]) -> None:
        """Look at what no limit on a single process can bound; set `stop` when it is too much."""
        # A folder that is too full already may be worked in, or it could never be tidied; it may hardly grow.
        size, entries = await asyncio.to_thread(disk_use, self._folder)
        room = max(self._settings.file_mb * _MEGABYTE, size + size // 8), max(MAX_ENTRIES, entries)
        while not stop.done():
            if excess := await asyncio.to_thread(self._excess, tree.pid, room):
                stop.set_result(excess)
                return
            await self._clock.sleep(_WATCH_S)

    def _excess(self, pid: int, room: tuple[int, int]) -> str:
        memory = self._settings.memory_mb * _MEGABYTE
        if memory_of_tree(pid, memory) > memory:
            return f"it used more than {self._settings.memory_mb} MB of memory"
        size, entries = disk_use(self._folder)
        if size + unlinked_files(pid) > room[0]:
            return f"its files took more than {room[0] // _MEGABYTE} MB"
        if entries > room[1]:
            return f"it made more than {room[1]} files and folders, or some that can't be looked into"
        return ""
