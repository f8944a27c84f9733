"""The words between a person and a task: what is asked, what is answered, what is said, and how the to-do list changes.

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


class UserRequest(FrozenModel):
    """Something only a person can give: an answer, a yes, or a hand on the device.

    An approval is for `action` on the screen of `frame` (the stored picture) and for nothing else.
    `expires` is the wall time at which the configured default is taken as the answer.
    What a worker asked is withdrawn when it gets another order.
    """

    id: str
    kind: RequestKind
    asker: Asker = "worker"
    text: str
    action: Action | None = None
    frame: str = ""
    expires: float | None = None


class UserReply(FrozenModel):
    """`yes` gives what was asked for (the answer is in `text`, or the device is handed back); `no` refuses it."""

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
    """Other words for a subtask that is not done yet; what is None stays."""

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
    """What a person said in the middle of the work, and the to-do list it may change."""

    said: str
    goal: str
    todo: tuple[Subtask, ...]
    current: Subtask | None
    roles: tuple[WorkerRole, ...]


class Amendment(FrozenModel):
    """What is made of it: edits of the list, and `message`, words for the worker under way (empty: none).

    `understood` says in a sentence what was done, for the person.
    """

    edits: tuple[TodoEdit, ...] = ()
    message: str = ""
    understood: str = ""
    usage: Usage = Usage()


# --- getting unstuck -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StuckRequest:
    """A worker that gets nowhere: where it is, what it did last, and which corrections were given already."""

    goal: str
    subtask: Subtask
    because: str
    observation: Observation
    history: tuple[StepReport, ...] = ()
    corrections: tuple[str, ...] = ()


class Correction(FrozenModel):
    """Words for the worker: what to do instead."""

    text: Words
    usage: Usage = Usage()


# --- what is learned -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LessonRequest:
    """A subtask that came to its end: the prompt it was done with, how it went, which corrections it took."""

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
