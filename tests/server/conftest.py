"""The real server on a free port, reached by a real HTTP client; phones are simulated, models are scripted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedCall, ScriptedStep
from deskhand.server.serve import run_server
from deskhand.server.shared_services import Services
from deskhand.server.token import Token, read_token
from deskhand.sessions.settings_reload import SettingsWatch
from deskhand.task.events import TaskEnded

Events = list[dict[str, Any]]
LIMIT_S = 90


@dataclass
class House:
    """A running server and a client that has its token."""

    url: str
    client: httpx2.AsyncClient
    services: Services
    token: Token
    watch: SettingsWatch
    reported: list[str]

    async def get(self, path: str, **query: Any) -> Any:
        answer = await self.client.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def post(self, path: str, expect: int = 200, **body: Any) -> Any:
        answer = await self.client.post(path, json=body)
        assert answer.status_code == expect, f"{answer.status_code}: {answer.text}"
        return answer.json()

    @asynccontextmanager
    async def talking(self, message: str, **more: Any) -> AsyncIterator[Talking]:
        body = {"message": message, **more}
        async with self.client.stream("POST", "/api/layered-agent/chat", json=body) as answer:
            assert answer.status_code == 200, await answer.aread()
            assert answer.headers["content-type"].startswith("text/event-stream")
            yield Talking(answer.headers["x-session-id"], answer)

    async def chat(self, message: str, **more: Any) -> Events:
        """One message and everything that followed; its end is checked to be the only one."""
        async with self.talking(message, **more) as talking:
            return await talking.rest()

    async def task(self, goal: str, **more: Any) -> str:
        return str((await self.post("/api/tasks", 201, goal=goal, **more))["task_id"])

    async def ended(self, task_id: str) -> Any:
        """The task's view at its end; waited for by its own stream."""
        async with asyncio.timeout(LIMIT_S), self.client.stream("GET", f"/api/tasks/{task_id}/events/stream") as answer:
            async for _ in answer.aiter_lines():
                pass
        return await self.get(f"/api/tasks/{task_id}")


class Talking:
    """A stream of a conversation, event by event."""

    def __init__(self, session_id: str, answer: httpx2.Response) -> None:
        self.session_id = session_id
        self.seen: Events = []
        self._lines = answer.aiter_lines()

    async def next(self) -> dict[str, Any] | None:
        async with asyncio.timeout(LIMIT_S):
            async for line in self._lines:
                if line.startswith("data: "):
                    self.seen.append(json.loads(line[6:]))
                    return self.seen[-1]
        return None

    async def until(self, kind: str) -> dict[str, Any]:
        while event := await self.next():
            if event["type"] == kind:
                return event
        raise AssertionError(f"no {kind} in {self.seen}")

    async def rest(self) -> Events:
        while await self.next():
            pass
        ends = [event for event in self.seen if event["type"] in ("done", "error")]
        assert len(ends) == 1, self.seen
        assert self.seen[-1] is ends[0]
        return self.seen


Serve = Callable[..., AbstractAsyncContextManager[House]]


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Serve:
    """`async with serve(chat={…}) as house:`; settings given so stand in the file, which may be rewritten."""
    monkeypatch.setenv("DESKHAND_CONFIG", str(tmp_path / "config.json"))

    @asynccontextmanager
    async def serve(**settings: Any) -> AsyncIterator[House]:
        write_settings(tmp_path, **settings)
        reported: list[str] = []
        overrides = {"data_dir": str(tmp_path / "data"), "server": {"port": 0}}
        watch = SettingsWatch(overrides, report=reported.append)
        token = read_token(watch.read_current().server.token_file or tmp_path / "data" / "server-token")
        async with run_server(watch, token) as server:
            headers = {"Authorization": f"Bearer {token.value}"}
            async with httpx2.AsyncClient(base_url=server.url, headers=headers, timeout=LIMIT_S) as client:
                yield House(server.url, client, server.services, token, watch, reported)

    return serve


def write_settings(folder: Path, **settings: Any) -> None:
    (folder / "config.json").write_text(json.dumps(settings, ensure_ascii=False), encoding="utf-8")


@pytest.fixture
async def house(serve: Serve) -> AsyncIterator[House]:
    async with serve() as house:
        yield house


def call(name: str, **arguments: Any) -> ScriptedStep:
    return ScriptedStep(calls=(ScriptedCall(name=name, arguments=arguments),))


def calls(*made: tuple[str, dict[str, Any]]) -> ScriptedStep:
    return ScriptedStep(calls=tuple(ScriptedCall(name=name, arguments=arguments) for name, arguments in made))


def model(server: ModelServer, **more: Any) -> dict[str, Any]:
    return {"model": "scripted", "base_url": server.url, "free": True, **more}


async def until(check: Callable[[], Awaitable[Any] | Any], seconds: float = LIMIT_S) -> Any:
    """Wait for something observable."""
    async with asyncio.timeout(seconds):
        while True:
            found = check()
            if isinstance(found, Awaitable):
                found = await found
            if found:
                return found
            await asyncio.sleep(0.02)


def is_over(events: Events) -> bool:
    return any(event["event"]["type"] == TaskEnded.model_fields["type"].default for event in events)
