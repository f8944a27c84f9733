"""The MCP server over streamable HTTP: sessions behind the guard and the door that the HTTP API has."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from deskhand.mcp.tool_server import make_server, opened_desk
from deskhand.server.access import Guard
from deskhand.server.http_listener import GRACE_S, answering
from deskhand.server.token import Token
from deskhand.sessions.settings_reload import SettingsWatch

PATH = "/mcp"


class _Calls:
    """Counts what is under way, so that the end can wait for the answers; a session's idle stream is none of it."""

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

    async def answered(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S):
                await self._none.wait()


@asynccontextmanager
async def serving(watch: SettingsWatch, token: Token) -> AsyncGenerator[str, None]:
    """Streamable HTTP, behind the server's own guard; its address. Leaving the block stops tasks and sessions."""
    settings = watch.current().server
    async with opened_desk(watch) as desk, AsyncExitStack() as sessions:
        manager = StreamableHTTPSessionManager(make_server(desk), max_request_body_size=settings.body_kb * 1024)
        await sessions.enter_async_context(manager.run())
        calls = _Calls(StreamableHTTPASGIApp(manager))
        app = Starlette(routes=[Route(PATH, endpoint=calls)])
        guarded = Guard(app, token=token, settings=settings, clock=desk.clock)

        async def ending() -> None:
            await desk.close()
            await calls.answered()
            await sessions.aclose()  # with the streams that they hold open

        async with answering(guarded, settings, ending=ending, lifespan="off") as url:
            yield url + PATH
