"""What the MCP tools do, with the same tasks, device jobs and devices as the HTTP API."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from deskhand.build import DEFAULT_DEVICE, Deskhand
from deskhand.core.commands import Stop
from deskhand.core.errors import DeskhandError, DeviceBusy, UsageError
from deskhand.core.human import UserReply, UserRequest
from deskhand.core.screen import Frame
from deskhand.engine.budget import Budget
from deskhand.engine.run import Task
from deskhand.engine.safety.authority import Authority
from deskhand.mcp import tool_schemas as schemas
from deskhand.screen.frame import decode_frame, shrink_frame, to_jpeg
from deskhand.sessions.device_jobs import DeviceJobs
from deskhand.sessions.request_words import describe_request
from deskhand.sessions.settings_reload import SettingsWatch
from deskhand.sessions.tasks import Tasks
from deskhand.task.events import Observed, Settled
from deskhand.task.state import TaskState

QUALITY = 75
SHUT_DOWN = "Deskhand was shut down."
# How long is waited for what comes at once unless something is wrong.
_PATIENCE_S = 2.0
_log = logging.getLogger("deskhand.server")

T = TypeVar("T")
Progress = Callable[[float, float | None, str | None], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ToolOutput:
    report: schemas.ToolReport
    picture: bytes = b""


class ToolHandlers:
    """Runs the work apart from the calls: a call may be cancelled at any moment, the work always cleans up."""

    def __init__(self, hand: Deskhand, watch: SettingsWatch) -> None:
        self.clock = hand.clock
        self._hand = hand
        self._watch = watch
        self._tasks = Tasks(hand, watch)
        self._chats: set[DeviceJobs] = set()
        self._jobs: set[asyncio.Task[Any]] = set()
        self._closing = False

    async def run_apart(self, work: Coroutine[Any, Any, T]) -> T:
        """Run the work in a task of its own. The library cancels a call repeatedly, so nothing in it could clean up."""
        if self._closing:
            work.close()
            raise UsageError(SHUT_DOWN)
        job = asyncio.create_task(work)
        self._jobs.add(job)
        job.add_done_callback(self._forget_job)
        try:
            return await asyncio.shield(job)
        except asyncio.CancelledError:
            if self._closing and job.cancelled():
                raise UsageError(SHUT_DOWN) from None
            job.cancel()
            raise

    def _forget_job(self, job: asyncio.Task[Any]) -> None:
        self._jobs.discard(job)
        fault = None if job.cancelled() else job.exception()
        if fault and not isinstance(fault, DeskhandError):
            _log.error("a tool crashed", exc_info=fault)

    async def close(self) -> None:
        """Stop every task, so that it can be resumed; waiting calls get their answer."""
        self._closing = True
        for run in [run for loops in self._chats for run in loops.runs.values()]:
            await run.stop(SHUT_DOWN)
        await self._tasks.close()
        if self._jobs:
            _, late = await asyncio.wait(self._jobs, timeout=_PATIENCE_S)
            for job in late:
                job.cancel()
            if late:
                await asyncio.wait(late)

    def _make_authority(self) -> Authority:
        return Authority.of_foreign_model(self._watch.read_current().mcp.secrets)

    # --- the tools -----------------------------------------------------------------------------------------

    async def list_devices(self, _: schemas.NoArguments, __: Progress) -> ToolOutput:
        found = await self._hand.list_devices()
        tasks = {run.state.device: task_id for task_id, run in self._tasks.running.items()}
        return ToolOutput(schemas.report_devices(found, tasks))

    async def do_job(self, given: schemas.ChatArguments, _: Progress) -> ToolOutput:
        settings = self._watch.read_current()
        budget, authority = Budget(settings.budget), self._make_authority()
        loops = DeviceJobs(self._hand, self._tasks, settings, budget, UnattendedJobs(), authority)
        loops.stop_reason = "the client that asked for it went away"
        self._chats.add(loops)
        try:
            return ToolOutput(schemas.ChatReport.model_validate(await loops.run_job(given.device_id, given.message)))
        finally:
            self._chats.discard(loops)

    async def run_task(self, given: schemas.RunTaskArguments, progress: Progress) -> ToolOutput:
        run = await self._tasks.create_task(
            given.goal,
            device=given.device_id,
            url=given.url,
            loop=given.loop,
            max_steps=given.max_steps,
            authority=self._make_authority(),
        )
        await _wait_for_task(run, given.wait_s, progress)
        return await self._report_state(run.state, running=True)

    async def task_status(self, given: schemas.TaskStatusArguments, progress: Progress) -> ToolOutput:
        if run := self._tasks.running.get(given.task_id):
            await _wait_for_task(run, given.wait_s, progress)
        return await self._read_status(given.task_id)

    async def stop_task(self, given: schemas.StopTaskArguments, _: Progress) -> ToolOutput:
        await self._tasks.read_state(given.task_id)
        await self._tasks.get_running(given.task_id).stop(given.reason or "stopped through MCP")
        return await self._read_status(given.task_id)

    async def take_screenshot(self, given: schemas.ScreenshotArguments, _: Progress) -> ToolOutput:
        name = given.device_id or self._watch.read_current().device or DEFAULT_DEVICE
        frame = shrink_frame(await self._take_frame(name), given.side)
        picture = await asyncio.to_thread(to_jpeg, frame, QUALITY)
        return ToolOutput(schemas.ScreenshotReport(device_id=name, width=frame.width, height=frame.height), picture)

    async def _take_frame(self, device_id: str) -> Frame:
        try:
            return await self._hand.take_covered_frame(device_id)
        except DeviceBusy:
            # With a secret about, what is on the screen of a task is known from the picture that it kept last.
            run = self._tasks.find_on_device(device_id)
            kept = await self._load_last_frame(run) if run else None
            if kept is None:
                raise
            return await asyncio.to_thread(decode_frame, kept)

    async def _load_last_frame(self, run: Task) -> bytes | None:
        events = [record.event for record in await self._hand.journal.read(run.task_id)]
        names = [event.frame for event in events if isinstance(event, Observed | Settled) and event.frame]
        return await self._hand.journal.load_frame(names[-1]) if names else None

    async def _read_status(self, task_id: str) -> ToolOutput:
        return await self._report_state(await self._tasks.read_state(task_id), running=task_id in self._tasks.running)

    async def _report_state(self, state: TaskState, *, running: bool) -> ToolOutput:
        """Report a task, with the picture on which it waits for the user."""
        journal = self._hand.journal
        report = schemas.report_task(state, journal.find_frame_file, running=running)
        asked_on = next((request.frame for request in state.requests if request.frame), "") if report.running else ""
        return ToolOutput(report, (await journal.load_frame(asked_on) or b"") if asked_on else b"")

    async def answer_request(self, task_id: str, reply: UserReply) -> None:
        """Give a task the user's answer, and wait until it has taken it."""
        try:
            run = self._tasks.get_running(task_id)
            run.answer(reply.request_id, reply.verdict, reply.text)
        except UsageError as late:
            _log.info("task %s: %s", task_id, late)
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                async for _ in run.events(run.state.last_seq):
                    if all(request.id != reply.request_id for request in run.state.requests):
                        return


class UnattendedJobs:
    """Stops a job that needs the user: it can't ask. A task can."""

    async def note_start(self, run: Task) -> None: ...

    async def ask_user(self, run: Task, request: UserRequest) -> None:
        run.send(Stop(reason=f"the user is needed, use run_task: {' '.join(describe_request(request))}"))

    async def note_reply(self, run: Task, request: UserRequest, reply: UserReply) -> None: ...


async def _wait_for_task(run: Task, seconds: float, progress: Progress) -> None:
    """Wait until the task has ended or needs the user, for at most this many seconds."""
    if not seconds or run.state.over or run.state.requests:
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            step = run.state.step
            async for _ in run.events(run.state.last_seq):
                if run.state.over or run.state.requests:
                    return
                if run.state.step > step:
                    step = run.state.step
                    await progress(step, run.state.max_steps, None)
