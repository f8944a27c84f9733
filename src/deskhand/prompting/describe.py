"""Describe screens, steps, subtasks and reports to a model: compact lines, bounded lists, data marked as data.

Every role and dialect describes them by these functions; what it shows of them, and where, is its own choice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from deskhand.core.actions import describe_action
from deskhand.core.decisions import ActionReport, Briefing, StepReport
from deskhand.core.irreversible import DoneAct
from deskhand.core.llm import Language, Picture
from deskhand.core.planning import QualityReport
from deskhand.core.screen import Element, Frame, Observation
from deskhand.core.statuses import ExecStatus
from deskhand.core.subtask import Subtask
from deskhand.language import language_of
from deskhand.prompting.templates import PromptSheet, as_data, load_sheet
from deskhand.screen.frame import shrink_frame, to_jpeg
from deskhand.settings.placeholders import find_secret_names, make_placeholder

_MAX_PICTURE_BYTES = 300_000
_DETAILED_STEPS, _ACTIONS = 4, 5
_LINE, _LABEL, _THOUGHT, _MESSAGE, _OLDER_STEP, _TASK, _EXPERIENCE = 300, 80, 300, 200, 50, 4000, 4000


@dataclass(frozen=True, slots=True)
class ScreenPresentation:
    """Selects how a model sees the screen: a picture (longest side `picture_side`), a numbered element list, or both.

    With `marks` the numbers of the list are drawn on the picture, for models that would rather name than point.
    """

    vision: bool = True
    show: Literal["picture", "list", "both", "marks"] = "both"
    picture_side: int = 1280

    @property
    def has_picture(self) -> bool:
        return self.vision and self.show != "list"

    @property
    def has_elements(self) -> bool:
        return not self.vision or self.show != "picture"


# --- the task ----------------------------------------------------------------------------------------------------


def describe_assignment(briefing: Briefing, words: PromptSheet) -> list[str]:
    """Return the goal, and the worker's own part of it where that is another."""
    subtask = briefing.subtask
    parts = [words.fill_section("goal", goal=briefing.goal[:_TASK])]
    if subtask.title.strip() != briefing.goal.strip():
        parts.append(words.fill_section("subtask", subtask=subtask.title[:_TASK]))
    if subtask.done_when:
        parts.append(words.fill_section("done_when", done_when=subtask.done_when[:_TASK]))
    language = language_of(briefing.goal)
    return [*parts, *describe_done(briefing.done_before, language), *_describe_reopening(briefing.reopened, language)]


def describe_done(acts: Sequence[DoneAct], language: Language) -> list[str]:
    """Return what was done, can't be undone, and must not be done again; nothing if there is none."""
    lines = [f"{one.act.what}{': ' if one.act.values else ''}{', '.join(one.act.values)}" for one in acts]
    words = load_sheet("deskhand.roles", "prompts", language, "interrupted")
    told = as_data("history", list_newest(lines, _TASK, _LINE)) if lines else ""
    return [words.fill_section("done_before", acts=told)] if told else []


def _describe_reopening(reopened: str, language: Language) -> list[str]:
    words = load_sheet("deskhand.roles", "prompts", language, "interrupted")
    return [words.fill_section("reopened", reopened=reopened)] if reopened else []


def describe_role(briefing: Briefing, words: PromptSheet, *more: str) -> str:
    """Return the system prompt of a worker: its role, `more`, and the advice kept for this type of task."""
    parts = [words.fill_section("role"), *more]
    if advice := briefing.system_prompt.strip()[:_EXPERIENCE]:
        parts.append(words.fill_section("experience", experience=advice))
    return "\n\n".join(part for part in parts if part)


def explain_secrets(language: Language, *texts: str) -> str:
    """Return what a model has to know about the secrets that the texts name; empty if they name none."""
    names = find_secret_names(" ".join(texts))
    words = load_sheet("deskhand.roles", "prompts", language, "secrets")
    return words.fill_section("secrets", placeholder=make_placeholder(names[0])) if names else ""


def list_newest(lines: Iterable[str], length: int, each: int = 1000) -> str:
    """Return as many of the newest lines as fit, in their order; at least the last one."""
    kept: list[str] = []
    for line in reversed(tuple(lines)):
        shown = f"- {line[:each]}"
        length -= len(shown)
        if length < 0 and kept:
            break
        kept.append(shown)
    return "\n".join(reversed(kept))


def list_subtasks(subtasks: Iterable[Subtask], *, with_status: bool = False) -> str:
    return "\n".join(f"- {describe_subtask(part, str(part.status) if with_status else '')}" for part in subtasks)


def describe_subtask(subtask: Subtask, mark: str = "") -> str:
    head = f"[{mark}] " if mark else ""
    proof = f" → {subtask.done_when[:_LINE]}" if subtask.done_when else ""
    return f"{head}{subtask.title[:_LINE]} ({subtask.role}){proof}"


def list_reports(reports: Iterable[QualityReport], *, with_advice: bool) -> str:
    """Return one line for each report of the quality gate; `with_advice`: with its issues and suggestions."""
    lines: list[str] = []
    for report in reports:
        advice = (*report.issues, *report.suggestions) if with_advice else ()
        said = "; ".join((report.reason, *advice))[: 600 if with_advice else 300]
        lines.append(f"- {report.trigger}: {report.decision}: {said}")
    return "\n".join(lines)


# --- steps -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StepDetail:
    """Limits the characters shown of an action, of a fault, of the result of an action, and of a whole step."""

    action: int
    fault: int
    result: int
    step: int


# For the worker, who has to do better; and for those who plan and judge, who see many steps.
FULL = StepDetail(action=160, fault=200, result=200, step=4000)
BRIEF = StepDetail(action=80, fault=80, result=0, step=300)


def list_steps(history: Sequence[StepReport], count: int) -> str:
    """Return the newest steps in a line each, failures included."""
    return "\n".join(f"{step.step}. {describe_outcome(step, BRIEF)}" for step in history[-count:])


def list_past_steps(past: Sequence[StepReport]) -> str:
    """Return what the worker did: the newest steps with thoughts and outcomes, those before in short."""
    lines = [list_older_steps(past)] if len(past) > _DETAILED_STEPS else []
    for step in pick_recent_steps(past):
        thought = f"{step.thought[:_THOUGHT]} → " if step.thought else ""
        lines.append(f"{step.step}. {thought}{describe_outcome(step)}")
    return "\n".join(lines)


def pick_recent_steps(past: Sequence[StepReport]) -> Sequence[StepReport]:
    """Return the steps that a worker is told in full."""
    return past[-_DETAILED_STEPS:]


def list_older_steps(past: Sequence[StepReport]) -> str:
    """Return the steps before the recent ones, in one short line each."""
    lines: list[str] = []
    for step in past[:-_DETAILED_STEPS]:
        actions = "; ".join(describe_action(report.action, points=True) for report in step.actions)
        lines.append(f"{step.step}. {(actions or step.error or step.message)[:_OLDER_STEP]}")
    return "\n".join(lines)


def describe_outcome(step: StepReport, detail: StepDetail = FULL) -> str:
    """Return what came of a step, failures included, so that the model can do better."""
    parts = [_describe_action_outcome(report, detail) for report in step.actions[:_ACTIONS]]
    if step.error:
        parts.append(f"FAILED: {step.error[:_LINE]}")
    return ("; ".join(parts) or step.message[:_MESSAGE] or "nothing was done")[: detail.step]


def _describe_action_outcome(report: ActionReport, detail: StepDetail) -> str:
    line = describe_action(report.action, points=True)[: detail.action]
    if report.status is not ExecStatus.EXECUTED:
        return f"{line} FAILED ({report.status}): {report.detail[: detail.fault]}"
    if report.changed is False:
        return f"{line} (the screen did not change)"
    result = report.detail[: detail.result]
    return f"{line} ({result})" if result else line


# --- the screen --------------------------------------------------------------------------------------------------


def describe_screen(seen: Observation, most: int) -> str:
    """Return what is in front and a short list of what is on it; a problem with the screen is said."""
    useful = [element for element in seen.elements or () if element.text or element.checked is not None]
    lines = [describe_front(seen), seen.problem[:_LINE], list_elements(useful[:most])]
    if len(useful) > most:
        lines.append(f"… ({len(useful) - most} more)")
    return "\n".join(line for line in lines if line)


def describe_front(seen: Observation) -> str:
    return " · ".join(part for part in (seen.app, seen.title[:200]) if part)


def list_elements(elements: Iterable[Element], point_of: Callable[[int, int], tuple[int, int]] | None = None) -> str:
    """Return one line for each element: `button "Send" disabled`.

    With `point_of`, the model's own scale, an element can be acted on: `[7] button "Send" at 540,921 disabled`.
    """
    return "\n".join(_describe_element(element, point_of) for element in elements)


def _describe_element(element: Element, point_of: Callable[[int, int], tuple[int, int]] | None) -> str:
    words = [element.role]
    if label := element.name or element.hint:
        words.append(_quote_text(label))
    if element.value and element.value != element.name:
        words.append(f"value {'(hidden)' if element.password else _quote_text(element.value)}")
    if point_of:
        x, y = point_of(*element.bounds.center)
        words = [f"[{element.index}]", *words, f"at {x},{y}"]
    marks: Mapping[str, bool] = {
        "focused": element.focused,
        "selected": element.selected,
        "checked": element.checked is True,
        "unchecked": element.checked is False,
        "disabled": not element.enabled,
        "scrollable": element.scrollable,
    }
    return " ".join([*words, *(mark for mark, is_so in marks.items() if is_so)])


def _quote_text(text: str) -> str:
    return json.dumps(text[:_LABEL], ensure_ascii=False)


def encode_picture(frame: Frame, side: int) -> Picture:
    """Return a JPEG of bounded size, no side longer than `side`."""
    small = shrink_frame(frame, side)
    for quality in (80, 60, 40):
        data = to_jpeg(small, quality)
        if len(data) <= _MAX_PICTURE_BYTES:
            break
    return Picture(data, small.width, small.height)
