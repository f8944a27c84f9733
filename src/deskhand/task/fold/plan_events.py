"""Folds the events of the plan: subtasks made, started, ended and edited, and material for the next plan."""

from deskhand.core.human import AddTodo, ChangeTodo, RemoveTodo
from deskhand.core.statuses import SubtaskStatus, TaskStatus
from deskhand.core.subtask import Subtask
from deskhand.task.events import (
    PlanMade,
    SubtaskEnded,
    SubtaskStarted,
    Supplemented,
    TodoEdited,
)
from deskhand.task.fold.registry import on_event, replace_fields
from deskhand.task.state import TaskState
from deskhand.task.transitions import follow_table

PLANS_KEPT = 5
MATERIALS_KEPT = 20


@on_event(PlanMade)
def _fold_plan_made(state: TaskState, event: PlanMade, at: float) -> TaskState:
    kept = state.subtasks_with(SubtaskStatus.FULFILLED, SubtaskStatus.REJECTED)
    titles = tuple(subtask.title for subtask in event.subtasks)
    return replace_fields(
        state,
        plan=(*kept, *event.subtasks),
        plans=state.plans + 1,
        tried=(*state.tried, titles)[-PLANS_KEPT:],
        strategies=(*state.strategies, event.strategy) if state.plans else (),
    )


@on_event(SubtaskStarted)
def _fold_subtask_started(state: TaskState, event: SubtaskStarted, at: float) -> TaskState:
    state = replace_fields(_withdraw_questions(state), attempt=state.attempt + 1)
    again = state.subtask is not None and state.subtask.id == event.subtask.id
    started = event.subtask.model_copy(
        update={
            "status": SubtaskStatus.PENDING,
            "since": state.subtask.since if again and state.subtask else at,
            "retries": state.subtask.retries + (not event.went_on) if again and state.subtask else 0,
        }
    )
    if event.went_on:
        return replace_fields(state, subtask=started, situation=follow_table(state.situation, "started"))
    return replace_fields(
        state,
        plan=tuple(started if subtask.id == started.id else subtask for subtask in state.plan),
        subtask=started,
        subtask_since=at,
        subtask_steps=0,
        subtask_actions=0,
        subtask_failures=0,
        system_prompt=event.system_prompt,
        corrections=state.corrections if again else (),
        # Its place in the work is no opinion: what was sent or paid before a fresh start is not done again.
        bookmark=state.bookmark if again else "",
        undone=state.undone if again else "",
        repeats=0,
        failures_in_a_row=0,
        unchanged_in_a_row=0,
        screen_loop=0,
        fired=(),
        situation=follow_table(state.situation, "started"),
    )


def _withdraw_questions(state: TaskState) -> TaskState:
    """Drop the worker's questions: it has a new order. The outer loop may still wait for an answer."""
    left = tuple(request for request in state.requests if request.asker == "planner")
    if left:
        return replace_fields(state, requests=left)
    after = follow_table(state.situation, "withdrawn")
    return replace_fields(state, requests=(), situation=after, status=TaskStatus.PENDING)


@on_event(SubtaskEnded)
def _fold_subtask_ended(state: TaskState, event: SubtaskEnded, at: float) -> TaskState:
    fulfilled = event.status is SubtaskStatus.FULFILLED
    current = state.subtask
    over = {"status": SubtaskStatus(event.status), "ended": at}
    if current and current.id == event.id:
        current = current.model_copy(update=over)
    own = ((event.id, state.bookmark),) if fulfilled and current and current.id == event.id else ()
    return replace_fields(
        state,
        subtask=current,
        bookmarks=(*(kept for kept in state.bookmarks if kept[0] != event.id), *own),
        plan=tuple(s.model_copy(update=over) if s.id == event.id else s for s in state.plan),
        # Progress was made, so the next trouble starts at the cheapest strategy again.
        strategies=() if fulfilled else state.strategies,
    )


@on_event(Supplemented)
def _fold_supplemented(state: TaskState, event: Supplemented, at: float) -> TaskState:
    return replace_fields(state, materials=(*state.materials, *event.materials)[-MATERIALS_KEPT:])


@on_event(TodoEdited)
def _fold_todo_edited(state: TaskState, event: TodoEdited, at: float) -> TaskState:
    """Edit the open subtasks: fulfilled ones stay, edits of unknown ones are ignored."""
    open_ids = {subtask.id for subtask in state.subtasks_with(SubtaskStatus.READY, SubtaskStatus.PENDING)}
    plan, added = list(state.plan), state.added
    for edit in event.edits:
        match edit:
            case AddTodo():
                added += 1
                new = Subtask(id=f"+{added}", **edit.model_dump(include={"title", "done_when", "role", "task_type"}))
                behind = next((place for place, s in enumerate(plan, 1) if s.id == edit.after), len(plan))
                plan.insert(behind, new)
            case ChangeTodo() if edit.id in open_ids:
                news = edit.model_dump(exclude={"edit", "id"}, exclude_none=True)
                plan = [s.model_copy(update=news) if s.id == edit.id else s for s in plan]
            case RemoveTodo() if edit.id in open_ids:
                plan = [s for s in plan if s.id != edit.id]
            case _:
                pass
    return replace_fields(state, plan=tuple(plan), added=added)
