"""The outer loop with the real inner one on a phone: plan, work, gate, replan in order, finish, and each way to end."""

import asyncio
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from deskhand.bench.engine import FreeDevice
from deskhand.cli.event_lines import EventLines
from deskhand.core.actions import Click, Home, Memorize, OpenApp
from deskhand.core.decisions import Briefing, Decision, PlannedAction
from deskhand.core.errors import DeviceTimeout, ModelFault, ModelUnavailable
from deskhand.core.planning import (
    ALLOWED,
    GateDecision,
    GateRequest,
    GateTrigger,
    Material,
    Plan,
    PlanRequest,
    QualityReport,
    ReplanReason,
    ReplanStrategy,
)
from deskhand.core.statuses import Situation, SubtaskStatus, TaskStatus
from deskhand.core.subtask import Subtask
from deskhand.engine.outer.quality_gate import make_lawful
from deskhand.engine.parts import OuterRoles
from deskhand.research.sources import MaterialSources
from deskhand.roles.offline.evaluator import OfflineEvaluator
from deskhand.roles.offline.manager import OfflineManager
from deskhand.roles.offline.worker import OfflineWorker
from deskhand.settings.schema import McpToolSettings, SupplementSettings
from deskhand.simphone.phone import Phone
from deskhand.task.events import (
    ActionIntended,
    Event,
    GateClosed,
    GateOpened,
    PlanMade,
    Record,
    Ruled,
    SituationChanged,
    SubtaskEnded,
    SubtaskStarted,
    Supplemented,
)
from deskhand.task.fold import fold
from deskhand.task.journal import SqliteJournal
from deskhand.task.state import TaskState
from deskhand.task.transitions import TABLE
from tests.engine.conftest import Journaled, ScriptedWorker, StartRun, forever

DONE = Decision(kind="done", message="done it")
FAIL = Decision(kind="fail", message="can't do it")


class ScriptedPlanner:
    """A plan of the given titles each time; remembers what it was asked and supplements what it is told to."""

    def __init__(self, *titles: str, found: tuple[Material, ...] = (), fault: Exception | None = None) -> None:
        self.requests: list[PlanRequest] = []
        self.needs: list[str] = []
        self._titles = titles or ("the only part",)
        self._found = found
        self._fault = fault

    async def plan(self, request: PlanRequest) -> Plan:
        self.requests.append(request)
        if self._fault:
            raise self._fault
        return Plan(subtasks=tuple(Subtask(id="", title=title) for title in self._titles))

    async def supplement(self, need: str, goal: str) -> tuple[Material, ...]:
        self.needs.append(need)
        return self._found


class ScriptedJudge:
    """Decides as told for each trigger, in turn; else what lets the work go on."""

    needs_elements = False

    def __init__(self, takes: float = 0, **decisions: list[GateDecision]) -> None:
        self.requests: list[GateRequest] = []
        self._decisions = decisions
        self._takes = takes

    async def check(self, request: GateRequest) -> QualityReport:
        self.requests.append(request)
        await asyncio.sleep(self._takes)
        told = self._decisions.get(request.trigger.value, [])
        final = request.trigger in (GateTrigger.WORKER_SUCCESS, GateTrigger.FINAL_CHECK)
        decision = told.pop(0) if told else GateDecision.DONE if final else GateDecision.CONTINUE
        return QualityReport(
            trigger=request.trigger,
            depth=request.depth,
            status="GOOD" if decision in (GateDecision.DONE, GateDecision.CONTINUE) else "CRITICAL",
            recommendation="ADJUST" if decision is GateDecision.CONTINUE else "REPLAN",
            decision=decision,
            reason=f"scripted {decision}",
            suggestions=("look left",) if decision is GateDecision.CONTINUE else (),
            by="model",
        )


def managed(planner: Any, judge: Any, afford: Callable[[str], bool] = lambda _: True) -> OuterRoles:
    return OuterRoles(planner, judge, OfflineEvaluator(), afford)


async def events_of(journal: SqliteJournal, task_id: str) -> list[Event]:
    return [record.event for record in await journal.read(task_id)]


def only(events: list[Event], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


@pytest.mark.parametrize("trigger", GateTrigger)
@pytest.mark.parametrize("decision", GateDecision)
def test_a_decision_that_is_not_allowed_is_never_a_success(trigger: GateTrigger, decision: GateDecision) -> None:
    report = QualityReport(trigger=trigger, depth="low", status="GOOD", recommendation="CONTINUE", decision=decision)
    allowed = make_lawful(report)
    assert allowed.decision in ALLOWED[trigger]
    assert allowed.decision is decision or allowed.decision is not GateDecision.DONE
    assert (allowed.issues == ()) is (decision in ALLOWED[trigger])


async def test_a_plan_is_carried_out_part_by_part_gated_and_finally_checked(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    planner, judge = ScriptedPlanner("first", "second"), ScriptedJudge()
    worker = ScriptedWorker(Home(), DONE, Home(), DONE)
    async with start(device, worker, outer=managed(planner, judge)) as run:
        state = await run.wait()
    assert (state.status, state.cause, state.loop) == (TaskStatus.FULFILLED, "done", "dual")
    assert [s.status for s in state.plan] == [SubtaskStatus.FULFILLED] * 2
    events = await events_of(journal, state.task_id)
    assert [e.subtask.title for e in only(events, SubtaskStarted)] == ["first", "second"]
    assert [r.trigger for r in judge.requests] == [
        GateTrigger.WORKER_SUCCESS, GateTrigger.WORKER_SUCCESS, GateTrigger.FINAL_CHECK,
    ]  # fmt: skip
    assert all(request.goal == "follow the script" for request in judge.requests)
    assert [e.situation for e in only(events, SituationChanged)] == [
        Situation.PLAN, Situation.GET_ACTION, Situation.QUALITY_CHECK, Situation.GET_ACTION,
        Situation.QUALITY_CHECK, Situation.FINAL_CHECK,
    ]  # fmt: skip


async def test_a_worker_that_says_done_too_early_is_sent_back_by_the_gate(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    judge = ScriptedJudge(WORKER_SUCCESS=[GateDecision.FAIL])
    planner = ScriptedPlanner()
    async with start(device, ScriptedWorker(DONE, Home(), DONE), outer=managed(planner, judge)) as run:
        state = await run.wait()
    assert state.status is TaskStatus.FULFILLED
    assert [r.reason for r in planner.requests] == [ReplanReason.FIRST_PLAN, ReplanReason.GATE_FAILED]
    assert planner.requests[1].failed[0].title == "the only part"
    assert planner.requests[1].reports[0].decision is GateDecision.FAIL


async def test_a_failing_subtask_is_replanned_light_medium_heavy_then_escalated(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    planner = ScriptedPlanner("impossible", "afterwards")
    worker = ScriptedWorker(*[FAIL] * 9)
    async with start(device, worker, outer=managed(planner, ScriptedJudge())) as run:
        state = await run.wait()
    assert [r.strategy for r in planner.requests[1:]] == [
        ReplanStrategy.LIGHT, ReplanStrategy.MEDIUM, ReplanStrategy.HEAVY,
    ]  # fmt: skip
    assert (state.status, state.cause) == (TaskStatus.REJECTED, "failed")
    assert "the user is needed" in state.reason
    assert "can't do it" in state.reason
    made = only(await events_of(journal, state.task_id), PlanMade)
    assert [s.title for s in made[1].subtasks] == ["impossible", "afterwards", "afterwards"], "light keeps the rest"
    assert len(made[2].subtasks) == 2, "medium gives up the sequence"
    assert planner.requests[3].tried[-1] == ("impossible", "afterwards")


async def test_progress_lets_the_next_trouble_start_lightly_again(start: StartRun, device: Journaled) -> None:
    planner = ScriptedPlanner("a", "b")
    worker = ScriptedWorker(FAIL, DONE, FAIL, DONE, DONE, DONE, DONE)
    async with start(device, worker, outer=managed(planner, ScriptedJudge())) as run:
        await run.wait()
    assert [r.strategy for r in planner.requests[1:]] == [ReplanStrategy.LIGHT, ReplanStrategy.LIGHT]


async def test_a_failed_final_check_leads_to_a_new_plan(start: StartRun, device: Journaled) -> None:
    planner, judge = ScriptedPlanner(), ScriptedJudge(FINAL_CHECK=[GateDecision.FAIL])
    async with start(device, ScriptedWorker(DONE, DONE), outer=managed(planner, judge)) as run:
        state = await run.wait()
    assert state.status is TaskStatus.FULFILLED
    assert [(r.reason, r.strategy) for r in planner.requests[1:]] == [
        (ReplanReason.FINAL_CHECK_FAILED, ReplanStrategy.MEDIUM)
    ]


async def test_supplement_records_material_and_the_next_plan_sees_it(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    found = (Material(source="notes.txt", title="door", text="the code is 42"),)
    planner = ScriptedPlanner(found=found)
    ask = Decision(kind="supplement", message="what is the door code?")
    async with start(device, ScriptedWorker(ask, DONE), outer=managed(planner, ScriptedJudge())) as run:
        state = await run.wait()
    assert planner.needs == ["what is the door code?"]
    assert planner.requests[1].materials == found
    assert state.status is TaskStatus.FULFILLED
    assert only(await events_of(journal, state.task_id), Supplemented)[0].materials == found


async def test_a_source_that_failed_is_recorded_beside_what_another_one_found(
    start: StartRun, device: Journaled, journal: SqliteJournal, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "door.txt").write_text("the door code is 42")
    broken = McpToolSettings(command=("/does/not/exist",), tool="x")
    library = MaterialSources(SupplementSettings(folders=(tmp_path / "notes",), mcp=(broken,)))
    planner = ScriptedPlanner()
    planner.supplement = library.look_up
    ask = Decision(kind="supplement", message="what is the door code?")
    async with start(device, ScriptedWorker(ask, DONE), outer=managed(planner, ScriptedJudge())) as run:
        state = await run.wait()
    await library.close()
    assert state.status is TaskStatus.FULFILLED
    (looked_up,) = only(await events_of(journal, state.task_id), Supplemented)
    assert [material.text for material in looked_up.materials] == ["the door code is 42"]
    assert "The MCP server /does/not/exist failed" in looked_up.trouble
    assert planner.requests[1].materials == looked_up.materials
    (line,) = EventLines().describe_record(Record(seq=1, task_id="t", at=0, event=looked_up))
    assert "door.txt; The MCP server /does/not/exist failed" in line


async def test_eleven_identical_actions_are_caught_after_three(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    judge = ScriptedJudge(REPEATED_ACTION=[GateDecision.FAIL])
    again = Click(x=540, y=45)
    worker = ScriptedWorker(*[again] * 11)
    async with start(device, worker, outer=managed(ScriptedPlanner(), judge)) as run:
        await run.wait()
    repeated = [r for r in judge.requests if r.trigger is GateTrigger.REPEATED_ACTION]
    events = await events_of(journal, run.task_id)
    ruled = only(events, Ruled)[0].ruling
    assert repeated
    assert (ruled.rule, ruled.outcome) == ("repeated_action", "QUALITY_CHECK")
    assert "3 times in a row" in ruled.reason
    given_up = events.index(only(events, SubtaskEnded)[0])
    assert 3 <= len(only(events[:given_up], ActionIntended)) < 11


async def test_a_stale_worker_is_sent_back_with_a_hint(start: StartRun, device: Journaled) -> None:
    worker = ScriptedWorker(Decision(kind="stale"), DONE)
    async with start(device, worker, outer=managed(ScriptedPlanner(), ScriptedJudge())) as run:
        state = await run.wait()
    assert state.status is TaskStatus.FULFILLED
    assert state.plans == 1
    assert "look left" in worker.briefings[1].messages


async def test_a_worker_that_is_sent_back_goes_on_from_its_place_with_its_counts(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    noted = Decision(kind="actions", actions=(PlannedAction(action=Memorize(text="x")),), bookmark="page 3")
    worker = ScriptedWorker(noted, Decision(kind="stale"), DONE)
    async with start(device, worker, outer=managed(ScriptedPlanner(), ScriptedJudge())) as run:
        state = await run.wait()
    assert (state.status, state.plans) == (TaskStatus.FULFILLED, 1)
    assert [briefing.bookmark for briefing in worker.briefings] == ["", "page 3", "page 3"]
    assert state.subtask_steps == 3
    events = await events_of(journal, state.task_id)
    assert [event.went_on for event in only(events, SubtaskStarted)] == [False, True]
    stale = [e for e in only(events, GateClosed) if e.report.trigger is GateTrigger.WORKER_STALE]
    assert len(stale) == 1, "the same end is judged once"


@pytest.mark.parametrize("retries", [0, 2, 9])
async def test_no_worker_is_sent_back_forever(
    start: StartRun, device: Journaled, journal: SqliteJournal, retries: int
) -> None:
    """A worker that always gives up and a gate that always says: go on. Every round costs a step, and it ends."""
    worker = ScriptedWorker(*[Decision(kind="stale", message="I am lost")] * 60)
    limits = {"dispatcher": {"max_plans": 3, "max_stuck_retries": retries}}
    async with start(device, worker, outer=managed(ScriptedPlanner(), ScriptedJudge()), **limits) as run:
        state = await run.wait()
    assert (state.status, state.cause) == (TaskStatus.REJECTED, "failed"), state.reason
    gates = [e for e in only(await events_of(journal, state.task_id), GateClosed) if not e.beside]
    assert 0 < len(gates) <= state.step == len(worker.briefings) <= 3 * 5
    assert not state.reason.endswith(": ")


async def test_checks_that_nobody_asked_for_run_beside_the_work_and_do_not_hold_it_up(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    judge = ScriptedJudge(takes=1.0)
    notes = [Memorize(text=str(number)) for number in range(20)]
    outer = managed(ScriptedPlanner(), judge)
    async with start(device, ScriptedWorker(*notes), outer=outer, rules={"subtask_steps": 2}) as run:
        state = await run.wait()
    events = await events_of(journal, state.task_id)
    opened = next(n for n, e in enumerate(events) if isinstance(e, GateOpened) and e.beside)
    closed = [n for n, e in enumerate(events) if isinstance(e, GateClosed) and e.beside]
    steps_meanwhile = [e for e in events[opened : closed[0] if closed else None] if e.type == "step_finished"]
    assert len(steps_meanwhile) > 3


async def test_a_periodic_check_may_end_the_plan(start: StartRun, device: Journaled) -> None:
    judge = ScriptedJudge(EXCESSIVE_STEPS=[GateDecision.FAIL])
    planner = ScriptedPlanner()
    notes = [Memorize(text=str(number)) for number in range(40)]
    async with start(device, ScriptedWorker(*notes), outer=managed(planner, judge), max_steps=60) as run:
        state = await run.wait()
    assert state.status is TaskStatus.FULFILLED
    assert [r.reason for r in planner.requests] == [ReplanReason.FIRST_PLAN, ReplanReason.GATE_FAILED]


async def test_without_money_the_rules_judge_and_no_check_is_skipped(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    judge = ScriptedJudge()
    broke = managed(ScriptedPlanner(), judge, lambda _: False)
    async with start(device, ScriptedWorker(DONE), outer=broke) as run:
        state = await run.wait()
    assert judge.requests == []
    reports = [e.report for e in only(await events_of(journal, state.task_id), GateClosed)]
    assert [(r.by, r.depth) for r in reports] == [("rules", "low")] * 2


async def test_a_judge_that_fails_is_replaced_by_the_rules(start: StartRun, device: Journaled) -> None:
    class Broken(ScriptedJudge):
        async def check(self, request: GateRequest) -> QualityReport:
            raise ModelUnavailable("no answer")

    async with start(device, ScriptedWorker(DONE), outer=managed(ScriptedPlanner(), Broken())) as run:
        state = await run.wait()
    assert state.status is TaskStatus.FULFILLED


async def test_ten_plans_are_enough(start: StartRun, device: Journaled) -> None:
    judge = ScriptedJudge(FINAL_CHECK=[GateDecision.FAIL] * 99)
    limits = {"dispatcher": {"max_plans": 2}}
    async with start(device, ScriptedWorker(*[DONE] * 99), outer=managed(ScriptedPlanner(), judge), **limits) as run:
        state = await run.wait()
    assert (state.status, state.plans) == (TaskStatus.REJECTED, 2)
    assert "2 plans did not lead to the goal" in state.reason
    judge = ScriptedJudge(FINAL_CHECK=[GateDecision.FAIL, GateDecision.DONE])
    async with start(
        device, ScriptedWorker(*[DONE] * 99), outer=managed(ScriptedPlanner(), judge), past=state, **limits
    ) as run:
        resumed = await run.wait()
    assert resumed.status is TaskStatus.FULFILLED, "who resumes it allows for as many more"


async def test_no_plan_at_all_is_a_rejection_with_the_reason(start: StartRun, device: Journaled) -> None:
    planner = ScriptedPlanner(fault=ModelFault("the plan can't be read"))
    async with start(device, ScriptedWorker(), outer=managed(planner, ScriptedJudge())) as run:
        state = await run.wait()
    assert (state.status, state.reason) == (TaskStatus.REJECTED, "the plan can't be read")


async def test_a_question_without_a_person_is_a_rejection(start: StartRun, device: Journaled) -> None:
    ask = Decision(kind="ask", message="which of the two?")
    async with start(device, ScriptedWorker(ask), outer=managed(ScriptedPlanner(), ScriptedJudge())) as run:
        state = await run.wait()
    assert state.status is TaskStatus.REJECTED
    assert "which of the two?" in state.reason


async def test_the_step_limit_holds_over_all_subtasks(start: StartRun, device: Journaled) -> None:
    notes = [Memorize(text=str(n)) if n % 2 == 0 else DONE for n in range(40)]
    planner = ScriptedPlanner(*[f"part {n}" for n in range(20)])
    async with start(device, ScriptedWorker(*notes), outer=managed(planner, ScriptedJudge()), max_steps=5) as run:
        state = await run.wait()
    assert (state.cause, state.step) == ("steps", 5)


async def test_the_time_limit_ends_the_task_wherever_it_is(start: StartRun, device: Journaled) -> None:
    async with start(
        device, ScriptedWorker(forever), outer=managed(ScriptedPlanner(), ScriptedJudge()), time_limit_s=1.0
    ) as run:
        state = await run.wait()
    assert (state.status, state.cause) == (TaskStatus.REJECTED, "time")
    assert "time limit of 1 s" in state.reason


async def test_a_passing_fault_of_the_device_ends_no_task_while_nobody_works(
    start: StartRun, device: Journaled, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_answer() -> None:
        monkeypatch.undo()
        raise DeviceTimeout("no answer")

    monkeypatch.setattr(device, "app", no_answer, raising=False)
    async with start(device, ScriptedWorker(), outer=managed(ScriptedPlanner(), ScriptedJudge())) as run:
        state = await run.wait()
    assert state.status is TaskStatus.FULFILLED, state.reason


class SlowPlanner(ScriptedPlanner):
    async def plan(self, request: PlanRequest) -> Plan:
        self.requests.append(request)
        await asyncio.Event().wait()
        raise AssertionError


@pytest.mark.parametrize("phase", ["planning", "checking", "working"])
async def test_stop_takes_effect_at_once_in_the_outer_loop_too(start: StartRun, phase: str) -> None:
    # On a device that costs nothing: the simulated phone paints in this very loop, and its paint counts as ours.
    device = FreeDevice()
    planner = SlowPlanner() if phase == "planning" else ScriptedPlanner()
    judge = ScriptedJudge(takes=60)
    worker = ScriptedWorker(forever if phase == "working" else DONE)
    reached: Callable[[], Any] = {
        "planning": lambda: planner.requests,
        "checking": lambda: judge.requests,
        "working": lambda: worker.briefings,
    }[phase]
    async with start(device, worker, outer=managed(planner, judge)) as run:
        async with asyncio.timeout(20):
            while not reached():
                await asyncio.sleep(0.01)
        begun = asyncio.get_running_loop().time()
        state = await run.stop()
        assert asyncio.get_running_loop().time() - begun < 0.2
    assert (state.status, state.cause) == (TaskStatus.REJECTED, "stopped")


async def test_every_situation_of_a_run_follows_the_table(
    start: StartRun, device: Journaled, journal: SqliteJournal
) -> None:
    judge = ScriptedJudge(WORKER_SUCCESS=[GateDecision.FAIL], FINAL_CHECK=[GateDecision.FAIL])
    worker = ScriptedWorker(Home(), DONE, FAIL, OpenApp(name="设置"), DONE, DONE)
    async with start(device, worker, outer=managed(ScriptedPlanner("a"), judge)) as run:
        await run.wait()
    allowed = {(start_, end) for (start_, _), end in TABLE.items()}
    situations = [Situation.INIT]
    state = TaskState()
    for record in await journal.read(run.task_id):
        state = fold(state, record)
        if state.situation is not situations[-1]:
            situations.append(state.situation)
    steps = list(pairwise(situations))
    assert [step for step in steps if step not in allowed] == []
    assert situations[-1] is Situation.DONE


async def test_a_goal_over_two_apps_is_planned_done_and_checked_without_a_model(
    start: StartRun, device: Journaled, phone: Phone, journal: SqliteJournal
) -> None:
    goal = "Open Settings, turn on Bluetooth and verify that Bluetooth is on, then open the calculator and compute 6*7"
    offline = managed(OfflineManager(), OfflineEvaluator())
    async with start(device, OfflineWorker(), goal=goal, outer=offline) as run:
        state = await run.wait()
    assert state.status is TaskStatus.FULFILLED, state.reason
    events = await events_of(journal, state.task_id)
    assert len(only(events, PlanMade)[0].subtasks) == 2
    assert len(only(events, SubtaskEnded)) == 2
    assert phone.settings["global"]["bluetooth_on"] == "1"
    assert only(events, GateClosed)[-1].report.trigger is GateTrigger.FINAL_CHECK


async def test_an_impossible_goal_is_rejected_once_and_honestly_without_a_model(
    start: StartRun, device: Journaled
) -> None:
    offline = managed(OfflineManager(), OfflineEvaluator())
    goal = "打开微信，找到并不存在的人，发送消息“你好”"
    async with start(device, OfflineWorker(), goal=goal, outer=offline) as run:
        state = await run.wait()
    assert state.status is TaskStatus.REJECTED
    assert "并不存在的人" in state.reason
    assert state.plans == 1


async def test_the_workers_briefing_knows_the_root_goal(start: StartRun, device: Journaled) -> None:
    def look(briefing: Briefing) -> Decision:
        assert briefing.goal == "follow the script"
        assert briefing.subtask.title == "the only part"
        return DONE

    async with start(device, ScriptedWorker(look), outer=managed(ScriptedPlanner(), ScriptedJudge())) as run:
        assert (await run.wait()).status is TaskStatus.FULFILLED
