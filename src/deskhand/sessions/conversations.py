"""All conversations: begin, continue, answer, abort, forget. `turn` does what one message asks for."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from deskhand.build import Deskhand
from deskhand.core.errors import UsageError
from deskhand.language import language_of
from deskhand.sessions.chat_ends import ABORTED, CUT_OFF, SHUT_DOWN, tell_chat_end
from deskhand.sessions.conversation_entries import ENDS, STREAMED, JobStarted, TurnFailed, UserMessage, to_entry_chunk
from deskhand.sessions.conversation_store import ConversationBusy, ConversationStore, check_session_id
from deskhand.sessions.feed import EventFeed, Numbered, follow_feed
from deskhand.sessions.mcp_tools import McpServers
from deskhand.sessions.settings_reload import SettingsWatch
from deskhand.sessions.tasks import Tasks
from deskhand.sessions.turn import ChatTurn

_log = logging.getLogger("deskhand.server")


@dataclass(frozen=True, slots=True)
class StreamPosition:
    """Where a client reads a turn: its feed, and the number after which to read."""

    session_id: str
    feed: EventFeed[bytes]
    after: int


class Conversations:
    """All conversations of a process. Their jobs are tasks of `tasks`; MCP servers are kept for all of them."""

    def __init__(self, hand: Deskhand, store: ConversationStore, watch: SettingsWatch, tasks: Tasks) -> None:
        self.hand = hand
        self.store = store
        self.tasks = tasks
        self.servers = McpServers(hand.settings.data_dir / "logs", hand.clock)
        self.troubles: tuple[str, ...] = ()  # tools that the newest turn had to do without
        self._told: dict[str, set[str]] = {}
        self._watch = watch
        self._live: dict[str, ChatTurn] = {}
        self._turns: set[asyncio.Task[None]] = set()

    def report_troubles(self, session_id: str, troubles: Sequence[str]) -> list[str]:
        self.troubles = tuple(troubles)
        told = self._told.setdefault(session_id, set())
        news = [trouble for trouble in troubles if trouble not in told]
        for trouble in news:
            _log.warning("conversation %s: %s", session_id, trouble)
        told.update(news)
        return news

    async def send_message(
        self, message: str, device: str = "", session_id: str = "", request_id: str = ""
    ) -> StreamPosition:
        """Begin a turn, or answer a request of the running one. Raises ConversationBusy if it asks nothing."""
        if not message.strip():
            raise UsageError("The message is empty: say what to do.")
        name = check_session_id(session_id) if session_id else secrets.token_hex(8)
        if (live := self._live.get(name)) and live.over:  # who has read its end may go on at once
            await live.wait_until_over()
            live = self._live.get(name)
        if live:
            after = live.last_seq
            if not live.open_requests:
                raise ConversationBusy(name)
            await live.answer_request(message.strip(), request_id)
            return StreamPosition(name, live.feed, after)
        if request_id:
            raise UsageError(f"There is no open request {request_id!r} in the conversation {name}.")
        with ExitStack() as opening:
            opening.enter_context(self.store.hold_conversation(name))
            return await self._begin_turn(name, message.strip(), device, opening)

    def is_waiting(self, session_id: str) -> bool:
        """True if a job of the conversation waits for the user."""
        live = self._live.get(session_id)
        return bool(live and live.open_requests)

    async def _begin_turn(self, name: str, message: str, device: str, opening: ExitStack) -> StreamPosition:
        # Two requests may have come this far at once: the lock above let only one of them through.
        settings = self._watch.read_current()
        past = await self.store.read(name)
        talked = [kept.entry for kept in past if isinstance(kept.entry, (UserMessage, *STREAMED))]
        cut = (
            [TurnFailed(message=tell_chat_end(CUT_OFF, language_of(message)))]
            if talked and not isinstance(talked[-1], ENDS)
            else []
        )
        before = next((entry.device_id for entry in reversed(talked) if isinstance(entry, UserMessage)), "")
        device = device or before
        kept = await self.store.append(name, *cut, UserMessage(content=message, device_id=device))
        seq = kept[-1].seq
        exchange = self._live[name] = ChatTurn(name, self, settings, EventFeed(seq), language_of(message))
        task = exchange.begin_turn(device, seq)
        lock = opening.pop_all()
        self._turns.add(task)

        def forget_turn(task: asyncio.Task[None]) -> None:
            lock.close()
            self._turns.discard(task)
            self._live.pop(name, None)

        task.add_done_callback(forget_turn)
        return StreamPosition(name, exchange.feed, seq)

    def stream_turn(self, following: StreamPosition) -> AsyncGenerator[bytes, None]:
        """Yield what follows as server-sent events, up to the end of the turn."""
        return follow_feed(
            following.feed, following.after, lambda after: self._read_chunks(following.session_id, after)
        )

    async def _read_chunks(self, session_id: str, after: int) -> list[Numbered]:
        """Return streamed entries from the disk, for a client that has fallen behind."""
        kept = await self.store.read(session_id, after)
        return [(one.seq, to_entry_chunk(one)) for one in kept if isinstance(one.entry, STREAMED)]

    def is_running(self, session_id: str) -> bool:
        return session_id in self._live

    async def abort_turn(self, session_id: str, because: str = ABORTED) -> bool:
        """Stop the running turn; False if there is none. When this returns, nothing reaches a device any more."""
        live = self._live.get(session_id)
        if live is None:
            return False
        await live.stop_turn(because)
        return True

    async def forget_conversation(self, session_id: str) -> int:
        """Stop the conversation; delete it with its tasks and their pictures. Return the number of entries."""
        await self.abort_turn(check_session_id(session_id))
        with self.store.hold_conversation(session_id):
            entries = [kept.entry for kept in await self.store.read(session_id)]
            await self.tasks.delete_tasks(*{one.task_id for one in entries if isinstance(one, JobStarted)})
            self._told.pop(session_id, None)
            return await self.store.delete_entries(session_id)

    async def close(self) -> None:
        await asyncio.gather(*(live.stop_turn(SHUT_DOWN) for live in list(self._live.values())))
        await self.servers.close()
