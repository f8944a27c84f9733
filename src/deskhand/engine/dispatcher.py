"""The outer loop: plan · assign · watch · gate · replan · finish. It talks to the inner loop by commands only.

What it decides hangs on events and on pure rules over the state; it never looks into the executor.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterable

from deskhand.bus import Mailbox
from deskhand.config import Settings
from deskhand.engine.inspection import Inspector
from deskhand.engine.log import TaskLog
from deskhand.engine.looking import Eyes
from deskhand.engine.rules import Rule, decide
from deskhand.engine.strategy import next_strategy
from deskhand.engine.transitions import TABLE, When
from deskhand.errors import BudgetSpent, DeskhandError, DeviceFault, ModelFault, ModelUnavailable
from deskhand.gates import GateDecision, GateTrigger, PlanRequest, QualityReport, ReplanReason, ReplanStrategy
from deskhand.protocols import Clock, Device, Planner
from deskhand.task.events import (
    EndCause,
    Event,
    ExecutorChanged,
    GateClosed,
    PlanMade,
    Record,
    Ruled,
    SituationChanged,
    StepFinished,
    SubtaskEnded,
    Supplemented,
    TaskEnded,
)
from deskhand.types import (
    Command,
    ExecutorStatus,
    InjectPrompt,
    Pause,
    Situation,
    StartTask,
    Subtask,
    SubtaskStatus,
    TaskStatus,
    WorkerRole,
)


class Dispatcher:
    def __init__(
        self,
        planner: Planner,
        inspector: Inspector,
        log: TaskLog,
        commands: Mailbox[Command],
        *,
        device: Device,
        eyes: Eyes,
        clock: Clock,
        settings: Settings,
        rules: tuple[Rule, ...],
        roles: tuple[WorkerRole, ...],
    ) -> None:
        self._planner = planner
        self._inspector = inspector
        self._log = log
        self._commands = commands
        self._device = device
        self._eyes = eyes
        self._clock = clock
        self._settings = settings
        self._rules = rules
        self._roles = roles
        self._beside: asyncio.Task[None] | None = None
        # The subtask that was given out last and not given up since: only its events count.
        self._assigned = ""

    async def run(self, records: AsyncIterable[Record]) -> TaskEnded:
        """Drive the task to its end, from the events of its log."""
        try:
            if end := await self._begin():
                return end
            async for record in records:
                if record.task_id == self._log.task_id and (end := await self._heed(record.event)):
                    return end
        except (DeviceFault, ModelUnavailable, BudgetSpent) as fault:
            return self._rejected(_cause(fault), str(fault))
        finally:
            if self._beside:
                self._beside.cancel()
                # It may be in the middle of a call, whose bill belongs into the log before the end does.
                await asyncio.wait({self._beside})
        raise AssertionError("the log ended before the task did")

    async def _begin(self) -> TaskEnded | None:
        """A first plan, or where the log says that the work was left."""
        state = self._log.state
        if left := state.subtasks(SubtaskStatus.PENDING):
            await self._go("resumed")
            self._inspector.remember(await self._eyes.perception.frame())
            self._assign(left[0], go_on=True)
            return None
        if state.subtasks(SubtaskStatus.READY) and not state.subtasks(SubtaskStatus.REJECTED):
            await self._go("resumed")
            return await self._next()
        await self._go("accepted_dual", state.goal)
        return await self._plan(ReplanReason.USER_REQUEST if state.plans else ReplanReason.FIRST_PLAN, "resumed")

    async def _heed(self, event: Event) -> TaskEnded | None:
        """React to what happened; the end of the task if this ends it."""
        match event:
            case StepFinished(subtask=subtask) | ExecutorChanged(subtask=subtask) if not self._is_current(subtask):
                return None  # the end of something that was given up already
            case ExecutorChanged(cause=cause) if cause in ("steps", "time", "budget", "device", "model", "stopped"):
                return self._rejected(cause, event.reason)
            case StepFinished() | ExecutorChanged(cause="done" | "failed"):
                return await self._rule()
            case GateClosed(beside=True, subtask=subtask, report=report) if self._is_current(subtask):
                return await self._after_check_beside(report)
            case _:
                return None

    def _is_current(self, subtask_id: str) -> bool:
        subtask = self._log.state.subtask
        if subtask is None or subtask_id != self._assigned:
            return False
        return subtask.id == subtask_id and subtask.status is SubtaskStatus.PENDING

    async def _go(self, when: When, because: str = "") -> None:
        situation = TABLE[self._log.state.situation, when]
        await self._log.record(SituationChanged(situation=situation, because=because))

    def _rejected(self, cause: EndCause, reason: str) -> TaskEnded:
        return TaskEnded(status=TaskStatus.REJECTED, cause=cause, reason=reason)

    # --- layer 1: rules ----------------------------------------------------------------------------------

    async def _rule(self) -> TaskEnded | None:
        ruling = decide(self._log.state, self._clock.wall(), self._settings.rules, self._rules)
        if ruling.outcome == "CONTINUE":
            return None
        await self._log.record(Ruled(ruling=ruling))
        match ruling.outcome:
            case "QUALITY_CHECK":
                return await self._check(ruling.trigger or GateTrigger.PERIODIC_CHECK)
            case "REPLAN":
                failed = self._log.state.executor is ExecutorStatus.FAILED
                reason = ReplanReason.WORKER_FAILED if failed else ReplanReason.REPEATED_FAILURE
                return await self._replan("fail" if failed else "replan", reason, ruling.reason)
            case "SUPPLEMENT":
                return await self._supplement("supplement", ruling.reason)
            case "USER_INTERVENTION":
                await self._go("ask", ruling.reason)
                return self._rejected("failed", f"a person is needed: {ruling.reason}")

    # --- layer 2: gates ----------------------------------------------------------------------------------

    async def _check(self, trigger: GateTrigger) -> TaskEnded | None:
        """What the worker asked for is waited for; every other check runs beside the work, while there is any."""
        if trigger in _WHEN or self._log.state.executor in _ENDED:
            await self._go(_WHEN.get(trigger, "checked"))
            return await self._judged(await self._inspector.check(trigger, beside=False))
        if self._beside is None or self._beside.done():
            self._beside = asyncio.create_task(self._look_beside(trigger))
        return None

    async def _look_beside(self, trigger: GateTrigger) -> None:
        """Its report comes back as an event, like everything else."""
        # A device that can't be looked at is the worker's trouble as well, and it has a way to say so.
        with contextlib.suppress(DeviceFault):
            await self._inspector.check(trigger, beside=True)

    async def _after_check_beside(self, report: QualityReport) -> TaskEnded | None:
        if report.decision is GateDecision.CONTINUE:
            if report.recommendation == "ADJUST" and report.suggestions:
                self._commands.post(InjectPrompt(content=" ".join(report.suggestions)))
            return None
        self._commands.post(Pause())
        await self._go("checked", report.reason)
        return await self._judged(report)

    async def _judged(self, report: QualityReport) -> TaskEnded | None:
        match report.decision:
            case GateDecision.DONE:
                subtask = self._log.state.subtask
                assert subtask, "a gate closes on a subtask"
                await self._log.record(
                    SubtaskEnded(id=subtask.id, status=SubtaskStatus.FULFILLED, reason=report.reason)
                )
                return await self._next()
            case GateDecision.FAIL:
                return await self._replan("gate_fail", ReplanReason.GATE_FAILED, report.reason)
            case GateDecision.SUPPLEMENT:
                return await self._supplement("gate_supplement", report.reason)
            case GateDecision.CONTINUE:
                await self._go("gate_continue", report.reason)
                for suggestion in report.suggestions:
                    self._commands.post(InjectPrompt(content=suggestion))
                assert self._log.state.subtask
                self._assign(self._log.state.subtask)
                return None

    async def _final_check(self) -> TaskEnded | None:
        report = await self._inspector.check(GateTrigger.FINAL_CHECK, beside=False)
        if report.decision is GateDecision.DONE:
            return TaskEnded(status=TaskStatus.FULFILLED, cause="done", reason=self._claims() or report.reason)
        await self._go("issues", report.reason)
        return await self._plan(ReplanReason.FINAL_CHECK_FAILED, report.reason)

    def _claims(self) -> str:
        """What the workers said when they were done, one after the other."""
        state = self._log.state
        return " ".join(report.message for report in state.history if report.message and not report.actions)

    # --- layer 3: planning -------------------------------------------------------------------------------

    async def _replan(self, when: When, reason: ReplanReason, because: str) -> TaskEnded | None:
        self._take_back()
        subtask = self._log.state.subtask
        if subtask:
            await self._log.record(SubtaskEnded(id=subtask.id, status=SubtaskStatus.REJECTED, reason=because))
        await self._go(when, because)
        return await self._plan(reason, because)

    async def _plan(self, reason: ReplanReason, because: str) -> TaskEnded | None:
        state = self._log.state
        if state.plans >= self._settings.dispatcher.max_plans:
            return self._rejected(
                "failed", f"{state.plans} plans did not lead to the goal; the last trouble: {because}"
            )
        first = reason is ReplanReason.FIRST_PLAN
        strategy = ReplanStrategy.HEAVY if first else next_strategy(reason, state.strategies)
        if strategy is ReplanStrategy.ESCALATE:
            await self._go("escalate", because)
            return self._rejected("failed", f"nothing that was tried has worked, a person is needed: {because}")
        request = await self._plan_request(strategy, reason, because)
        try:
            plan = await self._planner.plan(request)
        except ModelFault as fault:
            return self._rejected("failed", str(fault))
        subtasks = (*plan.subtasks, *request.remaining) if strategy is ReplanStrategy.LIGHT else plan.subtasks
        numbered = tuple(
            subtask.model_copy(update={"id": f"{state.plans + 1}.{number}", "status": SubtaskStatus.READY})
            for number, subtask in enumerate(subtasks, 1)
        )
        await self._log.record(
            PlanMade(
                subtasks=numbered,
                strategy=strategy,
                reason=reason,
                because=because,
                thought=plan.reason,
                usage=plan.usage,
            )
        )
        await self._go("planned")
        return await self._next()

    async def _plan_request(self, strategy: ReplanStrategy, reason: ReplanReason, because: str) -> PlanRequest:
        state = self._log.state
        return PlanRequest(
            goal=state.goal,
            strategy=strategy,
            reason=reason,
            because=because,
            observation=await self._eyes.observe(with_elements=True),
            apps=await self._device.apps(),
            capabilities=self._device.capabilities,
            roles=self._roles,
            done=state.subtasks(SubtaskStatus.FULFILLED),
            failed=state.subtasks(SubtaskStatus.REJECTED),
            # One that waits for material is still to be done.
            remaining=state.subtasks(SubtaskStatus.PENDING, SubtaskStatus.READY),
            tried=state.tried,
            history=state.history,
            reports=state.reports,
            materials=state.materials,
            notes=state.notes,
            messages=state.messages,
        )

    async def _supplement(self, when: When, need: str) -> TaskEnded | None:
        self._take_back()
        await self._go(when, need)
        try:
            materials, trouble = await self._planner.supplement(need, self._log.state.goal), ""
        except DeskhandError as fault:
            materials, trouble = (), str(fault)
        await self._log.record(Supplemented(need=need, materials=materials, trouble=trouble))
        await self._go("recorded")
        return await self._plan(ReplanReason.SUPPLEMENTED, need)

    # --- assigning ---------------------------------------------------------------------------------------

    async def _next(self) -> TaskEnded | None:
        """Give the next subtask to its worker; with none left, look at the whole."""
        ready = self._log.state.subtasks(SubtaskStatus.READY)
        checked = self._log.state.situation is Situation.QUALITY_CHECK
        if not ready:
            await self._go("gate_done_last")
            return await self._final_check()
        if checked:
            await self._go("gate_done_more")
        self._inspector.remember(await self._eyes.perception.frame())
        self._assign(ready[0])
        return None

    def _take_back(self) -> None:
        """What was given out is no longer wanted; it may still be on its way to the worker."""
        self._assigned = ""
        self._commands.post(Pause())

    def _assign(self, subtask: Subtask, *, go_on: bool = False) -> None:
        self._assigned = subtask.id
        self._commands.post(
            StartTask(
                task_id=subtask.id,
                description=subtask.title,
                done_when=subtask.done_when,
                role=subtask.role,
                go_on=go_on,
            )
        )


def _cause(fault: DeviceFault | ModelUnavailable | BudgetSpent) -> EndCause:
    return "device" if isinstance(fault, DeviceFault) else "budget" if isinstance(fault, BudgetSpent) else "model"


_ENDED = frozenset({ExecutorStatus.COMPLETED, ExecutorStatus.FAILED, ExecutorStatus.STUCK})
_WHEN: dict[GateTrigger, When] = {GateTrigger.WORKER_SUCCESS: "done", GateTrigger.WORKER_STALE: "stale"}
