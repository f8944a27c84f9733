"""Everything that can happen to a task. Nothing is state unless one of these says so."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from deskhand.core.actions import Action, FrozenModel
from deskhand.core.commands import Command
from deskhand.core.decisions import Decision, DecisionKind, StepReport, Usage
from deskhand.core.human import TodoEdit, UserReply, UserRequest
from deskhand.core.planning import Depth, GateTrigger, Material, QualityReport, ReplanReason, ReplanStrategy, Ruling
from deskhand.core.statuses import ExecStatus, ExecutorStatus, Situation, SubtaskStatus, TaskStatus
from deskhand.core.subtask import Subtask

LoopMode = Literal["single", "dual"]
EndCause = Literal["done", "failed", "stopped", "steps", "time", "budget", "device", "model", "crashed"]


class TaskCreated(FrozenModel):
    type: Literal["task_created"] = "task_created"
    goal: str
    device: str
    worker: str
    loop: LoopMode = "single"
    max_steps: int


class TaskResumed(FrozenModel):
    """Taken up again from its log: after a stop, a crash, a spent budget, or with the device back."""

    type: Literal["task_resumed"] = "task_resumed"
    max_steps: int


class SubtaskStarted(FrozenModel):
    """`went_on`: begun before, so the worker's place and the counts are kept."""

    type: Literal["subtask_started"] = "subtask_started"
    subtask: Subtask
    system_prompt: str = ""
    went_on: bool = False


class Observed(FrozenModel):
    """A step begins with what was seen. `frame` names the stored picture."""

    type: Literal["observed"] = "observed"
    step: int
    frame: str
    width: int
    height: int
    app: str = ""
    title: str = ""
    elements: int | None = None
    problem: str = ""


class Reserved(FrozenModel):
    """Written, and on disk, before a call to a model is made: the most that it can cost. Settled by its bill."""

    type: Literal["reserved"] = "reserved"
    call: str
    role: str
    model: str
    amount: Decimal


class Released(FrozenModel):
    """A call that was not made, or that its provider refused: it costs nothing."""

    type: Literal["released"] = "released"
    call: str


class Billed(FrozenModel):
    """One call to a model as it is paid for, also when its reply was of no use: what a task costs is their sum.

    `certain` is False when the reply was lost and the worst case was taken. Free calls have no `call` to settle.
    """

    type: Literal["billed"] = "billed"
    call: str = ""
    role: str
    model: str
    usage: Usage
    certain: bool = True


class Decided(FrozenModel):
    """`heard` counts the injected messages that the worker was told; later ones wait for the next step.

    `usage` is what deciding took, for reading: what the task costs is the sum of its bills.
    """

    type: Literal["decided"] = "decided"
    step: int
    decision: Decision
    heard: int = 0
    usage: Usage = Usage()
    ms: int = 0


class ActionIntended(FrozenModel):
    """Written, and on disk, before the action is sent."""

    type: Literal["action_intended"] = "action_intended"
    step: int
    number: int
    action: Action


class ActionEnded(FrozenModel):
    type: Literal["action_ended"] = "action_ended"
    step: int
    number: int
    status: ExecStatus
    detail: str = ""
    exit_code: int | None = None
    ms: int = 0


class Settled(FrozenModel):
    """`changed` is the share of pixels; `loop` how many screens keep coming back, 0 for none."""

    type: Literal["settled"] = "settled"
    step: int
    number: int
    still: bool
    waited_ms: int
    frames: int
    changed: float
    frame: str
    loop: int = 0


class QueueFlushed(FrozenModel):
    type: Literal["queue_flushed"] = "queue_flushed"
    step: int
    dropped: tuple[Action, ...]
    reason: str


class StepFinished(FrozenModel):
    """The executor's feedback after each step."""

    type: Literal["step_finished"] = "step_finished"
    subtask: str = ""
    report: StepReport
    success: bool
    finished: bool
    screen_changed: bool
    ms: int


class CommandTaken(FrozenModel):
    type: Literal["command_taken"] = "command_taken"
    command: Command


class ExecutorChanged(FrozenModel):
    """`cause` and `reason` come with an end (completed, failed, stuck), `decision` where the worker ended it."""

    type: Literal["executor_changed"] = "executor_changed"
    subtask: str = ""
    status: ExecutorStatus
    decision: DecisionKind | None = None
    cause: EndCause | None = None
    reason: str = ""


class Memorized(FrozenModel):
    type: Literal["memorized"] = "memorized"
    text: str


class Answered(FrozenModel):
    type: Literal["answered"] = "answered"
    text: str


class ArtifactKept(FrozenModel):
    """A file that the technician's code wrote, with the beginning of its text."""

    type: Literal["artifact_kept"] = "artifact_kept"
    name: Annotated[str, Field(max_length=300)]
    size: int
    text: Annotated[str, Field(max_length=4_000)] = ""


class PlanMade(FrozenModel):
    """A plan, or a new one: what is left to do, in order. What was done before stays done."""

    type: Literal["plan_made"] = "plan_made"
    subtasks: tuple[Subtask, ...]
    strategy: ReplanStrategy
    reason: ReplanReason
    because: str = ""
    thought: str = ""
    usage: Usage = Usage()


class SubtaskEnded(FrozenModel):
    type: Literal["subtask_ended"] = "subtask_ended"
    id: str
    status: Literal[SubtaskStatus.FULFILLED, SubtaskStatus.REJECTED]
    reason: str = ""


class Ruled(FrozenModel):
    """The rules want something else than to go on."""

    type: Literal["ruled"] = "ruled"
    ruling: Ruling


class GateOpened(FrozenModel):
    """A check begins; `beside` the work, or with the work waiting for it."""

    type: Literal["gate_opened"] = "gate_opened"
    subtask: str = ""
    trigger: GateTrigger
    depth: Depth
    beside: bool


class GateClosed(FrozenModel):
    type: Literal["gate_closed"] = "gate_closed"
    subtask: str = ""
    beside: bool
    report: QualityReport


class Supplemented(FrozenModel):
    """What was looked up for the next plan; `materials` is empty when nothing was found."""

    type: Literal["supplemented"] = "supplemented"
    need: str
    materials: tuple[Material, ...] = ()
    trouble: str = ""


class UserAsked(FrozenModel):
    type: Literal["person_asked"] = "person_asked"
    request: UserRequest


class UserReplied(FrozenModel):
    type: Literal["person_replied"] = "person_replied"
    reply: UserReply


class UserSaid(FrozenModel):
    """A message in the middle of the work; what is made of it follows as TodoEdited."""

    type: Literal["person_said"] = "person_said"
    text: str


class UserActed(FrozenModel):
    """An action by the person's own hand, while the device is theirs."""

    type: Literal["person_acted"] = "person_acted"
    action: Action
    detail: str = ""


class TodoEdited(FrozenModel):
    type: Literal["todo_edited"] = "todo_edited"
    edits: tuple[TodoEdit, ...]
    understood: str = ""


class Corrected(FrozenModel):
    """A stuck worker is helped: told what to do instead, started anew with a better prompt, given a new plan,
    or a person is called; each only after what comes before it did not help."""

    type: Literal["corrected"] = "corrected"
    subtask: str
    level: Literal["inject", "restart", "replan", "person"]
    text: str
    because: str


class Warned(FrozenModel):
    """Something that a person should know and that does not hold up the task."""

    type: Literal["warned"] = "warned"
    text: str


class SituationChanged(FrozenModel):
    type: Literal["situation_changed"] = "situation_changed"
    situation: Situation
    because: str = ""


class TaskEnded(FrozenModel):
    type: Literal["task_ended"] = "task_ended"
    status: Literal[TaskStatus.FULFILLED, TaskStatus.REJECTED]
    cause: EndCause
    reason: str


Event = Annotated[
    TaskCreated | TaskResumed | SubtaskStarted | Observed | Reserved | Released | Billed | Decided
    | ActionIntended | ActionEnded | Settled | QueueFlushed | StepFinished | CommandTaken | ExecutorChanged | Memorized
    | Answered | ArtifactKept | PlanMade
    | SubtaskEnded | Ruled | GateOpened | GateClosed | Supplemented | UserAsked | UserReplied | UserSaid
    | UserActed | TodoEdited | Corrected | Warned | SituationChanged | TaskEnded,
    Field(discriminator="type"),
]  # fmt: skip

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def parse_event(body: str | bytes) -> Event:
    return _EVENT.validate_json(body)


class Record(BaseModel):
    """An event with its place in the journal."""

    model_config = ConfigDict(frozen=True)

    seq: int
    task_id: str
    at: float
    event: Event

    def to_line(self) -> dict[str, Any]:
        """As exported: one JSON object a line."""
        return self.model_dump(mode="json")


class TaskSummary(BaseModel):
    """One row of `deskhand runs`."""

    model_config = ConfigDict(frozen=True)

    task_id: str
    goal: str
    device: str
    status: TaskStatus
    reason: str
    started: float
    ended: float | None
    steps: int
    usage: Usage
