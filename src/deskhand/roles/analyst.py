"""The analyst with a model: answers from the notes, answers, materials and steps of the task. It never acts.

It gives its answer as an action, so that the answer reaches the user and the workers after it.
"""

from deskhand.core.actions import Answer
from deskhand.core.decisions import Briefing, Decision, PlannedAction
from deskhand.core.llm import ModelRequest, Turn
from deskhand.core.protocols import Model
from deskhand.language import language_of
from deskhand.prompting.ask_model import ask_until_usable
from deskhand.prompting.describe import describe_assignment, describe_role, list_newest, list_steps
from deskhand.prompting.replies import read_ending
from deskhand.prompting.templates import PromptSheet, as_data, load_sheet

_NOTES, _ANSWERS, _MATERIALS, _MESSAGES, _STEPS, _ANSWER = 8000, 8000, 20_000, 4000, 20, 20_000


class Analyst:
    needs_elements = False

    def __init__(self, model: Model, max_output_tokens: int = 3000) -> None:
        self._model = model
        self._max_output_tokens = max_output_tokens

    async def decide(self, briefing: Briefing) -> Decision:
        """Return the answer, then that it is done; or what is missing."""
        if briefing.bookmark and not briefing.messages:
            return Decision(kind="done", message=briefing.bookmark)
        words = load_sheet("deskhand.roles", "prompts", language_of(briefing.goal), "analyst")
        first = ModelRequest(
            role="analyst",
            system=describe_role(briefing, words),
            turns=(Turn("user", (_describe_task(briefing, words),)),),
            max_output_tokens=self._max_output_tokens,
            temperature=0.0,
        )
        said, usage = await ask_until_usable(self._model, first, read_ending, words)
        if said.kind != "done":
            return Decision(kind=said.kind, message=said.message, thought=said.thought, usage=usage)
        answer = said.message[:_ANSWER]
        return Decision(
            kind="actions",
            actions=(PlannedAction(action=Answer(text=answer)),),
            thought=said.thought,
            bookmark=answer,
            usage=usage,
        )


def _describe_task(briefing: Briefing, words: PromptSheet) -> str:
    parts = describe_assignment(briefing, words)
    known = {
        "notes": list_newest(briefing.notes, _NOTES),
        "answers": list_newest(briefing.answers, _ANSWERS),
        "materials": list_newest(briefing.materials, _MATERIALS, each=8000),
        "history": list_steps(briefing.history, _STEPS),
    }
    parts += [words.fill_section(name, **{name: as_data("data", text)}) for name, text in known.items() if text]
    if not any(known.values()):
        parts.append(words.fill_section("nothing"))
    if briefing.messages:
        parts.append(words.fill_section("messages", messages=list_newest(briefing.messages, _MESSAGES)))
    return "\n\n".join(parts)
