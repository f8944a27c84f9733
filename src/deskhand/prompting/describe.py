"""How a task is told to a model that plans or judges: compact lines, bounded lists, and data marked as data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from deskhand.core.actions import describe
from deskhand.core.decisions import StepReport
from deskhand.core.llm import Language, Picture
from deskhand.core.screen import Element, Frame, Observation
from deskhand.core.statuses import ExecStatus
from deskhand.core.subtask import Subtask
from deskhand.prompting.templates import Sheet, sheet
from deskhand.screen.frame import bounded, to_jpeg
from deskhand.settings.placeholders import names_in, placeholder

_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_MAX_PICTURE_BYTES = 300_000
_LINE, _TEXT, _EXPERIENCE = 300, 80, 4000


@dataclass(frozen=True, slots=True)
class Sight:
    """What a model is told with: the picture (no side longer than `side`), the numbered list of elements, or both.

    With `marks` the numbers of the list are drawn on the picture, for models that would rather name than point.
    """

    vision: bool = True
    show: Literal["picture", "list", "both", "marks"] = "both"
    side: int = 1280

    @property
    def picture(self) -> bool:
        return self.vision and self.show != "list"

    @property
    def elements(self) -> bool:
        return not self.vision or self.show != "picture"


def language_of(goal: str) -> Language:
    return "zh" if _CHINESE.search(goal) else "en"


def about_secrets(language: Language, *texts: str) -> str:
    """What a model has to know when secrets are named; nothing when there are none."""
    names = names_in(" ".join(texts))
    words = sheet("deskhand.roles", "prompts", language, "secrets")
    return words.section("secrets", placeholder=placeholder(names[0])) if names else ""


def experience(words: Sheet, prompt: str) -> str:
    """The advice that was kept for this type of task, marked as what it is; empty when there is none."""
    advice = prompt.strip()[:_EXPERIENCE]
    return words.section("experience", experience=advice) if advice else ""


def newest(lines: Iterable[str], length: int, each: int = 1000) -> str:
    """As many of the newest lines as fit, in their order; at least the last one."""
    kept: list[str] = []
    for line in reversed(tuple(lines)):
        shown = f"- {line[:each]}"
        length -= len(shown)
        if length < 0 and kept:
            break
        kept.append(shown)
    return "\n".join(reversed(kept))


def subtasks(parts: Iterable[Subtask], *, with_status: bool = False) -> str:
    lines: list[str] = []
    for part in parts:
        status = f"[{part.status}] " if with_status else ""
        proof = f" → {part.done_when[:_LINE]}" if part.done_when else ""
        lines.append(f"- {status}{part.title[:_LINE]} ({part.role}){proof}")
    return "\n".join(lines)


def steps(history: Sequence[StepReport], count: int) -> str:
    """The newest steps in a line each, failures included."""
    return "\n".join(f"{step.step}. {_outcome(step)}" for step in history[-count:])


def _outcome(step: StepReport) -> str:
    parts: list[str] = []
    for report in step.actions[:5]:
        line = describe(report.action)[:_TEXT]
        if report.status is not ExecStatus.EXECUTED:
            line += f" FAILED ({report.status}): {report.detail[:_TEXT]}"
        elif report.changed is False:
            line += " (the screen did not change)"
        parts.append(line)
    if step.error:
        parts.append(f"FAILED: {step.error[:_LINE]}")
    return ("; ".join(parts) or step.message or "nothing was done")[:_LINE]


def screen(seen: Observation, most: int) -> str:
    """What is in front and a short list of what is on it; what can't be known is said."""
    lines = [" · ".join(part for part in (seen.app, seen.title[:200]) if part)]
    if seen.problem:
        lines.append(seen.problem[:_LINE])
    useful = [element for element in seen.elements or () if element.text or element.checked is not None]
    lines += [_element(element) for element in useful[:most]]
    if len(useful) > most:
        lines.append(f"… ({len(useful) - most} more)")
    return "\n".join(line for line in lines if line)


def _element(element: Element) -> str:
    words = [element.role, (element.name or element.hint)[:_TEXT]]
    if element.value and element.value != element.name:
        words.append("= (hidden)" if element.password else f"= {element.value[:_TEXT]}")
    if element.checked is not None:
        words.append("(on)" if element.checked else "(off)")
    if element.selected:
        words.append("(selected)")
    if not element.enabled:
        words.append("(disabled)")
    return " ".join(word for word in words if word)


def picture(frame: Frame, side: int) -> Picture:
    """A JPEG of bounded size, no side longer than `side`."""
    small = bounded(frame, side).frame
    for quality in (80, 60, 40):
        data = to_jpeg(small, quality)
        if len(data) <= _MAX_PICTURE_BYTES:
            break
    return Picture(data, small.width, small.height)
