"""Nothing that was spent is forgotten: the journal's bills add up to the budget's own count, whatever went wrong."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from deskhand import build
from deskhand.build import Deskhand
from deskhand.core.statuses import TaskStatus
from deskhand.engine.budget import Budget
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedCall, ScriptedStep, ScriptEntry
from deskhand.settings.load import load
from deskhand.settings.schema import BudgetSettings
from deskhand.task.events import Billed, Event, Record, Reserved
from deskhand.task.fold import fold_all
from deskhand.task.journal import SqliteJournal

PRICE = {"input": "0.2", "output": "0.4"}


@pytest.fixture
def budgets(monkeypatch: pytest.MonkeyPatch) -> list[Budget]:
    """Every budget that is made, to be asked how much it thinks was spent."""
    made: list[Budget] = []

    class Kept(Budget):
        def __init__(self, settings: BudgetSettings, spent: Decimal = Decimal(0)) -> None:
            super().__init__(settings, spent)
            made.append(self)

    monkeypatch.setattr(build, "Budget", Kept)
    return made


class Office:
    """A Deskhand whose roles have a scripted model each."""

    def __init__(self, folder: Path, fields: dict[str, Any] | None = None, /, **scripts: Sequence[ScriptEntry]) -> None:
        self._folder = folder
        self._fields = fields or {}
        self.servers = {role: ModelServer(script) for role, script in scripts.items()}
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Deskhand:
        models: dict[str, Any] = {}
        for role, server in self.servers.items():
            await self._stack.enter_async_context(server)
            models[role] = {"model": "scripted", "base_url": server.url, "price": PRICE, "retries": 2, **self._fields}
        return await self._stack.enter_async_context(Deskhand(load({"data_dir": self._folder, "models": models})))

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()


def call(name: str, **arguments: Any) -> ScriptedStep:
    return ScriptedStep(calls=(ScriptedCall(name=name, arguments=arguments),))


PLAN = call("plan", subtasks=[{"title": "Look at the phone", "done_when": "", "role": "operator"}])
NOTE = call("step", decision="actions", actions=[{"kind": "memorize", "text": "seen"}])
DONE = call("step", decision="done", message="It is well.")
NONSENSE = ScriptedStep(text="Well, well.")


async def test_replies_of_no_use_are_billed_to_the_role_that_asked(tmp_path: Path, budgets: list[Budget]) -> None:
    cut = NOTE.model_copy(update={"fault": "cut"})
    office = Office(
        tmp_path,
        manager=[NONSENSE, PLAN],
        operator=[NONSENSE, NONSENSE, NONSENSE, cut, NOTE, ScriptedStep(status=500), DONE],
        evaluator=[NONSENSE] * 6,
    )
    async with office as hand:
        state = await hand.run("Look after the phone")
        records = await hand.journal.read(state.task_id)
    assert state.status is TaskStatus.FULFILLED, state.reason
    bills = [record.event for record in records if isinstance(record.event, Billed)]
    assert sum(bill.usage.cost for bill in bills) == state.usage.cost == budgets[0].spent > 0
    assert {role: usage.calls for role, usage in state.spend} == {"manager": 2, "operator": 6, "evaluator": 6}
    assert [bill.certain for bill in bills if bill.role == "operator"] == [True, True, True, False, True, True]
    assert fold_all(records) == state


@pytest.fixture
def appends(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[Event]]:
    """What was written to the journal, one entry for each append."""
    made: list[Sequence[Event]] = []

    class Counted(SqliteJournal):
        async def append(self, task_id: str, events: Sequence[Event]) -> list[Record]:
            made.append(events)
            return await super().append(task_id, events)

    monkeypatch.setattr(build, "SqliteJournal", Counted)
    return made


async def test_a_paid_call_costs_one_append_and_a_free_one_none(tmp_path: Path, appends: list[Sequence[Event]]) -> None:
    counts: dict[bool, int] = {}
    for free in (False, True):
        appends.clear()
        office = Office(
            tmp_path / str(free), {"free": True, "price": None} if free else {}, operator=[NOTE] * 5 + [DONE]
        )
        async with office as hand:
            state = await hand.run("Look after the phone", loop="single")
        assert (state.status, state.usage.calls) == (TaskStatus.FULFILLED, 6)
        counts[free] = len(appends)
        assert all(appends), "nothing is written when there is nothing to write"
        assert any(isinstance(event, Reserved) for events in appends for event in events) is not free
    assert counts[False] == counts[True] + 6


async def test_a_call_that_was_stopped_in_the_middle_is_billed_at_its_worst(
    tmp_path: Path, budgets: list[Budget]
) -> None:
    office = Office(tmp_path, operator=[NOTE, ScriptedStep(text="Hm. " * 2000, chunk_s=0.2)])
    async with office as hand:
        async with hand.start("Look after the phone", loop="single") as run:
            server = office.servers["operator"]
            async with asyncio.timeout(60):
                while len(server.requests) < 2:
                    await asyncio.sleep(0.01)
            state = await run.stop()
        stored = fold_all(await hand.journal.read(state.task_id))
    assert (state.cause, stored.usage.calls) == ("stopped", 2)
    assert stored.usage.cost == budgets[0].spent > 0
    assert budgets[0].held == 0


async def test_an_endpoint_that_never_answers_ends_the_task_with_its_reason(tmp_path: Path) -> None:
    """And not as steps that failed: the time-outs of a call fit into the time of a decision."""
    models = {"first_byte_timeout_s": 0.5, "retries": 20}
    async with ModelServer([ScriptedStep(text="late", first_byte_s=60, times=20)]) as server:
        operator = {"model": "scripted", "base_url": server.url, "free": True, **models}
        settings = load({"data_dir": tmp_path, "models": {"operator": operator}, "executor": {"decide_timeout_s": 2.5}})
        async with Deskhand(settings) as hand:
            state = await hand.run("Look after the phone", loop="single")
    assert state.cause == "model", state.reason
    assert "did not answer for scripted within 0.5 s" in state.reason
    assert len(server.requests) > 1
