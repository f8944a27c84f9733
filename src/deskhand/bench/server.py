"""Measures the server from outside: time to the first answer, memory, age of events, number of clients and tasks.

The server runs in its own process and is called over HTTP, as by any client.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from deskhand.bench.rows import Row
from deskhand.clock import SystemClock
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedCall, ScriptedStep
from deskhand.settings.environment import read_session_environment

STARTS = 3
WATCHERS = 200
TASKS = 100
ABORTS = 5
# How long a screen is left alone before its cost is measured, and for how long.
CALM_S = 15.0
STILL_S = 30.0
PATIENCE_S = 600.0
GOAL = "open Settings, go home, open Settings, go home"


async def run_suite(out: Path) -> list[Row]:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        rows += await _measure_starts(Path(folder))
        async with _start_server(Path(folder)) as server, _open_client(server) as client:
            rows += await _measure_freshness(client)
            rows += [await _measure_still_screen(server, client), await _measure_many_tasks(client)]
        rows.append(await _measure_aborts(Path(folder)))
    return rows


@asynccontextmanager
async def _open_client(server: _Server) -> AsyncGenerator[Any, None]:
    import httpx2

    limits = httpx2.Limits(max_connections=None)
    async with httpx2.AsyncClient(
        base_url=server.url, headers=server.headers, timeout=PATIENCE_S, limits=limits
    ) as client:
        yield client


@dataclass(frozen=True, slots=True)
class _Server:
    url: str
    headers: dict[str, str]
    pid: int
    seconds: float


@asynccontextmanager
async def _start_server(folder: Path, **settings: str) -> AsyncGenerator[_Server, None]:
    """Start a server and yield it once it has answered."""
    import httpx2

    env = read_session_environment() | {
        "DESKHAND_DATA_DIR": str(folder),
        "DESKHAND_CONFIG": str(folder / "none.toml"),
        **settings,
    }
    begun = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "deskhand", "serve", "--port", "0"), env=env, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout
    try:
        async with asyncio.timeout(PATIENCE_S):
            said = (await process.stdout.readline()).decode()
        url = next(word for word in said.split() if word.startswith("http"))
        token = await asyncio.to_thread((folder / "server-token").read_text)
        headers = {"Authorization": f"Bearer {token.strip()}"}
        async with httpx2.AsyncClient(base_url=url, headers=headers) as client:
            (await client.get("/api/health")).raise_for_status()
        yield _Server(url, headers, process.pid, time.perf_counter() - begun)
    finally:
        process.terminate()
        await process.communicate()


async def _measure_starts(folder: Path) -> list[Row]:
    seconds: list[float] = []
    megabytes: list[float] = []
    # Compiled once, as an installer does; in a checkout Python may be configured not to keep compiled files.
    compiled = {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "PYTHONDONTWRITEBYTECODE": ""}
    async with _start_server(folder, **compiled):
        pass
    for _ in range(STARTS):
        async with _start_server(folder, **compiled) as server:
            seconds.append(server.seconds)
            pages = int((await asyncio.to_thread(Path(f"/proc/{server.pid}/statm").read_text)).split()[1])
            megabytes.append(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)
    return [
        Row("start to the first healthy answer", median(seconds), "s", limit=1.5, note="a cold process, compiled"),
        Row("memory of an idle server", median(megabytes), "MB", limit=120),
    ]


async def _watch_task(client: Any, task_id: str) -> list[tuple[int, float]]:
    """Return each event's number and its age on arrival."""
    seen: list[tuple[int, float]] = []
    async with client.stream("GET", f"/api/tasks/{task_id}/events/stream") as answer:
        async for line in answer.aiter_lines():
            if line.startswith("data: "):
                arrived = time.time()
                event = json.loads(line[6:])
                seen.append((event["seq"], (arrived - event["at"]) * 1000))
    return seen


async def _create_task(client: Any, device: str, goal: str = GOAL) -> str:
    body = {"goal": goal, "device": device, "loop": "single"}
    answer = await client.post("/api/tasks", json=body)
    answer.raise_for_status()
    return answer.json()["task_id"]


async def _measure_freshness(client: Any) -> list[Row]:
    """Measure live events only: those written before the watcher connected are read from the past."""
    await _watch_task(client, await _create_task(client, "sim"))  # starts the phone
    alone = (await _watch_task(client, await _create_task(client, "sim")))[5:]
    task_id = await _create_task(client, "sim")
    crowd = await asyncio.gather(*(_watch_task(client, task_id) for _ in range(WATCHERS)))
    same = sum([number for number, _ in seen] == [number for number, _ in crowd[0]] for seen in crowd)
    return [
        Row("an event from the engine to a client", median(ms for _, ms in alone), "ms", limit=20),
        Row("clients of one task that saw the same", same, f"of {WATCHERS}", limit=WATCHERS, better="more"),
        Row("an event to one of 200 clients", median(ms for seen in crowd for _, ms in seen[20:]), "ms"),
    ]


async def _measure_still_screen(server: _Server, client: Any) -> Row:
    """Measure what a crowd that looks at a still screen costs the server."""

    async def look_on() -> None:
        async with client.stream("GET", "/api/devices/sim/frames") as answer:
            async for _ in answer.aiter_bytes():
                pass

    crowd = [asyncio.create_task(look_on()) for _ in range(WATCHERS)]
    await SystemClock().sleep(CALM_S)
    before = await asyncio.to_thread(_read_cpu_seconds, server.pid)
    await SystemClock().sleep(STILL_S)
    used = await asyncio.to_thread(_read_cpu_seconds, server.pid) - before
    for one in crowd:
        one.cancel()
    await asyncio.wait(crowd)
    note = f"{WATCHERS} look on"
    return Row("a still screen, of one core", used / STILL_S * 100, "%", limit=1, note=note)


def _read_cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _measure_many_tasks(client: Any) -> Row:
    async def run_task(number: int) -> bool:
        task_id = await _create_task(client, f"sim:{number}", "open Settings")
        numbers = [number for number, _ in await _watch_task(client, task_id)]
        view = (await client.get(f"/api/tasks/{task_id}")).json()
        return view["status"] == "fulfilled" and numbers == sorted(numbers) and numbers[-1] == view["last_event"]

    begun = time.perf_counter()
    fine = sum(await asyncio.gather(*(run_task(number) for number in range(TASKS))))
    note = f"{time.perf_counter() - begun:.0f} s for all"
    return Row("tasks at once, fulfilled and seen whole", fine, f"of {TASKS}", limit=TASKS, better="more", note=note)


async def _measure_aborts(folder: Path) -> Row:
    """Measure an abort in the middle of the executor's call to its model."""
    look = ScriptedStep(calls=(ScriptedCall(name="chat", arguments={"device_id": "sim", "message": "look"}),))
    took: list[float] = []
    async with (
        ModelServer([look] * ABORTS) as decider,
        ModelServer([ScriptedStep(first_byte_s=600)] * ABORTS) as operator,
    ):
        roles = {"ASSISTANT": decider, "OPERATOR": operator}
        settings: dict[str, str] = {}
        for role, server in roles.items():
            prefix = f"DESKHAND_MODELS__{role}__"
            settings |= {f"{prefix}MODEL": "m", f"{prefix}BASE_URL": server.url, f"{prefix}FREE": "true"}
        async with _start_server(folder, **settings) as server, _open_client(server) as client:
            for number in range(1, ABORTS + 1):
                took.append(await _abort_turn(client, operator, number))
                await SystemClock().sleep(0.1)
    return Row("an abort in the middle of a model's answer", median(took), "ms", limit=200)


async def _abort_turn(client: Any, operator: ModelServer, number: int) -> float:
    body = {"message": "look", "session_id": f"s{number}"}
    async with client.stream("POST", "/api/layered-agent/chat", json=body) as answer:
        await operator.wait_until(lambda server: len(server.requests) == number, 60)
        begun = time.perf_counter()
        (await client.post("/api/layered-agent/abort", json={"session_id": f"s{number}"})).raise_for_status()
        took = (time.perf_counter() - begun) * 1000
        async for _ in answer.aiter_lines():
            pass
    return took
