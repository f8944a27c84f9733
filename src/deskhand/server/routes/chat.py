"""Layered chat over HTTP: one message in, a stream of what follows from it out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from deskhand.server.problems import ANYWHERE, documented
from deskhand.server.schemas import ChatRequest, Outcome, SessionRequest, TalkEntry, TalkList, TalkView, WholeTalk
from deskhand.server.services import Shared
from deskhand.server.sse import EventStream, stream_documented
from deskhand.server.task_report import spent_on
from deskhand.sessions.conversation_entries import STREAMED, Asked, event_of
from deskhand.sessions.tasks import UnknownTask

router = APIRouter(prefix="/api/layered-agent", tags=["layered chat"], responses=ANYWHERE)

SessionPath = Annotated[str, Path(pattern=r"^[A-Za-z0-9_.-]{1,100}$")]


class UnknownSession(UnknownTask):
    def __init__(self, session_id: str) -> None:
        Exception.__init__(self, f"There is no conversation {session_id!r}.")


@router.post(
    "/chat",
    response_class=EventStream,
    responses={
        **stream_documented("`data:` lines: tool_call, tool_result, message; at the end one done or one error"),
        **documented(400, 409, 503),
    },
)
async def chat(body: ChatRequest, shared: Shared) -> EventStream:
    """Say something. The `X-Session-Id` header names the conversation, for the next message."""
    following = await shared.chats.say(body.message, body.device_id or "", body.session_id or "")
    return EventStream(shared.chats.stream(following), {"X-Session-Id": following.session_id})


@router.post("/abort", responses=documented(400))
async def abort(body: SessionRequest, shared: Shared) -> Outcome:
    """Stop at once what the conversation has under way; its stream says so."""
    stopped = await shared.chats.abort(body.session_id)
    return Outcome(success=stopped, message="It was stopped." if stopped else "There was nothing to stop.")


@router.post("/reset", responses=documented(400, 409, 503))
async def reset(body: SessionRequest, shared: Shared) -> Outcome:
    """Stop the conversation and forget all of it."""
    gone = await shared.chats.reset(body.session_id)
    return Outcome(success=True, message=f"{gone} entries were forgotten.")


@router.get("/sessions", responses=documented(503))
async def sessions(shared: Shared, limit: Annotated[int, Query(ge=1, le=1000)] = 50) -> TalkList:
    """All conversations, the newest first."""
    return TalkList(sessions=[TalkView(**talk.model_dump()) for talk in await shared.store.listed(limit)])


@router.get("/sessions/{session_id}", responses=documented(404, 503))
async def session(session_id: SessionPath, shared: Shared) -> WholeTalk:
    """A conversation from its beginning."""
    kept = await shared.store.read(session_id)
    if not kept:
        raise UnknownSession(session_id)
    entries = [
        TalkEntry(id=one.seq, at=one.at, event=event_of(one))
        for one in kept
        if isinstance(one.entry, (Asked, *STREAMED))
    ]
    running = shared.chats.running(session_id)
    return WholeTalk(session_id=session_id, running=running, usage=spent_on(kept), entries=entries)
