"""Lets a loop wait for the events of its task, or for time to pass without any."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable

from deskhand.task.events import Event, Record


async def watch_events(
    records: AsyncIterable[Record], task_id: str, tick_s: float
) -> AsyncGenerator[Event | None, None]:
    """Yield one task's events as they come, and None whenever none came for `tick_s`."""
    source = aiter(records)
    upcoming = asyncio.ensure_future(anext(source))
    try:
        while True:
            done, _ = await asyncio.wait({upcoming}, timeout=tick_s)
            if not done:
                yield None
                continue
            record = upcoming.result()
            upcoming = asyncio.ensure_future(anext(source))
            if record.task_id == task_id:
                yield record.event
    finally:
        upcoming.cancel()
