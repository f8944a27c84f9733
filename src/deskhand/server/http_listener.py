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
from deskhand.server.connections import Connections, TimedProtocol
from deskhand.settings.schema import ServerSettings

# Streams end by themselves when the server shuts down; a client that does not read is not waited for any longer.
GRACE_S = 3


class _Uvicorn(uvicorn.Server):
    """Without its own signal handlers: stopping is the caller's matter. Its connections are bounded and timed."""

    def __init__(self, config: uvicorn.Config, connections: Connections) -> None:
        super().__init__(config)
        self._connections = connections
        self._accepting: list[asyncio.Task[None]] = []
        self.servers = []

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await self.lifespan.startup()
        self.should_exit = self.should_exit or self.lifespan.should_exit
        if self.should_exit:
            return
        accept = self._connections.accept_from
        self._accepting = [asyncio.create_task(accept(door, self._make_protocol)) for door in sockets or ()]
        self.started = True

    def _make_protocol(self) -> TimedProtocol:
        return TimedProtocol(self.config, self.server_state, self.lifespan.state, connections=self._connections)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for accepting in self._accepting:
            accepting.cancel()
        if self._accepting:
            await asyncio.wait(self._accepting)
        await super().shutdown(sockets)


@asynccontextmanager
async def serve_app(
    app: ASGIApp,
    door: socket.socket,
    connections: Connections,
    *,
    ending: Callable[[], Awaitable[None]],
    lifespan: Literal["on", "off"] = "on",
) -> AsyncGenerator[str, None]:
    """Serve the app at an open socket; yield its address. `ending` is called before it closes, to end the streams."""
    config = uvicorn.Config(
        app,
        log_level="error",  # of what strangers send, nothing is logged
        access_log=False,
        lifespan=lifespan,
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )
    server = _Uvicorn(config, connections)
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
    """Yield a listening socket. Raises UsageError if the port is taken, or may not be opened to other machines."""
    check_exposure(settings)
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
