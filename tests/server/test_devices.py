"""Devices over HTTP: listed, looked at, taken over and handed back."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from PIL import Image

from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedStep
from deskhand.server import live_screens
from tests.server.conftest import House, Serve, model

NEVER = ScriptedStep(text="x", first_byte_s=600)


def size_of(jpeg: bytes) -> tuple[int, int]:
    with Image.open(io.BytesIO(jpeg)) as picture:
        return picture.size


async def test_devices_are_listed_with_the_task_they_are_busy_with(serve: Serve) -> None:
    async with (
        ModelServer([NEVER]) as operator,
        serve(models={"operator": model(operator, dialect="autoglm")}) as house,
    ):
        devices = {one["device_id"]: one for one in (await house.get("/api/devices"))["devices"]}
        assert (devices["sim"]["state"], devices["sim"]["task_id"]) == ("ready", None)
        task_id = await house.task("look", loop="single")
        devices = {one["device_id"]: one for one in (await house.get("/api/devices"))["devices"]}
        assert (devices["sim"]["state"], devices["sim"]["task_id"]) == ("busy", task_id)


async def test_devices_with_a_name_of_their_own_are_listed_and_meant_by_all_phones(house: House) -> None:
    await house.chat("On sim:a open Settings, and on sim:b open Settings")
    listed = {one["device_id"]: one for one in (await house.get("/api/devices"))["devices"]}
    assert (listed["sim:a"]["kind"], listed["sim:a"]["state"], listed["sim:a"]["open"]) == ("sim", "ready", True)
    assert not listed["sim"]["open"]
    events = await house.chat("Go home on all phones")
    calls = [
        event["tool_args"]["device_id"] for event in events if event.get("tool_name") == "chat" and "tool_args" in event
    ]
    assert sorted(calls) == ["sim:a", "sim:b"]


async def test_a_screen_is_shown_also_while_a_task_is_on_it(serve: Serve) -> None:
    async with (
        ModelServer([NEVER]) as operator,
        serve(models={"operator": model(operator, dialect="autoglm")}) as house,
    ):
        free = await house.client.get("/api/devices/sim/screenshot")
        assert free.headers["content-type"] == "image/jpeg"
        assert size_of(free.content) == (1080, 2400)
        await house.task("look", loop="single")
        busy = await house.client.get("/api/devices/sim/screenshot", params={"side": 600})
        assert max(size_of(busy.content)) == 600
    assert (await _missing(serve)).status_code == 404


async def _missing(serve: Serve) -> Any:
    async with serve() as house:
        return await house.client.get("/api/devices/toaster/screenshot")


async def read_parts(pieces: AsyncIterator[bytes], count: int) -> list[bytes]:
    """The first parts, each read up to the boundary behind it, as a browser reads them."""
    read = b""
    async with asyncio.timeout(60):
        while read.count(b"--frame\r\n") < count + 1:
            read += await anext(pieces)
    return read.split(b"--frame\r\n")[1:-1]


async def test_the_live_screen_shows_at_once_what_is_there_and_then_each_change(house: House) -> None:
    params = {"rate": 20, "side": 300}
    async with house.client.stream("GET", "/api/devices/sim/frames", params=params) as answer:
        assert answer.headers["content-type"] == "multipart/x-mixed-replace; boundary=frame"
        pieces = answer.aiter_bytes()
        first = await read_parts(pieces, 1)  # whole, though nothing has changed
        await house.post("/api/devices/sim/actions", kind="open_app", name="设置")
        second = [await read_part(pieces)]
    pictures = [part.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n") for part in (*first, *second)]
    assert pictures[0] != pictures[1]
    assert all(max(size_of(picture)) == 300 for picture in pictures)
    assert b"X-Screen-Width: 1080\r\nX-Screen-Height: 2400\r\n" in first[0]


async def read_part(pieces: AsyncIterator[bytes]) -> bytes:
    """One more part."""
    read = b""
    async with asyncio.timeout(60):
        while b"--frame\r\n" not in read:
            read += await anext(pieces)
    return read.partition(b"--frame\r\n")[0]


async def test_a_screen_is_looked_at_and_encoded_once_for_all_who_look_on(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[Any] = []
    encode = live_screens.to_jpeg
    monkeypatch.setattr(live_screens, "to_jpeg", lambda frame, quality: encoded.append(frame) or encode(frame, quality))
    async with AsyncExitStack() as stack:
        path, params = "/api/devices/sim/frames", {"rate": 20, "side": 300}
        answers = [await stack.enter_async_context(house.client.stream("GET", path, params=params)) for _ in range(5)]
        viewers = [answer.aiter_bytes() for answer in answers]
        firsts = [await read_parts(viewer, 1) for viewer in viewers]
        assert len({first[0] for first in firsts}) == 1
    assert len({id(frame) for frame in encoded}) == len(encoded) < 5


async def test_a_free_device_is_worked_by_hand(house: House) -> None:
    await house.post("/api/devices/sim/actions", kind="open_app", name="设置")
    phone = house.services.hand.simulated.phones[""]
    assert "settings" in str(phone.apps.front)
    refused = await house.client.post("/api/devices/sim/actions", json={"kind": "fly"})
    assert refused.status_code == 422
    impossible = await house.post("/api/devices/sim/actions", 400, kind="run_code", language="bash", code="id")
    assert impossible["detail"] == "A phone can't do 'run code'."
    assert (await house.post("/api/devices/toaster/actions", 404, kind="home"))["status"] == 404


async def test_a_device_is_taken_over_worked_by_hand_and_handed_back(serve: Serve) -> None:
    hold = asyncio.Event()

    async def think(_: Any) -> ScriptedStep:
        await hold.wait()
        return ScriptedStep(text='<answer>finish(message="done")</answer>')

    async with (
        ModelServer([think, think]) as operator,
        serve(models={"operator": model(operator, dialect="autoglm")}) as house,
    ):
        assert "No task" in (await house.post("/api/devices/sim/take-over", 409))["detail"]
        task_id = await house.task("look", loop="single")
        await operator.wait_until(lambda server: len(server.requests) == 1, 60)
        refused = await house.post("/api/devices/sim/actions", 400, kind="home")
        assert "take it over first" in refused["detail"]
        assert (await house.post("/api/devices/sim/take-over"))["executor"] == "paused"
        await house.post("/api/devices/sim/actions", kind="open_app", name="设置")
        assert (await house.post("/api/devices/sim/hand-back"))["task_id"] == task_id
        hold.set()
        assert (await house.ended(task_id))["status"] == "fulfilled"
        report = await house.get(f"/api/tasks/{task_id}/events")
    kinds = [event["event"]["type"] for event in report["events"]]
    assert "person_acted" in kinds


async def test_who_watches_a_screen_keeps_nobody_from_working_on_it(house: House) -> None:
    async with house.client.stream("GET", "/api/devices/sim/frames", params={"rate": 20, "side": 200}) as answer:
        await anext(answer.aiter_bytes())
        for _ in range(3):
            assert (await house.ended(await house.task("open Settings")))["status"] == "fulfilled"
