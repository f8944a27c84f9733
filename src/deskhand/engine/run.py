"""A task from goal to end. Every front door (command line, API, chat, bench) comes through here."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Self

from deskhand.bus import Bus, Subscription
from deskhand.core.actions import Action, Type, describe
from deskhand.core.commands import Command, InjectPrompt, Pause, Resume, StartTask, Stop
from deskhand.core.errors import DeskhandError, JournalError, UsageError
from deskhand.core.human import UserReply, UserRequest
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
from deskhand.core.screen import Frame
from deskhand.core.statuses import ExecutorStatus, TaskStatus
from deskhand.core.subtask import WorkerRole
from deskhand.engine.human_input import HumanInput
from deskhand.engine.inner.executor import Executor
from deskhand.engine.observer import Observer
from deskhand.engine.outer.coaching import Coaching
from deskhand.engine.outer.dispatcher import Dispatcher
from deskhand.engine.outer.quality_gate import QualityGate
from deskhand.engine.outer.rules import DEFAULT_RULES, Rule
from deskhand.engine.task_log import Bills, TaskLog
from deskhand.screen.perception import Perception
from deskhand.screen.stillness.self_motion import SelfMotion
from deskhand.settings.schema import Settings
from deskhand.task.events import (
    CommandTaken,
    Event,
    ExecutorChanged,
    Record,
    StepFinished,
    TaskCreated,
    TaskEnded,
    TaskResumed,
    UserActed,
    UserSaid,
)
from deskhand.task.journal import Journal
from deskhand.task.state import TaskState


@dataclass(frozen=True, slots=True)
class Management:
    """Who stands above the workers in the dual loop. `fallback` judges when `judge` can't be paid for.

    Without a coach, the worker hears the person's words as they are; without a memory, nothing is learned.
    """

    planner: Planner
    judge: Judge
    fallback: Judge
    can_afford: Callable[[Depth], bool]
    coach: Coach | None = None
    memory: PromptMemory | None = None
    rules: tuple[Rule, ...] = DEFAULT_RULES
    # Whom the planner may count on; empty: all workers. One that can't work here still ends what was planned for it.
    roles: tuple[WorkerRole, ...] = ()


@dataclass(frozen=True, slots=True)
class Crew:
    """All that a task needs besides its goal. Without management it is the single loop: the operator alone.

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
    management: Management | None = None
    reader: ScreenReader | None = None
    movers: SelfMotion = field(default_factory=SelfMotion)
    # By task: each has a folder of its own, also after it was resumed.
    code: Callable[[str], CodeRunner] | None = None
    bills: Bills = field(default_factory=Bills)
    goal_approves: bool = False


def clear_goal(goal: str) -> str:
    """The goal as it is worked with; refused when there is nothing in it, before any device is touched."""
    if not goal.strip():
        raise UsageError('The goal is empty: say what is to be done, for example "Open Settings, turn on Wi-Fi".')
    return goal.strip()


class Task:
    """A task under way: commands in, events out, and a state at the end."""

    def __init__(
        self,
        goal: str,
        crew: Crew,
        max_steps: int | None = None,
        *,
        attended: bool = False,
        past: TaskState | None = None,
    ) -> None:
        self.task_id = past.task_id if past else secrets.token_hex(6)
        self._goal = clear_goal(goal)
        self._crew = crew
        self._max_steps = max_steps or crew.settings.executor.max_steps
        self._past = past
        self._log = TaskLog(self.task_id, crew.journal, crew.bus, past, crew.bills)
        perception = Perception(
            crew.device, crew.bus.publish, crew.clock, crew.movers, crew.settings.executor.tick_ms / 1000
        )
        self._eyes = Observer(perception, crew.device, crew.reader)
        self._people = HumanInput(self._log, crew.clock, crew.settings.people, attended=attended)
        self._hand: Frame | None = None  # the screen as the person took the device over
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
            people=self._people,
            goal_approves=crew.goal_approves,
            unanswered=_to_ask_again(past.requests) if past else (),
            max_steps=self._max_steps,
            code=crew.code(self.task_id) if crew.code else None,
        )
        self._driver: asyncio.Task[TaskState] | None = None

    @classmethod
    def resumed(cls, past: TaskState, crew: Crew, max_steps: int | None = None, *, attended: bool = False) -> Self:
        """The same task again, from where its log says that it was left; `max_steps` are more ones."""
        if past.status is TaskStatus.FULFILLED:
            raise UsageError(f"Run {past.task_id} is fulfilled: there is nothing left to do.")
        most = past.step + (max_steps or crew.settings.executor.max_steps)
        return cls(past.goal, crew, most, attended=attended, past=past)

    @property
    def state(self) -> TaskState:
        return self._log.state

    def send(self, command: Command) -> None:
        self._executor.mailbox.post(command)

    async def events(self, after: int = 0) -> AsyncGenerator[Record, None]:
        """Everything that happened since entry `after` of the log, then everything else until the end."""
        with self._crew.bus.subscribe(Record) as live:
            for record in await self._crew.journal.read(self.task_id, after):
                after = record.seq
                yield record
                if isinstance(record.event, TaskEnded) and self.state.over:
                    return
            async for record in live:
                if record.task_id == self.task_id and record.seq > after:
                    yield record
                    if isinstance(record.event, TaskEnded):
                        return

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

    # --- the person --------------------------------------------------------------------------------------

    async def say(self, text: str) -> None:
        """A person's words in the middle of the work: they change the to-do list, or go to the worker."""
        self._check_open()
        if not text.strip():
            raise UsageError("There is nothing in the message.")
        if not await self._log.record(UserSaid(text=text.strip())):
            raise self._too_late()
        if self._crew.management is None:
            self.send(InjectPrompt(content=text.strip()))

    def answer(self, request_id: str, verdict: Literal["yes", "no"], text: str = "") -> None:
        """Reply to an open request (`state.requests`); raises UsageError when there is none by that id."""
        self._people.reply(UserReply(request_id=request_id, verdict=verdict, text=text))

    async def pause(self) -> None:
        """When this returns, the worker has come to rest; an action under way is finished first."""
        self._check_open()
        self.send(Pause())
        await self._until(lambda state: state.executor is not ExecutorStatus.RUNNING)

    def resume(self) -> None:
        self._check_open()
        self.send(Resume())

    async def take_over(self) -> None:
        """The device is the person's when this returns."""
        await self.pause()
        self._hand = await self._eyes.perception.frame()

    async def by_hand(self, action: Action) -> str:
        """One action of the person's own, while the worker rests."""
        self._check_open()
        if self._hand is None and not self._people.asked:
            raise UsageError("The worker has the device: take it over first.")
        detail = await self._executor.by_hand(action)
        # What a person types by hand is theirs: a password, as likely as not.
        kept = action.model_copy(update={"text": "…"}) if isinstance(action, Type) else action
        await self._log.record(UserActed(action=kept, detail="" if isinstance(action, Type) else detail))
        return detail

    async def hand_back(self) -> None:
        """The worker goes on, and is told what changed meanwhile."""
        self._check_open()
        if self._hand is None:
            raise UsageError("The device was not taken over.")
        before, self._hand = self._hand, None
        told = await self._eyes.change_since(before)
        self.send(InjectPrompt(content=f"The person had the device and handed it back. {told}"))
        self.send(Resume())

    def _check_open(self) -> None:
        if self.state.over or self._driver is None or self._driver.done():
            raise self._too_late()

    def _too_late(self) -> UsageError:
        return UsageError(f"Run {self.task_id} is over: nothing can be said to it any more.")

    async def _until(self, holds: Callable[[TaskState], bool]) -> None:
        """Wait for something to be true of the state, or for the end."""
        with self._crew.bus.subscribe(Record) as records:
            if holds(self.state) or self.state.over:
                return
            async for record in records:
                if record.task_id == self.task_id and (holds(self.state) or self.state.over):
                    return

    async def _drive(self) -> TaskState:
        try:
            async with self._eyes.perception:
                ended = await self._to_the_end()
        except JournalError:  # nothing can be written any more
            raise
        except Exception as error:  # nobody knew what to do about it: the log says so before it is raised
            told = isinstance(error, DeskhandError)
            reason = str(error) if told else f"internal error: {error or type(error).__name__}"
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
        inspector = QualityGate(
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
            support=Coaching(
                self._log, self._eyes, management.coach, management.memory, crew.settings.dispatcher.feedback
            ),
            people=self._people,
            device=crew.device,
            eyes=self._eyes,
            clock=crew.clock,
            settings=crew.settings,
            rules=management.rules,
            roles=management.roles or tuple(crew.workers),
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
                return ended
        raise AssertionError("the log ended before the task did")

    def _hopeless(self, event: Event) -> TaskEnded | None:
        """With nobody above to plan anew, the task ends where a plan would: no loop runs on without effect."""
        unchanged = self.state.unchanged_in_a_row
        if not isinstance(event, StepFinished) or unchanged < self._crew.settings.rules.steps_without_progress:
            return None
        return TaskEnded(status=TaskStatus.REJECTED, cause="failed", reason=f"{unchanged} steps changed nothing")


def _to_ask_again(requests: Sequence[UserRequest]) -> list[UserRequest]:
    """What a worker asked. A yes was for a screen that is gone, and the outer loop asks again by itself."""
    return [request for request in requests if request.kind != "approval" and request.asker == "worker"]


def _ended(event: object) -> TaskEnded | None:
    """How the task ends when the executor says this; None while it goes on, or when it was stopped."""
    if not isinstance(event, ExecutorChanged) or event.cause in (None, "stopped"):
        return None
    status = TaskStatus.FULFILLED if event.status is ExecutorStatus.COMPLETED else TaskStatus.REJECTED
    reason = f"a person is needed: {event.reason}" if event.decision == "ask" else event.reason
    return TaskEnded(status=status, cause=event.cause, reason=reason)
