"""An asyncio client of the adb server: lists phones, runs commands on them, moves files, forwards ports.

Every call opens its own socket, so calls run side by side, have a time-out, and end at once when cancelled.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from deskhand.core.errors import (
    ActionFailed,
    DeviceFault,
    DeviceGone,
    DeviceOffline,
    DeviceSetup,
    DeviceTimeout,
    DeviceUnauthorized,
)
from deskhand.devices.android.adb import file_transfer
from deskhand.devices.android.adb.binary import start_server
from deskhand.devices.android.adb.file_transfer import FileStat
from deskhand.devices.android.adb.smart_socket import Ended, Refused, ShellResult, Wire
from deskhand.settings.schema import AdbSettings

SHORT_S = 5.0
SHELL_S = 30.0
FILE_S = 120.0
# So many pictures come through the server at once. More would only share its time, until all of them came too late;
# waiting for one's turn is no fault of the phone's, and counts for no time-out.
PICTURES = 16

READY = "device"
# What adb calls each state, in its listing or in a refusal, and what the person has to do about it.
TROUBLES: dict[str, tuple[type[DeviceFault], str]] = {
    "unauthorized": (DeviceUnauthorized, "does not trust this computer yet: accept the prompt on its screen"),
    "authorizing": (DeviceUnauthorized, "is just asking for trust: accept the prompt on its screen and try again"),
    "connecting": (DeviceOffline, "is just being connected: try again in a moment"),
    "offline": (DeviceOffline, "is offline: unplug it and plug it in again, or reconnect it"),
    "no permissions": (DeviceSetup, "may not be opened by this user: install the udev rules for Android phones"),
    "insufficient permissions": (DeviceSetup, "may not be opened by this user: install udev rules for Android phones"),
    "recovery": (DeviceOffline, "is in recovery mode: restart it"),
    "sideload": (DeviceOffline, "is in sideload mode: restart it"),
    "bootloader": (DeviceOffline, "is in its bootloader: restart it"),
    "not found": (DeviceGone, "is not connected any more: plug it in or connect it again"),
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A phone as the server lists it; `state` is adb's own word, `device` when it can be used."""

    serial: str
    state: str
    model: str = ""

    @property
    def trouble(self) -> DeviceFault | None:
        return None if self.state == READY else trouble_of(self.serial, self.state)


def trouble_of(serial: str, said: str) -> DeviceFault:
    """The typed error for a state or a refusal in adb's words."""
    about_the_phone = said in TROUBLES or said.startswith(("device", "insufficient permissions"))
    for word, (fault, advice) in TROUBLES.items():
        if about_the_phone and word in said:
            return fault(f"The phone {serial} {advice}.")
    return ActionFailed(f"adb refused for the phone {serial}: {said}.")


def parse_listing(text: str) -> list[Listed]:
    """`host:devices-l`: serial, state (which may hold blanks), then key:value pairs."""
    found: list[Listed] = []
    for line in text.splitlines():
        serial, _, rest = line.strip().partition(" ")
        if not serial:
            continue
        state, model = rest.strip(), ""
        for word in rest.split():
            key, colon, value = word.partition(":")
            if colon and key in {"usb", "product", "model", "device", "transport_id"}:
                state = state.split(f"{key}:", 1)[0].strip()
                model = value.replace("_", " ") if key == "model" else model
        found.append(Listed(serial, "no permissions" if state.startswith("no permissions") else state, model))
    return found


class AdbClient:
    """The adb server that the settings name; started when it does not run."""

    def __init__(self, settings: AdbSettings | None = None) -> None:
        self.settings = settings or AdbSettings()
        self._starting = asyncio.Lock()
        self.pictures = asyncio.Semaphore(PICTURES)

    # --- the server -----------------------------------------------------------------------------------------

    async def version(self) -> int:
        return int(await self._ask("host:version"), 16)

    async def devices(self) -> list[Listed]:
        return parse_listing((await self._ask("host:devices-l")).decode("utf-8", "replace"))

    async def track(self) -> AsyncIterator[list[Listed]]:
        """All phones at once, and again each time one comes, goes or changes state."""
        async with self._line(None, "watching for phones") as wire:
            await wire.request("host:track-devices-l")
            while True:
                yield parse_listing((await wire.block()).decode("utf-8", "replace"))

    async def connect(self, address: str, timeout: float = SHELL_S) -> str:
        """Connect a phone by Wi-Fi (`host:port`); returns its serial. Raises DeviceOffline when nothing answers."""
        said = (await self._ask(f"host:connect:{address}", timeout)).decode("utf-8", "replace").strip()
        if not said.startswith(("connected to", "already connected to")):
            if "failed to authenticate" in said:
                raise trouble_of(address, "unauthorized")
            raise DeviceOffline(f"No phone can be connected at {address}: {said}.")
        return said.rpartition(" to ")[2]

    async def disconnect(self, address: str) -> None:
        await self._ask(f"host:disconnect:{address}")

    async def state(self, serial: str) -> str:
        """adb's word for the phone's state; raises DeviceGone when it knows no such phone."""
        return (await self._ask(f"host-serial:{serial}:get-state", serial=serial)).decode()

    async def forward(self, serial: str, remote: str, local: str = "tcp:0") -> int:
        """Forward a local TCP port (0: a free one) to `remote` on the phone; returns the port."""
        async with self._line(SHORT_S, f"forwarding {remote}", serial) as wire:
            await wire.request(f"host-serial:{serial}:forward:{local};{remote}")
            await wire.status()
            return int(await wire.block()) if local == "tcp:0" else int(local.removeprefix("tcp:"))

    async def unforward(self, serial: str, port: int) -> None:
        async with self._line(SHORT_S, f"ending the forward of port {port}", serial) as wire:
            await wire.request(f"host-serial:{serial}:killforward:tcp:{port}")

    # --- one phone --------------------------------------------------------------------------------------------

    async def shell(self, serial: str, command: str, timeout: float = SHELL_S) -> ShellResult:
        """Run a command line on the phone."""
        async with self.stream(serial, f"shell,v2,raw:{command}", timeout) as wire:
            return await wire.shell_result()

    async def exec_out(self, serial: str, command: str, timeout: float = SHELL_S) -> bytes:
        """A command's output as raw bytes, without exit code."""
        async with self.stream(serial, f"exec:{command}", timeout) as wire:
            return await wire.rest()

    @asynccontextmanager
    async def stream(self, serial: str, service: str, timeout: float) -> AsyncGenerator[Wire]:
        """A stream to any service of the phone; closed at the end of the block, whatever happens in it."""
        # Two words name a command; the rest may be a secret that is being typed.
        doing = " ".join(service.partition(":")[2].split()[:2]) or service
        async with self._line(timeout, doing, serial) as wire:
            await wire.request(f"host:transport:{serial}")
            await wire.request(service)
            yield wire

    async def stat(self, serial: str, path: str) -> FileStat:
        async with self.stream(serial, "sync:", SHORT_S) as wire:
            return await file_transfer.stat(wire, path)

    async def push(self, serial: str, path: str, data: bytes, mode: int = 0o644, timeout: float = FILE_S) -> None:
        """Write a file on the phone."""
        async with self.stream(serial, "sync:", timeout) as wire:
            await file_transfer.send(wire, path, data, mode, int(time.time()))

    async def pull(self, serial: str, path: str, timeout: float = FILE_S) -> bytes:
        """A file of the phone; raises ActionFailed when there is none."""
        async with self.stream(serial, "sync:", timeout) as wire:
            return await file_transfer.receive(wire, path)

    # --- the socket -------------------------------------------------------------------------------------------

    async def _ask(self, service: str, timeout: float = SHORT_S, serial: str = "") -> bytes:
        async with self._line(timeout, service, serial) as wire:
            await wire.request(service)
            return await wire.block()

    @asynccontextmanager
    async def _line(self, timeout: float | None, doing: str, serial: str = "") -> AsyncGenerator[Wire]:
        """A fresh socket, with every way it can fail told as a typed error."""
        wire = await self._dial()
        try:
            async with asyncio.timeout(timeout):
                yield wire
        except TimeoutError:
            who = f"The phone {serial}" if serial else "The adb server"
            raise DeviceTimeout(f"{who} did not answer within {timeout or 0:g} seconds ({doing}).") from None
        except Refused as refusal:
            raise trouble_of(serial, str(refusal)) if serial else ActionFailed(f"adb refused: {refusal}.") from None
        except (Ended, ConnectionError):
            who = f"The phone {serial} went away" if serial else "The adb server went away"
            raise DeviceGone(f"{who} in the middle of its work ({doing}).") from None
        finally:
            wire.close()

    async def _dial(self) -> Wire:
        try:
            return await self._connect()
        except ConnectionRefusedError:
            async with self._starting:
                try:
                    return await self._connect()  # another call may have started it meanwhile
                except ConnectionRefusedError:
                    await start_server(self.settings)
        try:
            return await self._connect()
        except ConnectionRefusedError:
            raise DeviceSetup(f"The adb server was started but does not answer on port {self.settings.port}.") from None

    async def _connect(self) -> Wire:
        settings = self.settings
        try:
            async with asyncio.timeout(SHORT_S):
                return await Wire.dial(settings.host, settings.port)
        except ConnectionRefusedError:
            raise
        except (TimeoutError, OSError) as error:
            reason = str(error) or "no answer"
            raise DeviceSetup(f"No adb server at {settings.host}:{settings.port}: {reason}.") from None
