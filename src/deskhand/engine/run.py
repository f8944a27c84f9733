"""A task from its goal to its end. Every front door (command line, API, chat, bench) starts it here."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Literal, Self

from deskhand.bus import Subscription
from deskhand.core.actions import Action, Type
from deskhand.core.commands import Command, InjectPrompt, Pause, Resume, StartTask, Stop
from deskhand.core.errors import DeskhandError, JournalError, UsageError
from deskhand.core.human import UserReply, UserRequest
from deskhand.core.outgoing import find_outbox
from deskhand.core.screen import Frame
from deskhand.core.statuses import ExecutorStatus, TaskStatus
from deskhand.engine.context import TaskContext
from deskhand.engine.human_input import HumanInput
from deskhand.engine.inner.action_runner import ActionRunner
from deskhand.engine.inner.executor import Executor
from deskhand.engine.observer import Observer
from deskhand.engine.outer.dispatcher import Dispatcher
from deskhand.engine.parts import TaskParts
from deskhand.engine.safety.permission import Permission
from deskhand.engine.safety.wire_guard import WireGuard
from deskhand.engine.task_log import TaskLog
from deskhand.screen.perception import Perception
from deskhand.task.events import (
    NO_ORIGIN,
    CommandTaken,
    DeviceReopened,
    Event,
    ExecutorChanged,
    Record,
    TaskCreated,
    TaskEnded,
    TaskOrigin,
    TaskResumed,
    UserActed,
    UserSaid,
)
from deskhand.task.state import TaskState


def clear_goal(goal: str) -> str:
    """Return the goal without surrounding space. Raises UsageError if it is empty, before any device is touched."""
    if not goal.strip():
        raise UsageError('The goal is empty: say what is to be done, for example "Open Settings, turn on Wi-Fi".')
    return goal.strip()


class Task:
    """A task under way: commands in, events out, and a state at the end."""

    def __init__(
        self,
        goal: str,
        parts: TaskParts,
        max_steps: int | None = None,
        *,
        attended: bool = False,
        origin: TaskOrigin | None = None,
        past: TaskState | None = None,
    ) -> None:
        self.task_id = past.task_id if past else secrets.token_hex(6)
        self._goal = clear_goal(goal)
        self._parts = parts
        self._max_steps = max_steps or parts.settings.executor.max_steps
        self._origin = origin or NO_ORIGIN
        self._reopened = ""
        self._past = past
        settings, clock = parts.settings, parts.clock
        self._log = TaskLog(self.task_id, parts.journal, parts.bus, past, parts.ledger)
        perception = Perception(
            parts.device, parts.bus.publish_message, clock, parts.movers, settings.executor.tick_ms / 1000
        )
        self._observer = Observer(perception, parts.device, parts.reader)
        self._human = HumanInput(self._log, self._observer, clock, settings.people, attended=attended)
        self._context = TaskContext(self._log, parts.device, self._observer, self._human, clock, settings)
        self._before_take_over: Frame | None = None  # the screen as the user took the device over
        code = parts.code(self.task_id) if parts.code else None
        permission = Permission(
            self._log, self._observer, self._human, settings.policy, parts.movers, goal_approves=parts.goal_approves
        )
        self._wire = WireGuard(find_outbox(parts.device), permission)
        self._runner = ActionRunner(self._context, parts.settle, parts.movers, self._wire, code)
        unanswered = _find_unanswered(past.requests) if past else ()
        self._executor = Executor(self._context, parts.workers, self._runner, permission, unanswered)
        self._driver: asyncio.Task[TaskState] | None = None

    @classmethod
    def from_past(
        cls,
        past: TaskState,
        parts: TaskParts,
        max_steps: int | None = None,
        *,
        attended: bool = False,
        origin: TaskOrigin | None = None,
        reopened: str = "",
    ) -> Self:
        """Make the task again from its folded log; `max_steps` are added to those that it took.

        `reopened`: why its device shows nothing of what was done there.
        """
        if past.status is TaskStatus.FULFILLED:
            raise UsageError(f"Task {past.task_id} is fulfilled: there is nothing left to do.")
        most = past.step + (max_steps or parts.settings.executor.max_steps)
        task = cls(past.goal, parts, most, attended=attended, origin=origin or past.origin, past=past)
        task._reopened = reopened
        return task

    @property
    def state(self) -> TaskState:
        return self._log.state

    def send(self, command: Command) -> None:
        self._executor.mailbox.post_message(command)

    async def events(self, after: int = 0) -> AsyncGenerator[Record, None]:
        """Yield the records after entry `after` of the log, then every new one until the end."""
        with self._parts.bus.subscribe_to(Record) as live:
            for record in await self._parts.journal.read(self.task_id, after):
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
        """Journal the task and begin; returns as soon as it is on disk."""
        await self._log.record(*self._make_opening())
        self._driver = asyncio.create_task(self._drive_loops(), name=f"task {self.task_id}")

    def _make_opening(self) -> tuple[Event, ...]:
        if self._past is None:
            created = TaskCreated(
                goal=self._goal,
                device=self._parts.device.id,
                worker=self._parts.worker_name,
                loop="dual" if self._parts.outer else "single",
                max_steps=self._max_steps,
                origin=self._origin,
            )
            return (created,)
        resumed = TaskResumed(max_steps=self._max_steps, options=self._origin.options)
        doubts: list[str] = []
        if self._past.unreadable:
            doubts.append(
                "Some entries of the log can't be read, so more may have been done than is listed: look first."
            )
        reopened = (DeviceReopened(because=self._reopened),) if self._reopened else ()
        return resumed, *reopened, *(CommandTaken(command=InjectPrompt(content=doubt)) for doubt in doubts)

    async def wait(self) -> TaskState:
        assert self._driver, "a task is waited for after it was started"
        return await asyncio.shield(self._driver)

    async def stop(self, reason: str = "stopped by the user") -> TaskState:
        """Stop the task. When this returns, no action reaches the device any more."""
        self.send(Stop(reason=reason))
        return await self.wait()

    # --- the user --------------------------------------------------------------------------------------

    async def say(self, text: str) -> None:
        """Take the user's words in the middle of the work: they change the to-do list, or go to the worker."""
        self._check_open()
        if not text.strip():
            raise UsageError("The message is empty.")
        if not await self._log.record(UserSaid(text=text.strip())):
            raise self._make_over_error()
        if self._parts.outer is None:
            self.send(InjectPrompt(content=text.strip()))

    def answer(self, request_id: str, verdict: Literal["yes", "no"], text: str = "") -> None:
        """Reply to an open request (`state.requests`); raises UsageError when there is none by that id."""
        self._human.take_reply(UserReply(request_id=request_id, verdict=verdict, text=text))

    async def pause(self) -> None:
        """Hold the worker. When this returns it rests; an action under way is finished first."""
        self._check_open()
        self.send(Pause())
        await self._wait_until(lambda state: state.executor is not ExecutorStatus.RUNNING)

    def resume(self) -> None:
        self._check_open()
        self.send(Resume())

    async def take_over(self) -> None:
        """Pause the worker; the user has the device when this returns."""
        await self.pause()
        self._before_take_over = await self._observer.perception.frame()

    async def by_hand(self, action: Action) -> str:
        """Carry out one action of the user, while the worker rests."""
        self._check_open()
        if self._before_take_over is None and not self._human.asked:
            raise UsageError("The worker has the device: take it over first.")
        detail = await self._runner.act_for_user(action)
        # What a user types by hand is not journaled: it may well be a password.
        kept = action.model_copy(update={"text": "…"}) if isinstance(action, Type) else action
        await self._log.record(UserActed(action=kept, detail="" if isinstance(action, Type) else detail))
        return detail

    async def hand_back(self) -> None:
        """Let the worker go on, and tell it what changed meanwhile."""
        self._check_open()
        if self._before_take_over is None:
            raise UsageError("The device was not taken over.")
        before, self._before_take_over = self._before_take_over, None
        told = await self._observer.describe_change(before)
        self.send(InjectPrompt(content=f"The user had the device and handed it back. {told}"))
        self.send(Resume())

    def _check_open(self) -> None:
        if self.state.over or self._driver is None or self._driver.done():
            raise self._make_over_error()

    def _make_over_error(self) -> UsageError:
        return UsageError(f"Task {self.task_id} is over: it takes no more messages or commands.")

    async def _wait_until(self, holds: Callable[[TaskState], bool]) -> None:
        """Wait until `holds` is true of the state, or for the end."""
        with self._parts.bus.subscribe_to(Record) as records:
            if holds(self.state) or self.state.over:
                return
            async for record in records:
                if record.task_id == self.task_id and (holds(self.state) or self.state.over):
                    return

    async def _drive_loops(self) -> TaskState:
        self._wire.start_holding()
        try:
            async with self._observer.perception:
                ended = await self._run_loops()
        except JournalError:  # nothing can be written any more
            raise
        except Exception as error:  # nobody knew what to do about it: the log says so before it is raised
            told = isinstance(error, DeskhandError)
            reason = str(error) if told else f"internal error: {error or type(error).__name__}"
            await self._log.record(TaskEnded(status=TaskStatus.REJECTED, cause="crashed", reason=reason))
            raise
        finally:
            await self._wire.stop_holding()
        await self._log.record(ended)
        return self.state

    async def _run_loops(self) -> TaskEnded:
        """Run both loops side by side, until the outer one returns the end or the inner one was stopped."""
        limit = self._parts.settings.time_limit_s
        with self._parts.bus.subscribe_to(Record) as records:
            executing = asyncio.create_task(self._executor.run(), name=f"executor {self.task_id}")
            deciding = asyncio.create_task(self._run_outer_loop(records), name=f"dispatcher {self.task_id}")
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
        reason = "; ".join(filter(None, (f"the time limit of {limit:g} s was reached", self._runner.stopped)))
        return TaskEnded(status=TaskStatus.REJECTED, cause="time", reason=reason)

    async def _run_outer_loop(self, records: Subscription[Record]) -> TaskEnded:
        outer = self._parts.outer
        if outer is None:
            return await self._run_single_loop(records)
        roles = outer.roles or tuple(self._parts.workers)
        dispatcher = Dispatcher(self._context, outer, self._executor.mailbox, roles)
        return await dispatcher.run(records)

    async def _run_single_loop(self, records: Subscription[Record]) -> TaskEnded:
        """Run the executor alone; the goal is its one subtask."""
        begun = self._past is not None and self._past.subtask is not None
        self.send(StartTask(task_id=self.task_id, description=self._goal, go_on=begun))
        async for record in records:
            if record.task_id != self.task_id:
                continue
            if ended := _find_end(record.event):
                return ended
        raise AssertionError("the log ended before the task did")


def _find_unanswered(requests: Sequence[UserRequest]) -> list[UserRequest]:
    """Return what a worker asked. A yes was for a screen that is gone, and the outer loop asks again by itself."""
    return [request for request in requests if request.kind != "approval" and request.asker == "worker"]


def _find_end(event: object) -> TaskEnded | None:
    """Return how the task ends with this event; None while it goes on, or if it was stopped."""
    if not isinstance(event, ExecutorChanged) or event.cause in (None, "stopped"):
        return None
    status = TaskStatus.FULFILLED if event.status is ExecutorStatus.COMPLETED else TaskStatus.REJECTED
    reason = f"the user is needed: {event.reason}" if event.decision == "ask" else event.reason
    return TaskEnded(status=status, cause=event.cause, reason=reason)
