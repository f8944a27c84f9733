"""A task's paid calls on their way into its log, in the order in which things happened."""

from collections.abc import Awaitable, Callable, Iterable
from decimal import Decimal

from deskhand.core.decisions import Usage
from deskhand.task.events import Billed, Event, Released, Reserved


class TaskLedger:
    """A reservation is on disk before its call is made; what the call cost is written with whatever comes next."""

    def __init__(self) -> None:
        self._unwritten: list[Event] = []
        self._write: Callable[[], Awaitable[object]] | None = None

    def attach_log(self, write: Callable[[], Awaitable[object]], cut_off: Iterable[Reserved]) -> None:
        """Use `write` to append what is unwritten. `cut_off`: calls that a crash cut off count as paid in full."""
        self._write = write
        for call in cut_off:
            self.bill(call.role, call.model, Usage(calls=1, cost=call.amount), call=call.call, certain=False)

    async def reserve(self, call: str, role: str, model: str, amount: Decimal) -> None:
        assert self._write, "no model is asked before there is a task"
        self._unwritten.append(Reserved(call=call, role=role, model=model, amount=amount))
        await self._write()

    def release(self, call: str) -> None:
        self._unwritten.append(Released(call=call))

    def bill(self, role: str, model: str, usage: Usage, *, call: str = "", certain: bool = True) -> None:
        self._unwritten.append(Billed(call=call, role=role, model=model, usage=usage, certain=certain))

    def take_unwritten(self) -> tuple[Event, ...]:
        taken, self._unwritten = tuple(self._unwritten), []
        return taken
