"""TaskState: a pure fold over a task's events. The only way to know how a task stands."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from deskhand.actions import Action
from deskhand.task.events import (
    ActionEnded,
    ActionIntended,
    Answered,
    CommandTaken,
    Decided,
    EndCause,
    Event,
    ExecutorChanged,
    LoopMode,
    Memorized,
    Observed,
    QueueFlushed,
    Record,
    RunSummary,
    Settled,
    StepFinished,
    SubtaskStarted,
    TaskCreated,
    TaskEnded,
)
from deskhand.types import (
    ExecStatus,
    ExecutorStatus,
    InjectPrompt,
    ResetContext,
    Situation,
    StepReport,
    Subtask,
    SubtaskStatus,
    TaskStatus,
    Usage,
)

# Kept in memory for workers and rules; the journal has the rest.
HISTORY_KEPT = 20
NOTES_KEPT = 50
NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class TaskState:
    """How a task stands after its last event."""

    task_id: str = ""
    goal: str = ""
    device: str = ""
    worker: str = ""
    loop: LoopMode = "single"
    max_steps: int = 0
    status: TaskStatus = TaskStatus.CREATED
    situation: Situation = Situation.INIT
    executor: ExecutorStatus = ExecutorStatus.IDLE
    subtask: Subtask | None = None
    system_prompt: str = ""
    step: int = 0
    app: str = ""
    history: tuple[StepReport, ...] = ()
    bookmark: str = ""
    messages: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    unconfirmed: Action | None = None
    actions: int = 0
    failed_actions: int = 0
    failures_in_a_row: int = 0
    unchanged_in_a_row: int = 0
    usage: Usage = NO_USAGE
    started: float = 0.0
    ended: float | None = None
    cause: EndCause | None = None
    reason: str = ""
    last_seq: int = 0

    @property
    def over(self) -> bool:
        return self.status in (TaskStatus.FULFILLED, TaskStatus.REJECTED)


E = TypeVar("E")
Step = Callable[[TaskState, Any], TaskState]
_STEPS: dict[type, Step] = {}


def _on(
    kind: type[E],
) -> Callable[[Callable[[TaskState, E], TaskState]], Callable[[TaskState, E], TaskState]]:
    def register(step: Callable[[TaskState, E], TaskState]) -> Callable[[TaskState, E], TaskState]:
        _STEPS[kind] = step
        return step

    return register


def fold(state: TaskState, record: Record) -> TaskState:
    """The next state. Pure: the same log always gives the same state."""
    changed = _STEPS[type(record.event)](state, record.event)
    changes: dict[str, Any] = {"last_seq": record.seq}
    if isinstance(record.event, TaskCreated):
        changes |= {"task_id": record.task_id, "started": record.at}
    if isinstance(record.event, TaskEnded):
        changes["ended"] = record.at
    return replace(changed, **changes)


def fold_all(records: Iterable[Record], state: TaskState | None = None) -> TaskState:
    state = state or TaskState()
    for record in records:
        state = fold(state, record)
    return state


@_on(TaskCreated)
def _created(state: TaskState, event: TaskCreated) -> TaskState:
    return replace(
        state,
        goal=event.goal,
        device=event.device,
        worker=event.worker,
        loop=event.loop,
        max_steps=event.max_steps,
        status=TaskStatus.PENDING,
    )


@_on(SubtaskStarted)
def _subtask(state: TaskState, event: SubtaskStarted) -> TaskState:
    subtask = event.subtask.model_copy(update={"status": SubtaskStatus.PENDING})
    return replace(
        state, subtask=subtask, system_prompt=event.system_prompt, bookmark="", situation=Situation.GET_ACTION
    )


@_on(Observed)
def _observed(state: TaskState, event: Observed) -> TaskState:
    return replace(state, step=event.step, app=event.app, situation=Situation.GET_ACTION)


@_on(Decided)
def _decided(state: TaskState, event: Decided) -> TaskState:
    return replace(
        state,
        usage=state.usage + event.usage,
        bookmark=event.decision.bookmark,
        messages=state.messages[event.heard :],
    )


@_on(ActionIntended)
def _intended(state: TaskState, event: ActionIntended) -> TaskState:
    return replace(state, unconfirmed=event.action, situation=Situation.EXECUTE_ACTION)


@_on(ActionEnded)
def _action_ended(state: TaskState, event: ActionEnded) -> TaskState:
    failed = event.status is not ExecStatus.EXECUTED
    return replace(
        state,
        unconfirmed=None,
        actions=state.actions + 1,
        failed_actions=state.failed_actions + failed,
        situation=Situation.GET_ACTION if failed else Situation.SETTLE,
    )


@_on(Settled)
def _settled(state: TaskState, event: Settled) -> TaskState:
    return replace(state, situation=Situation.GET_ACTION)


@_on(QueueFlushed)
def _flushed(state: TaskState, event: QueueFlushed) -> TaskState:
    return state


@_on(StepFinished)
def _step_finished(state: TaskState, event: StepFinished) -> TaskState:
    return replace(
        state,
        step=max(state.step, event.report.step),
        history=(*state.history, event.report)[-HISTORY_KEPT:],
        failures_in_a_row=0 if event.success else state.failures_in_a_row + 1,
        unchanged_in_a_row=0 if event.screen_changed else state.unchanged_in_a_row + 1,
    )


@_on(CommandTaken)
def _command(state: TaskState, event: CommandTaken) -> TaskState:
    match event.command:
        case InjectPrompt(content=content):
            return replace(state, messages=(*state.messages, content))
        case ResetContext():
            return replace(state, history=(), bookmark="", messages=())
        case _:
            return state


@_on(ExecutorChanged)
def _executor(state: TaskState, event: ExecutorChanged) -> TaskState:
    return replace(state, executor=event.status)


@_on(Memorized)
def _memorized(state: TaskState, event: Memorized) -> TaskState:
    return replace(state, notes=(*state.notes, event.text)[-NOTES_KEPT:])


@_on(Answered)
def _answered(state: TaskState, event: Answered) -> TaskState:
    return replace(state, answers=(*state.answers, event.text))


@_on(TaskEnded)
def _ended(state: TaskState, event: TaskEnded) -> TaskState:
    subtask = state.subtask
    if subtask:
        subtask = subtask.model_copy(update={"status": SubtaskStatus(event.status.value)})
    return replace(
        state,
        status=TaskStatus(event.status),
        subtask=subtask,
        situation=Situation.DONE,
        cause=event.cause,
        reason=event.reason,
    )


def summary(state: TaskState) -> RunSummary:
    return RunSummary(
        task_id=state.task_id,
        goal=state.goal,
        device=state.device,
        status=state.status,
        reason=state.reason,
        started=state.started,
        ended=state.ended,
        steps=state.step,
        usage=state.usage,
    )


def handles(event: type[Event]) -> bool:
    """Whether the fold knows this event: the test of completeness asks for every one."""
    return event in _STEPS
