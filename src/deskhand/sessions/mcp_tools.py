"""Tools of MCP servers: each server is started for one message of a conversation and ended with it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any, cast

from deskhand.core.errors import LookupFailed, SettingsError
from deskhand.core.llm import Tool
from deskhand.settings.schema import McpServerSettings

_TEXT = 8000
Use = Callable[[Mapping[str, Any]], Awaitable[Any]]


async def open_mcp_server(
    settings: McpServerSettings, timeout_s: float, closing: AsyncExitStack
) -> list[tuple[Tool, Use]]:
    """Its tools; the server lives until `closing` ends. Raises SettingsError when it can't be started."""
    try:
        from mcp import Client, MCPError, StdioServerParameters, stdio_client
    except ImportError:
        raise SettingsError("Tools of MCP servers need one more package: pip install 'deskhand[mcp]'.") from None
    program, *arguments = settings.command
    # For what the server writes to standard error, which nobody reads; `closing` closes it.
    scratch = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
    complaints = closing.enter_context(scratch)
    server = StdioServerParameters(command=program, args=list(arguments))
    try:
        async with asyncio.timeout(timeout_s):
            client = await closing.enter_async_context(Client(stdio_client(server, cast("Any", complaints))))
            listed = (await client.list_tools()).tools
    except TimeoutError:
        raise SettingsError(f"The MCP server {program} (chat.mcp) did not answer within {timeout_s:g} s.") from None
    except (OSError, ValueError, MCPError, ExceptionGroup) as error:
        raise SettingsError(f"The MCP server {program} (chat.mcp) can't be used: {error}.") from None

    def make_use(name: str) -> Use:
        async def call_tool(given: Mapping[str, Any]) -> Any:
            result = await client.call_tool(name, dict(given))
            text = "\n".join(part.text for part in result.content if part.type == "text").strip()[:_TEXT]
            if result.is_error:
                raise LookupFailed(f"{name} failed: {text or 'without a word'}")
            return text

        return call_tool

    return [(Tool(tool.name, tool.description or tool.name, tool.input_schema), make_use(tool.name)) for tool in listed]
