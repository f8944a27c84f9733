"""The fold from events to TaskState: pure, the same log always gives the same state."""

from collections.abc import Iterable

from deskhand.task.events import Record
from deskhand.task.fold import plan_events, step_events, task_events
from deskhand.task.fold.registry import HANDLERS, replace_fields
from deskhand.task.state import TaskState

__all__ = ["fold", "fold_all", "plan_events", "step_events", "task_events"]


def fold(state: TaskState, record: Record) -> TaskState:
    """Return the next state."""
    changed = HANDLERS[type(record.event)](state, record.event, record.at)
    return replace_fields(changed, task_id=record.task_id, last_seq=record.seq)


def fold_all(records: Iterable[Record], state: TaskState | None = None) -> TaskState:
    state = state or TaskState()
    for record in records:
        state = fold(state, record)
    return state
