"""Jobs for a conversation: one short inner loop on one device, and its result in words."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from deskhand.build import Deskhand
from deskhand.clock import cancel_task
from deskhand.core.actions import describe_action
from deskhand.core.commands import Stop
from deskhand.core.errors import DeskhandError, DeviceBusy, DeviceError, JournalError, NoElements
from deskhand.core.human import UserReply, UserRequest
from deskhand.core.screen import Observation
from deskhand.core.statuses import ExecStatus, TaskStatus
from deskhand.engine.budget import Budget
from deskhand.engine.run import Task
from deskhand.engine.safety.authority import Authority
from deskhand.fault_words import to_chinese
from deskhand.language import language_of
from deskhand.prompting import describe as telling
from deskhand.sessions.chat_ends import ABORTED, tell_chat_end
from deskhand.sessions.tasks import Tasks
from deskhand.settings.schema import Settings
from deskhand.task.events import UserAsked, UserReplied
from deskhand.task.state import TaskState

_ELEMENTS = 30
# Another task may have taken the device meanwhile; what is on its screen is then no longer ours to tell.
_LOOK_S = 2.0


class JobWatcher(Protocol):
    """Is told what happens to the jobs of a conversation."""

    async def note_start(self, run: Task) -> None: ...
    async def ask_user(self, run: Task, request: UserRequest) -> None: ...
    async def note_reply(self, run: Task, request: UserRequest, reply: UserReply) -> None: ...


class DeviceJobs:
    """The jobs of one conversation. Each is a task like any other, listed in `tasks` while it runs."""

    def __init__(
        self,
        hand: Deskhand,
        tasks: Tasks,
        settings: Settings,
        budget: Budget,
        watcher: JobWatcher,
        authority: Authority,
    ) -> None:
        self._hand = hand
        self._tasks = tasks
        self._settings = settings
        self._budget = budget
        self._watcher = watcher
        self.authority = authority
        self.runs: dict[str, Task] = {}
        self.stop_reason = ABORTED
        # By device: the last job there, if it stopped at its limit. The same words again go on with it.
        self._unfinished: dict[str, tuple[str, str]] = {}

    async def try_job(self, device_id: str, message: str) -> dict[str, Any]:
        """Run a job; return `{result, steps, success}`. An error is described in the result."""
        zh = language_of(message) == "zh"
        try:
            return await self.run_job(device_id, message)
        except DeviceBusy:
            return _make_result(f"设备 {device_id} 正忙" if zh else f"device {device_id} is busy")
        except JournalError:
            raise  # nothing can be written any more: the conversation ends as well
        except DeskhandError as fault:
            return _make_result(to_chinese(str(fault)) if zh else str(fault))

    async def run_job(self, device_id: str, message: str) -> dict[str, Any]:
        """Run a job; return `{result, steps, success}`, with `unfinished` at the limit of steps. Errors are raised."""
        asked: list[dict[str, str]] = []
        async with self._tasks.track_task(self._begin_job(device_id, message)) as run:
            self.runs[run.task_id], before = run, run.state.step
            try:
                state = await self._follow_task(run, asked)
            finally:
                del self.runs[run.task_id]
        steps = state.step - before
        if state.cause == "steps":
            self._unfinished[device_id] = message, state.task_id
            told = await self._describe_progress(state, language_of(message) == "zh")
            return _make_result(told, steps, asked=asked) | {"unfinished": True}
        told = "\n".join(state.answers) or tell_chat_end(state.reason, language_of(message))
        return _make_result(told, steps, success=state.status is TaskStatus.FULFILLED, asked=asked)

    def _begin_job(self, device_id: str, message: str) -> AbstractAsyncContextManager[Task]:
        """Start a job, or go on with it where it stopped at its limit: what it has done is not done again."""
        limits = self._settings.chat
        said, task_id = self._unfinished.pop(device_id, ("", ""))
        if task_id and said == message:
            return self._hand.resume(
                task_id,
                max_steps=limits.inner_steps,
                wait_s=limits.device_wait_s,
                attended=True,
                budget=self._budget,
                settings=self._settings,
            )
        return self._hand.start(
            message,
            device=device_id,
            loop="single",
            max_steps=limits.inner_steps,
            wait_s=limits.device_wait_s,
            attended=True,
            authority=self.authority,
            budget=self._budget,
            settings=self._settings,
        )

    async def _follow_task(self, run: Task, asked: list[dict[str, str]]) -> TaskState:
        """Wait for the end of the task; when this is cancelled, stop it. `asked` takes questions and answers."""
        listening: asyncio.Task[None] | None = None
        try:
            await self._watcher.note_start(run)
            listening = asyncio.create_task(self._forward_requests(run, asked))
            state = await run.wait()
            await listening  # ends with the task: the last answer is told as well
            return state
        except asyncio.CancelledError:
            await run.stop(self.stop_reason)
            raise
        finally:
            if listening and not listening.done():
                await cancel_task(listening)

    async def _forward_requests(self, run: Task, asked: list[dict[str, str]]) -> None:
        requests: dict[str, UserRequest] = {}
        try:
            async for record in run.events():
                match record.event:
                    case UserAsked(request=request):
                        requests[request.id] = request
                        await self._watcher.ask_user(run, request)
                    case UserReplied(reply=reply) if request := requests.get(reply.request_id):
                        said = "nobody answered" if reply.by == "timeout" else reply.text or reply.verdict
                        asked.append({"question": request.text, "verdict": reply.verdict, "answer": said})
                        await self._watcher.note_reply(run, request, reply)
                    case _:
                        pass
        except JournalError as fault:
            run.send(Stop(reason=str(fault)))  # nobody would learn what it asks
            raise

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


def _make_result(
    result: str, steps: int = 0, *, success: bool = False, asked: list[dict[str, str]] | None = None
) -> dict[str, Any]:
    told: dict[str, Any] = {"result": result, "steps": steps, "success": success}
    return {**told, "asked": asked} if asked else told
