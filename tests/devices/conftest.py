"""A real adb server of the test session's own, and simulated phones that are plugged into it."""

import os
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, suppress

import pytest
import pytest_asyncio

from deskhand.clock import SystemClock
from deskhand.core.errors import DeviceError
from deskhand.devices.android.adb.binary import find_adb
from deskhand.devices.android.adb.client import AdbClient
from deskhand.devices.android.device import AndroidDevice, attach_phone
from deskhand.settings.schema import AdbSettings
from deskhand.simphone.adb.phone_server import SimPhone
from deskhand.simphone.phone import Phone

NO_SCANS = {"ADB_USB": "0", "ADB_MDNS": "0", "ADB_EMU": "0"}

Plug = Callable[..., Awaitable[SimPhone]]
Attach = Callable[..., Awaitable[tuple[AndroidDevice, SimPhone]]]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_it_listens(port: int) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            assert time.monotonic() < deadline, "the adb server did not start"
            time.sleep(0.02)


@pytest.fixture(scope="session")
def adb_settings() -> Iterator[AdbSettings]:
    port = free_port()
    adb = find_adb(AdbSettings())
    server = subprocess.Popen(
        [adb, "-P", str(port), "nodaemon", "server"],
        env=os.environ | NO_SCANS,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until_it_listens(port)
        yield AdbSettings(port=port, path=adb)
    finally:
        server.kill()
        server.wait()


@pytest.fixture
def adb_client(adb_settings: AdbSettings) -> AdbClient:
    return AdbClient(adb_settings)


@pytest_asyncio.fixture
async def plug(adb_client: AdbClient) -> AsyncIterator[Plug]:
    """Plug in a simulated phone: `await plug("rotated", locale="zh")`; unplugged at the end of the test."""
    async with AsyncExitStack() as stack:

        async def plugged(*conditions: str, locale: str = "en", name: str = "phone") -> SimPhone:
            sim = await stack.enter_async_context(SimPhone(Phone(name, conditions=conditions, locale=locale)))

            async def unplug() -> None:
                with suppress(DeviceError):
                    await adb_client.query_server(f"host:disconnect:{sim.address}")

            stack.push_async_callback(unplug)
            if not {"unauthorized", "offline"} & set(conditions):
                await adb_client.connect_address(sim.address)
            return sim

        yield plugged


@pytest_asyncio.fixture
async def attach(plug: Plug, adb_client: AdbClient) -> AsyncIterator[Attach]:
    """A simulated phone and the device that works it."""
    devices: list[AndroidDevice] = []

    async def attached(*conditions: str, app: str = "", **looks: str) -> tuple[AndroidDevice, SimPhone]:
        sim = await plug(*conditions, **looks)
        if app:
            sim.phone.apps.launch_app(app)
        device = await attach_phone(sim.address, adb=adb_client, clock=SystemClock())
        devices.append(device)
        return device, sim

    yield attached
    for device in devices:
        await device.close()
