"""A device that answered with a time-out may have acted: no "done" is believed before that is settled."""

import asyncio
from typing import Any

import pytest

from deskhand.core.actions import Action, Click, Home, Key, OpenApp, Scroll
from deskhand.core.errors import DeviceTimeout
from deskhand.core.planning import GateDecision, GateTrigger, QualityReport
from deskhand.core.statuses import TaskStatus
from deskhand.engine.run import Task
from deskhand.roles.offline.worker import OfflineWorker
from deskhand.simphone.phone import Phone
from deskhand.task.events import DoubtSettled
from deskhand.task.fold import fold_all
from deskhand.task.journal import SqliteJournal
from tests.engine.conftest import Journaled, ScriptedWorker, StartRun
from tests.engine.outer.test_dispatcher import DONE, ScriptedJudge, ScriptedPlanner, managed
from tests.engine.test_resume import _crew_of

SEND = Click(x=540, y=45, target="Send")
ALLOWED: dict[str, Any] = {"policy": {"irreversible": "allow"}}
FAULT = DeviceTimeout("no answer")


async def begin_to_send(device: Journaled, *, moved_on: bool) -> None:
    """Let the next click time out. `moved_on`: the screen is another one then, so it tells nothing."""
    await device._device.act(OpenApp(name="Settings"))

    async def time_out(action: Action) -> None:
        if action == SEND and device.sent.count(SEND) == 1:
            if moved_on:
                await device._device.act(Scroll(x=540, y=1200, direction="down"))
            raise FAULT

    device.on_act = time_out


async def request_of(run: Task) -> str:
    async with asyncio.timeout(20):
        while not run.state.requests:
            await asyncio.sleep(0.01)
    return run.state.requests[0].id


GOALS = {"en": "follow the script", "zh": "照着做"}
TOLD = {
    "en": 'the user is needed: click "Send" may have been carried out already: the device did not answer.',
    "zh": "可能已经执行过：设备没有回应",
}


@pytest.mark.parametrize("language", GOALS)
async def test_without_a_user_done_is_not_believed_while_it_is_unknown(
    start: StartRun, device: Journaled, language: str
) -> None:
    await begin_to_send(device, moved_on=True)
    async with start(device, ScriptedWorker(SEND), goal=GOALS[language], **ALLOWED) as run:
        state = await run.wait()
    assert state.status is TaskStatus.REJECTED
    assert TOLD[language] in state.reason
    assert device.sent == [SEND]


async def test_it_is_asked_again_whenever_the_task_is_taken_up(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    await begin_to_send(device, moved_on=True)
    async with start(device, ScriptedWorker(SEND), **ALLOWED) as run:
        await run.wait()
    again = Task.from_past(fold_all(await journal.read(run.task_id)), _crew_of(run, ScriptedWorker()), attended=True)
    await again.start()
    again.answer(await request_of(again), "no")
    assert (await again.wait()).status is TaskStatus.FULFILLED
    assert device.sent == [SEND]


@pytest.mark.parametrize("worker_insists", [True, False])
async def test_a_user_who_wants_it_done_is_not_told_that_it_is(
    start: StartRun, device: Journaled, worker_insists: bool
) -> None:
    await begin_to_send(device, moved_on=True)
    replies = [SEND, DONE] if worker_insists else [SEND, DONE, SEND]
    async with start(device, ScriptedWorker(*replies), attended=True, **ALLOWED) as run:
        run.answer(await request_of(run), "yes")
        state = await run.wait()
    if worker_insists:
        assert state.status is TaskStatus.REJECTED
        assert 'click "Send" was not carried out.' in state.reason
    else:
        assert state.status is TaskStatus.FULFILLED
    assert device.sent == ([SEND] if worker_insists else [SEND, SEND])


@pytest.mark.parametrize(("then", "status"), [([], TaskStatus.REJECTED), ([SEND], TaskStatus.FULFILLED),
                                              ([Home()], TaskStatus.FULFILLED)])  # fmt: skip
async def test_what_the_screen_shows_as_not_done_is_told_to_the_worker(
    start: StartRun, device: Journaled, then: list[Action], status: TaskStatus
) -> None:
    """It may do it, or find another way; its bare word is not believed."""
    await begin_to_send(device, moved_on=False)
    worker = ScriptedWorker(SEND, DONE, *then, needs_elements=True)
    async with start(device, worker, **ALLOWED) as run:
        state = await run.wait()
    assert state.status is status, state.reason
    assert any("was not carried out: the screen is as it was before" in told for told in worker.briefings[2].messages)
    assert device.sent == [SEND, *then]


async def test_a_check_beside_the_work_does_not_call_it_done_either(start: StartRun, device: Journaled) -> None:
    """Whoever judges: the worker goes on, and at its end it is settled."""

    class EagerJudge(ScriptedJudge):
        async def check(self, request: Any) -> QualityReport:
            report = await super().check(request)
            return report.model_copy(update={"decision": GateDecision.DONE})

    await begin_to_send(device, moved_on=True)
    judge = EagerJudge()
    worker = ScriptedWorker(SEND, *[Key(key="volume_up")] * 20)
    async with start(device, worker, outer=managed(ScriptedPlanner("a"), judge), max_steps=20, **ALLOWED) as run:
        state = await run.wait()
    asked = {request.trigger for request in judge.requests}
    assert asked - {GateTrigger.WORKER_SUCCESS, GateTrigger.FINAL_CHECK}, "nobody looked in between"
    assert state.status is TaskStatus.REJECTED, state.reason


def count_sent(phone: Phone) -> int:
    messages = phone.read_state()["apps"]["com.tencent.mm"]["chats"]["张三"]["messages"]
    return sum(one["from"] == "me" and one["text"] == "两点开会" for one in messages)


@pytest.mark.parametrize("carried_out", [True, False])
@pytest.mark.parametrize("goal", ['打开微信，找到张三，发送消息"两点开会"', 'open WeChat, find 张三, send "两点开会"'])
async def test_the_worker_without_a_model_sends_once_when_sending_times_out(
    start: StartRun, device: Journaled, phone: Phone, journal: SqliteJournal, carried_out: bool, goal: str
) -> None:
    timed_out: list[Action] = []

    async def time_out(action: Action) -> None:
        sends = isinstance(action, Click) and any(
            one.name in ("发送", "Send") and one.bounds.contains_point(action.x, action.y)
            for one in await device._device.elements()
        )
        if sends and not timed_out:
            timed_out.append(action)
            if carried_out:
                await device._device.act(action)
            raise FAULT

    device.on_act = time_out
    worker: Any = OfflineWorker()
    async with start(device, worker, goal=goal, **ALLOWED) as run:
        state = await run.wait()
    assert timed_out, "sending did not time out"
    assert (state.status, count_sent(phone)) == (TaskStatus.FULFILLED, 1), state.reason
    settled = [one.event for one in await journal.read(run.task_id) if isinstance(one.event, DoubtSettled)]
    assert [one.done for one in settled] == ([True] if carried_out else []), "done since, so that nothing is in doubt"
