"""Look materials up by a tool of an MCP server: the server is started, called once, and stopped."""

from __future__ import annotations

import asyncio
import tempfile
from typing import IO, TYPE_CHECKING, Any, cast

from deskhand.core.errors import DeskhandError, LookupFailed
from deskhand.core.planning import Material
from deskhand.settings.schema import McpToolSettings

if TYPE_CHECKING:
    from mcp import Client

_TEXT = 8000


class McpToolSource:
    def __init__(self, settings: McpToolSettings, timeout_s: float) -> None:
        self._command = settings.command
        self._tool = settings.tool
        self._timeout_s = timeout_s

    async def look_up(self, need: str, goal: str) -> tuple[Material, ...]:
        try:
            from mcp import MCPError
        except ImportError:
            raise LookupFailed("Tools of MCP servers need the package mcp: pip install 'deskhand[mcp]'.") from None
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as complaints:
            try:
                async with asyncio.timeout(self._timeout_s):
                    return await self._call_tool(need, complaints)
            except TimeoutError:
                raise self._make_failure(f"took longer than {self._timeout_s:g} s", complaints) from None
            except (OSError, ValueError, MCPError, ExceptionGroup) as error:
                cause = _first_cause_of(error)
                if isinstance(cause, DeskhandError):
                    raise cause from None
                if not isinstance(cause, OSError | ValueError | MCPError | TimeoutError):
                    raise
                raise self._make_failure(str(cause) or type(cause).__name__, complaints) from None

    async def _call_tool(self, need: str, complaints: IO[str]) -> tuple[Material, ...]:
        from mcp import Client, StdioServerParameters, stdio_client

        program, *arguments = self._command
        server = StdioServerParameters(command=program, args=list(arguments))
        async with Client(stdio_client(server, cast("Any", complaints))) as client:
            result = await client.call_tool(self._tool, {await self._find_argument(client): need})
        texts = [part.text for part in result.content if part.type == "text"]
        text = "\n".join(texts).strip()
        if result.is_error:
            raise LookupFailed(f"The tool {self._tool!r} of {program} failed: {text[:300]}")
        return (Material(source=f"mcp:{program}", title=self._tool, text=text[:_TEXT]),) if text else ()

    async def _find_argument(self, client: Client) -> str:
        """Return the name of the one text argument that the tool takes."""
        tools = (await client.list_tools()).tools
        tool = next((tool for tool in tools if tool.name == self._tool), None)
        if tool is None:
            names = ", ".join(tool.name for tool in tools) or "none"
            raise LookupFailed(f"{self._command[0]} has no tool {self._tool!r}; it has: {names}.")
        fields = cast("dict[str, dict[str, Any]]", tool.input_schema.get("properties", {}))
        needed = cast("list[str]", tool.input_schema.get("required", []))
        texts = [name for name, kind in fields.items() if kind.get("type") == "string"]
        candidates = [name for name in needed if name in texts] or texts
        if not candidates or set(needed) - {candidates[0]}:
            raise LookupFailed(f"The tool {self._tool!r} takes more than one text: name another under [supplement].")
        return candidates[0]

    def _make_failure(self, what: str, complaints: IO[str]) -> LookupFailed:
        complaints.seek(0)
        last = next((line.strip() for line in reversed(complaints.readlines()) if line.strip()), "")
        said = f" ({last[:300]})" if last else ""
        return LookupFailed(f"The MCP server {self._command[0]} failed: {what}{said}.")


def _first_cause_of(error: BaseException) -> BaseException:
    """Return the first cause in a group of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error
