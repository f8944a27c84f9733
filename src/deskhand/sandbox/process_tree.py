"""One process tree that runs code, with or without a sandbox: it inherits nothing of ours, and is ended as a whole."""

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

from deskhand.sandbox.bwrap_command import (
    PATH,
    Language,
    build_bwrap_command,
    build_environment,
    build_interpreter,
    build_limits,
)
from deskhand.sandbox.syscall_filter import build_seccomp_filter
from deskhand.settings.schema import SandboxSettings

_END_S = 10.0
_BUFFER = 65_536
T = TypeVar("T")


class ProcessTree:
    """A started tree. `status` is the file where bubblewrap reports; None without a sandbox."""

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
    def is_refused(self) -> bool:
        """True if bubblewrap ended without running anything: it reports an exit code only if it did."""
        return self._status is not None and "exit-code" not in _read_status(self._status)

    @property
    def exit_code(self) -> int:
        code = self.process.returncode
        assert code is not None, "asked for after the end"
        return code if code >= 0 else 128 - code

    async def end_tree(self) -> None:
        """Kill what still runs; when this returns or is cancelled, nothing does, however it tried to escape."""
        _, cancelled = await run_undisturbed(self._kill_tree())
        if cancelled:
            raise asyncio.CancelledError

    async def _kill_tree(self) -> None:
        if self._status is None or self.process.returncode is None:
            # Without a sandbox, background processes are in the group, unless they left it on purpose.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
        async with asyncio.timeout(_END_S):
            await self.process.wait()
        if self._status is not None:
            await _kill_init(self._status)


@asynccontextmanager
async def start_sandboxed(
    bwrap: str, settings: SandboxSettings, folder: Path, language: Language, code: str, seconds: float
) -> AsyncGenerator[ProcessTree, None]:
    with ExitStack() as opened:
        program = build_seccomp_filter(settings.network)
        code_fd, status = _open_memory_file(code.encode(), opened), _open_memory_file(b"", opened)
        filter_fd = _open_memory_file(program, opened) if program else None
        command = build_bwrap_command(
            bwrap, settings, language, seconds, folder, code_fd=code_fd, filter_fd=filter_fd, status_fd=status
        )
        handed = [fd for fd in (code_fd, filter_fd, status) if fd is not None]
        # Its environment can be read inside (/proc/1/environ), so it gets nothing of ours.
        async with _start_tree(opened, command, status, env={"PATH": PATH}, pass_fds=handed, cwd="/") as tree:
            yield tree


@asynccontextmanager
async def start_bare(
    settings: SandboxSettings, folder: Path, language: Language, code: str, seconds: float
) -> AsyncGenerator[ProcessTree, None]:
    """Run code without a sandbox, if the user allowed that: limits, but no isolation."""
    with ExitStack() as opened:
        code_fd = _open_memory_file(code.encode(), opened)
        command = [*build_limits(settings, seconds), *build_interpreter(language, f"/proc/self/fd/{code_fd}")]
        env = build_environment(str(folder))
        async with _start_tree(opened, command, None, env=env, pass_fds=[code_fd], cwd=folder) as tree:
            yield tree


@asynccontextmanager
async def _start_tree(
    opened: ExitStack, command: list[str], status: int | None, **options: Any
) -> AsyncGenerator[ProcessTree, None]:
    """Read the output by a pipe of our own: a process that holds it open does not block us."""
    reading, writing = os.pipe()
    try:
        output = asyncio.StreamReader(limit=_BUFFER)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(output), os.fdopen(reading, "rb")
        )
        opened.callback(transport.close)
        # If cancelled meanwhile, asyncio would kill only the first process, and not wait for the others.
        process, cancelled = await run_undisturbed(
            asyncio.create_subprocess_exec(
                *command, stdin=subprocess.DEVNULL, stdout=writing, stderr=writing, start_new_session=True, **options
            )
        )
    finally:
        os.close(writing)
    tree = ProcessTree(process, output, status)
    try:
        if cancelled:
            raise asyncio.CancelledError
        yield tree
    finally:
        await tree.end_tree()


async def run_undisturbed(work: Coroutine[Any, Any, T]) -> tuple[T, bool]:
    """Return the result, and whether the caller was cancelled meanwhile, which it must raise afterwards."""
    task, cancelled = asyncio.ensure_future(work), False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    return task.result(), cancelled


def _open_memory_file(data: bytes, opened: ExitStack) -> int:
    file = os.memfd_create("deskhand")
    opened.callback(os.close, file)
    os.write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


async def _kill_init(status: int) -> None:
    """Kill the sandbox's init process and wait: the kernel ends it only after all the others."""
    report = _read_status(status)
    if (pid := report.get("child-pid")) is None:
        return
    try:
        init = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        # The pid may belong to another process by now; the namespace does not.
        if os.stat(f"/proc/{pid}/ns/pid").st_ino == report.get("pid-namespace"):
            signal.pidfd_send_signal(init, signal.SIGKILL)
            await _wait_for_exit(init)
    except (FileNotFoundError, ProcessLookupError):
        return
    finally:
        os.close(init)


async def _wait_for_exit(pidfd: int) -> None:
    loop, gone = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(pidfd, gone.set)
    try:
        async with asyncio.timeout(_END_S):
            await gone.wait()
    finally:
        loop.remove_reader(pidfd)


def _read_status(status: int) -> dict[str, int]:
    """Return all that bubblewrap reported: one JSON object a line, numbers only.

    Killed while it writes, it leaves half a line: then it had not let the sandbox's init process continue yet,
    and that one was killed with it, as one of its group.
    """
    report: dict[str, int] = {}
    whole, _, _ = os.pread(status, 4096, 0).rpartition(b"\n")
    for line in whole.splitlines():
        report |= json.loads(line)
    return report
