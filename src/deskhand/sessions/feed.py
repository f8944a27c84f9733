"""What happens, on its way to those who watch: each keeps its own place, and a slow one holds up nobody.

The newest events are at hand, encoded once for all; who has fallen further behind reads on from the disk.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable

KEPT = 512
# Proxies and browsers give up on a stream that says nothing for a minute.
KEEPALIVE_S = 15.0
KEEPALIVE = b": still here\n\n"
BATCH = 100

Numbered = tuple[int, bytes]
Read = Callable[[int], Awaitable[list[Numbered]]]


class EventFeed:
    """The newest events of one task or conversation. `since`: everything behind this number is here, if not dropped."""

    def __init__(self, since: int = 0) -> None:
        self._since = since
        self._newest: deque[Numbered] = deque()
        self._waiting: set[asyncio.Future[None]] = set()
        self.closed = False

    def add_chunk(self, number: int, chunk: bytes) -> None:
        self._newest.append((number, chunk))
        if len(self._newest) > KEPT:
            self._since = self._newest.popleft()[0]
        self._wake_waiters()

    def close(self) -> None:
        """Nothing more will come."""
        self.closed = True
        self._wake_waiters()

    def chunks_after(self, number: int) -> list[Numbered] | None:
        """What came behind this number; None when that is no longer at hand."""
        if number < self._since:
            return None
        behind: list[Numbered] = []
        for entry in reversed(self._newest):
            if entry[0] <= number:
                break
            behind.append(entry)
        return behind[::-1]

    async def wait_for_news(self, timeout: float) -> bool:
        """Wait for something to come; False when nothing did."""
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


async def follow_feed(feed: EventFeed, after: int, read: Read) -> AsyncGenerator[bytes, None]:
    """Everything behind `after`, as it comes, until the feed is closed; a few at a time when there are many."""
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
