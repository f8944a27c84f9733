"""A listening socket with uvicorn on it, for any ASGI app: opened, served, and closed in order."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Literal

import uvicorn
from starlette.types import ASGIApp

from deskhand.core.errors import UsageError
from deskhand.server.access import check_exposure
from deskhand.settings.schema import ServerSettings

# Streams end by themselves when the server shuts down; a client that does not read is not waited for any longer.
GRACE_S = 3


class _Uvicorn(uvicorn.Server):
    """Without its own signal handlers: stopping is the caller's matter."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


@asynccontextmanager
async def serve_app(
    app: ASGIApp,
    settings: ServerSettings,
    *,
    ending: Callable[[], Awaitable[None]],
    lifespan: Literal["on", "off"] = "on",
) -> AsyncGenerator[str, None]:
    """Serve the app; yield its address. `ending` is called before the socket closes, to end the streams."""
    check_exposure(settings)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan=lifespan,
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )
    server = _Uvicorn(config)
    with open_socket(settings) as door:
        serving = asyncio.create_task(server.serve(sockets=[door]))
        try:
            await _wait_until_started(server, serving)
            host, port = door.getsockname()[:2]
            yield f"http://{f'[{host}]' if ':' in host else host}:{port}"
        finally:
            await ending()
            server.should_exit = True
            await asyncio.wait({serving})
            serving.result()


async def _wait_until_started(server: uvicorn.Server, serving: asyncio.Task[None]) -> None:
    while not server.started:
        # It says so by a flag only; what it does at its start takes a few milliseconds.
        await asyncio.wait({serving}, timeout=0.005)
        if serving.done():
            serving.result()
            raise UsageError("The server could not be started: its log says why.")


@contextmanager
def open_socket(settings: ServerSettings) -> Generator[socket.socket, None, None]:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        door = socket.create_server((settings.host, settings.port), family=family, backlog=1024)
    except OSError as error:
        raise UsageError(
            f"The server can't listen at {settings.host}, port {settings.port} ({error.strerror or error}): "
            "choose another port with --port, or 0 for a free one."
        ) from None
    with door:
        # Taken over by each connection. asyncio leaves it off for sockets made like this, and then every short answer
        # waited 40 ms for the client's delayed acknowledgement of its headers.
        door.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield door
