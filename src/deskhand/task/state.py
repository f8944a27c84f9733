"""The state of a task after its last event. Made by `fold` alone, from the log alone."""

from dataclasses import dataclass, replace
from decimal import Decimal

from deskhand.core.actions import Action
from deskhand.core.decisions import Artifact, DecisionKind, StepReport, Usage
from deskhand.core.human import UserRequest
from deskhand.core.irreversible import DoneAct
from deskhand.core.planning import Material, QualityReport, ReplanStrategy
from deskhand.core.statuses import ExecutorStatus, Situation, SubtaskStatus, TaskStatus
from deskhand.core.subtask import Subtask
from deskhand.task.events import NO_ORIGIN, ActionIntended, EndCause, LoopMode, Reserved, TaskOrigin, TaskSummary

NO_USAGE = Usage()


@dataclass(frozen=True)
class TaskState:
    task_id: str = ""
    goal: str = ""
    device: str = ""
    worker: str = ""
    loop: LoopMode = "single"
    max_steps: int = 0
    origin: TaskOrigin = NO_ORIGIN
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
    unreadable: int = 0  # entries of the log that say nothing any more: what they did is not known

    # the plan
    plan: tuple[Subtask, ...] = ()
    plans: int = 0
    plans_before: int = 0  # of those, made before the task was resumed: they don't count against the limit
    tried: tuple[tuple[str, ...], ...] = ()
    strategies: tuple[ReplanStrategy, ...] = ()
    subtask: Subtask | None = None
    subtask_since: float = 0.0
    subtask_steps: int = 0
    subtask_actions: int = 0
    subtask_failures: int = 0
    system_prompt: str = ""
    corrections: tuple[str, ...] = ()
    added: int = 0

    # the user
    requests: tuple[UserRequest, ...] = ()
    said: tuple[str, ...] = ()
    refused: tuple[Action, ...] = ()

    # what the worker is told
    step: int = 0
    app: str = ""
    address: str = ""
    history: tuple[StepReport, ...] = ()
    bookmark: str = ""
    bookmarks: tuple[tuple[str, str], ...] = ()  # those with which fulfilled subtasks ended, by id, the oldest first
    messages: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    materials: tuple[Material, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    reports: tuple[QualityReport, ...] = ()

    # what the rules count
    unconfirmed: ActionIntended | None = None
    unsent_step: int = 0  # the step whose actions were decided on, while none of them was begun
    acts: tuple[DoneAct, ...] = ()
    undone: str = ""  # an irreversible act that was begun and not carried out, until some other action is
    # Counted up whenever the worker is sent off anew or told something: what it did before, it may not know.
    attempt: int = 0
    reopened: str = ""  # why the device was opened anew, until the worker has decided on what is there now
    last_action: Action | None = None
    repeats: int = 0
    actions: int = 0
    failed_actions: int = 0
    failures_in_a_row: int = 0
    unchanged_in_a_row: int = 0
    screen_loop: int = 0
    fired: tuple[tuple[str, int], ...] = ()
    checking: bool = False
    usage: Usage = NO_USAGE
    spend: tuple[tuple[str, Usage], ...] = ()  # the same by role, in the order in which they first asked
    reserved: tuple[Reserved, ...] = ()  # calls under way; after a crash, calls whose bill nobody knows

    @property
    def over(self) -> bool:
        return self.status in (TaskStatus.FULFILLED, TaskStatus.REJECTED)

    @property
    def error_rate(self) -> float:
        """The failed share of this subtask's actions: an earlier subtask says nothing of this one."""
        return self.subtask_failures / self.subtask_actions if self.subtask_actions else 0.0

    @property
    def most_spent(self) -> Decimal:
        """The cost so far, with the worst case of every call whose bill is not known."""
        return self.usage.cost + sum((call.amount for call in self.reserved), Decimal(0))

    def is_given_up(self, subtask_id: str) -> bool:
        """True if a plan was made and this subtask is not, or no longer, to be done in it."""
        wanted = self.subtasks_with(SubtaskStatus.READY, SubtaskStatus.PENDING)
        return self.plans > 0 and all(subtask.id != subtask_id for subtask in wanted)

    @property
    def wants_a_plan(self) -> bool:
        """True if something of the newest plan was given up, and nothing has taken its place yet."""
        # What the user added has no plan's number: it can't be told whether a later plan has replaced it.
        newest = (f"{self.plans}.", "+")
        return any(subtask.id.startswith(newest) for subtask in self.subtasks_with(SubtaskStatus.REJECTED))

    def subtasks_with(self, *statuses: SubtaskStatus) -> tuple[Subtask, ...]:
        return tuple(subtask for subtask in self.plan if subtask.status in statuses)


def mark_interrupted(state: TaskState) -> TaskState:
    """Return the state of a task that has not ended and that no living program has."""
    reason = f"its program ended in the middle of it: deskhand resume {state.task_id} goes on"
    return replace(state, status=TaskStatus.INTERRUPTED, reason=state.reason or reason)


def summarize_task(state: TaskState) -> TaskSummary:
    return TaskSummary(
        task_id=state.task_id,
        goal=state.goal,
        device=state.device,
        status=state.status,
        cause=state.cause,
        reason=state.reason,
        started=state.started,
        ended=state.ended,
        steps=state.step,
        usage=state.usage,
        unreadable=state.unreadable,
    )
