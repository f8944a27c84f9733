"""A device around another one, to add something to each call: the pool's lease, the engine's secrets.

In `core`, because the pool and the engine both extend it, and neither may import the other.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from deskhand.core.actions import Action, ActionKind
from deskhand.core.outgoing import Outbox, find_outbox
from deskhand.core.protocols import Device
from deskhand.core.screen import AppInfo, Element, Frame

Answer = TypeVar("Answer")


class DeviceWrapper:
    """Passes every call on. Override `_pass_on` to add something to all of them, a method to change one."""

    def __init__(self, device: Device) -> None:
        self._device = device

    async def _pass_on(self, call: Callable[[], Awaitable[Answer]]) -> Answer:
        return await call()

    @property
    def id(self) -> str:
        return self._device.id

    @property
    def capabilities(self) -> frozenset[ActionKind]:
        return self._device.capabilities

    async def frame(self) -> Frame:
        return await self._pass_on(self._device.frame)

    async def elements(self) -> tuple[Element, ...]:
        return await self._pass_on(self._device.elements)

    async def app(self) -> AppInfo:
        return await self._pass_on(self._device.app)

    async def apps(self) -> tuple[str, ...]:
        return await self._pass_on(self._device.apps)

    async def act(self, action: Action) -> str:
        return await self._pass_on(lambda: self._device.act(action))

    def changes(self) -> AsyncIterator[None] | None:
        return self._device.changes()

    @property
    def outbox(self) -> Outbox | None:
        return find_outbox(self._device)

    async def close(self) -> None:
        await self._device.close()
