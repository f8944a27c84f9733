"""The table of situations: pinned row by row, and walked by chance.

The walker below is made of the pure pieces alone: events folded into the state, rules over it, strategies, the
table. Whatever the outcomes are, it never leaves the table, and each way round costs a step or a plan.
"""

from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from deskhand.core.actions import Click, Memorize
from deskhand.core.decisions import ActionReport, StepReport
from deskhand.core.planning import ALLOWED, GateDecision, GateTrigger, QualityReport, ReplanReason, ReplanStrategy
from deskhand.core.statuses import ExecStatus, ExecutorStatus, Situation, SubtaskStatus, TaskStatus
from deskhand.core.subtask import Subtask
from deskhand.engine.outer.quality_gate import make_lawful
from deskhand.engine.outer.replanning import next_strategy
from deskhand.engine.outer.rules import DEFAULT_RULES, decide
from deskhand.settings.schema import RuleSettings
from deskhand.task import transitions
from deskhand.task.events import (
    ActionEnded,
    ActionIntended,
    Event,
    ExecutorChanged,
    GateClosed,
    Observed,
    PlanMade,
    Record,
    Ruled,
    Settled,
    SituationChanged,
    StepFinished,
    SubtaskEnded,
    SubtaskStarted,
    Supplemented,
    TaskCreated,
    TaskEnded,
)
from deskhand.task.fold import fold
from deskhand.task.state import TaskState
from deskhand.task.transitions import TABLE, When, follow_table

S = Situation

INNER = (S.GET_ACTION, S.EXECUTE_ACTION, S.SETTLE)
# DESIGN.md, "Transitions", row by row.
DESIGN: list[tuple[Situation, When, Situation]] = [
    (S.INIT, "accepted_dual", S.PLAN),
    (S.INIT, "started", S.GET_ACTION),  # in the single loop the goal is the one subtask
    (S.PLAN, "planned", S.GET_ACTION),
    (S.PLAN, "ended", S.DONE),  # attempts over the limit
    (S.GET_ACTION, "acted", S.EXECUTE_ACTION),
    (S.GET_ACTION, "done", S.QUALITY_CHECK),
    (S.GET_ACTION, "stale", S.QUALITY_CHECK),
    (S.GET_ACTION, "fail", S.PLAN),
    (S.GET_ACTION, "supplement", S.SUPPLEMENT),
    (S.GET_ACTION, "ask", S.WAIT_USER),
    (S.EXECUTE_ACTION, "executed", S.SETTLE),
    (S.SETTLE, "settled", S.GET_ACTION),
    (S.SETTLE, "acted", S.EXECUTE_ACTION),  # the next queued action
    (S.EXECUTE_ACTION, "acted", S.EXECUTE_ACTION),  # one retry
    (S.EXECUTE_ACTION, "failed", S.GET_ACTION),
    (S.EXECUTE_ACTION, "replan", S.PLAN),  # three failures in a row
    (S.QUALITY_CHECK, "gate_done_more", S.GET_ACTION),
    (S.QUALITY_CHECK, "gate_done_last", S.FINAL_CHECK),
    (S.QUALITY_CHECK, "gate_fail", S.PLAN),
    (S.QUALITY_CHECK, "gate_continue", S.GET_ACTION),
    (S.QUALITY_CHECK, "gate_supplement", S.SUPPLEMENT),
    (S.SUPPLEMENT, "recorded", S.PLAN),
    (S.FINAL_CHECK, "ended", S.DONE),  # passed
    (S.FINAL_CHECK, "issues", S.PLAN),
    (S.WAIT_USER, "answered", S.GET_ACTION),
    (S.WAIT_USER, "refused", S.PLAN),
    *((situation, "ended", S.DONE) for situation in S if situation is not S.DONE),
]
# What follows from the rest of DESIGN.md: a task is resumed; a step begins and ends; the last strategy is the user,
# who may know another way, and may change the to-do list at any time; rules and checks beside the work speak up
# wherever the inner loop is; the worker may ask the user at the very moment of a decision above it.
BESIDES: list[tuple[Situation, When, Situation]] = [
    *((situation, "reopened", S.INIT) for situation in S),
    (S.INIT, "resumed", S.GET_ACTION),
    (S.INIT, "looked", S.GET_ACTION),
    (S.INIT, "acted", S.EXECUTE_ACTION),
    (S.PLAN, "escalate", S.WAIT_USER),
    (S.WAIT_USER, "advised", S.PLAN),
    (S.WAIT_USER, "withdrawn", S.GET_ACTION),
    (S.WAIT_USER, "dropped_last", S.FINAL_CHECK),
    (S.WAIT_USER, "checked", S.WAIT_USER),
    (S.WAIT_USER, "supplement", S.WAIT_USER),
    (S.WAIT_USER, "fail", S.PLAN),
    (S.WAIT_USER, "replan", S.PLAN),
    (S.FINAL_CHECK, "more", S.GET_ACTION),
    *((inner, "started", S.GET_ACTION) for inner in INNER),
    *((inner, "looked", S.GET_ACTION) for inner in INNER),
    *((inner, "supplement", S.SUPPLEMENT) for inner in INNER),
    *((inner, "ask", S.WAIT_USER) for inner in INNER),
    *((inner, "dropped_last", S.FINAL_CHECK) for inner in INNER),
    *((inner, "replan", S.PLAN) for inner in INNER),
    *((inner, "refused", S.PLAN) for inner in INNER),
    *((inner, "checked", S.QUALITY_CHECK) for inner in INNER),
]


@pytest.mark.parametrize(("start", "when", "end"), [*DESIGN, *BESIDES])
def test_each_row_of_the_design_is_in_the_table(start: Situation, when: When, end: Situation) -> None:
    assert TABLE[start, when] is end


def test_nothing_else_is_in_the_table() -> None:
    assert {(start, when): end for start, when, end in (*DESIGN, *BESIDES)} == TABLE


def test_every_situation_is_reached_and_left_and_the_end_is_the_end() -> None:
    assert set(TABLE.values()) == {start for start, _ in TABLE} == set(S)
    assert {when for start, when in TABLE if start is S.DONE} == {"reopened"}
    assert {when for (_, when), end in TABLE.items() if end is S.INIT} == {"reopened"}


def test_every_word_of_the_table_is_uttered() -> None:
    room = Path(transitions.__file__).parents[1]
    files = [*(room / "engine").rglob("*.py"), *(room / "task" / "fold").rglob("*.py")]
    code = "\n".join(file.read_text(encoding="utf-8") for file in files)
    assert [when for when in get_args(When) if f'"{when}"' not in code] == []
    assert set(get_args(When)) == {when for _, when in TABLE}


# Each of these is a worker's decision (a step), a plan, or the user's word; a retry happens once, and what is queued
# behind an action came with the step.
SPENDING: set[When] = {
    "reopened", "started", "looked", "acted", "done", "stale", "fail", "supplement", "ask", "planned", "answered",
    "refused", "advised", "more", "dropped_last",
}  # fmt: skip
# Rules speak at most once a step, so what they set off is paid for by that step.
ONCE_A_STEP: set[When] = {"replan", "checked"}


def test_every_way_round_costs_something() -> None:
    free = {(start, end) for (start, when), end in TABLE.items() if when not in SPENDING | ONCE_A_STEP}
    left = set(S)
    while ends := {s for s in left if not any(start is s and end in left for start, end in free)}:
        left -= ends
    assert left == set(), f"free of charge for ever: {left}"


# --- walked by chance ------------------------------------------------------------------------------------------

MAX_STEPS, MAX_PLANS = 30, 6
LIMITS = RuleSettings()
OUTCOMES = ["acted", "same", "unchanged", "error", "unreadable", "blind", "done", "stale", "fail", "supplement", "ask"]
CONCLUSIONS = {
    "done": ExecutorStatus.COMPLETED,
    "stale": ExecutorStatus.STUCK,
    "fail": ExecutorStatus.FAILED,
    "supplement": ExecutorStatus.FAILED,
    "ask": ExecutorStatus.FAILED,
}


class Walk(RuleBasedStateMachine):
    """A task whose every outcome is chance, driven as the dispatcher drives it."""

    def __init__(self) -> None:
        super().__init__()
        self.state = TaskState()
        self.trigger: GateTrigger | None = None
        self.rulings = 0
        self.moves = 0
        self.spent = 0
        self.moves_since_spending = 0
        self.number = 0

    # --- what happens to it

    def record(self, *events: Event) -> None:
        for event in events:
            before = self.state.situation
            self.state = fold(self.state, Record(seq=self.state.last_seq + 1, task_id="t", at=0.0, event=event))
            after = self.state.situation
            allowed = {end for (start, _), end in TABLE.items() if start is before}
            assert after is before or after in allowed, f"{before} → {after} by {event.type}"

    def go(self, when: When, because: str = "") -> None:
        self.moves += 1
        self.moves_since_spending += 1
        assert self.moves_since_spending <= 8, "it goes round for nothing"
        self.record(SituationChanged(situation=TABLE[self.state.situation, when], because=because))

    def spend(self) -> None:
        self.spent += 1
        self.moves_since_spending = 0

    def end(self, status: TaskStatus, cause: Any, reason: str) -> None:
        self.record(TaskEnded(status=status, cause=cause, reason=reason))

    def begin_next(self) -> None:
        ready = self.state.subtasks_with(SubtaskStatus.READY)
        if not ready:
            self.go("gate_done_last")
            return
        if self.state.situation is S.QUALITY_CHECK:
            self.go("gate_done_more")
        self.start(ready[0])

    def start(self, subtask: Subtask) -> None:
        self.rulings = 0
        self.record(SubtaskStarted(subtask=subtask), ExecutorChanged(subtask=subtask.id, status=ExecutorStatus.RUNNING))

    def replan(self, when: When, reason: ReplanReason) -> None:
        if self.state.subtask:
            self.record(SubtaskEnded(id=self.state.subtask.id, status=SubtaskStatus.REJECTED, reason="no"))
        self.go(when)
        self.reason = reason

    # --- chance

    @initialize()
    def accept(self) -> None:
        self.reason = ReplanReason.FIRST_PLAN
        self.record(TaskCreated(goal="g", device="d", worker="w", loop="dual", max_steps=MAX_STEPS))
        self.go("accepted_dual")

    @precondition(lambda self: self.state.situation is S.PLAN and not self.state.over)
    @rule(parts=st.integers(1, 3))
    def plan(self, parts: int) -> None:
        first = self.reason is ReplanReason.FIRST_PLAN
        strategy = ReplanStrategy.HEAVY if first else next_strategy(self.reason, self.state.strategies)
        if self.state.plans >= MAX_PLANS:
            self.end(TaskStatus.REJECTED, "failed", "too many plans")
        elif strategy is ReplanStrategy.ESCALATE:
            self.go("escalate")
            self.end(TaskStatus.REJECTED, "failed", "the user is needed")
        else:
            self.spend()
            made = tuple(Subtask(id=f"{self.state.plans + 1}.{n}", title=str(n)) for n in range(parts))
            self.record(PlanMade(subtasks=made, strategy=strategy, reason=self.reason))
            self.go("planned")
            self.begin_next()

    @precondition(lambda self: self.working)
    @rule(outcome=st.sampled_from(OUTCOMES))
    def step(self, outcome: str) -> None:
        if self.state.step >= MAX_STEPS:
            self.end(TaskStatus.REJECTED, "steps", "the limit was reached")
            return
        self.spend()
        self.rulings = 0
        number = self.state.step + 1
        seen = Observed(step=number, frame="f", width=1, height=1)
        if outcome in CONCLUSIONS:
            self.record(seen, self.finished(number, success=outcome == "done"))
            self.record(
                ExecutorChanged(
                    status=CONCLUSIONS[outcome], cause="done" if outcome == "done" else "failed",
                    decision=outcome, reason="said",  # pyright: ignore[reportArgumentType]
                )
            )  # fmt: skip
        elif outcome == "blind":
            self.record(self.finished(number, success=False))
        elif outcome == "unreadable":
            self.record(seen, self.finished(number, success=False))
        else:
            self.record(seen, *self.acted(number, outcome))
        self.heed()

    def acted(self, number: int, outcome: str) -> list[Event]:
        self.number += outcome != "same"
        action = Click(x=self.number, y=0) if outcome != "unchanged" else Memorize(text=str(self.number))
        failed = outcome == "error"
        status = ExecStatus.ERROR if failed else ExecStatus.EXECUTED
        events: list[Event] = [
            ActionIntended(step=number, number=1, action=action),
            ActionEnded(step=number, number=1, status=status),
        ]
        if not failed and isinstance(action, Click):
            events.append(Settled(step=number, number=1, still=True, waited_ms=1, frames=1, changed=0.1, frame="f"))
        report = StepReport(step=number, actions=(ActionReport(action=action, status=status),))
        changed = outcome not in ("unchanged", "error")
        return [
            *events,
            StepFinished(report=report, success=not failed, finished=False, screen_changed=changed, ms=1),
        ]

    def finished(self, number: int, *, success: bool) -> StepFinished:
        return StepFinished(report=StepReport(step=number), success=success, finished=True, screen_changed=True, ms=1)

    @precondition(lambda self: self.state.subtask is not None and self.working_or_ended)
    @rule()
    def heed(self) -> None:
        """The rules look at the state; they may be asked as often as one likes."""
        said = decide(self.state, 0.0, LIMITS)
        if said.outcome == "CONTINUE":
            return
        self.rulings += 1
        assert self.rulings <= len(DEFAULT_RULES), "the rules talk without end"
        self.record(Ruled(ruling=said))
        match said.outcome:
            case "QUALITY_CHECK" if said.trigger in (GateTrigger.WORKER_SUCCESS, GateTrigger.WORKER_STALE):
                self.trigger = said.trigger
                self.go("done" if said.trigger is GateTrigger.WORKER_SUCCESS else "stale")
            case "QUALITY_CHECK":
                self.beside = said.trigger
            case "REPLAN":
                ended = self.state.executor is ExecutorStatus.FAILED
                reason = ReplanReason.WORKER_FAILED if ended else ReplanReason.REPEATED_FAILURE
                self.replan("fail" if ended else "replan", reason)
            case "SUPPLEMENT":
                self.go("supplement")
            case _:
                self.go("ask")
                self.end(TaskStatus.REJECTED, "failed", "the user is needed")

    beside: GateTrigger | None = None

    @precondition(lambda self: self.beside is not None and self.working)
    @rule(decision=st.sampled_from(list(GateDecision)))
    def checked(self, decision: GateDecision) -> None:
        """A check beside the work comes back; it was set off by a ruling, so there is at most one a step."""
        assert self.beside
        trigger, self.beside = self.beside, None
        report = self.report(trigger, decision)
        self.record(GateClosed(beside=True, report=report))
        if report.decision is not GateDecision.CONTINUE:
            self.go("checked")
            self.judged(report)

    @precondition(lambda self: self.state.situation is S.QUALITY_CHECK and not self.state.over)
    @rule(decision=st.sampled_from(list(GateDecision)))
    def gate(self, decision: GateDecision) -> None:
        assert self.trigger
        report = self.report(self.trigger, decision)
        assert report.decision in ALLOWED[self.trigger]
        self.record(GateClosed(beside=False, report=report))
        self.judged(report)

    def report(self, trigger: GateTrigger, decision: GateDecision) -> QualityReport:
        return make_lawful(
            QualityReport(trigger=trigger, depth="low", status="GOOD", recommendation="CONTINUE", decision=decision)
        )

    def judged(self, report: QualityReport) -> None:
        subtask = self.state.subtask
        assert subtask
        match report.decision:
            case GateDecision.DONE:
                self.record(SubtaskEnded(id=subtask.id, status=SubtaskStatus.FULFILLED))
                self.begin_next()
            case GateDecision.FAIL:
                self.replan("gate_fail", ReplanReason.GATE_FAILED)
            case GateDecision.SUPPLEMENT:
                self.go("gate_supplement")
            case GateDecision.CONTINUE:
                self.go("gate_continue")
                self.start(subtask)

    @precondition(lambda self: self.state.situation is S.SUPPLEMENT)
    @rule()
    def supplement(self) -> None:
        self.record(Supplemented(need="x"))
        self.go("recorded")
        self.reason = ReplanReason.SUPPLEMENTED

    @precondition(lambda self: self.state.situation is S.FINAL_CHECK)
    @rule(passed=st.booleans())
    def final(self, passed: bool) -> None:
        if passed:
            self.end(TaskStatus.FULFILLED, "done", "all is well")
        else:
            self.go("issues")
            self.reason = ReplanReason.FINAL_CHECK_FAILED

    @precondition(lambda self: not self.state.over)
    @rule(luck=st.integers(0, 40))
    def stop(self, luck: int) -> None:
        if luck == 0:
            self.end(TaskStatus.REJECTED, "stopped", "stopped by the user")

    @precondition(lambda self: self.state.over)
    @rule()
    def rest(self) -> None:
        assert decide(self.state, 1e9, LIMITS).outcome == "CONTINUE"

    # --- what always holds

    @property
    def working(self) -> bool:
        return self.state.situation is S.GET_ACTION and self.state.executor is ExecutorStatus.RUNNING

    @property
    def working_or_ended(self) -> bool:
        return self.state.situation is S.GET_ACTION and not self.state.over

    @invariant()
    def stays_within_its_budgets(self) -> None:
        assert self.state.step <= MAX_STEPS
        assert self.state.plans <= MAX_PLANS
        assert self.moves <= 9 * (self.spent + 1)
        if self.state.over:
            assert self.state.situation is S.DONE
            assert self.state.reason

    def teardown(self) -> None:
        """However it stands, going on comes to an end: what is left of the budgets is the most it can take."""
        if self.state.situation is S.INIT:
            return
        for _ in range(20 * (MAX_STEPS + MAX_PLANS)):
            if self.state.over:
                return
            self.push()
        raise AssertionError(f"it never ends: {self.state.situation}")

    def push(self) -> None:
        """The outcome that keeps it going for longest."""
        match self.state.situation:
            case S.PLAN:
                self.plan(3)
            case S.QUALITY_CHECK:
                self.gate(GateDecision.CONTINUE)
            case S.SUPPLEMENT:
                self.supplement()
            case S.FINAL_CHECK:
                self.final(False)
            case _ if self.working:
                self.step("stale")
            case _:
                self.heed()


Walk.TestCase.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
TestWalk = Walk.TestCase


def test_what_the_table_does_not_know_moves_nothing() -> None:
    assert follow_table(S.PLAN, "looked") is S.PLAN
    assert follow_table(S.WAIT_USER, "acted") is S.WAIT_USER
    assert follow_table(S.GET_ACTION, "executed") is S.GET_ACTION
    assert follow_table(S.DONE, "ended") is S.DONE
