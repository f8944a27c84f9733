"""All conversations: begun, gone on with, answered, aborted, forgotten. What happens in one is `exchange`'s matter."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator
from contextlib import ExitStack
from dataclasses import dataclass

from deskhand.build import Deskhand
from deskhand.core.errors import UsageError
from deskhand.sessions.conversation_entries import ENDS, STREAMED, Asked, Failed, chunk_of
from deskhand.sessions.conversation_store import ConversationBusy, Conversations, checked_name
from deskhand.sessions.feed import Feed, Numbered, follow
from deskhand.sessions.settings_reload import SettingsWatch
from deskhand.sessions.turn import ABORTED, Exchange

CUT_OFF = "The program ended in the middle of this."


@dataclass(frozen=True, slots=True)
class Following:
    """What a client needs to follow an exchange: its feed, and the number behind which it reads."""

    session_id: str
    feed: Feed
    after: int


class Chats:
    def __init__(self, hand: Deskhand, store: Conversations, watch: SettingsWatch) -> None:
        self._hand = hand
        self._store = store
        self._watch = watch
        self._live: dict[str, Exchange] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def say(self, message: str, device: str = "", session_id: str = "") -> Following:
        """Begin an exchange; or answer what the one under way asks. Raises ConversationBusy when it asks nothing."""
        if not message.strip():
            raise UsageError("The message is empty: say what is to be done.")
        name = checked_name(session_id) if session_id else secrets.token_hex(8)
        if (live := self._live.get(name)) and live.over:  # who has read its end may go on at once
            await live.ended()
            live = self._live.get(name)
        if live:
            after = live.last_seq
            if live.waiting and await live.answer(message):
                return Following(name, live.feed, after)
            raise ConversationBusy(name)
        with ExitStack() as opening:
            opening.enter_context(self._store.held(name))
            return await self._begin(name, message.strip(), device, opening)

    async def _begin(self, name: str, message: str, device: str, opening: ExitStack) -> Following:
        # Two requests may have come this far at once: the lock above let only one of them through.
        settings = self._watch.current()
        past = await self._store.read(name)
        talked = [kept.entry for kept in past if isinstance(kept.entry, (Asked, *STREAMED))]
        cut = [Failed(message=CUT_OFF)] if talked and not isinstance(talked[-1], ENDS) else []
        before = next((entry.device_id for entry in reversed(talked) if isinstance(entry, Asked)), "")
        device = device or before
        kept = await self._store.append(name, *cut, Asked(content=message, device_id=device))
        seq = kept[-1].seq
        exchange = self._live[name] = Exchange(name, self._hand, self._store, settings, Feed(seq))
        task = exchange.begin(device, seq)
        lock = opening.pop_all()
        self._tasks.add(task)

        def ended(task: asyncio.Task[None]) -> None:
            lock.close()
            self._tasks.discard(task)
            self._live.pop(name, None)

        task.add_done_callback(ended)
        return Following(name, exchange.feed, seq)

    def stream(self, following: Following) -> AsyncGenerator[bytes, None]:
        """What follows, as server-sent events, up to the end of the exchange."""
        return follow(following.feed, following.after, lambda after: self._read(following.session_id, after))

    async def _read(self, session_id: str, after: int) -> list[Numbered]:
        """For a client that has fallen behind: what was streamed, from the disk."""
        kept = await self._store.read(session_id, after)
        return [(one.seq, chunk_of(one)) for one in kept if isinstance(one.entry, STREAMED)]

    def running(self, session_id: str) -> bool:
        return session_id in self._live

    async def abort(self, session_id: str, because: str = ABORTED) -> bool:
        """Whether there was something to stop; when this returns, nothing reaches a device any more."""
        live = self._live.get(session_id)
        if live is None:
            return False
        await live.stop(because)
        return True

    async def reset(self, session_id: str) -> int:
        """Stop what is under way and forget the conversation; how many entries that were."""
        await self.abort(checked_name(session_id))
        with self._store.held(session_id):
            return await self._store.clear(session_id)

    async def close(self) -> None:
        await asyncio.gather(*(live.stop("The server was shut down.") for live in list(self._live.values())))
