"""The layered chat's turn: one user message and everything that follows from it, up to exactly one end.

Each entry is on disk before it is streamed. Jobs on different devices run in parallel, on one device in order.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from decimal import Decimal
from difflib import SequenceMatcher
from typing import Protocol

from deskhand.build import Deskhand
from deskhand.build.chat_assistant import make_assistant
from deskhand.core.decisions import Usage
from deskhand.core.errors import DeskhandError
from deskhand.core.human import UserReply, UserRequest
from deskhand.core.llm import Language, ModelReply, ToolCall
from deskhand.core.protocols import Assistant
from deskhand.engine.budget import Budget
from deskhand.engine.run import Task
from deskhand.engine.safety.authority import Authority
from deskhand.language import language_of
from deskhand.sessions.answers import OpenRequest, ask_again, find_answers
from deskhand.sessions.chat_ends import ABORTED, CUT_SHORT, tell_chat_end
from deskhand.sessions.conversation_entries import (
    STREAMED,
    AssistantSaid,
    Entry,
    JobStarted,
    ModelPaid,
    StoredEntry,
    ToolCalled,
    ToolReturned,
    TurnDone,
    TurnFailed,
    UserAnswered,
    UserMessage,
    to_data_chunk,
    to_entry_chunk,
    turns_of,
)
from deskhand.sessions.conversation_store import ConversationStore
from deskhand.sessions.device_jobs import DeviceJobs
from deskhand.sessions.feed import EventFeed
from deskhand.sessions.mcp_tools import McpServers
from deskhand.sessions.request_words import describe_how_to_answer, describe_request
from deskhand.sessions.tasks import Tasks
from deskhand.sessions.tools import Toolbox, open_toolbox
from deskhand.settings.schema import Settings

_log = logging.getLogger("deskhand.server")

# Words for the same job, said a little differently: "open Setings" and "open Settings".
ALIKE = 0.8


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


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """How a call of the tool `chat` ended."""

    device: str
    message: str
    success: bool


def is_recovered(failed: JobOutcome, later: Iterable[JobOutcome]) -> bool:
    """True if a later job did what this one was to do: the same words on any device, or similar ones on the same.

    Another job that succeeded makes nothing good, even on the same device.
    """
    return any(
        one.success
        and (
            _is_alike(failed.message, one.message, 1.0)
            or (one.device == failed.device and _is_alike(failed.message, one.message, ALIKE))
        )
        for one in later
    )


def _is_alike(one: str, other: str, least: float) -> bool:
    one, other = (" ".join(text.casefold().split()).rstrip(".。!！") for text in (one, other))
    return one == other if least >= 1 else SequenceMatcher(None, one, other, autojunk=False).ratio() >= least


class ConversationParts(Protocol):
    """What all turns of all conversations share."""

    @property
    def hand(self) -> Deskhand: ...
    @property
    def store(self) -> ConversationStore: ...
    @property
    def tasks(self) -> Tasks: ...
    @property
    def servers(self) -> McpServers: ...
    def report_troubles(self, session_id: str, troubles: Sequence[str]) -> list[str]:
        """Return those that this conversation was not told yet."""
        ...


class ChatTurn:
    """Runs by itself once it is started: its client may disconnect, and read on later."""

    def __init__(
        self,
        session_id: str,
        parts: ConversationParts,
        settings: Settings,
        feed: EventFeed[bytes],
        language: Language = "en",
    ) -> None:
        self.session_id = session_id
        self._language: Language = language
        self.feed = feed
        self._parts = parts
        self._hand = parts.hand
        self._store = parts.store
        self._settings = settings
        # One for the message as a whole: the assistant and all that it starts share the cap of one task.
        self._budget = Budget(settings.budget)
        authority = Authority.of_assistant(())
        self._loops = DeviceJobs(self._hand, parts.tasks, settings, self._budget, self, authority)
        self._paid = PaidCalls(self)
        self._turn = asyncio.Lock()
        self._begun = asyncio.Event()
        self._ending = ""
        self.over = False  # nothing is under way any more; its end is being told
        self._outcomes: list[JobOutcome] = []
        self.last_seq = 0

    def _tell_user(self, sentence: str) -> str:
        """Return a sentence of ours in the language of the user's message."""
        return tell_chat_end(sentence, self._language)

    def begin_turn(self, device: str, last_seq: int) -> asyncio.Task[None]:
        self.last_seq = last_seq
        self._task = asyncio.create_task(self._run_turn(device), name=f"conversation {self.session_id}")
        return self._task

    async def stop_turn(self, because: str = ABORTED) -> None:
        """Cancel the turn. When this returns, nothing of it runs any more, and its end is on disk."""
        await self._begun.wait()  # a task that is cancelled before its first step would tell no end at all
        if not self._ending and not self.over:  # once: a second time would cut off the stopping itself
            self._ending = self._loops.stop_reason = because
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
                if isinstance(one.entry, STREAMED):
                    self.feed.add_chunk(one.seq, to_entry_chunk(one))
            return kept

    # --- from the message to its end -----------------------------------------------------------------------

    async def _run_turn(self, device: str) -> None:
        self._begun.set()
        try:
            end = await self._work_to_end(device)
        except asyncio.CancelledError:
            end = TurnFailed(message=self._tell_user(self._ending or CUT_SHORT))
        except DeskhandError as fault:
            end = TurnFailed(message=self._tell_user(str(fault)))
        except Exception as error:  # noqa: BLE001 a bug of ours: it is logged, and the stream must end all the same
            _log.exception("the conversation %s crashed", self.session_id)
            end = TurnFailed(message=f"Internal error: {error or type(error).__name__}")
        self.over = True
        try:
            await self.record_entries(end)
        except Exception as fault:  # noqa: BLE001 whatever it is, those who watch get their end
            _log.error("the end of the conversation %s can't be stored: %s", self.session_id, fault)
            unstored = TurnFailed(message=self._tell_user(f"The conversation can't be stored: {fault}"))
            self.feed.add_chunk(self.last_seq + 1, to_data_chunk(unstored))
        finally:
            self.feed.close()

    async def _work_to_end(self, device: str) -> Entry:
        settings = self._settings
        async with AsyncExitStack() as closing:
            assistant = make_assistant(settings, self._hand.clock, self._budget, self._paid, closing, device)
            toolbox = await open_toolbox(self._hand, self._loops, settings.chat, self._parts.servers)
            if news := self._parts.report_troubles(self.session_id, toolbox.troubles):
                await self.record_entries(*(AssistantSaid(content=trouble) for trouble in news))
            for _ in range(settings.chat.max_turns):
                reply = await self._ask_assistant(assistant, toolbox)
                if not reply.calls:
                    understood = reply.stop != "refused"
                    return TurnDone(content=reply.text, success=understood and self._has_succeeded())
                await self._carry_out_calls(reply.calls, toolbox)
        limit = f"The limit of {settings.chat.max_turns} turns for one message was reached."
        return TurnDone(content=self._tell_user(limit), success=False)

    def _has_succeeded(self) -> bool:
        ended = self._outcomes
        return all(one.success or is_recovered(one, ended[place + 1 :]) for place, one in enumerate(ended))

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
                given = {key: str(value) for key, value in (call.arguments or {}).items()}
                outcome = JobOutcome(
                    given.get("device_id", ""),
                    given.get("message", "").strip(),
                    success=bool(result.get("success")),
                )
                self._outcomes.append(outcome)
            device = str((call.arguments or {}).get("device_id", ""))
            await self.record_entries(
                ToolReturned(tool_name=call.name, result=result, call_id=call.id, device_id=device)
            )

    # --- questions to the user -----------------------------------------------------------------------------

    @property
    def open_requests(self) -> list[OpenRequest]:
        """What its jobs wait for, the oldest first."""
        return [OpenRequest(run, request) for run in self._loops.runs.values() for request in run.state.requests]

    async def note_start(self, run: Task) -> None:
        await self.record_entries(JobStarted(task_id=run.task_id, device_id=run.state.device))

    async def ask_user(self, run: Task, request: UserRequest) -> None:
        language = language_of(run.state.goal)
        lines = describe_request(request, language)
        lines.append(describe_how_to_answer(request, self._hand.clock.wall(), language))
        await self.record_entries(AssistantSaid(content="\n".join(lines), request=request))

    async def note_reply(self, run: Task, request: UserRequest, reply: UserReply) -> None:
        answer = UserAnswered(
            content=reply.text or reply.verdict,
            request_id=request.id,
            task_id=run.task_id,
            device_id=request.device,
            verdict=reply.verdict,
            by=reply.by,
        )
        await self.record_entries(answer)

    async def answer_request(self, text: str, request_id: str = "") -> None:
        """Give the user's words to the request that they are for; where that is not clear, ask which one."""
        waiting = self.open_requests
        answers = find_answers(text, waiting, request_id)
        for one, verdict, words in answers:
            one.run.answer(one.request.id, verdict, words)
        if not answers:
            told = ask_again(waiting, self._hand.clock.wall())
            asked = [AssistantSaid(content=words, request=request) for words, request in told]
            await self.record_entries(UserAnswered(content=text), *asked)
