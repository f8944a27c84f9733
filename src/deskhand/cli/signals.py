"""Ctrl-C and SIGTERM outside of a command's event loop. Inside of it, `command_runner` takes them."""

import os
import signal

STOPPED = 130
STOPPING = (signal.SIGINT, signal.SIGTERM)


def exit_on_signals() -> None:
    """End the process at once when a signal comes: before a command's loop runs, there is nothing to clean up."""
    for number in STOPPING:
        signal.signal(number, _exit_at_once)


def _exit_at_once(*_: object) -> None:
    # Not by an exception, which in the middle of an import may be shown or lost on its way.
    ignore_signals()
    os.write(2, b"deskhand: Stopped.\n")
    os._exit(STOPPED)


def ignore_signals() -> None:
    """From here on Ctrl-C changes nothing any more, not even while Python itself shuts down."""
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)
