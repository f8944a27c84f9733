"""The parts of a task besides its goal. `build` chooses them; the engine knows them as Protocols."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from deskhand.bus import Bus
from deskhand.core.planning import Depth
from deskhand.core.protocols import (
    Clock,
    Coach,
    CodeRunner,
    Device,
    Judge,
    Planner,
    PromptMemory,
    ScreenReader,
    Settle,
    Worker,
)
from deskhand.core.subtask import WorkerRole
from deskhand.engine.ledger import TaskLedger
from deskhand.engine.outer.rules import DEFAULT_RULES, Rule
from deskhand.screen.stillness.self_motion import SelfMotion
from deskhand.settings.schema import Settings
from deskhand.task.journal import Journal


@dataclass(frozen=True, slots=True)
class OuterRoles:
    """The roles of the outer loop. `fallback` judges when the budget does not cover `judge`.

    Without a coach, the worker gets the user's words as they are. Without a memory, nothing is learned.
    """

    planner: Planner
    judge: Judge
    fallback: Judge
    can_afford: Callable[[Depth], bool]
    coach: Coach | None = None
    memory: PromptMemory | None = None
    rules: tuple[Rule, ...] = DEFAULT_RULES
    # The worker roles that the planner may use; empty: all. A role that can't work here still ends its subtasks.
    roles: tuple[WorkerRole, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskParts:
    """The parts of one task. Without `outer` it is the single loop: the operator alone.

    `goal_approves`: the goal's words count as approval of what they ask for (`Authority.is_goal_approval`).
    """

    device: Device
    workers: Mapping[WorkerRole, Worker]
    worker_name: str
    journal: Journal
    bus: Bus
    clock: Clock
    settle: Settle
    settings: Settings
    outer: OuterRoles | None = None
    reader: ScreenReader | None = None
    movers: SelfMotion = field(default_factory=SelfMotion)
    # By task id: each task has its own folder, also after it was resumed.
    code: Callable[[str], CodeRunner] | None = None
    ledger: TaskLedger = field(default_factory=TaskLedger)
    goal_approves: bool = False
