"""Questions to the user of an MCP client: the client shows them as forms, and its model never answers them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

from mcp.server.context import ServerRequestContext
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from deskhand.core.human import RequestKind, UserReply
from deskhand.mcp.tool_schemas import RequestReport
from mcp import MCPError

Context = ServerRequestContext[Any, Any]
_ANSWER = "answer"
_ENDS: dict[RequestKind, str] = {"question": "", "approval": "", "take_over": "\nAccept when it is done."}


def can_ask(ctx: Context) -> bool:
    """True if this client shows forms to its user."""
    offered = ctx.session.client_capabilities
    if offered is None or offered.elicitation is None:
        return False
    # Nothing in it is how clients of the first version of this say that they show forms.
    return offered.elicitation.form is not None or offered.elicitation.url is None


def asks_by_result(ctx: Context) -> bool:
    """True for newer clients: they get the questions in the result of their call, and call again with the answers."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def make_form(request: RequestReport) -> ElicitRequestFormParams:
    answer = {_ANSWER: {"type": "string", "description": "in your own words"}} if request.kind == "question" else {}
    schema: dict[str, Any] = {"type": "object", "properties": answer, "required": list(answer)}
    return ElicitRequestFormParams(message=f"Deskhand: {request.words}{_ENDS[request.kind]}", requested_schema=schema)


def make_forms(requests: list[RequestReport]) -> dict[str, Any]:
    return {request.id: ElicitRequest(params=make_form(request)) for request in requests}


def to_reply(request_id: str, result: ElicitResult) -> UserReply | None:
    """Return None if the user closed the form: the request stays open until it expires."""
    verdicts: dict[str, Literal["yes", "no"]] = {"accept": "yes", "decline": "no"}
    verdict = verdicts.get(result.action)
    text = str((result.content or {}).get(_ANSWER) or "") if verdict == "yes" else ""
    return UserReply(request_id=request_id, verdict=verdict, text=text) if verdict else None


def to_replies(responses: Mapping[str, Any] | None) -> list[UserReply]:
    found = [to_reply(name, result) for name, result in (responses or {}).items() if isinstance(result, ElicitResult)]
    return [one for one in found if one]


async def ask_user(ctx: Context, request: RequestReport, now: float) -> UserReply | None:
    """Ask the user of an older client while its call waits, but no longer than the task waits."""
    asked = make_form(request)
    try:
        async with asyncio.timeout(max(0.0, request.expires - now) if request.expires else None):
            result = await ctx.session.elicit_form(asked.message, asked.requested_schema, ctx.request_id)
    except (MCPError, TimeoutError):
        return None
    return to_reply(request.id, result)
