"""Paid calls on their way into the log: in the order in which things happened, whatever interrupts them."""

import asyncio
from decimal import Decimal

from deskhand.bus import Bus
from deskhand.core.decisions import Usage
from deskhand.engine.ledger import TaskLedger
from deskhand.engine.task_log import TaskLog
from deskhand.task.events import Billed, Memorized, Released, Reserved
from deskhand.task.fold import fold_all
from deskhand.task.journal import SqliteJournal

AMOUNT = Decimal("0.05")
USED = Usage(calls=1, cost=Decimal("0.01"))


async def test_a_reservation_is_on_disk_when_it_returns_and_its_bill_comes_with_what_is_next(
    journal: SqliteJournal,
) -> None:
    ledger = TaskLedger()
    log = TaskLog("t", journal, Bus(), ledger=ledger)
    await ledger.reserve("a", "operator", "m", AMOUNT)
    assert [record.event for record in await journal.read("t")] == [
        Reserved(call="a", role="operator", model="m", amount=AMOUNT)
    ]
    ledger.bill("operator", "m", USED, call="a")
    assert len(await journal.read("t")) == 1
    await ledger.reserve("b", "operator", "m", AMOUNT)
    assert [type(record.event) for record in await journal.read("t")] == [Reserved, Billed, Reserved]
    assert (log.state.usage.cost, log.state.most_spent) == (Decimal("0.01"), Decimal("0.06"))


async def test_a_bill_is_written_before_what_happened_after_it(journal: SqliteJournal) -> None:
    ledger = TaskLedger()
    log = TaskLog("t", journal, Bus(), ledger=ledger)
    ledger.bill("operator", "m", USED)
    ledger.bill("evaluator", "m", USED)
    await log.record(Memorized(text="what the reply said"))
    events = [record.event for record in await journal.read("t")]
    assert [event.role if isinstance(event, Billed) else event.type for event in events] == [
        "operator",
        "evaluator",
        "memorized",
    ]


async def test_with_nothing_to_write_nothing_is_written(journal: SqliteJournal) -> None:
    log = TaskLog("t", journal, Bus())
    await log.record()
    assert await journal.read("t") == []


async def test_a_call_that_is_cancelled_while_it_is_written_down_is_released_behind_its_reservation(
    journal: SqliteJournal,
) -> None:
    ledger = TaskLedger()
    log = TaskLog("t", journal, Bus(), ledger=ledger)
    for turns in range(6):
        call = f"call {turns}"
        asking = asyncio.create_task(ledger.reserve(call, "operator", "m", AMOUNT))
        for _ in range(turns):
            await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait({asking})
        if turns:  # before its first turn a task that is cancelled has not begun
            ledger.release(call)
    await log.record(Memorized(text="something else"))
    kinds = [type(record.event) for record in await journal.read("t")]
    assert kinds.count(Reserved) == kinds.count(Released) == 5
    assert log.state.reserved == ()


async def test_calls_that_a_crash_cut_off_are_billed_at_their_worst_when_the_task_is_taken_up(
    journal: SqliteJournal,
) -> None:
    before = TaskLedger()
    TaskLog("t", journal, Bus(), ledger=before)
    await before.reserve("a", "operator", "m", AMOUNT)
    await before.reserve("b", "evaluator", "m", AMOUNT)
    past = fold_all(await journal.read("t"))
    assert (past.usage.cost, past.most_spent) == (0, Decimal("0.10"))
    after = TaskLog("t", journal, Bus(), past, TaskLedger())
    await after.record(Memorized(text="here again"))
    assert (after.state.usage.cost, after.state.most_spent, after.state.reserved) == (2 * AMOUNT, 2 * AMOUNT, ())
    bills = [record.event for record in await journal.read("t") if isinstance(record.event, Billed)]
    assert [(bill.call, bill.role, bill.certain) for bill in bills] == [
        ("a", "operator", False),
        ("b", "evaluator", False),
    ]
    assert fold_all(await journal.read("t")) == after.state
