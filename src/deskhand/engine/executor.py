"""The inner loop: observe → decide → act → settle → report, on one device, by the worker whose role it is.

It never plans. Commands come by mailbox and never wait for a step; everything that happens goes out as events.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deskhand.bus import Mailbox
from deskhand.config import ExecutorSettings, PolicySettings
from deskhand.engine.acting import Actor
from deskhand.engine.collected import ANSWERS_TOLD, collected
from deskhand.engine.log import TaskLog
from deskhand.engine.looking import Eyes, check_possible, moved_away
from deskhand.engine.policy import needs_a_person
from deskhand.errors import BudgetSpent, DeviceFault, DeviceUnusable, ModelFault, ModelUnavailable
from deskhand.protocols import Clock, CodeRunner, Device, Settle, Worker
from deskhand.screen.movers import Movers
from deskhand.screen.stuck import StuckWatch
from deskhand.task.events import (
    CommandTaken,
    Decided,
    EndCause,
    Event,
    ExecutorChanged,
    Observed,
    QueueFlushed,
    StepFinished,
    SubtaskStarted,
)
from deskhand.types import (
    ActionReport,
    Briefing,
    Command,
    Decision,
    ExecStatus,
    ExecutorStatus,
    Frame,
    Observation,
    Pause,
    Planned,
    Resume,
    StartTask,
    StepReport,
    Stop,
    Subtask,
    WorkerRole,
)


@dataclass(slots=True)
class _Played:
    """What became of a reply's actions, and what is still to be written down."""

    reports: list[ActionReport]
    unwritten: tuple[Event, ...]
    error: str = ""


class Executor:
    def __init__(
        self,
        device: Device,
        workers: Mapping[WorkerRole, Worker],
        log: TaskLog,
        *,
        eyes: Eyes,
        movers: Movers,
        settle: Settle,
        clock: Clock,
        settings: ExecutorSettings,
        policy: PolicySettings,
        max_steps: int,
        code: CodeRunner | None = None,
    ) -> None:
        self.mailbox: Mailbox[Command] = Mailbox()
        self._device = device
        self._workers = workers
        self._log = log
        self._clock = clock
        self._settings = settings
        self._max_steps = max_steps
        self._policy = policy
        self._eyes = eyes
        self._stuck = StuckWatch(movers=movers)
        self._actor = Actor(device, eyes, log, settle, clock, settings, self._stuck, code)
        self._go = asyncio.Event()
        self._go.set()
        self._work: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Serve commands until Stop; work goes on beside. When this returns, nothing more reaches the device."""
        try:
            async with asyncio.TaskGroup() as group:
                while not isinstance(command := await self.mailbox.receive(), Stop):
                    await self._take(command, group)
                await self._halt()
        except BaseExceptionGroup as crash:
            raise crash.exceptions[0] from None
        await self._log.record(
            CommandTaken(command=command),
            ExecutorChanged(status=ExecutorStatus.IDLE, cause="stopped", reason=command.reason),
        )

    # --- commands ----------------------------------------------------------------------------------------

    async def _take(self, command: Command, group: asyncio.TaskGroup) -> None:
        await self._log.record(CommandTaken(command=command))
        match command:
            case StartTask(task_id=task_id) if self._log.state.given_up(task_id):
                pass  # while the order was on its way
            case StartTask():
                await self._halt()
                await self._log.record(
                    SubtaskStarted(
                        subtask=Subtask(
                            id=command.task_id,
                            title=command.description,
                            done_when=command.done_when,
                            role=command.role,
                        ),
                        system_prompt=command.system_prompt,
                        went_on=command.go_on,
                    ),
                    ExecutorChanged(subtask=command.task_id, status=ExecutorStatus.RUNNING),
                )
                self._go.set()
                self._stuck.reset()
                self._work = group.create_task(self._steps())
            case Pause() if self._working and self._go.is_set():
                self._go.clear()
                if not self._actor.acting:
                    await self._changed(ExecutorStatus.PAUSED)
            case Resume() if self._working and not self._go.is_set():
                await self._changed(ExecutorStatus.RUNNING)
                self._go.set()
            case _:
                pass

    @property
    def _working(self) -> bool:
        return self._work is not None and not self._work.done()

    async def _halt(self) -> None:
        work, self._work = self._work, None
        if work and not work.done():
            work.cancel()
            await asyncio.wait({work})

    async def _paused(self) -> bool:
        """Wait while paused; whether there was a pause."""
        if self._go.is_set():
            return False
        if self._log.state.executor is not ExecutorStatus.PAUSED:
            await self._changed(ExecutorStatus.PAUSED)
        await self._go.wait()
        return True

    # --- steps -------------------------------------------------------------------------------------------

    async def _steps(self) -> None:
        try:
            while not await self._over():
                await self._paused()
                await self._step()
        except DeviceUnusable as fault:
            await self._end(ExecutorStatus.FAILED, "device", str(fault))
        except ModelUnavailable as fault:
            await self._end(ExecutorStatus.FAILED, "model", str(fault))
        except BudgetSpent as fault:
            await self._end(ExecutorStatus.FAILED, "budget", str(fault))

    async def _over(self) -> bool:
        state = self._log.state
        if state.executor in (ExecutorStatus.COMPLETED, ExecutorStatus.FAILED, ExecutorStatus.STUCK):
            return True
        if state.failures_in_a_row >= self._settings.max_failures:
            error = _trouble(state.history[-1]) if state.history else ""
            reason = f"{state.failures_in_a_row} steps failed in a row; the last one: {error}"
            await self._end(ExecutorStatus.FAILED, "failed", reason)
            return True
        if state.step >= self._max_steps:
            await self._end(ExecutorStatus.FAILED, "steps", f"the limit of {self._max_steps} steps was reached")
            return True
        return False

    async def _changed(self, status: ExecutorStatus, **details: Any) -> None:
        await self._log.record(ExecutorChanged(subtask=self._subtask_id, status=status, **details))

    @property
    def _role(self) -> WorkerRole:
        assert self._log.state.subtask, "steps run only after StartTask"
        return self._log.state.subtask.role

    @property
    def _worker(self) -> Worker:
        return self._workers[self._role]

    @property
    def _subtask_id(self) -> str:
        return self._log.state.subtask.id if self._log.state.subtask else ""

    async def _end(self, status: ExecutorStatus, cause: EndCause, reason: str) -> None:
        await self._changed(status, cause=cause, reason=reason)

    async def _step(self) -> None:
        begun = self._clock.now()
        step = self._log.state.step + 1
        try:
            seen = await self._eyes.observe(self._worker.needs_elements)
        except DeviceUnusable:
            raise
        except DeviceFault as fault:
            await self._report(begun, StepReport(step=step, error=f"The screen could not be read: {fault}"))
            return
        observed = await self._observed(step, seen)
        try:
            decided = await self._decide(step, seen)
        except ModelFault as fault:
            await self._report(begun, StepReport(step=step, error=str(fault)), (observed,))
            return
        decision = decided.decision
        if request := needs_a_person(decision.actions, self._policy):
            decision = Decision(kind="ask", thought=decision.thought, message=request)
        if decision.kind != "actions":
            await self._conclude(begun, step, decision, (observed, decided))
            return
        played = await self._play(step, seen, decision.actions, (observed, decided))
        report = StepReport(
            step=step,
            thought=decision.thought,
            message=decision.message,
            actions=tuple(played.reports),
            error=played.error,
        )
        await self._report(begun, report, played.unwritten)

    async def _observed(self, step: int, seen: Observation) -> Observed:
        return Observed(
            step=step,
            frame=await self._log.journal.keep_frame(seen.frame),
            width=seen.frame.width,
            height=seen.frame.height,
            app=seen.app,
            title=seen.title,
            elements=None if seen.elements is None else len(seen.elements),
            problem=seen.problem,
        )

    async def _decide(self, step: int, seen: Observation) -> Decided:
        state = self._log.state
        assert state.subtask, "steps run only after StartTask"
        briefing = Briefing(
            goal=state.goal,
            subtask=state.subtask,
            observation=seen,
            capabilities=self._actor.skills(state.subtask.role),
            step=step,
            max_steps=self._max_steps,
            history=state.history[-self._settings.history :],
            notes=state.notes,
            answers=state.answers[-ANSWERS_TOLD:],
            materials=collected(state),
            messages=state.messages,
            bookmark=state.bookmark,
            system_prompt=state.system_prompt,
        )
        begun = self._clock.now()
        try:
            async with asyncio.timeout(self._settings.decide_timeout_s):
                decision = await self._worker.decide(briefing)
        except TimeoutError:
            raise ModelFault(f"No decision came within {self._settings.decide_timeout_s:g} s.") from None
        ms = round((self._clock.now() - begun) * 1000)
        heard = len(briefing.messages)
        return Decided(step=step, decision=decision, heard=heard, usage=decision.usage, ms=ms)

    async def _play(
        self, step: int, seen: Observation, actions: tuple[Planned, ...], unwritten: tuple[Event, ...]
    ) -> _Played:
        """Carry out a reply's actions one after the other, as long as the screen does what the reply expected."""
        played = _Played([], unwritten)
        frame, front = seen.frame, seen.app
        for number, planned in enumerate(actions, 1):
            left = actions[number - 1 :]
            if await self._paused():
                played.unwritten += (_flushed(step, left, "paused in between: the screen is looked at again"),)
                break
            if number > 1:
                surprise, front = await self._surprise(actions[number - 2], planned, seen, frame, front)
                if surprise:
                    played.unwritten += (_flushed(step, left, surprise),)
                    break
            try:
                check_possible(planned.action, self._actor.skills(self._role), frame)
            except ModelFault as fault:
                played.error = str(fault)
                break
            acted = await self._actor.carry_out(step, number, planned.action, frame, played.unwritten)
            played.unwritten = acted.unwritten
            played.reports.append(acted.report)
            frame = acted.frame or frame
            if acted.unseen or acted.report.status is not ExecStatus.EXECUTED:
                if left[1:]:
                    played.unwritten += (_flushed(step, left[1:], acted.unseen or acted.report.detail),)
                break
        return played

    async def _surprise(
        self, done: Planned, upcoming: Planned, seen: Observation, frame: Frame, front: str
    ) -> tuple[str, str]:
        """Why the next queued action no longer fits (empty when it does), and what is in front now."""
        try:
            now = (await self._device.app()).name
            if done.expect:
                return await self._eyes.unmet(done.expect), now
        except DeviceUnusable:
            raise
        except DeviceFault as fault:
            return f"the screen could not be read: {fault}", front
        if now != front:
            return f"{now} came to the front instead of {front}", now
        if self._eyes.perception.surprise:
            return "the screen changed by itself", now
        if moved_away(upcoming.action, seen.frame, frame):
            return "what the next action aims at has changed", now
        return "", now

    async def _conclude(self, begun: float, step: int, decision: Decision, unwritten: tuple[Event, ...]) -> None:
        status, cause = _CONCLUSIONS[decision.kind]
        done = decision.kind == "done"
        report = StepReport(step=step, thought=decision.thought, message=decision.message)
        await self._report(begun, report, unwritten, finished=True, success=done)
        reason = decision.message or ("the goal is reached" if done else "no reason was given")
        await self._changed(status, decision=decision.kind, cause=cause, reason=reason)

    async def _report(
        self,
        begun: float,
        report: StepReport,
        unwritten: tuple[Event, ...] = (),
        *,
        finished: bool = False,
        success: bool | None = None,
    ) -> None:
        seen_changes = [action.changed for action in report.actions if action.changed is not None]
        await self._log.record(
            *unwritten,
            StepFinished(
                subtask=self._subtask_id,
                report=report,
                success=not _trouble(report) if success is None else success,
                finished=finished,
                screen_changed=any(seen_changes) or not seen_changes,
                ms=round((self._clock.now() - begun) * 1000),
            ),
        )


_CONCLUSIONS: dict[str, tuple[ExecutorStatus, EndCause]] = {
    "done": (ExecutorStatus.COMPLETED, "done"),
    "fail": (ExecutorStatus.FAILED, "failed"),
    "stale": (ExecutorStatus.STUCK, "failed"),
    "supplement": (ExecutorStatus.FAILED, "failed"),
    "ask": (ExecutorStatus.FAILED, "failed"),
}


def _flushed(step: int, dropped: tuple[Planned, ...], reason: str) -> QueueFlushed:
    return QueueFlushed(step=step, dropped=tuple(planned.action for planned in dropped), reason=reason)


def _trouble(report: StepReport) -> str:
    """What went wrong in a step; empty when nothing did."""
    if report.error:
        return report.error
    return next((a.detail or a.status.value for a in report.actions if a.status is not ExecStatus.EXECUTED), "")
