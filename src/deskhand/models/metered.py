"""The meter around a model: what a call can cost at most is set aside before it is made, and settled after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal

from deskhand.errors import BudgetSpent
from deskhand.models.faults import CallFailed
from deskhand.models.prices import Price
from deskhand.protocols import Budget, Model, Reservation
from deskhand.talk import ModelReply, ModelRequest
from deskhand.types import Usage

_MILLION = Decimal(1_000_000)
# Below this many tokens no useful answer fits.
LEAST_OUTPUT_TOKENS = 256


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call as it is billed. `certain` is False when the reply was lost and the worst case was taken."""

    role: str
    model: str
    usage: Usage
    certain: bool = True


class Metered:
    """A model whose every call is paid from one budget; `on_call` hears of each."""

    def __init__(
        self, model: Model, price: Price, budget: Budget, on_call: Callable[[CallRecord], None] | None = None
    ) -> None:
        self._model = model
        self._price = price
        self._budget = budget
        self._on_call = on_call

    @property
    def name(self) -> str:
        return self._model.name

    async def close(self) -> None:
        await self._model.close()

    async def ask(self, request: ModelRequest) -> ModelReply:
        if self._price.free:
            reply = await self._model.ask(request)
            self._tell(CallRecord(request.role, self._model.name, reply.usage))
            return reply
        request, worst = self._affordable(request)
        reservation = await self._budget.reserve(worst, request.role)
        try:
            reply = await self._model.ask(request)
        except CallFailed as fault:
            if fault.billed:
                self._lost(request, worst, reservation)
            else:
                reservation.release()
            raise
        except BaseException:
            # Cancelled in the middle, or worse: the provider may have finished, and nobody can tell.
            self._lost(request, worst, reservation)
            raise
        # A server that does not count tokens is taken at the worst, never at nothing.
        counted = reply.usage.input_tokens > 0
        cost = self._price.cost(reply.usage, reply.cached_tokens) if counted else worst
        reservation.settle(cost)
        paid = reply.usage.model_copy(update={"cost": cost})
        self._tell(CallRecord(request.role, self._model.name, paid, certain=counted))
        return replace(reply, usage=paid)

    def _affordable(self, request: ModelRequest) -> tuple[ModelRequest, Decimal]:
        """The request with as much room for the answer as one operation of its role may cost, and its worst case."""
        asked = self._price.worst_input(request)
        left = self._budget.ceiling(request.role) - asked
        room = request.max_output_tokens
        if self._price.output:
            room = min(room, int(left * _MILLION / self._price.output))
        if left < 0 or room < min(LEAST_OUTPUT_TOKENS, request.max_output_tokens):
            raise BudgetSpent(
                f"One request of the {request.role} to {self._model.name} may cost "
                f"${asked + request.max_output_tokens * self._price.output / _MILLION:.4f}, over the limit of "
                f"${self._budget.ceiling(request.role)} for one operation: raise it under [budget]."
            )
        worst = asked + room * self._price.output / _MILLION
        return replace(request, max_output_tokens=room), worst

    def _lost(self, request: ModelRequest, worst: Decimal, reservation: Reservation) -> None:
        reservation.settle(worst)
        self._tell(CallRecord(request.role, self._model.name, Usage(calls=1, cost=worst), certain=False))

    def _tell(self, record: CallRecord) -> None:
        if self._on_call:
            self._on_call(record)
