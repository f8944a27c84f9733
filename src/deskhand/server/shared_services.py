"""The objects that all routes share: one Deskhand, its tasks, its conversations. They live as long as the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from deskhand.build import Deskhand
from deskhand.server.browser_sessions import BrowserSessions
from deskhand.server.disk_probe import DiskProbe
from deskhand.server.event_hub import EventHub
from deskhand.server.live_screens import LiveScreens
from deskhand.server.live_states import LiveStates
from deskhand.sessions.conversation_store import ConversationStore
from deskhand.sessions.conversations import Conversations
from deskhand.sessions.settings_reload import SettingsWatch
from deskhand.sessions.task_feeds import TaskFeeds
from deskhand.sessions.tasks import Tasks


@dataclass(frozen=True, slots=True)
class Services:
    hand: Deskhand
    watch: SettingsWatch
    sessions: BrowserSessions
    store: ConversationStore
    chats: Conversations
    tasks: Tasks
    feeds: TaskFeeds
    states: LiveStates
    hub: EventHub
    screens: LiveScreens
    disk: DiskProbe
    since: float

    async def close(self) -> None:
        """Stop what feeds the streams: each then ends with its last event, and uvicorn need not cut it off."""
        await self.chats.close()
        await self.tasks.close()
        self.feeds.close()
        self.hub.close()
        self.screens.close()


@asynccontextmanager
async def open_services(watch: SettingsWatch, sessions: BrowserSessions) -> AsyncGenerator[Services, None]:
    settings = watch.read_current()
    async with AsyncExitStack() as stack, Deskhand(settings) as hand:
        store = ConversationStore(settings.data_dir, hand.bus)
        stack.push_async_callback(store.close)
        feeds = TaskFeeds(hand.bus, hand.journal, hand.clock)
        tasks, disk = Tasks(hand, watch), DiskProbe(hand.journal, store)
        chats = Conversations(hand, store, watch, tasks)
        states = LiveStates(hand, tasks, watch)
        hub = EventHub(hand.bus, hand.clock, hand.journal, store, states)
        feeding = [asyncio.create_task(feeds.run()), asyncio.create_task(hub.run())]
        screens, since = LiveScreens(hand), hand.clock.wall()
        services = Services(hand, watch, sessions, store, chats, tasks, feeds, states, hub, screens, disk, since)
        try:
            yield services
        finally:
            await services.close()
            await disk.close()
            for feed in feeding:
                feed.cancel()
            await asyncio.wait(feeding)


async def get_services(request: Request) -> Services:  # async: else each request would wait for a thread
    return request.app.state.services


Shared = Annotated[Services, Depends(get_services)]
