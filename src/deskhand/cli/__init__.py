"""The command line: parses, builds, calls, shows. Decides nothing about the work itself."""

import signal
import sys

STOPPED = 130


def main() -> None:
    """The console script. Nothing heavy is imported above, so that Ctrl-C is met politely from the first moment."""
    signal.signal(signal.SIGINT, _stopped)
    from deskhand.cli.app import app

    app()


def _stopped(*_: object) -> None:
    """Before a command's loop takes signals over."""
    print("deskhand: Stopped.", file=sys.stderr)
    sys.exit(STOPPED)
