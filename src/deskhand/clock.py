"""Owns time: the only file that may sleep. Everything that waits gets a Clock, so tests can control it.

Also cancels asyncio tasks that run beside the caller's, and waits for those that must not be left alone.
"""

import asyncio
import contextlib
import time
from typing import Any


async def cancel_task(task: "asyncio.Task[None]") -> None:
    """Cancel a task and wait for its end; raises what it failed with.

    Awaiting it and suppressing CancelledError would swallow the caller's own cancellation along with the task's.
    """
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.result()


async def wait_to_end(work: "asyncio.Future[Any]") -> None:
    """Wait until `work` is done, however often the caller is cancelled meanwhile; raises nothing of it."""
    while not work.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait({work})
    if not work.cancelled():
        work.exception()  # retrieved, else asyncio would print it


class SystemClock:
    """Real time."""

    def now(self) -> float:
        """Return monotonic seconds, for measuring."""
        return time.monotonic()

    def wall(self) -> float:
        """Return seconds since the epoch, for users and the journal."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))


class ManualClock:
    """Time that moves only by sleeping: a sleep advances it at once. For films, replays and tests."""

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        return self._now

    def wall(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        self._now += max(0.0, seconds)
        await asyncio.sleep(0)
