"""The process between us and Chromium: when either ends, `kill -9` included, the whole browser ends.

Run as `python -m deskhand.devices.browser.process_guard PARENT_PID FOLDER COMMAND…`; the folder (may be empty) is
removed at the end. Chromium uses descriptors 3 and 4, which are passed on to it: no debugging port is open.
"""

import ctypes
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PIPES = (3, 4)

_prctl = ctypes.CDLL(None).prctl


def _die_with_the_guard() -> None:
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _list_children() -> Iterator[int]:
    """Yield our own children, and every orphan below us: as subreaper we inherit them."""
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as stat:
                    parent = int(stat.read().rpartition(")")[2].split()[1])
            except OSError:
                continue  # it ended meanwhile
            if parent == os.getpid():
                yield int(entry)


def _kill_everything() -> None:
    """Kill generation by generation: the children of a killed process become ours."""
    while children := list(_list_children()):
        for child in children:
            os.kill(child, signal.SIGKILL)
        for child in children:
            os.waitpid(child, 0)


def main() -> int:
    parent, folder, *command = sys.argv[1:]
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # A Ctrl-C at the terminal reaches the whole group, but closing the browser is up to the device.
        signal.signal(ending, signal.SIG_IGN)
    try:
        # Opened before the browser starts: if the parent is already dead, this raises and nothing is left behind.
        ends = [os.pidfd_open(int(parent)), os.pidfd_open(os.getppid())]
        browser = subprocess.Popen(command, pass_fds=PIPES, preexec_fn=_die_with_the_guard)
        for pipe in PIPES:
            os.close(pipe)  # else neither side would notice that the other closed it
        ends.append(os.pidfd_open(browser.pid))
        select.select(ends, [], [])
        return browser.poll() or 0
    finally:
        _kill_everything()
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
