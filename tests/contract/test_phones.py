"""What only phones have: several at one adb, a wireless one by its address, one that is turned, long lists."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest_asyncio

from deskhand.clock import SystemClock
from deskhand.core.actions import Click, OpenApp, Scroll, Type
from deskhand.devices.android.adb.client import AdbClient
from deskhand.devices.android.adb.private_server import run_private_server
from deskhand.devices.android.device import AndroidDevice, attach_phone, list_phone_infos
from deskhand.settings.schema import AdbSettings
from deskhand.simphone.adb.phone_server import SimPhone
from tests.contract.stage import until
from tests.contract.stage_android import PACKAGE, FeltPhone

Switch = Callable[[], Awaitable[SimPhone]]
CONTACTS = "com.android.contacts"


@pytest_asyncio.fixture
async def adb() -> AsyncIterator[AdbClient]:
    async with run_private_server(AdbSettings(), SystemClock()) as settings:
        yield AdbClient(settings)


@pytest_asyncio.fixture
async def switched_on() -> AsyncIterator[Switch]:
    """A phone that listens on the network and that nobody has connected to yet."""
    async with AsyncExitStack() as stack:

        async def on() -> SimPhone:
            return await stack.enter_async_context(SimPhone(FeltPhone()))

        yield on


async def attached(adb: AdbClient, sim: SimPhone) -> AndroidDevice:
    return await attach_phone(sim.address, adb=adb, clock=SystemClock())


async def at_rest(sim: SimPhone) -> None:
    async def still() -> bool:
        return not sim.phone.display.is_animating()

    await until(still, "the phone to come to rest")


async def test_a_wireless_phone_is_connected_to_by_its_address(adb: AdbClient, switched_on: Switch) -> None:
    sim = await switched_on()
    assert await list_phone_infos(adb) == []
    device = await attached(adb, sim)
    assert [(info.id, info.state) for info in await list_phone_infos(adb)] == [(f"android:{sim.address}", "ready")]
    await device.act(OpenApp(name="Settings"))
    assert sim.phone.windows.foreground[0] == "com.android.settings"
    # The same phone once more, which adb knows already.
    assert (await (await attached(adb, sim)).app()).name == "com.android.settings"


async def test_several_phones_work_at_once_and_none_hears_what_is_for_another(
    adb: AdbClient, switched_on: Switch
) -> None:
    sims = [await switched_on() for _ in range(4)]
    devices = await asyncio.gather(*(attached(adb, sim) for sim in sims))
    assert len({device.id for device in devices}) == 4

    async def fill_in(device: AndroidDevice, sim: SimPhone, number: int) -> None:
        sim.phone.apps.launch_app(PACKAGE)
        await at_rest(sim)
        field = next(one for one in await device.elements() if one.hint == "Name")
        await device.act(Click(x=field.bounds.center[0], y=field.bounds.center[1]))
        for word in (f"phone {number}", " 手机", f" {number * 111}"):
            await device.act(Type(text=word))
            await device.frame()

    await asyncio.gather(*(fill_in(*pair, number) for number, pair in enumerate(zip(devices, sims, strict=True))))
    for number, sim in enumerate(sims):
        assert sim.phone.read_state()["focused"]["text"] == f"phone {number} 手机 {number * 111}"
    assert len(await list_phone_infos(adb)) == 4


async def test_one_phone_that_goes_away_leaves_the_others_at_work(adb: AdbClient, switched_on: Switch) -> None:
    gone, stays = await switched_on(), await switched_on()
    devices = [await attached(adb, gone), await attached(adb, stays)]
    gone.phone.conditions.add("drop")
    lost, seen = await asyncio.gather(
        devices[0].act(OpenApp(name="Settings")), devices[1].frame(), return_exceptions=True
    )
    assert isinstance(lost, Exception)
    assert not isinstance(seen, BaseException)
    await devices[1].act(OpenApp(name="Settings"))
    assert stays.phone.windows.foreground[0] == "com.android.settings"


async def test_a_phone_that_is_turned_in_the_middle_is_worked_as_it_lies(adb: AdbClient, switched_on: Switch) -> None:
    sim = await switched_on()
    device = await attached(adb, sim)
    phone = sim.phone
    assert isinstance(phone, FeltPhone)
    for turned, size in ((False, (1080, 2400)), (True, (2400, 1080)), (False, (1080, 2400))):
        (phone.conditions.add if turned else phone.conditions.discard)("rotated")
        await at_rest(sim)
        frame = await device.frame()
        assert frame.size == size
        assert all(one.bounds.right <= size[0] and one.bounds.bottom <= size[1] for one in await device.elements())
        for x, y in ((0, 0), (size[0] - 1, size[1] - 1), (size[0] - 1, 0), (0, size[1] - 1)):
            phone.felt.clear()
            await device.act(Click(x=x, y=y))
            assert [(one.x, one.y) for one in phone.felt if one.what == "press"] == [(x, y)]


async def test_scrolling_to_the_end_of_a_long_list_finds_the_last_name(adb: AdbClient, switched_on: Switch) -> None:
    sim = await switched_on()
    device = await attached(adb, sim)
    sim.phone.apps.launch_app(CONTACTS)
    await at_rest(sim)
    names = [person["name"] for person in sim.phone.read_state()["apps"][CONTACTS]["contacts"]]
    seen: list[str] = []
    for _ in range(30):
        listed = [one.name for one in await device.elements()]
        fresh = [name for name in names if any(name in each for each in listed) and name not in seen]
        if not fresh:
            break
        seen += fresh
        await device.act(Scroll(direction="down", pages=0.7))
        await at_rest(sim)
    assert sorted(seen) == sorted(names)
