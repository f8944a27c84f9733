"""The pool: one device, one task; turns in order; a lease that is over keeps its holder out; crashes give it back."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deskhand.build import SimulatedPhones
from deskhand.clock import SystemClock
from deskhand.core.actions import Home, LongPress, OpenApp
from deskhand.core.errors import DeviceBusy, DeviceGone, DeviceSetup, UnknownDevice
from deskhand.core.protocols import Device
from deskhand.devices.android.adb.client import AdbClient
from deskhand.devices.android.provider import PhoneProvider
from deskhand.devices.browser.provider import BrowserProvider
from deskhand.devices.desktop.provider import DesktopProvider
from deskhand.devices.pool import Pool
from deskhand.settings.schema import BrowserSettings, DesktopSettings, Settings
from tests.devices.conftest import Plug


class SharedPhones(SimulatedPhones):
    """Simulated phones, locked as if other processes could reach them too."""

    shared = True


@pytest.fixture
async def pool(tmp_path: Path) -> AsyncIterator[Pool]:
    pool = make_pool(tmp_path)
    yield pool
    await pool.close()


def make_pool(folder: Path) -> Pool:
    phones = SharedPhones(Settings(data_dir=folder), SystemClock())
    return Pool({"sim": phones}, clock=SystemClock(), locks=folder / "locks")


async def test_a_second_task_gets_a_clear_busy_at_once(pool: Pool) -> None:
    async with pool.lease_device("sim:a"):
        with pytest.raises(DeviceBusy, match="sim:a is busy"):
            async with pool.lease_device("sim:a"):
                pass
        async with pool.lease_device("sim:b") as other:
            assert (await other.frame()).width == 1080


async def test_it_waits_its_turn_when_it_asks_to_and_turns_are_in_order(pool: Pool) -> None:
    order: list[int] = []

    async def take(number: int) -> None:
        async with pool.lease_device("sim:a", wait_s=30):
            order.append(number)

    async with pool.lease_device("sim:a"):
        waiting = [asyncio.create_task(take(number)) for number in range(4)]
        await asyncio.sleep(0)
        gives_up = asyncio.create_task(pool.lease_device("sim:a", wait_s=0.05).__aenter__())
        with pytest.raises(DeviceBusy):
            await gives_up
        waiting[1].cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert order == [0, 2, 3]


async def test_a_device_stays_open_between_leases(pool: Pool) -> None:
    async with pool.lease_device("sim:a") as phone:
        await phone.act(OpenApp(name="Settings"))
    async with pool.lease_device("sim:a") as phone:
        assert phone.id == "sim:a"
        assert (await phone.app()).name == "com.android.settings"


async def test_a_lease_that_is_over_lets_nothing_through(pool: Pool) -> None:
    async with pool.lease_device("sim:a") as phone:
        late: Device = phone
    with pytest.raises(DeviceGone, match=r"lease of .* is over"):
        await late.act(Home())


async def test_a_lease_ends_by_itself_after_its_time(pool: Pool) -> None:
    async with pool.lease_device("sim:a", hold_s=0.05) as phone:
        await phone.app()
        await asyncio.sleep(0.1)
        for call in (phone.frame, phone.elements, phone.app, phone.apps):
            with pytest.raises(DeviceGone, match="is over"):
                await call()


async def test_whoever_waits_has_a_device_as_soon_as_its_lease_is_over(pool: Pool) -> None:
    async with pool.lease_device("sim:a", hold_s=0.2) as slow:
        stuck = asyncio.ensure_future(slow.act(LongPress(x=500, y=900, duration_ms=10_000)))
        async with pool.lease_device("sim:a", wait_s=5) as phone:
            assert stuck.done(), "the device was given away in the middle of an action"
            assert (await phone.app()).name
        with pytest.raises(DeviceGone, match="is over"):
            await stuck
        # Leaving the block later takes nothing away from whoever has it by then.
        later = pool.lease_device("sim:a")
        phone = await later.__aenter__()
    assert (await phone.app()).name
    with pytest.raises(DeviceBusy):
        async with pool.lease_device("sim:a"):
            pass
    await later.__aexit__(None, None, None)


async def test_a_leased_device_is_the_device(pool: Pool) -> None:
    async with pool.lease_device("sim:a") as phone:
        assert "click" in phone.capabilities
        assert await phone.elements()
        assert "微信" in await phone.apps()
        assert phone.changes() is None
        await phone.close()
        with pytest.raises(DeviceGone):
            await phone.app()


@pytest.mark.parametrize("name", ["toaster", "toaster:5", "", "simx"])
async def test_an_unknown_device_is_named_with_what_there_is(pool: Pool, name: str) -> None:
    with pytest.raises(UnknownDevice, match=r"deskhand devices.*kinds: sim"):
        async with pool.lease_device(name):
            pass


async def test_busy_devices_say_so_in_the_list(pool: Pool) -> None:
    assert [info.state for info in await pool.list_devices()] == ["ready"]
    async with pool.lease_device("sim"):
        assert [info.state for info in await pool.list_devices()] == ["busy"]


async def test_a_phone_is_busy_by_whichever_name_it_is_called(
    plug: Plug, adb_client: AdbClient, tmp_path: Path
) -> None:
    sim = await plug()
    pool = Pool({"android": PhoneProvider(adb_client, SystemClock())}, clock=SystemClock(), locks=tmp_path)
    names = ("android", "android:", f"android:{sim.address}")
    for held in names:
        async with pool.lease_device(held) as phone:
            assert phone.id == f"android:{sim.address}"
            for wanted in names:
                with pytest.raises(DeviceBusy):
                    async with pool.lease_device(wanted):
                        pass
            assert [info.state for info in await pool.list_devices()] == ["busy"]
    await pool.close()


async def test_a_browser_of_the_settings_is_one_whatever_it_is_called(tmp_path: Path) -> None:
    for settings in (BrowserSettings(profile=tmp_path), BrowserSettings(cdp_url="http://127.0.0.1:9")):
        browsers = BrowserProvider(settings, SystemClock())
        assert {await browsers.full_name(name) for name in ("", "shop", "http://shop/")} == {""}
    assert await BrowserProvider(BrowserSettings(), SystemClock()).full_name("shop") == "shop"


async def test_a_display_or_a_browser_that_does_not_answer_is_listed_as_such() -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        browsers = BrowserProvider(BrowserSettings(cdp_url=address), SystemClock())
        (browser,) = await browsers.found()
        assert (browser.state, browser.detail.partition(":")[0]) == ("unusable", "No browser answers at http")
        listening.listen()
        assert [info.state for info in await browsers.found()] == ["ready"]
    (desktop,) = await DesktopProvider(DesktopSettings(display=":987"), SystemClock()).found()
    assert (desktop.state, desktop.detail) == (
        "unusable",
        "No X server answers at :987: check DISPLAY and desktop.display.",
    )


async def test_a_broken_device_is_opened_again(pool: Pool) -> None:
    async with pool.lease_device("sim:a"):
        pass
    adb = pool._providers["sim"]._adb
    for phone_listed in await adb.list_phones():
        await adb.query_server(f"host:disconnect:{phone_listed.serial}")
    async with pool.lease_device("sim:a") as phone:
        assert (await phone.frame()).height == 2400


HOLDER = """
import fcntl, os, sys
file = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held_elsewhere(lock: Path) -> Iterator[subprocess.Popen[bytes]]:
    """By another process, for as long as that lives."""
    lock.parent.mkdir(exist_ok=True)
    argv = [sys.executable, "-c", HOLDER, str(lock)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        holder.stdout.readline()
        try:
            yield holder
        finally:
            holder.kill()


async def test_another_process_keeps_us_out_until_it_dies(pool: Pool, tmp_path: Path) -> None:
    with held_elsewhere(tmp_path / "locks" / "sim_a.lock") as holder:
        with pytest.raises(DeviceBusy):
            async with pool.lease_device("sim:a", wait_s=0.1):
                pass
        holder.kill()
        async with pool.lease_device("sim:a", wait_s=30) as phone:
            assert (await phone.frame()).width == 1080


async def test_what_another_process_has_is_listed_as_busy(pool: Pool, tmp_path: Path) -> None:
    with held_elsewhere(tmp_path / "locks" / "sim.lock") as holder:
        assert [info.state for info in await pool.list_devices()] == ["busy"]
        holder.kill()
        holder.wait()
        assert [info.state for info in await pool.list_devices()] == ["ready"]


async def test_a_lock_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "locks").write_text("in the way")
    pool = make_pool(tmp_path)
    with pytest.raises(DeviceSetup, match="can't be locked in"):
        async with pool.lease_device("sim:a"):
            pass
    await pool.close()
