"""The contract on trouble: calls that are cancelled, apps that hang, devices that go away, clicks that land off."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from deskhand.core.actions import Action, Click, Drag, LongPress, Scroll, Type
from deskhand.core.errors import (
    AppFrozen,
    DeviceError,
    DeviceFault,
    DeviceSetup,
    DeviceTimeout,
    DeviceUnusable,
    NoElements,
)
from deskhand.core.screen import Frame
from tests.contract.stage import Stage, until

pytestmark = pytest.mark.asyncio(loop_scope="package")

LEAVE_S = 0.5
LIMIT_S = 15.0


async def works(stage: Stage) -> None:
    """A picture comes, a click lands."""
    before = (await stage.board()).pressed
    x, y = (await stage.board()).places["Press me"].center
    assert isinstance(await stage.device.frame(), Frame)

    async def pressed() -> bool:
        await stage.device.act(Click(x=x, y=y))
        await asyncio.sleep(0.1)
        return (await stage.board()).pressed > before

    await until(pressed, "a click to arrive")


async def cancelled(work: asyncio.Future[object]) -> None:
    began = time.monotonic()
    work.cancel()
    await asyncio.wait({work}, timeout=10 * LEAVE_S)
    assert work.done(), "it does not end"
    assert time.monotonic() - began < LEAVE_S
    if not work.cancelled():
        work.result()  # it was done already


# --- cancelled -----------------------------------------------------------------------------------------------------


async def cut_short(stage: Stage, action: Action) -> None:
    work = asyncio.ensure_future(stage.device.act(action))

    async def begun() -> bool:
        return bool((await stage.board()).felt)

    await until(begun, "the beginning of the action")
    await cancelled(work)
    await works(stage)


@pytest.mark.needs("long_press")
async def test_a_long_press_can_be_cancelled(stage: Stage) -> None:
    x, y = (await stage.board()).places["Pad"].center
    await cut_short(stage, LongPress(x=x, y=y, duration_ms=3_000))


@pytest.mark.needs("drag")
async def test_a_drag_can_be_cancelled(stage: Stage) -> None:
    pad = (await stage.board()).places["Pad"]
    x, y = pad.center
    await cut_short(stage, Drag(x=pad.left + 20, y=y, to_x=x, to_y=y, duration_ms=3_000))


@pytest.mark.needs("type")
async def test_typing_can_be_cancelled(stage: Stage) -> None:
    x, y = (await stage.board()).places["Notes"].center
    await stage.device.act(Click(x=x, y=y))
    work = asyncio.ensure_future(stage.device.act(Type(text="很长 long " * 3_000)))
    await asyncio.sleep(0.05)
    await cancelled(work)
    await stage.reset()
    x, y = (await stage.board()).places["Name"].center
    await stage.device.act(Click(x=x, y=y))
    await stage.device.act(Type(text="again 再来", clear_first=True))

    async def typed() -> bool:
        return (await stage.board()).texts["Name"] == "again 再来"

    await until(typed, "what was typed afterwards")


async def test_a_look_can_be_cancelled_at_any_moment(stage: Stage) -> None:
    for after in (0.0, 0.001, 0.005, 0.02, 0.05):
        for look in (stage.device.frame, stage.device.elements, stage.device.app):
            work = asyncio.ensure_future(look())
            await asyncio.sleep(after)
            work.add_done_callback(lambda done: done.cancelled() or done.exception())
            work.cancel()
            began = time.monotonic()
            await asyncio.wait({work}, timeout=10 * LEAVE_S)
            assert work.done()
            assert time.monotonic() - began < LEAVE_S
    await works(stage)


# --- hanging -------------------------------------------------------------------------------------------------------


async def test_an_app_that_hangs_hangs_neither_the_device_nor_its_end(fresh: Stage) -> None:
    await fresh.hang(60)
    async with asyncio.timeout(LIMIT_S):
        frame, elements, told = await asyncio.gather(
            fresh.device.frame(), fresh.device.elements(), fresh.device.act(Click(x=5, y=5)), return_exceptions=True
        )
    assert isinstance(frame, Frame | DeviceTimeout | AppFrozen)
    assert isinstance(elements, NoElements | DeviceTimeout | AppFrozen)
    assert isinstance(told, str | DeviceFault | AppFrozen)
    assert isinstance(told, AppFrozen) or not isinstance(told, DeviceUnusable), "the device itself is usable"
    async with asyncio.timeout(LIMIT_S):
        await fresh.device.close()
        await fresh.device.close()


# --- gone ----------------------------------------------------------------------------------------------------------


def calls(stage: Stage) -> list[Callable[[], Awaitable[object]]]:
    device = stage.device
    acts: list[Action] = [Click(x=5, y=5), Scroll(x=5, y=5), Type(text="中文")]
    return [device.frame, device.elements, device.app, *(lambda action=action: device.act(action) for action in acts)]


async def test_a_device_that_goes_in_the_middle_of_a_call_is_gone_in_every_call(fresh: Stage) -> None:
    x, y = (await fresh.board()).places["Pad"].center
    await fresh.device.frame()
    work = asyncio.ensure_future(fresh.device.act(LongPress(x=x, y=y, duration_ms=30_000)))

    async def begun() -> bool:
        return bool((await fresh.board()).heard("press"))

    await until(begun, "the beginning of the action")
    await fresh.lose()
    async with asyncio.timeout(LIMIT_S):
        with pytest.raises(DeviceError):
            await work
    for call in calls(fresh):
        async with asyncio.timeout(LIMIT_S):
            with pytest.raises(DeviceUnusable):
                await call()
    async with asyncio.timeout(LIMIT_S):
        await fresh.device.close()


# --- crooked -------------------------------------------------------------------------------------------------------


@pytest.mark.has(aims=True)
async def test_a_device_whose_clicks_land_off_is_refused(stage: Stage) -> None:
    with pytest.raises(DeviceSetup, match=r"px off"):
        async with asyncio.timeout(60):
            await stage.attach_crooked()
