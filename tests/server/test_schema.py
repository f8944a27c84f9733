"""The API is as its description says: thousands of odd requests, none of which crashes it or is answered off-script."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from deskhand.server.serve import run_server
from deskhand.server.token import Token, read_token
from deskhand.sessions.settings_reload import SettingsWatch

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
)


class Running:
    """The server on a loop of its own: schemathesis asks from this thread."""

    def __init__(self, folder: Path) -> None:
        self.token: Token = read_token(folder / "token")
        self._folder = folder
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._run(),))

    async def _run(self) -> None:
        # Phones that nobody else has; no adb server, no browser is needed for what is asked here.
        overrides = {"data_dir": str(self._folder), "server": {"port": 0}, "executor": {"max_steps": 1}}
        async with run_server(SettingsWatch(overrides, self._folder / "none.toml"), self.token) as server:
            self.url = server.url
            self.app = server.app
            self._ready.set()
            await self._over.wait()

    def __enter__(self) -> Running:
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(60)
        self._loop.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with Running(tmp_path_factory.mktemp("schema")) as server:
        yield server


# Streams without an end of their own can't be read to their end.
ENDLESS = ("/frames", "/chat", "/events/stream")


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["right", "wrong"])
def test_every_route_answers_as_described(running: Running, mode: GenerationMode) -> None:
    schema = schemathesis.openapi.from_dict(running.app.openapi())
    schema.config.update(base_url=running.url)
    headers = {"Authorization": f"Bearer {running.token.value}"}
    tried: set[str] = set()
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path.endswith(ENDLESS):
            continue

        @settings(
            max_examples=6,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def answers(case: schemathesis.Case) -> None:
            tried.add(f"{case.method} {case.path}")
            declared = {parameter.name for parameter in case.operation.query}
            stray = bool(case.query) and declared.isdisjoint(case.query or {})
            if stray and not case.operation.body and not case.operation.path_parameters:
                return  # parameters that nobody declared are ignored, as other clients send some
            case.call_and_validate(headers=headers, checks=list(CHECKS), timeout=60)

        with suppress(Unsatisfiable):  # what takes nothing can't be asked for wrongly
            answers()
    assert len(tried) > 10
