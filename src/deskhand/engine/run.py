"""A task from goal to end. Every front door (command line, API, chat, bench) comes through here."""

import asyncio
import secrets
from dataclasses import dataclass

from deskhand.bus import Bus
from deskhand.config import Settings
from deskhand.engine.executor import Executor
from deskhand.engine.log import TaskLog
from deskhand.errors import DeskhandError, UsageError
from deskhand.protocols import Clock, Device, Journal, Settle, Worker
from deskhand.task.events import ExecutorChanged, Record, TaskCreated, TaskEnded
from deskhand.task.state import TaskState
from deskhand.types import Command, ExecutorStatus, StartTask, Stop, TaskStatus


@dataclass(frozen=True, slots=True)
class Crew:
    """All that a task needs besides its goal."""

    device: Device
    worker: Worker
    worker_name: str
    journal: Journal
    bus: Bus
    clock: Clock
    settle: Settle
    settings: Settings


class Run:
    """A task under way: commands in, events out, and a state at the end."""

    def __init__(self, goal: str, crew: Crew, max_steps: int | None = None) -> None:
        if not goal.strip():
            raise UsageError(
                'The goal is empty: say what is to be done, for example "Open Settings and turn on Wi-Fi".'
            )
        self.task_id = secrets.token_hex(6)
        self._goal = goal.strip()
        self._crew = crew
        self._max_steps = max_steps or crew.settings.executor.max_steps
        self._log = TaskLog(self.task_id, crew.journal, crew.bus)
        self._executor = Executor(
            crew.device,
            crew.worker,
            self._log,
            settle=crew.settle,
            clock=crew.clock,
            settings=crew.settings.executor,
            max_steps=self._max_steps,
        )
        self._driver: asyncio.Task[TaskState] | None = None

    @property
    def state(self) -> TaskState:
        return self._log.state

    def send(self, command: Command) -> None:
        self._executor.mailbox.post(command)

    async def start(self) -> None:
        """Write the task down and begin; returns as soon as it is on disk."""
        await self._log.record(
            TaskCreated(
                goal=self._goal,
                device=self._crew.device.id,
                worker=self._crew.worker_name,
                max_steps=self._max_steps,
            )
        )
        self._driver = asyncio.create_task(self._drive(), name=f"task {self.task_id}")

    async def wait(self) -> TaskState:
        assert self._driver, "a run is waited for after it was started"
        return await asyncio.shield(self._driver)

    async def stop(self, reason: str = "stopped by the user") -> TaskState:
        """When this returns, no action reaches the device any more."""
        self.send(Stop(reason=reason))
        return await self.wait()

    async def _drive(self) -> TaskState:
        try:
            ended = await self._single_loop()
        except DeskhandError:
            raise
        except Exception as error:  # a bug of ours: the log says so before it is raised
            reason = f"internal error: {error or type(error).__name__}"
            await self._log.record(TaskEnded(status=TaskStatus.REJECTED, cause="crashed", reason=reason))
            raise
        await self._log.record(ended)
        return self.state

    async def _single_loop(self) -> TaskEnded:
        """The executor alone; the goal is its one subtask."""
        self.send(StartTask(task_id=self.task_id, description=self._goal))
        with self._crew.bus.subscribe(Record) as records:
            serving = asyncio.create_task(self._executor.run(), name=f"executor {self.task_id}")
            serving.add_done_callback(lambda _: records.close())
            try:
                async for record in records:
                    if record.task_id == self.task_id and (ended := _ended(record.event)):
                        return ended
            finally:
                serving.cancel()
                await asyncio.wait({serving})
        await serving
        raise AssertionError("the executor ended without saying how")


def _ended(event: object) -> TaskEnded | None:
    """How the task ends when the executor says this; None while it goes on."""
    if not isinstance(event, ExecutorChanged) or event.cause is None:
        return None
    status = TaskStatus.FULFILLED if event.status is ExecutorStatus.COMPLETED else TaskStatus.REJECTED
    return TaskEnded(status=status, cause=event.cause, reason=event.reason)
