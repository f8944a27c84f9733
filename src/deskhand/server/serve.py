"""The running server: the app on its socket, and a stop that lets tasks and streams end."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from fastapi import FastAPI

from deskhand.clock import SystemClock
from deskhand.server.app import make_app
from deskhand.server.connections import Connections
from deskhand.server.http_listener import open_socket, serve_app
from deskhand.server.shared_services import Services
from deskhand.server.token import Token
from deskhand.sessions.settings_reload import SettingsWatch


@dataclass(frozen=True, slots=True)
class RunningServer:
    url: str
    app: FastAPI

    @property
    def services(self) -> Services:
        return self.app.state.services


@asynccontextmanager
async def run_server(watch: SettingsWatch, token: Token) -> AsyncGenerator[RunningServer, None]:
    """Run the server; leaving the block stops its tasks and streams."""
    app = make_app(watch, token)

    async def end_streams() -> None:
        services: Services | None = getattr(app.state, "services", None)
        if services:
            await services.close()

    settings = watch.read_current().server
    connections = Connections(settings.connections, SystemClock())
    with open_socket(settings) as door:
        async with serve_app(app, door, connections, ending=end_streams) as url:
            yield RunningServer(url, app)
