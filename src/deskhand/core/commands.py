"""Commands of the outer loop to the inner loop. Data only."""

from typing import Annotated, Literal

from pydantic import Field

from deskhand.core.actions import FrozenModel
from deskhand.core.subtask import Subtask, WorkerRole


class StartTask(FrozenModel):
    """Starts a subtask. `go_on`: it was started before; the worker keeps its bookmark instead of starting again."""

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


class Pause(FrozenModel):
    """Pauses the worker until the one who paused it resumes it: a planner's new order does not end a user's pause."""

    command: Literal["pause"] = "pause"
    by: Holder = "person"


class Resume(FrozenModel):
    command: Literal["resume"] = "resume"
    by: Holder = "person"


class InjectPrompt(FrozenModel):
    command: Literal["inject_prompt"] = "inject_prompt"
    content: Annotated[str, Field(min_length=1, max_length=20_000)]


class ResetContext(FrozenModel):
    command: Literal["reset_context"] = "reset_context"


class Stop(FrozenModel):
    command: Literal["stop"] = "stop"
    reason: str = "stopped by the user"


Command = Annotated[StartTask | Pause | Resume | InjectPrompt | ResetContext | Stop, Field(discriminator="command")]
