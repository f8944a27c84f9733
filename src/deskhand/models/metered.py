"""Meter a model: reserve the most that a call can cost before it, and settle the real cost after it.

Both are written to the ledger, so that not even a crash in the middle of a call lets the cap be exceeded.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from decimal import Decimal

from deskhand.core.decisions import Usage
from deskhand.core.errors import BudgetSpent
from deskhand.core.llm import ModelReply, ModelRequest
from deskhand.core.protocols import Budget, Ledger, Model, Reservation
from deskhand.models.failures import ModelCallFailed
from deskhand.models.prices import Price

_MILLION = Decimal(1_000_000)
# Below this many tokens no useful answer fits.
LEAST_OUTPUT_TOKENS = 256


@dataclass(frozen=True, slots=True)
class _ReservedCall:
    """The reservation for one call, in the budget and in the ledger."""

    money: Reservation
    worst: Decimal
    call: str


class MeteredModel:
    """A model that pays every call from one budget and writes it to one ledger, if there is one."""

    def __init__(self, model: Model, price: Price, budget: Budget, ledger: Ledger | None = None) -> None:
        self._model = model
        self._price = price
        self._budget = budget
        self._ledger = ledger

    @property
    def name(self) -> str:
        return self._model.name

    async def close(self) -> None:
        await self._model.close()

    async def ask(self, request: ModelRequest) -> ModelReply:
        if self._price.is_free:
            reply = await self._model.ask(request)
            self._write_bill(request, reply.usage)
            return reply
        request, worst = self._limit_request(request)
        held = _ReservedCall(await self._budget.reserve(worst, request.role, request.tier), worst, secrets.token_hex(6))
        if self._ledger:
            try:
                await self._ledger.reserve(held.call, request.role, self._model.name, worst)
            except BaseException:
                self._release_reservation(held)  # nothing was sent
                raise
        return await self._send_request(request, held)

    async def _send_request(self, request: ModelRequest, held: _ReservedCall) -> ModelReply:
        try:
            reply = await self._model.ask(request)
        except ModelCallFailed as fault:
            if fault.billed:
                self._bill_worst_case(request, held)
            else:
                self._release_reservation(held)
            raise
        except BaseException:
            # Cancelled in the middle, or worse: whether the provider has finished is unknown.
            self._bill_worst_case(request, held)
            raise
        cost, counted = self._price_reply(request, reply, held)
        paid = reply.usage.model_copy(update={"cost": cost})
        held.money.settle(cost)
        self._write_bill(request, paid, held.call, certain=counted)
        return replace(reply, usage=paid)

    def _price_reply(self, request: ModelRequest, reply: ModelReply, held: _ReservedCall) -> tuple[Decimal, bool]:
        """Return the cost, and True if the server has counted all of it: what it has not is billed at its worst."""
        usage = reply.usage
        said = bool(reply.text or reply.thinking or reply.calls or reply.native)
        if not usage.input_tokens:
            return held.worst, False
        if usage.output_tokens or not said:
            return self._price.cost_of(usage, reply.cached_tokens), True
        longest = usage.model_copy(update={"output_tokens": request.max_output_tokens})
        return self._price.cost_of(longest, reply.cached_tokens), False

    def _limit_request(self, request: ModelRequest) -> tuple[ModelRequest, Decimal]:
        """Limit the output tokens to what one operation of the role may cost; return the request and its worst cost."""
        asked = self._price.worst_input_cost(request)
        ceiling = self._budget.ceiling(request.role, request.tier)
        left = ceiling - asked
        room = request.max_output_tokens
        if self._price.output:
            room = min(room, int(left * _MILLION / self._price.output))
        if left < 0 or room < min(LEAST_OUTPUT_TOKENS, request.max_output_tokens):
            raise BudgetSpent(
                f"One request of the {request.role} to {self._model.name} may cost "
                f"${asked + request.max_output_tokens * self._price.output / _MILLION:.4f}, over the limit of "
                f"${ceiling} for one operation: raise it under [budget]."
            )
        worst = asked + room * self._price.output / _MILLION
        return replace(request, max_output_tokens=room), worst

    def _bill_worst_case(self, request: ModelRequest, held: _ReservedCall) -> None:
        held.money.settle(held.worst)
        self._write_bill(request, Usage(calls=1, cost=held.worst), held.call, certain=False)

    def _release_reservation(self, held: _ReservedCall) -> None:
        held.money.release()
        if self._ledger:
            self._ledger.release(held.call)

    def _write_bill(self, request: ModelRequest, usage: Usage, call: str = "", *, certain: bool = True) -> None:
        if self._ledger:
            self._ledger.bill(request.role, self._model.name, usage, call=call, certain=certain)
