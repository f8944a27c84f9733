"""A worker's briefing, its decision, and reports of the results. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, model_validator

from deskhand.core.actions import Action, ActionKind, FrozenModel
from deskhand.core.geometry import Rect
from deskhand.core.irreversible import DoneAct
from deskhand.core.screen import Observation
from deskhand.core.statuses import ExecStatus
from deskhand.core.subtask import Subtask


class Verdict(FrozenModel):
    """The worker's judgement of its last action, made in the same reply as the next decision."""

    success: bool
    reason: str = ""


class Expect(FrozenModel):
    """A condition that should be true after an action; if it is not, the actions queued behind it are dropped."""

    text: str | None = None
    app: str | None = None


class PlannedAction(FrozenModel):
    """An action to do. `sensitive` says why a user has to approve it first: the model or its provider asks for it.

    `held_back`: the provider waits for that user; then no setting may answer for them.
    """

    action: Action
    expect: Expect | None = None
    sensitive: str = ""
    held_back: bool = False


class Usage(FrozenModel):
    """Tokens and exact cost of model calls; a model without a known price is an error elsewhere, never zero here."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal = Decimal(0)

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=self.cost + other.cost,
        )


DecisionKind = Literal["actions", "done", "fail", "stale", "supplement", "ask"]


class Decision(FrozenModel):
    """A worker's whole reply for one step.

    `bookmark` is the worker's own position in its work: journaled, and handed back with the next briefing,
    so that a worker keeps no state that a crash could lose. `usage` is that of the model calls: the engine
    journals it in an event of its own, so it is left out when a decision is serialized.
    """

    kind: DecisionKind
    actions: tuple[PlannedAction, ...] = ()
    verdict: Verdict | None = None
    thought: str = ""
    message: str = ""
    bookmark: str = ""
    usage: Annotated[Usage, Field(exclude=True)] = Usage()

    @model_validator(mode="after")
    def _complete(self) -> Decision:
        if (self.kind == "actions") != bool(self.actions):
            raise ValueError("a decision of kind 'actions' carries actions, and no other kind does")
        if self.kind in ("fail", "supplement", "ask") and not self.message:
            raise ValueError(f"a decision of kind {self.kind!r} says why in its message")
        return self


class ActionReport(FrozenModel):
    """The result of one action, for the worker and the user. `exit_code` is that of code which was run.

    `area` encloses what changed on the screen, without what moves by itself.
    """

    action: Action
    status: ExecStatus
    detail: str = ""
    changed: bool | None = None
    area: Rect | None = None
    exit_code: int | None = None


class StepReport(FrozenModel):
    """One finished step: the decision and its results. `done`: with it the worker called its subtask done."""

    step: int
    thought: str = ""
    message: str = ""
    actions: tuple[ActionReport, ...] = ()
    error: str = ""
    done: bool = False

    @property
    def trouble(self) -> str:
        """The error of the step; empty if there was none."""
        failed = (action for action in self.actions if action.status is not ExecStatus.EXECUTED)
        return self.error or next((action.detail or action.status.value for action in failed), "")


class Artifact(FrozenModel):
    """A file that code wrote: its name in the task's folder, its size, and the beginning of its text."""

    name: str
    size: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class CodeResult:
    """The result of code. `stopped` names the limit that ended it; empty if it ended by itself."""

    code: int
    output: str
    timed_out: bool = False
    truncated: bool = False
    seconds: float = 0.0
    stopped: str = ""
    files: tuple[Artifact, ...] = ()


@dataclass(frozen=True, slots=True)
class Briefing:
    """All input of a worker for one decision; bounded, so that no request grows with the step number."""

    goal: str
    subtask: Subtask
    observation: Observation
    capabilities: frozenset[ActionKind]
    step: int
    max_steps: int
    history: tuple[StepReport, ...] = ()
    notes: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    materials: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    bookmark: str = ""
    system_prompt: str = ""
    # What was done before, can't be undone, and is not done again by this worker.
    done_before: tuple[DoneAct, ...] = ()
    # Why the device was opened anew since the last decision: what was filled in there is gone.
    reopened: str = ""

    @property
    def last(self) -> StepReport | None:
        """The last step in which something was done, or went wrong: one that was dropped tells nothing of either."""
        return next((report for report in reversed(self.history) if report.actions or report.error), None)
