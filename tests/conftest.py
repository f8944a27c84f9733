"""What many suites share: a real adb server of the session's own, and a simulated phone connected to it."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import adbutils
import pytest
from hypothesis import HealthCheck, settings

from deskhand.simphone.adb.phone_server import SimPhone
from deskhand.simphone.phone import Phone
from tests.network import only_loopback

__all__ = ["only_loopback"]

# How long an example takes says more of the machine than of the code.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

ADB = Path(adbutils.__file__).parent / "binaries" / "adb"


@dataclass(frozen=True)
class Adb:
    """The adb binary, talking to a private server."""

    path: str
    port: int

    async def run_bytes(self, *args: str, stdin: bytes = b"", timeout: float = 60) -> tuple[int, bytes, str]:
        process = await asyncio.create_subprocess_exec(
            self.path, "-P", str(self.port), *args,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            async with asyncio.timeout(timeout):
                out, err = await process.communicate(stdin)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert process.returncode is not None
        return process.returncode, out, err.decode()

    async def run(self, *args: str, stdin: bytes = b"", timeout: float = 60) -> tuple[int, str, str]:
        code, out, err = await self.run_bytes(*args, stdin=stdin, timeout=timeout)
        return code, out.decode(errors="replace"), err


@dataclass(frozen=True)
class ConnectedPhone:
    """A simulated phone that adb lists under `serial`."""

    phone: Phone
    sim: SimPhone
    adb: Adb

    @property
    def serial(self) -> str:
        return self.sim.address

    @property
    def port(self) -> int:
        return self.sim.port

    async def adb_run(self, *args: str, stdin: bytes = b"") -> tuple[int, str, str]:
        return await self.adb.run("-s", self.serial, *args, stdin=stdin)

    async def shell(self, line: str, stdin: bytes = b"") -> tuple[int, str, str]:
        return await self.adb_run("shell", line, stdin=stdin)

    async def out(self, line: str) -> str:
        """A line's standard output, when it must succeed."""
        code, out, err = await self.shell(line)
        assert code == 0, f"{line!r} ended with {code}: {out}{err}"
        return out

    async def devices_state(self) -> str:
        _, out, _ = await self.adb.run("devices")
        return next((line.split("\t")[1] for line in out.splitlines() if line.startswith(self.serial)), "gone")

    async def becomes(self, state: str, seconds: float = 30) -> None:
        """Wait until `adb devices` shows the phone in this state."""
        await eventually(self._in_state(state), seconds)

    def _in_state(self, state: str) -> Callable[[], Awaitable[bool]]:
        async def check() -> bool:
            return await self.devices_state() == state

        return check


async def eventually(check: Callable[[], Awaitable[bool]], seconds: float = 30) -> None:
    async with asyncio.timeout(seconds):
        while not await check():
            await asyncio.sleep(0.02)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_it_listens(port: int, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while True:
        assert server.poll() is None, "the adb server ended"
        assert time.monotonic() < deadline, "the adb server did not start"
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            time.sleep(0.02)


@pytest.fixture(scope="session")
def adb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Adb]:
    """Its own port, its own home (keys), no look at USB, mDNS or emulators."""
    port = _free_port()
    home = tmp_path_factory.mktemp("adb-home")
    quiet = {"HOME": str(home), "ADB_USB": "0", "ADB_MDNS": "0", "ADB_EMU": "0"}
    server = subprocess.Popen(
        [str(ADB), "-P", str(port), "nodaemon", "server"],
        env=os.environ | quiet,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_until_it_listens(port, server)
        yield Adb(str(ADB), port)
    finally:
        subprocess.run([str(ADB), "-P", str(port), "kill-server"], capture_output=True, check=False)
        try:
            server.wait(5)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


@pytest.fixture
async def sim(adb: Adb) -> AsyncIterator[ConnectedPhone]:
    """A fresh simulated phone, connected."""
    async with SimPhone(Phone()) as server:
        code, out, err = await adb.run("connect", server.address)
        assert code == 0, out + err
        assert out.startswith("connected"), out
        connected = ConnectedPhone(server.phone, server, adb)
        try:
            yield connected
        finally:
            await adb.run("disconnect", server.address)
