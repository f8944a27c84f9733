"""The provider of Android phones: those that adb lists, and any address that answers `adb connect`."""

from deskhand.core.errors import DeviceFault, UnknownDevice
from deskhand.core.protocols import Clock, Device
from deskhand.core.screen import DeviceInfo
from deskhand.devices.android.adb.client import AdbClient
from deskhand.devices.android.device import connect, list_phones


class Phones:
    """`android:SERIAL`, or `android` when exactly one phone is there."""

    shared = True

    def __init__(self, adb: AdbClient, clock: Clock) -> None:
        self._adb = adb
        self._clock = clock

    async def found(self) -> list[DeviceInfo]:
        try:
            return await list_phones(self._adb)
        except DeviceFault as trouble:
            return [DeviceInfo("android", "android", "unusable", str(trouble))]

    async def full_name(self, name: str) -> str:
        return name or await self._only_one()

    async def open(self, name: str) -> Device:
        return await connect(await self.full_name(name), adb=self._adb, clock=self._clock)

    async def _only_one(self) -> str:
        ids = [info.id.removeprefix("android:") for info in await list_phones(self._adb)]
        if len(ids) == 1:
            return ids[0]
        if ids:
            raise UnknownDevice(f"Several phones are connected: name one of android:{', android:'.join(ids)}.")
        raise UnknownDevice("No phone is connected: plug one in with USB debugging on, or use --device sim.")

    async def close(self) -> None:
        """Nothing is held open: every adb call has its own socket."""
