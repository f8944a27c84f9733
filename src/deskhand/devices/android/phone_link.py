"""Brings a phone back whose connection broke. What was under way when it broke is up to the callers."""

import asyncio
import contextlib
import re

from deskhand.core.errors import DeviceError, DeviceGone, DeviceOffline, DeviceUnauthorized
from deskhand.core.protocols import Clock
from deskhand.devices.android.adb.client import READY, AdbClient

# A cable that slips and a Wi-Fi that roams are back within seconds; a phone that restarts is not waited for.
BACK_S = 10.0
STALE_S = 5.0
POLL_S = 0.1
ADDRESS = re.compile(r"\S+:\d+")

BROKEN = (DeviceGone, DeviceOffline)


class PhoneLink:
    """The connection of one phone. After it was waited for in vain, it is looked for only once a call."""

    def __init__(self, adb: AdbClient, serial: str, clock: Clock) -> None:
        self._adb = adb
        self._serial = serial
        self._clock = clock
        self._turn = asyncio.Lock()
        self._lost = False

    async def restore_connection(self, fault: DeviceError) -> None:
        """Return when the phone answers again; raises `fault` if it does not come back in time."""
        async with self._turn:
            began, renewed = self._clock.now(), False
            while not await self._is_back():
                passed = self._clock.now() - began
                if self._lost or passed >= BACK_S:
                    self._lost = True
                    raise fault
                if passed >= STALE_S and not renewed:
                    # adb may keep a dead line and call it offline: only a new one is worth something then.
                    renewed = True
                    with contextlib.suppress(DeviceError):
                        await self._adb.query_server(f"host:disconnect:{self._serial}")
                await self._clock.sleep(POLL_S)
            self._lost = False

    async def _is_back(self) -> bool:
        try:
            phones = {phone.serial: phone.state for phone in await self._adb.list_phones()}
            if phones.get(self._serial) == READY:
                return await self._is_answering()
            if self._serial not in phones and ADDRESS.fullmatch(self._serial):
                await self._adb.connect_address(self._serial)
        except DeviceUnauthorized:
            raise
        except DeviceError:
            pass
        return False

    async def _is_answering(self) -> bool:
        """True if the phone itself says something: adb lists a phone that was just unplugged for a moment longer."""
        return (await self._adb.run_shell(self._serial, "echo back", 5.0)).text.strip() == "back"
