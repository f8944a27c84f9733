"""One stream of everything: nothing is missing and nothing comes twice, however often a client comes back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from deskhand.build import Deskhand
from deskhand.models.scripted.http_server import ModelServer
from deskhand.sessions import feed as feeds
from tests.server.conftest import House, Serve, call, model, until, write_settings

GOAL = "open Settings"
Event = dict[str, Any]


class Watching:
    """One connection, as an EventSource has it: it remembers the last id."""

    def __init__(self, lines: AsyncIterator[str]) -> None:
        self._lines = lines
        self.last_id = ""
        self.seen: list[Event] = []

    async def next(self) -> Event:
        async for line in self._lines:
            if line.startswith("id: "):
                self.last_id = line[4:]
            if line.startswith("data: "):
                self.seen.append(json.loads(line[6:]))
                return self.seen[-1]
        raise EOFError

    async def until(self, check: Callable[[Event], bool]) -> Event:
        async with asyncio.timeout(90):
            while not check(event := await self.next()):
                pass
        return event


@asynccontextmanager
async def watch(house: House, last_id: str = "", **filters: Any) -> AsyncIterator[Watching]:
    headers = {"Last-Event-ID": last_id} if last_id else {}
    async with house.client.stream("GET", "/api/events/stream", params=filters, headers=headers) as answer:
        assert answer.status_code == 200, await answer.aread()
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield Watching(answer.aiter_lines())


def is_end(event: Event) -> bool:
    return event["topic"] == "tasks" and event["event"]["type"] == "task_ended"


def numbers(events: list[Event], topic: str) -> list[int]:
    return [event["seq"] for event in events if event["topic"] == topic]


async def journal_of(house: House, *task_ids: str) -> list[int]:
    pages = [await house.get(f"/api/tasks/{task_id}/events", limit=1000) for task_id in task_ids]
    return sorted(event["seq"] for page in pages for event in page["events"])


async def test_it_begins_with_the_states_and_tells_whatever_happens(house: House) -> None:
    async with watch(house) as watching:
        first = [(await watching.next())["topic"] for _ in range(3)]
        assert sorted(first) == ["devices", "requests", "settings"]
        task_id = await house.task(GOAL, device="sim:a")
        end = await watching.until(is_end)
        assert (end["task_id"], end["device"]) == (task_id, "sim:a")
        assert numbers(watching.seen, "tasks") == await journal_of(house, task_id)
        await house.chat("open Settings", session_id="s1", device_id="sim:a")
        said = await watching.until(lambda event: event["topic"] == "chats" and event["event"]["type"] == "done")
        assert said["session_id"] == "s1"
        listed = await watching.until(lambda event: event["topic"] == "devices")
        assert "sim:a" in {device["device_id"] for device in listed["devices"]}
    kinds = [event["event"]["type"] for event in watching.seen if event["topic"] == "chats"]
    assert [kinds[0], kinds[-1]] == ["user", "done"]


async def test_a_client_that_comes_back_misses_nothing_and_sees_nothing_twice(house: House) -> None:
    seen: list[Event] = []
    last_id, tasks = "", [await house.task(GOAL, device=device) for device in ("sim:a", "sim:b")]
    talking = asyncio.create_task(house.chat("open Settings", session_id="s", device_id="sim:c"))
    left = 4  # the ends of three tasks and of the turn
    while left:
        async with watch(house, last_id or "0.0.-.-.-") as watching:
            for _ in range(4):  # cut off after a few events, again and again
                event = await asyncio.wait_for(watching.next(), 90)
                left -= is_end(event) or (event["topic"] == "chats" and event["event"]["type"] == "done")
                if not left:
                    break
            seen += watching.seen
            last_id = watching.last_id
    await talking
    jobs = [
        event["event"]["task_id"] for event in seen if event["topic"] == "chats" and event["event"]["type"] == "task"
    ]
    assert numbers(seen, "tasks") == await journal_of(house, *tasks, *jobs)
    entries = (await house.get("/api/layered-agent/sessions/s"))["entries"]
    assert numbers(seen, "chats") == [entry["id"] for entry in entries]
    states = [json.dumps(event) for event in seen if event["topic"] == "settings"]
    assert len(states) == 1


async def test_a_restart_of_the_server_makes_no_gap_and_no_double(serve: Serve, tmp_path: Path) -> None:
    async with serve() as house:
        async with watch(house) as watching:
            first = await house.task(GOAL)
            await watching.until(is_end)
        before = watching
        unseen = await house.task(GOAL)  # nobody looks on
        await house.ended(unseen)
    async with Deskhand(before_settings := house.watch.read_current()) as hand:  # nor does the server run
        assert before_settings.data_dir == tmp_path / "data"
        elsewhere = (await hand.run(GOAL)).task_id
    async with serve(people={"timeout_s": 77}) as house:
        async with watch(house, before.last_id) as watching:
            third = await house.task(GOAL)
            await watching.until(lambda event: is_end(event) and event["task_id"] == third)
        seen = before.seen + watching.seen
        assert numbers(seen, "tasks") == await journal_of(house, first, unseen, elsewhere, third)
    told = [event for event in watching.seen if event["topic"] == "settings"]
    assert [row["value"] for row in told[0]["settings"] if row["key"] == "people.timeout_s"] == [77]
    assert not [event for event in watching.seen if event["topic"] == "requests"]  # it knows that there are none


async def test_what_another_program_does_is_told_too(house: House) -> None:
    async with watch(house, topics="tasks") as watching:
        waiting = asyncio.create_task(watching.until(is_end))
        await until(lambda: watching.last_id)
        async with Deskhand(house.watch.read_current()) as hand:
            task_id = (await hand.run(GOAL)).task_id
        assert (await waiting)["task_id"] == task_id


async def test_filters_leave_out_the_rest(house: House) -> None:
    one, other = [await house.task(GOAL, device=device) for device in ("sim:a", "sim:b")]
    await house.chat("open Settings", session_id="s1", device_id="sim:a")
    await house.chat("open Settings", session_id="s2", device_id="sim:a")
    await house.ended(one)
    await house.ended(other)
    start = "0.0.-.-.-"

    async def collect(last: Callable[[Event], bool], **filters: Any) -> list[Event]:
        async with watch(house, start, **filters) as watching:
            await watching.until(last)
        return watching.seen

    mine = await collect(is_end, topics="tasks", task_id=other)
    assert {event["task_id"] for event in mine} == {other}
    there = await collect(is_end, topics="tasks", device="sim:b")
    assert {event["device"] for event in there} == {"sim:b"}
    done = await collect(lambda event: event["event"]["type"] == "done", topics="chats", session_id="s2")
    assert {event["session_id"] for event in done} == {"s2"}
    two = await collect(lambda event: event["topic"] == "settings", topics=["requests", "settings"])
    assert [event["topic"] for event in two] == ["requests", "settings"]
    refused = await house.client.get("/api/events/stream", params={"topics": "weather"})
    assert refused.status_code == 422


async def test_requests_and_settings_are_told_as_they_change(serve: Serve, tmp_path: Path) -> None:
    script = [call("chat", device_id="sim:a", message="打开微信，找到张三，发送消息“把钱转给我”"), "好了。"]
    async with (
        ModelServer(script) as decider,
        serve(models={"assistant": model(decider)}, chat={"inner_steps": 20}) as house,
        watch(house, topics=["requests", "settings"]) as watching,
    ):
        await watching.until(lambda event: event["topic"] == "settings")
        talking = asyncio.create_task(house.chat("帮我问候张三", session_id="s"))
        asked = await watching.until(lambda event: bool(event.get("requests")))
        request = asked["requests"][0]
        await house.post(f"/api/tasks/{request['task_id']}/requests/{request['id']}", verdict="no")
        assert (await watching.until(lambda event: event["topic"] == "requests"))["requests"] == []
        await talking
        write_settings(tmp_path, people={"timeout_s": 78})
        told = await watching.until(lambda event: event["topic"] == "settings")
        assert [row["value"] for row in told["settings"] if row["key"] == "people.timeout_s"] == [78]


async def test_who_falls_behind_reads_on_from_the_disk(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "KEPT", 2)
    async with watch(house, topics="tasks") as watching:
        task_id = await house.task(GOAL)
        await house.ended(task_id)  # not one event was read so far
        await watching.until(is_end)
    assert numbers(watching.seen, "tasks") == await journal_of(house, task_id)


async def test_the_schema_of_the_events_is_in_the_description(house: House) -> None:
    described = await house.get("/api/openapi.json")
    content = described["paths"]["/api/events/stream"]["get"]["responses"]["200"]["content"]
    assert content["text/event-stream"]["itemSchema"] == {"$ref": "#/components/schemas/StreamEvent"}
    schemas = described["components"]["schemas"]
    topics = schemas["StreamEvent"]["discriminator"]["mapping"]
    assert set(topics) == {"tasks", "chats", "devices", "requests", "settings"}
    referred = set(json.dumps(described).split('"#/components/schemas/')[1:])
    assert {name.partition('"')[0] for name in referred} <= set(schemas)
