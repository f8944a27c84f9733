"""A program that is killed inside a paid call: the provider bills the call, so the task's cap has to count it."""

from __future__ import annotations

import asyncio
import signal
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ReceivedRequest, ScriptedCall, ScriptedStep
from deskhand.task.events import Billed, Reserved
from deskhand.task.journal import SqliteJournal
from tests.cli.conftest import Cli
from tests.conftest import ConnectedPhone

INPUT, OUTPUT = Decimal("1.5"), Decimal(60)  # dollars for a million tokens
CAP = Decimal("0.20")


class Provider:
    """Uses all the room that a request leaves for the answer, and sends the bill for every call, heard or not."""

    def __init__(self, hold: int) -> None:
        self._hold = hold
        self.billed = Decimal(0)
        self.calls = 0
        self.held = asyncio.Event()
        self.hurry = False

    async def reply(self, seen: ReceivedRequest) -> ScriptedStep:
        self.calls += 1
        tokens = seen.body["max_tokens"]
        self.billed += (4000 * INPUT + tokens * OUTPUT) / 1_000_000
        if self.calls == self._hold:
            self.held.set()
            await asyncio.Event().wait()
        done: dict[str, Any] = {"decision": "done", "message": "It is well."}
        note: dict[str, Any] = {"decision": "actions", "actions": [{"kind": "memorize", "text": f"{self.calls}"}]}
        said = ScriptedCall(name="step", arguments=done if self.hurry else note)
        return ScriptedStep(calls=(said,), input_tokens=4000, output_tokens=tokens)


@pytest.fixture
def provider() -> Provider:
    return Provider(hold=2)


def settle(cli: Cli, server: ModelServer) -> None:
    Path(cli.env["DESKHAND_CONFIG"]).write_text(
        f'[models.operator]\nmodel = "scripted"\nbase_url = "{server.url}"\nmax_output_tokens = 800\n'
        f"price = {{ input = {INPUT}, output = {OUTPUT} }}\n[budget]\ntask = {CAP}\n",
        encoding="utf-8",
    )


async def test_after_kill_9_inside_a_call_both_lives_together_stay_within_the_cap(
    cli: Cli, sim: ConnectedPhone, provider: Provider
) -> None:
    async with ModelServer([provider.reply] * 30) as server:
        settle(cli, server)
        running = await cli.start("run", "Look after it", "--device", f"android:{sim.serial}", "--loop", "single")
        await asyncio.wait_for(provider.held.wait(), 60)
        running.send(signal.SIGKILL)
        await running.ended()
        (run,) = (await cli("runs", "--json")).json["runs"]
        ended = await cli("resume", run["task_id"], "--budget", str(CAP), "--json")
        assert (ended.code, ended.json["cause"]) == (5, "budget"), ended.out + ended.err
        assert provider.calls == ended.json["model_calls"] > 2, "there was money for one more"
        assert provider.billed <= Decimal(ended.json["cost"]) <= CAP
        provider.hurry = True
        ended = await cli("resume", run["task_id"], "--budget", "1", "--json")
        assert (ended.code, ended.json["model_calls"]) == (0, provider.calls), ended.out + ended.err
    assert len(server.requests) == provider.calls
    reserved, bills = await _money(cli.data, run["task_id"])
    assert [bill.call for bill in bills] == [one.call for one in reserved]
    (cut,) = [bill for bill in bills if not bill.certain]
    assert (cut.call, cut.usage.cost) == (reserved[1].call, reserved[1].amount)


async def test_a_killed_call_may_have_taken_the_last_of_the_money(
    cli: Cli, sim: ConnectedPhone, provider: Provider
) -> None:
    """Nothing is asked in the second life, and the sentence says why."""
    async with ModelServer([provider.reply] * 30) as server:
        settle(cli, server)
        budget = ("--budget", "0.12")
        running = await cli.start(
            "run", "Look after it", "--device", f"android:{sim.serial}", "--loop", "single", *budget
        )
        await asyncio.wait_for(provider.held.wait(), 60)
        running.send(signal.SIGKILL)
        await running.ended()
        ended = await cli("resume", "last", *budget, "--json")
    assert (ended.code, ended.json["cause"]) == (5, "budget"), ended.out + ended.err
    assert provider.calls == 2
    assert provider.billed <= Decimal(ended.json["cost"]) <= Decimal("0.12")
    assert ended.json["spend"]["operator"]["calls"] == 2


async def _money(folder: Path, task_id: str) -> tuple[list[Reserved], list[Billed]]:
    journal = SqliteJournal(folder)
    try:
        events = [record.event for record in await journal.read(task_id)]
    finally:
        await journal.close()
    return [e for e in events if isinstance(e, Reserved)], [e for e in events if isinstance(e, Billed)]
