"""What stands by the outer loop: a coach for the person's words and for stuck workers, and what was learned before.

Trouble with either never ends a task: there is always something plain to fall back on.
"""

from dataclasses import dataclass

from deskhand.core.decisions import StepReport
from deskhand.core.errors import BudgetSpent, DeviceError, ModelFault, ModelUnavailable
from deskhand.core.human import Amendment, AmendRequest, LessonRequest, StuckRequest
from deskhand.core.protocols import Coach, PromptMemory
from deskhand.core.statuses import SubtaskStatus
from deskhand.core.subtask import Subtask, WorkerRole
from deskhand.engine.observer import Observer
from deskhand.engine.task_log import TaskLog
from deskhand.task.events import Warned
from deskhand.task.state import TaskState

PLAIN_HINT = "Nothing changes: close what is in the way, scroll, or take another way."


@dataclass(frozen=True, slots=True)
class _Ended:
    """A subtask that came to its end, as it is learned from."""

    subtask: Subtask
    prompt: str
    success: bool
    reason: str
    history: tuple[StepReport, ...]
    corrections: tuple[str, ...]


class Coaching:
    def __init__(
        self,
        log: TaskLog,
        eyes: Observer,
        coach: Coach | None = None,
        memory: PromptMemory | None = None,
        feedback: int = 2,
    ) -> None:
        self._log = log
        self._eyes = eyes
        self._coach = coach
        self._memory = memory
        self._feedback = feedback
        self._ended: list[_Ended] = []

    # --- the person's words ------------------------------------------------------------------------------

    async def amendment(self, said: str, roles: tuple[WorkerRole, ...]) -> Amendment:
        """What the words change; where nobody can tell, the worker hears them as they are."""
        state = self._log.state
        request = AmendRequest(said, state.goal, state.subtasks(*SubtaskStatus), state.subtask, roles)
        if self._coach:
            try:
                return await self._coach.amend(request)
            except (ModelFault, ModelUnavailable, BudgetSpent):
                pass
        return Amendment(message=said)

    # --- stuck workers -----------------------------------------------------------------------------------

    async def correction(self, subtask: Subtask, because: str, suggestions: tuple[str, ...] = ()) -> str:
        """What the gate itself suggests, if that is new; else what the coach says."""
        state = self._log.state
        if suggested := [text for text in suggestions if text not in state.corrections]:
            return suggested[0]
        if self._coach:
            try:
                seen = await self._eyes.observe(with_elements=True)
                history = state.history[-self._feedback :]
                request = StuckRequest(state.goal, subtask, because, seen, history, state.corrections)
                return (await self._coach.correct(request)).text
            except (ModelFault, ModelUnavailable, BudgetSpent, DeviceError):
                pass
        return PLAIN_HINT

    # --- what is learned ---------------------------------------------------------------------------------

    async def prompt(self, subtask: Subtask) -> str:
        """What is known of tasks of this type, and what was said to correct this one."""
        known = await self._known(subtask.task_type)
        state = self._log.state
        here = state.corrections if state.subtask and state.subtask.id == subtask.id else ()
        return "\n".join((*([known] if known else ()), *(f"- {correction}" for correction in here)))

    async def _known(self, task_type: str) -> str:
        if self._memory is None or not task_type:
            return ""
        known = await self._memory.pick(task_type)
        await self._warn(self._memory.trouble)
        return known

    async def _warn(self, trouble: str) -> None:
        if trouble:
            await self._log.record(Warned(text=trouble))

    def note(self, subtask: Subtask, *, success: bool, reason: str) -> None:
        """Remember how a subtask ended until there is time to learn from it."""
        state: TaskState = self._log.state
        history = state.history[-state.subtask_steps :] if state.subtask_steps else ()
        self._ended.append(_Ended(subtask, state.system_prompt, success, reason, history, state.corrections))

    async def learn(self) -> None:
        """Count every ended subtask, and let the coach improve the prompt of those that needed corrections."""
        if self._memory is None:
            return
        for ended in (entry for entry in self._ended if entry.subtask.task_type):
            lesson = await self._lesson(ended) if ended.corrections and self._coach else ""
            await self._memory.learn(
                ended.subtask.task_type, success=ended.success, prompt=lesson, corrections=ended.corrections
            )
            await self._warn(self._memory.trouble)
        self._ended = []

    async def _lesson(self, ended: _Ended) -> str:
        assert self._coach, "only a coach gives lessons"
        request = LessonRequest(
            self._log.state.goal,
            ended.subtask.task_type,
            ended.prompt,
            ended.success,
            ended.reason,
            ended.history,
            ended.corrections,
        )
        try:
            return (await self._coach.improve(request)).prompt
        except (ModelFault, ModelUnavailable, BudgetSpent):
            return ""
