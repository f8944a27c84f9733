"""Plays the actions of one reply in order, and drops the rest as soon as the screen does not do what was expected."""

from dataclasses import dataclass, field

from deskhand.core.actions import TakeOver
from deskhand.core.decisions import ActionReport, PlannedAction
from deskhand.core.errors import DeviceFault, ModelFault
from deskhand.core.screen import Frame, Observation
from deskhand.core.statuses import ExecStatus
from deskhand.engine.context import TaskContext
from deskhand.engine.inner.action_runner import ActionRunner
from deskhand.engine.inner.pausing import PauseSwitch
from deskhand.engine.inner.questions import Questions
from deskhand.engine.inner.step import Step, subtask_id_of
from deskhand.engine.observer import check_possible, has_moved_away
from deskhand.engine.safety.permission import Permission
from deskhand.task.events import QueueFlushed

_PAUSED = "paused in between: the screen is looked at again"


@dataclass(slots=True)
class QueueOutcome:
    """The results of a reply's actions. `error` is for the worker's next step, `refused` why user or policy said no."""

    reports: list[ActionReport] = field(default_factory=list[ActionReport])
    error: str = ""
    refused: str = ""


class ActionQueue:
    def __init__(
        self,
        context: TaskContext,
        runner: ActionRunner,
        permission: Permission,
        pause: PauseSwitch,
        questions: Questions,
    ) -> None:
        self._log = context.log
        self._device = context.device
        self._observer = context.observer
        self._runner = runner
        self._permission = permission
        self._pause = pause
        self._questions = questions

    async def play_actions(self, step: Step, seen: Observation, actions: tuple[PlannedAction, ...]) -> QueueOutcome:
        outcome = QueueOutcome()
        # What changed while it was decided is no effect of the first action.
        frame, front = self._observer.perception.newest or seen.frame, seen.app
        for number, planned in enumerate(actions, 1):
            left = actions[number - 1 :]
            try:
                if number > 1:
                    hindrance, front = await self._find_surprise(actions[number - 2], planned, seen, frame, front)
                else:
                    hindrance = await self._observer.find_overtaking(planned.action, seen)
                if not hindrance and isinstance(planned.action, TakeOver):
                    report, outcome.refused = await self._questions.hand_over(step, planned.action, frame)
                    outcome.reports += [report] if report else []
                    break
                hindrance = hindrance or await self._find_refusal(
                    step, planned, seen if number == 1 else None, frame, outcome
                )
            except DeviceFault as fault:
                hindrance = outcome.error = f"The screen could not be read: {fault}"
            # Right before it is sent, with nothing awaited in between: nothing begins while paused, or when given up.
            if not hindrance and (await self._pause.wait_while_paused() or self._is_given_up()):
                hindrance = _PAUSED
            if hindrance:
                _flush_queue(step, left, hindrance)
                break
            acted = await self._runner.carry_out(step, number, planned.action, frame, self._permission.intent)
            outcome.reports.append(acted.report)
            frame = acted.frame or frame
            outcome.refused = acted.refused
            if acted.unseen or acted.refused or acted.report.status is not ExecStatus.EXECUTED:
                _flush_queue(step, left[1:], acted.unseen or acted.refused or acted.report.detail)
                break
        return outcome

    def _is_given_up(self) -> bool:
        return self._log.state.is_given_up(subtask_id_of(self._log))

    async def _find_refusal(
        self, step: Step, planned: PlannedAction, seen: Observation | None, frame: Frame, outcome: QueueOutcome
    ) -> str:
        """Return why this can't or may not be done here; empty if it may, if need be after the user's yes."""
        try:
            check_possible(planned.action, self._runner.skills_of_current_role(), frame)
            permit = await self._permission.judge_planned(planned, seen)
            if permit.verdict == "allow":
                return ""
            if permit.repeats and not self._questions.attended:
                outcome.error = f"It is not done again: {permit.reason}"
                return outcome.error
            await step.write_noted()
            answer = await self._permission.ask_user(planned.action, permit)
        except ModelFault as fault:
            outcome.error = str(fault)
            return outcome.error
        outcome.refused, outcome.error = answer.refused, answer.stale
        return answer.refused or answer.stale

    async def _find_surprise(
        self, done: PlannedAction, upcoming: PlannedAction, seen: Observation, frame: Frame, front: str
    ) -> tuple[str, str]:
        """Return why the next queued action no longer fits (empty if it does), and the app in front now."""
        if await self._pause.wait_while_paused():  # nobody is asked about the next action before a new look
            return _PAUSED, front
        now = (await self._device.app()).name
        if done.expect:
            return await self._observer.find_unmet(done.expect), now
        if now != front:
            return f"{now} came to the front instead of {front}", now
        if self._observer.perception.surprise:
            return "the screen changed by itself", now
        if has_moved_away(upcoming.action, seen.frame, frame):
            return "what the next action aims at has changed", now
        return "", now


def _flush_queue(step: Step, dropped: tuple[PlannedAction, ...], reason: str) -> None:
    if dropped:
        actions = tuple(planned.action for planned in dropped)
        step.note_events(QueueFlushed(step=step.number, dropped=actions, reason=reason))
