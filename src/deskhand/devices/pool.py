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
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from deskhand.core.actions import OpenUrl
from deskhand.core.device_wrapper import Answer, DeviceWrapper
from deskhand.core.errors import (
    AppFrozen,
    DeviceBusy,
    DeviceError,
    DeviceGone,
    DeviceSetup,
    DeviceUnusable,
    UnknownDevice,
)
from deskhand.core.protocols import Clock, Device
from deskhand.core.screen import DeviceInfo, Frame
from deskhand.private_files import make_private_folder

# How often a lock that another process holds is tried again; within one process waiting is by queue.
RETRY_S = 0.05
# How long a look waits for a device that somebody has but that is not open here.
LOOK_S = 5.0
_BLANK = "about:blank"


class Provider(Protocol):
    """One kind of device: what there is of it, and how to open one. `shared`: other processes reach it too."""

    @property
    def shared(self) -> bool: ...
    async def found(self) -> list[DeviceInfo]: ...
    async def full_name(self, name: str) -> str:
        """The one name of a device that may be called by several."""
        ...

    async def open(self, name: str) -> Device: ...
    async def close(self) -> None: ...


class Pool:
    def __init__(self, providers: Mapping[str, Provider], *, clock: Clock, locks: Path) -> None:
        self._providers = providers
        self._clock = clock
        self._locks = locks
        self._open: dict[str, Device] = {}
        self._queues: dict[str, deque[asyncio.Future[None]]] = {}

    async def list_devices(self) -> list[DeviceInfo]:
        """Every device that can be named now, with its state; busy ones say so, whichever process has them."""
        listed = await asyncio.gather(*(provider.found() for provider in self._providers.values()))
        found: list[DeviceInfo] = []
        for (kind, provider), infos in zip(self._providers.items(), listed, strict=True):
            known = {info.id for info in infos}
            # Those with a name of their own (sim:a, browser:work) are known to nobody else.
            named = [
                one for one in {**self._open, **self._queues} if one not in known and self._split_name(one)[0] == kind
            ]
            for info in (*infos, *(DeviceInfo(one, kind, "ready", "open in this program") for one in named)):
                state = "busy" if self._is_busy(info.id, provider) else info.state
                found.append(replace(info, state=state, open=info.open or info.id in self._open))
        return found

    def _is_busy(self, device_id: str, provider: Provider) -> bool:
        return device_id in self._queues or (provider.shared and _is_locked(self._lock_path(device_id)))

    @asynccontextmanager
    async def lease_device(
        self, device_id: str, *, wait_s: float = 0.0, hold_s: float | None = None
    ) -> AsyncGenerator[Device, None]:
        """The device, for one holder. Waits its turn for up to `wait_s`, then raises DeviceBusy.

        After `hold_s` the lease ends by itself: the holder's calls raise DeviceGone, and the next one has its turn.
        """
        kind, name = self._split_name(device_id)
        deadline = self._clock.now() + wait_s
        device_id = _id_of(kind, await self._providers[kind].full_name(name))
        async with AsyncExitStack() as held:
            await held.enter_async_context(self._wait_for_turn(device_id, deadline))
            await held.enter_async_context(self._hold_process_lock(device_id, kind, deadline))
            leased = LeasedDevice(await self._open_device(device_id, kind, name))
            expiry = asyncio.ensure_future(self._take_back(leased, held, hold_s)) if hold_s else None
            try:
                yield leased
            finally:
                leased.end_lease()
                if expiry:
                    expiry.cancel()
                await leased.wait_until_idle()  # what is on its way must not reach the next holder's screen

    async def _take_back(self, leased: "LeasedDevice", held: AsyncExitStack, hold_s: float) -> None:
        await self._clock.sleep(hold_s)
        leased.end_lease()
        await leased.wait_until_idle()
        await held.aclose()

    async def look_at_screen(self, device_id: str) -> Frame:
        """What is on its screen. Looking disturbs nobody, so a device that is leased is looked at all the same."""
        device_id = await self.resolve_id(device_id)
        if device := self._open.get(device_id):
            try:
                return await device.frame()
            except DeviceUnusable:
                if device_id in self._queues:
                    raise
        # Not open yet, or gone meanwhile: a lease opens it anew.
        async with self.lease_device(device_id, wait_s=LOOK_S) as leased:
            return await leased.frame()

    async def resolve_id(self, device_id: str) -> str:
        """Return the full id of a device that the user may have named by its kind alone."""
        kind, name = self._split_name(device_id)
        return _id_of(kind, await self._providers[kind].full_name(name))

    def _split_name(self, device_id: str) -> tuple[str, str]:
        kind, _, name = device_id.partition(":")
        if _is_address(device_id):
            kind, name = "browser", device_id
        if kind not in self._providers:
            known = ", ".join(sorted(self._providers))
            raise UnknownDevice(f"There is no device {device_id!r}: `deskhand devices` lists them (kinds: {known}).")
        return kind, name

    @asynccontextmanager
    async def _wait_for_turn(self, device_id: str, deadline: float) -> AsyncGenerator[None, None]:
        """First come, first served, within this process."""
        queue = self._queues.setdefault(device_id, deque())
        ticket: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(ticket)
        if queue[0] is ticket:
            ticket.set_result(None)
        try:
            try:
                async with asyncio.timeout(deadline - self._clock.now()):
                    await ticket
            except TimeoutError:
                raise DeviceBusy(_describe_busy(device_id)) from None
            yield
        finally:
            self._leave_queue(device_id, ticket)

    def _leave_queue(self, device_id: str, ticket: "asyncio.Future[None]") -> None:
        queue = self._queues[device_id]
        queue.remove(ticket)
        if not queue:
            del self._queues[device_id]
        elif not queue[0].done():
            queue[0].set_result(None)

    @asynccontextmanager
    async def _hold_process_lock(self, device_id: str, kind: str, deadline: float) -> AsyncGenerator[None, None]:
        """Against other processes of this user."""
        if not self._providers[kind].shared:
            yield
            return
        file = await asyncio.to_thread(self._open_lock_file, device_id)
        try:
            # At least twice: somebody who only lists the devices has the lock for an instant.
            deadline = max(deadline, self._clock.now() + RETRY_S)
            while not _try_lock(file):
                if self._clock.now() >= deadline:
                    raise DeviceBusy(_describe_busy(device_id))
                await self._clock.sleep(RETRY_S)
            yield
        finally:
            os.close(file)

    def _open_lock_file(self, device_id: str) -> int:
        try:
            make_private_folder(self._locks)
            return os.open(self._lock_path(device_id), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise DeviceSetup(f"Devices can't be locked in {self._locks} ({error}): fix the folder's rights.") from None

    def _lock_path(self, device_id: str) -> Path:
        return self._locks / (re.sub(r"[^\w.-]", "_", device_id) + ".lock")

    async def _open_device(self, device_id: str, kind: str, name: str) -> Device:
        device = self._open.get(device_id)
        if device and await _is_healthy(device):
            if _is_address(name):
                await device.act(OpenUrl(url=name))  # a task before this one has led elsewhere
            return device
        if device:
            await self._discard_device(device_id, device)
        device = self._open[device_id] = await self._providers[kind].open(name)
        return device

    async def _discard_device(self, device_id: str, device: Device) -> None:
        del self._open[device_id]
        with contextlib.suppress(DeviceError):  # it may be broken, which is why it is discarded
            await device.close()

    async def close(self) -> None:
        for device_id, device in list(self._open.items()):
            await self._discard_device(device_id, device)
        for provider in self._providers.values():
            await provider.close()


class LeasedDevice(DeviceWrapper):
    """A device for as long as the lease lasts: the check right before each call keeps a late holder out."""

    def __init__(self, device: Device) -> None:
        super().__init__(device)
        self._over = False
        self._calls: set[asyncio.Timeout] = set()
        self._rest = asyncio.Event()
        self._rest.set()

    def end_lease(self) -> None:
        """Also ends what is under way."""
        if not self._over:
            self._over = True
            for call in self._calls:
                call.reschedule(asyncio.get_running_loop().time())

    async def wait_until_idle(self) -> None:
        """When nothing of the holder's is under way."""
        await self._rest.wait()

    def _check_lease(self) -> None:
        if self._over:
            raise DeviceGone(f"The lease of {self.id} is over: lease it again.")

    async def _pass_on(self, call: Callable[[], Awaitable[Answer]]) -> Answer:
        self._check_lease()
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._calls.add(limit)
                self._rest.clear()
                return await call()
        except TimeoutError:
            if limit.expired():
                self._check_lease()
            raise
        finally:
            self._calls.discard(limit)
            if not self._calls:
                self._rest.set()

    def changes(self) -> AsyncIterator[None] | None:
        self._check_lease()
        return super().changes()

    async def close(self) -> None:
        """The device itself belongs to the pool and stays open."""
        self.end_lease()


async def _is_healthy(device: Device) -> bool:
    try:
        try:
            await device.app()
        except AppFrozen:
            await device.act(OpenUrl(url=_BLANK))  # leaves the page that a task before this one was stopped by
    except DeviceError:
        return False
    return True


def _try_lock(file: int, kind: int = fcntl.LOCK_EX) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_locked(path: Path) -> bool:
    """Whether another process has it. A shared lock, so that two who look don't take each other for its holder."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False  # never leased so far
    try:
        return not _try_lock(file, fcntl.LOCK_SH)
    finally:
        os.close(file)


def _is_address(name: str) -> bool:
    return name.startswith(("http://", "https://"))


def _id_of(kind: str, name: str) -> str:
    return name if _is_address(name) else f"{kind}:{name}" if name else kind


def _describe_busy(device_id: str) -> str:
    return f"The device {device_id} is busy with another task: wait for it, stop that task, or use another device."
