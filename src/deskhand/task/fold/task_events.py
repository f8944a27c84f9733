"""Folds the events of the task as a whole: its beginning and end, its user, its rules, gates and bills."""

from deskhand.core.statuses import ExecutorStatus, Situation, SubtaskStatus, TaskStatus
from deskhand.core.subtask import Subtask
from deskhand.task.events import (
    Billed,
    Corrected,
    GateClosed,
    GateOpened,
    Released,
    Reserved,
    Ruled,
    SituationChanged,
    TaskCreated,
    TaskEnded,
    TaskResumed,
    Unreadable,
    UserActed,
    UserAsked,
    UserReplied,
    UserSaid,
    Warned,
)
from deskhand.task.fold.registry import on_event, replace_fields
from deskhand.task.fold.step_events import add_empty_report
from deskhand.task.state import NO_USAGE, TaskState
from deskhand.task.transitions import follow_table

REPORTS_KEPT = 5
SAID_KEPT = 20

_UNSENT = "interrupted before any of it was carried out"


@on_event(TaskCreated)
def _fold_task_created(state: TaskState, event: TaskCreated, at: float) -> TaskState:
    return replace_fields(
        state,
        goal=event.goal,
        device=event.device,
        worker=event.worker,
        loop=event.loop,
        max_steps=event.max_steps,
        origin=event.origin,
        status=TaskStatus.PENDING,
        started=at,
    )


@on_event(TaskResumed)
def _fold_task_resumed(state: TaskState, event: TaskResumed, at: float) -> TaskState:
    history = add_empty_report(state, state.unsent_step, _UNSENT) if state.unsent_step else state.history
    return replace_fields(
        state,
        status=TaskStatus.PENDING,
        history=history,
        unsent_step=0,
        situation=follow_table(state.situation, "reopened"),
        executor=ExecutorStatus.IDLE,
        executor_cause=None,
        executor_decision=None,
        subtask=state.subtask and _with_status(state.subtask, SubtaskStatus.PENDING),
        attempt=state.attempt + 1,
        subtask_since=at,  # the time in which nobody worked is not the worker's
        max_steps=event.max_steps,
        origin=state.origin if event.options is None else state.origin.model_copy(update={"options": event.options}),
        plans_before=state.plans,
        strategies=(),
        corrections=(),
        requests=(),
        failures_in_a_row=0,
        unchanged_in_a_row=0,
        fired=(),  # what was decided then is decided anew
        checking=False,
        ended=None,
        cause=None,
        reason="",
    )


@on_event(SituationChanged)
def _fold_situation_changed(state: TaskState, event: SituationChanged, at: float) -> TaskState:
    """Take the situation from the event: the outer loop has asked the table when it wrote it."""
    waits = event.situation is Situation.WAIT_USER
    return replace_fields(state, situation=event.situation, status=TaskStatus.ON_HOLD if waits else TaskStatus.PENDING)


@on_event(TaskEnded)
def _fold_task_ended(state: TaskState, event: TaskEnded, at: float) -> TaskState:
    return replace_fields(
        state,
        status=TaskStatus(event.status),
        subtask=state.subtask and _with_status(state.subtask, SubtaskStatus(event.status.value)),
        situation=follow_table(state.situation, "ended"),
        # What nobody answered is asked again when the task is resumed; behind its goal there is nothing to ask.
        requests=() if event.status is TaskStatus.FULFILLED else state.requests,
        cause=event.cause,
        reason=event.reason,
        ended=at,
    )


def _with_status(subtask: Subtask, status: SubtaskStatus) -> Subtask:
    return subtask.model_copy(update={"status": status})


@on_event(UserAsked)
def _fold_user_asked(state: TaskState, event: UserAsked, at: float) -> TaskState:
    return replace_fields(state, requests=(*state.requests, event.request), status=TaskStatus.ON_HOLD)


@on_event(UserReplied)
def _fold_user_replied(state: TaskState, event: UserReplied, at: float) -> TaskState:
    request = next((request for request in state.requests if request.id == event.reply.request_id), None)
    left = tuple(other for other in state.requests if other is not request)
    refused = request is not None and request.action is not None and event.reply.verdict == "no"
    return replace_fields(
        state,
        requests=left,
        refused=(*state.refused, request.action) if refused and request and request.action else state.refused,
        status=state.status if left or state.over else TaskStatus.PENDING,
    )


@on_event(UserSaid)
def _fold_user_said(state: TaskState, event: UserSaid, at: float) -> TaskState:
    return replace_fields(state, said=(*state.said, event.text)[-SAID_KEPT:])


@on_event(UserActed)
def _fold_user_acted(state: TaskState, event: UserActed, at: float) -> TaskState:
    return state


@on_event(Ruled)
def _fold_ruled(state: TaskState, event: Ruled, at: float) -> TaskState:
    others = tuple(pair for pair in state.fired if pair[0] != event.ruling.rule)
    return replace_fields(state, fired=(*others, (event.ruling.rule, state.subtask_steps)))


@on_event(Corrected)
def _fold_corrected(state: TaskState, event: Corrected, at: float) -> TaskState:
    """The worker gets a fresh chance: what was counted before it was corrected no longer counts."""
    return replace_fields(
        state, corrections=(*state.corrections, event.text), repeats=0, unchanged_in_a_row=0, screen_loop=0
    )


@on_event(Warned)
def _fold_warned(state: TaskState, event: Warned, at: float) -> TaskState:
    return state


@on_event(Unreadable)
def _fold_unreadable(state: TaskState, event: Unreadable, at: float) -> TaskState:
    return replace_fields(state, unreadable=state.unreadable + 1, started=state.started or at)


@on_event(GateOpened)
def _fold_gate_opened(state: TaskState, event: GateOpened, at: float) -> TaskState:
    return replace_fields(state, checking=True)


@on_event(GateClosed)
def _fold_gate_closed(state: TaskState, event: GateClosed, at: float) -> TaskState:
    return replace_fields(
        state,
        checking=False,
        reports=(*state.reports, event.report)[-REPORTS_KEPT:],
    )


@on_event(Reserved)
def _fold_reserved(state: TaskState, event: Reserved, at: float) -> TaskState:
    return replace_fields(state, reserved=(*state.reserved, event))


@on_event(Released)
def _fold_released(state: TaskState, event: Released, at: float) -> TaskState:
    return replace_fields(state, reserved=_reserved_without(state, event.call))


@on_event(Billed)
def _fold_billed(state: TaskState, event: Billed, at: float) -> TaskState:
    spend = dict(state.spend)
    spend[event.role] = spend.get(event.role, NO_USAGE) + event.usage
    usage = state.usage + event.usage
    return replace_fields(state, usage=usage, spend=tuple(spend.items()), reserved=_reserved_without(state, event.call))


def _reserved_without(state: TaskState, call: str) -> tuple[Reserved, ...]:
    return tuple(reserved for reserved in state.reserved if reserved.call != call)
