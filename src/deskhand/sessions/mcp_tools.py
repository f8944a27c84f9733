"""Tools of MCP servers. Each server is started once, kept for all conversations, and started again after it died.

What a server writes to standard error is kept in a log file of its own.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from deskhand.core.errors import LookupFailed, SettingsError
from deskhand.core.llm import Tool
from deskhand.core.protocols import Clock
from deskhand.settings.schema import McpServerSettings

_TEXT = 8000
# A server that could not be started is tried again after this long: each message would wait for it anew.
RETRY_S = 60.0
LOG_BYTES = 1_000_000
Use = Callable[[Mapping[str, Any]], Awaitable[Any]]


class McpServers:
    """The running servers of one process, by their settings."""

    def __init__(self, logs: Path, clock: Clock) -> None:
        self._logs = logs
        self._clock = clock
        self._servers: dict[McpServerSettings, McpServer] = {}
        self._failed: dict[McpServerSettings, tuple[float, str]] = {}
        self._starting = asyncio.Lock()

    async def list_tools(
        self, wanted: Sequence[McpServerSettings], timeout_s: float
    ) -> tuple[list[tuple[Tool, Use]], list[str]]:
        """Return the tools of these servers, and why others have none. Servers no longer wanted are ended."""
        async with self._starting:
            for gone in set(self._servers) - set(wanted):
                await self._servers.pop(gone).close()
            opened = await asyncio.gather(*(self._open_server(one, timeout_s) for one in wanted))
        tools = [tool for server in opened if isinstance(server, McpServer) for tool in server.list_tools()]
        return tools, [told for told in opened if isinstance(told, str)]

    async def _open_server(self, settings: McpServerSettings, timeout_s: float) -> McpServer | str:
        server = self._servers.get(settings)
        if server and server.alive:
            return server
        if server:
            await self._servers.pop(settings).close()
        failed_at, told = self._failed.get(settings, (0.0, ""))
        if told and self._clock.now() < failed_at + RETRY_S:
            return told
        server = McpServer(settings, self._logs)
        try:
            await server.start_server(timeout_s)
        except SettingsError as fault:
            self._failed[settings] = self._clock.now(), str(fault)
            return str(fault)
        self._failed.pop(settings, None)
        self._servers[settings] = server
        return server

    async def close(self) -> None:
        async with self._starting:
            await asyncio.gather(*(server.close() for server in self._servers.values()))
            self._servers.clear()


class McpServer:
    """One server. A task of its own holds the connection: the library wants it opened and closed by the same one."""

    def __init__(self, settings: McpServerSettings, logs: Path) -> None:
        self._program, *self._arguments = settings.command
        self._complaints = ServerComplaints(logs, self._program)
        self._client: Any = None
        self._tools: list[Any] = []
        self._stop = asyncio.Event()
        self._broken = False
        self._holding: asyncio.Task[None] | None = None

    @property
    def alive(self) -> bool:
        return bool(self._client) and not self._broken and not self._complaints.ended

    async def start_server(self, timeout_s: float) -> None:
        """Raise SettingsError, with the server's own last words, if it can't be started."""
        started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._holding = asyncio.create_task(self._hold_connection(started), name=f"MCP server {self._program}")
        try:
            async with asyncio.timeout(timeout_s):
                await started
        except TimeoutError:
            await self.close()
            raise SettingsError(self._explain_problem(f"did not answer within {timeout_s:g} s")) from None
        except SettingsError:
            await self.close()
            raise
        except asyncio.CancelledError:
            await self.close()
            raise

    async def _hold_connection(self, started: asyncio.Future[None]) -> None:
        try:
            from mcp import Client, MCPError, StdioServerParameters, stdio_client
        except ImportError:
            started.set_exception(
                SettingsError("Tools of MCP servers need one more package: pip install 'deskhand[mcp]'.")
            )
            return
        server = StdioServerParameters(command=self._program, args=list(self._arguments))
        try:
            async with AsyncExitStack() as closing:
                log = closing.enter_context(self._complaints.open_pipe())
                self._client = await closing.enter_async_context(Client(stdio_client(server, log)))
                log.close()  # the server has its own end: when it dies, the pipe says so
                self._tools = (await self._client.list_tools()).tools
                if not started.done():
                    started.set_result(None)
                await self._stop.wait()
        except (OSError, ValueError, MCPError, ExceptionGroup) as error:
            if not started.done():
                await self._complaints.wait_for_last_words()
                started.set_exception(SettingsError(self._explain_problem(f"can't be used: {error}")))
        finally:
            self._broken = True
            self._complaints.close()

    def _explain_problem(self, problem: str) -> str:
        said = self._complaints.last_line
        return f"The MCP server {self._program} (chat.mcp) {problem.rstrip('.')}" + (f": {said}" if said else ".")

    def list_tools(self) -> list[tuple[Tool, Use]]:
        return [
            (Tool(one.name, one.description or one.name, one.input_schema), self._make_use(one.name))
            for one in self._tools
        ]

    def _make_use(self, name: str) -> Use:
        from mcp import MCPError

        async def call_tool(given: Mapping[str, Any]) -> Any:
            try:
                result = await self._client.call_tool(name, dict(given))
            except MCPError as error:
                self._broken = self._broken or self._complaints.ended or "closed" in str(error).lower()
                raise LookupFailed(f"{name} failed: {error}") from None
            text = "\n".join(part.text for part in result.content if part.type == "text").strip()[:_TEXT]
            if result.is_error:
                raise LookupFailed(f"{name} failed: {text or 'without a word'}")
            return text

        return call_tool

    async def close(self) -> None:
        self._stop.set()
        if self._holding:
            if self._client is None:
                self._holding.cancel()  # it hangs while it starts
            await asyncio.wait({self._holding})


class ServerComplaints:
    """What a server writes to standard error: in a log file of bounded size, its last line at hand."""

    def __init__(self, logs: Path, program: str) -> None:
        self._file = logs / f"mcp-{re.sub(r'[^A-Za-z0-9.-]+', '_', Path(program).name)}.log"
        self._lines: deque[str] = deque(maxlen=1)
        self._rest = b""
        self._reader = -1
        self._log = logging.Logger("mcp server")
        self.ended = False
        self._end = asyncio.Event()

    @property
    def last_line(self) -> str:
        return self._lines[-1][:300] if self._lines else ""

    def open_pipe(self) -> Any:
        """Return the end that the server writes to."""
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler = RotatingFileHandler(self._file, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8", errors="replace")
        self._file.chmod(0o600)
        handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
        self._log.addHandler(handler)
        self._reader, writer = os.pipe()
        os.set_blocking(self._reader, False)
        asyncio.get_running_loop().add_reader(self._reader, self._read_lines)
        return os.fdopen(writer, "w", encoding="utf-8", errors="replace")

    def _read_lines(self) -> None:
        try:
            data = os.read(self._reader, 65_536)
        except BlockingIOError:
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        if not data:
            lines, self._rest = [self._rest], b""
        for line in (one.decode("utf-8", "replace").strip()[:10_000] for one in lines):
            if line:
                self._lines.append(line)
                self._log.info("%s", line)
        if not data or len(self._rest) > 1_000_000:
            self.close()

    async def wait_for_last_words(self) -> None:
        """Wait until everything that a dead server wrote has been read."""
        try:
            async with asyncio.timeout(1.0):
                await self._end.wait()
        except TimeoutError:
            return

    def close(self) -> None:
        if self._reader >= 0:
            asyncio.get_running_loop().remove_reader(self._reader)
            os.close(self._reader)
            self._reader = -1
        for handler in list(self._log.handlers):
            self._log.removeHandler(handler)
            handler.close()
        self.ended = True
        self._end.set()
