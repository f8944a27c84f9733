"""Two loops that never wait for each other, a ladder of help for who is stuck, and what is learned from it."""

import asyncio
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deskhand.core.actions import Action, Click, Home, Memorize, OpenApp, Wait
from deskhand.core.commands import InjectPrompt, Pause, ResetContext, Resume
from deskhand.core.decisions import Briefing, Decision, PlannedAction
from deskhand.core.errors import DeskhandError
from deskhand.core.human import Amendment, AmendRequest, Correction, Lesson, LessonRequest, StuckRequest
from deskhand.core.planning import GateDecision, GateTrigger
from deskhand.core.statuses import ExecutorStatus, TaskStatus
from deskhand.engine.parts import OuterRoles
from deskhand.engine.run import Task
from deskhand.task.events import (
    ActionEnded,
    ActionIntended,
    CommandTaken,
    Corrected,
    Event,
    ExecutorChanged,
    PlanMade,
    StepFinished,
    SubtaskStarted,
    TaskEnded,
    TodoEdited,
    UserAsked,
)
from deskhand.task.fold import fold_all
from deskhand.task.journal import SqliteJournal
from deskhand.task.prompt_memory import PromptMemoryFile
from tests.engine.conftest import Journaled, ScriptedWorker, StartRun
from tests.engine.outer.test_dispatcher import ScriptedJudge, ScriptedPlanner

NOWHERE = Click(x=540, y=45)
FAIL = Decision(kind="fail", message="can't do it")


class ScriptedCoach:
    """Says what it is told to, after `takes` seconds, and remembers what it was asked."""

    def __init__(self, takes: float = 0) -> None:
        self.takes = takes
        self.stuck: list[StuckRequest] = []
        self.lessons: list[LessonRequest] = []

    async def amend(self, request: AmendRequest) -> Amendment:
        await asyncio.sleep(self.takes)
        return Amendment(message=request.said, understood=f"heard: {request.said}")

    async def correct(self, request: StuckRequest) -> Correction:
        self.stuck.append(request)
        return Correction(text=f"hint {len(self.stuck)}")

    async def improve(self, request: LessonRequest) -> Lesson:
        self.lessons.append(request)
        return Lesson(prompt=f"next time: {'; '.join(request.corrections)}")


class QuietJudge(ScriptedJudge):
    """Wants another way whenever the worker gets nowhere, but has no idea which."""

    async def check(self, request: Any) -> Any:
        report = await super().check(request)
        return report.model_copy(update={"suggestions": ()})


def managed(
    coach: ScriptedCoach | None = None, memory: PromptMemoryFile | None = None, planner: Any = None, judge: Any = None
) -> OuterRoles:
    judge = judge or QuietJudge()
    planner = planner or ScriptedPlanner()
    return OuterRoles(planner, judge, judge, can_afford=lambda _: True, coach=coach or ScriptedCoach(), memory=memory)


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.005)


async def events_of(journal: SqliteJournal, run: Task) -> list[Event]:
    return [record.event for record in await journal.read(run.task_id)]


async def test_each_step_of_the_ladder_comes_after_the_one_before_did_not_help(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    coach = ScriptedCoach()
    worker = ScriptedWorker(*[NOWHERE] * 100)
    async with start(
        device,
        worker,
        outer=managed(coach),
        attended=True,
        settle={"max_wait_ms": 100, "patience_ms": 0},
        executor={"max_steps": 100},
        dispatcher={"max_stuck_retries": 1},
    ) as run:
        async with asyncio.timeout(120):
            async for record in run.events():
                if isinstance(record.event, UserAsked):
                    break
        state = await run.stop()
    events = await events_of(journal, run)
    ladder = [event.level for event in events if isinstance(event, Corrected)]
    assert ladder[:3] == ["inject", "restart", "replan"]
    assert ladder[-1] == "person"
    assert state.cause == "stopped"
    told = [message for briefing in worker.briefings for message in briefing.messages]
    assert "hint 1" in told
    assert coach.stuck[1].corrections == ("hint 1",)
    started = [event for event in events if isinstance(event, SubtaskStarted)]
    assert started[1].subtask.id == started[0].subtask.id
    assert all(hint in started[1].system_prompt for hint in ("hint 1", "hint 2"))
    assert ResetContext() in [event.command for event in events if isinstance(event, CommandTaken)]
    assert run.state.plans == len([event for event in events if isinstance(event, PlanMade)]) > 1


@pytest.mark.parametrize("retries", [0, 2])
async def test_how_often_a_stuck_worker_is_corrected_is_a_setting(
    start: StartRun, device: Journaled, journal: SqliteJournal, retries: int
) -> None:
    async with start(
        device,
        ScriptedWorker(*[NOWHERE] * 30),
        outer=managed(),
        dispatcher={"max_stuck_retries": retries},
        settle={"max_wait_ms": 300, "patience_ms": 50},
    ) as run:
        await run.wait()
    ladder = [event.level for event in await events_of(journal, run) if isinstance(event, Corrected)]
    assert ladder[: retries + 2] == ["inject"] * retries + ["restart", "replan"]


async def test_what_helped_is_learned_and_told_the_next_time(
    start: StartRun, device: Journaled, journal: SqliteJournal, tmp_path: Path
) -> None:
    class Typed(ScriptedPlanner):
        async def plan(self, request: Any) -> Any:
            plan = await super().plan(request)
            parts = [part.model_copy(update={"task_type": "message"}) for part in plan.subtasks]
            return plan.model_copy(update={"subtasks": tuple(parts)})

    memory, coach = PromptMemoryFile(tmp_path / "prompts.json"), ScriptedCoach()
    quick = {"max_wait_ms": 300, "patience_ms": 50}
    worker = ScriptedWorker(*[NOWHERE] * 3)
    async with start(device, worker, outer=managed(coach, memory, Typed()), settle=quick) as run:
        await until(lambda: run.state.corrections or run.state.over)
        state = await run.wait()
    assert state.status is TaskStatus.FULFILLED
    if state.corrections:  # the check beside the work came before its end
        assert coach.lessons[0].task_type == "message"
        assert await memory.pick("message") == "next time: hint 1"
        again = ScriptedWorker()
        async with start(device, again, outer=managed(coach, memory, Typed())) as run:
            await run.wait()
        assert again.briefings[0].system_prompt == "next time: hint 1"


async def test_a_slow_planner_never_delays_the_worker(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    notes = [Memorize(text=str(number)) for number in range(30)]
    async with start(
        device, ScriptedWorker(*notes), outer=managed(ScriptedCoach(takes=10)), executor={"max_steps": 40}
    ) as run:
        await until(lambda: run.state.step)
        begun = run.state.step
        await run.say("hurry up")
        await until(lambda: run.state.step >= 30 or run.state.over)
        said = time.monotonic()
        assert not [e for e in await events_of(journal, run) if isinstance(e, TodoEdited)], "the coach still thinks"
        await run.stop()
        assert time.monotonic() - said < 5, "nobody waited for the coach"
    assert begun < 30


async def test_a_slow_worker_never_delays_what_the_person_says(start: StartRun, device: Journaled) -> None:
    async with start(device, ScriptedWorker(Wait(seconds=60)), outer=managed()) as run:
        await until(lambda: run.state.unconfirmed)
        await run.say("also look at the clock")
        async with asyncio.timeout(5):
            async for record in run.events():
                if isinstance(record.event, TodoEdited):
                    break
        assert record.event.understood == "heard: also look at the clock"
        assert run.state.unconfirmed, "the worker still waits"
        await run.stop()


async def test_rules_about_time_speak_up_without_any_event(start: StartRun, device: Journaled) -> None:
    judge = ScriptedJudge(TIME_EXCEEDED=[GateDecision.FAIL])
    async with start(
        device,
        ScriptedWorker(Wait(seconds=60)),
        outer=managed(judge=judge),
        rules={"subtask_s": 0.2},
        dispatcher={"tick_ms": 50},
    ) as run:
        await until(lambda: [r for r in judge.requests if r.trigger is GateTrigger.TIME_EXCEEDED])
        assert run.state.step == 1, "the first step is still under way"
        await run.stop()


async def test_only_the_newest_feedback_reaches_the_planner(start: StartRun, device: Journaled) -> None:
    planner = ScriptedPlanner()
    notes = [Memorize(text=str(number)) for number in range(6)]
    worker = ScriptedWorker(*notes, FAIL)
    async with start(device, worker, outer=managed(planner=planner), dispatcher={"feedback": 3}) as run:
        await run.wait()
    assert [len(request.history) for request in planner.requests][:2] == [0, 3]


# --- anything at any time --------------------------------------------------------------------------------


class OneAtATime(Journaled):
    """Notes whether two actions were ever under way at once."""

    under_way = 0
    most = 0

    async def act(self, action: Action) -> str:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            return await super().act(action)
        finally:
            self.under_way -= 1


@pytest.mark.parametrize("seed", range(3))
async def test_five_hundred_random_commands_and_inputs(
    start: StartRun, device: Journaled, journal: SqliteJournal, seed: int
) -> None:
    chance = random.Random(seed)
    one = OneAtATime(device._device)

    def anything(briefing: Briefing) -> Any:
        if chance.random() < 0.05:
            return Decision(kind="ask", message="really?")
        if chance.random() < 0.05:
            return [PlannedAction(action=Home(), sensitive="who knows")]
        return chance.choice([Home(), Memorize(text="x"), OpenApp(name="设置"), [Home(), Memorize(text="y")]])

    worker = ScriptedWorker(*[anything] * 4000)
    quick: dict[str, Any] = {"max_wait_ms": 50, "interval_ms": 10, "patience_ms": 0, "still_frames": 1}
    async with start(
        one, worker, outer=managed(), attended=True, settle=quick, executor={"max_steps": 5000},
        rules={"subtask_steps": 1000, "steps_without_progress": 100}, dispatcher={"max_plans": 100},
        people={"timeout_s": 1},
    ) as run:  # fmt: skip
        for _ in range(500):  # all of them, also those that come behind the end of the task
            await _something(run, chance)
        state = await run.stop()
        sent = len(one.sent)
        await asyncio.sleep(0.3)
    assert len(one.sent) == sent, "nothing is sent after Stop has returned"
    assert one.most == 1, "never two actions at once"
    records = await journal.read(run.task_id)
    assert fold_all(records) == state, [record.event.type for record in records[-6:]]
    _check([record.event for record in records])


async def _something(run: Task, chance: random.Random) -> None:
    try:
        match chance.randrange(9):
            case 0:
                run.send(Pause())
            case 1 | 2:
                run.send(Resume())
            case 3:
                run.send(InjectPrompt(content="look left"))
            case 4:
                run.send(ResetContext())
            case 5:
                await run.say(chance.choice(["also open the clock", "skip the second one", "hello", "还要打开设置"]))
            case 6:
                for request in run.state.requests:
                    run.answer(request.id, chance.choice(["yes", "no"]), "so be it")
            case 7:
                await run.take_over()
                await run.by_hand(Home())
                await run.hand_back()
            case _:
                await asyncio.sleep(chance.random() * 0.02)
    except DeskhandError:
        pass  # refused, in a sentence: the task is over, the request closed, the device not the person's


def _check(events: list[Event]) -> None:
    """No action while paused, and none behind the end; every intention has its outcome before the next."""
    paused, open_action, over = False, False, False
    for place, event in enumerate(events):
        before = [str(one)[:110] for one in events[max(0, place - 12) : place + 1]]
        assert not over, f"nothing is written behind the end: {before}"
        match event:
            case ExecutorChanged(status=status):
                paused = status is ExecutorStatus.PAUSED
            case ActionIntended():
                assert not paused, f"an action began while paused: {before}"
                assert not open_action, f"two actions at once: {before}"
                open_action = True
            case ActionEnded():
                open_action = False
            case SubtaskStarted():
                open_action = False  # what was under way was given up with its subtask
            case TaskEnded():
                over = True
            case StepFinished() | _:
                pass
    assert over
