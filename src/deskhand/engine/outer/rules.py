"""Layer 1 of decision: rules over the state, after every event, free of charge. Data and one pure function.

A user's own rule is one more `Rule` in the list that is handed to `decide`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from deskhand.core.planning import GateTrigger, Ruling
from deskhand.core.statuses import ExecutorStatus
from deskhand.settings.schema import RuleSettings
from deskhand.task.state import TaskState

Outcome = Literal["QUALITY_CHECK", "REPLAN", "SUPPLEMENT", "USER_INTERVENTION"]
# An error rate says nothing before this many actions.
ENOUGH_ACTIONS = 4


@dataclass(frozen=True, slots=True)
class RuleInput:
    """The input of a condition: the state, the thresholds, and for how many seconds the subtask is under way.

    Seconds by the monotonic clock: nothing happened to the worker when the wall clock is set.
    """

    state: TaskState
    limits: RuleSettings
    seconds: float


@dataclass(frozen=True, slots=True)
class Rule:
    """`every`: after it fired, it is silent for that many steps of the subtask (0: it fires once a step).

    `ends`: it speaks of the worker's end, which is news whatever was decided before.
    """

    name: str
    condition: Callable[[RuleInput], bool]
    outcome: Outcome
    priority: int
    reason: Callable[[RuleInput], str]
    trigger: GateTrigger | None = None
    confidence: float = 1.0
    every: int = 0
    ends: bool = False


def decide(state: TaskState, seconds: float, limits: RuleSettings, rules: Sequence[Rule] | None = None) -> Ruling:
    """Return the ruling of the highest rule that applies; CONTINUE if none does. `seconds`: see RuleInput."""
    moment = RuleInput(state, limits, seconds)
    rules = rules or DEFAULT_RULES
    floor = _find_last_priority(rules, state)
    applying = [
        rule
        for rule in rules
        if (rule.ends or rule.priority > floor) and not _is_resting(rule, state) and rule.condition(moment)
    ]
    if not applying or state.over:
        return Ruling(outcome="CONTINUE")
    rule = max(applying, key=lambda rule: rule.priority)
    return Ruling(
        outcome=rule.outcome,
        rule=rule.name,
        priority=rule.priority,
        reason=rule.reason(moment),
        confidence=rule.confidence,
        trigger=rule.trigger,
    )


def _find_last_priority(rules: Sequence[Rule], state: TaskState) -> float:
    """Return the priority of what was decided after this very step: nothing lower overrides it."""
    fired = dict(state.fired)
    return max((rule.priority for rule in rules if fired.get(rule.name) == state.subtask_steps), default=-math.inf)


def _is_resting(rule: Rule, state: TaskState) -> bool:
    fired = dict(state.fired).get(rule.name)
    return fired is not None and state.subtask_steps < fired + max(rule.every, 1)


def _is_periodic_step(now: RuleInput) -> bool:
    steps = now.state.subtask_steps
    return steps > 0 and steps % now.limits.check_every == 0 and now.state.executor is ExecutorStatus.RUNNING


DEFAULT_RULES: tuple[Rule, ...] = (
    Rule(
        "worker_asks",
        lambda now: now.state.executor_decision == "ask",
        "USER_INTERVENTION",
        110,
        lambda now: now.state.executor_reason,
        ends=True,
    ),
    Rule(
        "worker_needs_material",
        lambda now: now.state.executor_decision == "supplement",
        "SUPPLEMENT",
        105,
        lambda now: now.state.executor_reason,
        ends=True,
    ),
    Rule(
        "worker_failed",
        lambda now: now.state.executor is ExecutorStatus.FAILED and now.state.executor_cause == "failed",
        "REPLAN",
        100,
        lambda now: now.state.executor_reason,
        ends=True,
    ),
    Rule(
        "worker_done",
        lambda now: now.state.executor is ExecutorStatus.COMPLETED,
        "QUALITY_CHECK",
        95,
        lambda now: f"the worker says it is done: {now.state.executor_reason}",
        GateTrigger.WORKER_SUCCESS,
        ends=True,
    ),
    Rule(
        "worker_stale",
        lambda now: now.state.executor is ExecutorStatus.STUCK,
        "QUALITY_CHECK",
        90,
        lambda now: f"the worker sees no progress: {now.state.executor_reason}",
        GateTrigger.WORKER_STALE,
        ends=True,
    ),
    Rule(
        "repeated_failure",
        lambda now: now.state.failures_in_a_row >= now.limits.failures,
        "REPLAN",
        80,
        lambda now: f"{now.state.failures_in_a_row} steps failed in a row",
        confidence=0.9,
    ),
    Rule(
        "no_progress",
        lambda now: now.state.unchanged_in_a_row >= now.limits.steps_without_progress,
        "REPLAN",
        75,
        lambda now: f"{now.state.unchanged_in_a_row} steps changed nothing",
        confidence=0.9,
    ),
    Rule(
        "repeated_action",
        lambda now: now.state.repeats >= now.limits.repeats,
        "QUALITY_CHECK",
        70,
        lambda now: f"the same action came {now.state.repeats} times in a row",
        GateTrigger.REPEATED_ACTION,
        confidence=0.9,
    ),
    Rule(
        "unchanged_screen",
        lambda now: now.state.unchanged_in_a_row >= now.limits.unchanged_screens,
        "QUALITY_CHECK",
        65,
        lambda now: f"the screen has not changed for {now.state.unchanged_in_a_row} steps",
        GateTrigger.NO_PROGRESS,
        confidence=0.8,
    ),
    Rule(
        "screen_loop",
        lambda now: now.state.screen_loop > 0,
        "QUALITY_CHECK",
        60,
        lambda now: f"the same {now.state.screen_loop} screens keep coming back",
        GateTrigger.NO_PROGRESS,
        confidence=0.8,
        every=3,
    ),
    Rule(
        "subtask_timeout",
        lambda now: bool(now.state.subtask) and now.seconds > now.limits.subtask_s,
        "QUALITY_CHECK",
        55,
        lambda now: f"the subtask takes longer than {now.limits.subtask_s:g} s",
        GateTrigger.TIME_EXCEEDED,
        confidence=0.7,
        every=5,
    ),
    Rule(
        "excessive_steps",
        lambda now: now.state.subtask_steps > now.limits.subtask_steps,
        "QUALITY_CHECK",
        50,
        lambda now: f"{now.state.subtask_steps} steps went into one subtask",
        GateTrigger.EXCESSIVE_STEPS,
        confidence=0.7,
        every=5,
    ),
    Rule(
        "error_rate",
        lambda now: now.state.subtask_actions >= ENOUGH_ACTIONS and now.state.error_rate > now.limits.error_rate,
        "QUALITY_CHECK",
        45,
        lambda now: f"{now.state.error_rate:.0%} of the actions fail",
        GateTrigger.NO_PROGRESS,
        confidence=0.7,
        every=5,
    ),
    Rule(
        "periodic_check",
        _is_periodic_step,
        "QUALITY_CHECK",
        10,
        lambda now: f"{now.state.subtask_steps} steps are done: time for a look",
        GateTrigger.PERIODIC_CHECK,
        confidence=0.5,
    ),
)
