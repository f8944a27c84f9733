"""The command line: parses, builds, calls, shows. Decides nothing about the work itself."""

import gc

from deskhand.cli.signals import exit_on_signals


def main() -> None:
    """Run the console script. Nothing heavy is imported above, so that Ctrl-C is met politely from the first moment."""
    gc.disable()  # until a command runs: nothing of what is loaded now is garbage, and `--help` takes a seventh less
    exit_on_signals()
    from deskhand.cli.app import app

    app()
