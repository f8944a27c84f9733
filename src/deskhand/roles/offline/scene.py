"""Provides what a strategy works with: the screen as a tree, the last result, and the memory of this instruction."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self
from zlib import crc32

from deskhand.core.actions import Action, ActionKind
from deskhand.core.decisions import ActionReport, Briefing, StepReport, Verdict
from deskhand.core.irreversible import DoneAct, IrreversibleAct
from deskhand.core.screen import Element, Observation
from deskhand.core.statuses import ExecStatus
from deskhand.core.subtask import Subtask
from deskhand.fault_words import to_chinese
from deskhand.language import is_chinese
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.instructions import Instruction
from deskhand.roles.offline.memory import GoalMemory, InstructionMemory, Record
from deskhand.roles.offline.outcome import Failed, Finished
from deskhand.roles.offline.proof import Proof
from deskhand.screen.grounding.find import SearchResult, find_element
from deskhand.screen.grounding.query import Query
from deskhand.screen.grounding.tree import ElementTree, Want
from deskhand.screen.grounding.vocabulary import fold_name, split_words

_QUOTED = re.compile(r"“[^”]*”")


def drop_goal_echo(goal: str, elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """Return the elements without words that are the goal itself: a task that a page tells is no thing to act on."""
    wanted = fold_name(goal)
    return tuple(e for e in elements if not (wanted and _is_mere_text(e) and wanted in fold_name(e.text)))


def _is_mere_text(element: Element) -> bool:
    return not (element.clickable or element.editable or element.scrollable or element.checked is not None)


@dataclass
class Scene:
    """One moment. The strategies replace `memory` and `kept`, which travel in the bookmark."""

    briefing: Briefing
    elements: tuple[Element, ...]
    memory: InstructionMemory = field(default_factory=InstructionMemory)
    kept: GoalMemory = field(default_factory=GoalMemory)
    first: bool = False
    verdict: Verdict | None = None
    earlier: tuple[Instruction, ...] = ()  # the goal's instructions before this one

    @classmethod
    def from_screen(
        cls, goal: str, subtask: Subtask, seen: Observation, steps: int = 0, history: tuple[StepReport, ...] = ()
    ) -> Self:
        """Return a moment that is only looked at: nothing can be done in it."""
        seen_elements = drop_goal_echo(goal, seen.elements or ())
        return cls(Briefing(goal, subtask, seen, frozenset(), steps, steps, history=history), seen_elements)

    @cached_property
    def tree(self) -> ElementTree:
        return ElementTree(self.elements)

    @cached_property
    def zh(self) -> bool:
        return is_chinese(self.briefing.subtask.title or self.briefing.goal)

    @property
    def app(self) -> str:
        return self.briefing.observation.app

    @property
    def on_home_screen(self) -> bool:
        """Before an app is open, there is nothing to look for but icons."""
        if self.briefing.observation.at_home is not None:
            return self.briefing.observation.at_home
        words = split_words(self.app)
        return "launcher" in words or "launcher3" in words or "home" in words or self.app.endswith("launcher3")

    @property
    def is_web_page(self) -> bool:
        """True in a browser of ours; a page that is still blank lists nothing, and a browser has no apps."""
        return any(e.source == "dom" for e in self.elements) or (
            not self.elements and not self.can_do("open_app") and self.can_do("open_url")
        )

    @property
    def covered(self) -> bool:
        """True if the system itself is in front: a lock screen, a pop-up of its own."""
        return bool({"systemui", "keyguard"} & set(split_words(self.app)))

    @cached_property
    def print(self) -> int:
        """A number that differs when something readable or its place differs."""
        seen = [(e.text, e.bounds, e.checked, e.selected) for e in self.elements if e.text or e.checked is not None]
        return crc32(repr(seen).encode())

    def say(self, zh: str, en: str) -> str:
        """In the language of the goal."""
        return zh if self.zh else en

    def quote_names(self, names: Iterable[str]) -> str:
        return self.say("、", ", ").join(f"“{name}”" for name in names)

    def fail_with(self, zh: str, en: str) -> Failed:
        return Failed(_join_lines(self.say(zh, en)))

    def finish_with(self, zh: str, en: str, proof: Proof) -> Finished:
        return Finished(_join_lines(self.say(zh, en)), proof)

    def find_element(self, description: str | Query, want: Want = "any") -> SearchResult:
        return find_element(description, self.tree, want)

    def can_do(self, kind: ActionKind) -> bool:
        return kind in self.briefing.capabilities

    @property
    def is_desktop(self) -> bool:
        """True where windows are managed, and the keyboard belongs to the one in front."""
        return self.can_do("manage_window") and not self.can_do("home")

    def remember_record(self, record: Record) -> None:
        self.memory = self.memory.with_record(record)

    def find_done(self, is_it: Callable[[IrreversibleAct], bool]) -> DoneAct | None:
        """Return the act of this kind that was done before this worker was sent off, and is not done again.

        Each act is that of one instruction: who says the same twice wants it twice.
        """
        left = [done for done in self.briefing.done_before if done.certain]
        for step in self.earlier:
            if (taken := next((done for done in left if _is_act_of(step, done.act)), None)) is not None:
                left.remove(taken)
        return next((done for done in left if is_it(done.act)), None)

    def judge_last(self, success: bool, reason: str = "") -> None:
        self.verdict = Verdict(success=success, reason=reason)

    @property
    def trouble(self) -> str:
        """Return the error of the last action, without its full stop; empty if it was executed."""
        last = self.briefing.last
        trouble = last.trouble if last is not None else ""
        return (to_chinese(trouble) if self.zh else trouble).rstrip(".。")

    def list_reports(self) -> tuple[ActionReport, ...]:
        """Return what became of the actions of the last reply."""
        last = self.briefing.last
        return last.actions if last else ()

    @property
    def told(self) -> str:
        """What the device said of its last action."""
        return next((one.detail for one in reversed(self.list_reports()) if one.detail), "")

    def list_executed(self) -> list[Action]:
        """Return the actions of the last reply that were executed (a queue may have been dropped)."""
        return [a.action for a in self.list_reports() if a.status is ExecStatus.EXECUTED]

    def find_shown(self, text: str) -> list[Element]:
        """Everything that shows exactly this text and is not a field someone types into."""
        wanted = fold_name(text)
        fixed = [e for e in self.elements if not e.editable]
        shown = [e for e in fixed if any(fold_name(t) == wanted for t in (e.name, e.value) if t)]
        return [e for e in shown if not self._is_shell(e, wanted)]

    def _is_shell(self, element: Element, wanted: str) -> bool:
        """A container that only repeats what stands in it."""
        return any(fold_name(d.name) == wanted for d in self.tree.descendants_of(element) if not d.editable)

    def list_fields(self) -> list[Element]:
        return [e for e in self.elements if e.editable and e.enabled]


def _join_lines(told: str) -> str:
    """Return a sentence whose quoted names stand on one line, however many they have on the screen."""
    return _QUOTED.sub(lambda quoted: "⏎".join(quoted[0].splitlines()), told)


def _is_act_of(step: Instruction, act: IrreversibleAct) -> bool:
    """True if carrying out this instruction may have been this act."""
    match step:
        case say.Send():
            return act.has_sent(step.text, step.to)
        case say.Tap():
            return act.has_pressed(step.target)
        case _:
            return False
