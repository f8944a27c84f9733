"""In-process publish/subscribe and mailboxes. Publishing never waits for a listener."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Mailbox(Generic[T]):
    """Messages for one receiver, in order."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[T] = asyncio.Queue()

    def post_message(self, message: T) -> None:
        self._queue.put_nowait(message)

    async def receive_message(self) -> T:
        return await self._queue.get()

    def __len__(self) -> int:
        return self._queue.qsize()


class Subscription(Generic[T]):
    """Receives every message of the wanted types published since it was opened; close it, or use it in `with`."""

    def __init__(self, bus: "Bus", kinds: tuple[type[T], ...]) -> None:
        self._bus = bus
        self._kinds = kinds
        self._queue: asyncio.Queue[T | None] = asyncio.Queue()

    def offer_message(self, message: Any) -> None:
        if isinstance(message, self._kinds):
            self._queue.put_nowait(message)

    def close(self) -> None:
        self._bus.drop_subscription(self)
        self._queue.put_nowait(None)

    def __enter__(self) -> "Subscription[T]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def drain_messages(self, timeout: float) -> list[T]:
        """Wait for a message and return it with all that are there by then; empty if none came in `timeout` seconds."""
        taken: list[T | None] = []
        try:
            async with asyncio.timeout(timeout):
                taken.append(await self._queue.get())
        except TimeoutError:
            return []
        while not self._queue.empty():
            taken.append(self._queue.get_nowait())
        return [message for message in taken if message is not None]

    async def __aiter__(self) -> AsyncIterator[T]:
        while (message := await self._queue.get()) is not None:
            yield message


class Bus:
    """Publishes to listeners by message type, one bus per runner. A slow listener only fills its own queue."""

    def __init__(self) -> None:
        self._subscriptions: list[Subscription[Any]] = []

    def subscribe_to(self, *kinds: type[T]) -> Subscription[T]:
        subscription: Subscription[T] = Subscription(self, kinds)
        self._subscriptions.append(subscription)
        return subscription

    def drop_subscription(self, subscription: Subscription[Any]) -> None:
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)

    def publish_message(self, message: object) -> None:
        for subscription in list(self._subscriptions):
            subscription.offer_message(message)
