"""A connection that breaks is brought back within limits; a look is taken again, an act is never sent twice."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from deskhand.core.actions import Action, Back, Click, Key, OpenApp, Swipe, Type
from deskhand.core.errors import DeviceGone, DeviceUnusable, OutcomeUnknown
from deskhand.devices.android.adb.client import AdbClient
from deskhand.devices.android.device import AndroidDevice
from deskhand.devices.android.phone_link import BACK_S
from deskhand.simphone.adb.phone_server import SimPhone
from tests.devices.android.test_stopping import Attach, board, page_of, world_of

__all__ = ["board"]

Break = Callable[[SimPhone, AdbClient], Awaitable[None]]


async def unplug(sim: SimPhone, adb: AdbClient) -> None:
    await adb.query_server(f"host:disconnect:{sim.address}")


async def drop(sim: SimPhone, adb: AdbClient) -> None:
    sim.phone.conditions.add("drop-once")


async def fall_silent(sim: SimPhone, adb: AdbClient) -> None:
    """Offline for a second, as a phone that roams to another access point."""
    sim.phone.conditions.add("offline")
    asyncio.get_running_loop().call_later(1.0, sim.phone.conditions.discard, "offline")
    while {phone.serial: phone.state for phone in await adb.list_phones()}.get(sim.address) == "device":
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("broken", [unplug, drop, fall_silent])
async def test_a_look_is_taken_again_when_the_connection_is_back(
    board: Attach, adb_client: AdbClient, broken: Break
) -> None:
    device, sim = await board()
    looks: list[Callable[[], Awaitable[object]]] = [device.app, device.elements, device.frame, device.apps]
    for look in looks:
        await broken(sim, adb_client)
        assert await look()


@pytest.mark.parametrize("broken", [unplug, fall_silent])
async def test_what_was_not_sent_yet_is_sent_once_when_the_connection_is_back(
    board: Attach, adb_client: AdbClient, broken: Break
) -> None:
    device, sim = await board()
    await broken(sim, adb_client)
    await device.act(Click(x=500, y=2000))
    assert [(one.x, one.y) for one in world_of(sim)[0]] == [(500, 2000)]


ACTS: list[Action] = [
    Click(x=500, y=2000), Key(key="enter"), Back(), Swipe(x=300, y=1800, to_x=300, to_y=1500, duration_ms=100),
]  # fmt: skip


@pytest.mark.parametrize("action", ACTS, ids=lambda action: action.kind)
async def test_an_act_during_which_the_connection_breaks_is_unknown_and_not_sent_again(
    board: Attach, action: Action
) -> None:
    device, sim = await board()
    sim.phone.conditions.add("drop-once")
    with pytest.raises(OutcomeUnknown, match="unknown, so look first"):
        await device.act(action)
    assert len(world_of(sim)[0]) == 1
    assert await device.elements()


async def test_text_is_never_typed_twice_by_a_connection_that_breaks(board: Attach) -> None:
    device, sim = await board()
    await device.elements()  # it knows the field, so that the first command types
    sim.phone.conditions.add("drop-once")
    with pytest.raises(OutcomeUnknown):
        await device.act(Type(text="once only"))
    assert page_of(sim).fields["Name"].text == "once only"


async def test_an_app_is_opened_although_the_connection_breaks(board: Attach) -> None:
    device, sim = await board()
    sim.phone.conditions.add("drop-once")
    await device.act(OpenApp(name="Settings"))
    assert sim.phone.windows.foreground[0] == "com.android.settings"


async def fails_within(device: AndroidDevice, seconds: float) -> None:
    began = time.monotonic()
    with pytest.raises(DeviceUnusable):
        await device.app()
    assert time.monotonic() - began < seconds


async def test_a_phone_that_stays_away_is_waited_for_only_once(board: Attach) -> None:
    device, sim = await board()
    await sim.__aexit__()
    await fails_within(device, BACK_S + 5)
    await fails_within(device, 3)


async def test_a_line_that_breaks_every_time_is_given_up(board: Attach) -> None:
    device, sim = await board()
    sim.phone.conditions.add("drop")
    with pytest.raises(DeviceGone):
        await device.act(Click(x=500, y=2000))
    assert len(world_of(sim)[0]) <= 1
