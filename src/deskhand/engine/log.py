"""The one door through which anything becomes true of a task: journaled, folded, published, in that order."""

import asyncio
from collections.abc import Callable

from deskhand.bus import Bus
from deskhand.protocols import Journal
from deskhand.task.events import Event
from deskhand.task.state import TaskState, fold

Bills = Callable[[], tuple[Event, ...]]


class TaskLog:
    """`bills` hands out what was paid for since it was last asked: written down with whatever comes next."""

    def __init__(
        self, task_id: str, journal: Journal, bus: Bus, state: TaskState | None = None, bills: Bills = tuple
    ) -> None:
        self.task_id = task_id
        self.state = state or TaskState(task_id=task_id)
        self.journal = journal
        self._bus = bus
        self._bills = bills
        self._turn = asyncio.Lock()

    async def record(self, *events: Event) -> None:
        # Shielded: a Stop may cancel the caller at any moment, but what reached the journal must reach the state.
        await asyncio.shield(asyncio.ensure_future(self._record(events)))

    async def _record(self, events: tuple[Event, ...]) -> None:
        async with self._turn:
            for record in await self.journal.append(self.task_id, (*self._bills(), *events)):
                self.state = fold(self.state, record)
                self._bus.publish(record)
