"""The budget of one task: money is reserved before it is spent, so that the cap can't be exceeded.

Requests are granted in the order of asking: a large one is not starved by small ones behind it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from deskhand.core.errors import BudgetSpent
from deskhand.core.planning import Depth
from deskhand.settings.schema import BudgetSettings


class Tier(StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


# How much one operation of a role may cost at most, where it does not name a tier: steps are cheap, plans may be dear.
# The evaluator's checks name theirs: a deep look may cost what a deep look costs.
TIERS: dict[str, Tier] = {
    "evaluator": Tier.LOW,
    "operator": Tier.MEDIUM,
    "technician": Tier.MEDIUM,
    "analyst": Tier.MEDIUM,
    "manager": Tier.HIGH,
    "assistant": Tier.HIGH,
}


_CHEAPER: dict[Tier, Tier | None] = {Tier.LOW: None, Tier.MEDIUM: Tier.LOW, Tier.HIGH: Tier.MEDIUM}


@dataclass(eq=False)
class Held:
    """Money set aside for one call; ended exactly once, by settling or releasing."""

    budget: Budget
    amount: Decimal
    open: bool = True

    def settle(self, cost: Decimal) -> None:
        """Spend what the call really took; the rest is free again."""
        self.close_reservation(cost)

    def release(self) -> None:
        """End it without spending."""
        self.close_reservation(Decimal(0))

    def close_reservation(self, cost: Decimal) -> None:
        if not self.open:
            raise ValueError("this reservation was ended before")
        if cost < 0:
            raise ValueError("a call can't cost less than nothing")
        self.open = False
        self.budget.take_back(self, cost)


@dataclass(eq=False)
class _Waiting:
    amount: Decimal
    granted: asyncio.Future[Held] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Budget:
    """The money of one task, shared by everything that works on it."""

    def __init__(self, settings: BudgetSettings, spent: Decimal = Decimal(0)) -> None:
        self._cap = settings.task
        self._ceilings = {Tier.LOW: settings.low, Tier.MEDIUM: settings.medium, Tier.HIGH: settings.high}
        self._spent = spent
        self._held = Decimal(0)
        self._waiting: deque[_Waiting] = deque()

    @property
    def cap(self) -> Decimal:
        return self._cap

    @property
    def spent(self) -> Decimal:
        return self._spent

    @property
    def held(self) -> Decimal:
        """The money reserved for calls that are under way."""
        return self._held

    @property
    def left(self) -> Decimal:
        """The money that is neither spent nor reserved."""
        return max(Decimal(0), self._cap - self._spent - self._held)

    def ceiling(self, role: str, tier: Depth | None = None) -> Decimal:
        """Return the most that one operation of this role, or of this tier, may cost."""
        return self._ceilings[Tier(tier) if tier else TIERS[role]]

    def can_afford(self, tier: Tier) -> bool:
        """True if an operation of this tier is worth trying now: more is left than any of a cheaper tier costs.

        Whether it really fits is known when its worst case is reserved. The whole of its own limit is not asked for:
        that of the dearest tier is a whole task's money, and most operations take a hundredth of it.
        """
        cheaper = _CHEAPER[tier]
        return self.left >= (self._ceilings[cheaper] if cheaper else Decimal(0)) and not self._waiting

    async def reserve(self, amount: Decimal, role: str, tier: Depth | None = None) -> Held:
        """Set money aside; waits while others' calls may still give some back; raises BudgetSpent when none can."""
        ceiling = self.ceiling(role, tier)
        if amount > ceiling:
            raise BudgetSpent(f"An operation of the {role} may cost ${ceiling} at most, and this one ${amount:.4f}.")
        self._check_cap(amount)
        waiting = _Waiting(amount)
        self._waiting.append(waiting)
        self._grant_waiting()
        try:
            return await waiting.granted
        except asyncio.CancelledError:
            self._withdraw_request(waiting)
            raise

    def take_back(self, held: Held, cost: Decimal) -> None:
        """End a reservation; only `Held` calls this."""
        self._held -= held.amount
        self._spent += cost
        self._grant_waiting()

    def _check_cap(self, amount: Decimal) -> None:
        if self._spent + amount > self._cap:
            raise BudgetSpent(
                f"The budget of ${self._cap} does not cover the next request: ${self._spent:.4f} are spent and it may "
                f"cost ${amount:.4f}; raise it with --budget."
            )

    def _grant_waiting(self) -> None:
        """Grant requests from the head of the queue, as far as the money reaches; fail those that never can be."""
        while self._waiting:
            first = self._waiting[0]
            if first.granted.done():
                self._waiting.popleft()
                continue
            try:
                self._check_cap(first.amount)
            except BudgetSpent as fault:
                first.granted.set_exception(fault)
                self._waiting.popleft()
                continue
            if self._spent + self._held + first.amount > self._cap:
                return
            self._held += first.amount
            self._waiting.popleft()
            first.granted.set_result(Held(self, first.amount))

    def _withdraw_request(self, waiting: _Waiting) -> None:
        """Cancelled: give back what was granted in the same moment, or leave the queue."""
        if waiting.granted.done() and not waiting.granted.cancelled() and not waiting.granted.exception():
            waiting.granted.result().release()
        else:
            waiting.granted.cancel()
            self._grant_waiting()
