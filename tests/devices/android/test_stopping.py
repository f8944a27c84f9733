"""A phone that is slow, and a caller that leaves: once it is gone, nothing of its action arrives any more."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio

from deskhand.clock import SystemClock
from deskhand.core.actions import Action, Back, Click, DoubleClick, Drag, Key, LongPress, OpenApp, Swipe, Type
from deskhand.core.stop_outcome import StopOutcome, outcome_of
from deskhand.devices.android.adb.client import AdbClient
from deskhand.devices.android.device import AndroidDevice, attach_phone
from deskhand.simphone.adb.phone_server import SimPhone
from tests.contract.stage import until
from tests.contract.stage_android import PACKAGE, FeltPhone

ACTIONS: list[Action] = [
    Click(x=300, y=900), DoubleClick(x=300, y=900), Back(), Key(key="enter"), OpenApp(name="Settings"),
    LongPress(x=300, y=900, duration_ms=1500), Swipe(x=300, y=1800, to_x=300, to_y=600, duration_ms=1500),
    Drag(x=300, y=900, to_x=700, to_y=900, duration_ms=1500), Type(text="a slow text"),
]  # fmt: skip

Board = tuple[AndroidDevice, SimPhone]
Attach = Callable[[], Awaitable[Board]]


@pytest_asyncio.fixture
async def board(adb_client: AdbClient) -> AsyncIterator[Attach]:
    """A phone with the board in front, a field of it in focus."""
    async with AsyncExitStack() as stack:

        async def attached() -> Board:
            sim = await stack.enter_async_context(SimPhone(FeltPhone()))
            sim.phone.apps.launch_app(PACKAGE)
            page = page_of(sim)
            page.focus_field(page.fields["Name"])
            sim.phone.settle_screen()
            device = await attach_phone(sim.address, adb=adb_client, clock=SystemClock())
            stack.push_async_callback(device.close)
            await device.frame()
            await comes_to_rest(sim)  # a picture that was given up may still be on its way
            return device, sim

        yield attached


def page_of(sim: SimPhone) -> Any:
    return sim.phone.apps.find_app(PACKAGE).page


async def stop_after(device: AndroidDevice, action: Action, seconds: float, times: int = 1) -> StopOutcome | None:
    """Cancel an action so many times; returns what it said of itself, None if it was done before."""
    said: list[StopOutcome] = []

    async def act() -> None:
        try:
            await device.act(action)
        except asyncio.CancelledError as stop:
            said.append(outcome_of(stop))
            raise

    work = asyncio.ensure_future(act())
    await asyncio.sleep(seconds)
    for _ in range(times):
        work.cancel()
        await asyncio.sleep(0.01)
    await asyncio.wait({work}, timeout=20)
    assert work.done()
    return said[0] if said else None


def world_of(sim: SimPhone) -> Any:
    """What reached the phone, and what became of it."""
    assert isinstance(sim.phone, FeltPhone)
    state = sim.phone.read_state()
    felt = [one for one in sim.phone.felt if one.what in ("press", "key")]
    first = sim.phone.apps.by_package[PACKAGE].first  # pyright: ignore[reportAttributeAccessIssue] the board's own page
    typed = {name: field.text for name, field in first.fields.items()}
    return felt, state["foreground"], typed, first.pressed, round(first.down.offset)


async def comes_to_rest(sim: SimPhone) -> None:
    async def idle() -> bool:
        return not sim.is_busy

    await until(idle, "the phone's last command")


@pytest.mark.parametrize("seconds", [0.0, 0.02, 0.6, 1.2])
async def test_nothing_arrives_after_a_stop_on_a_slow_phone(board: Attach, seconds: float) -> None:
    async def stop_one(action: Action) -> None:
        device, sim = await board()
        sim.phone.conditions.add("slow")
        told = await stop_after(device, action, seconds, times=2)
        at_the_end = world_of(sim)
        await comes_to_rest(sim)
        assert world_of(sim) == at_the_end, f"{action.kind}: it came after the end: {told}"
        if told is StopOutcome.NOT_SENT:
            assert not at_the_end[0]
        if told is StopOutcome.DONE:
            assert at_the_end[0]

    for some in (ACTIONS[:3], ACTIONS[3:6], ACTIONS[6:]):
        await asyncio.gather(*map(stop_one, some))


async def test_a_tap_that_is_on_its_way_is_waited_for_and_told_as_done(board: Attach) -> None:
    device, sim = await board()
    sim.phone.conditions.add("slow")
    assert await stop_after(device, Click(x=500, y=2000), 0.5) is StopOutcome.DONE
    assert [(one.x, one.y) for one in world_of(sim)[0]] == [(500, 2000)]


async def test_a_stopped_gesture_lifts_its_finger(board: Attach) -> None:
    device, sim = await board()
    told = await stop_after(device, Swipe(x=300, y=2200, to_x=300, to_y=2000, duration_ms=8_000), 0.3)
    assert told is StopOutcome.CUT_SHORT
    scrolled = world_of(sim)[-1]
    await device.act(Click(x=500, y=300))
    assert [one.y for one in world_of(sim)[0]] == [2200, 300]
    await asyncio.sleep(0.2)
    assert world_of(sim)[-1] == scrolled, "the rest of the gesture went on"


async def test_a_line_that_breaks_during_the_wait_leaves_the_outcome_unknown(board: Attach) -> None:
    device, sim = await board()
    sim.phone.conditions |= {"slow", "drop-once"}
    assert await stop_after(device, Click(x=500, y=2000), 0.5) is StopOutcome.UNKNOWN
