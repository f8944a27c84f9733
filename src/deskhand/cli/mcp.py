"""`deskhand mcp`: devices and tasks for an MCP client, over standard input and output until they close, or by HTTP."""

import gc
import os
import stat
from collections.abc import AsyncGenerator
from typing import NoReturn

from deskhand.cli.command_runner import run_loop
from deskhand.cli.output import start_logging
from deskhand.cli.serve_api import print_trouble, stay_until_stopped
from deskhand.core.errors import UsageError
from deskhand.settings.layers import SettingsTree


def serve_mcp(*, http: bool, port: int | None) -> NoReturn:
    start_logging()
    if http:
        run_loop(_serve_http({} if port is None else {"server": {"port": port}}))
    run_loop(_serve_lines(port))


async def _serve_lines(port: int | None) -> int:
    if port is not None:
        raise UsageError("--port needs --http: standard input and output have no port.")
    gc.disable()  # nothing of what is loaded now is garbage: looking for it takes a tenth of the start
    try:
        from deskhand.mcp.tool_server import serve_lines
        from deskhand.sessions.settings_reload import SettingsWatch
    except ImportError as missing:
        raise UsageError(f"MCP needs more packages ({missing.name}): pip install 'deskhand[mcp]'.") from None
    gc.freeze()
    gc.enable()
    await serve_lines(SettingsWatch(report=print_trouble), _read_lines(_take_input()))
    return 0


async def _serve_http(overrides: SettingsTree) -> int:
    try:
        from deskhand.mcp.over_http import serve_http
        from deskhand.server.token import read_token, token_file_of
        from deskhand.sessions.settings_reload import SettingsWatch
    except ImportError as missing:
        raise UsageError(f"MCP needs more packages ({missing.name}): pip install 'deskhand[mcp,server]'.") from None
    watch = SettingsWatch(overrides, report=print_trouble)
    token = read_token(token_file_of(watch.read_current()))
    async with serve_http(watch, token) as url:
        await stay_until_stopped(f"Deskhand answers MCP clients at {url} until Ctrl-C.", token)
    return 0


def _take_input() -> int:
    """Standard input for us alone: a program that we start would read what is not meant for it."""
    taken = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return taken


async def _read_lines(descriptor: int) -> AsyncGenerator[str, None]:
    """Without a thread, which could not be stopped while it waits for the next line."""
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode) or (stat.S_ISCHR(mode) and not os.isatty(descriptor)):
        with os.fdopen(descriptor, encoding="utf-8", errors="replace") as file:  # these can't be waited for
            for line in file:
                yield line
        return
    from deskhand.cli.typed_input import read_typed_lines

    async for line in read_typed_lines(descriptor):
        yield line
