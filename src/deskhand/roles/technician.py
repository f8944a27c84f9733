"""The technician with a model: writes bash or Python, reads its output, and says when the work is done.

It never touches the screen. The engine runs the code; the sandbox limits it.
"""

from deskhand.core.actions import Memorize, RunCode
from deskhand.core.decisions import ActionReport, Briefing, Decision, PlannedAction
from deskhand.core.llm import ModelRequest, Turn
from deskhand.core.protocols import Model
from deskhand.language import language_of
from deskhand.prompting.ask_model import ask_until_usable
from deskhand.prompting.describe import describe_assignment, describe_role, list_newest
from deskhand.prompting.replies import CodeReply, read_reply
from deskhand.prompting.templates import PromptSheet, as_data, load_sheet

_TEXT, _NOTES, _MATERIALS, _MESSAGES = 4000, 3000, 8000, 4000
_RUNS, _OLD_CODE, _OLD_OUTPUT, _CODE, _OUTPUT, _NOTE = 6, 400, 400, 4000, 8200, 4000


class Technician:
    needs_elements = False

    def __init__(self, model: Model, max_output_tokens: int = 3000) -> None:
        self._model = model
        self._max_output_tokens = max_output_tokens

    async def decide(self, briefing: Briefing) -> Decision:
        """Return one piece of code, or the end. Its result is noted first, for the workers after it."""
        if briefing.bookmark and not briefing.messages:
            return Decision(kind="done", message=briefing.bookmark)
        if "run_code" not in briefing.capabilities:
            return Decision(kind="fail", message="No code can be run here: install bubblewrap for the sandbox.")
        words = load_sheet("deskhand.roles", "prompts", language_of(briefing.goal), "technician")
        first = ModelRequest(
            role="technician",
            system=describe_role(briefing, words),
            turns=(Turn("user", (_describe_task(briefing, words),)),),
            max_output_tokens=self._max_output_tokens,
            temperature=0.0,
        )
        said, usage = await ask_until_usable(self._model, first, read_reply, words)
        if isinstance(said, CodeReply):
            actions = (PlannedAction(action=RunCode(language=said.language, code=said.code)),)
            return Decision(kind="actions", actions=actions, thought=said.thought, usage=usage)
        if said.kind == "done":
            noted = (PlannedAction(action=Memorize(text=said.message[:_NOTE])),)
            return Decision(kind="actions", actions=noted, thought=said.thought, bookmark=said.message, usage=usage)
        return Decision(kind=said.kind, message=said.message, thought=said.thought, usage=usage)


def _describe_task(briefing: Briefing, words: PromptSheet) -> str:
    parts = describe_assignment(briefing, words)
    if briefing.notes:
        parts.append(words.fill_section("notes", notes=as_data("notes", list_newest(briefing.notes, _NOTES))))
    if briefing.materials:
        collected = list_newest(briefing.materials, _MATERIALS, each=2000)
        parts.append(words.fill_section("materials", materials=as_data("material", collected)))
    parts += _describe_runs(briefing, words)
    if briefing.messages:
        parts.append(words.fill_section("messages", messages=list_newest(briefing.messages, _MESSAGES)))
    parts.append(words.fill_section("step", step=briefing.step, steps=briefing.max_steps))
    return "\n\n".join(parts)


def _describe_runs(briefing: Briefing, words: PromptSheet) -> list[str]:
    """Describe earlier code in brief, the last piece in full, and what went wrong with the last reply."""
    runs = [report for step in briefing.history for report in step.actions if report.action.kind == "run_code"]
    parts: list[str] = []
    if earlier := runs[:-1][-_RUNS:]:
        shown = "\n".join(_describe_run(report, _OLD_CODE, _OLD_OUTPUT) for report in earlier)
        parts.append(words.fill_section("earlier", runs=shown))
    if runs:
        parts.append(words.fill_section("last", run=_describe_run(runs[-1], _CODE, _OUTPUT)))
    if trouble := briefing.last.error if briefing.last else "":
        parts.append(words.fill_section("trouble", trouble=as_data("output", trouble[:_TEXT])))
    return parts


def _describe_run(report: ActionReport, code: int, output: int) -> str:
    assert isinstance(report.action, RunCode)
    written = report.action.code[:code]
    return f"```{report.action.language}\n{written}\n```\n{as_data('output', report.detail[:output])}"
