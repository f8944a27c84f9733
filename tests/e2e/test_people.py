"""A person beside a task, with both loops and scripted models, on a phone and in a browser."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from deskhand.build import Deskhand
from deskhand.core.actions import OpenApp, OpenUrl
from deskhand.core.human import UserRequest
from deskhand.core.statuses import ExecutorStatus, SubtaskStatus, TaskStatus
from deskhand.engine.run import Task
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ReceivedRequest, ScriptedStep, ScriptEntry
from deskhand.settings.schema import Settings
from deskhand.task.events import ActionIntended, Corrected, TodoEdited, UserAsked
from tests.devices.browser.browser_stage import Site
from tests.e2e.test_dispatch import act, call, done, press
from tests.promptness import AT_ONCE_S

E = TypeVar("E")
PAGE = """<title>Inbox</title><body style="font: 24px sans-serif"><h1>Inbox</h1><p>Bob: Lunch on Friday?</p>
<button onclick="document.title = 'Sent'; this.textContent = 'It is sent'">Send</button>
<button onclick="document.querySelector('h1').textContent = 'Refreshed'">Refresh</button></body>"""
OTHER = "<title>Settings</title><body style='font: 24px sans-serif; background: navy'><h1>Settings</h1></body>"
QUESTION = call("step", decision="ask", message="Which Bob?")


@dataclass
class Place:
    """Where the task works. `send` leads to something that can't be undone; `elsewhere` is where a person may go."""

    device: str
    url: str
    send: Sequence[ScriptEntry]
    elsewhere: Any
    told: str


@pytest.fixture(params=["phone", "browser"])
def place(request: pytest.FixtureRequest, site: Site) -> Place:
    if request.param == "phone":
        chat = [act("open_app", name="微信"), press("Bob"), press("输入消息"), act("type", text="Hello"), press("发送")]
        return Place("sim:desk", "", chat, OpenApp(name="设置"), "com.android.settings")
    other = OpenUrl(url=site.page(OTHER, "/other.html"))
    return Place("browser", site.page(PAGE), [press("Send")], other, "Settings")


@asynccontextmanager
async def task(
    folder: Path, place: Place, operator: Sequence[ScriptEntry], **settings: Any
) -> AsyncIterator[tuple[Task, ModelServer, Deskhand]]:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(ModelServer(operator))
        model = {"model": "scripted", "base_url": server.url, "free": True}
        tree = {"data_dir": folder / "data", "models": {"operator": model}, "simphone": {"locale": "zh"}, **settings}
        hand = await stack.enter_async_context(Deskhand(Settings.model_validate(tree)))
        starting = hand.start("Look after Bob", device=place.device, url=place.url, attended=True)
        yield await stack.enter_async_context(starting), server, hand


async def happens(run: Task, kind: type[E]) -> E:
    async with asyncio.timeout(60):
        async for record in run.events():
            if isinstance(record.event, kind):
                return record.event
    raise AssertionError(f"the task ended without {kind.__name__}: {run.state.reason}")


async def asked(run: Task) -> UserRequest:
    return (await happens(run, UserAsked)).request


def held(reply: ScriptedStep) -> tuple[asyncio.Event, asyncio.Event, ScriptEntry]:
    """A reply that is thought about until it is let go; the first event tells that it was asked for."""
    begun, go = asyncio.Event(), asyncio.Event()

    async def entry(_: ReceivedRequest) -> ScriptedStep:
        begun.set()
        await go.wait()
        return reply

    return begun, go, entry


async def test_a_question_and_its_answer(tmp_path: Path, place: Place) -> None:
    async with task(tmp_path, place, [QUESTION, done("It was the tall one.")]) as (run, server, _):
        request = await asked(run)
        assert (request.kind, request.text, run.state.status) == ("question", "Which Bob?", TaskStatus.ON_HOLD)
        run.answer(request.id, "yes", "the tall one")
        state = await run.wait()
        assert 'answered your question "Which Bob?": the tall one' in server.requests[1].text
    assert (state.status, state.reason) == (TaskStatus.FULFILLED, "It was the tall one.")


@pytest.mark.parametrize("verdict", ["yes", "no"])
async def test_what_can_not_be_undone_is_done_with_a_yes_alone(tmp_path: Path, place: Place, verdict: Any) -> None:
    async with task(tmp_path, place, [*place.send, *[done()] * 3]) as (run, _, hand):
        request = await asked(run)
        assert request.kind == "approval"
        assert request.action
        assert await hand.journal.load_frame(request.frame), "the person can see what it is about"
        run.answer(request.id, verdict)
        await run.wait()
        log = [record.event for record in await hand.journal.read(run.task_id)]
    done_to_it = [event for event in log if isinstance(event, ActionIntended) and event.action == request.action]
    assert len(done_to_it) == (1 if verdict == "yes" else 0)


async def test_a_take_over_and_what_changed_is_told(tmp_path: Path, place: Place) -> None:
    begun, go, note = held(act("memorize", text="a first note"))
    async with task(tmp_path, place, [note, done()]) as (run, server, _):
        await asyncio.wait_for(begun.wait(), 60)
        await run.take_over()
        assert run.state.executor is ExecutorStatus.PAUSED
        await run.by_hand(place.elsewhere)
        await run.hand_back()
        go.set()
        state = await run.wait()
        told = server.requests[-1].text
    assert state.status is TaskStatus.FULFILLED, state.reason
    assert "The user had the device and handed it back." in told
    assert place.told in told.partition("handed it back.")[2].partition("\n")[0]


async def test_a_message_changes_the_to_do_list_while_the_worker_works(tmp_path: Path, place: Place) -> None:
    begun, go, first = held(done("Looked."))
    async with task(tmp_path, place, [first, done("Refreshed.")]) as (run, server, _):
        await asyncio.wait_for(begun.wait(), 60)
        await run.say("also tap Refresh")
        await happens(run, TodoEdited)
        assert [part.title for part in run.state.plan][-1] == "tap Refresh"
        assert run.state.step == 0, "the worker still thinks about its first step"
        go.set()
        state = await run.wait()
        assert "tap Refresh" in server.requests[-1].text
    assert [part.status for part in state.plan] == [SubtaskStatus.FULFILLED] * 2


async def test_a_worker_that_gets_nowhere_is_helped(tmp_path: Path, place: Place) -> None:
    nowhere = act("click", x=5, y=300)
    quick = {"settle": {"max_wait_ms": 300, "patience_ms": 0}}

    def helped(seen: ReceivedRequest) -> ScriptedStep:
        heard = any(correction in seen.text for correction in run.state.corrections)
        return done("Then I leave it.") if heard else nowhere

    async with task(tmp_path, place, [nowhere, nowhere, nowhere, *[helped] * 40], **quick) as (run, server, _):
        first = await happens(run, Corrected)
        await run.wait()
        told = [seen for seen in server.requests if first.text in seen.text]
    assert (first.level, bool(first.text)) == ("inject", True)
    assert told, "the worker has heard it"


PHASES = {
    "a model's answer": [ScriptedStep(text="x", first_byte_s=60)],
    "an action": [act("wait", seconds=60)],
    "settling": [act("click", x=5, y=300), done()],
    "an answer": [QUESTION],
    "a yes": [],
    "a hand on the device": [act("take_over", reason="log in")],
    "a pause": [ScriptedStep(text="x", first_byte_s=60)],
}


@pytest.mark.parametrize("phase", PHASES)
async def test_stop_takes_effect_at_once_whatever_is_waited_for(tmp_path: Path, place: Place, phase: str) -> None:
    endless = {"settle": {"still_frames": 20, "max_wait_ms": 60_000}} if phase == "settling" else {}
    script = PHASES[phase] or [*place.send, done()]
    async with task(tmp_path, place, script, **endless) as (run, server, hand):
        match phase:
            case "a model's answer" | "a pause":
                await until(lambda: server.requests)
                if phase == "a pause":
                    await run.pause()
            case "an action":
                await happens(run, ActionIntended)
            case "settling":
                await until(lambda: run.state.actions)
            case _:
                await asked(run)
        begun = time.perf_counter()
        state = await run.stop()
        took = time.perf_counter() - begun
        log = await hand.journal.read(run.task_id)
        await asyncio.sleep(0.3)
        assert await hand.journal.read(run.task_id) == log, "nothing follows"
    assert state.cause == "stopped"
    assert took < AT_ONCE_S


async def until(holds: Any) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.01)
