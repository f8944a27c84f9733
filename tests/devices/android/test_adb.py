"""The adb client against the real adb server and a simulated phone behind it."""

import asyncio
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from deskhand.core.errors import ActionFailed, DeviceGone, DeviceOffline, DeviceSetup, DeviceTimeout, DeviceUnauthorized
from deskhand.devices.android.adb.binary import find_adb
from deskhand.devices.android.adb.client import AdbClient, ListedPhone, fault_of, parse_listing
from deskhand.devices.android.adb.smart_socket import ShellResult
from deskhand.settings.schema import AdbSettings
from tests.devices.conftest import Plug, free_port
from tests.promptness import AT_ONCE_S


async def test_the_server_says_what_is_connected(adb_client: AdbClient, plug: Plug) -> None:
    sim = await plug()
    assert ListedPhone(sim.address, "device", "SimPhone") in await adb_client.list_phones()
    assert await adb_client.read_state(sim.address) == "device"


async def test_a_shell_command_gives_output_errors_and_exit_code_apart(adb_client: AdbClient, plug: Plug) -> None:
    sim = await plug()
    result = await adb_client.run_shell(sim.address, "echo out; echo err >&2; cat /nowhere; exit 7")
    assert result.stdout == b"out\n"
    assert result.stderr.startswith(b"err\n")
    assert result.code == 7


async def test_exec_gives_raw_bytes(adb_client: AdbClient, plug: Plug) -> None:
    sim = await plug()
    assert (await adb_client.run_exec(sim.address, "screencap -p")).startswith(b"\x89PNG\r\n\x1a\n")


async def test_a_cancelled_call_ends_at_once_and_the_next_one_works(adb_client: AdbClient, plug: Plug) -> None:
    sim = await plug()
    call = asyncio.create_task(adb_client.run_shell(sim.address, "sleep 60"))
    await asyncio.wait([call], timeout=0.1)
    began = time.monotonic()
    call.cancel()
    await asyncio.wait([call])
    assert call.cancelled()
    assert time.monotonic() - began < AT_ONCE_S
    assert (await adb_client.run_shell(sim.address, "echo on")).text == "on\n"


async def test_calls_run_side_by_side(adb_client: AdbClient, plug: Plug) -> None:
    sim = await plug()
    slow = asyncio.create_task(adb_client.run_shell(sim.address, "sleep 20"))
    results = await asyncio.gather(*(adb_client.run_shell(sim.address, f"echo {n}") for n in range(20)))
    assert [result.text.strip() for result in results] == [str(n) for n in range(20)]
    assert not slow.done()
    slow.cancel()


async def test_a_command_that_takes_too_long_is_a_time_out(adb_client: AdbClient, plug: Plug) -> None:
    sim = await plug()
    with pytest.raises(DeviceTimeout, match=r"0\.1 seconds \(sleep 60\)"):
        await adb_client.run_shell(sim.address, "sleep 60", timeout=0.1)


async def test_an_unknown_phone_is_gone(adb_client: AdbClient) -> None:
    with pytest.raises(DeviceGone, match="nobody is not connected any more"):
        await adb_client.run_shell("nobody", "true")


async def test_an_unauthorized_phone_says_what_to_do(adb_client: AdbClient, plug: Plug) -> None:
    sim = await plug("unauthorized")
    with pytest.raises(DeviceUnauthorized, match="accept the prompt"):
        await adb_client.connect_address(sim.address)
    with pytest.raises(DeviceUnauthorized, match="accept the prompt"):
        await adb_client.run_shell(sim.address, "true")


async def test_a_phone_that_breaks_off_in_the_middle_is_gone(adb_client: AdbClient, plug: Plug) -> None:
    sim = await plug()
    sim.phone.conditions.add("drop-once")
    with pytest.raises((DeviceGone, DeviceOffline)):
        await adb_client.run_shell(sim.address, "echo hello")


async def test_an_address_where_nothing_listens_is_offline(adb_client: AdbClient) -> None:
    with pytest.raises(DeviceOffline, match="No phone answers at"):
        await adb_client.connect_address("127.0.0.1:1")


# --- the server itself --------------------------------------------------------------------------------------------


async def test_a_server_that_does_not_run_is_started_once_for_all_callers(adb_settings: AdbSettings) -> None:
    settings = AdbSettings(port=free_port(), path=adb_settings.path)
    client = AdbClient(settings)
    try:
        assert await asyncio.gather(client.list_phones(), client.list_phones(), client.list_phones()) == [[], [], []]
    finally:
        subprocess.run([str(adb_settings.path), "-P", str(settings.port), "kill-server"], check=True, timeout=20)


async def test_a_missing_adb_is_said_in_one_sentence() -> None:
    client = AdbClient(AdbSettings(port=free_port(), path=Path("/nowhere/adb")))
    with pytest.raises(DeviceSetup, match="There is no adb program at /nowhere/adb"):
        await client.list_phones()


async def test_an_adb_that_can_not_start_a_server_is_quoted(tmp_path: Path) -> None:
    broken = tmp_path / "adb"
    broken.write_text("#!/bin/sh\necho 'cannot bind' >&2\nexit 1\n")
    broken.chmod(0o755)
    client = AdbClient(AdbSettings(port=free_port(), path=broken))
    with pytest.raises(DeviceSetup, match="cannot bind"):
        await client.list_phones()


async def test_an_adb_that_starts_nothing_is_found_out(tmp_path: Path) -> None:
    idle = tmp_path / "adb"
    idle.write_text("#!/bin/sh\nexit 0\n")
    idle.chmod(0o755)
    with pytest.raises(DeviceSetup, match="does not answer"):
        await AdbClient(AdbSettings(port=free_port(), path=idle)).list_phones()


async def test_a_server_on_another_host_is_not_started_here() -> None:
    client = AdbClient(AdbSettings(host="127.0.0.2", port=free_port()))
    with pytest.raises(DeviceSetup, match=r"No adb server answers at 127\.0\.0\.2"):
        await client.list_phones()


@asynccontextmanager
async def a_server_that_says(greeting: bytes) -> AsyncIterator[AdbSettings]:
    """Something that is no adb server: it says one thing and hangs up."""
    served = asyncio.Event()

    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
        served.set()

    async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
        yield AdbSettings(port=server.sockets[0].getsockname()[1])
        await served.wait()


async def test_something_else_on_the_port_is_no_adb_server() -> None:
    async with a_server_that_says(b"SSH-2.0-OpenSSH_9.2\r\n") as settings:
        with pytest.raises(ActionFailed, match="is no adb server"):
            await AdbClient(settings).list_phones()


async def test_an_answer_of_no_known_length_is_no_adb_server() -> None:
    async with a_server_that_says(b"OKAYwhat") as settings:
        with pytest.raises(ActionFailed, match="is no adb server"):
            await AdbClient(settings).list_phones()


async def test_a_server_that_hangs_up_is_said_to_have_gone() -> None:
    async with a_server_that_says(b"") as settings:
        with pytest.raises(DeviceGone, match="adb server stopped"):
            await AdbClient(settings).list_phones()


async def test_a_host_name_that_does_not_exist_is_said() -> None:
    with pytest.raises(DeviceSetup, match=r"No adb server answers at nowhere\.invalid"):
        await AdbClient(AdbSettings(host="nowhere.invalid")).list_phones()


def test_the_adb_inside_adbutils_is_found_without_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert find_adb(AdbSettings()).parts[-3:] == ("adbutils", "binaries", "adb")


# --- reading adb's words ------------------------------------------------------------------------------------------


def test_a_listing_is_read_with_all_its_states() -> None:
    text = (
        "R58M12 device usb:1-2 product:starlte model:SM_G960F device:starlte transport_id:3\n"
        "emulator-5554          offline transport_id:1\n"
        "9A231 unauthorized usb:1-4 transport_id:7\n"
        "0123 no permissions (missing udev rules? user is in the plugdev group); see [http://x.y/z] usb:3-1\n"
        "192.168.1.5:5555 authorizing transport_id:9\n\n"
    )
    assert parse_listing(text) == [
        ListedPhone("R58M12", "device", "SM G960F"),
        ListedPhone("emulator-5554", "offline"),
        ListedPhone("9A231", "unauthorized"),
        ListedPhone("0123", "no permissions"),
        ListedPhone("192.168.1.5:5555", "authorizing"),
    ]


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set", DeviceUnauthorized),
        ("device still authorizing", DeviceUnauthorized),
        ("device still connecting", DeviceOffline),
        ("device offline", DeviceOffline),
        ("insufficient permissions for device: verify udev rules", DeviceSetup),
        ("no permissions", DeviceSetup),
        ("device 'x' not found", DeviceGone),
        ("recovery", DeviceOffline),
        ("closed", DeviceGone),
    ],
)
def test_every_state_is_a_typed_error_with_a_sentence(said: str, fault: type[Exception]) -> None:
    trouble = fault_of("R58M12", said)
    assert type(trouble) is fault
    assert "R58M12" in str(trouble)
    assert str(trouble).endswith(".")


def test_a_complaint_is_one_line_without_java_frames() -> None:
    result = ShellResult(b"", b"\nException occurred:\njava.lang.X: no\n\tat a.b(C.java:1)\n", 255)
    assert result.complaint == "Exception occurred: java.lang.X: no"
    assert ShellResult(b"", b"", 3).complaint == "exit code 3"
