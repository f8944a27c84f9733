"""The command line: parses, builds, calls, shows. Decides nothing about the work itself."""

import gc
import os
import signal

STOPPED = 130
STOPPING = (signal.SIGINT, signal.SIGTERM)


def main() -> None:
    """Run the console script. Nothing heavy is imported above, so that Ctrl-C is met politely from the first moment."""
    gc.disable()  # until a command runs: nothing of what is loaded now is garbage, and `--help` takes a seventh less
    for number in STOPPING:
        signal.signal(number, _exit_at_once)
    from deskhand.cli.app import app

    app()


def _exit_at_once(*_: object) -> None:
    """Before a command's loop takes signals over: there is nothing to clean up yet.

    It ends the process at once, for an exception in the middle of an import may be shown or lost on its way.
    """
    ignore_signals()
    os.write(2, b"deskhand: Stopped.\n")
    os._exit(STOPPED)


def ignore_signals() -> None:
    """From here on Ctrl-C changes nothing any more, not even while Python itself shuts down."""
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)
