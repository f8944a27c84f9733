"""What the MCP tools take and tell: small models of data, each with words that a person or a model reads at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import GenerateJsonSchema

from deskhand.core.actions import describe
from deskhand.core.decisions import StepReport
from deskhand.core.human import RequestKind
from deskhand.core.screen import DeviceInfo
from deskhand.core.statuses import SubtaskStatus, TaskStatus
from deskhand.task.events import LoopMode
from deskhand.task.state import TaskState

DeviceName = Annotated[
    str, Field(max_length=2000, description="as list_devices tells it; empty: the one of the settings")
]
TaskId = Annotated[str, Field(min_length=1, max_length=100, description="as run_task told it")]
WaitS = Annotated[
    float,
    Field(ge=0, le=600, description="seconds to wait for the end of the task, or until it needs the person"),
]


class Given(BaseModel):
    """The arguments of a call; one that is not known is a mistake."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Told(BaseModel, ABC):
    model_config = ConfigDict(frozen=True)

    @abstractmethod
    def words(self) -> str:
        """The same for whoever reads text only."""


class Nothing(Given):
    pass


class Order(Given):
    message: Annotated[str, Field(max_length=20_000, description="one thing to do, or one question about the screen")]
    device_id: DeviceName = ""


class Goal(Given):
    goal: Annotated[str, Field(max_length=20_000, description="what is to be done, in plain words")]
    device_id: DeviceName = ""
    url: Annotated[str, Field(max_length=8000, description="begin at this page (browser and phone)")] = ""
    loop: Annotated[
        LoopMode | None, Field(description="dual: a planner watches over the worker; single: the worker alone")
    ] = None
    max_steps: Annotated[int, Field(ge=1, le=10_000, description="give up after so many")] | None = None
    wait_s: WaitS = 0.0


class OfTask(Given):
    task_id: TaskId
    wait_s: WaitS = 0.0


class Ending(Given):
    task_id: TaskId
    reason: Annotated[str, Field(max_length=1000)] = ""


class Look(Given):
    device_id: DeviceName = ""
    side: Annotated[int, Field(ge=100, le=8192, description="no side of the picture is longer, in pixels")] = 1280


# --- devices ---------------------------------------------------------------------------------------------------


class DeviceTold(Told):
    device_id: str
    kind: str
    state: str
    detail: str
    task_id: Annotated[str | None, Field(description="the task of this server that has it")]

    def words(self) -> str:
        return f"{self.device_id}: {self.state}" + (f" (task {self.task_id})" if self.task_id else f", {self.detail}")


class DevicesTold(Told):
    devices: list[DeviceTold]

    def words(self) -> str:
        return "\n".join(device.words() for device in self.devices) or "There is no device."


def devices_told(found: Sequence[DeviceInfo], tasks: dict[str, str]) -> DevicesTold:
    devices = [
        DeviceTold(device_id=one.id, kind=one.kind, state=one.state, detail=one.detail, task_id=tasks.get(one.id))
        for one in found
    ]
    return DevicesTold(devices=devices)


class PictureTold(Told):
    device_id: str
    width: int
    height: int

    def words(self) -> str:
        return f"The screen of {self.device_id}, {self.width} x {self.height} pixels."


class ChatTold(Told):
    result: str
    steps: int
    success: bool

    def words(self) -> str:
        return self.result


# --- tasks -----------------------------------------------------------------------------------------------------


class SubtaskTold(Told):
    title: str
    status: SubtaskStatus

    def words(self) -> str:
        return f"- {self.title}: {self.status.value}"


class RequestTold(Told):
    """What only the person can give. `expires`: the Unix time at which it counts as refused."""

    request_id: str
    kind: RequestKind
    text: str
    expires: float | None

    def words(self) -> str:
        return f"It waits for the person ({self.kind}): {self.text}"


class TaskTold(Told):
    task_id: str
    goal: str
    device_id: str
    status: TaskStatus
    running: Annotated[bool, Field(description="in this server, so that it can be stopped here")]
    steps: int
    max_steps: int
    plan: list[SubtaskTold]
    last_steps: Annotated[list[str], Field(description="the newest steps in words")]
    answers: Annotated[list[str], Field(description="what the task was to find out")]
    reason: Annotated[str, Field(description="why it ended as it did")]
    requests: Annotated[list[RequestTold], Field(description="what it waits for: only the person can answer")]
    cost_usd: str
    model_calls: int

    def words(self) -> str:
        ended = f": {self.reason}" if self.reason else ""
        lines = [f"Task {self.task_id} on {self.device_id} is {self.status.value} after {self.steps} steps{ended}"]
        lines += self.answers
        lines += [subtask.words() for subtask in self.plan]
        if self.running:
            lines += [f"Last: {step}" for step in self.last_steps[-1:]]
        lines += [request.words() for request in self.requests]
        lines.append(f"{self.model_calls} model calls, ${self.cost_usd}")
        return "\n".join(lines)


_LAST = 5


def task_told(state: TaskState, *, running: bool) -> TaskTold:
    return TaskTold(
        task_id=state.task_id,
        goal=state.goal,
        device_id=state.device,
        status=state.status,
        running=running and not state.over,
        steps=state.step,
        max_steps=state.max_steps,
        plan=[SubtaskTold(title=subtask.title, status=subtask.status) for subtask in state.plan],
        last_steps=[_step(report) for report in state.history[-_LAST:]],
        answers=list(state.answers),
        reason=state.reason,
        requests=[
            RequestTold(request_id=request.id, kind=request.kind, text=request.text, expires=request.expires)
            for request in state.requests
        ],
        cost_usd=str(state.usage.cost),
        model_calls=state.usage.calls,
    )


def _step(report: StepReport) -> str:
    done = "; ".join(f"{describe(one.action)} ({one.status.value})" for one in report.actions)
    return ": ".join(part for part in (f"step {report.step}", done or report.message, report.error) if part)


class _Plain(GenerateJsonSchema):
    """Without titles, which tell a model nothing that the names do not."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """As the list of tools has it, which clients hand to a model."""
    mode = "serialization" if issubclass(model, Told) else "validation"
    return model.model_json_schema(schema_generator=_Plain, mode=mode)
