"""Ask a model one question, read its reply, and ask again when the reply can't be used.

What is asked and what the answer means is left to the roles and dialects.
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
from deskhand.prompting.templates import PromptSheet

MAX_CORRECTIONS = 2
_QUOTED = 4000
_FENCE = re.compile(r"```[a-zA-Z]*\n?(.*?)```", re.DOTALL)

# What a server leaves in a reply that does not set thoughts apart; its template may have begun them. JSON comes later.
_THOUGHTS = re.compile(r"\A(?!\s*[\[{`]).*?</think>", re.DOTALL)

T = TypeVar("T")
B = TypeVar("B", bound=BaseModel)
Answer = Mapping[str, Any]


async def ask_for_object(
    model: Model, first: ModelRequest, read: Callable[[Answer], T], words: PromptSheet
) -> tuple[T, Usage]:
    """Return what `read` makes of the one JSON object of the reply, and the usage of all calls."""
    return await ask_until_usable(model, first, lambda reply: read(read_object(reply, first.tools[0].name)), words)


async def ask_until_usable(
    model: Model, first: ModelRequest, read: Callable[[ModelReply], T], words: PromptSheet
) -> tuple[T, Usage]:
    """Return what `read` makes of the reply, and the usage of all calls.

    The model is told of a fault that `read` raises, in the section `again` of `words`, at most twice; then the fault
    is raised, with the usage.
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
            correction = words.fill_section("again", problem=fault)
            mistake = (Turn("model", (quote_reply(reply),)), Turn("user", (correction,)))
            request = replace(first, turns=(*first.turns, *mistake))
    fault.usage = usage
    raise fault


def check_complete(reply: ModelReply, wanted: str = "the result alone") -> None:
    """Raise Unparsable if the reply was cut off or refused: acting on half a reply is acting on a guess."""
    if reply.stop == "length":
        raise Unparsable(f"The reply was cut off at its length limit: think shorter and answer with {wanted}.")
    if reply.stop == "refused":
        raise Unparsable("The model refused to answer.")


def quote_reply(reply: ModelReply) -> str:
    """Return the reply as text, for showing it to the model again."""
    calls = [json.dumps({"tool": call.name, "arguments": call.arguments}, ensure_ascii=False) for call in reply.calls]
    native = [json.dumps(dict(item), ensure_ascii=False) for item in reply.native]
    return "\n".join(part for part in (reply.text, *calls, *native) if part)[:_QUOTED] or "(nothing)"


def strip_thoughts(text: str) -> str:
    return _THOUGHTS.sub("", text)


def read_object(reply: ModelReply, tool: str) -> Answer:
    """Return the one JSON object of a reply: the arguments of a call of `tool`, or the same as text."""
    check_complete(reply)
    if len(reply.calls) > 1:
        raise Unparsable(f"The tool {tool!r} has to be called exactly once, not {len(reply.calls)} times.")
    for call in reply.calls:
        if call.name != tool:
            raise Unparsable(f"There is no tool {call.name!r}; call {tool!r}.")
        if call.arguments is None:
            raise Unparsable(f"The arguments of {tool!r} are not a JSON object.")
        return call.arguments
    return _read_object_from_text(reply.text, tool)


def _read_object_from_text(text: str, tool: str) -> Answer:
    said = strip_thoughts(text)
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
    found = cast("dict[str, Any]", value)
    inner = found.get("arguments")
    is_call = isinstance(inner, dict) and found.get("name", found.get("tool")) == tool
    return cast("Answer", inner) if is_call else found


def validate_answer(shape: type[B], answer: Answer) -> B:
    """Return the answer in its shape; raise Unparsable with the first field that is wrong, for the model."""
    try:
        return shape.model_validate(answer)
    except ValidationError as error:
        raise Unparsable(f"{describe_first_error(error, 'the answer')}.") from None


def describe_first_error(error: ValidationError, subject: str) -> str:
    """Return `field: problem` for the first wrong field; `subject` stands for the field if it is none."""
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or subject
    return f"{field}: {first['msg']}"
