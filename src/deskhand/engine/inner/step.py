"""One step on its way into the log: events that wait for the next append, and the report that ends the step."""

from typing import Any

from deskhand.core.decisions import StepReport
from deskhand.core.statuses import ExecutorStatus
from deskhand.engine.context import TaskContext
from deskhand.engine.task_log import TaskLog
from deskhand.task.events import Event, ExecutorChanged, StepFinished


class Step:
    """Few appends a step: what is noted is written with the next event that has to be on disk."""

    def __init__(self, context: TaskContext) -> None:
        self._log = context.log
        self._clock = context.clock
        self._begun = context.clock.now()
        self._unwritten: list[Event] = []
        self.number = context.log.state.step + 1

    def note_events(self, *events: Event) -> None:
        """Write these with the next append."""
        self._unwritten += events

    def take_unwritten(self) -> tuple[Event, ...]:
        taken, self._unwritten = tuple(self._unwritten), []
        return taken

    async def write_noted(self) -> None:
        await self._log.record(*self.take_unwritten())

    async def finish_step(self, *, finished: bool = False, success: bool | None = None, **told: Any) -> None:
        """Write what is noted and the step's report. `told`: the fields of StepReport."""
        report = StepReport(step=self.number, **told)
        seen_changes = [action.changed for action in report.actions if action.changed is not None]
        ended = StepFinished(
            subtask=subtask_id_of(self._log),
            report=report,
            success=not report.trouble if success is None else success,
            finished=finished,
            screen_changed=any(seen_changes) if seen_changes else None,
            ms=round((self._clock.now() - self._begun) * 1000),
        )
        await self._log.record(*self.take_unwritten(), ended)


def subtask_id_of(log: TaskLog) -> str:
    return log.state.subtask.id if log.state.subtask else ""


async def record_status(log: TaskLog, status: ExecutorStatus, **details: Any) -> None:
    await log.record(ExecutorChanged(subtask=subtask_id_of(log), status=status, **details))


async def turn_status(log: TaskLog, before: ExecutorStatus, after: ExecutorStatus) -> None:
    """Change the status, unless the work ends at the same moment: its end is never overwritten."""
    turned = ExecutorChanged(subtask=subtask_id_of(log), status=after)
    await log.record(lambda state: (turned,) if state.executor is before else ())
