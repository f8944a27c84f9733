"""Requests and responses of the API as pydantic models, without the engine's inner workings."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from deskhand.core.actions import FrozenModel
from deskhand.core.decisions import StepReport, Usage
from deskhand.core.human import UserRequest
from deskhand.core.planning import QualityReport
from deskhand.core.statuses import ExecutorStatus, Situation, TaskStatus
from deskhand.core.subtask import Subtask
from deskhand.sessions.conversation_entries import ShownEntry
from deskhand.sessions.conversation_store import SESSION_PATTERN, ConversationSummary
from deskhand.task.events import EndCause, LoopMode, Record, TaskSummary
from deskhand.task.state import TaskState

Text = Annotated[str, Field(min_length=1, max_length=20_000)]
DeviceId = Annotated[str, Field(max_length=2000)]
SessionId = Annotated[str, Field(pattern=SESSION_PATTERN)]


class ResponseModel(BaseModel):
    model_config = ConfigDict(frozen=True)


# --- layered chat ----------------------------------------------------------------------------------------------


class LenientRequest(BaseModel):
    """Ignores unknown fields: clients that were written for other servers send some of their own."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ChatRequest(LenientRequest):
    """With `request_id`, the message answers that open request of the conversation."""

    message: Text
    device_id: DeviceId | None = None
    session_id: SessionId | None = None
    request_id: Annotated[str, Field(max_length=100)] | None = None


class SessionRequest(LenientRequest):
    session_id: SessionId


class CommandResult(ResponseModel):
    success: bool
    message: str


class ConversationList(ResponseModel):
    sessions: list[ConversationSummary]


class ConversationEvent(ResponseModel):
    """`event` is what was streamed, the user's message (`type: user`), or a task that was begun (`type: task`)."""

    id: int
    at: float
    event: ShownEntry


class ConversationDetail(ResponseModel):
    session_id: str
    running: bool
    usage: Usage
    entries: list[ConversationEvent]


# --- tasks -----------------------------------------------------------------------------------------------------


class TaskRequest(FrozenModel):
    """`wait_s`: how long to wait for a busy device."""

    goal: Text
    device: DeviceId = ""
    url: Annotated[str, Field(max_length=8000)] = ""
    loop: LoopMode | None = None
    max_steps: Annotated[int, Field(ge=1, le=10_000)] | None = None
    wait_s: Annotated[float, Field(ge=0, le=600)] = 0.0


class TaskCommand(FrozenModel):
    """`text` is the reason of a stop, or the words of an inject. `resume` also continues a past task.

    `budget`: the most that a past task may cost in all, in US dollars; without it, the task keeps its cap.
    """

    command: Literal["pause", "resume", "stop", "inject", "reset"]
    text: Annotated[str, Field(max_length=20_000)] = ""
    budget: Annotated[Decimal, Field(ge=0, le=1_000_000)] | None = None


class MessageRequest(FrozenModel):
    text: Text


class RequestAnswer(FrozenModel):
    verdict: Literal["yes", "no"]
    text: Annotated[str, Field(max_length=20_000)] = ""


class TaskView(ResponseModel):
    """`running`: in this server, so that it takes commands."""

    task_id: str
    goal: str
    device: str
    worker: str
    loop: LoopMode
    status: TaskStatus
    situation: Situation
    executor: ExecutorStatus
    running: bool
    step: int
    max_steps: int
    started: float
    ended: float | None
    cause: EndCause | None
    reason: str
    answers: list[str]
    requests: list[UserRequest]
    usage: Usage
    last_event: int


def to_task_view(state: TaskState, *, running: bool) -> TaskView:
    return TaskView(
        task_id=state.task_id,
        goal=state.goal,
        device=state.device,
        worker=state.worker,
        loop=state.loop,
        status=state.status,
        situation=state.situation,
        executor=state.executor,
        running=running and not state.over,
        step=state.step,
        max_steps=state.max_steps,
        started=state.started,
        ended=state.ended,
        cause=state.cause,
        reason=state.reason,
        answers=list(state.answers),
        requests=list(state.requests),
        usage=state.usage,
        last_event=state.last_seq,
    )


class TaskList(ResponseModel):
    tasks: list[TaskSummary]


class EventPage(ResponseModel):
    """`next` is what to ask for with `after`; the same as before when there was nothing more."""

    events: list[Record]
    next: int
    over: bool


class TodoList(ResponseModel):
    current: str | None
    subtasks: list[Subtask]


class RequestList(ResponseModel):
    requests: list[UserRequest]


class StepView(ResponseModel):
    """One step with the pictures before and after it: their names, for `/frames/{name}`."""

    subtask: str
    report: StepReport
    success: bool
    screen_changed: bool | None
    ms: int
    before: str
    after: str


class TaskReport(ResponseModel):
    task: TaskView
    subtasks: list[Subtask]
    steps: list[StepView]
    gates: list[QualityReport]
    costs: dict[str, Usage]


class TaskCosts(ResponseModel):
    total: Usage
    by_role: dict[str, Usage]


class TaskCost(ResponseModel):
    task_id: str
    goal: str
    usage: Usage


class CostOverview(ResponseModel):
    total: Usage
    tasks: list[TaskCost]
    conversations: Usage


# --- devices and the rest --------------------------------------------------------------------------------------


class DeviceView(ResponseModel):
    """`open`: it is started or connected; others are when they are used. `task_id`: the task that has it."""

    device_id: str
    kind: str
    state: str
    detail: str
    open: bool
    task_id: str | None


class DeviceList(ResponseModel):
    devices: list[DeviceView]


class ActionResult(ResponseModel):
    detail: str


class Health(ResponseModel):
    """`failing` (with status 503): nothing can be stored. `troubles` are sentences, also of what works without."""

    status: Literal["ok", "failing"]
    version: str
    seconds: float
    running_tasks: int
    settings_trouble: str
    troubles: list[str]


class SettingView(ResponseModel):
    key: str
    value: Any
    origin: str


class SettingsView(ResponseModel):
    settings: list[SettingView]
