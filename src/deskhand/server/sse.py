"""Server-sent events: the response, and the number after which a client reads on."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated, Any

from fastapi import Header
from fastapi.responses import StreamingResponse

EVENTS = "text/event-stream"
LARGEST = 2**53
# Where a client says that it has everything up to this number.
LastEventId = Annotated[str | None, Header(max_length=30, description="the id of the last event that was received")]


class EventStream(StreamingResponse):
    media_type = EVENTS

    def __init__(
        self, chunks: AsyncGenerator[bytes, None], headers: dict[str, str] | None = None, status_code: int = 200
    ) -> None:
        always = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(chunks, status_code, {**always, **(headers or {})})


def document_stream(what: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"description": what, "content": {EVENTS: {"schema": {"type": "string"}}}}}


def parse_event_id(last_event_id: str | None, after: int = 0) -> int:
    """Return the number of a Last-Event-ID, or `after` if it is missing or no number that we send."""
    said = int(last_event_id) if last_event_id and last_event_id.isdecimal() else LARGEST + 1
    return said if said <= LARGEST else after
