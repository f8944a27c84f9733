"""Defines the answers of a strategy: act, or finished with evidence, or failed with a reason."""

from dataclasses import dataclass

from deskhand.core.actions import Action, Click, DoubleClick, LongPress, RightClick, Type, Wait
from deskhand.core.decisions import Expect, PlannedAction
from deskhand.core.screen import Element
from deskhand.roles.offline.language.instructions import Gesture
from deskhand.roles.offline.proof import Proof

_TOUCHES: dict[Gesture, type[Click | DoubleClick | RightClick | LongPress]] = {
    "click": Click, "double_click": DoubleClick, "right_click": RightClick, "long_press": LongPress
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Act:
    actions: tuple[PlannedAction, ...]
    thought: str


@dataclass(frozen=True, slots=True)
class Finished:
    """`evidence` is one sentence of what was done and seen; empty when there is nothing worth telling."""

    evidence: str
    proof: Proof


@dataclass(frozen=True, slots=True)
class Failed:
    reason: str


Outcome = Act | Finished | Failed


def make_act(thought: str, *actions: Action, expect: Expect | None = None) -> Act:
    """Several actions are queued; `expect` is what should be true after the first."""
    planned = [PlannedAction(action=a, expect=expect if n == 0 else None) for n, a in enumerate(actions)]
    return Act(tuple(planned), thought)


def look_again(thought: str) -> Act:
    """Wait half a second: an effect may need a moment to show."""
    return make_act(thought, Wait(seconds=0.5))


def touch_element(target: Element, gesture: Gesture = "click") -> Action:
    x, y = target.bounds.center
    return _TOUCHES[gesture](x=x, y=y, target=target.text or target.id.rpartition("/")[2])


def fill_field(field: Element, text: str, *, clear: bool) -> tuple[Action, Action]:
    return touch_element(field), Type(text=text, clear_first=clear, target=field.text)
