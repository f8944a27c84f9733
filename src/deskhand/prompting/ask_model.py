"""One question to a model, often answered by one JSON object: asked, read, and asked again when it can't be used.

What is asked and what the answer means is the role's matter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from deskhand.core.decisions import Usage
from deskhand.core.errors import ModelFault, Unparsable
from deskhand.core.llm import ModelReply, ModelRequest, Turn
from deskhand.core.protocols import Model

MAX_CORRECTIONS = 2
_QUOTED = 4000
_FENCE = re.compile(r"```[a-zA-Z]*\n?(.*?)```", re.DOTALL)

# What a server leaves in a reply that does not set thoughts apart; its template may have begun them. JSON comes later.
_THOUGHTS = re.compile(r"\A(?!\s*[\[{`]).*?</think>", re.DOTALL)

T = TypeVar("T")
B = TypeVar("B", bound=BaseModel)
Said = Mapping[str, Any]


async def ask(
    model: Model, first: ModelRequest, read: Callable[[Said], T], again: Callable[[str], str]
) -> tuple[T, Usage]:
    """What `read` makes of the one JSON object of the answer, and what all calls took."""
    return await converse(model, first, lambda reply: read(answer(reply, first.tools[0].name)), again)


async def converse(
    model: Model, first: ModelRequest, read: Callable[[ModelReply], T], again: Callable[[str], str]
) -> tuple[T, Usage]:
    """What `read` makes of a reply, and what all calls took.

    A fault that `read` raises is told to the model in the words of `again`, at most twice; then it is raised,
    with the usage.
    """
    request, usage, fault = first, Usage(), ModelFault("The model was not asked.")
    for _ in range(1 + MAX_CORRECTIONS):
        reply = await model.ask(request)
        usage += reply.usage
        try:
            return read(reply), usage
        except ModelFault as unusable:
            fault = unusable
            # Only the newest mistake is shown, so that corrections don't pile up.
            told = (Turn("model", (_quoted(reply),)), Turn("user", (again(str(fault)),)))
            request = replace(first, turns=(*first.turns, *told))
    fault.usage = usage
    raise fault


def check_whole(reply: ModelReply) -> None:
    """Raise Unparsable where half an answer could be taken for a whole one."""
    if reply.stop == "length":
        raise Unparsable("The answer was cut off at its length limit: answer shorter.")
    if reply.stop == "refused":
        raise Unparsable("The model refused to answer.")


def answer(reply: ModelReply, tool: str) -> Said:
    """The one JSON object of a reply: a call of the tool, or the same as text."""
    check_whole(reply)
    if len(reply.calls) > 1:
        raise Unparsable(f"The tool {tool!r} has to be called exactly once, not {len(reply.calls)} times.")
    for call in reply.calls:
        if call.name != tool:
            raise Unparsable(f"There is no tool {call.name!r}; call {tool!r}.")
        if call.arguments is None:
            raise Unparsable(f"The arguments of {tool!r} are not a JSON object.")
        return call.arguments
    return _from_text(reply.text, tool)


def _from_text(text: str, tool: str) -> Said:
    said = _THOUGHTS.sub("", text)
    fenced = _FENCE.search(said)
    body = fenced[1] if fenced else said
    start = body.find("{")
    if start < 0:
        raise Unparsable(f"The answer contains no JSON object; call the tool {tool!r} or answer with its JSON alone.")
    try:
        value, end = json.JSONDecoder().raw_decode(body, start)
    except (ValueError, RecursionError) as error:
        raise Unparsable(f"The JSON of the answer can't be read: {error}.") from None
    if "{" in body[end:]:
        raise Unparsable("The answer contains more than one JSON object; answer with exactly one.")
    whole = cast("dict[str, Any]", value)
    inner = whole.get("arguments")
    return cast("Said", inner) if isinstance(inner, dict) and whole.get("name") == tool else whole


def checked(shape: type[B], said: Said) -> B:
    """The answer in its shape, with the first field that is wrong told to the model instead of to us."""
    try:
        return shape.model_validate(said)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the answer"
        raise Unparsable(f"{where}: {first['msg']}.") from None


def _quoted(reply: ModelReply) -> str:
    calls = [json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False) for call in reply.calls]
    return "\n".join(part for part in (reply.text, *calls) if part)[:_QUOTED] or "(nothing)"
