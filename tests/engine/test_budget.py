"""Money that can't be overspent, in whatever order things happen."""

import asyncio
from decimal import Decimal

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from deskhand.core.errors import BudgetSpent
from deskhand.engine.budget import Budget, Held, Tier
from deskhand.settings.schema import BudgetSettings

_CEILINGS = (
    ("evaluator", "0.01"),
    ("operator", "0.10"),
    ("technician", "0.10"),
    ("analyst", "0.10"),
    ("manager", "1.00"),
    ("assistant", "1.00"),
)


def budget(cap: str = "1.00") -> Budget:
    return Budget(BudgetSettings(task=Decimal(cap)))


async def test_what_is_not_spent_is_free_again() -> None:
    money = budget()
    held = await money.reserve(Decimal("0.10"), "operator")
    assert (money.held, money.left) == (Decimal("0.10"), Decimal("0.90"))
    held.settle(Decimal("0.03"))
    assert (money.spent, money.held, money.left) == (Decimal("0.03"), Decimal(0), Decimal("0.97"))
    (await money.reserve(Decimal("0.10"), "operator")).release()
    assert money.spent == Decimal("0.03")


async def test_a_reservation_ends_once() -> None:
    held = await budget().reserve(Decimal("0.01"), "operator")
    held.release()
    with pytest.raises(ValueError, match="ended before"):
        held.settle(Decimal(0))


async def test_an_operation_over_its_tier_is_refused() -> None:
    money = budget("9")
    for role, limit in _CEILINGS:
        (await money.reserve(Decimal(limit), role)).release()
        with pytest.raises(BudgetSpent, match=f"may cost \\${limit} at most"):
            await money.reserve(Decimal(limit) + Decimal("0.001"), role)


async def test_when_the_cap_is_reached_the_sentence_says_what_to_do() -> None:
    money = budget("0.12")
    (await money.reserve(Decimal("0.10"), "operator")).settle(Decimal("0.09"))
    with pytest.raises(BudgetSpent, match=r"\$0.12 .* \$0.0900 are spent .* --budget"):
        await money.reserve(Decimal("0.05"), "operator")


async def test_the_cap_can_be_spent_to_the_last_cent() -> None:
    money = budget("0.12")
    (await money.reserve(Decimal("0.10"), "operator")).settle(Decimal("0.02"))
    waiting = await money.reserve(Decimal("0.10"), "operator")
    assert money.left == 0
    waiting.settle(Decimal("0.10"))
    assert money.spent == money.cap
    with pytest.raises(BudgetSpent):
        await money.reserve(Decimal("0.0001"), "operator")


async def test_a_call_never_costs_less_than_nothing() -> None:
    held = await budget().reserve(Decimal("0.01"), "operator")
    with pytest.raises(ValueError, match="less than nothing"):
        held.settle(Decimal("-0.01"))


async def test_nothing_is_worth_trying_while_others_wait_for_money() -> None:
    money = budget("0.10")
    held = await money.reserve(Decimal("0.05"), "operator")
    waiting = asyncio.create_task(money.reserve(Decimal("0.06"), "operator"))
    await asyncio.sleep(0)
    assert not money.can_afford(Tier.LOW), "0.05 are left, but the queue has the first claim on it"
    held.release()
    (await waiting).release()
    assert money.can_afford(Tier.LOW)


async def test_what_was_spent_before_a_crash_counts() -> None:
    money = Budget(BudgetSettings(task=Decimal("0.50")), spent=Decimal("0.45"))
    with pytest.raises(BudgetSpent):
        await money.reserve(Decimal("0.06"), "operator")


async def test_a_tier_is_worth_trying_while_more_is_left_than_a_cheaper_one_costs() -> None:
    money = budget("1.00")
    assert [money.can_afford(tier) for tier in Tier] == [True, True, True]
    (await money.reserve(Decimal("0.95"), "manager")).settle(Decimal("0.89"))
    assert [money.can_afford(tier) for tier in Tier] == [True, True, True], "0.11 is enough for most deep looks"
    held = await money.reserve(Decimal("0.05"), "operator")
    assert [money.can_afford(tier) for tier in Tier] == [True, True, False], "what is held may be spent"
    held.settle(Decimal("0.05"))
    (await money.reserve(Decimal("0.055"), "operator")).settle(Decimal("0.055"))
    assert [money.can_afford(tier) for tier in Tier] == [True, False, False]


async def test_an_operation_may_name_its_tier() -> None:
    money = budget("9")
    for tier, limit in (("low", "0.01"), ("medium", "0.10"), ("high", "1.00")):
        (await money.reserve(Decimal(limit), "evaluator", tier)).release()
        with pytest.raises(BudgetSpent, match=f"may cost \\${limit} at most"):
            await money.reserve(Decimal(limit) + Decimal("0.001"), "evaluator", tier)


async def test_who_asks_first_gets_first_and_large_requests_are_not_starved() -> None:
    money = budget("0.10")
    first = await money.reserve(Decimal("0.08"), "operator")
    large = asyncio.create_task(money.reserve(Decimal("0.09"), "operator"))
    await asyncio.sleep(0)
    small = asyncio.create_task(money.reserve(Decimal("0.01"), "operator"))
    await asyncio.sleep(0)
    assert not large.done()
    assert not small.done()
    first.release()
    (await large).settle(Decimal("0.05"))
    (await small).release()
    assert money.spent == Decimal("0.05")


async def test_who_can_never_be_served_is_told_at_once() -> None:
    money = budget("0.10")
    first = await money.reserve(Decimal("0.08"), "operator")
    waiting = asyncio.create_task(money.reserve(Decimal("0.05"), "operator"))
    await asyncio.sleep(0)
    first.settle(Decimal("0.08"))
    with pytest.raises(BudgetSpent):
        await waiting


async def test_cancelling_gives_back_what_was_granted_in_the_same_moment() -> None:
    money = budget("0.10")
    first = await money.reserve(Decimal("0.08"), "operator")
    waiting = asyncio.create_task(money.reserve(Decimal("0.05"), "operator"))
    await asyncio.sleep(0)
    first.release()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (money.held, money.left) == (Decimal(0), Decimal("0.10"))


CAP = Decimal("0.20")
AMOUNTS = st.integers(0, 100).map(lambda thousandths: Decimal(thousandths) / 1000)


class AnyInterleaving(RuleBasedStateMachine):
    """Reserving, settling, releasing and cancelling in any order, with the event loop run at any moment."""

    asking = Bundle("asking")

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.money = Budget(BudgetSettings(task=CAP))
        self.queue: list[asyncio.Task[Held]] = []
        self.paid = Decimal(0)

    def teardown(self) -> None:
        for task in self.queue:
            task.cancel()
        self.run_loop()
        self.loop.close()

    @rule()
    def run_loop(self) -> None:
        self.loop.run_until_complete(_turns())

    @rule(target=asking, amount=AMOUNTS)
    def ask(self, amount: Decimal) -> asyncio.Task[Held]:
        task = self.loop.create_task(self.money.reserve(amount, "operator"))
        self.queue.append(task)
        return task

    @rule(target=asking, task=consumes(asking), share=st.fractions(0, 1))
    def settle(self, task: asyncio.Task[Held], share: Decimal) -> object:
        if not _holds(task):
            return task
        held = task.result()
        cost = held.amount * Decimal(share.numerator) / Decimal(share.denominator)  # type: ignore[attr-defined] a Fraction
        held.settle(cost)
        self.paid += cost
        return multiple()

    @rule(target=asking, task=consumes(asking))
    def release(self, task: asyncio.Task[Held]) -> object:
        if not _holds(task):
            return task
        task.result().release()
        return multiple()

    @rule(task=consumes(asking))
    def cancel(self, task: asyncio.Task[Held]) -> None:
        if _holds(task):
            task.result().release()
        task.cancel()

    @invariant()
    def never_over_the_cap(self) -> None:
        assert self.money.spent + self.money.held <= CAP
        assert self.money.spent == self.paid
        assert self.money.held >= 0

    @invariant()
    def nobody_waits_for_nothing(self) -> None:
        self.run_loop()
        if not self.money.held:
            assert all(task.done() for task in self.queue)
        for task in self.queue:
            if task.done() and not task.cancelled() and task.exception():
                assert isinstance(task.exception(), BudgetSpent)


async def _turns() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


def _holds(task: asyncio.Task[Held]) -> bool:
    return task.done() and not task.cancelled() and not task.exception() and task.result().open


TestAnyInterleaving = AnyInterleaving.TestCase
TestAnyInterleaving.settings = hypothesis_settings(max_examples=60, stateful_step_count=30, deadline=None)
