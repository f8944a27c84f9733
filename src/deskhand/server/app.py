"""The app: every route behind the access checks, with errors of one shape."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from deskhand import __version__
from deskhand.clock import SystemClock
from deskhand.server.access import AccessMiddleware
from deskhand.server.browser_sessions import BrowserSessions
from deskhand.server.head_requests import HeadRequests
from deskhand.server.problems import Problem, install_fault_handlers
from deskhand.server.routes import chat, devices, event_stream, general, tasks
from deskhand.server.security_headers import SecurityHeaders
from deskhand.server.shared_services import open_services
from deskhand.server.stream_events import describe_events
from deskhand.server.token import Token
from deskhand.sessions.settings_reload import SettingsWatch


def make_app(watch: SettingsWatch, token: Token) -> FastAPI:
    settings, clock = watch.read_current(), SystemClock()
    file = settings.data_dir / "server-sessions.json"
    sessions = BrowserSessions(file, token.value, settings.server.session_hours, clock)

    @asynccontextmanager
    async def run_services(app: FastAPI) -> AsyncGenerator[None, None]:
        async with open_services(watch, sessions) as services:
            app.state.services = services
            yield

    app = FastAPI(
        title="Deskhand",
        version=__version__,
        lifespan=run_services,
        docs_url=None,  # its page would load scripts from other sites
        redoc_url=None,
        openapi_url="/api/openapi.json",
        separate_input_output_schemas=False,
    )
    for router in (
        event_stream.router,
        chat.router,
        tasks.router,
        tasks.requests_router,
        devices.router,
        general.router,
    ):
        app.routes.extend(router.routes)  # as they are: to include a router works out all of its routes again
    install_fault_handlers(app)
    app.add_middleware(HeadRequests)
    app.add_middleware(AccessMiddleware, token=token, settings=settings.server, clock=clock, sessions=sessions)
    app.add_middleware(SecurityHeaders)
    app.openapi = lambda: _describe_api(app)
    return app


def _describe_api(app: FastAPI) -> dict[str, Any]:
    if not app.openapi_schema:
        schema = get_openapi(title=app.title, version=app.version, routes=app.routes)
        parts = schema.setdefault("components", {})
        event, named = describe_events()
        parts.setdefault("schemas", {}).update(named | {"Problem": Problem.model_json_schema(), "StreamEvent": event})
        parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{"token": []}]
        app.openapi_schema = schema
    return app.openapi_schema
