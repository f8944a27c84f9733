"""Requests to the roles: one pure function of the task's state for each. Nothing else reaches a role."""

from deskhand.core.actions import ActionKind
from deskhand.core.decisions import Briefing
from deskhand.core.human import AmendRequest, LessonRequest, StuckRequest
from deskhand.core.planning import Depth, GateRequest, GateTrigger, PlanRequest, ReplanReason, ReplanStrategy
from deskhand.core.screen import Frame, Observation
from deskhand.core.statuses import SubtaskStatus
from deskhand.core.subtask import Subtask, WorkerRole
from deskhand.engine.safety.once import list_held
from deskhand.screen.diff import measure_change
from deskhand.task.state import TaskState

# The most that a worker is told; of more than that, the newest.
ANSWERS_TOLD = 20
MATERIAL_CHARS = 20_000


def make_briefing(
    state: TaskState, seen: Observation, skills: frozenset[ActionKind], step: int, history: int
) -> Briefing:
    """For a worker's next decision: its subtask, the screen, its last `history` steps, what was collected."""
    assert state.subtask, "steps run only after StartTask"
    return Briefing(
        goal=state.goal,
        subtask=state.subtask,
        observation=seen,
        capabilities=skills,
        step=step,
        max_steps=state.max_steps,
        history=state.history[-history:],
        notes=state.notes,
        answers=state.answers[-ANSWERS_TOLD:],
        materials=collect_materials(state),
        messages=state.messages,
        bookmark=state.bookmark,
        system_prompt=state.system_prompt,
        done_before=list_held(state),
        reopened=state.reopened,
    )


def collect_materials(state: TaskState) -> tuple[str, ...]:
    """Looked-up materials and files that code wrote: title or name on the first line, the text below, oldest first."""
    looked_up = [f"{material.title} ({material.source})\n{material.text}" for material in state.materials]
    written = [f"{file.name} ({file.size} bytes)\n{file.text}" for file in state.artifacts]
    kept: list[str] = []
    room = MATERIAL_CHARS
    for text in reversed(looked_up + written):
        room -= len(text)
        if room < 0:
            break
        kept.append(text)
    return tuple(reversed(kept))


def make_plan_request(
    state: TaskState,
    strategy: ReplanStrategy,
    reason: ReplanReason,
    because: str,
    *,
    seen: Observation,
    apps: tuple[str, ...],
    capabilities: frozenset[ActionKind],
    roles: tuple[WorkerRole, ...],
    history: int,
) -> PlanRequest:
    """For the planner: the subtasks by status, and only the last `history` steps of the worker."""
    return PlanRequest(
        goal=state.goal,
        strategy=strategy,
        reason=reason,
        because=because,
        observation=seen,
        apps=apps,
        capabilities=capabilities,
        roles=roles,
        done=state.subtasks_with(SubtaskStatus.FULFILLED),
        failed=state.subtasks_with(SubtaskStatus.REJECTED),
        # One that waits for material is still to be done.
        remaining=state.subtasks_with(SubtaskStatus.PENDING, SubtaskStatus.READY),
        tried=state.tried,
        history=state.history[-history:],
        reports=state.reports,
        materials=state.materials,
        notes=state.notes,
        messages=state.messages,
        said=state.said,
        acts=state.acts,
    )


def make_gate_request(
    state: TaskState, trigger: GateTrigger, depth: Depth, seen: Observation, before: Frame | None, seconds: float
) -> GateRequest:
    """For the evaluator. `before`: the screen as the subtask began, `seconds` ago."""
    return GateRequest(
        trigger=trigger,
        depth=depth,
        goal=state.goal,
        subtask=state.subtask,
        observation=seen,
        before=before,
        claim=state.executor_reason,
        steps=state.subtask_steps,
        error_rate=state.error_rate,
        changed=measure_change(before, seen.frame) if before else 1.0,
        seconds=seconds if state.subtask else 0.0,
        subtasks=state.subtasks_with(*SubtaskStatus),
        history=state.history,
        notes=state.notes,
        answers=state.answers,
        earlier=state.reports,
        said=state.said,
        bookmark=state.bookmark,
        bookmarks=state.bookmarks,
    )


def make_amend_request(state: TaskState, said: str, roles: tuple[WorkerRole, ...]) -> AmendRequest:
    """For the coach: what the user said in the middle of the work, and the to-do list that it may change."""
    return AmendRequest(said, state.goal, state.subtasks_with(*SubtaskStatus), state.subtask, roles)


def make_stuck_request(
    state: TaskState, subtask: Subtask, because: str, seen: Observation, history: int
) -> StuckRequest:
    """For the coach: where a worker is stuck, its last `history` steps, the corrections that did not help."""
    return StuckRequest(state.goal, subtask, because, seen, state.history[-history:], state.corrections)


def make_lesson_request(state: TaskState, subtask: Subtask, *, success: bool, reason: str) -> LessonRequest:
    """For the coach, as a subtask ends: the prompt it was done with, its steps, the corrections it took."""
    history = state.history[-state.subtask_steps :] if state.subtask_steps else ()
    return LessonRequest(
        state.goal, subtask.task_type, state.system_prompt, success, reason, history, state.corrections
    )
