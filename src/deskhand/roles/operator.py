"""The operator with a model: describes one step, asks, and reads the decision in the dialect of the model.

It keeps nothing between steps, and its requests do not grow with their number.
"""

import asyncio
from dataclasses import replace

from deskhand.core.decisions import Briefing, Decision
from deskhand.core.llm import Language, Picture, StepRequest
from deskhand.core.protocols import Dialect, Model
from deskhand.core.screen import Element, Frame
from deskhand.language import language_of
from deskhand.prompting.ask_model import ask_until_usable
from deskhand.prompting.describe import (
    ScreenPresentation,
    describe_assignment,
    describe_front,
    describe_role,
    encode_picture,
    explain_secrets,
    list_newest,
)
from deskhand.prompting.templates import PromptSheet, as_data, load_sheet
from deskhand.screen.marks import draw_marks

_MAX_ELEMENTS = 120
_NOTES_LENGTH, _MATERIALS_LENGTH, _MESSAGES_LENGTH = 3000, 4000, 4000


class Operator:
    def __init__(
        self, model: Model, dialect: Dialect, sight: ScreenPresentation | None = None, max_output_tokens: int = 3000
    ) -> None:
        self._model = model
        self._dialect = dialect
        self._sight = sight or ScreenPresentation()
        self._max_output_tokens = max_output_tokens

    @property
    def needs_elements(self) -> bool:
        return self._sight.has_elements

    async def decide(self, briefing: Briefing) -> Decision:
        """Return the decision for one step; a reply that can't be read is told to the model, at most twice."""
        situation = await self._make_step_request(briefing)
        words = _load_words(situation.language)
        first = replace(self._dialect.ask(situation), role="operator", max_output_tokens=self._max_output_tokens)
        decision, usage = await ask_until_usable(
            self._model, first, lambda reply: self._dialect.read(reply, situation), words
        )
        return decision.model_copy(update={"usage": usage})

    def _encode_picture(self, frame: Frame, elements: tuple[Element, ...]) -> Picture:
        shown = draw_marks(frame, elements).frame if self._sight.show == "marks" else frame
        return encode_picture(shown, self._sight.picture_side)

    async def _make_step_request(self, briefing: Briefing) -> StepRequest:
        seen = briefing.observation
        language = language_of(briefing.goal)
        words = _load_words(language)
        elements = _pick_elements(seen.elements or ()) if self._sight.has_elements else ()
        # Without elements a picture is better than nothing, if the model can see.
        wanted = self._sight.has_picture or (self._sight.vision and not elements)
        picture = (
            await asyncio.to_thread(self._encode_picture, seen.frame, elements)
            if wanted and not seen.frame.secure
            else None
        )
        return StepRequest(
            language=language,
            role=describe_role(briefing, words, explain_secrets(language, briefing.goal, *briefing.messages)),
            task="\n\n".join(describe_assignment(briefing, words)),
            now=_describe_now(briefing, words, blind=picture is None),
            frame=seen.frame.size,
            capabilities=briefing.capabilities,
            picture=picture,
            elements=elements,
            past=briefing.history,
            app=seen.app,
        )


def _load_words(language: Language) -> PromptSheet:
    return load_sheet("deskhand.roles", "prompts", language, "operator")


def _pick_elements(elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """Return the elements with text or an action; on a crowded screen those with an action come first."""
    useful = [e for e in elements if e.text or e.clickable or e.editable or e.scrollable or e.checked is not None]
    if len(useful) > _MAX_ELEMENTS:
        useful.sort(key=lambda e: not (e.clickable or e.editable or e.checked is not None))
        useful = sorted(useful[:_MAX_ELEMENTS], key=lambda e: e.index)
    return tuple(useful)


def _describe_now(briefing: Briefing, words: PromptSheet, *, blind: bool) -> str:
    seen = briefing.observation
    parts = [words.fill_section("step", step=briefing.step, steps=briefing.max_steps)]
    if briefing.notes:
        parts.append(words.fill_section("notes", notes=as_data("notes", list_newest(briefing.notes, _NOTES_LENGTH))))
    if briefing.materials:
        found = as_data("material", list_newest(briefing.materials, _MATERIALS_LENGTH, each=_MATERIALS_LENGTH))
        parts.append(words.fill_section("materials", materials=found))
    if briefing.messages:
        parts.append(words.fill_section("messages", messages=list_newest(briefing.messages, _MESSAGES_LENGTH)))
    if front := describe_front(seen):
        parts.append(words.fill_section("screen", screen=as_data("screen", front)))
    if seen.frame.secure:
        parts.append(words.fill_section("secure"))
    if seen.problem:
        parts.append(words.fill_section("problem", problem=as_data("screen", seen.problem[:500])))
    if blind and not seen.frame.secure:
        parts.append(words.fill_section("blind"))
    parts.append(words.fill_section("judge" if briefing.history else "begin"))
    return "\n\n".join(parts)
