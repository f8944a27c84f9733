"""What a strategy answers: act, or finished with evidence, or failed with a reason."""

from dataclasses import dataclass

from deskhand.core.actions import Action, Wait
from deskhand.core.decisions import Expect, PlannedAction


@dataclass(frozen=True, slots=True)
class Act:
    actions: tuple[PlannedAction, ...]
    thought: str


@dataclass(frozen=True, slots=True)
class Finished:
    """`evidence` is one sentence of what was done and seen; empty when there is nothing worth telling."""

    evidence: str


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
