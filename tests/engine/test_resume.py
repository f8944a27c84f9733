"""A task taken up again from its log: nothing recorded is lost, and what is unknown is looked at first."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from deskhand.build import Deskhand
from deskhand.clock import SystemClock
from deskhand.core.actions import Action, Click, Home, Memorize, OpenApp, Scroll
from deskhand.core.decisions import Decision, PlannedAction
from deskhand.core.errors import UsageError
from deskhand.core.planning import GateTrigger
from deskhand.core.statuses import Situation, SubtaskStatus, TaskStatus
from deskhand.devices.android.adb.private_server import run_private_server
from deskhand.engine.parts import OuterRoles, TaskParts
from deskhand.engine.run import Task
from deskhand.settings.schema import AdbSettings, Settings
from deskhand.simphone.adb.phone_server import SimPhone
from deskhand.simphone.phone import Phone
from deskhand.task.events import Event, Record, SituationChanged, SubtaskEnded, SubtaskStarted, TaskResumed, UserAsked
from deskhand.task.fold import fold_all
from deskhand.task.journal import SqliteJournal
from deskhand.task.state import TaskState
from tests.engine.conftest import Journaled, ScriptedWorker, StartRun, forever
from tests.engine.outer.test_dispatcher import DONE, ScriptedJudge, ScriptedPlanner, managed

KILLED = """
import asyncio, sys
from pathlib import Path
from typing import Literal
from deskhand.build import Deskhand
from deskhand.settings.schema import Settings, AdbSettings
from deskhand.task.events import Record

async def main():
    settings = Settings(data_dir=Path(sys.argv[1]), adb=AdbSettings(port=int(sys.argv[2])))
    async with Deskhand(settings) as hand:
        with hand.bus.subscribe_to(Record) as records:
            async with hand.start(sys.argv[4], device=sys.argv[3]) as run:
                async for record in records:
                    print(run.task_id, record.event.type, flush=True)

asyncio.run(main())
"""


async def test_after_kill_9_in_the_middle_the_message_is_sent_exactly_once(tmp_path: Path) -> None:
    """Killed right after the action that sends was written down: whether it was sent, only the screen knows."""
    goal = '打开微信，找到张三，发送消息"明天下午两点开会"'
    phone = Phone()
    async with run_private_server(AdbSettings(), SystemClock()) as adb, SimPhone(phone) as sim:
        device = f"android:{sim.address}"
        argv = [sys.executable, "-c", KILLED, str(tmp_path), str(adb.port), device, goal]
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
        task_id = await asyncio.to_thread(_kill_when_intended, process, 8)
        await asyncio.sleep(0.5)
        async with Deskhand(Settings(data_dir=tmp_path, adb=adb)) as hand:
            async with hand.resume(task_id) as run:
                state = await run.wait()
            events = [record.event for record in await hand.journal.read(task_id)]
    assert state.status is TaskStatus.FULFILLED, state.reason
    sent = [
        m["text"]
        for m in phone.read_state()["apps"]["com.tencent.mm"]["chats"]["张三"]["messages"]
        if m["from"] == "me"
    ]
    assert sent.count("明天下午两点开会") == 1
    assert sum(isinstance(event, TaskResumed) for event in events) == 1
    assert fold_all(await _records(tmp_path, task_id)) == state


def _kill_when_intended(process: "subprocess.Popen[str]", count: int) -> str:
    """Let it run until that many actions were intended, then kill it without a warning."""
    assert process.stdout
    task_id = ""
    with process.stdout as lines:
        for line in lines:
            task_id, event = line.split()
            count -= event == "action_intended"
            if count == 0:
                os.kill(process.pid, signal.SIGKILL)
                break
    process.wait()
    return task_id


async def _records(folder: Path, task_id: str) -> list[Record]:
    journal = SqliteJournal(folder)
    try:
        return await journal.read(task_id)
    finally:
        await journal.close()


async def _stopped(start: StartRun, device: Journaled, worker: ScriptedWorker, **more: object) -> Task:
    async with start(device, worker, **more) as run:
        async with asyncio.timeout(20):
            while len(worker.briefings) < 2:
                await asyncio.sleep(0.01)
        await run.stop()
    return run


async def test_a_stopped_task_goes_on_with_its_place_and_its_history(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    bookmarked = Decision(kind="actions", actions=(PlannedAction(action=Memorize(text="x")),), bookmark="page 3")
    run = await _stopped(start, device, ScriptedWorker(bookmarked, forever))
    worker = ScriptedWorker()
    past = fold_all(await journal.read(run.task_id))
    again = Task.from_past(past, _crew_of(run, worker))
    await again.start()
    state = await again.wait()
    assert (state.task_id, state.status) == (run.task_id, TaskStatus.FULFILLED)
    assert worker.briefings[0].bookmark == "page 3"
    assert worker.briefings[0].notes == ("x",)
    assert worker.briefings[0].step == 2


def _crew_of(run: Task, worker: ScriptedWorker) -> TaskParts:
    return replace(run._parts, workers={"operator": worker})


async def _cut_off(
    start: StartRun, device: Journaled, action: Action, *, moved_on: bool, outer: OuterRoles | None = None
) -> Task:
    """A task that was stopped while its device had an action in hand; `moved_on`: it shows something else since."""

    async def hang(_: object) -> None:
        await asyncio.Event().wait()

    await device._device.act(OpenApp(name="Settings"))
    device.on_act = hang
    worker = ScriptedWorker(action, needs_elements=True)
    async with start(device, worker, policy={"irreversible": "allow"}, outer=outer) as run:
        async with asyncio.timeout(20):
            while not device.sent:
                await asyncio.sleep(0.01)
        await run.stop()
    device.on_act = None
    if moved_on:
        await device._device.act(Scroll(x=540, y=1200, direction="down"))
    return run


SEND = Click(x=540, y=45, target="Send")
PLAIN = Click(x=540, y=900)


async def test_a_message_that_may_have_gone_out_is_nobodys_to_send_again(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    run = await _cut_off(start, device, SEND, moved_on=True)
    for _ in range(2):  # it is asked each time
        past = fold_all(await journal.read(run.task_id))
        assert past.unconfirmed
        assert past.unconfirmed.action == SEND
        worker = ScriptedWorker()
        again = Task.from_past(past, _crew_of(run, worker))
        await again.start()
        state = await again.wait()
        assert state.status is TaskStatus.REJECTED
        assert state.reason.startswith('the user is needed: click "Send"')
        assert "may have been carried out already" in state.reason
        assert not worker.briefings
    assert len(device.sent) == 1


@pytest.mark.parametrize(("verdict", "told"), [("yes", "was not carried out"), ("no", "counts as carried out")])
async def test_the_user_says_whether_it_is_done_once_more(
    start: StartRun, device: Journaled, journal: SqliteJournal, verdict: Literal["yes", "no"], told: str
) -> None:
    run = await _cut_off(start, device, SEND, moved_on=True)
    worker = ScriptedWorker(SEND)
    again = Task.from_past(fold_all(await journal.read(run.task_id)), _crew_of(run, worker), attended=True)
    await again.start()
    async with asyncio.timeout(20):
        while not again.state.requests:
            await asyncio.sleep(0.01)
    assert "Do it (again)?" in again.state.requests[0].text
    first = again.state.requests
    again.answer(first[0].id, verdict)
    if verdict == "no":  # a worker that wants it all the same has to ask
        async with asyncio.timeout(20):
            while not again.state.requests or again.state.requests == first:
                await asyncio.sleep(0.01)
        assert "was carried out in step 1 and can't be undone" in again.state.requests[0].text
        again.answer(again.state.requests[0].id, "no")
    await again.wait()
    assert any(told in message for message in worker.briefings[0].messages)
    assert len(device.sent) == (2 if verdict == "yes" else 1)


@pytest.mark.parametrize("rest", [(DONE,), (PLAIN, DONE)], ids=["done at once", "after a step"])
async def test_under_an_outer_loop_the_users_no_is_an_answer_with_which_the_task_goes_on(
    start: StartRun, device: Journaled, journal: SqliteJournal, rest: tuple[Action | Decision, ...]
) -> None:
    run = await _cut_off(start, device, SEND, moved_on=True, outer=managed(ScriptedPlanner("a"), ScriptedJudge()))
    past = fold_all(await journal.read(run.task_id))
    again = Task.from_past(past, _crew_of(run, ScriptedWorker(*rest)), attended=True)
    await again.start()
    async with asyncio.timeout(20):
        while not again.state.requests:
            await asyncio.sleep(0.01)
        again.answer(again.state.requests[0].id, "no")
        state = await again.wait()
    assert state.status is TaskStatus.FULFILLED, state.reason
    assert device.sent.count(SEND) == 1
    asked = [one for one in await journal.read(run.task_id) if isinstance(one.event, UserAsked)]
    assert len(asked) == 1, "nothing else is to be asked"


async def test_what_can_be_undone_is_judged_by_the_screen(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    run = await _cut_off(start, device, PLAIN, moved_on=False)
    worker = ScriptedWorker()
    again = Task.from_past(fold_all(await journal.read(run.task_id)), _crew_of(run, worker))
    await again.start()
    assert (await again.wait()).status is TaskStatus.FULFILLED
    assert any(
        "was not carried out: the screen is as it was before" in message for message in worker.briefings[0].messages
    )
    device.sent.clear()
    run = await _cut_off(start, device, PLAIN, moved_on=True)
    again = Task.from_past(fold_all(await journal.read(run.task_id)), _crew_of(run, worker))
    await again.start()
    await again.wait()
    assert any("It is unknown" in message and "look first" in message for message in worker.briefings[1].messages)


async def test_the_outer_loop_goes_on_with_the_subtask_it_was_at(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    planner = ScriptedPlanner("a", "b", "c")
    outer = managed(planner, ScriptedJudge())
    run = await _stopped(start, device, ScriptedWorker(DONE, forever), outer=outer)
    past = fold_all(await journal.read(run.task_id))
    again = Task.from_past(past, _crew_of(run, ScriptedWorker(DONE, DONE)))
    await again.start()
    state = await again.wait()
    assert state.status is TaskStatus.FULFILLED
    assert len(planner.requests) == 1, "no new plan was needed"
    events = [record.event for record in await journal.read(run.task_id)]
    started = [(e.subtask.title, e.went_on) for e in events if isinstance(e, SubtaskStarted)]
    assert started == [("a", False), ("b", False), ("b", True), ("c", False)]


async def _killed_behind(journal: SqliteJournal, run: Task, last: Callable[[Event], bool]) -> TaskState:
    """The task as its log tells it when this event was the last that reached the disk."""
    records = await journal.read(run.task_id)
    return fold_all(records[: next(n for n, record in enumerate(records, 1) if last(record.event))])


async def test_what_is_done_is_not_done_again_when_only_the_last_look_was_missing(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    planner, judge = ScriptedPlanner("a", "b"), ScriptedJudge()
    async with start(device, ScriptedWorker(DONE, DONE), outer=managed(planner, judge)) as run:
        await run.wait()
    past = await _killed_behind(
        journal, run, lambda e: isinstance(e, SituationChanged) and e.situation is Situation.FINAL_CHECK
    )
    worker = ScriptedWorker(Home())
    again = Task.from_past(past, _crew_of(run, worker))
    await again.start()
    state = await again.wait()
    assert (state.status, len(planner.requests), worker.briefings) == (TaskStatus.FULFILLED, 1, [])
    assert judge.requests[-1].trigger is GateTrigger.FINAL_CHECK


async def test_what_was_planned_anew_before_is_no_reason_for_another_plan(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    planner = ScriptedPlanner("a", "b")
    worker = ScriptedWorker(Decision(kind="fail", message="no"))
    async with start(device, worker, outer=managed(planner, ScriptedJudge())) as run:
        await run.wait()
    past = await _killed_behind(
        journal, run, lambda e: isinstance(e, SubtaskEnded) and e.status is SubtaskStatus.FULFILLED
    )
    plans, left = len(planner.requests), ScriptedWorker()
    again = Task.from_past(past, _crew_of(run, left))
    await again.start()
    state = await again.wait()
    assert (state.status, len(planner.requests)) == (TaskStatus.FULFILLED, plans)
    assert [briefing.subtask.title for briefing in left.briefings] == ["b", "b"], "light keeps the rest"


async def test_a_question_without_a_person_is_the_end_each_time_it_is_taken_up(
    start: StartRun, device: Journaled
) -> None:
    planner = ScriptedPlanner("a")
    ask = Decision(kind="ask", message="which of the two?")
    async with start(device, ScriptedWorker(ask), outer=managed(planner, ScriptedJudge())) as run:
        past = await run.wait()
    for _ in range(2):
        again = Task.from_past(past, _crew_of(run, ScriptedWorker()))
        await again.start()
        past = await again.wait()
        assert past.reason == "the user is needed: which of the two?"
    assert len(planner.requests) == 1


async def test_what_the_outer_loop_asked_is_not_put_into_a_workers_mouth(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    fail = Decision(kind="fail", message="no")
    outer = managed(ScriptedPlanner("a"), ScriptedJudge())
    async with start(device, ScriptedWorker(*[fail] * 9), outer=outer, attended=True) as run:
        async with asyncio.timeout(20):
            while not run.state.requests:
                await asyncio.sleep(0.01)
        past = await run.stop()
    assert past.requests[0].text.startswith("Nothing that was tried has worked")
    again = Task.from_past(past, _crew_of(run, ScriptedWorker(DONE)), attended=True)
    await again.start()
    async with asyncio.timeout(20):
        assert (await again.wait()).status is TaskStatus.FULFILLED


async def test_a_task_that_failed_is_planned_anew(start: StartRun, device: Journaled, journal: SqliteJournal) -> None:
    planner = ScriptedPlanner("a")
    outer = managed(planner, ScriptedJudge())
    fail = Decision(kind="fail", message="no")
    async with start(device, ScriptedWorker(*[fail] * 9), outer=outer) as run:
        past = await run.wait()
    again = Task.from_past(past, _crew_of(run, ScriptedWorker(DONE)))
    await again.start()
    assert (await again.wait()).status is TaskStatus.FULFILLED


async def test_more_steps_are_granted_by_resuming(start: StartRun, device: Journaled) -> None:
    async with start(device, ScriptedWorker(*[Memorize(text="x")] * 9), max_steps=2) as run:
        past = await run.wait()
    assert past.cause == "steps"
    again = Task.from_past(past, _crew_of(run, ScriptedWorker(Home())), max_steps=5)
    await again.start()
    state = await again.wait()
    assert (state.status, state.max_steps) == (TaskStatus.FULFILLED, 7)


async def test_a_fulfilled_task_has_nothing_left_to_do(start: StartRun, device: Journaled) -> None:
    async with start(device, ScriptedWorker()) as run:
        past = await run.wait()
    with pytest.raises(UsageError, match="nothing left to do"):
        Task.from_past(past, run._parts)
