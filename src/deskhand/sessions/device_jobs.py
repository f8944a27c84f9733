"""Jobs for a conversation: one short inner loop on one device, and its result in words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from deskhand.build import Deskhand
from deskhand.clock import cancel_task
from deskhand.core.actions import describe_action
from deskhand.core.errors import DeskhandError, DeviceBusy, DeviceError, NoElements
from deskhand.core.human import UserRequest
from deskhand.core.screen import Observation
from deskhand.core.statuses import ExecStatus, TaskStatus
from deskhand.engine.budget import Budget
from deskhand.engine.run import Task
from deskhand.engine.safety.authority import Authority
from deskhand.language import language_of
from deskhand.prompting import describe as telling
from deskhand.settings.schema import Settings
from deskhand.task.events import UserAsked
from deskhand.task.state import TaskState

_ELEMENTS = 30
# Another task may have taken the device meanwhile; what is on its screen is then no longer ours to tell.
_LOOK_S = 2.0

AskUser = Callable[[Task, UserRequest], Awaitable[None]]


class DeviceJobs:
    """The jobs of one conversation. `asked` is called when one of them needs the user."""

    def __init__(
        self, hand: Deskhand, settings: Settings, budget: Budget, asked: AskUser, authority: Authority
    ) -> None:
        self._hand = hand
        self._settings = settings
        self._budget = budget
        self._asked = asked
        self.authority = authority
        self.runs: dict[str, Task] = {}

    async def try_job(self, device_id: str, message: str) -> dict[str, Any]:
        """Run a job; return `{result, steps, success}`. An error is described in the result."""
        zh = language_of(message) == "zh"
        try:
            return await self.run_job(device_id, message)
        except DeviceBusy:
            return _make_result(f"设备 {device_id} 正忙" if zh else f"device {device_id} is busy")
        except DeskhandError as fault:
            return _make_result(str(fault))

    async def run_job(self, device_id: str, message: str) -> dict[str, Any]:
        """Run a job; return `{result, steps, success}`. Errors are raised."""
        starting = self._hand.start(
            message,
            device=device_id,
            loop="single",
            max_steps=self._settings.chat.inner_steps,
            wait_s=self._settings.chat.device_wait_s,
            attended=True,
            authority=self.authority,
            budget=self._budget,
            settings=self._settings,
        )
        async with starting as run:
            self.runs[run.task_id] = run
            listening = asyncio.create_task(self._forward_requests(run))
            try:
                state = await run.wait()
            finally:
                del self.runs[run.task_id]
                await cancel_task(listening)
        if state.cause == "steps":
            return _make_result(await self._describe_progress(state, language_of(message) == "zh"), state.step)
        told = "\n".join(state.answers) or state.reason
        return _make_result(told, state.step, success=state.status is TaskStatus.FULFILLED)

    async def _forward_requests(self, run: Task) -> None:
        async for record in run.events():
            if isinstance(record.event, UserAsked):
                await self._asked(run, record.event.request)

    async def _describe_progress(self, state: TaskState, zh: bool) -> str:
        done = [
            describe_action(report.action)
            for step in state.history
            for report in step.actions
            if report.status is ExecStatus.EXECUTED
        ]
        screen = await self._describe_screen(state.device)
        if zh:
            head = f"到 {state.step} 步的上限为止，还没有完成。"
            return f"{head}\n做了：{'；'.join(done) or '没有操作'}\n屏幕上：{screen}"
        head = f"Not finished within the limit of {state.step} steps."
        return f"{head}\nDone so far: {'; '.join(done) or 'nothing'}\nOn the screen: {screen}"

    async def _describe_screen(self, device_id: str) -> str:
        try:
            async with self._hand.pool.lease_device(device_id, wait_s=_LOOK_S) as device:
                front, frame = await device.app(), await device.frame()
                try:
                    elements, problem = await device.elements(), ""
                except NoElements as fault:
                    elements, problem = None, str(fault)
        except DeviceError as fault:
            return str(fault)
        seen = Observation(frame, elements, front.name, front.title, problem)
        return self._hand.hide_secrets(telling.describe_screen(seen, _ELEMENTS))


def _make_result(result: str, steps: int = 0, *, success: bool = False) -> dict[str, Any]:
    return {"result": result, "steps": steps, "success": success}
