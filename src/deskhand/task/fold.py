"""The fold from events to TaskState: pure, the same log always gives the same state."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from deskhand.core.commands import InjectPrompt, ResetContext
from deskhand.core.decisions import Artifact
from deskhand.core.human import AddTodo, ChangeTodo, RemoveTodo
from deskhand.core.statuses import ExecStatus, ExecutorStatus, Situation, SubtaskStatus, TaskStatus
from deskhand.core.subtask import Subtask
from deskhand.task.events import (
    ActionEnded,
    ActionIntended,
    Answered,
    ArtifactKept,
    Billed,
    CommandTaken,
    Corrected,
    Decided,
    Event,
    ExecutorChanged,
    GateClosed,
    GateOpened,
    Memorized,
    Observed,
    PlanMade,
    QueueFlushed,
    Record,
    Released,
    Reserved,
    Ruled,
    Settled,
    SituationChanged,
    StepFinished,
    SubtaskEnded,
    SubtaskStarted,
    Supplemented,
    TaskCreated,
    TaskEnded,
    TaskResumed,
    TodoEdited,
    UserActed,
    UserAsked,
    UserReplied,
    UserSaid,
    Warned,
)
from deskhand.task.state import NO_USAGE, TaskState

# Kept in memory for workers and rules; the journal has the rest.
HISTORY_KEPT = 20
NOTES_KEPT = 50
REPORTS_KEPT = 5
MATERIALS_KEPT = 20
ARTIFACTS_KEPT = 20
PLANS_KEPT = 5
SAID_KEPT = 20


E = TypeVar("E")
Step = Callable[[TaskState, Any, float], TaskState]
_STEPS: dict[type, Step] = {}


def _on(
    kind: type[E],
) -> Callable[[Callable[[TaskState, E, float], TaskState]], Callable[[TaskState, E, float], TaskState]]:
    def register(step: Callable[[TaskState, E, float], TaskState]) -> Callable[[TaskState, E, float], TaskState]:
        _STEPS[kind] = step
        return step

    return register


def replace(state: TaskState, **changes: Any) -> TaskState:
    """As that of dataclasses, at a tenth of its cost: a step folds eight events, and the state has sixty fields."""
    assert changes.keys() <= state.__dict__.keys(), "a field that the state does not have"
    after = object.__new__(TaskState)
    after.__dict__.update(state.__dict__, **changes)
    return after


def fold(state: TaskState, record: Record) -> TaskState:
    """The next state. Pure: the same log always gives the same state."""
    changed = _STEPS[type(record.event)](state, record.event, record.at)
    return replace(changed, task_id=record.task_id, last_seq=record.seq)


def fold_all(records: Iterable[Record], state: TaskState | None = None) -> TaskState:
    state = state or TaskState()
    for record in records:
        state = fold(state, record)
    return state


# --- the task --------------------------------------------------------------------------------------------


@_on(TaskCreated)
def _created(state: TaskState, event: TaskCreated, at: float) -> TaskState:
    return replace(
        state,
        goal=event.goal,
        device=event.device,
        worker=event.worker,
        loop=event.loop,
        max_steps=event.max_steps,
        status=TaskStatus.PENDING,
        started=at,
    )


@_on(TaskResumed)
def _resumed(state: TaskState, event: TaskResumed, at: float) -> TaskState:
    return replace(
        state,
        status=TaskStatus.PENDING,
        situation=Situation.INIT,
        executor=ExecutorStatus.IDLE,
        executor_cause=None,
        executor_decision=None,
        subtask=state.subtask and _as(state.subtask, SubtaskStatus.PENDING),
        subtask_since=at,  # the time in which nobody worked is not the worker's
        max_steps=event.max_steps,
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


@_on(SituationChanged)
def _situation(state: TaskState, event: SituationChanged, at: float) -> TaskState:
    waits = event.situation is Situation.WAIT_USER
    return replace(state, situation=event.situation, status=TaskStatus.ON_HOLD if waits else TaskStatus.PENDING)


@_on(TaskEnded)
def _ended(state: TaskState, event: TaskEnded, at: float) -> TaskState:
    return replace(
        state,
        status=TaskStatus(event.status),
        subtask=state.subtask and _as(state.subtask, SubtaskStatus(event.status.value)),
        situation=Situation.DONE,
        # What nobody answered is asked again when the task is resumed; behind its goal there is nothing to ask.
        requests=() if event.status is TaskStatus.FULFILLED else state.requests,
        cause=event.cause,
        reason=event.reason,
        ended=at,
    )


# --- the plan --------------------------------------------------------------------------------------------


def _as(subtask: Subtask, status: SubtaskStatus) -> Subtask:
    return subtask.model_copy(update={"status": status})


@_on(PlanMade)
def _plan(state: TaskState, event: PlanMade, at: float) -> TaskState:
    kept = state.subtasks(SubtaskStatus.FULFILLED, SubtaskStatus.REJECTED)
    titles = tuple(subtask.title for subtask in event.subtasks)
    return replace(
        state,
        plan=(*kept, *event.subtasks),
        plans=state.plans + 1,
        tried=(*state.tried, titles)[-PLANS_KEPT:],
        strategies=(*state.strategies, event.strategy) if state.plans else (),
    )


@_on(SubtaskStarted)
def _subtask(state: TaskState, event: SubtaskStarted, at: float) -> TaskState:
    state = _withdrawn(state)
    again = state.subtask is not None and state.subtask.id == event.subtask.id
    started = event.subtask.model_copy(
        update={
            "status": SubtaskStatus.PENDING,
            "since": state.subtask.since if again and state.subtask else at,
            "retries": state.subtask.retries + (not event.went_on) if again and state.subtask else 0,
        }
    )
    if event.went_on:
        return replace(state, subtask=started, situation=_inner(state, Situation.GET_ACTION))
    return replace(
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
        repeats=0,
        failures_in_a_row=0,
        unchanged_in_a_row=0,
        screen_loop=0,
        fired=(),
        situation=_inner(state, Situation.GET_ACTION),
    )


def _withdrawn(state: TaskState) -> TaskState:
    """Who is given an order no longer waits for what it asked; the outer loop may still wait for an answer."""
    left = tuple(request for request in state.requests if request.asker == "planner")
    if left:
        return replace(state, requests=left)
    waited = state.situation is Situation.WAIT_USER
    after = Situation.GET_ACTION if waited else state.situation
    return replace(state, requests=(), situation=after, status=TaskStatus.PENDING)


@_on(SubtaskEnded)
def _subtask_ended(state: TaskState, event: SubtaskEnded, at: float) -> TaskState:
    fulfilled = event.status is SubtaskStatus.FULFILLED
    current = state.subtask
    over = {"status": SubtaskStatus(event.status), "ended": at}
    if current and current.id == event.id:
        current = current.model_copy(update=over)
    return replace(
        state,
        subtask=current,
        plan=tuple(s.model_copy(update=over) if s.id == event.id else s for s in state.plan),
        # Progress was made, so the next trouble starts at the cheapest strategy again.
        strategies=() if fulfilled else state.strategies,
    )


@_on(Supplemented)
def _supplemented(state: TaskState, event: Supplemented, at: float) -> TaskState:
    return replace(state, materials=(*state.materials, *event.materials)[-MATERIALS_KEPT:])


@_on(TodoEdited)
def _todo_edited(state: TaskState, event: TodoEdited, at: float) -> TaskState:
    """What is done stays done; what the list does not hold any more is not touched."""
    open_ids = {subtask.id for subtask in state.subtasks(SubtaskStatus.READY, SubtaskStatus.PENDING)}
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
    return replace(state, plan=tuple(plan), added=added)


# --- the person ------------------------------------------------------------------------------------------


@_on(UserAsked)
def _asked(state: TaskState, event: UserAsked, at: float) -> TaskState:
    return replace(state, requests=(*state.requests, event.request), status=TaskStatus.ON_HOLD)


@_on(UserReplied)
def _replied(state: TaskState, event: UserReplied, at: float) -> TaskState:
    request = next((request for request in state.requests if request.id == event.reply.request_id), None)
    left = tuple(other for other in state.requests if other is not request)
    refused = request is not None and request.action is not None and event.reply.verdict == "no"
    return replace(
        state,
        requests=left,
        refused=(*state.refused, request.action) if refused and request and request.action else state.refused,
        status=state.status if left or state.over else TaskStatus.PENDING,
    )


@_on(UserSaid)
def _said(state: TaskState, event: UserSaid, at: float) -> TaskState:
    return replace(state, said=(*state.said, event.text)[-SAID_KEPT:])


@_on(UserActed)
def _acted(state: TaskState, event: UserActed, at: float) -> TaskState:
    return state


# --- rules and gates -------------------------------------------------------------------------------------


@_on(Ruled)
def _ruled(state: TaskState, event: Ruled, at: float) -> TaskState:
    others = tuple(pair for pair in state.fired if pair[0] != event.ruling.rule)
    return replace(state, fired=(*others, (event.ruling.rule, state.subtask_steps)))


@_on(Corrected)
def _corrected(state: TaskState, event: Corrected, at: float) -> TaskState:
    """The worker gets a fresh chance: what was counted before it was corrected no longer counts."""
    return replace(state, corrections=(*state.corrections, event.text), repeats=0, unchanged_in_a_row=0, screen_loop=0)


@_on(Warned)
def _warned(state: TaskState, event: Warned, at: float) -> TaskState:
    return state


@_on(GateOpened)
def _gate_opened(state: TaskState, event: GateOpened, at: float) -> TaskState:
    return replace(state, checking=True)


@_on(GateClosed)
def _gate_closed(state: TaskState, event: GateClosed, at: float) -> TaskState:
    return replace(
        state,
        checking=False,
        reports=(*state.reports, event.report)[-REPORTS_KEPT:],
    )


# --- steps -----------------------------------------------------------------------------------------------

_INNER = frozenset({Situation.INIT, Situation.GET_ACTION, Situation.EXECUTE_ACTION, Situation.SETTLE})


def _inner(state: TaskState, situation: Situation) -> Situation:
    """The inner loop moves the situation only while it is its turn: a late step does not end planning."""
    return situation if state.situation in _INNER else state.situation


@_on(Observed)
def _observed(state: TaskState, event: Observed, at: float) -> TaskState:
    return replace(state, step=event.step, app=event.app, situation=_inner(state, Situation.GET_ACTION))


@_on(Reserved)
def _reserved(state: TaskState, event: Reserved, at: float) -> TaskState:
    return replace(state, reserved=(*state.reserved, event))


@_on(Released)
def _released(state: TaskState, event: Released, at: float) -> TaskState:
    return replace(state, reserved=_without(state, event.call))


@_on(Billed)
def _billed(state: TaskState, event: Billed, at: float) -> TaskState:
    spend = dict(state.spend)
    spend[event.role] = spend.get(event.role, NO_USAGE) + event.usage
    usage = state.usage + event.usage
    return replace(state, usage=usage, spend=tuple(spend.items()), reserved=_without(state, event.call))


def _without(state: TaskState, call: str) -> tuple[Reserved, ...]:
    return tuple(reserved for reserved in state.reserved if reserved.call != call)


@_on(Decided)
def _decided(state: TaskState, event: Decided, at: float) -> TaskState:
    # Who stops without an end goes on from the same place when it is sent back.
    place = "" if event.decision.kind in ("actions", "done", "fail") else state.bookmark
    return replace(
        state,
        bookmark=event.decision.bookmark or place,
        messages=state.messages[event.heard :],
    )


@_on(ActionIntended)
def _intended(state: TaskState, event: ActionIntended, at: float) -> TaskState:
    return replace(
        state,
        unconfirmed=event.action,
        last_action=event.action,
        repeats=state.repeats + 1 if event.action == state.last_action else 1,
        situation=_inner(state, Situation.EXECUTE_ACTION),
    )


@_on(ActionEnded)
def _action_ended(state: TaskState, event: ActionEnded, at: float) -> TaskState:
    failed = event.status is not ExecStatus.EXECUTED
    # An action of a subtask that was given up meanwhile moves nothing any more.
    under_way = state.situation is Situation.EXECUTE_ACTION
    after = Situation.GET_ACTION if failed else Situation.SETTLE
    return replace(
        state,
        unconfirmed=None,
        actions=state.actions + 1,
        failed_actions=state.failed_actions + failed,
        subtask_actions=state.subtask_actions + 1,
        subtask_failures=state.subtask_failures + failed,
        situation=after if under_way else state.situation,
    )


@_on(Settled)
def _settled(state: TaskState, event: Settled, at: float) -> TaskState:
    return replace(state, screen_loop=event.loop, situation=_inner(state, Situation.GET_ACTION))


@_on(QueueFlushed)
def _flushed(state: TaskState, event: QueueFlushed, at: float) -> TaskState:
    return state


@_on(StepFinished)
def _step_finished(state: TaskState, event: StepFinished, at: float) -> TaskState:
    return replace(
        state,
        step=max(state.step, event.report.step),
        subtask_steps=state.subtask_steps + 1,
        step_ms=state.step_ms + event.ms,
        history=(*state.history, event.report)[-HISTORY_KEPT:],
        situation=_inner(state, Situation.GET_ACTION),
        failures_in_a_row=0 if event.success else state.failures_in_a_row + 1,
        unchanged_in_a_row=0 if event.screen_changed else state.unchanged_in_a_row + 1,
    )


@_on(CommandTaken)
def _command(state: TaskState, event: CommandTaken, at: float) -> TaskState:
    match event.command:
        case InjectPrompt(content=content):
            return replace(state, messages=(*state.messages, content))
        case ResetContext():
            return replace(state, history=(), messages=())
        case _:
            return state


@_on(ExecutorChanged)
def _executor(state: TaskState, event: ExecutorChanged, at: float) -> TaskState:
    return replace(
        state,
        executor=event.status,
        executor_cause=event.cause,
        executor_decision=event.decision,
        executor_reason=event.reason,
    )


@_on(Memorized)
def _memorized(state: TaskState, event: Memorized, at: float) -> TaskState:
    return replace(state, notes=(*state.notes, event.text)[-NOTES_KEPT:])


@_on(Answered)
def _answered(state: TaskState, event: Answered, at: float) -> TaskState:
    return replace(state, answers=(*state.answers, event.text))


@_on(ArtifactKept)
def _kept(state: TaskState, event: ArtifactKept, at: float) -> TaskState:
    """A file written again takes the place of what it was."""
    others = tuple(artifact for artifact in state.artifacts if artifact.name != event.name)
    new = Artifact(name=event.name, size=event.size, text=event.text)
    return replace(state, artifacts=(*others, new)[-ARTIFACTS_KEPT:])


def handles(event: type[Event]) -> bool:
    """Whether the fold knows this event: the test of completeness asks for every one."""
    return event in _STEPS
