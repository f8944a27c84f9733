"""The MCP server over streamable HTTP, behind the same access checks as the HTTP API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from deskhand.mcp.tool_server import make_server, open_handlers
from deskhand.server.access import AccessMiddleware
from deskhand.server.connections import Connections
from deskhand.server.http_listener import GRACE_S, open_socket, serve_app
from deskhand.server.token import Token
from deskhand.sessions.settings_reload import SettingsWatch

PATH = "/mcp"


class _OpenCalls:
    """Counts open calls, so that shutting down can wait for their answers. A session's idle stream does not count."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._open = 0
        self._none = asyncio.Event()
        self._none.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        self._open += 1
        self._none.clear()
        try:
            await self._app(scope, receive, send)
        finally:
            self._open -= 1
            if not self._open:
                self._none.set()

    async def wait_until_answered(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await self._none.wait()


@asynccontextmanager
async def serve_http(watch: SettingsWatch, token: Token) -> AsyncGenerator[str, None]:
    """Serve streamable HTTP; yield the address. Leaving the block stops tasks and sessions."""
    current = watch.read_current()
    settings = current.server.model_copy(update={"port": current.mcp.port})
    # The port first: inside of the library's task group, the sentence about it would become a group of exceptions.
    with open_socket(settings) as door:
        async with open_handlers(watch) as handlers, AsyncExitStack() as sessions:
            manager = StreamableHTTPSessionManager(make_server(handlers), max_request_body_size=settings.body_kb * 1024)
            await sessions.enter_async_context(manager.run())
            calls = _OpenCalls(StreamableHTTPASGIApp(manager))
            app = Starlette(routes=[Route(PATH, endpoint=calls)])
            guarded = AccessMiddleware(app, token=token, settings=settings, clock=handlers.clock)

            async def end_sessions() -> None:
                await handlers.close()
                await calls.wait_until_answered()
                await sessions.aclose()  # with the streams that they hold open

            connections = Connections(settings.connections, handlers.clock)
            async with serve_app(guarded, door, connections, ending=end_sessions, lifespan="off") as url:
                yield url + PATH
