"""The inner loop: observe → decide → act → settle → report, on one device, by the worker whose role it is.

It never plans. Commands come by mailbox and never wait for a step; everything that happens goes out as events.
"""

import asyncio
from collections.abc import Mapping, Sequence

from deskhand.bus import Mailbox
from deskhand.core.commands import Command, Pause, Resume, StartTask, Stop
from deskhand.core.decisions import Decision, StepReport
from deskhand.core.errors import BudgetSpent, DeviceFault, DeviceRestarted, DeviceUnusable, ModelFault, ModelUnavailable
from deskhand.core.human import UserRequest
from deskhand.core.protocols import Worker
from deskhand.core.screen import Observation
from deskhand.core.statuses import ExecutorStatus
from deskhand.core.subtask import WorkerRole
from deskhand.engine.context import TaskContext
from deskhand.engine.inner.action_queue import ActionQueue
from deskhand.engine.inner.action_runner import ActionRunner
from deskhand.engine.inner.doubts import Doubts
from deskhand.engine.inner.pausing import PauseSwitch
from deskhand.engine.inner.questions import Questions
from deskhand.engine.inner.step import Step, record_status, subtask_id_of, turn_status
from deskhand.engine.safety.permission import Permission
from deskhand.engine.safety.policy import find_need_for_user
from deskhand.engine.views import make_briefing
from deskhand.task.events import (
    CommandTaken,
    Decided,
    DeviceReopened,
    EndCause,
    Event,
    ExecutorChanged,
    Observed,
    SubtaskStarted,
)
from deskhand.task.state import TaskState


class Executor:
    """`unanswered`: what a worker had asked when the task was left."""

    def __init__(
        self,
        context: TaskContext,
        workers: Mapping[WorkerRole, Worker],
        runner: ActionRunner,
        permission: Permission,
        unanswered: Sequence[UserRequest] = (),
    ) -> None:
        self.mailbox: Mailbox[Command] = Mailbox()
        self._context = context
        self._log = context.log
        self._settings = context.settings.executor
        self._workers = workers
        self._runner = runner
        self._pause = PauseSwitch(context.log)
        self._questions = Questions(context, unanswered)
        self._doubts = Doubts(context, self._questions)
        self._queue = ActionQueue(context, runner, permission, self._pause, self._questions)
        self._work: asyncio.Task[None] | None = None

    # --- the loop ----------------------------------------------------------------------------------------

    async def _take_steps(self) -> None:
        try:
            await self._questions.ask_again()
            await self._doubts.settle_last_action()
            while not await self._is_over():
                await self._pause.wait_while_paused()
                await self._take_step()
        except DeviceUnusable as fault:
            await record_status(self._log, ExecutorStatus.FAILED, cause="device", reason=str(fault))
        except ModelUnavailable as fault:
            await record_status(self._log, ExecutorStatus.FAILED, cause="model", reason=str(fault))
        except BudgetSpent as fault:
            await record_status(self._log, ExecutorStatus.FAILED, cause="budget", reason=str(fault))

    async def _take_step(self) -> None:
        """observe → decide → act and settle, action by action → report."""
        step = Step(self._context)
        try:
            seen = await self._observe_screen(step)
        except DeviceFault as fault:
            if isinstance(fault, DeviceRestarted):
                step.note_events(DeviceReopened(because=str(fault)))
            await step.finish_step(error=f"The screen could not be read: {fault}")
            return
        try:
            decision = await self._ask_worker(step, seen)
        except ModelFault as fault:
            await step.finish_step(error=str(fault))
            return
        # What an earlier action has led to meanwhile is decided on before anything else is.
        if refused := await self._runner.settle_requests():
            await step.finish_step(thought=decision.thought, error=refused)
            await self._questions.turn_down(refused)
        elif decision.kind != "actions" and await self._pause.wait_while_paused():
            await step.finish_step(thought=decision.thought, message="paused meanwhile: it is looked at again")
        elif decision.kind == "ask":
            await self._questions.ask_question(step, decision)
        elif decision.kind == "done" and (objection := await self._doubts.find_objection(step)):
            await step.finish_step(thought=decision.thought, error=objection.reason)
            if objection.needs_user:
                await self._questions.turn_down(objection.reason)
        elif decision.kind != "actions":
            await self._end_subtask(step, decision)
        else:
            played = await self._queue.play_actions(step, seen, decision.actions)
            reports = tuple(played.reports)
            await step.finish_step(
                thought=decision.thought, message=decision.message, actions=reports, error=played.error
            )
            if played.refused:
                await self._questions.turn_down(played.refused)

    async def _observe_screen(self, step: Step) -> Observation:
        seen = await self._context.observer.observe(self._worker.needs_elements)
        step.note_events(
            Observed(
                step=step.number,
                frame=await self._log.journal.keep_frame(seen.frame),
                width=seen.frame.width,
                height=seen.frame.height,
                app=seen.app,
                title=seen.title,
                address=seen.address,
                elements=None if seen.elements is None else len(seen.elements),
                problem=seen.problem,
            )
        )
        return seen

    async def _ask_worker(self, step: Step, seen: Observation) -> Decision:
        human, clock = self._context.human, self._context.clock
        skills = self._runner.skills_of_current_role(attended=human.attended)
        briefing = make_briefing(self._log.state, seen, skills, step.number, self._settings.history)
        begun = clock.now()
        try:
            async with asyncio.timeout(self._settings.decide_timeout_s):
                decision = await self._worker.decide(briefing)
        except TimeoutError:
            raise ModelFault(f"No decision came within {self._settings.decide_timeout_s:g} s.") from None
        ms = round((clock.now() - begun) * 1000)
        heard = len(briefing.messages)
        step.note_events(Decided(step=step.number, decision=decision, heard=heard, usage=decision.usage, ms=ms))
        if not human.attended and (request := find_need_for_user(decision.actions, self._context.settings.policy)):
            return Decision(kind="ask", thought=decision.thought, message=request)
        return decision

    async def _end_subtask(self, step: Step, decision: Decision) -> None:
        status, cause = _CONCLUSIONS[decision.kind]
        done = decision.kind == "done"
        await step.finish_step(
            thought=decision.thought, message=decision.message, done=done, finished=True, success=done
        )
        reason = decision.message or ("the goal is reached" if done else "no reason was given")
        await record_status(self._log, status, decision=decision.kind, cause=cause, reason=reason)

    async def _is_over(self) -> bool:
        state = self._log.state
        if state.executor.ended:
            return True
        if state.is_given_up(subtask_id_of(self._log)):
            await turn_status(self._log, ExecutorStatus.RUNNING, ExecutorStatus.PAUSED)  # until the next order
            return True
        if state.failures_in_a_row >= self._settings.max_failures:
            last = state.history[-1] if state.history else StepReport(step=state.step)
            error = last.trouble or last.message or "it gave no reason"
            reason = f"{state.failures_in_a_row} steps failed in a row; the last one: {error}"
            await record_status(self._log, ExecutorStatus.FAILED, cause="failed", reason=reason)
            return True
        if state.loop == "single" and state.unchanged_in_a_row >= self._context.settings.rules.steps_without_progress:
            # With nobody above to plan anew, the work ends where a new plan would begin.
            reason = f"{state.unchanged_in_a_row} steps changed nothing"
            await record_status(self._log, ExecutorStatus.FAILED, cause="failed", reason=reason)
            return True
        if state.step >= state.max_steps:
            reason = f"the limit of {state.max_steps} steps was reached"
            await record_status(self._log, ExecutorStatus.FAILED, cause="steps", reason=reason)
            return True
        return False

    @property
    def _worker(self) -> Worker:
        assert self._log.state.subtask, "steps run only after StartTask"
        return self._workers[self._log.state.subtask.role]

    # --- commands ----------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Serve commands until Stop; work goes on beside. When this returns, nothing more reaches the device."""
        try:
            async with asyncio.TaskGroup() as group:
                while not isinstance(command := await self.mailbox.receive_message(), Stop):
                    await self._obey_command(command, group)
                await self._halt_work()
        except BaseExceptionGroup as crash:
            raise crash.exceptions[0] from None
        reason = "; ".join(filter(None, (command.reason, self._runner.stopped)))
        await self._log.record(
            CommandTaken(command=command),
            ExecutorChanged(status=ExecutorStatus.IDLE, cause="stopped", reason=reason),
        )

    async def _obey_command(self, command: Command, group: asyncio.TaskGroup) -> None:
        if isinstance(command, StartTask):
            await self._begin_subtask(command, group)
            return
        await self._log.record(CommandTaken(command=command))
        working = self._work is not None and not self._work.done()
        if isinstance(command, Pause):
            await self._pause.hold_worker(command.by, at_rest=working and not self._runner.acting)
        elif isinstance(command, Resume):
            await self._pause.free_worker(command.by, working=working)

    async def _begin_subtask(self, order: StartTask, group: asyncio.TaskGroup) -> None:
        """The work before it has ended when the order is written down: whatever follows is of the new work."""
        await self._halt_work()
        begun = (
            SubtaskStarted(subtask=order.subtask, system_prompt=order.system_prompt, went_on=order.go_on),
            ExecutorChanged(subtask=order.task_id, status=ExecutorStatus.RUNNING),
        )
        taken, given_up = CommandTaken(command=order), True

        def choose_events(state: TaskState) -> tuple[Event, ...]:
            nonlocal given_up
            given_up = state.is_given_up(order.task_id)  # while the order was on its way
            return (taken,) if given_up else (taken, *begun)

        await self._log.record(choose_events)
        if given_up:
            return
        await self._pause.free_worker("planner")
        self._runner.forget_screens()
        self._work = group.create_task(self._take_steps())

    async def _halt_work(self) -> None:
        work, self._work = self._work, None
        self._runner.stopped = ""
        if work and not work.done():
            work.cancel()
            await asyncio.wait({work})


_CONCLUSIONS: dict[str, tuple[ExecutorStatus, EndCause]] = {
    "done": (ExecutorStatus.COMPLETED, "done"),
    "fail": (ExecutorStatus.FAILED, "failed"),
    "stale": (ExecutorStatus.STUCK, "failed"),
    "supplement": (ExecutorStatus.FAILED, "failed"),
}
