"""Dialects: how each family of models is asked for a step and how its answer reads. One line registers one."""

from __future__ import annotations

from collections.abc import Callable

from deskhand.core.protocols import Dialect
from deskhand.models.dialects.anthropic_computer import AnthropicComputerDialect
from deskhand.models.dialects.autoglm import AutoGlmDialect
from deskhand.models.dialects.coordinates import Coordinates
from deskhand.models.dialects.openai_computer import OpenAiComputerDialect
from deskhand.models.dialects.tool_calls import ToolCallsDialect
from deskhand.models.dialects.uitars import UiTarsDialect

# The name, and how it is made for a family that counts in this scale (None: the dialect's own).
DIALECTS: dict[str, Callable[[Coordinates | None], Dialect]] = {
    "tools": lambda scale: ToolCallsDialect(scale or "pixels"),
    "autoglm": lambda scale: AutoGlmDialect(),
    "uitars": lambda scale: UiTarsDialect(scale or "thousandths"),
    "anthropic-computer": lambda scale: AnthropicComputerDialect(),
    "openai-computer": lambda scale: OpenAiComputerDialect(),
}
# Those of which each family counts in its own scale; the others have one for all.
SCALABLE = frozenset({"tools", "uitars"})


def dialect_of(model: str) -> str:
    """The dialect that a model of this name speaks, as far as its name tells."""
    name = model.casefold()
    if "autoglm" in name:
        return "autoglm"
    if "ui-tars" in name or "uitars" in name:
        return "uitars"
    if "computer-use" in name:
        return "openai-computer"
    return "tools"


def coordinates_of(model: str) -> Coordinates | None:
    """The scale that a family is known to point in, whatever it is told; None: it follows what it is told."""
    name = model.casefold()
    if any(family in name for family in ("qwen3-vl", "qwen3.5", "glm-4.5v", "glm-4.6v", "gemini")):
        return "thousandths"
    if "ui-tars-1.5" in name and "doubao" not in name:
        return "pixels"
    return None
