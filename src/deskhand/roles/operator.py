"""The operator with a model: tells one step, asks, and reads the decision. How a model writes is its dialect's matter.

It keeps nothing between steps, and what it sends does not grow with their number.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from deskhand.core.decisions import Briefing, Decision, Usage
from deskhand.core.errors import ModelFault
from deskhand.core.llm import Language, ModelRequest, Picture, StepRequest, Turn
from deskhand.core.protocols import Dialect, Model
from deskhand.core.screen import Element, Frame
from deskhand.prompting.describe import Sight, about_secrets, experience, language_of, newest
from deskhand.prompting.describe import picture as picture_of
from deskhand.prompting.templates import Sheet, as_data, sheet
from deskhand.screen.marks import draw_marks

MAX_CORRECTIONS = 2
_MAX_ELEMENTS = 120
_NOTES_LENGTH, _MATERIALS_LENGTH, _MESSAGES_LENGTH, _TEXT_LENGTH = 3000, 4000, 4000, 4000


class Operator:
    def __init__(
        self, model: Model, dialect: Dialect, sight: Sight | None = None, max_output_tokens: int = 3000
    ) -> None:
        self._model = model
        self._dialect = dialect
        self._sight = sight or Sight()
        self._max_output_tokens = max_output_tokens

    @property
    def needs_elements(self) -> bool:
        return self._sight.elements

    async def decide(self, briefing: Briefing) -> Decision:
        """One decision for one step; a reply that can't be read is told to the model, at most twice."""
        situation = await self._situation(briefing)
        words = _words(situation.language)
        first = replace(self._dialect.ask(situation), role="operator", max_output_tokens=self._max_output_tokens)
        request, usage, fault = first, Usage(), ModelFault("The model was not asked.")
        for _ in range(1 + MAX_CORRECTIONS):
            reply = await self._model.ask(request)
            usage += reply.usage
            try:
                decision = self._dialect.read(reply, situation)
                return decision.model_copy(update={"usage": usage})
            except ModelFault as unreadable:
                fault = unreadable
                request = _corrected(first, self._dialect.quote(reply), words.section("again", problem=fault))
        fault.usage = usage
        raise fault

    def _picture(self, frame: Frame, elements: tuple[Element, ...]) -> Picture:
        shown = draw_marks(frame, elements).frame if self._sight.show == "marks" else frame
        return picture_of(shown, self._sight.side)

    async def _situation(self, briefing: Briefing) -> StepRequest:
        seen = briefing.observation
        language = language_of(briefing.goal)
        words = _words(language)
        elements = _worth_telling(seen.elements or ()) if self._sight.elements else ()
        # Nothing else to go by: better a picture than nothing, where the model can see.
        wanted = self._sight.picture or (self._sight.vision and not elements)
        picture = (
            await asyncio.to_thread(self._picture, seen.frame, elements) if wanted and not seen.frame.secure else None
        )
        return StepRequest(
            language=language,
            role=_role(briefing, words, about_secrets(language, briefing.goal, *briefing.messages)),
            task=_task(briefing, words),
            now=_now(briefing, words, blind=picture is None),
            frame=seen.frame.size,
            capabilities=briefing.capabilities,
            picture=picture,
            elements=elements,
            past=briefing.history,
            app=seen.app,
        )


def _words(language: Language) -> Sheet:
    return sheet("deskhand.roles", "prompts", language, "operator")


def _corrected(first: ModelRequest, said: str, correction: str) -> ModelRequest:
    """The first request with only the newest mistake behind it, so that corrections don't pile up."""
    return replace(first, turns=(*first.turns, Turn("model", (said,)), Turn("user", (correction,))))


# --- what is shown ---------------------------------------------------------------------------------------------


def _worth_telling(elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """What can be read or acted on; on a crowded screen what can be acted on comes first."""
    useful = [e for e in elements if e.text or e.clickable or e.editable or e.scrollable or e.checked is not None]
    if len(useful) > _MAX_ELEMENTS:
        useful.sort(key=lambda e: not (e.clickable or e.editable or e.checked is not None))
        useful = sorted(useful[:_MAX_ELEMENTS], key=lambda e: e.index)
    return tuple(useful)


# --- what is said ----------------------------------------------------------------------------------------------


def _role(briefing: Briefing, words: Sheet, secrets: str) -> str:
    told = (words.section("role"), secrets, experience(words, briefing.system_prompt))
    return "\n\n".join(part for part in told if part)


def _task(briefing: Briefing, words: Sheet) -> str:
    subtask = briefing.subtask
    parts = [words.section("goal", goal=briefing.goal[:_TEXT_LENGTH])]
    if subtask.title.strip() != briefing.goal.strip():
        parts.append(words.section("subtask", subtask=subtask.title[:_TEXT_LENGTH]))
    if subtask.done_when:
        parts.append(words.section("done_when", done_when=subtask.done_when[:_TEXT_LENGTH]))
    return "\n\n".join(parts)


def _now(briefing: Briefing, words: Sheet, *, blind: bool) -> str:
    seen = briefing.observation
    parts = [words.section("step", step=briefing.step, steps=briefing.max_steps)]
    if briefing.notes:
        parts.append(words.section("notes", notes=as_data("notes", newest(briefing.notes, _NOTES_LENGTH))))
    if briefing.materials:
        found = as_data("material", newest(briefing.materials, _MATERIALS_LENGTH, each=_MATERIALS_LENGTH))
        parts.append(words.section("materials", materials=found))
    if briefing.messages:
        parts.append(words.section("messages", messages=newest(briefing.messages, _MESSAGES_LENGTH)))
    if seen.app or seen.title:
        front = " · ".join(part for part in (seen.app, seen.title[:200]) if part)
        parts.append(words.section("screen", screen=as_data("screen", front)))
    if seen.frame.secure:
        parts.append(words.section("secure"))
    if seen.problem:
        parts.append(words.section("problem", problem=as_data("screen", seen.problem[:500])))
    if blind and not seen.frame.secure:
        parts.append(words.section("blind"))
    parts.append(words.section("judge" if briefing.history else "begin"))
    return "\n\n".join(parts)
