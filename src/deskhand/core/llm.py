"""Messages between a role and a model: the request, the reply, and a step as a model gets it.

Data only. A dialect owns the format of a model family, the wire the transport, the meter the cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from deskhand.core.actions import ActionKind
from deskhand.core.decisions import StepReport, Usage
from deskhand.core.screen import Element

Language = Literal["en", "zh"]
# Why the model stopped: it was finished, called tools, reached its output limit, or refused.
StopReason = Literal["end", "tools", "length", "refused"]


@dataclass(frozen=True, slots=True)
class Picture:
    """An encoded picture and its own size, which may be smaller than the frame's."""

    data: bytes = field(repr=False)
    width: int
    height: int
    media_type: Literal["image/jpeg", "image/png"] = "image/jpeg"


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that the model may call; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool. `arguments` is None if the model did not write a JSON object there.

    `id` is ours: it ties a result to its call when both are sent to a model again.
    """

    name: str
    arguments: Mapping[str, Any] | None
    id: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call, as text; `id` is that of the call."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation, in order: text and pictures, a model's calls, and their results.

    Every call of a turn has its result in the turn behind it.
    """

    speaker: Literal["user", "model"]
    parts: tuple[str | Picture | ToolCall | ToolResult, ...]


@dataclass(frozen=True, slots=True)
class Computer:
    """The provider's own screen tool, with the size of the picture it gets, and whether it is a whole desktop."""

    width: int
    height: int
    desktop: bool = False


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request, complete in itself: no state is kept between two of them.

    `tier` limits its cost; without one, the limit is that of an operation of its role.
    """

    role: str
    system: str
    turns: tuple[Turn, ...]
    tools: tuple[Tool, ...] = ()
    computer: Computer | None = None
    must_call: bool = False
    max_output_tokens: int = 3000
    temperature: float | None = None
    top_p: float | None = None
    frequency_penalty: float | None = None
    stop: tuple[str, ...] = ()
    tier: Literal["low", "medium", "high"] | None = None

    @property
    def pictures(self) -> tuple[Picture, ...]:
        return tuple(part for turn in self.turns for part in turn.parts if isinstance(part, Picture))


@dataclass(frozen=True, slots=True)
class ModelReply:
    """One reply. `native` are the items of the provider's own screen tool, as it sent them.

    `cached_tokens` are those of the input tokens that the provider had seen before and charges less for.
    """

    text: str = ""
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()
    native: tuple[Mapping[str, Any], ...] = ()
    stop: StopReason = "end"
    usage: Usage = field(default_factory=Usage)
    cached_tokens: int = 0
    model: str = ""


@dataclass(frozen=True, slots=True)
class StepRequest:
    """One step as a model gets it; the dialect chooses its layout and its scale.

    `frame` is the size that decided points must be in. `elements` are those to be listed, already bounded.
    """

    language: Language
    role: str
    task: str
    now: str
    frame: tuple[int, int]
    capabilities: frozenset[ActionKind]
    picture: Picture | None = None
    elements: tuple[Element, ...] = ()
    past: tuple[StepReport, ...] = ()
    app: str = ""
