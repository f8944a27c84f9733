"""Events on their way to clients: each client keeps its own position, and a slow one delays nobody.

The newest events are in memory, encoded once for all; a client that has fallen behind reads from the disk.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Generic, TypeVar

KEPT = 512
# Proxies and browsers give up on a stream that says nothing for a minute.
KEEPALIVE_S = 15.0
KEEPALIVE = b": still here\n\n"
BATCH = 100

Chunk = TypeVar("Chunk")
Numbered = tuple[int, bytes]
Read = Callable[[int], Awaitable[list[Numbered]]]


class EventFeed(Generic[Chunk]):
    """The newest events of one source. `since`: everything after this number is here, if not dropped."""

    def __init__(self, since: int = 0) -> None:
        self._since = since
        self._newest: deque[tuple[int, Chunk]] = deque()
        self._waiting: set[asyncio.Future[None]] = set()
        self.closed = False

    def add_chunk(self, number: int, chunk: Chunk) -> None:
        self._newest.append((number, chunk))
        if len(self._newest) > KEPT:
            self._since = self._newest.popleft()[0]
        self._wake_waiters()

    def close(self) -> None:
        """Mark the end: nothing more will come."""
        self.closed = True
        self._wake_waiters()

    def chunks_after(self, number: int) -> list[tuple[int, Chunk]] | None:
        """Return the chunks after `number`, or None if some were dropped from memory."""
        if number < self._since:
            return None
        behind: list[tuple[int, Chunk]] = []
        for entry in reversed(self._newest):
            if entry[0] <= number:
                break
            behind.append(entry)
        return behind[::-1]

    async def wait_for_news(self, timeout: float) -> bool:
        """Wait for a new chunk or the end; False if none came within `timeout` seconds."""
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(waiting)
        try:
            async with asyncio.timeout(timeout):
                await waiting
            return True
        except TimeoutError:
            return False
        finally:
            self._waiting.discard(waiting)

    def _wake_waiters(self) -> None:
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)
        self._waiting.clear()


async def follow_feed(feed: EventFeed[bytes], after: int, read: Read) -> AsyncGenerator[bytes, None]:
    """Yield everything after `after` as it comes, in batches, until the feed is closed."""
    while True:
        closed = feed.closed
        batch = feed.chunks_after(after)
        if batch is None:
            batch = await read(after)
        for start in range(0, len(batch), BATCH):
            part = batch[start : start + BATCH]
            after = part[-1][0]
            yield b"".join(chunk for _, chunk in part)
        if batch:
            continue
        if closed:
            return
        if not await feed.wait_for_news(KEEPALIVE_S):
            yield KEEPALIVE
