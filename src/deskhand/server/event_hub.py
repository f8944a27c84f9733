"""One stream of everything for all clients: both logs in their order, and the states of devices, requests, settings.

The logs are read by their numbers, which both count in the order of their commits: nothing is missed or told twice,
also across a restart, whichever program wrote it. Nothing is read while nobody looks on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from heapq import merge

import xxhash

from deskhand.bus import Bus
from deskhand.core.protocols import Clock
from deskhand.server.live_states import LiveStates
from deskhand.server.stream_events import (
    ChatNews,
    DevicesNews,
    Position,
    RequestsNews,
    SettingsNews,
    StateTopic,
    StreamItem,
    TaskNews,
    Wanted,
)
from deskhand.sessions.conversation_entries import SHOWN
from deskhand.sessions.conversation_store import ConversationGrew, ConversationStore
from deskhand.sessions.feed import KEEPALIVE, KEEPALIVE_S, EventFeed
from deskhand.task.events import Record, TaskCreated, TaskEnded
from deskhand.task.journal import SqliteJournal

# How often the logs of other programs, the devices and the settings are looked at while somebody looks on.
LOOK_S = 2.0
PAGE = 500


class StateTouched:
    """Published by whoever changes a device or a setting, so that it is told at once."""


StateNews = DevicesNews | RequestsNews | SettingsNews
StateReader = Callable[[], Awaitable[StateNews]]


class EventHub:
    """All clients follow one feed of encoded events, each from its own position."""

    def __init__(
        self,
        bus: Bus,
        clock: Clock,
        journal: SqliteJournal,
        store: ConversationStore,
        states: LiveStates,
    ) -> None:
        self._bus = bus
        self._clock = clock
        self._journal = journal
        self._store = store
        self._states: dict[StateTopic, StateReader] = {
            "devices": states.read_devices,
            "requests": states.read_requests,
            "settings": states.read_settings,
        }
        self._feed: EventFeed[StreamItem] = EventFeed()
        self._number = 0  # of the feed's newest item
        self._head = Position(0, 0)
        self._told: dict[StateTopic, StreamItem] = {}
        self._devices: dict[str, str] = {}  # by task
        self._looking = asyncio.Lock()
        self._following = False  # the head is where both logs end
        self._looked = -LOOK_S  # when devices and settings were looked at
        self._watchers = 0
        self._watched = asyncio.Event()

    # --- what is new ---------------------------------------------------------------------------------------

    async def run(self) -> None:
        while True:
            await self._watched.wait()
            with self._bus.subscribe_to(Record, ConversationGrew, StateTouched) as news:
                while self._watchers:
                    await self._look_for_news()
                    touched = await news.drain_messages(LOOK_S)
                    if any(isinstance(one, StateTouched) for one in touched):
                        self._looked = -LOOK_S

    async def _look_for_news(self) -> None:
        """Append what is new to the feed. When this returns, everything up to its call is in it."""
        async with self._looking:
            if not self._following:
                last = await self._journal.find_last_number(), await self._store.find_last_number()
                self._head = replace(self._head, journal=last[0], chats=last[1])
                self._following, self._looked = True, -LOOK_S
            async for item in self._read_logs(self._head, None):
                self._add_item(item)
            await self._look_at_state("requests")
            if self._clock.now() - self._looked >= LOOK_S:
                await self._look_at_state("devices")
                await self._look_at_state("settings")
                self._looked = self._clock.now()

    async def _look_at_state(self, topic: StateTopic) -> None:
        news = await self._states[topic]()
        data = news.model_dump_json().encode()
        state = xxhash.xxh32_hexdigest(data)
        if state != self._head.find_state(topic):
            self._told[topic] = StreamItem(self._head.with_state(topic, state), news, data)
            self._add_item(self._told[topic])

    def _add_item(self, item: StreamItem) -> None:
        self._head = item.position
        self._number += 1
        self._feed.add_chunk(self._number, item)

    async def _read_logs(self, position: Position, until: Position | None) -> AsyncIterator[StreamItem]:
        """Yield the entries of both logs behind a position, the older ones first; `until`: and no newer ones."""
        while True:
            records = await self._journal.read_newer(position.journal, PAGE)
            entries = await self._store.read_newer(position.chats, PAGE)
            if until:  # what is newer comes by the feed
                records = [one for one in records if one.seq <= until.journal]
                entries = [one for one in entries if one[1].seq <= until.chats]
            tasks = [await self._to_task_news(record) for record in records]
            chats = [
                ChatNews.model_construct(seq=kept.seq, at=kept.at, session_id=name, event=kept.entry)
                for name, kept in entries
                if isinstance(kept.entry, SHOWN)
            ]
            for news in merge(tasks, chats, key=lambda one: one.at):
                move = {"journal": news.seq} if isinstance(news, TaskNews) else {"chats": news.seq}
                position = replace(position, **move)
                yield StreamItem(position, news, news.model_dump_json().encode())
            if len(records) < PAGE and len(entries) < PAGE:
                return
            if entries:  # the last one may not be shown
                position = replace(position, chats=entries[-1][1].seq)

    async def _to_task_news(self, record: Record) -> TaskNews:
        if record.task_id not in self._devices:
            first = (
                [record] if isinstance(record.event, TaskCreated) else await self._journal.read(record.task_id, 0, 1)
            )
            self._devices[record.task_id] = getattr(first[0].event if first else None, "device", "")
        forget = isinstance(record.event, TaskEnded)
        device = self._devices.pop(record.task_id) if forget else self._devices[record.task_id]
        return TaskNews.model_construct(
            seq=record.seq, at=record.at, task_id=record.task_id, device=device, event=record.event
        )

    # --- those who look on ---------------------------------------------------------------------------------

    async def stream_events(self, position: Position | None, wanted: Wanted) -> AsyncGenerator[bytes, None]:
        """Yield what comes behind the position; without one, the states as they are and what happens from now on."""
        with self._count_watcher():
            await self._look_for_news()
            head = self._head
            if position is None or position.journal > head.journal or position.chats > head.chats:
                position = Position(head.journal, head.chats)
            yield b"id: %b\n\n" % str(position).encode()  # a place to go on from, though nothing has happened
            while True:
                number = self._number
                async for item in self._catch_up(position, self._head):
                    position = item.position
                    if wanted.includes_item(item):
                        yield item.chunk
                while (news := self._feed.chunks_after(number)) is not None:
                    for place, item in news:
                        number, position = place, item.position
                        if wanted.includes_item(item):
                            yield item.chunk
                    if self._feed.closed:
                        return
                    if not news and not await self._feed.wait_for_news(KEEPALIVE_S):
                        yield KEEPALIVE

    async def _catch_up(self, position: Position, head: Position) -> AsyncIterator[StreamItem]:
        told = dict(self._told)
        async for item in self._read_logs(position, head):
            position = item.position
            yield item
        for topic, item in told.items():
            if position.find_state(topic) != head.find_state(topic):
                position = replace(position, journal=head.journal, chats=head.chats)
                position = position.with_state(topic, head.find_state(topic))
                yield replace(item, position=position)

    @contextmanager
    def _count_watcher(self) -> Generator[None, None, None]:
        self._watchers += 1
        self._watched.set()
        try:
            yield
        finally:
            self._watchers -= 1
            if not self._watchers:
                self._watched.clear()
                self._following = False

    def close(self) -> None:
        self._feed.close()
