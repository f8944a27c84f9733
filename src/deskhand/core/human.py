"""Messages between a user and a task: requests, replies, remarks, and edits of the to-do list.

Data only. The to-do list is the plan itself: its items are the subtasks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from deskhand.core.actions import Action, FrozenModel
from deskhand.core.decisions import StepReport, Usage
from deskhand.core.screen import Observation
from deskhand.core.subtask import Subtask, WorkerRole

RequestKind = Literal["question", "approval", "take_over"]
Asker = Literal["worker", "planner"]
Words = Annotated[str, Field(min_length=1, max_length=20_000)]


class RequestDetails(FrozenModel):
    """What a request is about, read from the screen on which it was made; empty where that is not known.

    `doing` is the action in words, `content` what would go out with it, `recipient` to whom, `page` the screen's title.
    """

    app: str = ""
    page: str = ""
    doing: str = ""
    content: str = ""
    recipient: str = ""


class UserRequest(RequestDetails):
    """A request that only a user can fulfil: an answer, an approval, or an action on the device.

    The same object in the log, the API, chat, MCP and on the terminal.
    An approval is for `action` on the screen of `frame` (the stored picture) and for nothing else.
    `expires` is the wall time at which the configured default is taken as the answer.
    A worker's request is withdrawn when the worker gets another order.
    """

    id: str
    task_id: str = ""
    device: str = ""
    kind: RequestKind
    asker: Asker = "worker"
    text: str
    action: Action | None = None
    frame: str = ""
    expires: float | None = None


class UserReply(FrozenModel):
    """A reply: `yes` grants the request (the answer is in `text`, or the device is handed back); `no` refuses it."""

    request_id: str
    verdict: Literal["yes", "no"]
    text: Annotated[str, Field(max_length=20_000)] = ""
    by: Literal["person", "timeout", "nobody"] = "person"


# --- the to-do list --------------------------------------------------------------------------------------


class AddTodo(FrozenModel):
    """One more subtask: behind `after`, else at the end."""

    edit: Literal["add"] = "add"
    title: Annotated[str, Field(min_length=1, max_length=2000)]
    done_when: Annotated[str, Field(max_length=1000)] = ""
    role: WorkerRole = "operator"
    task_type: Annotated[str, Field(max_length=60)] = ""
    after: str = ""


class ChangeTodo(FrozenModel):
    """New text for a subtask that is not done yet; a field that is None stays."""

    edit: Literal["change"] = "change"
    id: str
    title: Annotated[str, Field(min_length=1, max_length=2000)] | None = None
    done_when: Annotated[str, Field(max_length=1000)] | None = None
    role: WorkerRole | None = None


class RemoveTodo(FrozenModel):
    """A subtask that is no longer wanted; the one under way is given up."""

    edit: Literal["remove"] = "remove"
    id: str


TodoEdit = Annotated[AddTodo | ChangeTodo | RemoveTodo, Field(discriminator="edit")]


@dataclass(frozen=True, slots=True)
class AmendRequest:
    """A user's message in the middle of the work, and the to-do list it may change."""

    said: str
    goal: str
    todo: tuple[Subtask, ...]
    current: Subtask | None
    roles: tuple[WorkerRole, ...]


class Amendment(FrozenModel):
    """The result of the message: edits of the list, and `message`, a text for the running worker (empty: none).

    `understood` says in a sentence what was done, for the user.
    """

    edits: tuple[TodoEdit, ...] = ()
    message: str = ""
    understood: str = ""
    usage: Usage = Usage()


# --- getting unstuck -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StuckRequest:
    """A stuck worker: its subtask and screen, its last steps, and the corrections given already."""

    goal: str
    subtask: Subtask
    because: str
    observation: Observation
    history: tuple[StepReport, ...] = ()
    corrections: tuple[str, ...] = ()


class Correction(FrozenModel):
    """A text for the worker: what to do instead."""

    text: Words
    usage: Usage = Usage()


# --- what is learned -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LessonRequest:
    """A subtask that ended: its prompt, its result, and the corrections it needed."""

    goal: str
    task_type: str
    prompt: str
    success: bool
    reason: str
    history: tuple[StepReport, ...] = ()
    corrections: tuple[str, ...] = ()


class Lesson(FrozenModel):
    """A better prompt for tasks of this type; empty to keep the one there is."""

    prompt: Annotated[str, Field(max_length=8_000)] = ""
    usage: Usage = Usage()
