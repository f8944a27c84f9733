"""One process tree that runs code, in a sandbox or bare: started with nothing of ours, ended as a whole."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
from collections.abc import AsyncGenerator, Coroutine
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from deskhand.sandbox.bwrap_command import PATH, Language, environment, interpreter, limited, sandboxed
from deskhand.sandbox.syscall_filter import seccomp_filter
from deskhand.settings.schema import SandboxSettings

_END_S = 10.0
_BUFFER = 65_536
T = TypeVar("T")


class Tree:
    """A started tree. `status` is where bubblewrap writes what it did; None without a sandbox."""

    def __init__(
        self, process: asyncio.subprocess.Process, output: asyncio.StreamReader, status: int | None = None
    ) -> None:
        self.process = process
        self.output = output
        self._status = status

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def refused(self) -> bool:
        """Whether bubblewrap ended without having run anything: it tells an exit code only if it did."""
        return self._status is not None and "exit-code" not in _told(self._status)

    @property
    def exit_code(self) -> int:
        code = self.process.returncode
        assert code is not None, "asked for after the end"
        return code if code >= 0 else 128 - code

    async def end(self) -> None:
        """Kill what still runs; when this returns or is cancelled, nothing does, whatever it did to get away."""
        _, cancelled = await undisturbed(self._end())
        if cancelled:
            raise asyncio.CancelledError

    async def _end(self) -> None:
        if self._status is None or self.process.returncode is None:
            # Without a sandbox, what was left in the background is in the group, unless it took pains to leave it.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        async with asyncio.timeout(_END_S):
            await self.process.wait()
        if self._status is not None:
            await _end_init(self._status)


@asynccontextmanager
async def in_sandbox(
    bwrap: str, settings: SandboxSettings, folder: Path, language: Language, code: str, seconds: float
) -> AsyncGenerator[Tree, None]:
    with ExitStack() as opened:
        program = seccomp_filter(settings.network)
        code_fd, status = _memory_file(code.encode(), opened), _memory_file(b"", opened)
        filter_fd = _memory_file(program, opened) if program else None
        command = sandboxed(
            bwrap, settings, language, seconds, folder, code_fd=code_fd, filter_fd=filter_fd, status_fd=status
        )
        handed = [fd for fd in (code_fd, filter_fd, status) if fd is not None]
        # Its environment can be read inside (/proc/1/environ), so it gets nothing of ours.
        async with _started(opened, command, status, env={"PATH": PATH}, pass_fds=handed, cwd="/") as tree:
            yield tree


@asynccontextmanager
async def bare(
    settings: SandboxSettings, folder: Path, language: Language, code: str, seconds: float
) -> AsyncGenerator[Tree, None]:
    """Without a sandbox, where the user allowed that: limits, but no walls."""
    with ExitStack() as opened:
        code_fd = _memory_file(code.encode(), opened)
        command = [*limited(settings, seconds), *interpreter(language, f"/proc/self/fd/{code_fd}")]
        env = environment(str(folder))
        async with _started(opened, command, None, env=env, pass_fds=[code_fd], cwd=folder) as tree:
            yield tree


@asynccontextmanager
async def _started(
    opened: ExitStack, command: list[str], status: int | None, **options: Any
) -> AsyncGenerator[Tree, None]:
    """A pipe of our own takes all that it writes: a process that holds it open does not hold us up."""
    reading, writing = os.pipe()
    try:
        output = asyncio.StreamReader(limit=_BUFFER)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(output), os.fdopen(reading, "rb")
        )
        opened.callback(transport.close)
        # Cancelled in the middle, asyncio kills the first process only, and does not wait for the others.
        process, cancelled = await undisturbed(
            asyncio.create_subprocess_exec(
                *command, stdin=subprocess.DEVNULL, stdout=writing, stderr=writing, start_new_session=True, **options
            )
        )
    finally:
        os.close(writing)
    tree = Tree(process, output, status)
    try:
        if cancelled:
            raise asyncio.CancelledError
        yield tree
    finally:
        await tree.end()


async def undisturbed(work: Coroutine[Any, Any, T]) -> tuple[T, bool]:
    """The result of what must not be cut in half, and whether it was cancelled meanwhile: pass that on afterwards."""
    task, cancelled = asyncio.ensure_future(work), False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    return task.result(), cancelled


def _memory_file(data: bytes, opened: ExitStack) -> int:
    file = os.memfd_create("deskhand")
    opened.callback(os.close, file)
    os.write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


# --- the end ---------------------------------------------------------------------------------------------------


async def _end_init(status: int) -> None:
    """Kill the sandbox's first process and wait: the kernel lets it go only after all the others are gone."""
    told = _told(status)
    pid = told.get("child-pid")
    if pid is None:
        return
    try:
        init = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        # The number may belong to someone else by now; the namespace does not.
        if os.stat(f"/proc/{pid}/ns/pid").st_ino == told.get("pid-namespace"):
            signal.pidfd_send_signal(init, signal.SIGKILL)
            await _gone(init)
    except (FileNotFoundError, ProcessLookupError):
        return
    finally:
        os.close(init)


async def _gone(pidfd: int) -> None:
    loop, gone = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(pidfd, gone.set)
    try:
        async with asyncio.timeout(_END_S):
            await gone.wait()
    finally:
        loop.remove_reader(pidfd)


def _told(status: int) -> dict[str, int]:
    """All that bubblewrap wrote: one JSON object a line, numbers only.

    Killed while it writes, it leaves half a line: then it had not let the sandbox's first process go on yet,
    and that one was killed with it, as one of its group.
    """
    told: dict[str, int] = {}
    whole, _, _ = os.pread(status, 4096, 0).rpartition(b"\n")
    for line in whole.splitlines():
        told |= json.loads(line)
    return told
