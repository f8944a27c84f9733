"""Arguments and results of the MCP tools; each result has a text form for users and models."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import GenerateJsonSchema

from deskhand.core.actions import describe_action
from deskhand.core.decisions import StepReport
from deskhand.core.human import RequestKind, UserRequest
from deskhand.core.screen import DeviceInfo
from deskhand.core.statuses import SubtaskStatus, TaskStatus
from deskhand.sessions.request_words import describe_request
from deskhand.task.events import LoopMode
from deskhand.task.state import TaskState

DeviceName = Annotated[
    str, Field(max_length=2000, description="as list_devices tells it; empty: the one of the settings")
]
TaskId = Annotated[str, Field(min_length=1, max_length=100, description="as run_task told it")]
WaitS = Annotated[
    float,
    Field(ge=0, le=600, description="seconds to wait for the end of the task, or until it needs the user"),
]


class ToolArguments(BaseModel):
    """The arguments of a call; an unknown one is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolReport(BaseModel, ABC):
    model_config = ConfigDict(frozen=True)

    @abstractmethod
    def to_text(self) -> str:
        """Return the same as text."""


class NoArguments(ToolArguments):
    pass


class ChatArguments(ToolArguments):
    message: Annotated[str, Field(max_length=20_000, description="one thing to do, or one question about the screen")]
    device_id: DeviceName = ""


class RunTaskArguments(ToolArguments):
    goal: Annotated[str, Field(max_length=20_000, description="what is to be done, in plain words")]
    device_id: DeviceName = ""
    url: Annotated[str, Field(max_length=8000, description="begin at this page (browser and phone)")] = ""
    loop: Annotated[
        LoopMode | None, Field(description="dual: a planner watches over the worker; single: the worker alone")
    ] = None
    max_steps: Annotated[int, Field(ge=1, le=10_000, description="give up after so many")] | None = None
    wait_s: WaitS = 0.0


class TaskStatusArguments(ToolArguments):
    task_id: TaskId
    wait_s: WaitS = 0.0


class StopTaskArguments(ToolArguments):
    task_id: TaskId
    reason: Annotated[str, Field(max_length=1000)] = ""


class ScreenshotArguments(ToolArguments):
    device_id: DeviceName = ""
    side: Annotated[int, Field(ge=100, le=8192, description="no side of the picture is longer, in pixels")] = 1280


# --- devices ---------------------------------------------------------------------------------------------------


class DeviceReport(ToolReport):
    device_id: str
    kind: str
    state: str
    detail: str
    task_id: Annotated[str | None, Field(description="the task of this server that has it")]

    def to_text(self) -> str:
        return f"{self.device_id}: {self.state}" + (f" (task {self.task_id})" if self.task_id else f", {self.detail}")


class DeviceListReport(ToolReport):
    devices: list[DeviceReport]

    def to_text(self) -> str:
        return "\n".join(device.to_text() for device in self.devices) or "There is no device."


def report_devices(found: Sequence[DeviceInfo], tasks: dict[str, str]) -> DeviceListReport:
    devices = [
        DeviceReport(device_id=one.id, kind=one.kind, state=one.state, detail=one.detail, task_id=tasks.get(one.id))
        for one in found
    ]
    return DeviceListReport(devices=devices)


class ScreenshotReport(ToolReport):
    device_id: str
    width: int
    height: int

    def to_text(self) -> str:
        return f"The screen of {self.device_id}, {self.width} x {self.height} pixels."


class ChatReport(ToolReport):
    result: str
    steps: int
    success: bool

    def to_text(self) -> str:
        return self.result


# --- tasks -----------------------------------------------------------------------------------------------------


class SubtaskReport(ToolReport):
    title: str
    status: SubtaskStatus

    def to_text(self) -> str:
        return f"- {self.title}: {self.status.value}"


class RequestReport(ToolReport):
    """A request that only the user can answer."""

    id: str
    task_id: str
    kind: RequestKind
    device: str
    app: str
    page: Annotated[str, Field(description="the title of the screen")]
    doing: Annotated[str, Field(description="the action in words")]
    content: Annotated[str, Field(description="the text that would go out with it")]
    recipient: str
    text: Annotated[str, Field(description="why the user is asked, or the question")]
    frame: Annotated[str, Field(description="the name of the stored picture")]
    expires: Annotated[float | None, Field(description="the Unix time at which it counts as refused")]
    words: Annotated[str, Field(description="all of it in words")]

    def to_text(self) -> str:
        return f"It waits for the user ({self.kind}): {self.words}"


def report_request(request: UserRequest, locate_frame: Callable[[str], Path]) -> RequestReport:
    told = request.model_dump(include=set(RequestReport.model_fields))
    words = describe_request(request)
    if request.frame:  # a form has no pictures, but its reader may open a file
        words.append(f"Picture: {locate_frame(request.frame)}")
    return RequestReport.model_validate({**told, "words": "\n".join(words)})


class TaskStatusReport(ToolReport):
    task_id: str
    goal: str
    device_id: str
    status: TaskStatus
    running: Annotated[bool, Field(description="in this server, so that it can be stopped here")]
    steps: int
    max_steps: int
    plan: list[SubtaskReport]
    last_steps: Annotated[list[str], Field(description="the newest steps in words")]
    answers: Annotated[list[str], Field(description="what the task was to find out")]
    reason: Annotated[str, Field(description="why it ended as it did")]
    requests: Annotated[list[RequestReport], Field(description="what it waits for: only the user can answer")]
    cost_usd: str
    model_calls: int

    def to_text(self) -> str:
        ended = f": {self.reason}" if self.reason else ""
        lines = [f"Task {self.task_id} on {self.device_id} is {self.status.value} after {self.steps} steps{ended}"]
        lines += self.answers
        lines += [subtask.to_text() for subtask in self.plan]
        if self.running:
            lines += [f"Last: {step}" for step in self.last_steps[-1:]]
        lines += [request.to_text() for request in self.requests]
        lines.append(f"{self.model_calls} model calls, ${self.cost_usd}")
        return "\n".join(lines)


_LAST = 5


def report_task(state: TaskState, locate_frame: Callable[[str], Path], *, running: bool) -> TaskStatusReport:
    return TaskStatusReport(
        task_id=state.task_id,
        goal=state.goal,
        device_id=state.device,
        status=state.status,
        running=running and not state.over,
        steps=state.step,
        max_steps=state.max_steps,
        plan=[SubtaskReport(title=subtask.title, status=subtask.status) for subtask in state.plan],
        last_steps=[_describe_step(report) for report in state.history[-_LAST:]],
        answers=list(state.answers),
        reason=state.reason,
        requests=[report_request(request, locate_frame) for request in state.requests],
        cost_usd=str(state.usage.cost),
        model_calls=state.usage.calls,
    )


def _describe_step(report: StepReport) -> str:
    done = "; ".join(f"{describe_action(one.action)} ({one.status.value})" for one in report.actions)
    return ": ".join(part for part in (f"step {report.step}", done or report.message, report.error) if part)


class _SchemaWithoutTitles(GenerateJsonSchema):
    """Without titles, which tell a model nothing that the names do not."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """As the list of tools has it, which clients hand to a model."""
    mode = "serialization" if issubclass(model, ToolReport) else "validation"
    return model.model_json_schema(schema_generator=_SchemaWithoutTitles, mode=mode)
