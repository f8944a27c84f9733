"""An asyncio client of the adb server: lists and connects phones, runs commands on them.

Every call opens its own socket, so calls run in parallel, have a time-out, and end at once when cancelled.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from deskhand.core.errors import (
    ActionFailed,
    DeviceError,
    DeviceGone,
    DeviceOffline,
    DeviceSetup,
    DeviceTimeout,
    DeviceUnauthorized,
)
from deskhand.devices.android.adb.binary import start_server
from deskhand.devices.android.adb.smart_socket import AdbClosed, AdbRefused, AdbSocket, ShellResult
from deskhand.settings.schema import AdbSettings

SHORT_S = 5.0
SHELL_S = 30.0
# How many pictures come through the server at once. More would only share its time until all of them were late.
# Waiting for a turn is not the phone's fault and does not count towards a time-out.
PICTURES = 16

READY = "device"
# adb's word for each state, in its listing or in a refusal, and what the user has to do about it.
STATES: dict[str, tuple[type[DeviceError], str]] = {
    "unauthorized": (DeviceUnauthorized, "has not authorized this computer: accept the prompt on its screen"),
    "authorizing": (DeviceUnauthorized, "asks to authorize this computer: accept the prompt on its screen"),
    "connecting": (DeviceOffline, "is still connecting: try again in a moment"),
    "offline": (DeviceOffline, "is offline: unplug it and plug it in again, or reconnect it"),
    "no permissions": (DeviceSetup, "is blocked for this user: install the udev rules for Android phones"),
    "insufficient permissions": (DeviceSetup, "is blocked for this user: install the udev rules for Android phones"),
    "recovery": (DeviceOffline, "is in recovery mode: restart it"),
    "sideload": (DeviceOffline, "is in sideload mode: restart it"),
    "bootloader": (DeviceOffline, "is in its bootloader: restart it"),
    "closed": (DeviceGone, "closed the connection: plug it in or connect it again"),
    "not found": (DeviceGone, "is not connected any more: plug it in or connect it again"),
}


@dataclass(frozen=True, slots=True)
class ListedPhone:
    """A phone as the server lists it; `state` is adb's own word, `device` if it can be used."""

    serial: str
    state: str
    model: str = ""

    @property
    def fault(self) -> DeviceError | None:
        return None if self.state == READY else fault_of(self.serial, self.state)


def fault_of(serial: str, said: str) -> DeviceError:
    """Return the fault for a state or a refusal in adb's words."""
    about_the_phone = said in STATES or said.startswith(("device", "insufficient permissions"))
    for word, (fault, advice) in STATES.items():
        if about_the_phone and word in said:
            return fault(f"The phone {serial} {advice}.")
    return ActionFailed(f"adb refused for the phone {serial}: {said}.")


def parse_listing(text: str) -> list[ListedPhone]:
    """Parse `host:devices-l`: serial, state (which may hold blanks), then key:value pairs."""
    found: list[ListedPhone] = []
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
        found.append(ListedPhone(serial, "no permissions" if state.startswith("no permissions") else state, model))
    return found


class AdbClient:
    """Talks to the adb server that the settings name, and starts it if it does not run."""

    def __init__(self, settings: AdbSettings | None = None) -> None:
        self.settings = settings or AdbSettings()
        self._starting = asyncio.Lock()
        self.pictures = asyncio.Semaphore(PICTURES)

    async def list_phones(self) -> list[ListedPhone]:
        return parse_listing((await self.query_server("host:devices-l")).decode("utf-8", "replace"))

    async def connect_address(self, address: str, timeout: float = SHELL_S) -> str:
        """Connect a phone over Wi-Fi (`host:port`) and return its serial. Raises DeviceOffline if nothing answers."""
        said = (await self.query_server(f"host:connect:{address}", timeout)).decode("utf-8", "replace").strip()
        if not said.startswith(("connected to", "already connected to")):
            if "failed to authenticate" in said:
                raise fault_of(address, "unauthorized")
            raise DeviceOffline(
                f"No phone answers at {address}: turn on wireless debugging on it and check the address ({said})."
            )
        return said.rpartition(" to ")[2]

    async def read_state(self, serial: str) -> str:
        """Return adb's word for the phone's state; raises DeviceGone if adb knows no such phone."""
        return (await self.query_server(f"host-serial:{serial}:get-state", serial=serial)).decode()

    async def run_shell(
        self, serial: str, command: str, timeout: float = SHELL_S, on_sent: Callable[[], None] | None = None
    ) -> ShellResult:
        """Run a command line on the phone; `on_sent` is called when it leaves."""
        async with self.open_stream(serial, f"shell,v2,raw:{command}", timeout, on_sent) as adb_socket:
            return await adb_socket.read_shell_result()

    async def run_exec(self, serial: str, command: str, timeout: float = SHELL_S) -> bytes:
        """Run a command and return its output as raw bytes, without exit code."""
        async with self.open_stream(serial, f"exec:{command}", timeout) as adb_socket:
            return await adb_socket.read_rest()

    @asynccontextmanager
    async def open_stream(
        self, serial: str, service: str, timeout: float, on_sent: Callable[[], None] | None = None
    ) -> AsyncGenerator[AdbSocket]:
        """Open a stream to a service of the phone; it is closed at the end of the block in any case."""
        # Two words name a command; the rest may be a secret that is being typed.
        doing = " ".join(service.partition(":")[2].split()[:2]) or service
        async with self._open_socket(timeout, doing, serial) as adb_socket:
            await adb_socket.request_service(f"host:transport:{serial}")
            if on_sent:
                on_sent()
            await adb_socket.request_service(service)
            yield adb_socket

    async def query_server(self, service: str, timeout: float = SHORT_S, serial: str = "") -> bytes:
        async with self._open_socket(timeout, service, serial) as adb_socket:
            await adb_socket.request_service(service)
            return await adb_socket.read_block()

    @asynccontextmanager
    async def _open_socket(self, timeout: float, doing: str, serial: str = "") -> AsyncGenerator[AdbSocket]:
        """Open a socket to the server; every failure in the block is raised as a DeviceError."""
        adb_socket = await self._connect_or_start()
        try:
            async with asyncio.timeout(timeout):
                yield adb_socket
        except TimeoutError:
            who = f"The phone {serial}" if serial else "The adb server"
            raise DeviceTimeout(f"{who} timed out after {timeout:g} seconds ({doing}).") from None
        except AdbRefused as refusal:
            raise fault_of(serial, str(refusal)) if serial else ActionFailed(f"adb refused: {refusal}.") from None
        except (AdbClosed, ConnectionError):
            phone = f"The phone {serial} disconnected ({doing}): plug it in or connect it again."
            server = f"The adb server stopped ({doing}): try again, which starts it."
            raise DeviceGone(phone if serial else server) from None
        finally:
            adb_socket.close()

    async def _connect_or_start(self) -> AdbSocket:
        try:
            return await self._connect_once()
        except ConnectionRefusedError:
            async with self._starting:
                try:
                    return await self._connect_once()  # another call may have started it meanwhile
                except ConnectionRefusedError:
                    await start_server(self.settings)
        try:
            return await self._connect_once()
        except ConnectionRefusedError:
            raise DeviceSetup(
                f"The adb server was started but does not answer on port {self.settings.port}: "
                "set adb.port in the settings to a free port."
            ) from None

    async def _connect_once(self) -> AdbSocket:
        settings = self.settings
        try:
            async with asyncio.timeout(SHORT_S):
                return await AdbSocket.connect_to(settings.host, settings.port)
        except ConnectionRefusedError:
            raise
        except (TimeoutError, OSError) as error:
            reason = str(error) or "no answer"
            raise DeviceSetup(
                f"No adb server answers at {settings.host}:{settings.port} ({reason}): "
                "correct adb.host and adb.port in the settings."
            ) from None
