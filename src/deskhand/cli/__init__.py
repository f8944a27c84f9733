"""The command line: parses, builds, calls, shows. Decides nothing about the work itself."""


def main() -> None:
    """The console script. Nothing heavy is imported above, so that Ctrl-C is met politely from the first moment."""
    try:
        from deskhand.cli.app import app

        app()
    except KeyboardInterrupt:
        from deskhand.cli.faults import STOPPED, fail

        fail("Stopped.", STOPPED)
