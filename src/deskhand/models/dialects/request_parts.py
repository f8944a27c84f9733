"""Parts that the requests of several dialects share: the manual, earlier steps, the list of elements."""

from __future__ import annotations

from collections.abc import Callable

from deskhand.core.decisions import StepReport
from deskhand.core.llm import Language, StepRequest, Turn
from deskhand.models.dialects.coordinates import Scale
from deskhand.prompting.describe import (
    describe_outcome,
    list_elements,
    list_older_steps,
    list_past_steps,
    pick_recent_steps,
)
from deskhand.prompting.templates import PromptSheet, as_data, load_sheet


def load_manual(language: Language, name: str) -> PromptSheet:
    return load_sheet("deskhand.models.dialects", "manuals", language, name)


def describe_elements(situation: StepRequest, manual: PromptSheet, scale: Scale) -> list[str]:
    """Return the numbered list of elements as a part of the request; none if there are no elements."""
    listed = as_data("screen", list_elements(situation.elements, scale.from_frame))
    return [manual.fill_section("elements", elements=listed)] if listed else []


def describe_past(situation: StepRequest, manual: PromptSheet) -> list[str]:
    """Return all earlier steps as one part of the request; none at the first step."""
    past = as_data("history", list_past_steps(situation.past))
    return [manual.fill_section("past", past=past)] if past else []


def describe_task(situation: StepRequest) -> str:
    """Return the task, with the older steps in short; `retell_steps` tells the recent ones."""
    older = as_data("history", list_older_steps(situation.past))
    return "\n\n".join(part for part in (situation.task, older) if part)


def retell_steps(situation: StepRequest, retell: Callable[[StepReport], str]) -> list[Turn]:
    """Return the recent steps as turns: what the model said, in its own format, and what came of it."""
    turns: list[Turn] = []
    for step in pick_recent_steps(situation.past):
        if step.actions or step.thought:
            turns.append(Turn("model", (retell(step),)))
        turns.append(Turn("user", (as_data("history", describe_outcome(step)),)))
    return turns
