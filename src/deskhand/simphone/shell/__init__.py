"""The phone's command line: syntax, interpreter, file system, commands."""
