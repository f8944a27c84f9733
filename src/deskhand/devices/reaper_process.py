"""The program that owns a device's child processes: run by path, standard library only, so that it starts at once.

It starts what it is told over its standard input (one JSON object a line), tells over its standard output what
became of it, and when its input ends (the parent closed it, or was killed) it ends everything it started.
"""

import ctypes
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
TAIL = 2_000
GRACE_S = 1.5

_prctl = ctypes.CDLL(None, use_errno=True).prctl


def die_with_parent() -> None:
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of every orphan below us."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def tell_fact(**fact: Any) -> None:
    os.write(1, json.dumps(fact).encode() + b"\n")


def start_child(order: dict[str, Any], watched: selectors.BaseSelector) -> None:
    """Start one program; its first line of output is told when the order asks for it."""
    with open(order["log"], "ab") as log:
        try:
            child = subprocess.Popen(
                order["argv"],
                env=order["env"],
                cwd=order["cwd"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if order["speaks"] else log,
                stderr=log,
                # Its own group, so that a Ctrl-C at the terminal does not reach it before the device has closed.
                start_new_session=True,
                # Safe here: the keeper has one thread.
                preexec_fn=die_with_parent,
            )
        except OSError as error:
            tell_fact(order=order["order"], error=error.strerror or str(error))
            return
    tell_fact(order=order["order"], pid=child.pid)
    if child.stdout is not None:
        # Detached, so that only `hear` closes it.
        spoken = os.dup(child.stdout.fileno())
        child.stdout.close()
        watched.register(spoken, selectors.EVENT_READ, (child.pid, order["log"]))
    # Reaped by `reap` with everything else; Popen would only warn about a child it still believes to be running.
    child.returncode = 0


def reap_children() -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        tell_fact(ended=pid, status=os.waitstatus_to_exitcode(status))


def list_processes() -> Iterator[tuple[int, int]]:
    """Every process with its parent."""
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as stat:
                    yield int(entry), int(stat.read().rpartition(")")[2].split()[1])
            except OSError:
                continue  # gone between the listing and the look


def list_descendants() -> list[int]:
    """Everything below the keeper, also what its children started: orphans come to it, for it is their reaper."""
    found: list[int] = []
    pairs, level = sorted(list_processes()), [os.getpid()]
    while level:
        level = [pid for pid, parent in pairs if parent in level and pid not in found]
        found += level
    return found


def end_everything() -> None:
    """A request and a moment to tidy up (a shell killed outright left its lock file behind), then by force.

    Until nothing is left: what is ended may have been about to start something.
    """
    signal_all(signal.SIGTERM)
    signal_all(signal.SIGCONT)  # one that was stopped hears nothing
    if not wait_until_gone(GRACE_S):
        # What an interactive shell listens to. Not before: it kills who is just tidying up after the first request.
        signal_all(signal.SIGHUP)
        wait_until_gone(GRACE_S / 2)
    while list_descendants():
        signal_all(signal.SIGKILL)
        wait_until_gone(GRACE_S)


def wait_until_gone(seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while list_descendants():
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        signal.sigtimedwait([signal.SIGCHLD], left)
        forget_the_dead()
    return True


def signal_all(number: int) -> None:
    for pid in list_descendants():
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def forget_the_dead() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _wake_up(_signal: int, _frame: object) -> None:
    """Nothing: having a handler makes the signal ring the bell."""


def serve_orders() -> None:
    """Take orders until the input ends."""
    watched = selectors.DefaultSelector()
    bell_read, bell_write = os.pipe()
    os.set_blocking(bell_write, False)
    signal.set_wakeup_fd(bell_write)
    signal.signal(signal.SIGCHLD, _wake_up)
    watched.register(0, selectors.EVENT_READ, "orders")
    watched.register(bell_read, selectors.EVENT_READ, "bell")
    pending = b""
    while True:
        for key, _ in watched.select():
            if key.data == "bell":
                os.read(bell_read, 1024)
                reap_children()
            elif key.data == "orders":
                data = os.read(0, 65_536)
                if not data:
                    return
                *lines, pending = (pending + data).split(b"\n")
                for line in lines:
                    start_child(json.loads(line), watched)
            else:
                read_order(key, watched)


def read_order(key: selectors.SelectorKey, watched: selectors.BaseSelector) -> None:
    """What a program says: told to the parent, and kept in its log."""
    pid, log = key.data
    data = os.read(key.fd, 65_536)
    if not data:
        watched.unregister(key.fd)
        os.close(key.fd)
        return
    with open(log, "ab") as file:
        file.write(data)
    tell_fact(spoke=pid, text=data.decode(errors="replace")[:TAIL])


def main() -> None:
    adopt_orphans()
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # Only the end of the input ends the keeper: a signal to the whole group must not leave orphans.
        # By a handler, for a signal that is ignored would be ignored by every program started here, too.
        signal.signal(ending, _wake_up)
    try:
        serve_orders()
    except BrokenPipeError:
        pass  # the parent was killed while being told something
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        end_everything()
        shutil.rmtree(sys.argv[1], ignore_errors=True)


if __name__ == "__main__":
    main()
