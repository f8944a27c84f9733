"""Runs code on this host in a bubblewrap sandbox, with its own folder and limits, and leaves nothing running.

`bwrap_command` decides what the code sees; whether code may run at all is up to the policy.
"""

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
from deskhand.private_files import make_private_folder
from deskhand.sandbox.bounded_output import BoundedOutput
from deskhand.sandbox.bwrap_command import NOBODY, Language
from deskhand.sandbox.process_tree import ProcessTree, run_undisturbed, start_bare, start_sandboxed
from deskhand.sandbox.resource_watch import memory_of_tree, size_of_unlinked_files
from deskhand.sandbox.result_files import MAX_ENTRIES, measure_disk_use, read_changed_files, take_snapshot
from deskhand.settings.schema import SandboxSettings

_WATCH_S = 0.1
_DRAIN_S = 5.0
_CHUNK = 65_536
_MEGABYTE = 1024 * 1024
# Reading output that is dropped costs our own CPU time, so output of this many times the limit ends the run.
_FLOOD = 64
_MISSING = (
    "Code can't be run: bubblewrap, which provides the sandbox, is not installed. Install the package bubblewrap, "
    "or set sandbox.allow_unsandboxed = true to run code without a sandbox."
)


def can_run_code(settings: SandboxSettings) -> bool:
    """True if code can be run on this host as the settings demand."""
    return settings.allow_unsandboxed or shutil.which("bwrap") is not None


class Sandbox:
    """Runs the code of one task in the task's folder, one piece at a time."""

    def __init__(self, settings: SandboxSettings, folder: Path, clock: Clock) -> None:
        self._settings = settings
        self._folder = folder
        self._clock = clock
        self._one = asyncio.Lock()

    async def run(self, language: Language, code: str, timeout: float | None = None) -> CodeResult:
        """Run code to its end or to a limit. When this returns or is cancelled, nothing of it runs any more.

        Files that it wrote stay in the folder, for the next code and for the user; an empty folder is removed.
        """
        async with self._one:
            most = self._settings.time_s
            try:
                return await self._run_code(language, code, min(timeout or most, most))
            finally:
                with contextlib.suppress(OSError):  # missing, or not empty
                    self._folder.rmdir()

    async def _run_code(self, language: Language, code: str, seconds: float) -> CodeResult:
        starting = self._choose_tree(language, code, seconds)
        await asyncio.to_thread(self._prepare_folder)
        before = await asyncio.to_thread(take_snapshot, self._folder)
        output, begun = BoundedOutput(self._settings.output_kb * 1024), self._clock.now()
        async with starting as tree:
            stopped, timed_out = await self._wait_for_end(tree, output, seconds)
            if not stopped and tree.is_refused:
                raise ActionFailed(f"The sandbox could not be started: {output.to_text().strip()}")
        return CodeResult(
            code=tree.exit_code, output=output.to_text(), timed_out=timed_out, truncated=output.is_truncated,
            seconds=self._clock.now() - begun, stopped=stopped,
            files=await asyncio.to_thread(read_changed_files, self._folder, before),
        )  # fmt: skip

    def _choose_tree(self, language: Language, code: str, seconds: float) -> AbstractAsyncContextManager[ProcessTree]:
        if bwrap := shutil.which("bwrap"):
            return start_sandboxed(bwrap, self._settings, self._folder, language, code, seconds)
        if self._settings.allow_unsandboxed:
            return start_bare(self._settings, self._folder, language, code, seconds)
        raise ActionFailed(_MISSING)

    def _prepare_folder(self) -> None:
        if not self._folder.parent.is_dir():
            make_private_folder(self._folder.parent)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        if os.geteuid() == 0:
            os.chown(self._folder, NOBODY, NOBODY)

    async def _wait_for_end(self, tree: ProcessTree, output: BoundedOutput, seconds: float) -> tuple[str, bool]:
        """Return the limit that ended the code (empty: none), and whether that was the time."""
        stop: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        ended = asyncio.create_task(tree.process.wait())
        reading = asyncio.create_task(self._read_output(tree, output, stop))
        watching = asyncio.create_task(self._watch_limits(tree, stop))
        try:
            done, _ = await asyncio.wait({ended, stop}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            watching.cancel()
            _, cancelled = await run_undisturbed(self._finish_run(tree, reading, {ended, reading, watching}))
        if cancelled:
            raise asyncio.CancelledError
        if stop.done():
            return stop.result(), False
        return ("", False) if done else (f"it took longer than {seconds:g} s", True)

    async def _finish_run(self, tree: ProcessTree, reading: asyncio.Task[None], tasks: set[asyncio.Task[Any]]) -> None:
        await tree.end_tree()
        # All writers are dead; only a process that left a tree without a sandbox may still hold the pipe.
        await asyncio.wait({reading}, timeout=_DRAIN_S)
        reading.cancel()
        await asyncio.wait(tasks)

    async def _read_output(self, tree: ProcessTree, output: BoundedOutput, stop: asyncio.Future[str]) -> None:
        while chunk := await tree.output.read(_CHUNK):
            output.add_chunk(chunk)
            if output.total > _FLOOD * self._settings.output_kb * 1024 and not stop.done():
                stop.set_result(f"it wrote more than {_FLOOD * self._settings.output_kb} kB")

    async def _watch_limits(self, tree: ProcessTree, stop: asyncio.Future[str]) -> None:
        """Check the limits on the whole tree, which no limit per process enforces; set `stop` if one is exceeded."""
        # Code may run in a folder that is over the limit already, else it could never be tidied; it may hardly grow.
        size, entries = await asyncio.to_thread(measure_disk_use, self._folder)
        room = max(self._settings.file_mb * _MEGABYTE, size + size // 8), max(MAX_ENTRIES, entries)
        while not stop.done():
            if excess := await asyncio.to_thread(self._find_excess, tree.pid, room):
                stop.set_result(excess)
                return
            await self._clock.sleep(_WATCH_S)

    def _find_excess(self, pid: int, room: tuple[int, int]) -> str:
        memory = self._settings.memory_mb * _MEGABYTE
        if memory_of_tree(pid, memory) > memory:
            return f"it used more than {self._settings.memory_mb} MB of memory"
        size, entries = measure_disk_use(self._folder)
        if size + size_of_unlinked_files(pid) > room[0]:
            return f"its files took more than {room[0] // _MEGABYTE} MB"
        if entries > room[1]:
            return f"it made more than {room[1]} files and folders, or some that can't be read"
        return ""
