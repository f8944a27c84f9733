"""The events of a task. Its state follows from them and from nothing else."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from deskhand.core.actions import Action, FrozenModel
from deskhand.core.commands import Command
from deskhand.core.decisions import Decision, DecisionKind, StepReport, Usage
from deskhand.core.human import TodoEdit, UserReply, UserRequest
from deskhand.core.irreversible import IrreversibleAct
from deskhand.core.planning import Depth, GateTrigger, Material, QualityReport, ReplanReason, ReplanStrategy, Ruling
from deskhand.core.statuses import ExecStatus, ExecutorStatus, Situation, SubtaskStatus, TaskStatus
from deskhand.core.subtask import Subtask

LoopMode = Literal["single", "dual"]
EndCause = Literal["done", "failed", "stopped", "steps", "time", "budget", "device", "model", "crashed"]


Author = Literal["user", "assistant", "foreign"]


class TaskOrigin(FrozenModel):
    """What a task was given besides its goal: a resumed one has it again.

    `options`: the settings that were given for this task alone, as a tree without secrets. `author`, `secrets` (names)
    and `message` are those of its authority.
    """

    url: str = ""
    options: dict[str, Any] = Field(default_factory=dict)
    author: Author = "user"
    secrets: tuple[str, ...] = ()
    message: str = ""


NO_ORIGIN = TaskOrigin()


class TaskCreated(FrozenModel):
    type: Literal["task_created"] = "task_created"
    goal: str
    device: str
    worker: str
    loop: LoopMode = "single"
    max_steps: int
    origin: TaskOrigin = NO_ORIGIN


class TaskResumed(FrozenModel):
    """The task goes on from its log: after a stop, a crash, a spent budget, or with the device back.

    `options`: the task's options from now on; None in logs of versions that kept none.
    """

    type: Literal["task_resumed"] = "task_resumed"
    max_steps: int
    options: dict[str, Any] | None = None


class SubtaskStarted(FrozenModel):
    """`went_on`: the worker has begun it before, so its bookmark and the counts are kept."""

    type: Literal["subtask_started"] = "subtask_started"
    subtask: Subtask
    system_prompt: str = ""
    went_on: bool = False


class Observed(FrozenModel):
    """The first event of a step: the screen. `frame` names the stored picture."""

    type: Literal["observed"] = "observed"
    step: int
    frame: str
    width: int
    height: int
    app: str = ""
    title: str = ""
    address: str = ""
    elements: int | None = None
    problem: str = ""


class Reserved(FrozenModel):
    """The most that a call to a model can cost. On disk before the call is made; `Billed` or `Released` settles it."""

    type: Literal["reserved"] = "reserved"
    call: str
    role: str
    model: str
    amount: Decimal


class Released(FrozenModel):
    """A call that costs nothing: it was not made, or its provider refused it."""

    type: Literal["released"] = "released"
    call: str


class Billed(FrozenModel):
    """The price of one call to a model, also if its reply was useless. The sum of these is what the task costs.

    `certain` is False if the reply was lost and the worst case is assumed. Free calls have no `call` to settle.
    """

    type: Literal["billed"] = "billed"
    call: str = ""
    role: str
    model: str
    usage: Usage
    certain: bool = True


class Decided(FrozenModel):
    """`heard` counts the injected messages that the worker got; later ones wait for the next step.

    `usage` is for information: the cost of the task is the sum of its bills.
    """

    type: Literal["decided"] = "decided"
    step: int
    decision: Decision
    heard: int = 0
    usage: Usage = Usage()
    ms: int = 0


class ActionIntended(FrozenModel):
    """On disk before the action is sent. `act`: what it does can't be undone. `screen` names what was on the screen.

    `request`: the same for a press that hands something in to a server. It may be repeated, but not after a crash
    that leaves open whether the server has it.
    """

    type: Literal["action_intended"] = "action_intended"
    step: int
    number: int
    action: Action
    act: IrreversibleAct | None = None
    screen: str = ""
    request: IrreversibleAct | None = None


class ActionEnded(FrozenModel):
    """`unknown`: nobody knows whether the device carried it out."""

    type: Literal["action_ended"] = "action_ended"
    step: int
    number: int
    status: ExecStatus
    detail: str = ""
    exit_code: int | None = None
    ms: int = 0
    unknown: bool = False


class DoubtSettled(FrozenModel):
    """It was unknown whether this action was carried out; now it is known, and `because` says from what."""

    type: Literal["doubt_settled"] = "doubt_settled"
    step: int
    number: int
    done: bool
    because: str
    by_user: bool = False


class DeviceReopened(FrozenModel):
    """The device was opened anew: what was filled in there, and not sent, is gone."""

    type: Literal["device_reopened"] = "device_reopened"
    because: str


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
    """The executor's report of one step. `screen_changed` is None if nothing was watched, as in a wait."""

    type: Literal["step_finished"] = "step_finished"
    subtask: str = ""
    report: StepReport
    success: bool
    finished: bool
    screen_changed: bool | None
    ms: int


class CommandTaken(FrozenModel):
    type: Literal["command_taken"] = "command_taken"
    command: Command


class ExecutorChanged(FrozenModel):
    """`cause` and `reason` are set at an end (completed, failed, stuck), `decision` if the worker ended it."""

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
    """The first or a new plan: what is left to do, in order. Fulfilled subtasks stay fulfilled."""

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
    """A rule fired: the work does not simply go on."""

    type: Literal["ruled"] = "ruled"
    ruling: Ruling


class GateOpened(FrozenModel):
    """A check begins. `beside`: the worker goes on meanwhile."""

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
    """The result of a lookup for the next plan; `materials` is empty if nothing was found."""

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
    """A message from the user during the work; TodoEdited follows with what it changes."""

    type: Literal["person_said"] = "person_said"
    text: str


class UserActed(FrozenModel):
    """An action of the user, who has taken the device over."""

    type: Literal["person_acted"] = "person_acted"
    action: Action
    detail: str = ""


class TodoEdited(FrozenModel):
    type: Literal["todo_edited"] = "todo_edited"
    edits: tuple[TodoEdit, ...]
    understood: str = ""


class Corrected(FrozenModel):
    """Help for a stuck worker, level by level: a hint, a fresh start with a better prompt, a new plan, the user."""

    type: Literal["corrected"] = "corrected"
    subtask: str
    level: Literal["inject", "restart", "replan", "person"]
    text: str
    because: str


class Warned(FrozenModel):
    """Something that the user should know; the task goes on."""

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


class Unreadable(FrozenModel):
    """An entry that can't be read: damaged, of another version of Deskhand, or lost. `body` is what is stored."""

    type: Literal["unreadable"] = "unreadable"
    why: str
    body: str = ""


Event = Annotated[
    TaskCreated | TaskResumed | SubtaskStarted | Observed | Reserved | Released | Billed | Decided
    | ActionIntended | ActionEnded | DoubtSettled | DeviceReopened
    | Settled | QueueFlushed | StepFinished | CommandTaken | ExecutorChanged | Memorized
    | Answered | ArtifactKept | PlanMade
    | SubtaskEnded | Ruled | GateOpened | GateClosed | Supplemented | UserAsked | UserReplied | UserSaid
    | UserActed | TodoEdited | Corrected | Warned | SituationChanged | TaskEnded | Unreadable,
    Field(discriminator="type"),
]  # fmt: skip

EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def parse_event(body: str | bytes) -> Event:
    return EVENT.validate_json(body)


class Record(BaseModel):
    """An event with its place in the journal. `unknown` names its stored fields that this version does not know."""

    model_config = ConfigDict(frozen=True)

    seq: int
    task_id: str
    at: float
    event: Event
    unknown: Annotated[tuple[str, ...], Field(exclude_if=lambda names: not names)] = ()

    def to_line(self) -> dict[str, Any]:
        """Return the record as it is exported: one JSON object a line."""
        return self.model_dump(mode="json")


class TaskSummary(BaseModel):
    """One row of `deskhand runs`."""

    model_config = ConfigDict(frozen=True)

    task_id: str
    goal: str
    device: str
    status: TaskStatus
    cause: EndCause | None = None
    reason: str
    started: float
    ended: float | None
    steps: int
    usage: Usage
    unreadable: int = 0
