"""Runs an adb server of our own on a free port, which ends with us: the user's own server is never touched."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from deskhand.core.errors import DeviceSetup
from deskhand.core.protocols import Clock
from deskhand.devices.android.adb.binary import find_adb
from deskhand.devices.process_reaper import Child, ProcessReaper
from deskhand.settings.environment import read_session_environment
from deskhand.settings.schema import AdbSettings

READY_S = 15.0
LOOK_AGAIN_S = 0.01
# It only serves addresses that we connect ourselves. Its scan for USB devices would delay the first
# connection by 3 seconds, and the other two scans would find phones that are not ours.
NO_SCANS = {"ADB_USB": "0", "ADB_MDNS": "0", "ADB_EMU": "0"}


@asynccontextmanager
async def run_private_server(settings: AdbSettings, clock: Clock) -> AsyncGenerator[AdbSettings, None]:
    """Yield the settings to reach the server with; it ends with the block, and with this process, kill -9 included."""
    adb = await asyncio.to_thread(find_adb, settings)
    keeper = ProcessReaper()
    try:
        await keeper.start_reaper()
        port = _find_free_port()
        child = await keeper.launch_process(
            [str(adb), "-P", str(port), "nodaemon", "server"], read_session_environment() | NO_SCANS
        )
        await _wait_until_ready(child, port, clock)
        yield AdbSettings(host="127.0.0.1", port=port, path=adb)
    finally:
        await keeper.close()


def _find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _wait_until_ready(child: Child, port: int, clock: Clock) -> None:
    deadline = clock.now() + READY_S
    while child.alive and clock.now() < deadline:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except ConnectionRefusedError:
            await clock.sleep(LOOK_AGAIN_S)
        else:
            writer.close()
            return
    raise DeviceSetup(f"The private adb server could not be started: {child.read_complaint() or 'it gave no reason'}.")
