"""Whoever stops a task, by whatever door: after the stop nothing reaches a slow phone any more, and it is said."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest

from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedStep
from deskhand.simphone.adb.phone_server import SimPhone
from deskhand.simphone.phone import Phone
from tests.cli.conftest import Cli, cli
from tests.cli.test_stopping import _journal as read_journal
from tests.conftest import Adb, eventually
from tests.contract.stage_android import FeltPhone
from tests.server.conftest import Serve, call, model, serve

__all__ = ["cli", "serve"]

SETTINGS = "com.android.settings"
GOALS = {"en": 'click "Bluetooth"', "zh": "点击“Bluetooth”"}
SAID = {"en": "was on its way already: it was waited for and is done", "zh": "已经发出：已等它完成"}


@pytest.fixture
async def slow(adb: Adb) -> AsyncIterator[SimPhone]:
    """A phone of a user, slow from its first action on, with the settings in front."""
    async with SimPhone(FeltPhone()) as sim:
        await adb.run("connect", sim.address)
        sim.phone.apps.launch_app(SETTINGS)
        yield sim
        await adb.run("disconnect", sim.address)


def presses(phone: Phone) -> list[Any]:
    assert isinstance(phone, FeltPhone)
    return [one for one in phone.felt if one.what in ("press", "key")]


async def stays_at_rest(sim: SimPhone) -> None:
    """Nothing more arrives while the phone ends what is under way on it."""
    before = presses(sim.phone), sim.phone.read_state()

    async def idle() -> bool:
        return not sim.is_busy

    await eventually(idle)
    assert (presses(sim.phone), sim.phone.read_state()) == before


@pytest.mark.parametrize(("language", "presses_of_ctrl_c"), [("en", 1), ("en", 3), ("zh", 1)])
async def test_ctrl_c_waits_for_the_tap_on_the_wire_and_says_so(
    cli: Cli, slow: SimPhone, language: str, presses_of_ctrl_c: int
) -> None:
    slow.phone.conditions.add("slow")
    running = await cli.start("run", GOALS[language], "--device", f"android:{slow.address}")

    async def on_the_wire() -> bool:
        return '"action_intended"' in read_journal(cli) and slow.is_busy

    await eventually(on_the_wire, 60)
    await asyncio.sleep(0.3)
    for _ in range(presses_of_ctrl_c):
        running.send(signal.SIGINT)
        await asyncio.sleep(0.05)
    ended = await running.ended()
    assert ended.code == 130, ended.out + ended.err
    assert len(presses(slow.phone)) == 1, ended.out
    await stays_at_rest(slow)
    assert SAID[language] in " ".join(ended.out.splitlines()[-3:]), ended.out
    assert SAID[language] in read_journal(cli)


@pytest.mark.parametrize("door", ["task", "chat"])
async def test_a_stop_over_http_waits_for_the_action_on_the_wire(serve: Serve, door: str) -> None:
    launch = ScriptedStep(text='<answer>do(action="Launch", app="设置")</answer>')
    home = ScriptedStep(text='<answer>do(action="Home")</answer>')
    async with (
        ModelServer([call("chat", device_id="sim", message="look")]) as decider,
        ModelServer([launch, home] * 20) as operator,
        serve(models={"assistant": model(decider), "operator": model(operator, dialect="autoglm")}) as house,
        AsyncExitStack() as stack,
    ):
        if door == "task":
            task_id = await house.task("look", device="sim", loop="single")
        else:
            await stack.enter_async_context(house.talking("look", session_id="s"))
        phones = house.services.hand.simulated.phones
        await operator.wait_until(lambda server: len(server.requests) == 1, 60)
        phones[""].conditions.add("slow")
        await operator.wait_until(lambda server: len(server.requests) == 3, 60)
        runs = await house.services.hand.journal.runs()

        async def third_is_under_way() -> bool:
            kinds = [record.event.type for record in await house.services.hand.journal.read(runs[0].task_id)]
            return kinds.count("action_intended") == 3 and kinds.count("action_ended") == 2

        await eventually(third_is_under_way, 60)
        if door == "task":
            await house.post(f"/api/tasks/{task_id}/commands", command="stop")
        else:
            await house.post("/api/layered-agent/abort", session_id="s")
        at_the_end = phones[""].windows.foreground
        await asyncio.sleep(1.5)  # longer than the slow phone takes
        assert phones[""].windows.foreground == at_the_end
        kinds = [record.event.type for record in await house.services.hand.journal.read(runs[0].task_id)]
        assert kinds.count("action_ended") == 3, "the journal says what became of it"
