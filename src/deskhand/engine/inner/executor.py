"""The inner loop: observe → decide → act → settle → report, on one device, by the worker whose role it is.

It never plans. Commands come by mailbox and never wait for a step; everything that happens goes out as events.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deskhand.bus import Mailbox
from deskhand.core.actions import Action, ActionKind, TakeOver
from deskhand.core.commands import Command, Holder, InjectPrompt, Pause, Resume, StartTask, Stop
from deskhand.core.decisions import ActionReport, Briefing, Decision, PlannedAction, StepReport
from deskhand.core.errors import BudgetSpent, DeviceFault, DeviceUnusable, ModelFault, ModelUnavailable
from deskhand.core.human import UserRequest
from deskhand.core.protocols import Clock, CodeRunner, Device, Settle, Worker
from deskhand.core.screen import Frame, Observation
from deskhand.core.statuses import ExecStatus, ExecutorStatus
from deskhand.core.subtask import WorkerRole
from deskhand.engine.human_input import HumanInput, said_no
from deskhand.engine.inner.action_runner import ActionRunner
from deskhand.engine.observer import Observer, check_possible, moved_away
from deskhand.engine.safety.permission import Permission
from deskhand.engine.safety.policy import needs_a_person
from deskhand.engine.task_log import TaskLog
from deskhand.engine.views import ANSWERS_TOLD, collected
from deskhand.screen.stillness.self_motion import SelfMotion
from deskhand.screen.stillness.stuck import StuckWatch
from deskhand.settings.schema import ExecutorSettings, PolicySettings
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
from deskhand.task.state import TaskState


@dataclass(slots=True)
class _Played:
    """What became of a reply's actions, and what is still to be written down."""

    reports: list[ActionReport]
    unwritten: tuple[Event, ...]
    error: str = ""
    refused: str = ""


class Executor:
    def __init__(
        self,
        device: Device,
        workers: Mapping[WorkerRole, Worker],
        log: TaskLog,
        *,
        eyes: Observer,
        movers: SelfMotion,
        settle: Settle,
        clock: Clock,
        settings: ExecutorSettings,
        policy: PolicySettings,
        people: HumanInput,
        goal_approves: bool = False,
        max_steps: int,
        unanswered: Sequence[UserRequest] = (),
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
        self._people = people
        self._unanswered = list(unanswered)
        self._permission = Permission(log, eyes, people, policy, movers, goal_approves=goal_approves)
        self._eyes = eyes
        self._stuck = StuckWatch(movers=movers)
        self._actor = ActionRunner(device, eyes, log, settle, clock, settings, self._stuck, code)
        self._holds: set[Holder] = set()
        self._go = asyncio.Event()  # nobody holds the worker
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
        if isinstance(command, StartTask):
            await self._begin(command, group)
            return
        await self._log.record(CommandTaken(command=command))
        if isinstance(command, Pause):
            self._holds.add(command.by)
            self._go.clear()
            if self._working and self._state is ExecutorStatus.RUNNING and not self._actor.acting:
                await self._turned(ExecutorStatus.RUNNING, ExecutorStatus.PAUSED)
        elif isinstance(command, Resume):
            if self._holds == {command.by} and self._working and self._state is ExecutorStatus.PAUSED:
                await self._turned(ExecutorStatus.PAUSED, ExecutorStatus.RUNNING)
            self._let_go(command.by)

    async def _begin(self, order: StartTask, group: asyncio.TaskGroup) -> None:
        """What came before has come to its end when the order is written down: whatever follows is of the new work."""
        await self._halt()
        begun = (
            SubtaskStarted(subtask=order.subtask, system_prompt=order.system_prompt, went_on=order.go_on),
            ExecutorChanged(subtask=order.task_id, status=ExecutorStatus.RUNNING),
        )
        taken, given_up = CommandTaken(command=order), True

        def written(state: TaskState) -> tuple[Event, ...]:
            nonlocal given_up
            given_up = state.given_up(order.task_id)  # while the order was on its way
            return (taken,) if given_up else (taken, *begun)

        await self._log.record(written)
        if given_up:
            return
        self._let_go("planner")
        self._stuck.reset()
        self._work = group.create_task(self._steps())

    def _let_go(self, holder: Holder) -> None:
        self._holds.discard(holder)
        if not self._holds:
            self._go.set()

    @property
    def _state(self) -> ExecutorStatus:
        return self._log.state.executor

    @property
    def _working(self) -> bool:
        return self._work is not None and not self._work.done()

    async def _halt(self) -> None:
        work, self._work = self._work, None
        if work and not work.done():
            work.cancel()
            await asyncio.wait({work})

    async def _paused(self) -> bool:
        """Wait while paused; whether there was a pause. Nothing goes on before the log says so."""
        waited = False
        while not self._go.is_set() or self._state is ExecutorStatus.PAUSED:
            waited = True
            if self._go.is_set():
                await self._turned(ExecutorStatus.PAUSED, ExecutorStatus.RUNNING)
            elif self._state is not ExecutorStatus.PAUSED:
                await self._turned(ExecutorStatus.RUNNING, ExecutorStatus.PAUSED)
            else:
                await self._go.wait()
        return waited

    async def by_hand(self, action: Action) -> str:
        """An action of the person's: never at the same moment as one of the worker's."""
        return await self._actor.by_hand(action)

    # --- steps -------------------------------------------------------------------------------------------

    async def _steps(self) -> None:
        try:
            await self._ask_again()
            while not await self._over():
                await self._paused()
                await self._step()
        except DeviceUnusable as fault:
            await self._changed(ExecutorStatus.FAILED, cause="device", reason=str(fault))
        except ModelUnavailable as fault:
            await self._changed(ExecutorStatus.FAILED, cause="model", reason=str(fault))
        except BudgetSpent as fault:
            await self._changed(ExecutorStatus.FAILED, cause="budget", reason=str(fault))

    async def _ask_again(self) -> None:
        """What nobody had answered when the task was left is asked again; a yes is for a screen, and that is gone."""
        while self._unanswered:
            request = self._unanswered.pop(0)
            reply = await self._people.ask(request.kind, request.text)
            if reply.verdict == "no":
                await self._turned_down(said_no(reply, request.text))
                return
            told = f'The person was asked "{request.text}" and answered: {reply.text or "yes"}'
            await self._log.record(CommandTaken(command=InjectPrompt(content=told)))

    async def _over(self) -> bool:
        state = self._log.state
        if state.executor.ended:
            return True
        if state.given_up(self._subtask_id):
            await self._turned(ExecutorStatus.RUNNING, ExecutorStatus.PAUSED)  # it rests until the next order
            return True
        if state.failures_in_a_row >= self._settings.max_failures:
            last = state.history[-1] if state.history else StepReport(step=state.step)
            error = last.trouble or last.message or "it gave no reason"
            reason = f"{state.failures_in_a_row} steps failed in a row; the last one: {error}"
            await self._changed(ExecutorStatus.FAILED, cause="failed", reason=reason)
            return True
        if state.step >= self._max_steps:
            await self._changed(
                ExecutorStatus.FAILED, cause="steps", reason=f"the limit of {self._max_steps} steps was reached"
            )
            return True
        return False

    async def _changed(self, status: ExecutorStatus, **details: Any) -> None:
        await self._log.record(ExecutorChanged(subtask=self._subtask_id, status=status, **details))

    async def _turned(self, before: ExecutorStatus, after: ExecutorStatus) -> None:
        """From one to the other, unless the work ends at the same moment: its end is never overwritten."""
        turned = ExecutorChanged(subtask=self._subtask_id, status=after)
        await self._log.record(lambda state: (turned,) if state.executor is before else ())

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

    async def _turned_down(self, reason: str) -> None:
        """What needed a person was not given; where there is none to give it, the task still asks for one."""
        asks = None if self._people.attended else "ask"
        await self._changed(ExecutorStatus.FAILED, decision=asks, cause="failed", reason=reason)

    async def _step(self) -> None:
        begun = self._clock.now()
        step = self._log.state.step + 1
        try:
            seen = await self._eyes.observe(self._worker.needs_elements)
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
        if decision.kind != "actions" and await self._paused():
            told = StepReport(step=step, thought=decision.thought, message="paused meanwhile: it is looked at again")
            await self._report(begun, told, (observed, decided))
            return
        if not self._people.attended and (request := needs_a_person(decision.actions, self._policy)):
            decision = Decision(kind="ask", thought=decision.thought, message=request)
        if decision.kind == "ask":
            await self._ask(begun, step, decision, (observed, decided))
            return
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
        if played.refused:
            await self._turned_down(played.refused)

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
            capabilities=self._offered(state.subtask.role),
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

    def _offered(self, role: WorkerRole) -> frozenset[ActionKind]:
        """A person can be called to the device only where there is one."""
        skills = self._actor.skills(role)
        return skills | _BY_A_PERSON if self._people.attended and role == "operator" else skills

    async def _play(
        self, step: int, seen: Observation, actions: tuple[PlannedAction, ...], unwritten: tuple[Event, ...]
    ) -> _Played:
        """Carry out a reply's actions one after the other, as long as the screen does what the reply expected."""
        played = _Played([], unwritten)
        # What changed while it was decided is no effect of the first action.
        frame, front = self._eyes.perception.newest or seen.frame, seen.app
        for number, planned in enumerate(actions, 1):
            left = actions[number - 1 :]
            try:
                hindrance = ""
                if number > 1:
                    hindrance, front = await self._surprise(actions[number - 2], planned, seen, frame, front)
                else:
                    hindrance = await self._eyes.overtaken(planned.action, seen)
                if not hindrance and isinstance(planned.action, TakeOver):
                    await self._hand_over(planned.action, frame, played)
                    break
                hindrance = hindrance or await self._not_allowed(planned, seen if number == 1 else None, frame, played)
            except DeviceFault as fault:
                hindrance = played.error = f"The screen could not be read: {fault}"
            # Right before it is sent, with nothing awaited in between: nothing begins while paused, or when given up.
            if not hindrance and (await self._paused() or self._log.state.given_up(self._subtask_id)):
                hindrance = _PAUSED
            if hindrance:
                played.unwritten += (_flushed(step, left, hindrance),)
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

    async def _not_allowed(
        self, planned: PlannedAction, seen: Observation | None, frame: Frame, played: _Played
    ) -> str:
        """Why this can't or may not be done here; empty when it may, if need be after a person's yes."""
        try:
            check_possible(planned.action, self._actor.skills(self._role), frame)
            permit = await self._permission.of(planned, seen)
            if permit.verdict == "allow":
                return ""
            await self._log.record(*played.unwritten)
            played.unwritten = ()
            answer = await self._permission.asked(planned.action, permit)
        except ModelFault as fault:
            played.error = str(fault)
            return played.error
        played.refused, played.error = answer.refused, answer.stale
        return answer.refused or answer.stale

    async def _surprise(
        self, done: PlannedAction, upcoming: PlannedAction, seen: Observation, frame: Frame, front: str
    ) -> tuple[str, str]:
        """Why the next queued action no longer fits (empty when it does), and what is in front now."""
        if await self._paused():  # since the last action was under way: nobody is asked about the next one meanwhile
            return _PAUSED, front
        now = (await self._device.app()).name
        if done.expect:
            return await self._eyes.unmet(done.expect), now
        if now != front:
            return f"{now} came to the front instead of {front}", now
        if self._eyes.perception.surprise:
            return "the screen changed by itself", now
        if moved_away(upcoming.action, seen.frame, frame):
            return "what the next action aims at has changed", now
        return "", now

    async def _hand_over(self, action: TakeOver, before: Frame, played: _Played) -> None:
        """The device is the person's until they hand it back; what changed meanwhile is told to the worker."""
        await self._log.record(*played.unwritten)
        played.unwritten = ()
        reply = await self._people.ask("take_over", action.reason)
        if reply.verdict == "no":
            played.refused = said_no(reply, action.reason)
            return
        told = await self._eyes.change_since(before)
        detail = f"The person had the device and handed it back. {told} {reply.text}".strip()
        played.reports.append(ActionReport(action=action, status=ExecStatus.EXECUTED, detail=detail, changed=True))

    async def _ask(self, begun: float, step: int, decision: Decision, unwritten: tuple[Event, ...]) -> None:
        """The worker's question goes to the person, and their answer back to the worker."""
        await self._log.record(*unwritten)
        reply = await self._people.ask("question", decision.message)
        if reply.verdict == "no":
            reason = said_no(reply, decision.message)
            await self._report(begun, StepReport(step=step, thought=decision.thought, message=reason), success=False)
            await self._turned_down(reason)
            return
        answer = InjectPrompt(content=f'The person answered your question "{decision.message}": {reply.text or "yes"}')
        await self._report(
            begun,
            StepReport(step=step, thought=decision.thought, message=f"asked the person: {decision.message}"),
            (CommandTaken(command=answer),),
        )

    async def _conclude(self, begun: float, step: int, decision: Decision, unwritten: tuple[Event, ...]) -> None:
        status, cause = _CONCLUSIONS[decision.kind]
        done = decision.kind == "done"
        report = StepReport(step=step, thought=decision.thought, message=decision.message, done=done)
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
                success=not report.trouble if success is None else success,
                finished=finished,
                screen_changed=any(seen_changes) or not seen_changes,
                ms=round((self._clock.now() - begun) * 1000),
            ),
        )


_PAUSED = "paused in between: the screen is looked at again"
_BY_A_PERSON: frozenset[ActionKind] = frozenset({"take_over"})
_CONCLUSIONS: dict[str, tuple[ExecutorStatus, EndCause]] = {
    "done": (ExecutorStatus.COMPLETED, "done"),
    "fail": (ExecutorStatus.FAILED, "failed"),
    "stale": (ExecutorStatus.STUCK, "failed"),
    "supplement": (ExecutorStatus.FAILED, "failed"),
}


def _flushed(step: int, dropped: tuple[PlannedAction, ...], reason: str) -> QueueFlushed:
    return QueueFlushed(step=step, dropped=tuple(planned.action for planned in dropped), reason=reason)
