"""The outer loop: plan · assign · watch · gate · replan · finish. It talks to the inner loop by commands only.

What it decides hangs on events and on pure rules over the state; it never looks into the executor.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterable
from typing import Literal

from deskhand.bus import Mailbox
from deskhand.core.commands import Command, InjectPrompt, Pause, ResetContext, Resume, StartTask
from deskhand.core.errors import BudgetSpent, DeskhandError, DeviceError, LookupFailed, ModelFault, ModelUnavailable
from deskhand.core.human import AddTodo
from deskhand.core.planning import GateDecision, GateTrigger, PlanRequest, QualityReport, ReplanReason, ReplanStrategy
from deskhand.core.protocols import Clock, Device, Planner
from deskhand.core.statuses import ExecutorStatus, Situation, SubtaskStatus, TaskStatus
from deskhand.core.subtask import Subtask, WorkerRole
from deskhand.engine.human_input import HumanInput, said_no
from deskhand.engine.observer import Observer, patiently
from deskhand.engine.outer.coaching import Coaching
from deskhand.engine.outer.event_wait import ticking
from deskhand.engine.outer.quality_gate import QualityGate
from deskhand.engine.outer.replanning import next_strategy
from deskhand.engine.outer.rules import Rule, decide
from deskhand.engine.task_log import TaskLog
from deskhand.settings.schema import Settings
from deskhand.task.events import (
    CommandTaken,
    Corrected,
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
    TodoEdited,
    UserSaid,
)
from deskhand.task.state import TaskState
from deskhand.task.transitions import When, destination


class Dispatcher:
    def __init__(
        self,
        planner: Planner,
        inspector: QualityGate,
        log: TaskLog,
        commands: Mailbox[Command],
        *,
        support: Coaching,
        people: HumanInput,
        device: Device,
        eyes: Observer,
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
        self._support = support
        self._people = people
        self._heeding: set[asyncio.Task[None]] = set()
        self._beside: asyncio.Task[None] | None = None
        # The subtask that was given out last and not given up since: only its events count, and none from before
        # the last order was taken, which may have been given for the same subtask.
        self._assigned = ""
        self._orders = 0  # on their way to the worker

    async def run(self, records: AsyncIterable[Record]) -> TaskEnded:
        """Drive the task to its end, from the events of its log."""
        try:
            end = await self._begin()
            news = ticking(records, self._log.task_id, self._settings.dispatcher.tick_ms / 1000)
            while end is None:
                event = await anext(news)
                end = await (self._tick() if event is None else self._heed(event))
            await self._support.learn()
            return end
        except (DeviceError, ModelUnavailable, BudgetSpent) as fault:
            return self._rejected(_cause(fault), str(fault))
        finally:
            beside = [*self._heeding, *([self._beside] if self._beside else [])]
            for task in beside:
                task.cancel()
            # They may be in the middle of a call, whose bill belongs into the log before the end does.
            if beside:
                await asyncio.wait(beside)

    async def _begin(self) -> TaskEnded | None:
        """A first plan, or where the log says that the work was left."""
        state = self._log.state
        if left := state.subtasks(SubtaskStatus.PENDING):
            await self._go("resumed")
            self._inspector.remember(await patiently(self._eyes.perception.frame))
            await self._assign(left[0], go_on=True)
            return None
        if state.plans and not state.wants_a_plan:
            await self._go("resumed")
            return await self._next()
        await self._go("accepted_dual", state.goal)
        return await self._plan(ReplanReason.USER_REQUEST if state.plans else ReplanReason.FIRST_PLAN, "resumed")

    async def _heed(self, event: Event) -> TaskEnded | None:
        """React to what happened; the end of the task if this ends it."""
        match event:
            case CommandTaken(command=StartTask()):
                self._orders -= 1
                return None
            case StepFinished(subtask=subtask) | ExecutorChanged(subtask=subtask) if not self._is_current(subtask):
                return None  # the end of something that was given up already
            case ExecutorChanged(cause=cause) if cause in ("steps", "time", "budget", "device", "model", "stopped"):
                return self._rejected(cause, event.reason)
            case StepFinished():
                return await self._rule()
            case ExecutorChanged(cause="done" | "failed"):
                return await self._rule(ended=True)
            case GateClosed(beside=True, subtask=subtask, report=report) if self._is_current(subtask):
                return await self._after_check_beside(report)
            case UserSaid(text=text):
                self._heeding.add(task := asyncio.create_task(self._amend(text), name="amend"))
                task.add_done_callback(self._heeding.discard)
                return None
            case TodoEdited(edits=edits):
                return await self._after_edits({edit.id for edit in edits if not isinstance(edit, AddTodo)})
            case _:
                return None

    async def _tick(self) -> TaskEnded | None:
        """Nothing happened for a while: a rule about time may have something to say."""
        state = self._log.state
        if state.executor is not ExecutorStatus.RUNNING or state.requests or not self._is_current(self._assigned):
            return None
        return await self._rule()

    def _is_current(self, subtask_id: str) -> bool:
        subtask = self._log.state.subtask
        if subtask is None or subtask_id != self._assigned or self._orders:
            return False
        return subtask.id == subtask_id and subtask.status is SubtaskStatus.PENDING

    async def _go(self, when: When, because: str = "") -> bool:
        """Whether the task has moved: while the worker waits for a person, a look or material moves nothing."""
        after: Situation | None = None

        def moved(state: TaskState) -> tuple[Event, ...]:
            nonlocal after
            after = destination(state.situation, when)
            return (SituationChanged(situation=after, because=because),) if after else ()

        await self._log.record(moved)
        return after is not None

    def _rejected(self, cause: EndCause, reason: str) -> TaskEnded:
        return TaskEnded(status=TaskStatus.REJECTED, cause=cause, reason=reason)

    # --- layer 1: rules ----------------------------------------------------------------------------------

    async def _rule(self, *, ended: bool = False) -> TaskEnded | None:
        """`ended`: the worker has come to its end, so nothing goes on while this is decided."""
        ruling = decide(self._log.state, self._clock.wall(), self._settings.rules, self._rules)
        if ruling.outcome == "CONTINUE":
            return None
        await self._log.record(Ruled(ruling=ruling))
        match ruling.outcome:
            case "QUALITY_CHECK" | "SUPPLEMENT" if self._log.state.situation is Situation.WAIT_USER:
                # A person was asked, which no look and no material can stand in for; how it ended is on its way here.
                return await self._call_person(self._log.state.executor_reason) if ended else None
            case "QUALITY_CHECK":
                return await self._check(ruling.trigger or GateTrigger.PERIODIC_CHECK, ended=ended)
            case "REPLAN":
                failed = self._log.state.executor is ExecutorStatus.FAILED
                reason = ReplanReason.WORKER_FAILED if failed else ReplanReason.REPEATED_FAILURE
                return await self._replan("fail" if failed else "replan", reason, ruling.reason)
            case "SUPPLEMENT":
                return await self._supplement("supplement", ruling.reason)
            case "USER_INTERVENTION":
                return await self._call_person(ruling.reason)

    # --- layer 2: gates ----------------------------------------------------------------------------------

    async def _check(self, trigger: GateTrigger, *, ended: bool) -> TaskEnded | None:
        """What the worker asked for is waited for; every other check runs beside the work, while there is any."""
        if ended or trigger in _WHEN:
            await self._go(_WHEN.get(trigger, "checked"))
            return await self._judged(await self._inspector.check(trigger, beside=False))
        if self._log.state.executor.ended:
            return None  # news of that end is on its way here, and says more
        if self._beside is None or self._beside.done():
            self._beside = asyncio.create_task(self._look_beside(trigger))
        return None

    async def _look_beside(self, trigger: GateTrigger) -> None:
        """Its report comes back as an event, like everything else."""
        # A device that can't be looked at is the worker's trouble as well, and it has a way to say so.
        with contextlib.suppress(DeviceError):
            await self._inspector.check(trigger, beside=True)

    async def _after_check_beside(self, report: QualityReport) -> TaskEnded | None:
        if self._log.state.situation not in _INNER or self._log.state.executor.ended:
            return None  # something weightier is being decided, or a person is asked, or the worker's end says more
        if report.decision is GateDecision.CONTINUE:
            if report.recommendation == "ADJUST" and report.trigger in _STUCK:
                return await self._unstick(report)
            if report.recommendation == "ADJUST" and report.suggestions:
                self._commands.post(InjectPrompt(content=" ".join(report.suggestions)))
            return None
        if not await self._go("checked", report.reason):
            return None
        self._commands.post(Pause(by="planner"))
        return await self._judged(report)

    async def _judged(self, report: QualityReport) -> TaskEnded | None:
        match report.decision:
            case GateDecision.DONE:
                subtask = self._log.state.subtask
                assert subtask, "a gate closes on a subtask"
                await self._subtask_ended(subtask, SubtaskStatus.FULFILLED, report.reason)
                return await self._next()
            case GateDecision.FAIL:
                return await self._replan("gate_fail", ReplanReason.GATE_FAILED, report.reason)
            case GateDecision.SUPPLEMENT:
                return await self._supplement("gate_supplement", report.reason)
            case GateDecision.CONTINUE:
                await self._go("gate_continue", report.reason)
                if report.trigger in _STUCK:
                    return await self._unstick(report)
                for suggestion in report.suggestions:
                    self._commands.post(InjectPrompt(content=suggestion))
                assert self._log.state.subtask
                await self._assign(self._log.state.subtask, go_on=True)
                return None

    async def _subtask_ended(
        self, subtask: Subtask, status: Literal[SubtaskStatus.FULFILLED, SubtaskStatus.REJECTED], reason: str
    ) -> None:
        self._support.note(subtask, success=status is SubtaskStatus.FULFILLED, reason=reason)
        await self._log.record(SubtaskEnded(id=subtask.id, status=status, reason=reason))

    async def _final_check(self) -> TaskEnded | None:
        report = await self._inspector.check(GateTrigger.FINAL_CHECK, beside=False)
        if report.decision is GateDecision.DONE:
            if await self._ready():  # the person thought of something while it was checked
                await self._go("more")
                return await self._next()
            return TaskEnded(status=TaskStatus.FULFILLED, cause="done", reason=self._claims() or report.reason)
        await self._go("issues", report.reason)
        return await self._plan(ReplanReason.FINAL_CHECK_FAILED, report.reason)

    def _claims(self) -> str:
        """What the workers said when they were done, one after the other."""
        said = (report.message for report in self._log.state.history if report.message and report.done)
        return " ".join(dict.fromkeys(said))  # who was sent back, or taken up again, says it twice

    # --- layer 3: planning -------------------------------------------------------------------------------

    async def _replan(self, when: When, reason: ReplanReason, because: str) -> TaskEnded | None:
        self._take_back()
        subtask = self._log.state.subtask
        if subtask:
            await self._subtask_ended(subtask, SubtaskStatus.REJECTED, because)
        await self._go(when, because)
        return await self._plan(reason, because)

    async def _plan(self, reason: ReplanReason, because: str) -> TaskEnded | None:
        state = self._log.state
        if state.plans - state.plans_before >= self._settings.dispatcher.max_plans:
            return self._rejected(
                "failed", f"{state.plans} plans did not lead to the goal; the last trouble: {because}"
            )
        first = reason is ReplanReason.FIRST_PLAN
        strategy = ReplanStrategy.HEAVY if first else next_strategy(reason, state.strategies)
        if strategy is ReplanStrategy.ESCALATE:
            return await self._escalate(because)
        request = await self._plan_request(strategy, reason, because)
        try:
            plan = await self._planner.plan(request)
        except ModelFault as fault:
            return self._rejected("failed", str(fault))
        known = {subtask.id for subtask in request.remaining}
        wished = tuple(s for s in self._log.state.subtasks(SubtaskStatus.READY) if s.id not in known)
        kept = request.remaining if strategy is ReplanStrategy.LIGHT else ()
        subtasks = (*plan.subtasks, *kept, *wished)  # `wished`: added by the person while this was planned
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
            observation=await patiently(lambda: self._eyes.observe(with_elements=True)),
            apps=await patiently(self._device.apps),
            capabilities=self._device.capabilities,
            roles=self._roles,
            done=state.subtasks(SubtaskStatus.FULFILLED),
            failed=state.subtasks(SubtaskStatus.REJECTED),
            # One that waits for material is still to be done.
            remaining=state.subtasks(SubtaskStatus.PENDING, SubtaskStatus.READY),
            tried=state.tried,
            history=state.history[-self._settings.dispatcher.feedback :],
            reports=state.reports,
            materials=state.materials,
            notes=state.notes,
            messages=state.messages,
            said=state.said,
        )

    async def _supplement(self, when: When, need: str) -> TaskEnded | None:
        if not await self._go(when, need):
            return None
        self._take_back()
        try:
            materials, trouble = await self._planner.supplement(need, self._log.state.goal), ""
        except DeskhandError as fault:
            materials, trouble = fault.found if isinstance(fault, LookupFailed) else (), str(fault)
        await self._log.record(Supplemented(need=need, materials=materials, trouble=trouble))
        await self._go("recorded")
        return await self._plan(ReplanReason.SUPPLEMENTED, need)

    # --- people ------------------------------------------------------------------------------------------

    async def _amend(self, said: str) -> None:
        """Beside everything else: a slow planner keeps nobody waiting. What came of it is an event."""
        amendment = await self._support.amendment(said, self._roles)
        if amendment.message:
            self._commands.post(InjectPrompt(content=amendment.message))
        await self._log.record(TodoEdited(edits=amendment.edits, understood=amendment.understood))

    async def _after_edits(self, touched: set[str]) -> TaskEnded | None:
        """Only what is under way needs more than the new list."""
        if self._assigned not in touched or self._log.state.situation not in _INNER | {Situation.WAIT_USER}:
            return None
        current = [s for s in self._log.state.plan if s.id == self._assigned]
        if current:
            await self._assign(current[0])
            return None
        self._take_back()
        return await self._next()

    async def _call_person(self, reason: str) -> TaskEnded | None:
        if not self._people.attended:
            if self._log.state.situation is not Situation.WAIT_USER:
                await self._go("ask", reason)
            return self._rejected("failed", f"a person is needed: {reason}")
        self._commands.post(Pause(by="planner"))
        reply = await self._people.ask("question", reason, asker="planner")
        if reply.verdict == "no":
            return await self._replan("refused", ReplanReason.USER_REQUEST, said_no(reply, reason))
        if reply.text:
            self._commands.post(InjectPrompt(content=f'The person was asked "{reason}" and answered: {reply.text}'))
        self._commands.post(Resume(by="planner"))
        # Nobody goes on by itself behind an end: what follows from that is still to be decided.
        return await self._rule(ended=True) if self._log.state.executor.ended else None

    async def _escalate(self, because: str) -> TaskEnded | None:
        """Nothing that was tried has worked: the person may know another way."""
        subtask = self._log.state.subtask
        text = f"nothing that was tried has worked, a person is needed: {because}"
        await self._log.record(
            Corrected(subtask=subtask.id if subtask else "", level="person", text=text, because=because)
        )
        await self._go("escalate", because)
        if not self._people.attended:
            return self._rejected("failed", text)
        question = f"Nothing that was tried has worked: {because}"
        reply = await self._people.ask("question", question, then="advised", asker="planner")
        if reply.verdict == "no" or not reply.text:
            return self._rejected("failed", text)
        return await self._plan(ReplanReason.USER_REQUEST, reply.text)

    async def _unstick(self, report: QualityReport) -> TaskEnded | None:
        """Help a worker that gets nowhere: a hint, then a fresh start with all hints, then another plan."""
        because = report.reason
        state, subtask = self._log.state, self._log.state.subtask
        assert subtask, "only a worker with a subtask gets stuck"
        given, limit = len(state.corrections), self._settings.dispatcher.max_stuck_retries
        if given > limit:
            await self._log.record(Corrected(subtask=subtask.id, level="replan", text=because, because=because))
            return await self._replan("replan", ReplanReason.REPEATED_FAILURE, because)
        text = await self._support.correction(subtask, because, report.suggestions)
        if not self._is_current(subtask.id):
            return None  # it came to its end while help was looked for
        level: Literal["inject", "restart"] = "inject" if given < limit else "restart"
        await self._log.record(Corrected(subtask=subtask.id, level=level, text=text, because=because))
        if level == "restart":
            self._commands.post(ResetContext())
            await self._assign(subtask)
            return None
        self._commands.post(InjectPrompt(content=text))
        if self._log.state.executor.ended:
            await self._assign(subtask, go_on=True)
        return None

    # --- assigning ---------------------------------------------------------------------------------------

    async def _ready(self) -> tuple[Subtask, ...]:
        """What is left to do, when all that the person said has been heeded."""
        if self._heeding and not self._log.state.subtasks(SubtaskStatus.READY):
            await asyncio.wait(self._heeding)
        return self._log.state.subtasks(SubtaskStatus.READY)

    async def _next(self) -> TaskEnded | None:
        """Give the next subtask to its worker; with none left, look at the whole."""
        ready = await self._ready()
        checked = self._log.state.situation is Situation.QUALITY_CHECK
        if not ready:
            await self._go("gate_done_last" if checked else "dropped_last")
            return await self._final_check()
        if checked:
            await self._go("gate_done_more")
        self._inspector.remember(await patiently(self._eyes.perception.frame))
        await self._assign(ready[0])
        return None

    def _take_back(self) -> None:
        """What was given out is no longer wanted; it may still be on its way to the worker."""
        self._assigned = ""
        self._commands.post(Pause(by="planner"))

    async def _assign(self, subtask: Subtask, *, go_on: bool = False) -> None:
        # Who goes on has been told it already.
        prompt = "" if go_on else await self._support.prompt(subtask)
        self._assigned = subtask.id
        self._orders += 1
        self._commands.post(
            StartTask(
                task_id=subtask.id,
                description=subtask.title,
                system_prompt=prompt,
                done_when=subtask.done_when,
                role=subtask.role,
                task_type=subtask.task_type,
                go_on=go_on,
            )
        )


def _cause(fault: DeviceError | ModelUnavailable | BudgetSpent) -> EndCause:
    return "device" if isinstance(fault, DeviceError) else "budget" if isinstance(fault, BudgetSpent) else "model"


_INNER = frozenset({Situation.GET_ACTION, Situation.EXECUTE_ACTION, Situation.SETTLE})
# What these tell is that the worker gets nowhere.
_STUCK = frozenset({GateTrigger.WORKER_STALE, GateTrigger.REPEATED_ACTION, GateTrigger.NO_PROGRESS})
_WHEN: dict[GateTrigger, When] = {GateTrigger.WORKER_SUCCESS: "done", GateTrigger.WORKER_STALE: "stale"}
