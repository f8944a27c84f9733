"""Layered chat over HTTP: a message comes in, a stream of events goes out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from deskhand.server.problems import ANYWHERE, document_statuses
from deskhand.server.schemas import (
    ChatRequest,
    CommandResult,
    ConversationDetail,
    ConversationEvent,
    ConversationList,
    SessionRequest,
)
from deskhand.server.shared_services import Shared
from deskhand.server.sse import EventStream, document_stream
from deskhand.server.task_report import usage_of_conversation
from deskhand.sessions.conversation_entries import SHOWN
from deskhand.sessions.conversation_store import SESSION_PATTERN
from deskhand.sessions.tasks import UnknownTask

router = APIRouter(prefix="/api/layered-agent", tags=["layered chat"], responses=ANYWHERE)

SessionPath = Annotated[str, Path(pattern=SESSION_PATTERN)]


class UnknownSession(UnknownTask):
    def __init__(self, session_id: str) -> None:
        Exception.__init__(self, f"Conversation {session_id!r} not found.")


@router.post(
    "/chat",
    response_class=EventStream,
    responses={
        **document_stream("`data:` lines: tool_call, tool_result, message, answer; at the end one done or one error"),
        **document_statuses(400, 409, 503),
    },
)
async def chat(body: ChatRequest, shared: Shared) -> EventStream:
    """Send a message. The `X-Session-Id` header names the conversation, for the next message."""
    following = await shared.chats.send_message(
        body.message, body.device_id or "", body.session_id or "", body.request_id or ""
    )
    return EventStream(shared.chats.stream_turn(following), {"X-Session-Id": following.session_id})


@router.post("/abort", responses=document_statuses(400))
async def abort(body: SessionRequest, shared: Shared) -> CommandResult:
    """Stop the running turn of the conversation; its stream ends with an error."""
    stopped = await shared.chats.abort_turn(body.session_id)
    return CommandResult(success=stopped, message="Stopped." if stopped else "Nothing was running.")


@router.delete("/sessions/{session_id}", responses=document_statuses(400, 404, 409, 503))
async def delete(session_id: SessionPath, shared: Shared) -> CommandResult:
    """Stop the conversation; delete it with its tasks and their pictures. It can't be undone."""
    if not await shared.store.read(session_id):
        raise UnknownSession(session_id)
    gone = await shared.chats.forget_conversation(session_id)
    return CommandResult(success=True, message=f"{gone} entries deleted.")


@router.post("/reset", responses=document_statuses(400, 409, 503))
async def reset(body: SessionRequest, shared: Shared) -> CommandResult:
    """Stop the conversation; delete it with its tasks and their pictures. It can't be undone."""
    gone = await shared.chats.forget_conversation(body.session_id)
    return CommandResult(success=True, message=f"{gone} entries deleted.")


@router.get("/sessions", responses=document_statuses(503))
async def sessions(shared: Shared, limit: Annotated[int, Query(ge=1, le=1000)] = 50) -> ConversationList:
    """All conversations, the newest first."""
    return ConversationList(sessions=await shared.store.list_conversations(limit))


@router.get("/sessions/{session_id}", responses=document_statuses(404, 503))
async def session(session_id: SessionPath, shared: Shared) -> ConversationDetail:
    """A conversation from its beginning."""
    kept = await shared.store.read(session_id)
    if not kept:
        raise UnknownSession(session_id)
    entries = [
        ConversationEvent(id=one.seq, at=one.at, event=one.entry) for one in kept if isinstance(one.entry, SHOWN)
    ]
    running, usage = shared.chats.is_running(session_id), usage_of_conversation(kept)
    return ConversationDetail(session_id=session_id, running=running, usage=usage, entries=entries)
