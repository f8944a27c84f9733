"""Tasks over HTTP: created, watched, steered, answered, reported; whoever watches, and however slowly."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from typing import Any

import httpx2
import pytest

from deskhand.build import Deskhand
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedStep
from deskhand.sessions import feed as feeds
from deskhand.sessions.feed import EventFeed, follow_feed
from tests.server.conftest import House, Serve, model, until

GOAL = "open Settings"
NEVER = ScriptedStep(text="x", first_byte_s=600)


async def streamed(house: House, task_id: str, **headers: str) -> list[dict[str, Any]]:
    """Every event of a task, by its stream, until it ends."""
    path = f"/api/tasks/{task_id}/events/stream"
    async with asyncio.timeout(90), house.client.stream("GET", path, headers=headers) as answer:
        assert answer.status_code == 200
        return [json.loads(line[6:]) async for line in answer.aiter_lines() if line.startswith("data: ")]


async def state_of(house: House, task_id: str) -> dict[str, Any]:
    return await house.get(f"/api/tasks/{task_id}")


async def test_a_task_is_created_watched_and_reported(house: House) -> None:
    made = await house.post("/api/tasks", 201, goal=GOAL, device="sim")
    assert (made["goal"], made["device"], made["running"]) == (GOAL, "sim", True)
    task_id = made["task_id"]
    events = await streamed(house, task_id)
    assert [events[0]["event"]["type"], events[-1]["event"]["type"]] == ["task_created", "task_ended"]
    numbers = [event["seq"] for event in events]
    assert numbers == sorted(set(numbers))
    view = await state_of(house, task_id)
    assert (view["status"], view["running"], view["cause"]) == ("fulfilled", False, "done")
    listed = (await house.get("/api/tasks"))["tasks"]
    assert [task["task_id"] for task in listed] == [task_id]
    report = await house.get(f"/api/tasks/{task_id}/report")
    assert report["task"]["status"] == "fulfilled"
    assert len(report["steps"]) == view["step"]
    assert report["subtasks"][0]["status"] == "fulfilled"
    picture = await house.client.get(f"/api/tasks/{task_id}/frames/{report['steps'][0]['before']}")
    assert (picture.headers["content-type"], picture.content[:3]) == ("image/jpeg", b"\xff\xd8\xff")
    assert (await house.client.get(f"/api/tasks/{task_id}/frames/{'0' * 32}")).status_code == 404
    assert (await house.get(f"/api/tasks/{task_id}/todo"))["subtasks"][0]["status"] == "fulfilled"
    assert (await house.get(f"/api/tasks/{task_id}/costs"))["total"]["calls"] == 0


async def test_events_come_page_by_page_and_from_where_a_client_left_off(house: House) -> None:
    task_id = await house.task(GOAL)
    whole = await streamed(house, task_id)
    paged: list[dict[str, Any]] = []
    after = 0
    while (page := await house.get(f"/api/tasks/{task_id}/events", after=after, limit=3))["events"]:
        assert len(page["events"]) <= 3
        paged += page["events"]
        after = page["next"]
    assert paged == whole
    assert page["over"]
    middle = whole[4]["seq"]
    again = {"Last-Event-ID": str(middle)}
    assert await streamed(house, task_id, **again) == whole[5:]
    assert await streamed(house, task_id, **{"Last-Event-ID": "nonsense"}) == whole


async def test_who_comes_late_reads_from_the_journal_even_after_a_restart(serve: Serve) -> None:
    async with serve() as house:
        task_id = await house.task(GOAL)
        whole = await streamed(house, task_id)
    async with serve() as house:
        assert await streamed(house, task_id) == whole
        assert (await house.get(f"/api/tasks/{task_id}/report"))["task"]["running"] is False


async def test_a_place_that_no_event_ever_had_is_no_place(serve: Serve) -> None:
    async with serve() as house:
        task_id = await house.task(GOAL)
        whole = await streamed(house, task_id)
    async with serve() as house:
        assert await streamed(house, task_id, **{"Last-Event-ID": "9" * 30}) == whole


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"{", "The body is not valid JSON (at character 1: "),
        (b'{"goal": "\xff"}', "The body can't be read: send JSON in UTF-8."),
        (b"[" * 100_000, "The body can't be read: send JSON in UTF-8."),
    ],
)
async def test_a_body_that_is_no_json_is_told_so(house: House, body: bytes, told: str) -> None:
    answer = await house.client.post("/api/tasks", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["detail"].startswith(told)


async def test_two_doors_one_device(house: House) -> None:
    async with house.services.hand.pool.lease_device("sim"):
        refused = await house.post("/api/tasks", 409, goal=GOAL, device="sim")
        assert "busy" in refused["detail"]
        assert refused["title"] == "Conflict"
        waiting = asyncio.create_task(house.task(GOAL, device="sim", wait_s=60))
        events = await house.chat("open Settings", device_id="sim")
        assert "busy" in json.dumps(events)
    assert (await house.ended(await waiting))["status"] == "fulfilled"


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        ({"goal": GOAL, "device": "toaster"}, 404, "There is no device 'toaster'"),
        ({"goal": "   "}, 400, "The goal is empty"),
        ({"goal": ""}, 422, "goal: "),
        ({}, 422, "goal: it is missing."),
        ({"goal": GOAL, "max_steps": 0}, 422, "max_steps: "),
        ({"goal": GOAL, "gaol": 1}, 422, "gaol: there is no such field."),
    ],
)
async def test_a_wish_that_can_not_be_met_is_one_clear_sentence(
    house: House, body: dict[str, Any], status: int, told: str
) -> None:
    answer = await house.client.post("/api/tasks", json=body)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert told in problem["detail"]
    assert set(problem) == {"type", "title", "status", "detail"}


async def test_a_task_begins_at_no_site_that_is_off_the_lists(serve: Serve) -> None:
    async with serve(policy={"sites_allow": ["example.com"]}) as house:
        refused = await house.post("/api/tasks", 400, goal=GOAL, device="sim", url="http://evil.example/")
        assert "policy.sites_allow" in refused["detail"]
        assert house.services.hand.simulated.phones == {}


async def test_what_does_not_exist_is_not_found(house: House) -> None:
    for path in ("", "/events", "/events/stream", "/report", "/todo", "/costs", "/requests"):
        answer = await house.client.get(f"/api/tasks/nobody{path}")
        assert (answer.status_code, answer.json()["detail"]) == (404, "Task 'nobody' not found.")
    assert (await house.client.get("/api/nothing")).json()["detail"] == "Not found: there is no such route."
    assert (await house.client.put("/api/tasks")).json()["detail"] == "PUT is not allowed here."


async def test_a_task_is_paused_resumed_told_and_stopped(serve: Serve) -> None:
    hold = asyncio.Event()

    async def think(_: Any) -> ScriptedStep:
        await hold.wait()
        return ScriptedStep(text='<answer>do(action="Home")</answer>')

    async with (
        ModelServer([think, NEVER]) as operator,
        serve(models={"operator": model(operator, dialect="autoglm")}) as house,
    ):
        task_id = await house.task("look", loop="single")
        await operator.wait_until(lambda server: len(server.requests) == 1, 60)
        path = f"/api/tasks/{task_id}/commands"
        assert (await house.post(path, command="pause"))["executor"] == "paused"
        hold.set()
        await house.post(path, command="inject", text="Mind the step.")
        await house.post(f"/api/tasks/{task_id}/messages", text="And be quick.")
        assert (await house.post(path, 400, command="inject"))["detail"].startswith("Nothing to inject")
        await house.post(path, command="resume")
        await house.post(path, command="reset")
        await operator.wait_until(lambda server: len(server.requests) >= 2, 60)
        ended = await house.post(path, command="stop", text="enough")
        assert (ended["status"], ended["cause"], ended["reason"]) == ("rejected", "stopped", "enough")
        refused = await house.post(path, 409, command="stop")
        assert "does not run in this server" in refused["detail"]
        events = json.dumps(await streamed(house, task_id))
    assert "Mind the step." in events
    assert "And be quick." in events


async def test_a_task_of_the_past_is_taken_up_again(serve: Serve) -> None:
    async with ModelServer([NEVER]) as operator:
        async with serve(models={"operator": model(operator, dialect="autoglm")}) as house:
            task_id = await house.task(GOAL, loop="single")
            await operator.wait_until(lambda server: len(server.requests) == 1, 60)
        async with serve() as house:
            view = await state_of(house, task_id)
            assert (view["status"], view["cause"]) == ("rejected", "stopped")
            assert f"deskhand resume {task_id}" in view["reason"]
            assert (await house.post(f"/api/tasks/{task_id}/commands", command="resume"))["running"]
            assert (await house.ended(task_id))["status"] == "fulfilled"
            refused = await house.post(f"/api/tasks/{task_id}/commands", 400, command="resume")
            assert "fulfilled" in refused["detail"]


async def test_the_loop_is_the_one_of_the_settings_unless_it_is_named(serve: Serve) -> None:
    async with serve(loop="single") as house:
        assert (await house.post("/api/tasks", 201, goal=GOAL))["loop"] == "single"
        assert (await house.post("/api/tasks", 201, goal=GOAL, loop="dual", device="sim:2"))["loop"] == "dual"


@pytest.mark.parametrize(("verdict", "cause"), [("yes", "done"), ("no", "failed")])
async def test_a_sensitive_tap_waits_for_a_persons_yes(serve: Serve, verdict: str, cause: str) -> None:
    risky = ScriptedStep(text='<answer>do(action="Tap", element=[500,500], message="pay 100 yuan")</answer>')
    finish = ScriptedStep(text='<answer>finish(message="paid")</answer>')
    async with (
        ModelServer([risky, finish]) as operator,
        serve(models={"operator": model(operator, dialect="autoglm")}) as house,
    ):
        task_id = await house.task("pay", loop="single")

        async def asked() -> Any:
            return (await house.get(f"/api/tasks/{task_id}/requests"))["requests"]

        (request,) = await until(asked)
        assert request["kind"] == "approval"
        path = f"/api/tasks/{task_id}/requests"
        refused = await house.post(f"{path}/unknown", 400, verdict="yes")
        assert "no open request 'unknown'" in refused["detail"]
        await house.post(f"{path}/{request['id']}", verdict=verdict)
        assert (await house.ended(task_id))["cause"] == cause


async def test_who_goes_away_does_not_end_the_task(serve: Serve) -> None:
    hold = asyncio.Event()

    async def think(_: Any) -> ScriptedStep:
        await hold.wait()
        return ScriptedStep(text='<answer>finish(message="done")</answer>')

    async with (
        ModelServer([think]) as operator,
        serve(models={"operator": model(operator, dialect="autoglm")}) as house,
    ):
        task_id = await house.task("look", loop="single")
        async with house.client.stream("GET", f"/api/tasks/{task_id}/events/stream") as answer:
            async for _ in answer.aiter_lines():
                break
        hold.set()
        assert (await house.ended(task_id))["status"] == "fulfilled"


async def test_many_watchers_see_the_same_events_in_the_same_order(house: House) -> None:
    task_id = await house.task("open Settings, go home, open the calculator")
    seen = await asyncio.gather(*(streamed(house, task_id) for _ in range(20)))
    assert all(events == seen[0] for events in seen)


async def test_a_slow_client_is_waited_for_by_nobody_and_misses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "KEPT", 3)
    feed, disk = EventFeed(), list[tuple[int, bytes]]()

    async def read(after: int) -> list[tuple[int, bytes]]:
        return [entry for entry in disk if entry[0] > after]

    slow = follow_feed(feed, 0, read)
    seen: list[bytes] = []
    for number in range(1, 21):
        disk.append((number, b"%d " % number))
        feed.add_chunk(*disk[-1])
        if number == 1:
            seen.append(await anext(slow))
    feed.close()
    seen += [chunk async for chunk in slow]
    assert b"".join(seen).split() == [b"%d" % number for number in range(1, 21)]


async def test_a_quiet_stream_says_that_it_is_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "KEEPALIVE_S", 0.01)
    feed = EventFeed()
    stream = follow_feed(feed, 0, lambda _: asyncio.sleep(0, []))
    assert await anext(stream) == feeds.KEEPALIVE
    feed.close()
    assert [chunk async for chunk in stream] == []


async def test_costs_are_summed_over_tasks_and_conversations(serve: Serve) -> None:
    price = {"price": {"input": 1, "output": 1}, "free": False}
    finish = ScriptedStep(text='<answer>finish(message="done")</answer>', input_tokens=1000, output_tokens=1000)
    async with (
        ModelServer([ScriptedStep(text="Hello.", input_tokens=2000, output_tokens=1000)]) as decider,
        ModelServer([finish]) as operator,
        serve(
            models={"assistant": model(decider, **price), "operator": model(operator, dialect="autoglm", **price)}
        ) as house,
    ):
        task_id = await house.task("look", loop="single")
        await house.ended(task_id)
        await house.chat("hello", session_id="s")
        costs = await house.get("/api/costs")
        talk = await house.get("/api/layered-agent/sessions/s")
        task = await house.get(f"/api/tasks/{task_id}/costs")
    assert talk["usage"]["cost"] == costs["conversations"]["cost"] == "0.003"
    assert task["by_role"]["operator"]["cost"] == "0.002"
    assert float(costs["total"]["cost"]) == 0.005


async def test_a_running_task_keeps_the_settings_it_began_with(serve: Serve, tmp_path: Any) -> None:
    from tests.server.conftest import write_settings

    hold = asyncio.Event()

    async def think(_: Any) -> ScriptedStep:
        await hold.wait()
        return ScriptedStep(text='<answer>finish(message="done")</answer>')

    async with ModelServer([think, think]) as first, ModelServer([]) as second:
        settings = {"models": {"operator": model(first, dialect="autoglm")}}
        async with serve(**settings) as house:
            task_id = await house.task("look", loop="single")
            await first.wait_until(lambda server: len(server.requests) == 1, 60)
            write_settings(tmp_path, models={"operator": model(second, dialect="autoglm")}, executor={"max_steps": 7})
            other = await house.post("/api/tasks", 201, goal="look", loop="single", device="sim:2")
            assert other["max_steps"] == 7
            hold.set()
            assert (await house.ended(task_id))["max_steps"] == 50
            await house.ended(other["task_id"])
    assert len(second.requests) >= 1


async def test_a_task_that_waits_for_its_device_keeps_the_settings_of_its_creation(serve: Serve, tmp_path: Any) -> None:
    from tests.server.conftest import write_settings

    finish = ScriptedStep(text='<answer>finish(message="done")</answer>')
    async with ModelServer([finish]) as first, ModelServer([finish]) as second, AsyncExitStack() as stack:
        settings = {"models": {"operator": model(first, dialect="autoglm")}, "executor": {"max_steps": 9}}
        house = await stack.enter_async_context(serve(**settings))
        async with house.services.hand.pool.lease_device("sim"):
            waiting = asyncio.create_task(house.task("look", device="sim", loop="single", wait_s=60))
            await until(lambda: len(house.services.hand.pool._queues["sim"]) == 2)
            write_settings(tmp_path, models={"operator": model(second, dialect="autoglm")})
            await house.ended(await house.task("look", device="sim:2", loop="single"))
        ended = await house.ended(await waiting)
    assert (ended["status"], ended["max_steps"]) == ("fulfilled", 9)
    assert [len(first.requests), len(second.requests)] == [1, 1]


async def test_the_stream_of_another_programs_task_ends_in_good_order_with_the_server(serve: Serve) -> None:
    async with AsyncExitStack() as stack, ModelServer([NEVER]) as operator, httpx2.AsyncClient(timeout=90) as watcher:
        async with serve(models={"operator": model(operator, dialect="autoglm")}) as house:
            other = await stack.enter_async_context(Deskhand(house.watch.read_current()))
            run = await stack.enter_async_context(other.start("look", device="sim:other", loop="single"))
            headers = {"Authorization": f"Bearer {house.token.value}"}
            path = f"{house.url}/api/tasks/{run.task_id}/events/stream"
            answer = await stack.enter_async_context(watcher.stream("GET", path, headers=headers))
            lines = answer.aiter_lines()
            assert "task_created" in await anext(lines) + await anext(lines)
        # A stream that is cut off is an error for its client.
        assert [line async for line in lines if line.startswith("data: ") and "task_ended" in line] == []
