"""The command line: parses, builds, calls, shows. Decides nothing about the work itself."""

from deskhand.cli.app import main

__all__ = ["main"]
