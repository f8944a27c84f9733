"""The inner loop on a real (simulated) phone: order, limits, faults fed back, the queue and its flush, commands."""

import asyncio
from collections.abc import Callable

import pytest

from deskhand.core.actions import Action, Answer, Click, Drag, Home, Memorize, OpenApp, Scroll, Swipe, Type, Wait
from deskhand.core.commands import InjectPrompt, Pause, ResetContext, Resume
from deskhand.core.decisions import Briefing, Decision, Expect, PlannedAction
from deskhand.core.errors import ActionFailed, DeviceGone, DeviceTimeout, ModelUnavailable, Unparsable, UsageError
from deskhand.core.screen import Element
from deskhand.core.statuses import ExecStatus, ExecutorStatus, TaskStatus
from deskhand.engine.run import Task
from deskhand.simphone.phone import Phone
from deskhand.task.events import ActionEnded, ActionIntended, ExecutorChanged, QueueFlushed, StepFinished, TaskEnded
from deskhand.task.fold import fold_all
from deskhand.task.journal import SqliteJournal
from tests.engine.conftest import Journaled, ScriptedWorker, StartRun, forever
from tests.promptness import AT_ONCE_S

SETTINGS = OpenApp(name="设置")
MESSENGER = OpenApp(name="微信")


async def eventually(condition: Callable[[], object], what: str) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.01)


async def test_actions_reach_the_phone_and_the_task_ends_as_the_worker_says(
    start: StartRun, device: Journaled, phone: Phone, journal: SqliteJournal
) -> None:
    async with start(device, ScriptedWorker(SETTINGS)) as run:
        state = await run.wait()
    assert phone.windows.foreground[0] == "com.android.settings"
    assert (state.status, state.cause, state.reason) == (TaskStatus.FULFILLED, "done", "the script is over")
    assert (state.step, state.actions, state.usage.calls) == (2, 1, 0)
    assert fold_all(await journal.read(state.task_id)) == state


async def test_an_action_is_on_disk_before_it_is_sent(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    seen: list[bool] = []
    task_ids: list[str] = []

    async def look_at_disk(action: Action) -> None:
        records = await journal.read(task_ids[0])
        seen.append(isinstance(records[-1].event, ActionIntended) and records[-1].event.action == action)

    device.on_act = look_at_disk
    async with start(device, ScriptedWorker(SETTINGS, Home())) as run:
        task_ids.append(run.task_id)
        await run.wait()
    assert seen == [True, True]


async def test_a_step_makes_at_most_three_writes(
    start: StartRun, device: Journaled, journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    appends: list[list[str]] = []
    append = journal.append

    async def counted(task_id: str, events: object) -> object:
        appends.append([event.type for event in events])  # type: ignore[attr-defined]
        return await append(task_id, events)  # type: ignore[arg-type]

    monkeypatch.setattr(journal, "append", counted)
    async with start(device, ScriptedWorker(SETTINGS)) as run:
        await run.wait()
    first_step = [types for types in appends if "observed" in types or "action_ended" in types or "settled" in types]
    assert len(first_step[:3]) == 3
    assert first_step[0][-1] == "action_intended"
    assert first_step[2][-1] == "step_finished"


async def test_an_empty_goal_is_refused(start: StartRun, device: Journaled) -> None:
    with pytest.raises(UsageError, match="The goal is empty"):
        async with start(device, ScriptedWorker(), goal="  "):
            pass


async def test_the_step_limit_ends_the_task_and_says_so(start: StartRun, device: Journaled) -> None:
    worker = ScriptedWorker(*[Memorize(text="x")] * 9)
    async with start(device, worker, max_steps=4) as run:
        state = await run.wait()
    assert (state.status, state.cause, state.step) == (TaskStatus.REJECTED, "steps", 4)
    assert "4 steps" in state.reason


async def test_an_unreadable_reply_is_fed_back_and_never_a_success(start: StartRun, device: Journaled) -> None:
    worker = ScriptedWorker(Unparsable("no action in your reply"), Home())
    async with start(device, worker) as run:
        state = await run.wait()
    last = worker.briefings[1].last
    assert last
    assert last.error == "no action in your reply"
    assert state.status is TaskStatus.FULFILLED


async def test_three_failures_in_a_row_end_the_task_and_each_counts_as_a_step(
    start: StartRun, device: Journaled
) -> None:
    async with start(device, ScriptedWorker(*[Unparsable("gibberish")] * 9)) as run:
        state = await run.wait()
    assert (state.status, state.cause, state.step) == (TaskStatus.REJECTED, "failed", 3)
    assert "3 steps failed in a row" in state.reason
    assert "gibberish" in state.reason


@pytest.mark.parametrize(
    ("action", "complaint"),
    [(Click(x=5000, y=5), "outside of the screen"), (Drag(x=1, y=1, to_x=1, to_y=9999), "outside of the screen")],
)
async def test_a_point_outside_of_the_screen_is_refused_and_told(
    start: StartRun, device: Journaled, action: Action, complaint: str
) -> None:
    worker = ScriptedWorker(action)
    async with start(device, worker) as run:
        await run.wait()
    assert device.sent == []
    last = worker.briefings[1].last
    assert last
    assert complaint in last.error


async def test_a_word_the_device_does_not_have_is_refused_with_those_it_has(start: StartRun, device: Journaled) -> None:
    from deskhand.core.actions import RightClick

    worker = ScriptedWorker(RightClick(x=5, y=5))
    async with start(device, worker) as run:
        await run.wait()
    assert device.sent == []
    assert "right_click" not in worker.briefings[0].capabilities
    last = worker.briefings[1].last
    assert last
    assert "can't right click; it can:" in last.error


async def test_a_failed_action_is_told_to_the_worker_and_what_is_queued_is_dropped(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    device.faults = [ActionFailed("the button is greyed out")]
    worker = ScriptedWorker([Click(x=5, y=5), Click(x=6, y=6)])
    async with start(device, worker) as run:
        state = await run.wait()
    assert device.sent == [Click(x=5, y=5)]
    last = worker.briefings[1].last
    assert last
    assert (last.actions[0].status, last.actions[0].detail) == (ExecStatus.ERROR, "the button is greyed out")
    events = [record.event for record in await journal.read(state.task_id)]
    assert [event.dropped for event in events if isinstance(event, QueueFlushed)] == [(Click(x=6, y=6),)]


async def test_only_what_is_safe_to_repeat_is_tried_again(start: StartRun, device: Journaled) -> None:
    device.faults = [DeviceTimeout("no answer"), None, DeviceTimeout("no answer")]
    async with start(device, ScriptedWorker(SETTINGS, Click(x=5, y=5))) as run:
        await run.wait()
    assert device.sent == [SETTINGS, SETTINGS, Click(x=5, y=5)]


async def test_an_action_that_hangs_is_given_up_and_told(start: StartRun, device: Journaled) -> None:
    async def hang(_: Action) -> None:
        await asyncio.Event().wait()

    device.on_act = hang
    worker = ScriptedWorker(Click(x=5, y=5))
    async with start(device, worker, executor={"action_timeout_s": 0.1}) as run:
        await run.wait()
    last = worker.briefings[1].last
    assert last
    assert last.actions[0].status is ExecStatus.TIMEOUT


async def test_a_worker_that_hangs_is_a_failed_step(start: StartRun, device: Journaled) -> None:
    worker = ScriptedWorker(forever)
    async with start(device, worker, executor={"decide_timeout_s": 0.1}) as run:
        await run.wait()
    last = worker.briefings[1].last
    assert last
    assert "No decision came within 0.1 s" in last.error


async def test_a_device_that_is_gone_ends_the_task_with_its_own_cause(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    device.faults = [DeviceGone("the phone was unplugged")]
    async with start(device, ScriptedWorker(Home())) as run:
        state = await run.wait()
    assert (state.cause, state.reason) == ("device", "the phone was unplugged")
    events = [record.event for record in await journal.read(state.task_id)]
    assert [event.status for event in events if isinstance(event, ActionEnded)] == [ExecStatus.ERROR]


async def test_a_dead_model_ends_the_task_with_its_own_cause(start: StartRun, device: Journaled) -> None:
    async with start(device, ScriptedWorker(ModelUnavailable("the endpoint does not answer"))) as run:
        state = await run.wait()
    assert (state.cause, state.reason) == ("model", "the endpoint does not answer")


async def test_a_bug_is_written_down_and_raised(start: StartRun, device: Journaled, journal: SqliteJournal) -> None:
    async with start(device, ScriptedWorker(ZeroDivisionError("oops"))) as run:
        with pytest.raises(ZeroDivisionError):
            await run.wait()
        last = (await journal.read(run.task_id))[-1].event
    assert isinstance(last, TaskEnded)
    assert (last.cause, last.reason) == ("crashed", "internal error: oops")


@pytest.mark.parametrize("kind", ["fail", "stale", "supplement", "ask"])
async def test_every_other_way_to_end_is_a_rejection_with_the_workers_words(
    start: StartRun, device: Journaled, kind: str
) -> None:
    decision = Decision.model_validate({"kind": kind, "message": "there is no such contact"})
    async with start(device, ScriptedWorker(decision)) as run:
        state = await run.wait()
    assert state.status is TaskStatus.REJECTED
    assert state.reason.removeprefix("the user is needed: ") == "there is no such contact"


async def test_notes_answers_messages_and_bookmark_reach_the_worker(start: StartRun, device: Journaled) -> None:
    bookmarked = Decision(
        kind="actions", actions=(PlannedAction(action=Memorize(text="code 42")),), bookmark="half way"
    )
    worker = ScriptedWorker(bookmarked, Answer(text="408"), Memorize(text="y"))
    async with start(device, worker) as run:
        run.send(InjectPrompt(content="be quick"))
        state = await run.wait()
    assert worker.briefings[1].bookmark == "half way"
    assert worker.briefings[1].notes == ("code 42",)
    assert any("be quick" in briefing.messages for briefing in worker.briefings)
    assert state.answers == ("408",)


async def test_history_in_a_briefing_is_bounded(start: StartRun, device: Journaled) -> None:
    worker = ScriptedWorker(*[Memorize(text="x")] * 6)
    async with start(device, worker, executor={"history": 2}) as run:
        await run.wait()
    assert max(len(briefing.history) for briefing in worker.briefings) == 2


async def test_reset_forgets_the_history(start: StartRun, device: Journaled) -> None:
    async def reset(_: Briefing) -> Decision:
        run.send(ResetContext())
        await eventually(lambda: not run.state.history, "reset")
        return Decision(kind="actions", actions=(PlannedAction(action=Memorize(text="z")),))

    worker = ScriptedWorker(Memorize(text="x"), reset)
    async with start(device, worker) as run:
        await run.wait()
    assert [len(briefing.history) for briefing in worker.briefings] == [0, 1, 1]


async def test_nothing_reaches_the_device_while_paused_and_the_screen_is_looked_at_again(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    deciding, decided = asyncio.Event(), asyncio.Event()

    async def slowly(_: Briefing) -> list[Action]:
        deciding.set()
        await decided.wait()
        return [Home()]

    async def unwrapped(briefing: Briefing) -> Decision:
        return Decision(kind="actions", actions=tuple(PlannedAction(action=a) for a in await slowly(briefing)))

    worker = ScriptedWorker(unwrapped, Home())
    async with start(device, worker) as run:
        await deciding.wait()
        run.send(Pause())
        await eventually(lambda: run.state.executor is ExecutorStatus.PAUSED, "paused")
        decided.set()
        await asyncio.sleep(0.3)
        assert device.sent == []
        run.send(Resume())
        state = await run.wait()
    assert device.sent == [Home()]
    assert state.status is TaskStatus.FULFILLED
    events = [record.event for record in await journal.read(state.task_id)]
    assert [event.reason for event in events if isinstance(event, QueueFlushed)] == [
        "paused in between: the screen is looked at again"
    ]
    statuses = [event.status for event in events if isinstance(event, ExecutorChanged)]
    assert statuses == [
        ExecutorStatus.RUNNING, ExecutorStatus.PAUSED, ExecutorStatus.RUNNING, ExecutorStatus.COMPLETED,
    ]  # fmt: skip


async def test_several_actions_of_one_reply_cost_one_decision(start: StartRun, device: Journaled, phone: Phone) -> None:
    worker = ScriptedWorker(
        [PlannedAction(action=SETTINGS, expect=Expect(app="com.android.settings")), Scroll(), Home()]
    )
    async with start(device, worker) as run:
        state = await run.wait()
    assert (state.actions, state.step) == (3, 2)
    assert phone.windows.foreground[0] != "com.android.settings"


async def test_a_popup_in_the_middle_of_a_reply_flushes_the_rest(
    start: StartRun, device: Journaled, phone: Phone, journal: SqliteJournal
) -> None:
    async def pop_up(_: Action) -> None:
        phone.conditions.add("popup")

    device.on_act = pop_up
    far_apart = [Swipe(x=540, y=1500, to_x=540, to_y=900), Click(x=540, y=1200), Click(x=100, y=300)]
    async with start(device, ScriptedWorker(SETTINGS, far_apart)) as run:
        state = await run.wait()
    flushes = [r.event for r in await journal.read(state.task_id) if isinstance(r.event, QueueFlushed)]
    assert device.sent == [SETTINGS, far_apart[0]]
    assert [len(flush.dropped) for flush in flushes] == [2]


async def test_an_expectation_that_is_not_met_flushes_the_rest(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    hope = PlannedAction(action=SETTINGS, expect=Expect(app="com.tencent.mm"))
    async with start(device, ScriptedWorker([hope, Home()])) as run:
        state = await run.wait()
    flush = next(r.event for r in await journal.read(state.task_id) if isinstance(r.event, QueueFlushed))
    assert "expected com.tencent.mm in front" in flush.reason
    assert device.sent == [SETTINGS]


async def test_expected_text_is_looked_for_on_the_screen(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    seen = PlannedAction(action=SETTINGS, expect=Expect(text="Wi-Fi"))
    unseen = PlannedAction(action=Home(), expect=Expect(text="no such words"))
    async with start(device, ScriptedWorker([seen, unseen, Home()])) as run:
        state = await run.wait()
    flush = next(r.event for r in await journal.read(state.task_id) if isinstance(r.event, QueueFlushed))
    assert 'expected to see "no such words"' in flush.reason
    assert device.sent == [SETTINGS, Home()]


async def test_a_worker_that_needs_elements_gets_them_and_one_that_does_not_pays_nothing(
    start: StartRun, device: Journaled
) -> None:
    with_elements, without = ScriptedWorker(needs_elements=True), ScriptedWorker()
    for worker in (with_elements, without):
        async with start(device, worker) as run:
            await run.wait()
    assert with_elements.briefings[0].observation.elements
    assert without.briefings[0].observation.elements is None


async def test_a_screen_without_a_tree_is_an_observation_with_its_reason(
    start: StartRun, device: Journaled, phone: Phone
) -> None:
    phone.conditions.add("never-idle")
    worker = ScriptedWorker(needs_elements=True)
    async with start(device, worker) as run:
        await run.wait()
    observation = worker.briefings[0].observation
    assert observation.elements is None
    assert "keeps changing" in observation.problem


async def test_feedback_tells_when_the_screen_did_not_change(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    nowhere = Click(x=540, y=45)
    async with start(device, ScriptedWorker(SETTINGS, nowhere)) as run:
        state = await run.wait()
    steps = [r.event for r in await journal.read(state.task_id) if isinstance(r.event, StepFinished)]
    assert [step.screen_changed for step in steps[:2]] == [True, False]


async def test_alone_it_does_not_go_on_for_ever_without_an_effect(start: StartRun, device: Journaled) -> None:
    nowhere = [Click(x=540 + number, y=45) for number in range(30)]
    async with start(device, ScriptedWorker(*nowhere)) as run:
        state = await run.wait()
    assert (state.status, state.cause) == (TaskStatus.REJECTED, "failed")
    assert "5 steps changed nothing" in state.reason
    assert len(device.sent) == state.step < 10  # the phone's clock may change the screen once


async def test_a_conclusion_reached_during_a_pause_is_looked_at_again(start: StartRun, device: Journaled) -> None:
    tasks: list[Task] = []

    async def conclude_while_paused(_: Briefing) -> Decision:
        tasks[0].send(Pause())
        await eventually(lambda: tasks[0].state.executor is ExecutorStatus.PAUSED, "paused")
        return Decision(kind="fail", message="the page is not there")

    worker = ScriptedWorker(conclude_while_paused)
    async with start(device, worker) as task:
        tasks.append(task)
        await eventually(lambda: task.state.executor is ExecutorStatus.PAUSED, "paused")
        task.send(Resume())
        state = await task.wait()
    assert len(worker.briefings) == 2
    assert (state.status, state.reason) == (TaskStatus.FULFILLED, "the script is over")


STOP_PHASES = {
    "deciding": (forever,),
    "acting": (Swipe(x=540, y=1500, to_x=540, to_y=800, duration_ms=8000),),
    "settling": (MESSENGER,),
    "waiting": (Wait(seconds=60),),
}


@pytest.mark.parametrize("phase", STOP_PHASES)
async def test_stop_takes_effect_at_once_in_every_phase_and_no_action_follows(
    start: StartRun, device: Journaled, journal: SqliteJournal, phase: str
) -> None:
    # Still frames are asked for that never come, so that settling lasts until it is stopped.
    settle = {"still_frames": 20, "max_wait_ms": 60_000} if phase == "settling" else {}
    worker = ScriptedWorker(*STOP_PHASES[phase], *[Home()] * 20)
    async with start(device, worker, settle=settle) as run:
        await eventually(lambda: worker.briefings, "the first decision")
        if phase != "deciding":
            await eventually(lambda: run.state.unconfirmed or run.state.actions, "the first action")
        if phase == "acting":
            await eventually(lambda: device.sent, "the swipe on its way")
        if phase == "settling":
            await eventually(lambda: run.state.actions, "settling")
        begun = asyncio.get_running_loop().time()
        state = await run.stop()
        took = asyncio.get_running_loop().time() - begun
        sent = list(device.sent)
        assert (state.status, state.cause) == (TaskStatus.REJECTED, "stopped")
        assert took < AT_ONCE_S
        await asyncio.sleep(0.3)
        assert device.sent == sent
    if phase == "acting":
        ended = [record.event for record in await journal.read(run.task_id) if isinstance(record.event, ActionEnded)]
        assert ended[-1].unknown, "a part of the swipe may be done, and the log says so"


async def test_what_a_stop_keeps_from_being_sent_is_no_doubt(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    tasks: list[Task] = []

    async def decide_on_a_slow_disk(_: Briefing) -> Decision:
        await tasks[0]._log._turn.acquire()
        return Decision(kind="actions", actions=(PlannedAction(action=Home()),))

    async with start(device, ScriptedWorker(decide_on_a_slow_disk)) as run:
        tasks.append(run)
        turn = run._log._turn
        await eventually(lambda: turn.locked() and turn._waiters, "the intention on its way to the disk")
        stopping = asyncio.ensure_future(run.stop())
        await eventually(lambda: len(turn._waiters or ()) > 1, "the stop")
        turn.release()
        state = await stopping
    events = [record.event for record in await journal.read(run.task_id)]
    assert [event.action for event in events if isinstance(event, ActionIntended)] == [Home()]
    assert [event.unknown for event in events if isinstance(event, ActionEnded)] == [False]
    assert (device.sent, state.unconfirmed) == ([], None)


async def test_typing_the_word_done_is_typing(start: StartRun, device: Journaled) -> None:
    async with start(device, ScriptedWorker(Type(text="done"), Home())) as run:
        state = await run.wait()
    assert device.sent[-1] == Home()
    assert state.status is TaskStatus.FULFILLED


async def test_a_screen_that_can_not_be_read_before_an_action_is_a_failed_step_and_no_end(
    start: StartRun, device: Journaled
) -> None:
    class Blinking(Journaled):
        faults_left = 1

        async def elements(self) -> tuple[Element, ...]:
            if self.faults_left:
                self.faults_left -= 1
                raise DeviceTimeout("The phone did not list its elements in time.")
            return await self._device.elements()

    blinking, click = Blinking(device._device), Click(x=540, y=1000)
    worker = ScriptedWorker(click, click)
    async with start(blinking, worker) as run:
        state = await run.wait()
    assert state.status is TaskStatus.FULFILLED
    assert blinking.sent == [click]
    assert "did not list its elements in time" in worker.briefings[1].history[-1].error
