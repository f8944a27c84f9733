"""The manager with a model: describes the state of the task, asks for a plan, and takes none that was tried already.

The engine chooses how much of the old plan it may give up; `research` looks materials up.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from deskhand.core.errors import ModelFault, NoPlan, Unparsable
from deskhand.core.llm import ModelRequest, Tool, Turn
from deskhand.core.planning import Material, Plan, PlanRequest, ReplanReason, ReplanStrategy
from deskhand.core.protocols import Model, Source
from deskhand.core.subtask import Subtask, WorkerRole
from deskhand.language import language_of
from deskhand.prompting import describe
from deskhand.prompting.ask_model import Answer, ask_for_object, validate_answer
from deskhand.prompting.templates import PromptSheet, as_data, load_sheet
from deskhand.roles.task_types import list_task_types, task_type_of

TOOL = "plan"
MAX_SUBTASKS = 20
_GOAL, _BECAUSE, _NOTES, _MESSAGES, _MATERIALS, _MATERIAL = 4000, 1000, 3000, 4000, 12_000, 4000
_ELEMENTS, _STEPS, _APPS, _PARTS = 40, 10, 60, 20

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]


class _SubtaskAnswer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: Words
    done_when: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)]
    role: WorkerRole
    task_type: Annotated[str, StringConstraints(strip_whitespace=True, max_length=60)] = ""


class _PlanAnswer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    thought: str = ""
    subtasks: Annotated[list[_SubtaskAnswer], Field(max_length=MAX_SUBTASKS)] = []
    impossible: str = ""


class Manager:
    def __init__(self, model: Model, library: Source, max_output_tokens: int = 3000) -> None:
        self._model = model
        self._library = library
        self._max_output_tokens = max_output_tokens

    async def plan(self, request: PlanRequest) -> Plan:
        """Return a plan that fits the strategy; raise NoPlan, in one sentence, if there is none."""
        words = load_sheet("deskhand.roles", "prompts", language_of(request.goal), "manager")
        role = words.fill_section("role", roles="\n".join(words.fill_section(role) for role in request.roles))
        secrets = describe.explain_secrets(language_of(request.goal), request.goal, *request.said)
        first = ModelRequest(
            role="manager",
            system=f"{role}\n\n{secrets}".rstrip(),
            turns=(Turn("user", (_describe_task(request, words),)),),
            tools=(Tool(TOOL, words.fill_section("tool"), _make_schema(request.roles)),),
            must_call=True,
            max_output_tokens=self._max_output_tokens,
            temperature=0.0,
        )
        try:
            answer, usage = await ask_for_object(self._model, first, lambda said: _read_answer(said, request), words)
        except ModelFault as fault:
            given_up = NoPlan(f"The planner's model gave no usable plan: {fault}")
            given_up.usage = fault.usage
            raise given_up from None
        if not answer.subtasks:
            impossible = NoPlan(answer.impossible[:_BECAUSE])
            impossible.usage = usage
            raise impossible
        parts = tuple(_make_subtask(part) for part in answer.subtasks)
        return Plan(subtasks=parts, reason=answer.thought[:_BECAUSE], usage=usage)

    async def supplement(self, need: str, goal: str) -> tuple[Material, ...]:
        return await self._library.look_up(need, goal)


def _make_subtask(part: _SubtaskAnswer) -> Subtask:
    return Subtask(
        id="",
        title=part.title,
        done_when=part.done_when,
        role=part.role,
        task_type=task_type_of(part.task_type, part.title),
    )


def _make_schema(roles: Sequence[WorkerRole]) -> dict[str, Any]:
    part = {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "what to do, with everything the worker has to know"},
            "done_when": {"type": "string", "description": "what is true and can be seen afterwards"},
            "role": {"type": "string", "enum": list(roles)},
            "task_type": {"type": "string", "description": f"one word for its kind: {', '.join(list_task_types())} …"},
        },
        "required": ["title", "done_when", "role"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "thought": {"type": "string", "description": "why this way, in one or two sentences"},
            "subtasks": {"type": "array", "items": part, "maxItems": MAX_SUBTASKS},
            "impossible": {"type": "string", "description": "why no plan can lead to the goal; empty when one can"},
        },
        "required": ["subtasks"],
        "additionalProperties": False,
    }


def _read_answer(said: Answer, request: PlanRequest) -> _PlanAnswer:
    answer = validate_answer(_PlanAnswer, said)
    if bool(answer.subtasks) == bool(answer.impossible.strip()):
        raise Unparsable("Give either subtasks, or the reason in 'impossible', and not both.")
    for part in answer.subtasks:
        if part.role not in request.roles:
            raise Unparsable(f"There is no {part.role} here; the roles are: {', '.join(request.roles)}.")
    if answer.subtasks and _is_repeated(answer.subtasks, request):
        raise Unparsable("This plan was tried already and did not work; plan another way.")
    return answer


def _is_repeated(parts: Sequence[_SubtaskAnswer], request: PlanRequest) -> bool:
    """True if this plan, or the rest of it that failed, was tried with the same workers."""
    if request.reason is ReplanReason.SUPPLEMENTED and request.materials:
        return False  # the plan had not failed, it lacked something that is known now
    kept = request.remaining if request.strategy is ReplanStrategy.LIGHT else ()
    titles = tuple(_key_of(part.title) for part in (*parts, *kept))
    known = [(_key_of(part.title), part.role) for part in (*request.done, *request.failed)]
    for part in parts:
        roles = {role for title, role in known if title == _key_of(part.title)}
        if roles and part.role not in roles:
            return False
    failed = {_key_of(part.title) for part in request.failed}
    for plan in request.tried:
        tried = tuple(_key_of(title) for title in plan)
        if titles == tried or (titles[0] in failed and titles == tried[-len(titles) :]):
            return True
    return False


def _key_of(title: str) -> str:
    return " ".join(title.casefold().split()).rstrip(".。")


def _describe_task(request: PlanRequest, words: PromptSheet) -> str:
    """Describe the state of the task; sections without content are left out."""
    tellings: dict[str, Callable[[PlanRequest], str]] = {
        "goal": lambda r: r.goal[:_GOAL],
        "said": lambda r: describe.list_newest(r.said, _MESSAGES),
        "apps": lambda r: ", ".join(r.apps[:_APPS]),
        "screen": lambda r: as_data("screen", describe.describe_screen(r.observation, _ELEMENTS)),
        "done": lambda r: describe.list_subtasks(r.done[-_PARTS:]),
        "failed": lambda r: describe.list_subtasks(r.failed[-_PARTS:]),
        "remaining": lambda r: describe.list_subtasks(r.remaining[:_PARTS]),
        "tried": lambda r: "\n".join(f"- {' → '.join(plan)[:1000]}" for plan in r.tried),
        "history": lambda r: as_data("history", describe.list_steps(r.history, _STEPS)),
        "reports": lambda r: as_data("reports", describe.list_reports(r.reports, with_advice=True)),
        "materials": lambda r: _describe_materials(r.materials),
        "notes": lambda r: as_data("notes", describe.list_newest(r.notes, _NOTES)),
        "messages": lambda r: describe.list_newest(r.messages, _MESSAGES),
    }
    parts = [words.fill_section(name, **{name: text}) for name, tell in tellings.items() if (text := tell(request))]
    parts += describe.describe_done(request.acts, language_of(request.goal))
    if request.reason is ReplanReason.FIRST_PLAN:
        parts.append(words.fill_section("first"))
    else:
        why = f"why_{request.reason}" if f"why_{request.reason}" in words else "why"
        reason, because = request.reason.replace("_", " "), request.because[:_BECAUSE]
        if request.reason is not ReplanReason.USER_REQUEST:  # all other reasons come from workers, who quote the screen
            because = as_data("reason", because)
        parts += (words.fill_section(why, reason=reason, because=because), words.fill_section(request.strategy))
    return "\n\n".join(parts)


def _describe_materials(materials: Sequence[Material]) -> str:
    """Return the newest materials that fit, each marked as data."""
    kept: list[str] = []
    room = _MATERIALS
    for material in reversed(materials):
        text = material.text[:_MATERIAL]
        room -= len(text)
        if room < 0 and kept:
            break
        kept.append(as_data("material", f"{material.title[:200]} ({material.source[:300]})\n{text}"))
    return "\n\n".join(reversed(kept))
