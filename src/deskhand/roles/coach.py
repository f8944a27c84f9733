"""The coach with a model: amends the to-do list by the user's words, corrects a stuck worker, improves prompts.

It never acts; the engine applies its answers.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from deskhand.core.decisions import Usage
from deskhand.core.errors import Unparsable
from deskhand.core.human import (
    AddTodo,
    Amendment,
    AmendRequest,
    ChangeTodo,
    Correction,
    Lesson,
    LessonRequest,
    RemoveTodo,
    StuckRequest,
    TodoEdit,
)
from deskhand.core.llm import ModelRequest, Tool, Turn
from deskhand.core.protocols import Model
from deskhand.core.statuses import SubtaskStatus
from deskhand.core.subtask import Subtask, WorkerRole
from deskhand.language import language_of
from deskhand.prompting import describe
from deskhand.prompting.ask_model import Answer, ask_for_object, validate_answer
from deskhand.prompting.templates import PromptSheet, as_data, load_sheet
from deskhand.roles.task_types import task_type_of

T = TypeVar("T")

MAX_EDITS = 20
_SAID, _GOAL, _BECAUSE, _PROMPT = 8000, 4000, 1000, 8000
_TODO, _ELEMENTS, _STEPS, _LOG, _CORRECTIONS = 60, 60, 10, 30, 4000
_OPEN = (SubtaskStatus.READY, SubtaskStatus.PENDING)

Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000)]
Short = Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)]


class _EditAnswer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    edit: Literal["add", "change", "remove"]
    id: str = ""
    after: str = ""
    title: Text = ""
    done_when: Short = ""
    role: WorkerRole | None = None
    task_type: Short = ""


class _AmendAnswer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    edits: Annotated[list[_EditAnswer], Field(max_length=MAX_EDITS)] = []
    message: Text = ""
    understood: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1000)]


class _CorrectAnswer(BaseModel):
    model_config = ConfigDict(extra="ignore")

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]


class _ImproveAnswer(BaseModel):
    model_config = ConfigDict(extra="ignore")

    prompt: Annotated[str, StringConstraints(strip_whitespace=True, max_length=_PROMPT)]


class ModelCoach:
    """Raises ModelFault, with the usage, if the model gives no usable answer."""

    def __init__(self, model: Model, max_output_tokens: int = 3000) -> None:
        self._model = model
        self._max_output_tokens = max_output_tokens

    async def amend(self, request: AmendRequest) -> Amendment:
        words = _load_words(request.said)
        told = {
            "goal": request.goal[:_GOAL],
            "todo": _list_todo(request.todo) or words.fill_section("nothing_to_do"),
            "current": _describe_item(request.current) if request.current else "",
            "said": request.said[:_SAID],
        }
        role = words.fill_section("amend_role", roles=", ".join(request.roles))
        made, usage = await self._ask_tool(
            "amend", role, told, words, _make_amend_schema(request), lambda s: _read_edits(s, request)
        )
        edits, answer = made
        return Amendment(edits=edits, message=answer.message, understood=answer.understood, usage=usage)

    async def correct(self, request: StuckRequest) -> Correction:
        words = _load_words(request.goal)
        told = {
            "goal": request.goal[:_GOAL],
            "subtask": request.subtask.title[:_GOAL],
            "done_when": request.subtask.done_when[:_GOAL],
            "because": as_data("reason", request.because[:_BECAUSE]),
            "screen": as_data("screen", describe.describe_screen(request.observation, _ELEMENTS)),
            "history": _describe_history(request.history, _STEPS),
            "corrections": describe.list_newest(request.corrections, _CORRECTIONS),
        }
        role = words.fill_section("correct_role")
        text, usage = await self._ask_tool(
            "correct", role, told, words, _TEXT_SCHEMA, lambda said: _read_correction(said, request)
        )
        return Correction(text=text, usage=usage)

    async def improve(self, request: LessonRequest) -> Lesson:
        words = _load_words(request.goal)
        outcome = "success" if request.success else "failure"
        told = {
            "task_type": request.task_type,
            "prompt" if request.prompt else "no_prompt": request.prompt[:_PROMPT] or "-",
            "history": _describe_history(request.history, _LOG),
            outcome: as_data("reason", request.reason[:_BECAUSE]) or "-",
            "taken": describe.list_newest(request.corrections, _CORRECTIONS),
        }
        role = words.fill_section("improve_role")
        answer, usage = await self._ask_tool(
            "improve", role, told, words, _PROMPT_SCHEMA, lambda said: validate_answer(_ImproveAnswer, said)
        )
        kept = answer.prompt == request.prompt.strip()
        return Lesson(prompt="" if kept else answer.prompt, usage=usage)

    async def _ask_tool(
        self,
        tool: str,
        role: str,
        told: dict[str, str],
        words: PromptSheet,
        schema: dict[str, Any],
        read: Callable[[Answer], T],
    ) -> tuple[T, Usage]:
        """Ask for one call of the tool; sections without content are left out."""
        parts = [words.fill_section(name, **{_SLOTS.get(name, name): text}) for name, text in told.items() if text]
        first = ModelRequest(
            role="manager",
            system=role,
            turns=(Turn("user", ("\n\n".join(parts),)),),
            tools=(Tool(tool, words.fill_section(f"{tool}_tool"), schema),),
            must_call=True,
            max_output_tokens=self._max_output_tokens,
            temperature=0.0,
        )
        return await ask_for_object(self._model, first, read, words)


# Sections whose placeholder has another name than the section.
_SLOTS = {"success": "reason", "failure": "reason", "taken": "corrections"}


def _load_words(said: str) -> PromptSheet:
    return load_sheet("deskhand.roles", "prompts", language_of(said), "coach")


def _list_todo(todo: Sequence[Subtask]) -> str:
    """Return the newest items, numbered from the first one of the task."""
    numbered = list(enumerate(todo, 1))[-_TODO:]
    return "\n".join(f"{number}. {_describe_item(part)}" for number, part in numbered)


def _describe_item(part: Subtask) -> str:
    return describe.describe_subtask(part, f"id {part.id}, {part.status}")


def _describe_history(history: Sequence[Any], count: int) -> str:
    return as_data("history", describe.list_steps(history, count)) if history else ""


def _make_amend_schema(request: AmendRequest) -> dict[str, Any]:
    text = {"type": "string"}
    edit = {
        "type": "object",
        "properties": {
            "edit": {"type": "string", "enum": ["add", "change", "remove"]},
            "id": {"type": "string", "description": "of the item that is changed or removed"},
            "after": {"type": "string", "description": "the id of the item behind which one is added; empty: the end"},
            "title": text,
            "done_when": text,
            "role": {"type": "string", "enum": list(request.roles)},
            "task_type": {"type": "string", "description": "one word for the kind of work, for an item that is added"},
        },
        "required": ["edit"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "edits": {"type": "array", "items": edit, "maxItems": MAX_EDITS},
            "message": {"type": "string", "description": "for the worker under way; empty: none"},
            "understood": {"type": "string", "description": "one sentence for the person"},
        },
        "required": ["edits", "understood"],
        "additionalProperties": False,
    }


def _make_text_schema(name: str, meaning: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: {"type": "string", "description": meaning}},
        "required": [name],
        "additionalProperties": False,
    }


_TEXT_SCHEMA = _make_text_schema("text", "what to do instead, in one or two sentences")
_PROMPT_SCHEMA = _make_text_schema("prompt", "the whole advice; empty to keep the old one")


def _read_edits(said: Answer, request: AmendRequest) -> tuple[tuple[TodoEdit, ...], _AmendAnswer]:
    answer = validate_answer(_AmendAnswer, said)
    edits = tuple(_read_edit(edit, request) for edit in answer.edits)
    touched = [edit.id for edit in edits if not isinstance(edit, AddTodo)]
    if len(set(touched)) < len(touched):
        raise Unparsable("An item is changed or removed twice; say once what becomes of it.")
    return edits, answer


def _read_edit(edit: _EditAnswer, request: AmendRequest) -> TodoEdit:
    if edit.role and edit.role not in request.roles:
        raise Unparsable(f"There is no {edit.role} here; the roles are: {', '.join(request.roles)}.")
    if edit.edit == "add":
        return _read_addition(edit, request)
    open_ones = [part.id for part in request.todo if part.status in _OPEN]
    if edit.id not in open_ones:
        which = ", ".join(open_ones) or "none"
        raise Unparsable(f"There is no open item with the id {edit.id[:60]!r}; the open ones are: {which}.")
    if edit.edit == "remove":
        return RemoveTodo(id=edit.id)
    if not (edit.title or edit.done_when or edit.role):
        raise Unparsable(f"The change of {edit.id!r} says neither title nor done_when nor role.")
    return ChangeTodo(id=edit.id, title=edit.title or None, done_when=edit.done_when or None, role=edit.role)


def _read_addition(edit: _EditAnswer, request: AmendRequest) -> AddTodo:
    if not edit.title:
        raise Unparsable("An item that is added needs a title.")
    if edit.after and edit.after not in [part.id for part in request.todo]:
        raise Unparsable(f"There is no item with the id {edit.after[:60]!r} to come after.")
    return AddTodo(
        title=edit.title,
        done_when=edit.done_when,
        role=edit.role or request.roles[0],
        task_type=task_type_of(edit.task_type, edit.title),
        after=edit.after,
    )


def _read_correction(said: Answer, request: StuckRequest) -> str:
    text = validate_answer(_CorrectAnswer, said).text
    if _key_of(text) in {_key_of(given) for given in request.corrections}:
        raise Unparsable("It was told that already, and it did not help; say something else.")
    return text


def _key_of(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
