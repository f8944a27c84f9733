"""What a loop listens to: the events of its task, and the passing of time when there are none."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable

from deskhand.task.events import Event, Record


async def ticking(records: AsyncIterable[Record], task_id: str, tick_s: float) -> AsyncGenerator[Event | None, None]:
    """One task's events as they come, and None whenever none came for a while."""
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
