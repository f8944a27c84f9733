"""Probe an endpoint by one cheap real request: pictures, tool calls, streaming, and whether its price is known."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, replace

from PIL import Image

from deskhand.core.errors import DeskhandError, SettingsError
from deskhand.core.llm import ModelReply, ModelRequest, Picture, Tool, Turn
from deskhand.models.failures import ModelCallFailed
from deskhand.models.make_model import choose_dialect, find_model_settings, make_http_model
from deskhand.models.prices import Price, price_of
from deskhand.models.wire import CallTimeouts
from deskhand.settings.schema import EndpointSettings, Settings

_TOOL = Tool(
    "colour",
    "Say the colour of the picture.",
    {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
)
_SIDE = 64
# The answer is one word, but some models think first, and thoughts count as output.
_ROOM = 1000


@dataclass(frozen=True, slots=True)
class EndpointReport:
    """Lists what one endpoint can do. None: not tried, because something before it failed."""

    model: str
    problem: str = ""
    vision: bool | None = None
    tools: bool | None = None
    streaming: bool | None = None
    price: Price | None = None


async def probe_models(role: str, settings: Settings) -> list[EndpointReport]:
    """Probe the role's model and its fallbacks, one after the other."""
    section = find_model_settings(role, settings)
    patience = CallTimeouts.from_settings(section)
    return [await _probe_endpoint(one, choose_dialect(section), patience) for one in (section, *section.fallbacks)]


async def _probe_endpoint(endpoint: EndpointSettings, dialect: str, patience: CallTimeouts) -> EndpointReport:
    found = EndpointReport(f"{endpoint.provider}:{endpoint.model}")
    try:
        found = replace(found, price=price_of(endpoint))
    except SettingsError as error:
        found = replace(found, problem=str(error))
    try:
        reply, vision = await _ask_endpoint(endpoint, dialect, patience)
    except DeskhandError as error:
        return replace(found, problem=str(error))
    return replace(found, vision=vision, tools=bool(reply.calls), streaming=endpoint.stream)


async def _ask_endpoint(endpoint: EndpointSettings, dialect: str, patience: CallTimeouts) -> tuple[ModelReply, bool]:
    """Return the reply, and True if the model saw the picture: a red square that no text mentions."""
    wire = make_http_model(endpoint, dialect, patience)
    question = "Which colour has the picture? Answer by the tool if you can, else with one English word."
    request = ModelRequest(
        role="operator",
        system="",
        turns=(Turn("user", (question, _make_red_square())),),
        tools=(_TOOL,),
        max_output_tokens=_ROOM,
    )
    try:
        try:
            reply = await wire.ask(request)
        except ModelCallFailed as fault:
            if not fault.refused_pictures:
                raise
            return await wire.ask(replace(request, turns=(Turn("user", ("Say hello by the tool.",)),))), False
    finally:
        await wire.close()
    said = " ".join([reply.text, *(str(call.arguments) for call in reply.calls)]).casefold()
    # As a word of its own: a model without vision says "no picture was shared".
    return reply, re.search(r"\bred\b", said) is not None


def _make_red_square() -> Picture:
    out = io.BytesIO()
    Image.new("RGB", (_SIDE, _SIDE), (220, 20, 20)).save(out, "JPEG")
    return Picture(out.getvalue(), _SIDE, _SIDE)
