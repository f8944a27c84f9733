"""`deskhand serve`: the HTTP API until Ctrl-C. Running tasks are stopped then, and can be resumed."""

from __future__ import annotations

import asyncio
import gc
from typing import TYPE_CHECKING, NoReturn

from deskhand.cli.command_runner import run_loop
from deskhand.cli.output import print_line, start_logging
from deskhand.core.errors import UsageError
from deskhand.settings.layers import Tree

if TYPE_CHECKING:
    from deskhand.server.token import Token


def serve(*, host: str, port: int | None, expose: bool) -> NoReturn:
    given: Tree = {"host": host or None, "port": port, "expose": expose or None}
    server = {name: value for name, value in given.items() if value is not None}
    run_loop(_serve({"server": server} if server else {}))


async def _serve(overrides: Tree) -> int:
    gc.disable()  # nothing of what is loaded now is garbage: looking for it takes a tenth of the start
    try:
        from deskhand.server.serve import listening
        from deskhand.server.token import read_token, token_file
        from deskhand.sessions.settings_reload import SettingsWatch
    except ImportError as missing:
        raise UsageError(f"The server needs more packages ({missing.name}): pip install 'deskhand[server]'.") from None
    start_logging()
    watch = SettingsWatch(overrides, report=report)
    token = read_token(token_file(watch.current()))
    async with listening(watch, token) as server:
        gc.freeze()
        gc.enable()
        await stand(f"Deskhand answers at {server.url} until Ctrl-C.", token)
    return 0


def report(trouble: str) -> None:
    print_line(f"deskhand: {trouble}", error=True)


async def stand(greeting: str, token: Token) -> None:
    """Tell where it is and how it is reached, and stay until Ctrl-C."""
    print_line(greeting)
    if token.fresh:
        print_line(f"Its token, shown this once: {token.value}")
    print_line(f"The token is in {token.file}; send it as: Authorization: Bearer …")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        print_line("Stopping: tasks end where they are, `deskhand resume` goes on.")
