"""TaskState: a pure fold over a task's events. The only way to know how a task stands."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from deskhand.actions import Action
from deskhand.gates import Material, QualityReport, ReplanStrategy
from deskhand.task.events import (
    ActionEnded,
    ActionIntended,
    Answered,
    ArtifactKept,
    Billed,
    CommandTaken,
    Decided,
    EndCause,
    Event,
    ExecutorChanged,
    GateClosed,
    GateOpened,
    LoopMode,
    Memorized,
    Observed,
    PlanMade,
    QueueFlushed,
    Record,
    Ruled,
    RunSummary,
    Settled,
    SituationChanged,
    StepFinished,
    SubtaskEnded,
    SubtaskStarted,
    Supplemented,
    TaskCreated,
    TaskEnded,
    TaskResumed,
)
from deskhand.types import (
    Artifact,
    DecisionKind,
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
REPORTS_KEPT = 5
MATERIALS_KEPT = 20
ARTIFACTS_KEPT = 20
PLANS_KEPT = 5
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
    executor_cause: EndCause | None = None
    executor_decision: DecisionKind | None = None
    executor_reason: str = ""
    started: float = 0.0
    ended: float | None = None
    cause: EndCause | None = None
    reason: str = ""
    last_seq: int = 0

    # the plan
    plan: tuple[Subtask, ...] = ()
    plans: int = 0
    tried: tuple[tuple[str, ...], ...] = ()
    strategies: tuple[ReplanStrategy, ...] = ()
    subtask: Subtask | None = None
    subtask_since: float = 0.0
    subtask_steps: int = 0
    subtask_actions: int = 0
    subtask_failures: int = 0
    system_prompt: str = ""

    # what the worker is told
    step: int = 0
    app: str = ""
    history: tuple[StepReport, ...] = ()
    bookmark: str = ""
    messages: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    materials: tuple[Material, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    reports: tuple[QualityReport, ...] = ()

    # what the rules count
    unconfirmed: Action | None = None
    last_action: Action | None = None
    repeats: int = 0
    actions: int = 0
    failed_actions: int = 0
    failures_in_a_row: int = 0
    unchanged_in_a_row: int = 0
    screen_loop: int = 0
    fired: tuple[tuple[str, int], ...] = ()
    checking: bool = False
    step_ms: int = 0
    usage: Usage = NO_USAGE
    spend: tuple[tuple[str, Usage], ...] = ()  # the same by role, in the order in which they first asked

    @property
    def over(self) -> bool:
        return self.status in (TaskStatus.FULFILLED, TaskStatus.REJECTED)

    @property
    def error_rate(self) -> float:
        """Of this subtask: what failed in one that was given up says nothing of the next."""
        return self.subtask_failures / self.subtask_actions if self.subtask_actions else 0.0

    @property
    def mean_step_ms(self) -> float:
        return self.step_ms / self.step if self.step else 0.0

    def given_up(self, subtask_id: str) -> bool:
        return any(subtask.id == subtask_id for subtask in self.subtasks(SubtaskStatus.REJECTED))

    def subtasks(self, *statuses: SubtaskStatus) -> tuple[Subtask, ...]:
        return tuple(subtask for subtask in self.plan if subtask.status in statuses)


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
        max_steps=event.max_steps,
        strategies=(),
        failures_in_a_row=0,
        unchanged_in_a_row=0,
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
    started = _as(event.subtask, SubtaskStatus.PENDING)
    if event.went_on:
        return replace(state, subtask=started, subtask_since=at, situation=_inner(state, Situation.GET_ACTION))
    return replace(
        state,
        plan=tuple(started if subtask.id == started.id else subtask for subtask in state.plan),
        subtask=started,
        subtask_since=at,
        subtask_steps=0,
        subtask_actions=0,
        subtask_failures=0,
        system_prompt=event.system_prompt,
        bookmark="",
        repeats=0,
        failures_in_a_row=0,
        unchanged_in_a_row=0,
        screen_loop=0,
        fired=(),
        situation=_inner(state, Situation.GET_ACTION),
    )


@_on(SubtaskEnded)
def _subtask_ended(state: TaskState, event: SubtaskEnded, at: float) -> TaskState:
    fulfilled = event.status is SubtaskStatus.FULFILLED
    current = state.subtask
    if current and current.id == event.id:
        current = _as(current, SubtaskStatus(event.status))
    return replace(
        state,
        subtask=current,
        plan=tuple(_as(s, SubtaskStatus(event.status)) if s.id == event.id else s for s in state.plan),
        # Progress was made, so the next trouble starts at the cheapest strategy again.
        strategies=() if fulfilled else state.strategies,
    )


@_on(Supplemented)
def _supplemented(state: TaskState, event: Supplemented, at: float) -> TaskState:
    return replace(state, materials=(*state.materials, *event.materials)[-MATERIALS_KEPT:])


# --- rules and gates -------------------------------------------------------------------------------------


@_on(Ruled)
def _ruled(state: TaskState, event: Ruled, at: float) -> TaskState:
    others = tuple(pair for pair in state.fired if pair[0] != event.ruling.rule)
    return replace(state, fired=(*others, (event.ruling.rule, state.subtask_steps)))


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


@_on(Billed)
def _billed(state: TaskState, event: Billed, at: float) -> TaskState:
    spend = dict(state.spend)
    spend[event.role] = spend.get(event.role, NO_USAGE) + event.usage
    return replace(state, usage=state.usage + event.usage, spend=tuple(spend.items()))


@_on(Decided)
def _decided(state: TaskState, event: Decided, at: float) -> TaskState:
    return replace(
        state,
        bookmark=event.decision.bookmark,
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
            return replace(state, history=(), bookmark="", messages=())
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
