"""The process between us and Chromium: when either ends, `kill -9` included, the whole browser ends.

Run as `python -m deskhand.devices.browser.process_guard PARENT_PID FOLDER COMMAND…`; the folder (may be empty) is
removed at the end. Chromium uses descriptors 3 and 4, which are passed on to it: no debugging port is open.
"""

import os
import select
import shutil
import signal
import subprocess
import sys

from deskhand.devices.reaper_process import adopt_orphans, die_with_parent, list_processes

PIPES = (3, 4)


def _kill_everything() -> None:
    """Kill generation by generation: the children of a killed process become ours."""
    while children := [pid for pid, parent in list_processes() if parent == os.getpid()]:
        for child in children:
            os.kill(child, signal.SIGKILL)
        for child in children:
            os.waitpid(child, 0)


def main() -> int:
    parent, folder, *command = sys.argv[1:]
    adopt_orphans()
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # A Ctrl-C at the terminal reaches the whole group, but closing the browser is up to the device.
        signal.signal(ending, signal.SIG_IGN)
    try:
        # Opened before the browser starts: if the parent is already dead, this raises and nothing is left behind.
        ends = [os.pidfd_open(int(parent)), os.pidfd_open(os.getppid())]
        browser = subprocess.Popen(command, pass_fds=PIPES, preexec_fn=die_with_parent)
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
