"""The real adb binary connects, lists the phone, and is refused in words where the phone refuses."""

import asyncio
import json
import urllib.request

import pytest

from deskhand.simphone.adb.phone_server import SimPhone, serve_phone
from deskhand.simphone.phone import Phone
from tests.conftest import Adb, ConnectedPhone


async def test_a_connected_phone_is_listed_with_its_names(sim: ConnectedPhone) -> None:
    _, out, _ = await sim.adb.run("devices", "-l")
    line = next(line for line in out.splitlines() if line.startswith(sim.serial))
    assert "device product:simphone model:SimPhone device:simphone" in line


async def test_only_what_is_implemented_is_advertised(sim: ConnectedPhone) -> None:
    _, out, _ = await sim.adb_run("features")
    assert set(out.split()) == {"shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir", "sendrecv_v2"}


async def test_a_phone_that_closes_goes_offline(adb: Adb) -> None:
    async with SimPhone(Phone()) as server:
        await adb.run("connect", server.address)
        connected = ConnectedPhone(server.phone, server, adb)
        await connected.becomes("device")
    await connected.becomes("offline")
    await adb.run("disconnect", server.address)


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("root", "adbd cannot run as root in production builds"),
        ("remount", "Not running as root"),
        ("reboot", "reboot refused"),
        ("tcpip 6000", "tcpip refused"),
    ],
)
async def test_what_would_change_the_phone_itself_is_refused_in_words(
    sim: ConnectedPhone, command: str, answer: str
) -> None:
    _, out, err = await sim.adb_run(*command.split())
    assert answer in out + err
    assert await sim.devices_state() == "device"


async def test_an_unknown_service_is_closed_at_once(sim: ConnectedPhone) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", sim.adb.port)
    for request in (f"host:transport:{sim.serial}", "no-such-service:"):
        writer.write(f"{len(request):04x}{request}".encode())
        answer = await reader.readexactly(4)
    assert answer == b"FAIL"
    writer.close()
    await writer.wait_closed()


@pytest.mark.parametrize("options", [[], ["--no-streaming"]])
async def test_installing_is_refused_politely(sim: ConnectedPhone, options: list[str], tmp_path) -> None:
    apk = tmp_path / "x.apk"
    apk.write_bytes(bytes(3_000_000))
    code, out, err = await sim.adb_run("install", *options, str(apk))
    assert code == 1
    assert "Failure [INSTALL_FAILED_USER_RESTRICTED: Install canceled by user]" in out + err


async def test_installing_a_split_package_is_refused_too(sim: ConnectedPhone, tmp_path) -> None:
    apk = tmp_path / "x.apk"
    apk.write_bytes(bytes(100))
    code, out, err = await sim.adb_run("install-multiple", str(apk), str(apk))
    assert code == 1
    assert "failed to create session" in out + err


async def test_uninstalling_is_refused(sim: ConnectedPhone) -> None:
    code, out, _ = await sim.adb_run("uninstall", "com.tencent.mm")
    assert (code, out.strip()) == (1, "Failure [DELETE_FAILED_USER_RESTRICTED]")


async def test_state_can_be_read_over_adb_and_over_http(sim: ConnectedPhone) -> None:
    over_adb = json.loads(await sim.out("deskhand-state"))
    over_http = json.loads(await asyncio.to_thread(fetch, sim.port, "GET", "/state"))
    assert over_adb["foreground"] == over_http["foreground"] == sim.phone.read_state()["foreground"]


async def test_conditions_can_be_changed_over_http_even_when_adb_is_refused(sim: ConnectedPhone) -> None:
    assert json.loads(await asyncio.to_thread(fetch, sim.port, "PUT", "/conditions/offline")) == ["offline"]
    await sim.becomes("offline")
    assert json.loads(await asyncio.to_thread(fetch, sim.port, "DELETE", "/conditions/offline")) == []
    await sim.becomes("device")


async def test_an_unknown_http_path_says_what_there_is(sim: ConnectedPhone) -> None:
    with pytest.raises(urllib.error.HTTPError) as caught:
        await asyncio.to_thread(fetch, sim.port, "PUT", "/conditions/tired")
    with caught.value as answer:
        assert answer.code == 404
        assert "never-idle" in json.loads(answer.read())["conditions"]


def fetch(port: int, method: str, path: str) -> bytes:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", method=method)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.read()


async def test_serve_runs_until_it_is_cancelled() -> None:
    ready: asyncio.Future[SimPhone] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(serve_phone(Phone(), 0, ready.set_result))
    server = await asyncio.wait_for(ready, 10)
    assert b"foreground" in await asyncio.to_thread(fetch, server.port, "GET", "/state")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_host_that_talks_nonsense_is_dropped() -> None:
    async with SimPhone(Phone()) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"nonsense" * 20)
        assert await asyncio.wait_for(reader.read(), 10) == b""
        writer.close()
        await writer.wait_closed()
