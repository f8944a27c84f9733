"""Simulated phones as devices."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from deskhand.core.screen import DeviceInfo
from deskhand.language import has_chinese
from deskhand.settings.schema import Settings

if TYPE_CHECKING:
    from deskhand.core.llm import Language
    from deskhand.core.protocols import Clock, Device
    from deskhand.devices.android.adb.client import AdbClient
    from deskhand.simphone.phone import Phone


class SimulatedPhones:
    """`sim` or `sim:NAME`: a simulated phone of our own, reached through a private adb server of our own.

    It lives here because it joins two rooms that don't know each other: the phone and the device that drives it.
    """

    shared = False

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._stack = AsyncExitStack()
        self._adb: AdbClient | None = None
        self._starting = asyncio.Lock()
        self.phones: dict[str, Phone] = {}  # by NAME, to read their own state
        self.today: Callable[[], datetime] = datetime.now  # what the calendar and clock of the phones show
        self._spoken: dict[str, Language] = {}  # by NAME, the language that we have set

    async def found(self) -> list[DeviceInfo]:
        return [DeviceInfo("sim", "sim", "ready", "a simulated phone, started when it is used (sim:NAME for more)")]

    async def full_name(self, name: str) -> str:
        return name

    async def open(self, name: str) -> Device:
        from deskhand.devices.android.device import attach_phone
        from deskhand.simphone.adb.phone_server import SimPhone
        from deskhand.simphone.phone import Phone

        adb = await self._start_server()
        phone = self.phones[name] = Phone(name or "phone", today=self.today, skin=self._settings.simphone.skin)
        plugged = await self._stack.enter_async_context(SimPhone(phone))
        serial = await adb.connect_address(plugged.address)
        # Raw, without trying: to pack a picture only to unpack it on the same machine costs twice as much.
        name = f"sim:{name}" if name else "sim"
        return await attach_phone(serial, adb=adb, clock=self._clock, name=name, method="raw")

    def has_started(self, device_id: str) -> bool:
        """True for a phone that runs; another begins as it left the factory."""
        kind, _, name = device_id.partition(":")
        return kind == "sim" and name in self.phones

    def set_language(self, device_id: str, goal: str, wanted: Literal["auto", "zh", "en"]) -> None:
        """Let a phone speak the language of the goal, unless the settings or somebody on the phone chose another.

        A goal with Chinese words in it, in whatever sentence, names what a Chinese screen shows.
        """
        kind, _, name = device_id.partition(":")
        phone = self.phones.get(name) if kind == "sim" else None
        if phone is None or phone.locale != self._spoken.get(name, phone.locale):
            return
        self._spoken[name] = wanted if wanted != "auto" else "zh" if has_chinese(goal) else "en"
        phone.set_up_in(self._spoken[name])

    async def _start_server(self) -> AdbClient:
        from deskhand.devices.android.adb.client import AdbClient
        from deskhand.devices.android.adb.private_server import run_private_server

        async with self._starting:
            if self._adb is None:
                server = run_private_server(self._settings.adb, self._clock)
                self._adb = AdbClient(await self._stack.enter_async_context(server))
            return self._adb

    async def close(self) -> None:
        await self._stack.aclose()
