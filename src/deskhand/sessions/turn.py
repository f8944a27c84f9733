"""One message of a conversation and everything that follows from it, up to exactly one end.

Everything is on disk before anybody is told. Tools on different devices run side by side, on one device in turn.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from contextlib import AsyncExitStack
from dataclasses import replace
from decimal import Decimal

from deskhand.build import Deskhand
from deskhand.build.chat_assistant import make_assistant
from deskhand.core.decisions import Usage
from deskhand.core.errors import DeskhandError
from deskhand.core.human import UserRequest
from deskhand.core.llm import ModelReply, ToolCall
from deskhand.core.protocols import Assistant
from deskhand.engine.budget import Budget
from deskhand.engine.run import Task
from deskhand.engine.safety.authority import Authority
from deskhand.language import language_of, read_yes_or_no
from deskhand.sessions.conversation_entries import (
    Asked,
    Called,
    Done,
    Entry,
    Failed,
    Kept,
    Paid,
    Returned,
    Said,
    chunk_of,
    turns_of,
)
from deskhand.sessions.conversation_store import Conversations
from deskhand.sessions.device_jobs import InnerLoops
from deskhand.sessions.feed import Feed
from deskhand.sessions.tools import Toolbox, open_toolbox
from deskhand.settings.schema import Settings

ABORTED = "Aborted by the user."

_log = logging.getLogger("deskhand.server")


class PaidCalls:
    """The assistant's calls on their way into the conversation: the worst case is on disk before a call is made."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._unwritten: list[Entry] = []

    async def reserve(self, call: str, role: str, model: str, amount: Decimal) -> None:
        await self._exchange.record(Paid(call=call, model=model, worst=str(amount)))

    def release(self, call: str) -> None:
        self._unwritten.append(Paid(call=call, model="", usage=Usage()))

    def bill(self, role: str, model: str, usage: Usage, *, call: str = "", certain: bool = True) -> None:
        self._unwritten.append(Paid(call=call or secrets.token_hex(6), model=model, usage=usage))

    def take(self) -> list[Entry]:
        taken, self._unwritten = self._unwritten, []
        return taken


class Exchange:
    """Runs by itself once it is started: those who asked may go away, and come back to read on."""

    def __init__(self, session_id: str, hand: Deskhand, store: Conversations, settings: Settings, feed: Feed) -> None:
        self.session_id = session_id
        self.feed = feed
        self._hand = hand
        self._store = store
        self._settings = settings
        # One for the message as a whole: the assistant and all that it starts share the cap of one task.
        self._budget = Budget(settings.budget)
        self._loops = InnerLoops(hand, settings, self._budget, self._asked, Authority.of_assistant(()))
        self._paid = PaidCalls(self)
        self._turn = asyncio.Lock()
        self._begun = asyncio.Event()
        self._ending = ""
        self.over = False  # nothing is under way any more; its end is being told
        self._successes: dict[str, bool] = {}
        self._open: dict[str, Task] = {}
        self.last_seq = 0

    def begin(self, device: str, last_seq: int) -> asyncio.Task[None]:
        self.last_seq = last_seq
        self._task = asyncio.create_task(self._run(device), name=f"conversation {self.session_id}")
        return self._task

    async def stop(self, because: str = ABORTED) -> None:
        """When this returns, nothing of it is under way any more, and its end is on disk."""
        await self._begun.wait()  # a task that is cancelled before its first step would tell no end at all
        if not self._ending and not self.over:  # once: a second time would cut off the stopping itself
            self._ending = because
            self._task.cancel()
        await self.ended()

    async def ended(self) -> None:
        await asyncio.wait({self._task})

    async def record(self, *entries: Entry) -> list[Kept]:
        # Shielded: an abort may come at any moment, but what reached the disk must reach those who watch.
        return await asyncio.shield(asyncio.ensure_future(self._record(entries)))

    async def _record(self, entries: tuple[Entry, ...]) -> list[Kept]:
        async with self._turn:
            kept = await self._store.append(self.session_id, *self._paid.take(), *entries)
            for one in kept:
                self.last_seq = one.seq
                if not isinstance(one.entry, Paid):
                    self.feed.put(one.seq, chunk_of(one))
            return kept

    # --- from the message to its end -----------------------------------------------------------------------

    async def _run(self, device: str) -> None:
        self._begun.set()
        try:
            end = await self._to_the_end(device)
        except asyncio.CancelledError:
            end = Failed(message=self._ending or "The conversation was cut off.")
        except DeskhandError as fault:
            end = Failed(message=str(fault))
        except Exception as error:  # noqa: BLE001 a bug of ours: it is logged, and the stream must end all the same
            _log.exception("the conversation %s crashed", self.session_id)
            end = Failed(message=f"Internal error: {error or type(error).__name__}")
        self.over = True
        try:
            await self.record(end)
        except DeskhandError as fault:
            _log.error("the end of the conversation %s can't be kept: %s", self.session_id, fault)
        finally:
            self.feed.close()

    async def _to_the_end(self, device: str) -> Entry:
        settings = self._settings
        async with AsyncExitStack() as closing:
            assistant = make_assistant(settings, self._hand.clock, self._budget, self._paid, closing, device)
            toolbox = await open_toolbox(self._hand, self._loops, settings.chat, closing)
            for _ in range(settings.chat.max_turns):
                reply = await self._replied(assistant, toolbox)
                if not reply.calls:
                    understood = reply.stop != "refused"
                    return Done(content=reply.text, success=understood and all(self._successes.values()))
                await self._carry_out(reply.calls, toolbox)
        limit = f"The limit of {settings.chat.max_turns} turns for one message was reached."
        return Done(content=limit, success=False)

    async def _replied(self, assistant: Assistant, toolbox: Toolbox) -> ModelReply:
        past = [kept.entry for kept in await self._store.read(self.session_id)]
        messages = [entry.content for entry in past if isinstance(entry, Asked)]
        self._loops.authority = Authority.of_assistant(messages)
        reply = await assistant.answer(turns_of(past, self._settings.chat.context_chars), toolbox.tools)
        # Ids of our own: some servers give none, or the same ones again and again.
        calls = tuple(replace(call, id=f"call_{secrets.token_hex(6)}") for call in reply.calls)
        answered = [Said(content=reply.text)] if reply.text.strip() else []
        called = [Called(tool_name=call.name, tool_args=dict(call.arguments or {}), call_id=call.id) for call in calls]
        await self.record(*answered, *called)
        return replace(reply, calls=calls)

    async def _carry_out(self, calls: tuple[ToolCall, ...], toolbox: Toolbox) -> None:
        lines: dict[str, list[ToolCall]] = {}
        for call in calls:
            device = str((call.arguments or {}).get("device_id", "")) if call.name == "chat" else call.id
            lines.setdefault(device, []).append(call)
        try:
            async with asyncio.TaskGroup() as group:
                for line in lines.values():
                    group.create_task(self._one_after_the_other(line, toolbox))
        except ExceptionGroup as faults:  # a conversation that can't be written down fails on every line alike
            raise faults.exceptions[0] from None

    async def _one_after_the_other(self, calls: list[ToolCall], toolbox: Toolbox) -> None:
        for call in calls:
            result = await toolbox.use(call)
            if call.name == "chat":
                self._successes[str((call.arguments or {}).get("device_id", ""))] = bool(result.get("success"))
            await self.record(Returned(tool_name=call.name, result=result, call_id=call.id))

    # --- the person in the middle of it --------------------------------------------------------------------

    @property
    def waiting(self) -> bool:
        """Whether one of its jobs needs the person."""
        return any(run.state.requests for run in self._loops.runs.values())

    async def _asked(self, run: Task, request: UserRequest) -> None:
        zh = language_of(run.state.goal) == "zh"
        text = request.text
        if request.kind == "approval":
            text = (
                f"需要你的同意（回复“是”或“否”）：{text}"
                if zh
                else f'Your yes is needed (answer "yes" or "no"): {text}'
            )
        await self.record(Said(content=text))

    async def answer(self, text: str) -> bool:
        """Take the person's words for an answer to the oldest open request; False when they are none."""
        for run in self._loops.runs.values():
            for request in run.state.requests:
                verdict = read_yes_or_no(text)
                if request.kind == "approval" and verdict is None:
                    return False
                run.answer(request.id, verdict or "yes", text)
                return True
        return False
