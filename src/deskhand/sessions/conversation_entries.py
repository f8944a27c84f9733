"""The entries of a conversation, as stored and as streamed, and as turns for the assistant's model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from deskhand.core.actions import FrozenModel
from deskhand.core.decisions import Usage
from deskhand.core.human import UserRequest
from deskhand.core.llm import ToolCall, ToolResult, Turn
from deskhand.task.append_log import EntryParser

# A result longer than this is cut when it is told to a model again; the conversation keeps all of it.
RESULT_TOLD = 3000
INTERRUPTED = "interrupted: what came of it is unknown"


class UserMessage(FrozenModel):
    """The user's message, which begins a turn."""

    type: Literal["user"] = "user"
    content: str
    device_id: str = ""


class ToolCalled(FrozenModel):
    type: Literal["tool_call"] = "tool_call"
    tool_name: str
    tool_args: dict[str, Any]
    call_id: str


class ToolReturned(FrozenModel):
    type: Literal["tool_result"] = "tool_result"
    tool_name: str
    result: Any
    call_id: str
    device_id: str = ""


class AssistantSaid(FrozenModel):
    """Words for the user. With a `request`, they say what one of the jobs needs the user for."""

    type: Literal["message"] = "message"
    content: str
    request: Annotated[UserRequest | None, Field(exclude_if=lambda request: request is None)] = None


class UserAnswered(FrozenModel):
    """What came in answer to a request, by whichever door; `verdict` is None if the words did not say which."""

    type: Literal["answer"] = "answer"
    content: str
    request_id: str = ""
    task_id: str = ""
    device_id: str = ""
    verdict: Literal["yes", "no"] | None = None
    by: Literal["person", "timeout", "nobody"] = "person"


class JobStarted(FrozenModel):
    """A task that the conversation started; it is deleted with the conversation."""

    type: Literal["task"] = "task"
    task_id: str
    device_id: str


class TurnDone(FrozenModel):
    """The end of a turn, as the assistant sees it."""

    type: Literal["done"] = "done"
    content: str
    success: bool


class TurnFailed(FrozenModel):
    """The other end of a turn: it failed, or was aborted."""

    type: Literal["error"] = "error"
    message: str


class ModelPaid(FrozenModel):
    """A call to the assistant's model; `usage` is None while only its worst case is known."""

    type: Literal["paid"] = "paid"
    call: str
    model: str
    usage: Usage | None = None
    worst: str = "0"


class UnreadableEntry(FrozenModel):
    """An entry that can't be read: damaged, or of another version of Deskhand. `body` is what is stored."""

    type: Literal["unreadable"] = "unreadable"
    why: str
    body: str = ""


Entry = Annotated[
    UserMessage
    | ToolCalled
    | ToolReturned
    | AssistantSaid
    | UserAnswered
    | TurnDone
    | TurnFailed
    | ModelPaid
    | JobStarted
    | UnreadableEntry,
    Field(discriminator="type"),
]
ENDS = (TurnDone, TurnFailed)
ShownEntry = Annotated[
    UserMessage | ToolCalled | ToolReturned | AssistantSaid | UserAnswered | TurnDone | TurnFailed | JobStarted,
    Field(discriminator="type"),
]
SHOWN = (UserMessage, ToolCalled, ToolReturned, AssistantSaid, UserAnswered, TurnDone, TurnFailed, JobStarted)
STREAMED = (ToolCalled, ToolReturned, AssistantSaid, UserAnswered, TurnDone, TurnFailed)

_ENTRY: TypeAdapter[Entry] = TypeAdapter(Entry)
ENTRIES = EntryParser[Entry](_ENTRY, lambda why, body: UnreadableEntry(why=why, body=body))


class StoredEntry(BaseModel):
    """An entry with its place in the conversation."""

    model_config = ConfigDict(frozen=True)

    seq: int
    at: float
    entry: Entry


def to_entry_chunk(kept: StoredEntry) -> bytes:
    return f"id: {kept.seq}\n".encode() + to_data_chunk(kept.entry)


def to_data_chunk(entry: Entry) -> bytes:
    """Return an event without a number: one that could not be stored can't be asked for again."""
    return f"data: {json.dumps(entry.model_dump(mode='json'), ensure_ascii=False)}\n\n".encode()


# --- told again ------------------------------------------------------------------------------------------------


@dataclass
class _Exchange:
    """One user message and all that followed, as a model's turns: what was said or called, what came back."""

    turns: list[Turn]

    @property
    def size(self) -> int:
        return sum(_size_of(turn) for turn in self.turns)


def turns_of(entries: Iterable[Entry], room: int) -> list[Turn]:
    """Return the newest part of a conversation that fits into `room` characters, and always the last message."""
    exchanges = _split_exchanges(entries)
    if not exchanges:
        return []
    last = _shorten_exchange(exchanges[-1], room)
    room -= last.size
    kept = [last]
    for exchange in reversed(exchanges[:-1]):
        room -= exchange.size
        if room < 0:
            break
        kept.insert(0, exchange)
    return [turn for exchange in kept for turn in exchange.turns]


def _split_exchanges(entries: Iterable[Entry]) -> list[_Exchange]:
    exchanges: list[_Exchange] = []
    group: list[Entry] = []
    for entry in entries:
        if isinstance(entry, UserMessage) and group:
            exchanges.append(_to_exchange(group))
            group = []
        group.append(entry)
    if group:
        exchanges.append(_to_exchange(group))
    return exchanges


def _to_exchange(entries: Sequence[Entry]) -> _Exchange:
    turns: list[Turn] = []
    parts: list[str | ToolCall] = []
    results: list[ToolResult] = []

    def close_round() -> None:
        if not parts:
            return
        turns.append(Turn("model", tuple(parts)))
        calls = [part for part in parts if isinstance(part, ToolCall)]
        known = {result.id: result for result in results}
        if calls:
            turns.append(Turn("user", tuple(known.get(c.id) or ToolResult(c.id, INTERRUPTED) for c in calls)))
        parts.clear()
        results.clear()

    for entry in entries:
        match entry:
            case UserMessage(content=content):
                turns.append(Turn("user", (content,)))
            case AssistantSaid(request=UserRequest()) | UserAnswered() | JobStarted():
                pass  # the result of the call says what was asked and answered
            case AssistantSaid(content=content):
                close_round()
                parts.append(content)
            case ToolCalled(tool_name=name, tool_args=args, call_id=call_id):
                if results:
                    close_round()
                parts.append(ToolCall(name, args, call_id))
            case ToolReturned(result=result, call_id=call_id):
                text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
                results.append(ToolResult(call_id, text[:RESULT_TOLD]))
            case TurnFailed(message=message):
                close_round()
                turns.append(Turn("model", (f"({message})",)))
            case TurnDone() | ModelPaid() | UnreadableEntry():
                pass
    close_round()
    return _Exchange(turns)


def _shorten_exchange(exchange: _Exchange, room: int) -> _Exchange:
    """Return the user's message and the newest rounds that fit. Calls stay with their results."""
    first, *rest = exchange.turns
    rounds: list[list[Turn]] = []
    for turn in rest:
        if turn.speaker == "model" or not rounds:
            rounds.append([])
        rounds[-1].append(turn)
    kept: list[list[Turn]] = []
    left = room - _size_of(first)
    for turns in reversed(rounds):
        left -= sum(_size_of(turn) for turn in turns)
        if left < 0 and kept:
            break
        kept.insert(0, turns)
    return _Exchange([first, *(turn for turns in kept for turn in turns)])


def _size_of(turn: Turn) -> int:
    return sum(len(part) if isinstance(part, str) else len(repr(part)) for part in turn.parts)
