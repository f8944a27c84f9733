"""The only way to change a task's state: events are journaled, folded and published, in that order."""

import asyncio
from collections.abc import Callable
from itertools import chain

from deskhand.bus import Bus
from deskhand.engine.ledger import TaskLedger
from deskhand.task.events import Event, TaskResumed
from deskhand.task.fold import fold
from deskhand.task.journal import Journal
from deskhand.task.state import TaskState

# Chooses events from the state at the very moment of writing.
FromState = Callable[[TaskState], tuple[Event, ...]]


class TaskLog:
    def __init__(
        self, task_id: str, journal: Journal, bus: Bus, state: TaskState | None = None, ledger: TaskLedger | None = None
    ) -> None:
        self.task_id = task_id
        self.state = state or TaskState(task_id=task_id)
        self.journal = journal
        self._bus = bus
        self._ledger = ledger or TaskLedger()
        self._ledger.attach_log(self.record, self.state.reserved)
        self._turn = asyncio.Lock()

    async def record(self, *events: Event | FromState) -> bool:
        """Append these behind the unwritten bills. Return False, and append nothing but bills, after the task's end."""
        # Shielded: a Stop may cancel the caller at any moment, but what reached the journal must reach the state.
        return await asyncio.shield(asyncio.ensure_future(self._append_events(events)))

    async def _append_events(self, events: tuple[Event | FromState, ...]) -> bool:
        async with self._turn:
            over = self.state.over and not any(isinstance(one, TaskResumed) for one in events)
            events = () if over else events
            found = [one(self.state) if callable(one) else (one,) for one in events]
            unwritten = (*self._ledger.take_unwritten(), *chain.from_iterable(found))
            for record in await self.journal.append(self.task_id, unwritten) if unwritten else ():
                self.state = fold(self.state, record)
                self._bus.publish_message(record)
            return not over
