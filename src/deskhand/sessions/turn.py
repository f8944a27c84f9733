"""The layered chat's turn: one user message and everything that follows from it, up to exactly one end.

Each entry is on disk before it is streamed. Jobs on different devices run in parallel, on one device in order.
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
    AssistantSaid,
    Entry,
    ModelPaid,
    StoredEntry,
    ToolCalled,
    ToolReturned,
    TurnDone,
    TurnFailed,
    UserMessage,
    to_entry_chunk,
    turns_of,
)
from deskhand.sessions.conversation_store import ConversationStore
from deskhand.sessions.device_jobs import DeviceJobs
from deskhand.sessions.feed import EventFeed
from deskhand.sessions.tools import Toolbox, open_toolbox
from deskhand.settings.schema import Settings

ABORTED = "Aborted by the user."

_log = logging.getLogger("deskhand.server")


class PaidCalls:
    """The ledger of the assistant's model calls: the worst case is on disk before a call is made."""

    def __init__(self, exchange: ChatTurn) -> None:
        self._exchange = exchange
        self._unwritten: list[Entry] = []

    async def reserve(self, call: str, role: str, model: str, amount: Decimal) -> None:
        await self._exchange.record_entries(ModelPaid(call=call, model=model, worst=str(amount)))

    def release(self, call: str) -> None:
        self._unwritten.append(ModelPaid(call=call, model="", usage=Usage()))

    def bill(self, role: str, model: str, usage: Usage, *, call: str = "", certain: bool = True) -> None:
        self._unwritten.append(ModelPaid(call=call or secrets.token_hex(6), model=model, usage=usage))

    def take_entries(self) -> list[Entry]:
        taken, self._unwritten = self._unwritten, []
        return taken


class ChatTurn:
    """Runs by itself once it is started: its client may disconnect, and read on later."""

    def __init__(
        self, session_id: str, hand: Deskhand, store: ConversationStore, settings: Settings, feed: EventFeed
    ) -> None:
        self.session_id = session_id
        self.feed = feed
        self._hand = hand
        self._store = store
        self._settings = settings
        # One for the message as a whole: the assistant and all that it starts share the cap of one task.
        self._budget = Budget(settings.budget)
        self._loops = DeviceJobs(hand, settings, self._budget, self._ask_user, Authority.of_assistant(()))
        self._paid = PaidCalls(self)
        self._turn = asyncio.Lock()
        self._begun = asyncio.Event()
        self._ending = ""
        self.over = False  # nothing is under way any more; its end is being told
        self._successes: dict[str, bool] = {}
        self._open: dict[str, Task] = {}
        self.last_seq = 0

    def begin_turn(self, device: str, last_seq: int) -> asyncio.Task[None]:
        self.last_seq = last_seq
        self._task = asyncio.create_task(self._run_turn(device), name=f"conversation {self.session_id}")
        return self._task

    async def stop_turn(self, because: str = ABORTED) -> None:
        """Cancel the turn. When this returns, nothing of it runs any more, and its end is on disk."""
        await self._begun.wait()  # a task that is cancelled before its first step would tell no end at all
        if not self._ending and not self.over:  # once: a second time would cut off the stopping itself
            self._ending = because
            self._task.cancel()
        await self.wait_until_over()

    async def wait_until_over(self) -> None:
        await asyncio.wait({self._task})

    async def record_entries(self, *entries: Entry) -> list[StoredEntry]:
        # Shielded: an abort may come at any moment, but what reached the disk must reach those who watch.
        return await asyncio.shield(asyncio.ensure_future(self._append_entries(entries)))

    async def _append_entries(self, entries: tuple[Entry, ...]) -> list[StoredEntry]:
        async with self._turn:
            kept = await self._store.append(self.session_id, *self._paid.take_entries(), *entries)
            for one in kept:
                self.last_seq = one.seq
                if not isinstance(one.entry, ModelPaid):
                    self.feed.add_chunk(one.seq, to_entry_chunk(one))
            return kept

    # --- from the message to its end -----------------------------------------------------------------------

    async def _run_turn(self, device: str) -> None:
        self._begun.set()
        try:
            end = await self._work_to_end(device)
        except asyncio.CancelledError:
            end = TurnFailed(message=self._ending or "The conversation was cut off.")
        except DeskhandError as fault:
            end = TurnFailed(message=str(fault))
        except Exception as error:  # noqa: BLE001 a bug of ours: it is logged, and the stream must end all the same
            _log.exception("the conversation %s crashed", self.session_id)
            end = TurnFailed(message=f"Internal error: {error or type(error).__name__}")
        self.over = True
        try:
            await self.record_entries(end)
        except DeskhandError as fault:
            _log.error("the end of the conversation %s can't be kept: %s", self.session_id, fault)
        finally:
            self.feed.close()

    async def _work_to_end(self, device: str) -> Entry:
        settings = self._settings
        async with AsyncExitStack() as closing:
            assistant = make_assistant(settings, self._hand.clock, self._budget, self._paid, closing, device)
            toolbox = await open_toolbox(self._hand, self._loops, settings.chat, closing)
            for _ in range(settings.chat.max_turns):
                reply = await self._ask_assistant(assistant, toolbox)
                if not reply.calls:
                    understood = reply.stop != "refused"
                    return TurnDone(content=reply.text, success=understood and all(self._successes.values()))
                await self._carry_out_calls(reply.calls, toolbox)
        limit = f"The limit of {settings.chat.max_turns} turns for one message was reached."
        return TurnDone(content=limit, success=False)

    async def _ask_assistant(self, assistant: Assistant, toolbox: Toolbox) -> ModelReply:
        past = [kept.entry for kept in await self._store.read(self.session_id)]
        messages = [entry.content for entry in past if isinstance(entry, UserMessage)]
        self._loops.authority = Authority.of_assistant(messages)
        reply = await assistant.answer(turns_of(past, self._settings.chat.context_chars), toolbox.tools)
        # Ids of our own: some servers give none, or the same ones again and again.
        calls = tuple(replace(call, id=f"call_{secrets.token_hex(6)}") for call in reply.calls)
        answered = [AssistantSaid(content=reply.text)] if reply.text.strip() else []
        called = [
            ToolCalled(tool_name=call.name, tool_args=dict(call.arguments or {}), call_id=call.id) for call in calls
        ]
        await self.record_entries(*answered, *called)
        return replace(reply, calls=calls)

    async def _carry_out_calls(self, calls: tuple[ToolCall, ...], toolbox: Toolbox) -> None:
        lines: dict[str, list[ToolCall]] = {}
        for call in calls:
            device = str((call.arguments or {}).get("device_id", "")) if call.name == "chat" else call.id
            lines.setdefault(device, []).append(call)
        try:
            async with asyncio.TaskGroup() as group:
                for line in lines.values():
                    group.create_task(self._run_calls_in_order(line, toolbox))
        except ExceptionGroup as faults:  # a conversation that can't be written down fails on every line alike
            raise faults.exceptions[0] from None

    async def _run_calls_in_order(self, calls: list[ToolCall], toolbox: Toolbox) -> None:
        for call in calls:
            result = await toolbox.call_tool(call)
            if call.name == "chat":
                self._successes[str((call.arguments or {}).get("device_id", ""))] = bool(result.get("success"))
            await self.record_entries(ToolReturned(tool_name=call.name, result=result, call_id=call.id))

    # --- questions to the user -----------------------------------------------------------------------------

    @property
    def is_waiting(self) -> bool:
        """True if one of its jobs waits for the user."""
        return any(run.state.requests for run in self._loops.runs.values())

    async def _ask_user(self, run: Task, request: UserRequest) -> None:
        zh = language_of(run.state.goal) == "zh"
        text = request.text
        if request.kind == "approval":
            text = (
                f"需要你的同意（回复“是”或“否”）：{text}"
                if zh
                else f'Your yes is needed (answer "yes" or "no"): {text}'
            )
        await self.record_entries(AssistantSaid(content=text))

    async def answer_request(self, text: str) -> bool:
        """Answer the oldest open request with the user's text; False if there is none, or the text is no answer."""
        for run in self._loops.runs.values():
            for request in run.state.requests:
                verdict = read_yes_or_no(text)
                if request.kind == "approval" and verdict is None:
                    return False
                run.answer(request.id, verdict or "yes", text)
                return True
        return False
