"""Provides Android phones: those that adb lists, and any address that answers `adb connect`."""

from deskhand.core.errors import DeviceError, UnknownDevice
from deskhand.core.protocols import Clock, Device
from deskhand.core.screen import DeviceInfo
from deskhand.devices.android.adb.client import AdbClient
from deskhand.devices.android.device import attach_phone, list_phone_infos


class PhoneProvider:
    """Opens `android:SERIAL`, or `android` if exactly one phone is connected."""

    shared = True

    def __init__(self, adb: AdbClient, clock: Clock) -> None:
        self._adb = adb
        self._clock = clock

    async def found(self) -> list[DeviceInfo]:
        try:
            return await list_phone_infos(self._adb)
        except DeviceError as fault:
            return [DeviceInfo("android", "android", "unusable", str(fault))]

    async def full_name(self, name: str) -> str:
        """Return the serial that is named, else that of the only phone."""
        if name:
            return name
        ids = [info.id.removeprefix("android:") for info in await list_phone_infos(self._adb)]
        if len(ids) == 1:
            return ids[0]
        if ids:
            raise UnknownDevice(f"Several phones are connected: name one of android:{', android:'.join(ids)}.")
        raise UnknownDevice("No phone is connected: plug one in with USB debugging on, or use --device sim.")

    async def open(self, name: str) -> Device:
        return await attach_phone(await self.full_name(name), adb=self._adb, clock=self._clock)

    async def close(self) -> None:
        """Nothing is held open: every adb call has its own socket."""
