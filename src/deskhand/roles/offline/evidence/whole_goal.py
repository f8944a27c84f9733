"""Holds a whole goal to its proofs: every instruction has one, of a kind that it needs, and none is contradicted."""

from collections.abc import Sequence
from dataclasses import replace

from deskhand.core.planning import GateRequest
from deskhand.core.statuses import SubtaskStatus
from deskhand.core.subtask import Subtask
from deskhand.roles.offline.bookmark import WorkerPlace, read_own_place
from deskhand.roles.offline.evidence.needs import describe_missing, is_proof_of
from deskhand.roles.offline.evidence.recheck import Proven, find_undone
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.grammar import parse_goal
from deskhand.roles.offline.language.instructions import Instruction
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.technician import split_code


def pair_proofs(steps: Sequence[Instruction], proofs: Sequence[Proof | None]) -> list[Proven]:
    """Return each instruction with its proof."""
    return [(step, proofs[number] if number < len(proofs) else None) for number, step in enumerate(steps)]


def find_gap(proven: Sequence[Proven], scene: Scene) -> str:
    """Return what is not proven, or not so any more, as a sentence without its full stop; empty if all is."""
    for step, proof in proven:
        if proof is None or not is_proof_of(step, proof):
            return describe_missing(step, scene)
    return find_undone(proven, scene)


def list_instructions(title: str, place: WorkerPlace) -> tuple[Instruction, ...]:
    """Return the instructions of a title, then those of what was said since that is understood as a whole."""
    said = [parse_goal(text) for text in place.extra]
    more = [step for steps in said if not list_unknown(steps) for step in steps]
    return (*parse_goal(title), *more)


def list_unknown(steps: Sequence[Instruction]) -> list[str]:
    """Return the parts that are no instructions."""
    return [step.source for step in steps if isinstance(step, say.NotUnderstood)]


def collect_proven(subtask: Subtask, goal: str, bookmark: str) -> list[Proven] | None:
    """Return the instructions of a subtask with their proofs; None if its worker keeps none."""
    place = read_own_place(bookmark) if subtask.role == "operator" else None
    return pair_proofs(list_instructions(subtask.title or goal, place), place.proofs) if place else None


def collect_all_proven(request: GateRequest) -> list[Proven] | None:
    """Return the instructions of all fulfilled subtasks, in the order of their ends; None if one has no proofs."""
    kept = dict(request.bookmarks)
    done = [s for s in request.subtasks if s.status is SubtaskStatus.FULFILLED and s.role == "operator"]
    order = list(kept)
    done.sort(key=lambda s: order.index(s.id) if s.id in kept else -1)
    parts = [collect_proven(subtask, request.goal, kept.get(subtask.id, "")) for subtask in done]
    return [pair for part in parts for pair in part or ()] if all(part is not None for part in parts) else None


def list_left_out(goal: str, proven: Sequence[Proven]) -> list[Instruction]:
    """Return the instructions of the goal that no subtask had, where the plan is in the goal's own words.

    A planner with a model writes its own: then its subtasks are what was to be done.
    """
    wanted = [step for part, is_code in split_code(goal) if not is_code for step in parse_goal(part)]
    had = [replace(step, source="") for step, _ in proven]
    bare = [replace(step, source="") for step in wanted]
    if any(step not in bare for step in had if not isinstance(step, say.GoHome)):
        return []
    return [step for step, plain in zip(wanted, bare, strict=True) if plain not in had]
