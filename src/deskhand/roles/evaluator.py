"""The evaluator with a model: shows the screen and the facts, and asks for a judgement. It never acts.

The engine decides how deep it looks, what it may cost, and what follows from its judgement.
"""

import asyncio
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from deskhand.core.decisions import Usage
from deskhand.core.errors import Unparsable
from deskhand.core.geometry import Rect
from deskhand.core.llm import ModelRequest, Picture, Tool, Turn
from deskhand.core.planning import ALLOWED, GateDecision, GateRequest, GateTrigger, QualityReport
from deskhand.core.protocols import Model
from deskhand.core.statuses import SubtaskStatus
from deskhand.language import language_of
from deskhand.prompting import describe
from deskhand.prompting.ask_model import Answer, ask_for_object, validate_answer
from deskhand.prompting.describe import ScreenPresentation
from deskhand.prompting.templates import PromptSheet, as_data, load_sheet
from deskhand.screen.diff import find_changed_regions

TOOL = "judge"
# A light check is cheap: a smaller picture, a short answer, few steps of history.
LIGHT_SIDE, LIGHT_TOKENS = 0.6, 0.2  # of what a deep check gets
_FEWEST_TOKENS = 256
_GOAL, _CLAIM, _NOTES, _ELEMENTS, _REGIONS = 4000, 1000, 2000, 60, 5
_STEPS = {"low": 3, "medium": 3, "high": 12}
_DECISIONS = tuple(GateDecision)

Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)]
Lines = Annotated[list[Line], Field(max_length=10)]


class _GateAnswer(BaseModel):
    model_config = ConfigDict(extra="ignore")

    decision: GateDecision
    status: Literal["GOOD", "CONCERNING", "CRITICAL"]
    confidence: Annotated[float, Field(ge=0, le=1)]
    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
    issues: Lines = []
    suggestions: Lines = []


class _FinalGateAnswer(_GateAnswer):
    """The final check also answers four questions, each by itself."""

    goal_reached: bool
    steps_complete: bool
    end_state_as_expected: bool
    omissions: Lines


class Evaluator:
    """Without pictures it judges from the list of elements."""

    needs_elements = True

    def __init__(self, model: Model, sight: ScreenPresentation | None = None, max_output_tokens: int = 3000) -> None:
        self._model = model
        self._sight = sight or ScreenPresentation()
        self._max_output_tokens = max_output_tokens

    async def check(self, request: GateRequest) -> QualityReport:
        """Return a report whose decision the trigger allows; raise ModelFault if the model gives none."""
        words = load_sheet("deskhand.roles", "prompts", language_of(request.goal), "evaluator")
        deep, most = request.depth == "high", self._max_output_tokens
        first = ModelRequest(
            role="evaluator",
            system=_make_system_prompt(request, words),
            turns=(Turn("user", await self._make_parts(request, words)),),
            tools=(Tool(TOOL, words.fill_section("tool"), _make_schema(request)),),
            must_call=True,
            max_output_tokens=most if deep else min(most, max(_FEWEST_TOKENS, round(most * LIGHT_TOKENS))),
            temperature=0.0,
            tier=request.depth,
        )
        answer, usage = await ask_for_object(self._model, first, lambda said: _read_answer(said, request), words)
        return _make_report(answer, request, usage)

    async def _make_parts(self, request: GateRequest, words: PromptSheet) -> tuple[str | Picture, ...]:
        pictures = await self._encode_pictures(request, words)
        regions = await asyncio.to_thread(_find_changed_regions, request)
        final = request.trigger is GateTrigger.FINAL_CHECK
        deep = request.depth == "high"
        parts = [*_describe_situation(request, words), _describe_facts(request, regions, words)]
        if not pictures or (deep and self._sight.has_elements):
            screen = as_data("screen", describe.describe_screen(request.observation, _ELEMENTS))
            parts.append(words.fill_section("screen", screen=screen))
        if request.observation.frame.secure:
            parts.append(words.fill_section("secure"))
        question = [words.fill_section("ask_final" if final else "ask")]
        if deep and not final:
            question.append(words.fill_section("ask_deep"))
        return ("\n\n".join(parts), *pictures, " ".join(question))

    async def _encode_pictures(self, request: GateRequest, words: PromptSheet) -> tuple[str | Picture, ...]:
        """Return the newest picture; for a deep check also the one from the start of the subtask."""
        seen, before = request.observation.frame, request.before
        if not self._sight.has_picture:
            return ()
        if request.depth != "high":
            small = round(self._sight.picture_side * LIGHT_SIDE)
            return () if seen.secure else (await asyncio.to_thread(describe.encode_picture, seen, small),)
        shown: list[str | Picture] = []
        for name, frame in (("before", before), ("now", seen)):
            if frame is not None and not frame.secure:
                shown += (
                    words.fill_section(name),
                    await asyncio.to_thread(describe.encode_picture, frame, self._sight.picture_side),
                )
        return tuple(shown)


def _list_allowed_decisions(request: GateRequest) -> list[GateDecision]:
    return [decision for decision in _DECISIONS if decision in ALLOWED[request.trigger]]


def _make_system_prompt(request: GateRequest, words: PromptSheet) -> str:
    role = words.fill_section(
        "role",
        decisions="\n".join(words.fill_section(decision) for decision in _list_allowed_decisions(request)),
        more=words.fill_section("more_high" if request.depth == "high" else "more_medium"),
    )
    secrets = describe.explain_secrets(language_of(request.goal), request.goal, *request.said)
    return f"{role}\n\n{secrets}".rstrip()


def _make_schema(request: GateRequest) -> dict[str, Any]:
    lines = {"type": "array", "items": {"type": "string"}}
    properties: dict[str, Any] = {}
    if request.trigger is GateTrigger.FINAL_CHECK:
        # Before the decision, so that a model that writes from left to right answers each first.
        properties |= {name: {"type": "boolean"} for name in ("goal_reached", "steps_complete")}
        properties |= {"end_state_as_expected": {"type": "boolean"}, "omissions": lines}
    needed = [*properties, "reason", "decision", "status", "confidence"]
    if request.depth == "high":
        properties["issues"] = lines
        needed += ["issues", "suggestions"]
    properties |= {
        "reason": {"type": "string", "description": "one sentence with the evidence"},
        "suggestions": lines,
        "decision": {"type": "string", "enum": [decision.value for decision in _list_allowed_decisions(request)]},
        "status": {"type": "string", "enum": ["GOOD", "CONCERNING", "CRITICAL"]},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    }
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


def _describe_situation(request: GateRequest, words: PromptSheet) -> list[str]:
    """Describe what was wanted, planned, done and claimed; sections without content are left out."""
    subtask = request.subtask
    final = request.trigger is GateTrigger.FINAL_CHECK
    deep = request.depth == "high"
    told = {
        "goal": request.goal[:_GOAL],
        "said": describe.list_newest(request.said, _GOAL),
        "subtask": subtask.title[:_GOAL] if subtask and not final else "",
        "done_when": subtask.done_when[:_GOAL] if subtask and not final else "",
        "plan": describe.list_subtasks(request.subtasks[-20:], with_status=True) if deep or final else "",
        "claim": as_data("claim", request.claim[:_CLAIM]),
        "history": as_data("history", describe.list_steps(request.history, _STEPS[request.depth])),
        "notes": as_data("notes", describe.list_newest(request.notes, _NOTES)) if deep else "",
        "answers": as_data("answers", describe.list_newest(request.answers, _NOTES)) if deep or final else "",
        "earlier": as_data("reports", describe.list_reports(request.earlier, with_advice=False)) if deep else "",
    }
    return [words.fill_section(name, **{name: text}) for name, text in told.items() if text]


def _find_changed_regions(request: GateRequest) -> tuple[Rect, ...]:
    """Return where the screen has changed since the start of the subtask, the largest regions first."""
    if request.before is None or request.before.size != request.observation.frame.size:
        return ()
    changed = find_changed_regions(request.before, request.observation.frame)
    return tuple(sorted(changed, key=lambda box: -box.area)[:_REGIONS])


def _describe_facts(request: GateRequest, regions: tuple[Rect, ...], words: PromptSheet) -> str:
    done = sum(part.status is SubtaskStatus.FULFILLED for part in request.subtasks)
    given_up = sum(part.status is SubtaskStatus.REJECTED for part in request.subtasks)
    return words.fill_section(
        "facts",
        trigger=request.trigger,
        done=done,
        total=len(request.subtasks) - given_up,
        steps=request.steps,
        seconds=f"{request.seconds:.0f}",
        errors=f"{request.error_rate:.0%}",
        changes=_describe_changes(request, regions, words),
    )


def _describe_changes(request: GateRequest, regions: tuple[Rect, ...], words: PromptSheet) -> str:
    if request.before is None:
        return words.fill_section("unknown_change")
    if request.changed == 0:
        return words.fill_section("unchanged")
    places = ", ".join(f"({box.left}, {box.top})–({box.right}, {box.bottom})" for box in regions)
    where = words.fill_section("places", regions=places) if places else ""
    share = f"{request.changed:.1%}" if request.changed >= 0.001 else "< 0.1%"
    return words.fill_section("changed", share=share, where=where)


def _read_answer(said: Answer, request: GateRequest) -> _GateAnswer:
    answer = validate_answer(_FinalGateAnswer if request.trigger is GateTrigger.FINAL_CHECK else _GateAnswer, said)
    allowed = _list_allowed_decisions(request)
    if answer.decision not in allowed:
        raise Unparsable(f"The decision {answer.decision} is not allowed here; it has to be {' or '.join(allowed)}.")
    if isinstance(answer, _FinalGateAnswer) and answer.decision is GateDecision.DONE:
        well = answer.goal_reached and answer.steps_complete and answer.end_state_as_expected
        if not well or any(answer.omissions):
            raise Unparsable("The decision gate_done contradicts the answers before it: decide which is true.")
    return answer


def _make_report(answer: _GateAnswer, request: GateRequest, usage: Usage) -> QualityReport:
    suggestions = tuple(line for line in answer.suggestions if line)
    omissions = answer.omissions if isinstance(answer, _FinalGateAnswer) else []
    return QualityReport(
        trigger=request.trigger,
        depth=request.depth,
        status=answer.status,
        recommendation=_recommendation_of(answer.decision, bool(suggestions)),
        decision=answer.decision,
        confidence=answer.confidence,
        reason=answer.reason,
        issues=tuple(line for line in (*answer.issues, *omissions) if line),
        suggestions=suggestions,
        by="model",
        usage=usage,
    )


def _recommendation_of(decision: GateDecision, suggests: bool) -> Literal["CONTINUE", "ADJUST", "REPLAN"]:
    """Derive the recommendation from the decision: a model that is asked for both contradicts itself."""
    if decision in (GateDecision.FAIL, GateDecision.SUPPLEMENT):
        return "REPLAN"
    return "ADJUST" if decision is GateDecision.CONTINUE and suggests else "CONTINUE"
