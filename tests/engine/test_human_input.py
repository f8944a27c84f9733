"""Questions, approvals, take-overs and words in the middle of the work, on a real phone with the real loops."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from deskhand.core.actions import Click, Home, Memorize, OpenApp, TakeOver
from deskhand.core.commands import Pause
from deskhand.core.decisions import Briefing, Decision, PlannedAction
from deskhand.core.errors import DeviceTimeout, UsageError
from deskhand.core.human import Amendment, AmendRequest, ChangeTodo, UserRequest
from deskhand.core.planning import Plan, PlanRequest
from deskhand.core.screen import Element
from deskhand.core.statuses import ExecutorStatus, Situation, SubtaskStatus, TaskStatus
from deskhand.core.subtask import Subtask
from deskhand.engine.outer.rules import DEFAULT_RULES, Rule
from deskhand.engine.parts import OuterRoles
from deskhand.engine.run import Task
from deskhand.roles.offline.coach import OfflineCoach
from deskhand.roles.offline.evaluator import OfflineEvaluator
from deskhand.simphone.phone import Phone
from deskhand.task.events import (
    ActionIntended,
    CommandTaken,
    Event,
    ExecutorChanged,
    GateOpened,
    Memorized,
    Record,
    SituationChanged,
    TodoEdited,
    UserActed,
    UserAsked,
    UserReplied,
)
from deskhand.task.fold import fold_all
from deskhand.task.journal import SqliteJournal
from tests.engine.conftest import Journaled, ScriptedWorker, StartRun, forever

QUESTION = Decision(kind="ask", message="which of the two?")
RISKY = PlannedAction(action=OpenApp(name="设置"), sensitive="it changes settings")


class OnePlan:
    """Plans one part, always the same, and remembers why it was asked."""

    def __init__(self, *titles: str) -> None:
        self.titles = titles or ("the only part",)
        self.requests: list[PlanRequest] = []

    async def plan(self, request: PlanRequest) -> Plan:
        self.requests.append(request)
        return Plan(subtasks=tuple(Subtask(id="", title=title) for title in self.titles))

    async def supplement(self, need: str, goal: str) -> tuple[()]:
        return ()


def managed(planner: OnePlan | None = None) -> OuterRoles:
    judge = OfflineEvaluator()
    return OuterRoles(planner or OnePlan(), judge, judge, can_afford=lambda _: True, coach=OfflineCoach())


async def asked(run: Task) -> UserRequest:
    """The next thing that the task wants from a person."""
    async with asyncio.timeout(30):
        async for record in run.events():
            if isinstance(record.event, UserAsked) and run.state.requests:
                return run.state.requests[0]
    raise AssertionError("the task ended without a question")


async def events_of(journal: SqliteJournal, run: Task) -> list[Event]:
    return [record.event for record in await journal.read(run.task_id)]


async def test_a_question_that_nobody_answers_is_no_yes_whatever_the_settings_assume(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    settings = {"timeout_s": 0.1, "on_timeout": "allow"}
    async with start(device, ScriptedWorker(QUESTION), attended=True, people=settings) as run:
        state = await run.wait()
    assert (state.status, state.reason) == (TaskStatus.REJECTED, "nobody answered in time: which of the two?")
    (reply,) = [event.reply for event in await events_of(journal, run) if isinstance(event, UserReplied)]
    assert (reply.verdict, reply.by) == ("no", "timeout")


@pytest.mark.parametrize("loop", ["single", "dual"])
async def test_an_answer_reaches_the_worker_who_asked(start: StartRun, device: Journaled, loop: str) -> None:
    worker = ScriptedWorker(QUESTION)
    async with start(device, worker, attended=True, outer=managed() if loop == "dual" else None) as run:
        request = await asked(run)
        assert (run.state.status, run.state.situation) == (TaskStatus.ON_HOLD, Situation.WAIT_USER)
        run.answer(request.id, "yes", "the left one")
        state = await run.wait()
    assert state.status is TaskStatus.FULFILLED
    assert "the left one" in worker.briefings[1].messages[0]
    assert state.requests == ()


async def test_a_yes_is_for_one_action_and_a_no_ends_the_attempt(start: StartRun, device: Journaled) -> None:
    worker = ScriptedWorker([RISKY], [RISKY])
    async with start(device, worker, attended=True) as run:
        first = await asked(run)
        assert first.kind == "approval"
        assert first.action == RISKY.action
        assert device.sent == []
        run.answer(first.id, "yes")
        async with asyncio.timeout(30):
            while not run.state.requests or run.state.requests[0].id == first.id:
                await asyncio.sleep(0.01)
        assert device.sent == [RISKY.action]
        run.answer(run.state.requests[0].id, "no", "not now")
        state = await run.wait()
    assert device.sent == [RISKY.action]
    assert (state.status, state.cause) == (TaskStatus.REJECTED, "failed")
    assert "not now" in state.reason


async def test_what_was_refused_once_is_not_asked_again(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    planner = OnePlan()
    worker = ScriptedWorker([RISKY], [RISKY])
    async with start(device, worker, attended=True, outer=managed(planner)) as run:
        run.answer((await asked(run)).id, "no")
        state = await run.wait()
    events = await events_of(journal, run)
    assert device.sent == []
    assert len([event for event in events if isinstance(event, UserAsked) and event.request.action]) == 1
    assert planner.requests[1].because.startswith("the user said no")
    assert state.status is TaskStatus.FULFILLED  # the script is over, and the third plan has nothing left to do


async def test_a_yes_expires_when_the_screen_changes(start: StartRun, device: Journaled, phone: Phone) -> None:
    worker = ScriptedWorker([PlannedAction(action=Click(x=540, y=1000), sensitive="who knows what this is")])
    async with start(device, worker, attended=True) as run:
        request = await asked(run)
        await run.by_hand(OpenApp(name="设置"))
        run.answer(request.id, "yes")
        state = await run.wait()
    assert device.sent == [OpenApp(name="设置")]
    assert "expired" in worker.briefings[1].history[-1].error
    assert state.status is TaskStatus.FULFILLED


async def test_a_screen_that_changed_while_the_worker_thought_is_judged_as_it_is_now(
    start: StartRun, device: Journaled, phone: Phone
) -> None:
    async def late(_: Briefing) -> Click:
        """By the time it is decided, something else stands at the point."""
        hands = device._device
        await hands.act(OpenApp(name="通讯录"))
        await hands.act(Click(**point(await hands.elements(), "Bob")))
        call = point(await hands.elements(), "拨打电话")
        return Click(**call, target="the clock")

    async with start(device, ScriptedWorker(late, needs_elements=True)) as run:
        state = await run.wait()
    assert "拨打电话" in state.reason
    assert device.sent == []
    assert phone.read_state()["apps"]["com.android.contacts"]["calls"] == []


def point(elements: Sequence[Element], name: str) -> dict[str, int]:
    x, y = next(one.bounds.center for one in elements if one.name == name)
    return {"x": x, "y": y}


async def test_nobody_answers_in_time(start: StartRun, device: Journaled, journal: SqliteJournal) -> None:
    async with start(device, ScriptedWorker([RISKY]), attended=True, people={"timeout_s": 0.1}) as run:
        state = await run.wait()
    replies = [event.reply for event in await events_of(journal, run) if isinstance(event, UserReplied)]
    assert [(reply.verdict, reply.by) for reply in replies] == [("no", "timeout")]
    assert device.sent == []
    assert "nobody answered in time" in state.reason


async def test_a_timeout_may_be_set_to_allow(start: StartRun, device: Journaled) -> None:
    settings = {"timeout_s": 0.1, "on_timeout": "allow"}
    async with start(device, ScriptedWorker([RISKY]), attended=True, people=settings) as run:
        state = await run.wait()
    assert device.sent == [RISKY.action]
    assert state.status is TaskStatus.FULFILLED


async def test_a_worker_calls_for_a_hand_and_learns_what_changed(start: StartRun, device: Journaled) -> None:
    worker = ScriptedWorker(TakeOver(reason="type the code from the message"))
    async with start(device, worker, attended=True) as run:
        request = await asked(run)
        assert (request.kind, request.text) == ("take_over", "type the code from the message")
        await run.by_hand(OpenApp(name="设置"))
        run.answer(request.id, "yes")
        state = await run.wait()
    told = worker.briefings[1].history[-1].actions[0].detail
    assert "handed it back" in told
    assert "settings" in told.casefold()
    assert state.status is TaskStatus.FULFILLED


async def test_a_person_takes_over_at_any_time_and_hands_back(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    notes = [Memorize(text=str(number)) for number in range(5)]
    worker = ScriptedWorker(Home(), *notes, forever)
    async with start(device, worker, attended=True) as run:
        with pytest.raises(UsageError, match="take it over first"):
            await run.by_hand(Home())
        await run.take_over()
        assert run.state.executor is ExecutorStatus.PAUSED
        seen = len(worker.briefings)
        await run.by_hand(OpenApp(name="设置"))
        await run.hand_back()
        async with asyncio.timeout(30):
            while len(worker.briefings) == seen:
                await asyncio.sleep(0.01)
        assert any("handed it back" in message for message in worker.briefings[-1].messages)
    assert [e.action for e in await events_of(journal, run) if isinstance(e, UserActed)] == [OpenApp(name="设置")]


async def test_a_task_that_waits_for_an_answer_survives_its_program(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    async with start(device, ScriptedWorker(QUESTION), attended=True) as run:
        await asked(run)
    assert run.state.requests
    past = fold_all(await journal.read(run.task_id))
    worker = ScriptedWorker()
    async with start(device, worker, attended=True, past=past) as again:
        request = await asked(again)
        assert (request.kind, request.text) == ("question", "which of the two?")
        again.answer(request.id, "yes", "the right one")
        state = await again.wait()
    assert "the right one" in worker.briefings[0].messages[0]
    assert state.status is TaskStatus.FULFILLED


async def test_where_nobody_can_be_asked_the_question_is_kept_for_a_resume(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    async with start(device, ScriptedWorker(QUESTION), outer=managed()) as run:
        state = await run.wait()
    assert state.reason == "the user is needed: which of the two?"
    assert Situation.WAIT_USER in [
        e.situation for e in await events_of(journal, run) if isinstance(e, SituationChanged)
    ]
    async with start(device, ScriptedWorker(), attended=True, past=state, outer=managed()) as again:
        again.answer((await asked(again)).id, "yes", "either")
        assert (await again.wait()).status is TaskStatus.FULFILLED


async def test_an_answer_to_nothing_is_refused(start: StartRun, device: Journaled) -> None:
    async with start(device, ScriptedWorker(QUESTION), attended=True) as run:
        request = await asked(run)
        with pytest.raises(UsageError, match="no open request 'nope'"):
            run.answer("nope", "yes")
        run.answer(request.id, "yes", "so")
        await run.wait()
        with pytest.raises(UsageError, match="no open request"):
            run.answer(request.id, "yes")
        with pytest.raises(UsageError, match="is over"):
            await run.say("hello?")


async def test_stop_ends_a_wait_for_a_person_and_nothing_follows(start: StartRun, device: Journaled) -> None:
    async with start(device, ScriptedWorker([RISKY]), attended=True) as run:
        await asked(run)
        async with asyncio.timeout(5):
            state = await run.stop()
    assert state.cause == "stopped"
    assert device.sent == []


async def test_no_action_is_carried_out_while_paused_even_when_it_was_agreed_to(
    start: StartRun, device: Journaled
) -> None:
    async with start(device, ScriptedWorker([RISKY]), attended=True) as run:
        request = await asked(run)
        await run.pause()
        run.answer(request.id, "yes")
        async with asyncio.timeout(30):
            while run.state.requests:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.5)  # time enough to do what must not be done
        assert run.state.executor is ExecutorStatus.PAUSED
        assert device.sent == []
        run.resume()
        state = await run.wait()
    assert device.sent == []  # the screen is looked at again, and the script has nothing more to say
    assert state.status is TaskStatus.FULFILLED


async def test_a_person_adds_and_skips_while_the_worker_works(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    hold = asyncio.Event()

    async def until_told(_: object) -> Decision:
        await hold.wait()
        return Decision(kind="done", message="first part done")

    worker = ScriptedWorker(until_told)
    planner = OnePlan("open the settings", "open the clock")
    async with start(device, worker, goal="the settings and the clock", attended=True, outer=managed(planner)) as run:
        async with asyncio.timeout(30):
            while not worker.briefings:
                await asyncio.sleep(0.01)
        await run.say("skip the second one")
        await run.say("also open the calculator")
        async with asyncio.timeout(30):
            while [s.title for s in run.state.plan] != ["open the settings", "open the calculator"]:
                await asyncio.sleep(0.01)
        hold.set()
        state = await run.wait()
    assert state.status is TaskStatus.FULFILLED
    assert [(s.title, s.status) for s in state.plan] == [
        ("open the settings", SubtaskStatus.FULFILLED),
        ("open the calculator", SubtaskStatus.FULFILLED),
    ]
    assert [briefing.subtask.title for briefing in worker.briefings] == ["open the settings", "open the calculator"]
    assert not [e for e in await events_of(journal, run) if isinstance(e, ActionIntended)]


async def test_the_part_under_way_is_given_up_when_the_person_skips_it(start: StartRun, device: Journaled) -> None:
    worker = ScriptedWorker(forever)
    planner = OnePlan("open the settings", "open the clock")
    async with start(device, worker, attended=True, outer=managed(planner)) as run:
        async with asyncio.timeout(30):
            while not worker.briefings:
                await asyncio.sleep(0.01)
        await run.say("skip the first one")
        state = await run.wait()
    assert [s.title for s in state.plan] == ["open the clock"]
    assert state.status is TaskStatus.FULFILLED


@pytest.mark.parametrize("parts", [("open the settings", "open the clock"), ("open the settings",)])
async def test_a_question_is_withdrawn_when_the_person_skips_what_it_is_about(
    start: StartRun, device: Journaled, parts: tuple[str, ...]
) -> None:
    worker = ScriptedWorker(QUESTION)
    async with start(device, worker, attended=True, outer=managed(OnePlan(*parts))) as run:
        request = await asked(run)
        await run.say("skip the first one")
        async with asyncio.timeout(30):
            while run.state.situation is Situation.WAIT_USER:
                await asyncio.sleep(0.01)
        state = await run.wait()
        with pytest.raises(UsageError):
            run.answer(request.id, "yes")
    assert [s.title for s in state.plan] == list(parts[1:])
    assert state.status is TaskStatus.FULFILLED


async def test_a_pause_at_the_moment_of_the_end_does_not_hide_the_end(
    start: StartRun, device: Journaled, journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a slow disk the pause is taken between the last step and the worker's end, and written behind it."""
    append, decided = journal.append, asyncio.Event()

    async def slowly(task_id: str, events: Sequence[Event]) -> list[Record]:
        written = await append(task_id, events)
        await asyncio.sleep(0.05)
        return written

    async def at_once(_: object) -> Decision:
        decided.set()
        return Decision(kind="done", message="done")

    monkeypatch.setattr(journal, "append", slowly)
    async with start(device, ScriptedWorker(at_once), attended=True, outer=managed()) as run:
        await decided.wait()
        run.send(Pause())
        async with asyncio.timeout(30):
            state = await run.wait()
    assert state.status is TaskStatus.FULFILLED
    statuses = [e.status for e in await events_of(journal, run) if isinstance(e, ExecutorChanged)]
    assert ExecutorStatus.PAUSED not in statuses[statuses.index(ExecutorStatus.COMPLETED) :]


async def test_a_pause_in_the_middle_of_an_action_comes_before_the_question_about_the_next_one(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    """Else the pause would wait for an answer, which nobody gives who waits for the pause."""
    pausing: list[asyncio.Task[None]] = []

    async def pause(_: object) -> None:
        pausing.append(asyncio.create_task(run.pause()))
        while Pause() not in [e.command for e in await events_of(journal, run) if isinstance(e, CommandTaken)]:
            await asyncio.sleep(0.01)

    device.on_act = pause
    async with start(device, ScriptedWorker([Home(), RISKY]), attended=True) as run:
        async with asyncio.timeout(30):
            while not pausing:
                await asyncio.sleep(0.01)
            await pausing[0]
        assert (run.state.executor, run.state.requests) == (ExecutorStatus.PAUSED, ())
        device.on_act = None
        run.resume()
        state = await run.wait()
    assert (state.status, device.sent) == (TaskStatus.FULFILLED, [Home()])


async def test_words_changed_as_the_worker_says_done_are_worked_on_before_anything_is_judged(
    start: StartRun, device: Journaled, journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker's end, on its way to the outer loop, is that of the old words."""
    append, changed = journal.append, asyncio.Event()

    class NewWords(OfflineCoach):
        async def amend(self, request: AmendRequest) -> Amendment:
            assert request.current
            return Amendment(edits=(ChangeTodo(id=request.current.id, title="the new words"),))

    async def at_the_same_moment(task_id: str, events: Sequence[Event]) -> list[Record]:
        written = await append(task_id, events)
        if any(isinstance(event, TodoEdited) for event in events):
            changed.set()
            await asyncio.sleep(0.05)  # the worker comes to its end behind this
        return written

    async def done_then(_: object) -> Decision:
        await changed.wait()
        return Decision(kind="done", message="done")

    monkeypatch.setattr(journal, "append", at_the_same_moment)
    worker = ScriptedWorker(done_then, Memorize(text="by the new words"))
    outer = replace(managed(), coach=NewWords())
    async with start(device, worker, attended=True, outer=outer) as run:
        async with asyncio.timeout(30):
            while not worker.briefings:
                await asyncio.sleep(0.01)
        await run.say("do it otherwise")
        state = await run.wait()
    kinds = [type(event) for event in await events_of(journal, run) if isinstance(event, GateOpened | Memorized)]
    assert kinds == [Memorized, GateOpened, GateOpened], "one gate for the subtask, one for the whole"
    assert worker.briefings[-1].subtask.title == "the new words"
    assert state.status is TaskStatus.FULFILLED


async def test_a_rule_that_calls_a_person_at_the_workers_end_leaves_no_task_behind(
    start: StartRun, device: Journaled
) -> None:
    own = Rule("own", lambda now: now.state.executor.ended, "USER_INTERVENTION", 300, lambda _: "is it well?")
    outer = replace(managed(), rules=(*DEFAULT_RULES, own))
    async with start(device, ScriptedWorker(), attended=True, outer=outer) as run:
        run.answer((await asked(run)).id, "yes")
        async with asyncio.timeout(30):
            state = await run.wait()
    assert state.status is TaskStatus.FULFILLED


async def test_a_screen_that_is_not_seen_as_the_device_is_handed_back_is_looked_at_again(
    start: StartRun, device: Journaled, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_picture() -> None:
        monkeypatch.undo()
        raise DeviceTimeout("no picture")

    worker = ScriptedWorker(TakeOver(reason="type the code"))
    async with start(device, worker, attended=True) as run:
        request = await asked(run)
        monkeypatch.setattr(device, "frame", no_picture, raising=False)
        run.answer(request.id, "yes")
        state = await run.wait()
    assert state.status is TaskStatus.FULFILLED, state.reason
    assert "no picture" in worker.briefings[1].history[-1].actions[-1].detail


async def test_nothing_of_a_skipped_part_is_done_any_more_while_the_order_to_stop_is_on_its_way(
    start: StartRun, device: Journaled
) -> None:
    async def skipped_meanwhile(_: object) -> Decision:
        await run.say("skip the first one")
        async with asyncio.timeout(30):
            while run.state.plan:
                await asyncio.sleep(0)
        return Decision(kind="actions", actions=(PlannedAction(action=Home()),))

    async with start(device, ScriptedWorker(skipped_meanwhile), attended=True, outer=managed()) as run:
        state = await run.wait()
    assert (state.status, state.plan, device.sent) == (TaskStatus.FULFILLED, (), [])
