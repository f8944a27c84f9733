"""Advice for a running worker: followed at once, before its own instruction goes on where it was.

The detour is part of the worker's place, so a crash in the middle of it loses nothing.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from deskhand.core.actions import Back
from deskhand.core.decisions import Briefing
from deskhand.roles.offline.bookmark import Detour, WorkerPlace
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.grammar import parse_goal
from deskhand.roles.offline.language.instructions import Instruction
from deskhand.roles.offline.memory import HuntMemory, InstructionMemory, MoveMemory
from deskhand.roles.offline.outcome import Act, Finished, Outcome, make_act
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.opening import means_here

Strategies = Mapping[type[Instruction], Callable[[Any, Scene], Outcome]]

# Moves that make sense at the moment at which they are said, and change nothing but what is seen.
_MOVES = (say.Scrolling, say.Swiping, say.GoBack, say.GoHome, say.Pausing, say.WaitUntil, say.Another, say.StartAgain)
# What may be done twice without harm.
REPEATABLE = (
    say.Open, say.Visit, say.Find, say.Search, say.Toggle, say.Scrolling, say.Swiping, say.GoBack, say.GoHome,
    say.Pausing, say.WaitUntil, say.Read, say.Verify, say.Ask,
)  # fmt: skip
# Nothing is done by it, so there is nothing to prove.
_HEARD = Finished("", Proof("carried"))
_AT_ONCE = re.compile(r"\s*(?:(?:now|first|right now|at once|immediately)\b|先|现在|马上|立刻|立即)", re.IGNORECASE)


def is_for_now(text: str) -> bool:
    """True if the words are to be followed at once: mere moves, or anything that begins with `first`, `先`."""
    steps = parse_goal(text, open_pronouns=True)
    if not steps or any(isinstance(step, say.NotUnderstood) for step in steps):
        return False
    return _AT_ONCE.match(text) is not None or all(is_move(step) for step in steps)


def is_move(step: Instruction) -> bool:
    return isinstance(step, _MOVES) or (isinstance(step, say.Close) and means_here(step.target))


def begin_detour(place: WorkerPlace, text: str, step: int) -> None:
    """`step` is the number of the step at which it begins."""
    detour = place.detour or Detour((), since=step)
    place.detour = replace(detour, texts=(*detour.texts, text))


def make_next_move(
    briefing: Briefing, place: WorkerPlace, steps: Sequence[Instruction], strategies: Strategies
) -> tuple[Act, Scene] | None:
    """The next move of the detour; None when it is over. A move that can't be made is left out: it was only advice."""
    while (detour := place.detour) and detour.texts:
        moves = parse_goal(detour.texts[0])
        if detour.index >= len(moves):
            place.detour = replace(detour, texts=detour.texts[1:], index=0)
            continue
        move = moves[detour.index]
        # `scene.kept` is dropped: what a detour touches is not what the instruction has taken
        scene = Scene(briefing, briefing.observation.elements or (), detour.memory, place.kept, first=False)
        if isinstance(move, say.Another):
            outcome = _leave_wrong_one(scene)
        else:
            outcome = _HEARD if isinstance(move, say.StartAgain) else strategies[type(move)](move, scene)
        if isinstance(outcome, Act):
            place.detour = replace(detour, memory=scene.memory)
            return outcome, scene
        place.detour = replace(detour, index=detour.index + 1, memory=InstructionMemory())
        if isinstance(outcome, Finished):
            _apply_move(move, place, steps)
    return None


def end_detour(briefing: Briefing, place: WorkerPlace) -> Briefing:
    """The briefing without the steps of the detour: the instruction goes on from what it did last itself."""
    since = place.detour.since if place.detour else briefing.step
    place.detour = None
    # what was looked for may be elsewhere on the screen now
    place.memory = place.memory.with_record(HuntMemory())
    return replace(briefing, history=tuple(step for step in briefing.history if step.step < since))


def _leave_wrong_one(scene: Scene) -> Outcome:
    """Back to where the wrong one was taken, if it led away from there."""
    taken = scene.kept.taken
    if taken is None or taken.index is None:
        return scene.fail_with("还没有选过什么。", "Nothing was chosen so far.")
    if taken.print != scene.print and not scene.memory.move.done and scene.can_do("back"):
        scene.remember_record(MoveMemory(done=True))
        return make_act(scene.say("返回，换一个", "Going back, to take another one"), Back())
    return _HEARD


def _apply_move(move: Instruction, place: WorkerPlace, steps: Sequence[Instruction]) -> None:
    taken = place.kept.taken
    if isinstance(move, say.Another) and taken is not None and taken.index is not None:
        wrong = (*place.kept.wrong, (taken.description, taken.trace))
        place.kept = replace(place.kept, taken=None, wrong=wrong)
        place.index, place.memory = taken.index, InstructionMemory()
    elif isinstance(move, say.StartAgain):
        place.index = _find_safe_beginning(place, steps)
        if place.index < len(steps) and isinstance(steps[place.index], REPEATABLE):
            place.memory = InstructionMemory()


def _find_safe_beginning(place: WorkerPlace, steps: Sequence[Instruction]) -> int:
    """The earliest app or address from which everything up to here can be done again; here, if there is none.

    Nothing is sent, bought or deleted a second time.
    """
    first = here = min(place.index, len(steps))
    while first > 0 and isinstance(steps[first - 1], REPEATABLE):
        first -= 1
    return next((k for k in range(first, here) if isinstance(steps[k], say.Open | say.Visit)), here)
