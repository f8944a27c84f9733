"""Many streams on one phone and many phones in one process."""

import asyncio
import os
import struct
import time
from contextlib import AsyncExitStack
from pathlib import Path

from deskhand.simphone.adb import transport
from deskhand.simphone.adb.phone_server import SimPhone
from deskhand.simphone.phone import Phone
from tests.conftest import Adb, ConnectedPhone


async def test_streams_do_not_wait_for_each_other(sim: ConnectedPhone) -> None:
    began = time.monotonic()
    sleeper = asyncio.create_task(sim.shell("sleep 5; echo slept"))
    answers = await asyncio.gather(*(sim.shell(f"echo {number}") for number in range(8)))
    assert [out for _, out, _ in answers] == [f"{number}\n" for number in range(8)]
    assert time.monotonic() - began < 5
    assert not sleeper.done()
    sleeper.cancel()
    await asyncio.gather(sleeper, return_exceptions=True)


async def test_a_killed_shell_ends_on_the_phone_too(sim: ConnectedPhone) -> None:
    files = sim.sim.system.files
    task = asyncio.create_task(sim.shell("echo > /sdcard/began; sleep 1; echo > /sdcard/late"))
    async with asyncio.timeout(30):
        while not files.has_path("/sdcard/began"):
            await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await asyncio.sleep(1.2)
    assert not files.has_path("/sdcard/late")


async def test_captures_pushes_and_taps_run_side_by_side(sim: ConnectedPhone, tmp_path: Path) -> None:
    sent = tmp_path / "sent"
    sent.write_bytes(os.urandom(2_000_000))
    raw, png, pushed, *taps = await asyncio.gather(
        sim.adb.run_bytes("-s", sim.serial, "exec-out", "screencap"),
        sim.adb.run_bytes("-s", sim.serial, "exec-out", "screencap -p"),
        sim.adb_run("push", str(sent), "/sdcard/sent"),
        *(sim.shell("input tap 540 1200") for _ in range(4)),
    )
    assert len(raw[1]) == 16 + 1080 * 2400 * 4
    assert png[1].startswith(b"\x89PNG")
    assert sim.sim.system.files.read_file("/sdcard/sent") == sent.read_bytes()
    assert [code for code, _, _ in (pushed, *taps)] == [0] * 5


async def test_sixteen_phones_live_in_one_process(adb: Adb) -> None:
    async with AsyncExitStack() as stack:
        servers = [await stack.enter_async_context(SimPhone(Phone(f"phone-{n}"))) for n in range(16)]
        phones = [ConnectedPhone(server.phone, server, adb) for server in servers]
        await asyncio.gather(*(adb.run("connect", phone.serial) for phone in phones))
        serials = await asyncio.gather(*(phone.out("getprop ro.serialno") for phone in phones))
        assert [serial.strip() for serial in serials] == [phone.phone.serial_number for phone in phones]
        assert len(set(serials)) == 16
        captures = await asyncio.gather(
            *(adb.run_bytes("-s", phone.serial, "exec-out", "screencap") for phone in phones)
        )
        assert {len(data) for _, data, _ in captures} == {16 + 1080 * 2400 * 4}
        await asyncio.gather(*(adb.run("disconnect", phone.serial) for phone in phones))


async def packet(reader: asyncio.StreamReader) -> transport.Packet:
    return await asyncio.wait_for(transport.read_packet(reader), 10)


async def test_a_host_of_the_first_protocol_gets_checksums_and_small_packets() -> None:
    async with SimPhone(Phone()) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)

        def send(command: int, arg0: int, arg1: int, data: bytes = b"") -> None:
            header = (command, arg0, arg1, len(data), sum(data), command ^ 0xFFFFFFFF)
            writer.write(transport.HEADER.pack(*header) + data)

        send(transport.CNXN, transport.VERSION_MIN, 4096, b"host::\0")
        assert (await packet(reader)).data.startswith(b"device::ro.product.name=simphone;")
        send(transport.OPEN, 1, 0, b"exec:screencap\0")
        opened = await packet(reader)
        assert (opened.command, opened.arg1) == (transport.OKAY, 1)
        header = await asyncio.wait_for(reader.readexactly(transport.HEADER.size), 10)
        command, phone_id, _, length, checksum, _ = transport.HEADER.unpack(header)
        data = await reader.readexactly(length)
        assert (command, checksum) == (transport.WRTE, sum(data))
        assert struct.unpack_from("<2I", data) == (1080, 2400)
        send(transport.OKAY, 1, phone_id)
        assert len((await packet(reader)).data) == 4096
        send(transport.CLSE, 1, phone_id)
        assert (await packet(reader)).command == transport.CLSE
        send(transport.WRTE, 7, 99, b"to nobody")
        assert (await packet(reader))[:3] == (transport.CLSE, 0, 7)
        send(transport.OPEN, 2, 0, b"tcp:22\0")
        assert (await packet(reader))[:3] == (transport.CLSE, 0, 2)
        writer.close()
        await writer.wait_closed()
