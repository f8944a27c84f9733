"""Layer 1: every rule fires when it should and only then; the highest wins; thresholds come from the settings."""

from dataclasses import replace
from typing import Any

import pytest

from deskhand.core.actions import Action, Back, Click, Home
from deskhand.core.decisions import StepReport
from deskhand.core.planning import GateTrigger, Ruling
from deskhand.core.statuses import ExecStatus, ExecutorStatus, TaskStatus
from deskhand.core.subtask import Subtask
from deskhand.engine.outer.rules import DEFAULT_RULES, Rule, RuleInput, decide
from deskhand.settings.schema import RuleSettings
from deskhand.task.events import (
    ActionEnded,
    ActionIntended,
    Event,
    ExecutorChanged,
    Record,
    Ruled,
    StepFinished,
    SubtaskStarted,
    TaskCreated,
)
from deskhand.task.fold import fold
from deskhand.task.state import TaskState

LIMITS = RuleSettings()
WORKING = TaskState(
    task_id="t",
    goal="g",
    status=TaskStatus.PENDING,
    executor=ExecutorStatus.RUNNING,
    subtask=Subtask(id="1.1", title="s"),
    subtask_since=1000.0,
    subtask_steps=3,
    executor_reason="the worker said so",
)
NOW = 1010.0


def ruling(state: TaskState, now: float = NOW, **limits: Any) -> Ruling:
    return decide(state, now - state.subtask_since, RuleSettings(**limits))


def state(**fields: Any) -> TaskState:
    return replace(WORKING, **fields)


# For each rule: a state in which it speaks, what it wants, and the nearest state in which it does not.
RULES: dict[str, tuple[TaskState, str, GateTrigger | None, TaskState]] = {
    "worker_asks": (
        state(executor=ExecutorStatus.FAILED, executor_cause="failed", executor_decision="ask"),
        "USER_INTERVENTION", None, state(executor_decision="actions"),
    ),
    "worker_needs_material": (
        state(executor=ExecutorStatus.FAILED, executor_cause="failed", executor_decision="supplement"),
        "SUPPLEMENT", None, state(executor_decision="actions"),
    ),
    "worker_failed": (
        state(executor=ExecutorStatus.FAILED, executor_cause="failed", executor_decision="fail"),
        "REPLAN", None, state(executor=ExecutorStatus.FAILED, executor_cause="budget"),
    ),
    "worker_done": (
        state(executor=ExecutorStatus.COMPLETED, executor_decision="done"),
        "QUALITY_CHECK", GateTrigger.WORKER_SUCCESS, state(executor=ExecutorStatus.PAUSED),
    ),
    "worker_stale": (
        state(executor=ExecutorStatus.STUCK, executor_decision="stale"),
        "QUALITY_CHECK", GateTrigger.WORKER_STALE, state(executor=ExecutorStatus.PAUSED),
    ),
    "repeated_failure": (state(failures_in_a_row=3), "REPLAN", None, state(failures_in_a_row=2)),
    "no_progress": (state(unchanged_in_a_row=5), "REPLAN", None, state(unchanged_in_a_row=2)),
    "repeated_action": (state(repeats=3), "QUALITY_CHECK", GateTrigger.REPEATED_ACTION, state(repeats=2)),
    "unchanged_screen": (
        state(unchanged_in_a_row=3), "QUALITY_CHECK", GateTrigger.NO_PROGRESS, state(unchanged_in_a_row=2),
    ),
    "screen_loop": (state(screen_loop=2), "QUALITY_CHECK", GateTrigger.NO_PROGRESS, state(screen_loop=0)),
    "subtask_timeout": (
        state(subtask_since=NOW - 301), "QUALITY_CHECK", GateTrigger.TIME_EXCEEDED, state(subtask_since=NOW - 300),
    ),
    "excessive_steps": (
        state(subtask_steps=11), "QUALITY_CHECK", GateTrigger.EXCESSIVE_STEPS, state(subtask_steps=9),
    ),
    "error_rate": (
        state(subtask_actions=10, subtask_failures=6), "QUALITY_CHECK", GateTrigger.NO_PROGRESS,
        state(subtask_actions=10, subtask_failures=5),
    ),
    "periodic_check": (
        state(subtask_steps=5), "QUALITY_CHECK", GateTrigger.PERIODIC_CHECK, state(subtask_steps=4),
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("at", "beside", "rule"),
    [
        # More than the limit is excessive, the limit itself is not.
        (state(subtask_steps=8), state(subtask_steps=7), "excessive_steps"),
        # As many as the limit are too many.
        (state(unchanged_in_a_row=7), state(unchanged_in_a_row=6), "no_progress"),
    ],
)
def test_the_limit_of_a_rule_is_exact(at: TaskState, beside: TaskState, rule: str) -> None:
    limits = {"subtask_steps": 7, "steps_without_progress": 7, "unchanged_screens": 90, "check_every": 90}
    assert ruling(at, **limits).rule == rule
    assert ruling(beside, **limits).outcome == "CONTINUE"


def test_every_rule_has_its_case() -> None:
    assert {rule.name for rule in DEFAULT_RULES} == set(RULES)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_speaks_when_it_applies_and_says_why(name: str) -> None:
    when, outcome, trigger, _ = RULES[name]
    said = ruling(when)
    rule = next(rule for rule in DEFAULT_RULES if rule.name == name)
    assert (said.rule, said.outcome, said.trigger) == (name, outcome, trigger)
    assert (said.priority, said.confidence) == (rule.priority, rule.confidence)
    assert said.reason


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_silent_when_it_does_not(name: str) -> None:
    assert ruling(RULES[name][3]) == Ruling(outcome="CONTINUE")


def test_a_few_actions_are_too_few_for_an_error_rate() -> None:
    assert ruling(state(subtask_actions=3, subtask_failures=3)).outcome == "CONTINUE"
    assert ruling(state(subtask_actions=4, subtask_failures=3)).rule == "error_rate"


def test_a_paused_worker_is_not_checked_periodically() -> None:
    assert ruling(state(subtask_steps=5, executor=ExecutorStatus.PAUSED)).outcome == "CONTINUE"
    assert ruling(state(subtask_steps=0)).outcome == "CONTINUE"


def test_what_the_worker_said_is_the_reason() -> None:
    asks = state(executor=ExecutorStatus.FAILED, executor_decision="ask", executor_reason="which one?")
    assert ruling(asks).reason == "which one?"


# --- the last actions ------------------------------------------------------------------------------------------


def folded(*events: Event) -> TaskState:
    known = TaskState()
    first: tuple[Event, ...] = (
        TaskCreated(goal="g", device="d", worker="w", max_steps=50),
        SubtaskStarted(subtask=Subtask(id="1", title="s")),
        ExecutorChanged(subtask="1", status=ExecutorStatus.RUNNING),
    )
    for seq, event in enumerate((*first, *events), 1):
        known = fold(known, Record(seq=seq, task_id="t", at=NOW, event=event))
    return known


def steps(*actions: Action) -> list[Event]:
    happened: list[Event] = []
    for number, action in enumerate(actions, 1):
        happened += [
            ActionIntended(step=number, number=1, action=action),
            ActionEnded(step=number, number=1, status=ExecStatus.EXECUTED),
            StepFinished(report=StepReport(step=number), success=True, finished=False, screen_changed=True, ms=1),
        ]
    return happened


HERE, THERE = Click(x=1, y=1), Click(x=1, y=2)


@pytest.mark.parametrize(
    ("actions", "caught"),
    [
        ([HERE, HERE, HERE], True),
        ([HERE, HERE], False),
        ([Back(), THERE, HERE, HERE, HERE], True),
        ([HERE, HERE, HERE, Back()], False),
        ([HERE, HERE, THERE, HERE], False),
        ([HERE, Home(), HERE, Home(), HERE, Home()], False),
        ([HERE] * 11, True),
    ],
)
def test_the_repeat_rule_looks_at_the_last_actions(actions: list[Action], caught: bool) -> None:
    known = replace(folded(*steps(*actions)), subtask_steps=3)
    assert (ruling(known).rule == "repeated_action") is caught


def test_a_new_subtask_counts_anew() -> None:
    again = (*steps(HERE, HERE), SubtaskStarted(subtask=Subtask(id="2", title="next")), *steps(HERE))
    assert ruling(folded(*again)).outcome == "CONTINUE"


def test_failed_steps_are_counted_in_a_row() -> None:
    def failed(success: bool) -> StepFinished:
        return StepFinished(report=StepReport(step=1), success=success, finished=False, screen_changed=True, ms=1)

    assert ruling(folded(failed(False), failed(False), failed(False))).rule == "repeated_failure"
    assert ruling(folded(failed(False), failed(False), failed(True), failed(False))).outcome == "CONTINUE"


# --- thresholds ------------------------------------------------------------------------------------------------

# Each setting: a value, a state, what is said with the default and what with the value.
THRESHOLDS: dict[str, tuple[Any, TaskState, str, str]] = {
    "check_every": (2, state(subtask_steps=2), "", "periodic_check"),
    "repeats": (2, state(repeats=2), "", "repeated_action"),
    "subtask_steps": (3, state(subtask_steps=4), "", "excessive_steps"),
    "unchanged_screens": (2, state(unchanged_in_a_row=2), "", "unchanged_screen"),
    "failures": (5, state(failures_in_a_row=4), "repeated_failure", ""),
    "steps_without_progress": (9, state(unchanged_in_a_row=6), "no_progress", "unchanged_screen"),
    "error_rate": (0.2, state(subtask_actions=10, subtask_failures=3), "", "error_rate"),
    "subtask_s": (5.0, state(), "", "subtask_timeout"),
}


# Read by the evaluator, not by a rule.
@pytest.mark.parametrize("setting", [name for name in RuleSettings.model_fields if name != "give_up_steps"])
def test_every_threshold_comes_from_the_settings(setting: str) -> None:
    value, when, by_default, changed = THRESHOLDS[setting]
    assert ruling(when).rule == by_default
    assert ruling(when, **{setting: value}).rule == changed


# --- many rules ------------------------------------------------------------------------------------------------


def test_the_highest_priority_wins() -> None:
    everything = state(
        executor=ExecutorStatus.STUCK, failures_in_a_row=9, unchanged_in_a_row=9, repeats=9, subtask_steps=20
    )
    assert ruling(everything).rule == "worker_stale"
    assert ruling(replace(everything, executor=ExecutorStatus.RUNNING)).rule == "repeated_failure"
    priorities = [rule.priority for rule in DEFAULT_RULES]
    assert len(set(priorities)) == len(priorities), "equal priorities would leave it to chance"


def fire(known: TaskState, said: Ruling) -> TaskState:
    return fold(known, Record(seq=known.last_seq + 1, task_id="t", at=NOW, event=Ruled(ruling=said)))


def test_a_decision_just_made_is_not_overridden_by_a_lower_one() -> None:
    stale = state(executor=ExecutorStatus.STUCK, repeats=5, subtask_steps=20)
    after = fire(stale, ruling(stale))
    assert ruling(after) == Ruling(outcome="CONTINUE")
    assert ruling(replace(after, executor=ExecutorStatus.COMPLETED)).rule == "worker_done", "a higher one may"
    assert ruling(replace(after, executor=ExecutorStatus.RUNNING, subtask_steps=21)).rule == "repeated_action"


def test_the_workers_end_is_heard_whatever_was_decided_before() -> None:
    own = Rule("own", lambda now: True, "QUALITY_CHECK", 300, lambda _: "mine", GateTrigger.PERIODIC_CHECK, every=9)
    rules = (*DEFAULT_RULES, own)
    before = state(repeats=9)
    after = fire(before, decide(before, 10.0, LIMITS, rules))
    assert decide(after, 10.0, LIMITS, rules).outcome == "CONTINUE"
    assert decide(replace(after, executor=ExecutorStatus.COMPLETED), 10.0, LIMITS, rules).rule == "worker_done"


def test_a_rule_that_fired_rests_for_its_steps() -> None:
    long = state(subtask_steps=11)
    after = fire(long, ruling(long))
    said = [ruling(replace(after, subtask_steps=n, executor=ExecutorStatus.PAUSED)).rule for n in range(11, 19)]
    assert said == ["", "", "", "", "", "excessive_steps", "excessive_steps", "excessive_steps"]


RESTS = {"screen_loop": 3, "subtask_timeout": 5, "excessive_steps": 5, "error_rate": 5}


@pytest.mark.parametrize("name", [rule.name for rule in DEFAULT_RULES if not rule.ends])
def test_how_long_each_rule_rests(name: str) -> None:
    alone = [rule for rule in DEFAULT_RULES if rule.name == name]
    speaks = RULES[name][0]
    spoken = replace(speaks, fired=((name, speaks.subtask_steps),))
    later = [replace(spoken, subtask_steps=speaks.subtask_steps + steps) for steps in range(10)]
    again = (steps for steps, state in enumerate(later) if decide(state, NOW - state.subtask_since, LIMITS, alone).rule)
    assert next(again) == RESTS.get(name, LIMITS.check_every if name == "periodic_check" else 1)


def test_a_rule_of_the_same_rank_does_not_override_what_was_just_decided() -> None:
    repeated = RULES["repeated_action"][0]
    mine = Rule("mine", lambda now: True, "REPLAN", 70, lambda now: "because")
    fired = replace(repeated, fired=(("repeated_action", repeated.subtask_steps),))
    assert decide(fired, 10.0, LIMITS, (*DEFAULT_RULES, mine)).outcome == "CONTINUE"


def test_without_a_rest_a_rule_speaks_once_a_step() -> None:
    repeating = state(repeats=3)
    after = fire(repeating, ruling(repeating))
    assert ruling(after).outcome == "CONTINUE"
    assert ruling(replace(after, subtask_steps=4)).rule == "repeated_action"


@pytest.mark.parametrize("status", [TaskStatus.FULFILLED, TaskStatus.REJECTED])
def test_when_it_is_over_nothing_is_ruled(status: TaskStatus) -> None:
    assert ruling(state(status=status, repeats=9, executor=ExecutorStatus.COMPLETED)).outcome == "CONTINUE"


def in_the_wrong_app(now: RuleInput) -> bool:
    return now.state.app == "Games"


def test_a_user_adds_a_rule_in_python() -> None:
    own = Rule("no_games", in_the_wrong_app, "USER_INTERVENTION", 200, lambda now: f"{now.state.app} was opened")
    rules = (*DEFAULT_RULES, own)
    said = decide(state(app="Games", repeats=9), 10.0, LIMITS, rules)
    assert (said.rule, said.outcome, said.reason) == ("no_games", "USER_INTERVENTION", "Games was opened")
    assert decide(state(app="Notes", repeats=9), 10.0, LIMITS, rules).rule == "repeated_action"
    assert decide(state(repeats=9), 10.0, LIMITS, (own,)).outcome == "CONTINUE", "the list is taken as it is given"


def test_deciding_is_pure() -> None:
    when = state(repeats=3)
    before = replace(when)
    assert ruling(when) == ruling(when)
    assert when == before
