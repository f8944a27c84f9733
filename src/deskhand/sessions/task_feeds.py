"""Event streams of tasks: from memory for tasks of this process, from the journal for all others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from deskhand.bus import Bus
from deskhand.core.protocols import Clock
from deskhand.sessions.feed import KEEPALIVE, KEEPALIVE_S, EventFeed, Numbered, follow_feed
from deskhand.task.events import Record, TaskEnded
from deskhand.task.fold import fold_all
from deskhand.task.journal import SqliteJournal

# Feeds of finished tasks that are kept at hand for those who come late; older ones are read from the disk.
FINISHED_KEPT = 32
# How often the journal is asked about a task that another program runs.
ELSEWHERE_S = 1.0


class TaskFeeds:
    def __init__(self, bus: Bus, journal: SqliteJournal, clock: Clock) -> None:
        self._bus = bus
        self._journal = journal
        self._clock = clock
        self._feeds: dict[str, EventFeed[bytes]] = {}
        self._closing = asyncio.Event()

    async def run(self) -> None:
        with self._bus.subscribe_to(Record) as records:
            async for record in records:
                self._add_record(record)

    def _add_record(self, record: Record) -> None:
        feed = self._feeds.get(record.task_id)
        if feed is None or feed.closed:
            self._feeds.pop(record.task_id, None)
            feed = self._feeds[record.task_id] = EventFeed(record.seq - 1)
        feed.add_chunk(record.seq, to_record_chunk(record))
        if isinstance(record.event, TaskEnded):
            feed.close()
            self._forget_finished()

    def _forget_finished(self) -> None:
        finished = [task_id for task_id, feed in self._feeds.items() if feed.closed]
        for task_id in finished[:-FINISHED_KEPT]:
            del self._feeds[task_id]

    async def stream_events(self, task_id: str, after: int) -> AsyncGenerator[bytes, None]:
        """Yield everything after `after` until the task's end, or its program's."""
        said = self._clock.now()
        while (feed := self._feeds.get(task_id)) is None:
            alive = await self._journal.is_running(task_id)  # asked first: what it wrote last is read below
            records = await self._journal.read(task_id)
            if news := [record for record in records if record.seq > after]:
                after, said = news[-1].seq, self._clock.now()
                yield b"".join(map(to_record_chunk, news))
            if not alive or fold_all(records).over or await self.wait_for_close(ELSEWHERE_S):
                return
            if self._clock.now() - said > KEEPALIVE_S:
                said = self._clock.now()
                yield KEEPALIVE
        async for chunk in follow_feed(feed, after, lambda number: self._read_chunks(task_id, number)):
            yield chunk

    async def _read_chunks(self, task_id: str, after: int) -> list[Numbered]:
        return [(record.seq, to_record_chunk(record)) for record in await self._journal.read(task_id, after)]

    async def wait_for_close(self, seconds: float) -> bool:
        """Wait until the process shuts down; False if it did not within `seconds`. All endless streams end by it."""
        try:
            async with asyncio.timeout(seconds):
                return await self._closing.wait()
        except TimeoutError:
            return False

    def close(self) -> None:
        self._closing.set()
        for feed in self._feeds.values():
            feed.close()


def to_record_chunk(record: Record) -> bytes:
    return f"id: {record.seq}\ndata: {record.model_dump_json()}\n\n".encode()
