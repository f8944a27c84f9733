"""`deskhand mcp`: devices and tasks for an MCP client, over standard input and output until they close, or by HTTP."""

import gc
import os
import stat
from collections.abc import AsyncGenerator
from typing import NoReturn

from deskhand.cli.command_runner import run_loop
from deskhand.cli.output import start_logging
from deskhand.cli.serve import report, stand
from deskhand.core.errors import UsageError
from deskhand.settings.layers import Tree


def mcp(*, http: bool, port: int | None) -> NoReturn:
    start_logging()
    if http:
        run_loop(_over_http({} if port is None else {"server": {"port": port}}))
    run_loop(_over_lines(port))


async def _over_lines(port: int | None) -> int:
    if port is not None:
        raise UsageError("A --port is for --http: standard input and output have none.")
    gc.disable()  # nothing of what is loaded now is garbage: looking for it takes a tenth of the start
    try:
        from deskhand.mcp.tool_server import serve_lines
        from deskhand.sessions.settings_reload import SettingsWatch
    except ImportError as missing:
        raise UsageError(f"MCP needs more packages ({missing.name}): pip install 'deskhand[mcp]'.") from None
    gc.freeze()
    gc.enable()
    await serve_lines(SettingsWatch(report=report), _lines(_taken_input()))
    return 0


async def _over_http(overrides: Tree) -> int:
    try:
        from deskhand.mcp.over_http import serving
        from deskhand.server.token import read_token, token_file
        from deskhand.sessions.settings_reload import SettingsWatch
    except ImportError as missing:
        raise UsageError(f"MCP needs more packages ({missing.name}): pip install 'deskhand[mcp,server]'.") from None
    watch = SettingsWatch(overrides, report=report)
    token = read_token(token_file(watch.current()))
    async with serving(watch, token) as url:
        await stand(f"Deskhand answers MCP clients at {url} until Ctrl-C.", token)
    return 0


def _taken_input() -> int:
    """Standard input for us alone: a program that we start would read what is not meant for it."""
    taken = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return taken


async def _lines(descriptor: int) -> AsyncGenerator[str, None]:
    """Without a thread, which could not be stopped while it waits for the next line."""
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode) or (stat.S_ISCHR(mode) and not os.isatty(descriptor)):
        with os.fdopen(descriptor, encoding="utf-8", errors="replace") as file:  # these can't be waited for
            for line in file:
                yield line
        return
    from deskhand.cli.typed_input import typed_lines

    async for line in typed_lines(descriptor):
        yield line
