"""The technician without a model: runs the code that its task gives word by word, and says what came of it."""

import re

from deskhand.core.actions import Memorize, RunCode
from deskhand.core.decisions import ActionReport, Briefing, Decision, PlannedAction, StepReport
from deskhand.core.statuses import ExecStatus
from deskhand.language import is_chinese
from deskhand.roles.offline.language.lexicon import count_phrase, load_lexicon
from deskhand.roles.offline.language.tokens import cut_tokens

_NOTE, _SHOWN = 4000, 1000
_LANGUAGE = r"(?:python3?|bash|shell|sh)"
_RUN = re.compile(
    rf"(?:(?:用|\buse\b|\busing\b|\bwith\b)\s*(?P<using>{_LANGUAGE})\s*(?:to\s+|,\s*)?)?"
    r"(?:\b(?:run|execute)\b|运行|执行)\s*(?:the\s+|this\s+)?(?:下面的|这段|以下)?\s*"
    rf"(?P<kind>{_LANGUAGE})?\s*(?:commands?|code|script|命令|代码|脚本)?\s*[:：]?\s*"
    r"(?:```[ \t]*(?P<mark>\w*)[ \t]*\n(?P<block>.*?)\n?```|`(?P<span>[^`\n]+)`)"
    rf"(?:\s*(?:in|with|using)\s+(?P<after>{_LANGUAGE})\b)?",
    re.IGNORECASE | re.DOTALL,
)


class OfflineTechnician:
    needs_elements = False

    async def decide(self, briefing: Briefing) -> Decision:
        """One piece of code after the other; the bookmark counts those that were begun, and names the step."""
        zh = is_chinese(briefing.subtask.title)
        pieces = read_codes(briefing.subtask.title)
        begun = _count_begun(briefing)
        if not pieces:
            return Decision(kind="fail", message=_tell_unclear(zh))
        if "run_code" not in briefing.capabilities:
            no_code = (
                "这里不能运行代码，请查看 deskhand doctor。" if zh else "Code can't be run here: see deskhand doctor."
            )
            return Decision(kind="fail", message=no_code)
        if begun and (trouble := _describe_trouble(briefing.last, zh)):
            return Decision(kind="fail", message=trouble)
        if begun < len(pieces):
            code = PlannedAction(action=pieces[begun])
            return Decision(kind="actions", actions=(code,), bookmark=f"{begun + 1} {briefing.step}")
        run = _find_last_run(briefing.last)
        if run:
            # Noted before it is said to be done, so that those who work after know it.
            note = Memorize(text=_describe_outcome(run)[:_NOTE])
            return Decision(kind="actions", actions=(PlannedAction(action=note),), bookmark=briefing.bookmark)
        said = briefing.notes[-1] if briefing.notes else ""
        return Decision(kind="done", message=said[:_SHOWN], bookmark=briefing.bookmark)


def _count_begun(briefing: Briefing) -> int:
    """Return how many pieces were begun; the last one was not if a pause came before it was sent."""
    begun, _, step = briefing.bookmark.partition(" ")
    dropped = any(
        report.step == int(step or 0) and not report.actions and not report.error for report in briefing.history
    )
    return int(begun or 0) - dropped


def split_code(text: str) -> list[tuple[str, bool]]:
    """The text in its order, cut into what tells to run code (True) and everything between."""
    parts: list[tuple[str, bool]] = []
    begin = 0
    for match in _RUN.finditer(text):
        parts += [(_drop_joint(text[begin : match.start()]), False), (match[0], True)]
        begin = match.end()
    return [(part.strip(), is_code) for part, is_code in [*parts, (text[begin:], False)] if part.strip()]


def _drop_joint(text: str) -> str:
    """Return the text without its last "then", which joins it to the code."""
    tokens, joints = cut_tokens(text), load_lexicon().joints
    for at, token in enumerate(tokens):
        length = count_phrase(joints, tokens, at, len(tokens))
        if length and at + length == len(tokens):
            return text[: token.start]
    return text


def read_codes(text: str) -> tuple[RunCode, ...]:
    """The pieces of code that a text tells to run, in their order."""
    found: list[RunCode] = []
    for match in _RUN.finditer(text):
        named = match["using"] or match["kind"] or match["after"] or match["mark"] or "bash"
        code = match["span"] if match["block"] is None else match["block"]
        if code.strip():
            is_python = named.lower() in ("python", "python3", "py")
            found.append(RunCode(language="python" if is_python else "bash", code=code))
    return tuple(found)


def _find_last_run(last: StepReport | None) -> ActionReport | None:
    runs = [report for report in last.actions if report.action.kind == "run_code"] if last else []
    return runs[-1] if runs else None


def _describe_trouble(last: StepReport | None, zh: bool) -> str:
    """Why the last piece of code was no success; empty when it was."""
    if last and last.error:
        return last.error
    run = _find_last_run(last)
    if run is None or (run.status is ExecStatus.EXECUTED and run.exit_code == 0):
        return ""
    return f"{'代码运行失败：' if zh else 'The code failed: '}{_describe_outcome(run)[:_SHOWN]}"


def _describe_outcome(run: ActionReport) -> str:
    code = run.action.code if isinstance(run.action, RunCode) else ""
    return f"{code[:200]} → {run.detail}"


def _tell_unclear(zh: bool) -> str:
    if zh:
        return "没有模型时，只能运行任务里写明的代码，例如：运行 `ls`，或：用 python 运行 `print(1)`。"
    return "Without a model, only code in the task itself can be run: run `ls`, or: run python `print(1)`."
