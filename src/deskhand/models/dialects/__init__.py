"""Dialects: how each family of models is asked for a step, and how its reply is read. One line registers one."""

from __future__ import annotations

from collections.abc import Callable

from deskhand.core.protocols import Dialect
from deskhand.models.dialects.anthropic_computer import AnthropicComputerDialect
from deskhand.models.dialects.autoglm import AutoGlmDialect
from deskhand.models.dialects.coordinates import Coordinates
from deskhand.models.dialects.openai_computer import OpenAiComputerDialect
from deskhand.models.dialects.tool_calls import ToolCallsDialect
from deskhand.models.dialects.uitars import UiTarsDialect

# Each makes a dialect for a family that points in this scale (None: the dialect's own).
DIALECTS: dict[str, Callable[[Coordinates | None], Dialect]] = {
    "tools": lambda scale: ToolCallsDialect(scale or "pixels"),
    "autoglm": lambda scale: AutoGlmDialect(),
    "uitars": lambda scale: UiTarsDialect(scale or "thousandths"),
    "anthropic-computer": lambda scale: AnthropicComputerDialect(),
    "openai-computer": lambda scale: OpenAiComputerDialect(),
}
# Dialects in which each family points in its own scale; the others have one scale for all.
SCALABLE = frozenset({"tools", "uitars"})


def dialect_of(model: str) -> str:
    """Return the dialect of a model, as far as its name tells."""
    name = model.casefold()
    if "autoglm" in name:
        return "autoglm"
    if "ui-tars" in name or "uitars" in name:
        return "uitars"
    if "computer-use" in name:
        return "openai-computer"
    return "tools"


def coordinates_of(model: str) -> Coordinates | None:
    """Return the scale in which a family always points; None if it follows its instructions."""
    name = model.casefold()
    if any(family in name for family in ("qwen3-vl", "qwen3.5", "glm-4.5v", "glm-4.6v", "gemini")):
        return "thousandths"
    if "ui-tars-1.5" in name and "doubao" not in name:
        return "pixels"
    return None
