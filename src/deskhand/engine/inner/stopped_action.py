"""Tells the log and the user what became of the action that was under way when the work was stopped."""

from dataclasses import dataclass

from deskhand.core.action_words import tell_action
from deskhand.core.actions import Action
from deskhand.core.statuses import ExecStatus
from deskhand.core.stop_outcome import StopOutcome
from deskhand.engine.task_log import TaskLog
from deskhand.language import language_of
from deskhand.task.events import ActionEnded, DoubtSettled

_TOLD = {
    StopOutcome.NOT_SENT: ("{} was not sent any more", "{} 没有再发出"),
    StopOutcome.DONE: (
        "{} was on its way already: it was waited for and is done",
        "{} 已经发出：已等它完成",
    ),
    StopOutcome.CUT_SHORT: ("{} was stopped in the middle: part of it may be done", "{} 中途停下：可能已完成一部分"),
    StopOutcome.UNKNOWN: (
        "whether {} was carried out is unknown: the device did not answer, look before you repeat it",
        "{} 是否已执行未知：设备没有回应，重做前请先查看",
    ),
}


@dataclass(frozen=True, slots=True)
class StoppedAction:
    action: Action
    outcome: StopOutcome

    async def record_end(self, step: int, number: int, log: TaskLog) -> str:
        """Journal the end of the action and return the sentence about it.

        An action of which nobody knows stays unconfirmed, as after a crash: `resume` looks first.
        """
        language = language_of(log.state.goal)
        told = _TOLD[self.outcome][language == "zh"].format(tell_action(self.action, language))
        if self.outcome is not StopOutcome.UNKNOWN:
            status = ExecStatus.EXECUTED if self.outcome is StopOutcome.DONE else ExecStatus.ERROR
            in_part = self.outcome is StopOutcome.CUT_SHORT
            await log.record(ActionEnded(step=step, number=number, status=status, detail=told, unknown=in_part))
        if self.outcome is StopOutcome.NOT_SENT:
            await log.record(DoubtSettled(step=step, number=number, done=False, because=told))
        return told
