"""Programs that live on: started for the user on the user's own display, they belong to nobody here."""

import asyncio
import contextlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from deskhand.core.errors import DeviceSetup
from deskhand.devices.process_reaper import Child


async def launch_free_process(
    argv: Sequence[str], env: Mapping[str, str], log: Path, *, cwd: str | None = None
) -> Child:
    """Start a program that outlives this process; raises DeviceSetup if it can't be started at all."""
    try:
        process = await asyncio.to_thread(_start_process, argv, env, log, cwd)
    except OSError as error:
        raise DeviceSetup(f"A program can't be started: {error.strerror or error}.") from None
    child = Child(process.pid, log)
    # By a file that becomes readable at its end: a thread that waits for it would hold up our own end.
    ending = os.pidfd_open(process.pid)
    loop = asyncio.get_running_loop()

    def on_ended() -> None:
        loop.remove_reader(ending)
        os.close(ending)
        status = 0
        with contextlib.suppress(ChildProcessError):
            status = os.waitstatus_to_exitcode(os.waitpid(process.pid, os.WNOHANG)[1])
        if not child.ended.done():
            child.ended.set_result(status)

    loop.add_reader(ending, on_ended)
    return child


def _start_process(
    argv: Sequence[str], env: Mapping[str, str], log: Path, cwd: str | None
) -> "subprocess.Popen[bytes]":
    with open(log, "ab") as output:
        process = subprocess.Popen(
            argv, env=dict(env), cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
    # Reaped above; Popen would only warn about a program that is meant to run on.
    process.returncode = 0
    return process
