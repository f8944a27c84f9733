"""The one door through which anything becomes true of a task: journaled, folded, published, in that order."""

import asyncio
from collections.abc import Callable
from decimal import Decimal
from itertools import chain

from deskhand.bus import Bus
from deskhand.core.decisions import Usage
from deskhand.task.events import Billed, Event, Released, Reserved, TaskResumed
from deskhand.task.fold import fold
from deskhand.task.journal import Journal
from deskhand.task.state import TaskState

# What has to follow from how the task stands at that very moment: it is asked when it is its turn to be written.
FromState = Callable[[TaskState], tuple[Event, ...]]


class Bills:
    """A task's paid calls on their way into its log, in the order in which things happened.

    A reservation is on disk before its call is made; what the call came to is written with whatever comes next.
    """

    def __init__(self) -> None:
        self._unwritten: list[Event] = []
        self._log: TaskLog | None = None

    def belong_to(self, log: "TaskLog") -> None:
        """Calls that a crash has cut off were paid for, for all that anybody knows."""
        self._log = log
        for cut in log.state.reserved:
            self.bill(cut.role, cut.model, Usage(calls=1, cost=cut.amount), call=cut.call, certain=False)

    async def reserve(self, call: str, role: str, model: str, amount: Decimal) -> None:
        assert self._log, "nobody asks a model before there is a task"
        self._unwritten.append(Reserved(call=call, role=role, model=model, amount=amount))
        await self._log.record()

    def release(self, call: str) -> None:
        self._unwritten.append(Released(call=call))

    def bill(self, role: str, model: str, usage: Usage, *, call: str = "", certain: bool = True) -> None:
        self._unwritten.append(Billed(call=call, role=role, model=model, usage=usage, certain=certain))

    def take(self) -> tuple[Event, ...]:
        taken, self._unwritten = tuple(self._unwritten), []
        return taken


class TaskLog:
    def __init__(
        self, task_id: str, journal: Journal, bus: Bus, state: TaskState | None = None, bills: Bills | None = None
    ) -> None:
        self.task_id = task_id
        self.state = state or TaskState(task_id=task_id)
        self.journal = journal
        self._bus = bus
        self._bills = bills or Bills()
        self._bills.belong_to(self)
        self._turn = asyncio.Lock()

    async def record(self, *events: Event | FromState) -> bool:
        """Write these down, behind what is still unwritten of the bills. False, and not written, behind the end."""
        # Shielded: a Stop may cancel the caller at any moment, but what reached the journal must reach the state.
        return await asyncio.shield(asyncio.ensure_future(self._record(events)))

    async def _record(self, events: tuple[Event | FromState, ...]) -> bool:
        async with self._turn:
            over = self.state.over and not any(isinstance(one, TaskResumed) for one in events)
            events = () if over else events
            found = [one(self.state) if callable(one) else (one,) for one in events]
            unwritten = (*self._bills.take(), *chain.from_iterable(found))
            for record in await self.journal.append(self.task_id, unwritten) if unwritten else ():
                self.state = fold(self.state, record)
                self._bus.publish(record)
            return not over
