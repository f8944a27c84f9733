"""Data types of planning and judging: triggers, reports, strategies, plans. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from deskhand.core.actions import ActionKind, FrozenModel
from deskhand.core.decisions import StepReport, Usage
from deskhand.core.irreversible import DoneAct
from deskhand.core.screen import Frame, Observation
from deskhand.core.subtask import Subtask, WorkerRole

Depth = Literal["low", "medium", "high"]


class GateTrigger(StrEnum):
    PERIODIC_CHECK = "PERIODIC_CHECK"
    WORKER_STALE = "WORKER_STALE"
    WORKER_SUCCESS = "WORKER_SUCCESS"
    FINAL_CHECK = "FINAL_CHECK"
    REPEATED_ACTION = "REPEATED_ACTION"
    EXCESSIVE_STEPS = "EXCESSIVE_STEPS"
    NO_PROGRESS = "NO_PROGRESS"
    TIME_EXCEEDED = "TIME_EXCEEDED"


class GateDecision(StrEnum):
    DONE = "gate_done"
    FAIL = "gate_fail"
    SUPPLEMENT = "gate_supplement"
    CONTINUE = "gate_continue"


# The decisions that a gate may make, by its trigger.
_SUCCESS = frozenset({GateDecision.DONE, GateDecision.FAIL})
_STALE = frozenset({GateDecision.CONTINUE, GateDecision.FAIL, GateDecision.SUPPLEMENT})
ALLOWED: dict[GateTrigger, frozenset[GateDecision]] = {trigger: frozenset(GateDecision) for trigger in GateTrigger} | {
    GateTrigger.WORKER_SUCCESS: _SUCCESS,
    GateTrigger.FINAL_CHECK: _SUCCESS,
    GateTrigger.WORKER_STALE: _STALE,
}


class QualityReport(FrozenModel):
    """The observation, judgement and recommendation of a gate."""

    trigger: GateTrigger
    depth: Depth
    status: Literal["GOOD", "CONCERNING", "CRITICAL"]
    recommendation: Literal["CONTINUE", "ADJUST", "REPLAN"]
    decision: GateDecision
    confidence: Annotated[float, Field(ge=0, le=1)] = 1.0
    reason: str = ""
    issues: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    by: Literal["rules", "model"] = "rules"
    usage: Usage = Usage()


class ReplanReason(StrEnum):
    FIRST_PLAN = "first_plan"
    GATE_FAILED = "gate_failed"
    WORKER_FAILED = "worker_failed"
    REPEATED_FAILURE = "repeated_failure"
    TIMEOUT = "timeout"
    UNHANDLED_ERROR = "unhandled_error"
    USER_REQUEST = "user_request"
    ENVIRONMENT_CHANGED = "environment_changed"
    SUPPLEMENTED = "supplemented"
    FINAL_CHECK_FAILED = "final_check_failed"


class ReplanStrategy(StrEnum):
    """The part of the plan that is given up: this subtask, the sequence, everything, or the user is asked."""

    LIGHT = "light"
    MEDIUM = "medium"
    HEAVY = "heavy"
    ESCALATE = "escalate"


class Ruling(FrozenModel):
    """The decision of the rules after an event, and the rule that made it."""

    outcome: Literal["CONTINUE", "QUALITY_CHECK", "REPLAN", "SUPPLEMENT", "USER_INTERVENTION"]
    rule: str = ""
    priority: int = 0
    reason: str = ""
    confidence: float = 1.0
    trigger: GateTrigger | None = None


class Material(FrozenModel):
    """Material looked up for the task: its source and its text. Data, never instructions."""

    source: str
    title: str
    text: Annotated[str, Field(max_length=8_000)]


class Plan(FrozenModel):
    subtasks: Annotated[tuple[Subtask, ...], Field(min_length=1, max_length=40)]
    reason: str = ""
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """All input of a planner; `strategy` says how much of the old plan it may give up."""

    goal: str
    strategy: ReplanStrategy
    reason: ReplanReason
    because: str
    observation: Observation
    apps: tuple[str, ...]
    capabilities: frozenset[ActionKind]
    roles: tuple[WorkerRole, ...]
    done: tuple[Subtask, ...] = ()
    failed: tuple[Subtask, ...] = ()
    remaining: tuple[Subtask, ...] = ()
    tried: tuple[tuple[str, ...], ...] = ()
    history: tuple[StepReport, ...] = ()
    reports: tuple[QualityReport, ...] = ()
    materials: tuple[Material, ...] = ()
    notes: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    acts: tuple[DoneAct, ...] = ()


@dataclass(frozen=True, slots=True)
class GateRequest:
    """All input of a judge. `goal` is always the root goal; `before` is the screen as the subtask began.

    `said` is what the user added or took back since. `steps` and `seconds` went into the subtask;
    `changed` is the share of the screen that differs from `before`. `bookmark` is the worker's place in the subtask,
    `bookmarks` those with which fulfilled subtasks ended, by id: a worker may keep there what proves its work.
    """

    trigger: GateTrigger
    depth: Depth
    goal: str
    subtask: Subtask | None
    observation: Observation
    before: Frame | None
    claim: str
    steps: int
    error_rate: float
    changed: float
    seconds: float = 0.0
    subtasks: tuple[Subtask, ...] = ()
    history: tuple[StepReport, ...] = ()
    notes: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    earlier: tuple[QualityReport, ...] = ()
    said: tuple[str, ...] = ()
    bookmark: str = ""
    bookmarks: tuple[tuple[str, str], ...] = ()
