"""`deskhand mcp`: devices and tasks for an MCP client, over standard input and output until they close, or by HTTP."""

import gc
import os

from deskhand.cli.output import start_logging
from deskhand.cli.serve_api import print_trouble, stay_until_stopped
from deskhand.cli.typed_input import read_lines
from deskhand.core.errors import UsageError
from deskhand.settings.layers import SettingsTree


async def serve_mcp(http: bool, port: int | None) -> int:
    start_logging()
    if http:
        await _serve_http({} if port is None else {"mcp": {"port": port}})
    elif port is not None:
        raise UsageError("--port needs --http: standard input and output have no port.")
    else:
        await _serve_lines()
    return 0


async def _serve_lines() -> None:
    gc.disable()  # nothing of what is loaded now is garbage: looking for it takes a tenth of the start
    try:
        from deskhand.mcp.tool_server import serve_lines
        from deskhand.sessions.settings_reload import SettingsWatch
    except ImportError as missing:
        raise UsageError(f"MCP needs more packages ({missing.name}): pip install 'deskhand[mcp]'.") from None
    gc.freeze()
    gc.enable()
    await serve_lines(SettingsWatch(report=print_trouble), read_lines(_take_input()))


async def _serve_http(overrides: SettingsTree) -> None:
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


def _take_input() -> int:
    """Standard input for us alone: a program that we start would read what is not meant for it."""
    taken = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return taken
