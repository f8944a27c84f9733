"""Everything that happens, in one stream: a browser has only six connections to a server."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query

from deskhand.server.problems import ANYWHERE, document_statuses
from deskhand.server.shared_services import Shared
from deskhand.server.sse import EVENTS, EventStream
from deskhand.server.stream_events import Position, Topic, Wanted

router = APIRouter(prefix="/api/events", tags=["events"], responses=ANYWHERE)

LONGEST = 100
EVERYTHING: list[Topic] = ["tasks", "chats", "devices", "requests", "settings"]
_RESPONSE = {
    "description": "Each `data:` line is a StreamEvent. `devices`, `requests` and `settings` come whole, first as they "
    "are and then each time they have changed.",
    "content": {EVENTS: {"itemSchema": {"$ref": "#/components/schemas/StreamEvent"}}},
}


@router.get("/stream", response_class=EventStream, responses={200: _RESPONSE, **document_statuses(503)})
async def stream_everything(
    shared: Shared,
    topics: Annotated[list[Topic], Query(description="only these; may be given several times")] = EVERYTHING,
    task_id: Annotated[str, Query(max_length=100, description="of the tasks, only this one")] = "",
    device: Annotated[str, Query(max_length=2000, description="of the tasks, only those on this device")] = "",
    session_id: Annotated[str, Query(max_length=200, description="of the conversations, only this one")] = "",
    after: Annotated[str | None, Query(max_length=LONGEST, description="the same as Last-Event-ID")] = None,
    last_event_id: Annotated[
        str | None, Header(max_length=LONGEST, description="the last id that was received")
    ] = None,
) -> EventStream:
    """Tasks, conversations, devices, requests and settings. With `Last-Event-ID`, from there on: nothing is missing
    and nothing comes twice, also after a restart of the server. Without it, from now on."""
    position = Position.parse_text(last_event_id) or Position.parse_text(after)
    return EventStream(shared.hub.stream_events(position, Wanted(frozenset(topics), task_id, device, session_id)))
