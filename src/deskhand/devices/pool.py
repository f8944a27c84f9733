"""The pool: devices by name, leased to one task at a time, whichever door the task came in by.

A device stays open between leases. What other processes can reach too is also locked by a file, which the
kernel unlocks when its holder dies.
"""

import asyncio
import contextlib
import fcntl
import os
import re
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from deskhand.actions import Action, ActionKind
from deskhand.errors import DeviceBusy, DeviceFault, DeviceGone, DeviceSetup, DeviceUnusable, UnknownDevice
from deskhand.protocols import Clock, Device
from deskhand.types import AppInfo, DeviceInfo, Element, Frame

# How often a lock that another process holds is tried again; within one process waiting is by queue.
RETRY_S = 0.05
# How long a look waits for a device that somebody has but that is not open here.
LOOK_S = 5.0


class Provider(Protocol):
    """One kind of device: what there is of it, and how to open one. `shared`: other processes reach it too."""

    @property
    def shared(self) -> bool: ...
    async def found(self) -> list[DeviceInfo]: ...
    async def open(self, name: str) -> Device: ...
    async def close(self) -> None: ...


class Pool:
    def __init__(self, providers: Mapping[str, Provider], *, clock: Clock, locks: Path) -> None:
        self._providers = providers
        self._clock = clock
        self._locks = locks
        self._open: dict[str, Device] = {}
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}

    async def found(self) -> list[DeviceInfo]:
        """Every device that can be named now, with its state; busy ones say so."""
        listed = await asyncio.gather(*(provider.found() for provider in self._providers.values()))
        return [
            DeviceInfo(info.id, info.kind, "busy", info.detail) if info.id in self._queues else info
            for infos in listed
            for info in infos
        ]

    @asynccontextmanager
    async def lease(
        self, device_id: str, *, wait_s: float = 0.0, hold_s: float | None = None
    ) -> AsyncGenerator[Device, None]:
        """The device, for one holder. Waits its turn for up to `wait_s`, then raises DeviceBusy.

        After `hold_s` the lease ends by itself: the holder's next call raises DeviceGone.
        """
        kind, name = self._named(device_id)
        deadline = self._clock.now() + wait_s
        async with self._turn(device_id, deadline), self._locked(device_id, kind, deadline):
            leased = _Leased(await self._opened(device_id, kind, name))
            expiry = asyncio.get_running_loop().call_later(hold_s, leased.expire) if hold_s else None
            try:
                yield leased
            finally:
                leased.expire()
                if expiry:
                    expiry.cancel()

    async def look(self, device_id: str) -> Frame:
        """What is on its screen. Looking disturbs nobody, so a device that is leased is looked at all the same."""
        if device := self._open.get(device_id):
            try:
                return await device.frame()
            except DeviceUnusable:
                if device_id in self._queues:
                    raise
        # Not open yet, or gone meanwhile: a lease opens it anew.
        async with self.lease(device_id, wait_s=LOOK_S) as leased:
            return await leased.frame()

    def _named(self, device_id: str) -> tuple[str, str]:
        kind, _, name = device_id.partition(":")
        if kind in ("http", "https"):
            kind, name = "browser", device_id
        if kind not in self._providers:
            known = ", ".join(sorted(self._providers))
            raise UnknownDevice(f"There is no device {device_id!r}: `deskhand devices` lists them (kinds: {known}).")
        return kind, name

    @asynccontextmanager
    async def _turn(self, device_id: str, deadline: float) -> AsyncGenerator[None, None]:
        """First come, first served, within this process."""
        queue = self._queues.setdefault(device_id, deque())
        ticket: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(ticket)
        if queue[0] is ticket:
            ticket.set_result(None)
        try:
            async with asyncio.timeout(deadline - self._clock.now()):
                await ticket
        except TimeoutError:
            self._leave(device_id, ticket)
            raise DeviceBusy(_busy(device_id)) from None
        except BaseException:
            self._leave(device_id, ticket)
            raise
        try:
            yield
        finally:
            self._leave(device_id, ticket)

    def _leave(self, device_id: str, ticket: "asyncio.Future[None]") -> None:
        queue = self._queues[device_id]
        queue.remove(ticket)
        if not queue:
            del self._queues[device_id]
        elif not queue[0].done():
            queue[0].set_result(None)

    @asynccontextmanager
    async def _locked(self, device_id: str, kind: str, deadline: float) -> AsyncGenerator[None, None]:
        """Against other processes of this user."""
        if not self._providers[kind].shared:
            yield
            return
        file = await asyncio.to_thread(self._lock_file, device_id)
        try:
            while not _try_lock(file):
                if self._clock.now() >= deadline:
                    raise DeviceBusy(_busy(device_id))
                await self._clock.sleep(RETRY_S)
            yield
        finally:
            os.close(file)

    def _lock_file(self, device_id: str) -> int:
        try:
            self._locks.mkdir(parents=True, exist_ok=True)
            name = re.sub(r"[^\w.-]", "_", device_id)
            return os.open(self._locks / f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise DeviceSetup(f"Devices can't be locked in {self._locks} ({error}): fix the folder's rights.") from None

    async def _opened(self, device_id: str, kind: str, name: str) -> Device:
        device = self._open.get(device_id)
        if device and await _healthy(device):
            return device
        if device:
            await self._discard(device_id, device)
        device = self._open[device_id] = await self._providers[kind].open(name)
        return device

    async def _discard(self, device_id: str, device: Device) -> None:
        del self._open[device_id]
        with contextlib.suppress(DeviceFault):  # it may be broken, which is why it is discarded
            await device.close()

    async def close(self) -> None:
        for device_id, device in list(self._open.items()):
            await self._discard(device_id, device)
        for provider in self._providers.values():
            await provider.close()


class _Leased:
    """A device for as long as the lease lasts: the check right before each call keeps a late holder out."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._over = False

    def expire(self) -> None:
        self._over = True

    @property
    def _live(self) -> Device:
        if self._over:
            raise DeviceGone(f"The lease of {self._device.id} is over: lease it again.")
        return self._device

    @property
    def id(self) -> str:
        return self._device.id

    @property
    def capabilities(self) -> frozenset[ActionKind]:
        return self._device.capabilities

    async def frame(self) -> Frame:
        return await self._live.frame()

    async def elements(self) -> tuple[Element, ...]:
        return await self._live.elements()

    async def app(self) -> AppInfo:
        return await self._live.app()

    async def apps(self) -> tuple[str, ...]:
        return await self._live.apps()

    async def act(self, action: Action) -> str:
        return await self._live.act(action)

    def changes(self) -> AsyncIterator[None] | None:
        return self._live.changes()

    async def close(self) -> None:
        """The device itself belongs to the pool and stays open."""
        self.expire()


async def _healthy(device: Device) -> bool:
    try:
        await device.app()
    except DeviceFault:
        return False
    return True


def _try_lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _busy(device_id: str) -> str:
    return f"The device {device_id} is busy with another task: wait for it, stop that task, or use another device."
