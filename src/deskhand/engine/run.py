"""A task from goal to end. Every front door (command line, API, chat, bench) comes through here."""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Self

from deskhand.actions import describe
from deskhand.bus import Bus, Subscription
from deskhand.config import Settings
from deskhand.engine.dispatcher import Dispatcher
from deskhand.engine.executor import Executor
from deskhand.engine.inspection import Inspector
from deskhand.engine.log import Bills, TaskLog
from deskhand.engine.looking import Eyes
from deskhand.engine.rules import DEFAULT_RULES, Rule
from deskhand.errors import DeskhandError, UsageError
from deskhand.gates import Depth
from deskhand.protocols import Clock, CodeRunner, Device, Journal, Judge, Planner, ScreenReader, Settle, Worker
from deskhand.screen.movers import Movers
from deskhand.screen.perception import Perception
from deskhand.task.events import (
    CommandTaken,
    Event,
    ExecutorChanged,
    Record,
    SituationChanged,
    StepFinished,
    TaskCreated,
    TaskEnded,
    TaskResumed,
)
from deskhand.task.state import TaskState
from deskhand.types import Command, ExecutorStatus, InjectPrompt, Situation, StartTask, Stop, TaskStatus, WorkerRole


@dataclass(frozen=True, slots=True)
class Management:
    """Who stands above the workers in the dual loop. `fallback` judges when `judge` can't be paid for."""

    planner: Planner
    judge: Judge
    fallback: Judge
    can_afford: Callable[[Depth], bool]
    rules: tuple[Rule, ...] = DEFAULT_RULES


@dataclass(frozen=True, slots=True)
class Crew:
    """All that a task needs besides its goal. Without management it is the single loop: the operator alone."""

    device: Device
    workers: Mapping[WorkerRole, Worker]
    worker_name: str
    journal: Journal
    bus: Bus
    clock: Clock
    settle: Settle
    settings: Settings
    management: Management | None = None
    reader: ScreenReader | None = None
    movers: Movers = field(default_factory=Movers)
    # By task: each has a folder of its own, also after it was resumed.
    code: Callable[[str], CodeRunner] | None = None
    bills: Bills = tuple


def clear_goal(goal: str) -> str:
    """The goal as it is worked with; refused when there is nothing in it, before any device is touched."""
    if not goal.strip():
        raise UsageError('The goal is empty: say what is to be done, for example "Open Settings, turn on Wi-Fi".')
    return goal.strip()


class Run:
    """A task under way: commands in, events out, and a state at the end."""

    def __init__(self, goal: str, crew: Crew, max_steps: int | None = None, *, past: TaskState | None = None) -> None:
        self.task_id = past.task_id if past else secrets.token_hex(6)
        self._goal = clear_goal(goal)
        self._crew = crew
        self._max_steps = max_steps or crew.settings.executor.max_steps
        self._past = past
        self._log = TaskLog(self.task_id, crew.journal, crew.bus, past, crew.bills)
        perception = Perception(crew.device, crew.bus.publish, crew.clock, crew.movers)
        self._eyes = Eyes(perception, crew.device, crew.reader)
        self._executor = Executor(
            crew.device,
            crew.workers,
            self._log,
            eyes=self._eyes,
            movers=crew.movers,
            settle=crew.settle,
            clock=crew.clock,
            settings=crew.settings.executor,
            policy=crew.settings.policy,
            max_steps=self._max_steps,
            code=crew.code(self.task_id) if crew.code else None,
        )
        self._driver: asyncio.Task[TaskState] | None = None

    @classmethod
    def resumed(cls, past: TaskState, crew: Crew, max_steps: int | None = None) -> Self:
        """The same task again, from where its log says that it was left; `max_steps` are more ones."""
        if past.status is TaskStatus.FULFILLED:
            raise UsageError(f"Run {past.task_id} is fulfilled: there is nothing left to do.")
        return cls(past.goal, crew, past.step + (max_steps or crew.settings.executor.max_steps), past=past)

    @property
    def state(self) -> TaskState:
        return self._log.state

    def send(self, command: Command) -> None:
        self._executor.mailbox.post(command)

    async def start(self) -> None:
        """Write the task down and begin; returns as soon as it is on disk."""
        await self._log.record(*self._opening())
        self._driver = asyncio.create_task(self._drive(), name=f"task {self.task_id}")

    def _opening(self) -> tuple[Event, ...]:
        if self._past is None:
            created = TaskCreated(
                goal=self._goal,
                device=self._crew.device.id,
                worker=self._crew.worker_name,
                loop="dual" if self._crew.management else "single",
                max_steps=self._max_steps,
            )
            return (created,)
        resumed = TaskResumed(max_steps=self._max_steps)
        if self._past.unconfirmed is None:
            return (resumed,)
        doubt = (
            f"It is unknown whether the last action was carried out ({describe(self._past.unconfirmed)}): look first."
        )
        return resumed, CommandTaken(command=InjectPrompt(content=doubt))

    async def wait(self) -> TaskState:
        assert self._driver, "a run is waited for after it was started"
        return await asyncio.shield(self._driver)

    async def stop(self, reason: str = "stopped by the user") -> TaskState:
        """When this returns, no action reaches the device any more."""
        self.send(Stop(reason=reason))
        return await self.wait()

    async def _drive(self) -> TaskState:
        try:
            async with self._eyes.perception:
                ended = await self._to_the_end()
        except DeskhandError:
            raise
        except Exception as error:  # a bug of ours: the log says so before it is raised
            reason = f"internal error: {error or type(error).__name__}"
            await self._log.record(TaskEnded(status=TaskStatus.REJECTED, cause="crashed", reason=reason))
            raise
        await self._log.record(ended)
        return self.state

    async def _to_the_end(self) -> TaskEnded:
        """Both loops side by side, until the outer one knows the end or the inner one was stopped."""
        limit = self._crew.settings.time_limit_s
        with self._crew.bus.subscribe(Record) as records:
            executing = asyncio.create_task(self._executor.run(), name=f"executor {self.task_id}")
            deciding = asyncio.create_task(self._outer_loop(records), name=f"dispatcher {self.task_id}")
            both = {executing, deciding}
            try:
                await asyncio.wait(both, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
            finally:
                unfinished = {task for task in both if not task.done()}
                for task in unfinished:
                    task.cancel()
                if unfinished:
                    await asyncio.wait(unfinished)
        if not deciding.cancelled():
            return deciding.result()
        if not executing.cancelled():
            executing.result()  # raises what it failed with; else it was told to stop
            return TaskEnded(status=TaskStatus.REJECTED, cause="stopped", reason=self.state.executor_reason)
        reason = f"the time limit of {limit:g} s was reached"
        return TaskEnded(status=TaskStatus.REJECTED, cause="time", reason=reason)

    async def _outer_loop(self, records: Subscription[Record]) -> TaskEnded:
        management, crew = self._crew.management, self._crew
        if management is None:
            return await self._single_loop(records)
        inspector = Inspector(
            management.judge,
            management.fallback,
            self._log,
            self._eyes,
            crew.settings.gates,
            management.can_afford,
            crew.clock,
        )
        dispatcher = Dispatcher(
            management.planner,
            inspector,
            self._log,
            self._executor.mailbox,
            device=crew.device,
            eyes=self._eyes,
            clock=crew.clock,
            settings=crew.settings,
            rules=management.rules,
            roles=tuple(crew.workers),
        )
        return await dispatcher.run(records)

    async def _single_loop(self, records: Subscription[Record]) -> TaskEnded:
        """The executor alone; the goal is its one subtask."""
        begun = self._past is not None and self._past.subtask is not None
        self.send(StartTask(task_id=self.task_id, description=self._goal, go_on=begun))
        async for record in records:
            if record.task_id != self.task_id:
                continue
            if ended := _ended(record.event) or self._hopeless(record.event):
                if isinstance(record.event, ExecutorChanged) and record.event.decision == "ask":
                    await self._log.record(SituationChanged(situation=Situation.WAIT_USER, because=ended.reason))
                return ended
        raise AssertionError("the log ended before the task did")

    def _hopeless(self, event: Event) -> TaskEnded | None:
        """With nobody above to plan anew, the task ends where a plan would: no loop runs on without effect."""
        unchanged = self.state.unchanged_in_a_row
        if not isinstance(event, StepFinished) or unchanged < self._crew.settings.rules.steps_without_progress:
            return None
        return TaskEnded(status=TaskStatus.REJECTED, cause="failed", reason=f"{unchanged} steps changed nothing")


def _ended(event: object) -> TaskEnded | None:
    """How the task ends when the executor says this; None while it goes on, or when it was stopped."""
    if not isinstance(event, ExecutorChanged) or event.cause in (None, "stopped"):
        return None
    status = TaskStatus.FULFILLED if event.status is ExecutorStatus.COMPLETED else TaskStatus.REJECTED
    reason = f"a person is needed: {event.reason}" if event.decision == "ask" else event.reason
    return TaskEnded(status=status, cause=event.cause, reason=reason)
