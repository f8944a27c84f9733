"""The words everyone speaks: frames, elements, observations, decisions, verdicts, usage, commands.

Data only. What is done with it lives in the rooms above; the action words have a file of their own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from pydantic import Field, model_validator

from deskhand.actions import Action, ActionKind, Word

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class TaskStatus(StrEnum):
    CREATED = "created"
    PENDING = "pending"
    ON_HOLD = "on_hold"
    FULFILLED = "fulfilled"
    REJECTED = "rejected"


class SubtaskStatus(StrEnum):
    READY = "ready"
    PENDING = "pending"
    FULFILLED = "fulfilled"
    REJECTED = "rejected"


class ExecStatus(StrEnum):
    PENDING = "pending"
    EXECUTED = "executed"
    TIMEOUT = "timeout"
    ERROR = "error"


class ExecutorStatus(StrEnum):
    IDLE = "idle"
    RUNNING = "running"
    PAUSED = "paused"
    STUCK = "stuck"
    COMPLETED = "completed"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        """Whether the worker has come to an end of its own, good or bad."""
        return self in (ExecutorStatus.COMPLETED, ExecutorStatus.FAILED, ExecutorStatus.STUCK)


class Situation(StrEnum):
    INIT = "INIT"
    PLAN = "PLAN"
    GET_ACTION = "GET_ACTION"
    EXECUTE_ACTION = "EXECUTE_ACTION"
    SETTLE = "SETTLE"
    QUALITY_CHECK = "QUALITY_CHECK"
    SUPPLEMENT = "SUPPLEMENT"
    FINAL_CHECK = "FINAL_CHECK"
    WAIT_USER = "WAIT_USER"
    DONE = "DONE"


class Rect(NamedTuple):
    """A box in frame pixels; right and bottom are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def area(self) -> int:
        return max(0, self.width) * max(0, self.height)

    @property
    def center(self) -> tuple[int, int]:
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    def contains(self, x: int, y: int) -> bool:
        return self.left <= x < self.right and self.top <= y < self.bottom

    def intersect(self, other: Rect) -> Rect:
        left, top = max(self.left, other.left), max(self.top, other.top)
        return Rect(left, top, max(left, min(self.right, other.right)), max(top, min(self.bottom, other.bottom)))


# --- what is seen ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of a screen: height × width × 4 bytes, never written to after it is made.

    `order` keeps the device's own channel order, so that no capture pays for a conversion.
    `at` is the monotonic time of capture; `secure` marks a window that refuses to be captured (all black).
    """

    pixels: NDArray[np.uint8]
    order: Literal["RGBA", "BGRA"] = "RGBA"
    at: float = 0.0
    secure: bool = False

    @property
    def width(self) -> int:
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        return int(self.pixels.shape[0])

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height


@dataclass(frozen=True, eq=False)
class Change:
    """What differs between two frames: how many pixels in each tile, in the grid of `after`."""

    before: Frame
    after: Frame
    counts: NDArray[np.uint16]

    @property
    def tiles(self) -> NDArray[np.bool_]:
        return self.counts != 0

    @property
    def fraction(self) -> float:
        return self.share(self.tiles)

    def share(self, tiles: NDArray[np.bool_]) -> float:
        """The share of all pixels that changed inside of these tiles."""
        return float(self.counts[tiles].sum()) / (self.after.width * self.after.height)


Role = Literal[
    "button", "text", "field", "checkbox", "radio", "switch", "image", "list", "item", "tab", "link", "slider", "menu",
    "combobox", "dialog", "window", "heading", "progress", "group",
]  # fmt: skip


# How a field says that it takes the path of a file, which the page then gets.
FILE_HINT = "a file's path"


@dataclass(frozen=True, slots=True)
class Element:
    """One thing on the screen in one normal form, whether it came from a DOM, AT-SPI, uiautomator or OCR."""

    index: int
    role: Role
    bounds: Rect
    name: str = ""
    value: str = ""
    hint: str = ""
    id: str = ""
    parent: int | None = None
    enabled: bool = True
    focused: bool = False
    selected: bool = False
    checked: bool | None = None
    clickable: bool = False
    editable: bool = False
    scrollable: bool = False
    password: bool = False
    source: Literal["dom", "atspi", "uiautomator", "ocr"] = "uiautomator"

    @property
    def text(self) -> str:
        """What a person reads there."""
        return self.value or self.name or self.hint


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen at one moment. `elements` is None when the device could not list them; `problem` says why."""

    frame: Frame
    elements: tuple[Element, ...] | None = None
    app: str = ""
    title: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class AppInfo:
    """What is in front: package and activity, or program and window title, or site and page title."""

    name: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """A device as the pool lists it, attached or not."""

    id: str
    kind: str
    state: str
    detail: str = ""


# --- what is decided -------------------------------------------------------------------------------------


class Verdict(Word):
    """The worker's judgement of its last action, made in the same breath as the next decision."""

    success: bool
    reason: str = ""


class Expect(Word):
    """What should be true after an action; when it is not, what is queued behind it is dropped."""

    text: str | None = None
    app: str | None = None


class Planned(Word):
    """`sensitive` says why a person has to agree first: the model itself, or its provider, wants it so.

    `held_back`: the provider waits for that person; then no setting may answer for them.
    """

    action: Action
    expect: Expect | None = None
    sensitive: str = ""
    held_back: bool = False


class Usage(Word):
    """What model calls took. Cost is exact; a model without a known price is an error elsewhere, never zero here."""

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


class Decision(Word):
    """A worker's whole reply for one step.

    `bookmark` is the worker's own place in its work: journaled, and handed back with the next briefing,
    so that a worker keeps no state that a crash could lose. `usage` is what the model calls took: the engine
    journals it in an event of its own, so it is left out when a decision is written down.
    """

    kind: DecisionKind
    actions: tuple[Planned, ...] = ()
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


WorkerRole = Literal["operator", "technician", "analyst"]


class Subtask(Word):
    """One item of the plan, which is the to-do list. `task_type` is how memory knows tasks of its kind again.

    `since` and `ended` are wall times; `retries` counts how often it was started anew.
    """

    id: str
    title: str
    done_when: str = ""
    role: WorkerRole = "operator"
    task_type: Annotated[str, Field(max_length=60)] = ""
    status: SubtaskStatus = SubtaskStatus.READY
    retries: int = 0
    since: float | None = None
    ended: float | None = None


class ActionReport(Word):
    """How one action went, as the worker and the person are told. `exit_code` is that of code which was run."""

    action: Action
    status: ExecStatus
    detail: str = ""
    changed: bool | None = None
    exit_code: int | None = None


class StepReport(Word):
    """One finished step: what was decided, what came of it. `done`: with it the worker called its subtask done."""

    step: int
    thought: str = ""
    message: str = ""
    actions: tuple[ActionReport, ...] = ()
    error: str = ""
    done: bool = False

    @property
    def trouble(self) -> str:
        """What went wrong in it; empty when nothing did."""
        failed = (action for action in self.actions if action.status is not ExecStatus.EXECUTED)
        return self.error or next((action.detail or action.status.value for action in failed), "")


class Artifact(Word):
    """A file that code wrote: its name in the task's folder, its size, and the beginning of its text."""

    name: str
    size: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class CodeResult:
    """How code ended. `stopped` says which limit ended it; empty when it came to its own end."""

    code: int
    output: str
    timed_out: bool = False
    truncated: bool = False
    seconds: float = 0.0
    stopped: str = ""
    files: tuple[Artifact, ...] = ()


@dataclass(frozen=True, slots=True)
class Briefing:
    """Everything a worker gets to see for one decision; bounded, so that no request grows with the step number."""

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

    @property
    def last(self) -> StepReport | None:
        return self.history[-1] if self.history else None


# --- commands down to the inner loop -----------------------------------------------------------------------


class StartTask(Word):
    """`go_on`: the subtask was begun before; the worker keeps its place instead of starting anew."""

    command: Literal["start_task"] = "start_task"
    task_id: str
    description: str
    system_prompt: str = ""
    done_when: str = ""
    role: WorkerRole = "operator"
    task_type: str = ""
    go_on: bool = False

    @property
    def subtask(self) -> Subtask:
        return Subtask(
            id=self.task_id,
            title=self.description,
            done_when=self.done_when,
            role=self.role,
            task_type=self.task_type,
        )


Holder = Literal["person", "planner"]


class Pause(Word):
    """Holds the worker until whoever paused it lets go: a planner's new order does not end a person's pause."""

    command: Literal["pause"] = "pause"
    by: Holder = "person"


class Resume(Word):
    command: Literal["resume"] = "resume"
    by: Holder = "person"


class InjectPrompt(Word):
    command: Literal["inject_prompt"] = "inject_prompt"
    content: Annotated[str, Field(min_length=1, max_length=20_000)]


class ResetContext(Word):
    command: Literal["reset_context"] = "reset_context"


class Stop(Word):
    command: Literal["stop"] = "stop"
    reason: str = "stopped by the user"


Command = Annotated[StartTask | Pause | Resume | InjectPrompt | ResetContext | Stop, Field(discriminator="command")]


@dataclass(frozen=True, slots=True)
class SettleResult:
    """How the wait for a still screen ended: what the action changed, and what still moved if it gave up."""

    still: bool
    waited_ms: int
    frames: int
    change: Change
    moving: tuple[Rect, ...] = field(default=())

    @property
    def frame(self) -> Frame:
        """The last one that was seen."""
        return self.change.after
