"""Helps the outer loop: a coach for the user's words and for stuck workers, and the memory of earlier tasks.

Trouble with either never ends a task: there is always a plain fallback.
"""

from deskhand.core.errors import BudgetSpent, DeviceError, ModelFault, ModelUnavailable
from deskhand.core.human import Amendment, LessonRequest
from deskhand.core.protocols import Coach, PromptMemory
from deskhand.core.subtask import Subtask, WorkerRole
from deskhand.engine.context import TaskContext
from deskhand.engine.views import make_amend_request, make_lesson_request, make_stuck_request
from deskhand.task.events import Warned

PLAIN_HINT = "Nothing changes: close what is in the way, scroll, or take another way."


class Coaching:
    def __init__(self, context: TaskContext, coach: Coach | None = None, memory: PromptMemory | None = None) -> None:
        self._log = context.log
        self._observer = context.observer
        self._feedback = context.settings.dispatcher.feedback
        self._coach = coach
        self._memory = memory
        self._lessons: list[LessonRequest] = []

    async def amend_todo(self, said: str, roles: tuple[WorkerRole, ...]) -> Amendment:
        """Return what the user's words change; without a coach's answer, the worker gets the words as they are."""
        if self._coach:
            try:
                return await self._coach.amend(make_amend_request(self._log.state, said, roles))
            except (ModelFault, ModelUnavailable, BudgetSpent):
                pass
        return Amendment(message=said)

    async def find_correction(self, subtask: Subtask, because: str, suggestions: tuple[str, ...] = ()) -> str:
        """Return what the gate itself suggests, if that is new; else what the coach says."""
        state = self._log.state
        if suggested := [text for text in suggestions if text not in state.corrections]:
            return suggested[0]
        if self._coach:
            try:
                seen = await self._observer.observe(with_elements=True)
                request = make_stuck_request(state, subtask, because, seen, self._feedback)
                return (await self._coach.correct(request)).text
            except (ModelFault, ModelUnavailable, BudgetSpent, DeviceError):
                pass
        return PLAIN_HINT

    # --- what is learned ---------------------------------------------------------------------------------

    async def make_prompt(self, subtask: Subtask) -> str:
        """Return what is known of tasks of this type, and the corrections of this one."""
        known = await self._pick_known(subtask.task_type)
        state = self._log.state
        here = state.corrections if state.subtask and state.subtask.id == subtask.id else ()
        return "\n".join((*([known] if known else ()), *(f"- {correction}" for correction in here)))

    async def _pick_known(self, task_type: str) -> str:
        if self._memory is None or not task_type:
            return ""
        known = await self._memory.pick(task_type)
        await self._warn_of(self._memory.trouble)
        return known

    async def _warn_of(self, trouble: str) -> None:
        if trouble:
            await self._log.record(Warned(text=trouble))

    def note_end(self, subtask: Subtask, *, success: bool, reason: str) -> None:
        """Keep how a subtask ended until there is time to learn from it."""
        if subtask.task_type:
            self._lessons.append(make_lesson_request(self._log.state, subtask, success=success, reason=reason))

    async def learn_from_ends(self) -> None:
        """Count every ended subtask, and let the coach improve the prompt of those that needed corrections."""
        lessons, self._lessons = self._lessons, []
        for lesson in lessons if self._memory else ():
            assert self._memory
            prompt = await self._improve_prompt(lesson) if lesson.corrections else ""
            await self._memory.learn(
                lesson.task_type, success=lesson.success, prompt=prompt, corrections=lesson.corrections
            )
            await self._warn_of(self._memory.trouble)

    async def _improve_prompt(self, lesson: LessonRequest) -> str:
        if self._coach is None:
            return ""
        try:
            return (await self._coach.improve(lesson)).prompt
        except (ModelFault, ModelUnavailable, BudgetSpent):
            return ""
