"""One item of the plan and the worker role that does it. Data only."""

from typing import Annotated, Literal

from pydantic import Field

from deskhand.core.actions import FrozenModel
from deskhand.core.statuses import SubtaskStatus

WorkerRole = Literal["operator", "technician", "analyst"]


class Subtask(FrozenModel):
    """One item of the plan, which is the to-do list. `task_type` is the key of prompt memory.

    `since` and `ended` are wall times; `retries` counts how often it was started again.
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
