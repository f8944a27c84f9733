"""The tasks that this process runs, and past ones from the journal. A task outlives the client that asked for it."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from decimal import Decimal

from deskhand.build import Deskhand
from deskhand.core.actions import Action
from deskhand.core.errors import DeskhandError, UsageError
from deskhand.engine.run import Task
from deskhand.engine.safety.authority import USER, Authority
from deskhand.sessions.settings_reload import SettingsWatch
from deskhand.settings.layers import SettingsTree
from deskhand.task.events import LoopMode
from deskhand.task.fold import fold_all
from deskhand.task.state import TaskState, mark_interrupted

_log = logging.getLogger("deskhand.server")


class UnknownTask(UsageError):
    def __init__(self, task_id: str) -> None:
        super().__init__(f"Task {task_id!r} not found.")


class TaskNotOver(UsageError):
    def __init__(self, task_id: str) -> None:
        super().__init__(f"Task {task_id} is under way: stop it before it is deleted.")


class TaskNotRunning(UsageError):
    """It has ended, or another program runs it."""


class Tasks:
    def __init__(self, hand: Deskhand, watch: SettingsWatch) -> None:
        self._hand = hand
        self._watch = watch
        self.running: dict[str, Task] = {}
        self._released: dict[str, asyncio.Event] = {}
        self._holding: set[asyncio.Task[None]] = set()
        self._starting: set[asyncio.Task[None]] = set()

    async def create_task(
        self,
        goal: str,
        *,
        device: str = "",
        url: str = "",
        loop: LoopMode | None = None,
        max_steps: int | None = None,
        wait_s: float = 0.0,
        authority: Authority = USER,
    ) -> Task:
        """Start a task. It keeps the settings as they are now."""
        await self._wait_for_finished()
        settings = self._watch.read_current()
        return await self._start_holder(
            self._hand.start(
                goal,
                device=device,
                url=url,
                loop=loop or settings.loop,
                max_steps=max_steps,
                wait_s=wait_s,
                attended=True,
                authority=authority,
                settings=settings,
                options=self._watch.overrides,
            )
        )

    async def resume_task(self, task_id: str, budget: Decimal | None = None) -> Task:
        """Continue a past task from where its journal ends; `budget` takes the place of the cap that it had."""
        await self.read_state(task_id)
        await self._wait_for_finished()
        options: SettingsTree = {} if budget is None else {"budget": {"task": str(budget)}}
        settings = self._watch.read_current()
        return await self._start_holder(self._hand.resume(task_id, attended=True, settings=settings, options=options))

    async def _start_holder(self, starting: AbstractAsyncContextManager[Task]) -> Task:
        started: asyncio.Future[Task] = asyncio.get_running_loop().create_future()
        holding = asyncio.create_task(self._hold_device(starting, started))
        self._holding.add(holding)
        self._starting.add(holding)
        holding.add_done_callback(self._holding.discard)
        # Not before: whoever asked may go away while the device is still being opened.
        started.add_done_callback(lambda _: self._starting.discard(holding))
        return await asyncio.shield(started)

    async def _hold_device(self, starting: AbstractAsyncContextManager[Task], started: asyncio.Future[Task]) -> None:
        """Keep the device leased until the task is over, whether or not a client watches."""
        task_id = ""
        try:
            async with self.track_task(starting) as run:
                task_id = run.task_id
                if not started.done():
                    started.set_result(run)
                await run.wait()
        except DeskhandError as fault:
            if started.done():
                _log.error("task %s: %s", task_id, fault)
            else:
                started.set_exception(fault)
        except Exception as error:  # noqa: BLE001 a bug of ours: told to whoever waits, else to the log
            if not started.done():
                started.set_exception(error)
            else:
                _log.exception("task %s crashed", task_id)
        finally:
            if not started.done():
                started.set_exception(TaskNotRunning("The server was shut down before the task began."))

    @asynccontextmanager
    async def track_task(self, starting: AbstractAsyncContextManager[Task]) -> AsyncGenerator[Task, None]:
        """Start a task and list it as running until the block ends: it takes commands, messages and answers."""
        released = asyncio.Event()
        try:
            async with starting as run:
                self.running[run.task_id] = run
                self._released[run.task_id] = released
                yield run
        finally:
            released.set()
            for task_id in [one for one, event in self._released.items() if event is released]:
                del self._released[task_id], self.running[task_id]

    async def _wait_for_finished(self) -> None:
        """Wait for ended tasks to release their devices: a client that has read the end may use the device at once."""
        over = [self._released[task_id] for task_id, run in self.running.items() if run.state.over]
        await asyncio.gather(*(released.wait() for released in over))

    def is_at_work(self, task_id: str) -> bool:
        """True until its end; it may hold its device for a moment longer."""
        return task_id in self.running and not self.running[task_id].state.over

    def get_running(self, task_id: str) -> Task:
        run = self.running.get(task_id)
        if run is None or run.state.over:
            raise TaskNotRunning(
                f"Task {task_id} does not run in this server: it has ended, or another program runs it."
            )
        return run

    def find_on_device(self, device_id: str) -> Task | None:
        return next((run for run in self.running.values() if run.state.device == device_id), None)

    async def read_state(self, task_id: str) -> TaskState:
        if run := self.running.get(task_id):
            return run.state
        records = await self._hand.journal.read(task_id)
        if not records:
            raise UnknownTask(task_id)
        state = fold_all(records)
        return state if state.over or await self._hand.journal.is_running(task_id) else mark_interrupted(state)

    async def delete_task(self, task_id: str) -> int:
        """Delete a task with its pictures; return the number of its events. Raises TaskNotOver while it runs."""
        if self.is_at_work(task_id):
            raise TaskNotOver(task_id)
        await self._wait_for_finished()
        await self.read_state(task_id)
        return await self.delete_tasks(task_id)

    async def delete_tasks(self, *task_ids: str) -> int:
        """Delete past tasks with their pictures and the files of their code; return the number of events."""
        gone = await self._hand.journal.delete_tasks(*task_ids) if task_ids else 0
        for task_id in task_ids:
            await asyncio.to_thread(shutil.rmtree, self._hand.settings.data_dir / "work" / task_id, ignore_errors=True)
        return gone

    async def act_by_hand(self, device_id: str, action: Action) -> str:
        """Carry out an action of the user, on a device that was taken over from its task or on a free one."""
        await self._wait_for_finished()
        if run := self.find_on_device(device_id):
            return await run.by_hand(action)
        async with self._hand.pool.lease_device(device_id) as device:
            return await device.act(action)

    async def close(self) -> None:
        """Stop every task. Each can be resumed from the journal."""
        for waiting in self._starting:
            waiting.cancel()
        running = [run for run in self.running.values() if not run.state.over]
        why = "the server was shut down: go on with deskhand resume"
        await asyncio.gather(*(run.stop(f"{why} {run.task_id}") for run in running))
        if self._holding:
            await asyncio.wait(self._holding)
