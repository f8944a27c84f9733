"""`deskhand serve`: the HTTP API until Ctrl-C. Running tasks are stopped then, and can be resumed."""

from __future__ import annotations

import asyncio
import gc
import sys
from typing import TYPE_CHECKING

from deskhand.cli.output import print_line, start_logging
from deskhand.core.errors import UsageError
from deskhand.settings.layers import SettingsTree

if TYPE_CHECKING:
    from deskhand.server.token import Token


async def serve_api(host: str, port: int | None, expose: bool) -> int:
    gc.disable()  # nothing of what is loaded now is garbage: looking for it takes a tenth of the start
    try:
        from deskhand.server.serve import run_server
        from deskhand.server.token import read_token, token_file_of
        from deskhand.sessions.settings_reload import SettingsWatch
    except ImportError as missing:
        raise UsageError(f"The server needs more packages ({missing.name}): pip install 'deskhand[server]'.") from None
    start_logging()
    given: SettingsTree = {"host": host or None, "port": port, "expose": expose or None}
    server = {name: value for name, value in given.items() if value is not None}
    watch = SettingsWatch({"server": server} if server else {}, report=print_trouble)
    token = read_token(token_file_of(watch.read_current()))
    async with run_server(watch, token) as running:
        gc.freeze()
        gc.enable()
        await stay_until_stopped(f"Deskhand answers at {running.url} until Ctrl-C.", token)
    return 0


def print_trouble(trouble: str) -> None:
    print_line(f"deskhand: {trouble}", error=True)


async def stay_until_stopped(greeting: str, token: Token) -> None:
    """Print the greeting and how to use the token, then wait for Ctrl-C."""
    print_line(greeting)
    # What a service prints is kept in its log, which others may read.
    if token.fresh and sys.stdout.isatty():
        print_line(f"Access token, shown only this once: {token.value}")
    print_line(f"The token is kept in {token.file}. Send it with each request: Authorization: Bearer TOKEN")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        print_line("Stopping the tasks. Continue one with: deskhand resume RUN")
