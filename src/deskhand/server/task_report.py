"""The report of a task from its journal: steps with their pictures, gates, costs."""

from __future__ import annotations

from collections.abc import Iterable

from deskhand.core.decisions import Usage
from deskhand.server.schemas import StepView, TaskReport, to_task_view
from deskhand.sessions.conversation_entries import ModelPaid, StoredEntry
from deskhand.task.events import GateClosed, Observed, Record, Settled, StepFinished
from deskhand.task.state import TaskState


def report_of(state: TaskState, records: Iterable[Record], *, running: bool) -> TaskReport:
    steps: list[StepView] = []
    gates = [record.event.report for record in records if isinstance(record.event, GateClosed)]
    before = after = ""
    for record in records:
        match record.event:
            case Observed(frame=frame):
                before = after = frame
            case Settled(frame=frame):
                after = frame
            case StepFinished() as step:
                steps.append(
                    StepView(
                        subtask=step.subtask,
                        report=step.report,
                        success=step.success,
                        screen_changed=step.screen_changed,
                        ms=step.ms,
                        before=before,
                        after=after,
                    )
                )
            case _:
                pass
    return TaskReport(
        task=to_task_view(state, running=running),
        subtasks=list(state.plan),
        steps=steps,
        gates=gates,
        costs=dict(state.spend),
    )


def usage_of_conversation(talk: Iterable[StoredEntry]) -> Usage:
    """Return what the assistant's calls cost; for an interrupted call, its worst case."""
    calls: dict[str, Usage] = {}
    for kept in talk:
        if isinstance(paid := kept.entry, ModelPaid):
            calls[paid.call] = paid.usage or Usage.model_validate({"calls": 1, "cost": paid.worst})
    return sum(calls.values(), Usage())
