"""The outer loop: plan · assign · watch · gate · replan · finish. It talks to the inner loop by commands only.

What it decides hangs on events and on pure rules over the state; it never looks into the executor.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterable
from typing import Literal

from deskhand.bus import Mailbox
from deskhand.core.commands import Command, InjectPrompt, Pause, ResetContext, Resume, StartTask
from deskhand.core.errors import BudgetSpent, DeviceError, ModelFault, ModelUnavailable
from deskhand.core.human import AddTodo
from deskhand.core.planning import GateDecision, GateTrigger, QualityReport, ReplanReason, ReplanStrategy
from deskhand.core.statuses import ExecutorStatus, Situation, SubtaskStatus, TaskStatus
from deskhand.core.subtask import Subtask, WorkerRole
from deskhand.engine.context import TaskContext
from deskhand.engine.human_input import explain_refusal
from deskhand.engine.observer import look_patiently
from deskhand.engine.outer.assignments import Assignments
from deskhand.engine.outer.coaching import Coaching
from deskhand.engine.outer.event_wait import watch_events
from deskhand.engine.outer.plan_maker import PlanMaker
from deskhand.engine.outer.quality_gate import QualityGate
from deskhand.engine.outer.replanning import next_strategy
from deskhand.engine.outer.rules import decide
from deskhand.engine.parts import OuterRoles
from deskhand.task.events import (
    CommandTaken,
    Corrected,
    EndCause,
    Event,
    ExecutorChanged,
    GateClosed,
    Record,
    Ruled,
    SituationChanged,
    StepFinished,
    SubtaskEnded,
    TaskEnded,
    TodoEdited,
    UserSaid,
)
from deskhand.task.state import TaskState
from deskhand.task.transitions import TABLE, When


class Dispatcher:
    """`roles`: the worker roles that the planner may use."""

    def __init__(
        self, context: TaskContext, outer: OuterRoles, commands: Mailbox[Command], roles: tuple[WorkerRole, ...]
    ) -> None:
        self._context = context
        self._log = context.log
        self._human = context.human
        self._settings = context.settings
        self._commands = commands
        self._rules = outer.rules
        self._roles = roles
        self._gate = QualityGate(context, outer)
        self._coaching = Coaching(context, outer.coach, outer.memory)
        self._plan_maker = PlanMaker(context, outer.planner, roles)
        self._assignments = Assignments(context.log, commands, self._coaching, context.clock)
        self._amending: set[asyncio.Task[None]] = set()
        self._beside: asyncio.Task[None] | None = None

    async def run(self, records: AsyncIterable[Record]) -> TaskEnded:
        """Drive the task to its end, from the events of its log."""
        try:
            end = await self._begin_work()
            news = watch_events(records, self._log.task_id, self._settings.dispatcher.tick_ms / 1000)
            while end is None:
                event = await anext(news)
                end = await (self._check_time() if event is None else self._react_to_event(event))
            await self._coaching.learn_from_ends()
            return end
        except (DeviceError, ModelUnavailable, BudgetSpent) as fault:
            return _reject_task(_cause_of(fault), str(fault))
        finally:
            beside = [*self._amending, *([self._beside] if self._beside else [])]
            for task in beside:
                task.cancel()
            # They may be in the middle of a call, whose bill belongs into the log before the end does.
            if beside:
                await asyncio.wait(beside)

    async def _begin_work(self) -> TaskEnded | None:
        """Make a first plan, or go on where the log says that the work was left."""
        state = self._log.state
        if left := state.subtasks_with(SubtaskStatus.PENDING):
            await self._move_situation("resumed")
            self._gate.remember_start(await look_patiently(self._context.observer.perception.frame))
            await self._assignments.assign_subtask(left[0], go_on=True)
            return None
        if state.plans and not state.wants_a_plan:
            await self._move_situation("resumed")
            return await self._start_next_subtask()
        await self._move_situation("accepted_dual", state.goal)
        if state.plans:
            return await self._make_plan(ReplanReason.USER_REQUEST, "resumed")
        return await self._make_plan(ReplanReason.FIRST_PLAN, "")

    async def _react_to_event(self, event: Event) -> TaskEnded | None:
        """React to what happened; return the end of the task if this ends it."""
        assigned = self._assignments
        match event:
            case CommandTaken(command=StartTask()):
                assigned.note_order_taken()
                return None
            case StepFinished(subtask=subtask) | ExecutorChanged(subtask=subtask) if not assigned.is_current(subtask):
                return None  # the end of something that was given up already
            case ExecutorChanged(cause=cause) if cause in ("steps", "time", "budget", "device", "model", "stopped"):
                return _reject_task(cause, event.reason)
            case StepFinished():
                return await self._apply_rules()
            case ExecutorChanged(cause="done" | "failed"):
                return await self._apply_rules(ended=True)
            case GateClosed(beside=True, subtask=subtask, report=report) if assigned.is_current(subtask):
                return await self._react_to_side_check(report)
            case UserSaid(text=text):
                self._amending.add(task := asyncio.create_task(self._amend_todo(text), name="amend"))
                task.add_done_callback(self._amending.discard)
                return None
            case TodoEdited(edits=edits):
                return await self._react_to_edits({edit.id for edit in edits if not isinstance(edit, AddTodo)})
            case _:
                return None

    async def _check_time(self) -> TaskEnded | None:
        """Nothing happened for a while: a rule about time may have something to say."""
        state = self._log.state
        if (
            state.executor is not ExecutorStatus.RUNNING
            or state.requests
            or not self._assignments.is_current(self._assignments.current_id)
        ):
            return None
        return await self._apply_rules()

    async def _move_situation(self, when: When, because: str = "") -> bool:
        """Return True if the task has moved: while the worker waits for the user, a look or material moves nothing."""
        moves = False

        def choose_event(state: TaskState) -> tuple[Event, ...]:
            nonlocal moves
            after = TABLE[state.situation, when]
            moves = after is not state.situation
            return (SituationChanged(situation=after, because=because),) if moves else ()

        await self._log.record(choose_event)
        return moves

    # --- layer 1: rules ----------------------------------------------------------------------------------

    async def _apply_rules(self, *, ended: bool = False) -> TaskEnded | None:
        """`ended`: the worker has come to its end, so nothing goes on while this is decided."""
        ruling = decide(self._log.state, self._assignments.seconds, self._settings.rules, self._rules)
        if ruling.outcome == "CONTINUE":
            return None
        await self._log.record(Ruled(ruling=ruling))
        match ruling.outcome:
            case "QUALITY_CHECK" | "SUPPLEMENT" if self._log.state.situation is Situation.WAIT_USER:
                # The user was asked, and no look or material can replace the answer; its end is on its way here.
                return await self._call_user(self._log.state.executor_reason) if ended else None
            case "QUALITY_CHECK":
                return await self._check_quality(ruling.trigger or GateTrigger.PERIODIC_CHECK, ended=ended)
            case "REPLAN":
                failed = self._log.state.executor is ExecutorStatus.FAILED
                reason = ReplanReason.WORKER_FAILED if failed else ReplanReason.REPEATED_FAILURE
                return await self._replace_plan("fail" if failed else "replan", reason, ruling.reason)
            case "SUPPLEMENT":
                return await self._collect_material("supplement", ruling.reason)
            case "USER_INTERVENTION":
                return await self._call_user(ruling.reason)

    # --- layer 2: gates ----------------------------------------------------------------------------------

    async def _check_quality(self, trigger: GateTrigger, *, ended: bool) -> TaskEnded | None:
        """Wait for a check that the worker asked for; run every other one beside the work, while there is any."""
        if ended or trigger in _WHEN:
            await self._move_situation(_WHEN.get(trigger, "checked"))
            return await self._act_on_report(
                await self._gate.check_work(trigger, self._assignments.seconds, beside=False)
            )
        if self._log.state.executor.ended:
            return None  # news of that end is on its way here, and says more
        if self._beside is None or self._beside.done():
            self._beside = asyncio.create_task(self._check_beside_work(trigger))
        return None

    async def _check_beside_work(self, trigger: GateTrigger) -> None:
        """Check beside the work; the report comes back as an event, like everything else."""
        # A device that can't be looked at is the worker's trouble as well, and it has a way to say so.
        with contextlib.suppress(DeviceError):
            await self._gate.check_work(trigger, self._assignments.seconds, beside=True)

    async def _react_to_side_check(self, report: QualityReport) -> TaskEnded | None:
        if self._log.state.situation not in _INNER or self._log.state.executor.ended:
            return None  # a weightier decision is under way, the user is asked, or the worker's end says more
        if report.decision is GateDecision.CONTINUE:
            if report.recommendation == "ADJUST" and report.trigger in _STUCK:
                return await self._help_stuck_worker(report)
            if report.recommendation == "ADJUST" and report.suggestions:
                self._commands.post_message(InjectPrompt(content=" ".join(report.suggestions)))
            return None
        if not await self._move_situation("checked", report.reason):
            return None
        self._commands.post_message(Pause(by="planner"))
        return await self._act_on_report(report)

    async def _act_on_report(self, report: QualityReport) -> TaskEnded | None:
        match report.decision:
            case GateDecision.DONE:
                subtask = self._log.state.subtask
                assert subtask, "a gate closes on a subtask"
                await self._end_subtask(subtask, SubtaskStatus.FULFILLED, report.reason)
                return await self._start_next_subtask()
            case GateDecision.FAIL:
                return await self._replace_plan("gate_fail", ReplanReason.GATE_FAILED, report.reason)
            case GateDecision.SUPPLEMENT:
                return await self._collect_material("gate_supplement", report.reason)
            case GateDecision.CONTINUE:
                await self._move_situation("gate_continue", report.reason)
                if report.trigger in _STUCK:
                    return await self._help_stuck_worker(report)
                for suggestion in report.suggestions:
                    self._commands.post_message(InjectPrompt(content=suggestion))
                assert self._log.state.subtask
                await self._assignments.assign_subtask(self._log.state.subtask, go_on=True)
                return None

    async def _end_subtask(
        self, subtask: Subtask, status: Literal[SubtaskStatus.FULFILLED, SubtaskStatus.REJECTED], reason: str
    ) -> None:
        self._coaching.note_end(subtask, success=status is SubtaskStatus.FULFILLED, reason=reason)
        await self._log.record(SubtaskEnded(id=subtask.id, status=status, reason=reason))

    async def _check_whole_task(self) -> TaskEnded | None:
        report = await self._gate.check_work(GateTrigger.FINAL_CHECK, self._assignments.seconds, beside=False)
        if report.decision is GateDecision.DONE:
            if await self._find_ready_subtasks():  # the user thought of something while it was checked
                await self._move_situation("more")
                return await self._start_next_subtask()
            return TaskEnded(status=TaskStatus.FULFILLED, cause="done", reason=self._join_claims() or report.reason)
        await self._move_situation("issues", report.reason)
        return await self._make_plan(ReplanReason.FINAL_CHECK_FAILED, report.reason)

    def _join_claims(self) -> str:
        """Join what the workers said when they were done."""
        said = (report.message for report in self._log.state.history if report.message and report.done)
        return " ".join(dict.fromkeys(said))  # who was sent back, or taken up again, says it twice

    # --- layer 3: planning -------------------------------------------------------------------------------

    async def _replace_plan(self, when: When, reason: ReplanReason, because: str) -> TaskEnded | None:
        self._assignments.take_back()
        subtask = self._log.state.subtask
        if subtask:
            await self._end_subtask(subtask, SubtaskStatus.REJECTED, because)
        await self._move_situation(when, because)
        return await self._make_plan(reason, because)

    async def _make_plan(self, reason: ReplanReason, because: str) -> TaskEnded | None:
        state = self._log.state
        if state.plans - state.plans_before >= self._settings.dispatcher.max_plans:
            return _reject_task("failed", f"{state.plans} plans did not lead to the goal; the last trouble: {because}")
        first = reason is ReplanReason.FIRST_PLAN
        strategy = ReplanStrategy.HEAVY if first else next_strategy(reason, state.strategies)
        if strategy is ReplanStrategy.ESCALATE:
            return await self._ask_for_advice(because)
        try:
            await self._plan_maker.make_plan(strategy, reason, because)
        except ModelFault as fault:
            return _reject_task("failed", str(fault))
        await self._move_situation("planned")
        return await self._start_next_subtask()

    async def _collect_material(self, when: When, need: str) -> TaskEnded | None:
        if not await self._move_situation(when, need):
            return None
        self._assignments.take_back()
        await self._plan_maker.collect_material(need)
        await self._move_situation("recorded")
        return await self._make_plan(ReplanReason.SUPPLEMENTED, need)

    # --- the user ------------------------------------------------------------------------------------------

    async def _amend_todo(self, said: str) -> None:
        """Run beside everything else, so that a slow coach keeps nobody waiting. The result is an event."""
        amendment = await self._coaching.amend_todo(said, self._roles)
        if amendment.message:
            self._commands.post_message(InjectPrompt(content=amendment.message))
        await self._log.record(TodoEdited(edits=amendment.edits, understood=amendment.understood))

    async def _react_to_edits(self, touched: set[str]) -> TaskEnded | None:
        """Only what is under way needs more than the new list."""
        state, current_id = self._log.state, self._assignments.current_id
        if current_id not in touched or state.situation not in _INNER | {Situation.WAIT_USER}:
            return None
        current = [s for s in state.plan if s.id == current_id]
        if current:
            await self._assignments.assign_subtask(current[0])
            return None
        self._assignments.take_back()
        return await self._start_next_subtask()

    async def _call_user(self, reason: str) -> TaskEnded | None:
        if not self._human.attended:
            if self._log.state.situation is not Situation.WAIT_USER:
                await self._move_situation("ask", reason)
            return _reject_task("failed", f"the user is needed: {reason}")
        self._commands.post_message(Pause(by="planner"))
        reply = await self._human.ask("question", reason, asker="planner")
        if reply.verdict == "no":
            return await self._replace_plan("refused", ReplanReason.USER_REQUEST, explain_refusal(reply, reason))
        if reply.text:
            self._commands.post_message(
                InjectPrompt(content=f'The user was asked "{reason}" and answered: {reply.text}')
            )
        self._commands.post_message(Resume(by="planner"))
        # Nobody goes on by itself behind an end: what follows from that is still to be decided.
        return await self._apply_rules(ended=True) if self._log.state.executor.ended else None

    async def _ask_for_advice(self, because: str) -> TaskEnded | None:
        """Ask the user for another way: nothing that was tried has worked."""
        subtask = self._log.state.subtask
        text = f"nothing that was tried has worked, the user is needed: {because}"
        await self._log.record(
            Corrected(subtask=subtask.id if subtask else "", level="person", text=text, because=because)
        )
        await self._move_situation("escalate", because)
        if not self._human.attended:
            return _reject_task("failed", text)
        question = f"Nothing that was tried has worked: {because}"
        reply = await self._human.ask("question", question, then="advised", asker="planner")
        if reply.verdict == "no" or not reply.text:
            return _reject_task("failed", text)
        return await self._make_plan(ReplanReason.USER_REQUEST, reply.text)

    async def _help_stuck_worker(self, report: QualityReport) -> TaskEnded | None:
        """Help a worker that gets nowhere: a hint, then a fresh start with all hints, then another plan."""
        because = report.reason
        state, subtask = self._log.state, self._log.state.subtask
        assert subtask, "only a worker with a subtask gets stuck"
        given, limit = len(state.corrections), self._settings.dispatcher.max_stuck_retries
        if given > limit:
            await self._log.record(Corrected(subtask=subtask.id, level="replan", text=because, because=because))
            return await self._replace_plan("replan", ReplanReason.REPEATED_FAILURE, because)
        text = await self._coaching.find_correction(subtask, because, report.suggestions)
        if not self._assignments.is_current(subtask.id):
            return None  # it came to its end while help was looked for
        level: Literal["inject", "restart"] = "inject" if given < limit else "restart"
        await self._log.record(Corrected(subtask=subtask.id, level=level, text=text, because=because))
        if level == "restart":
            self._commands.post_message(ResetContext())
            await self._assignments.assign_subtask(subtask)
            return None
        self._commands.post_message(InjectPrompt(content=text))
        if self._log.state.executor.ended:
            await self._assignments.assign_subtask(subtask, go_on=True)
        return None

    # --- assigning ---------------------------------------------------------------------------------------

    async def _find_ready_subtasks(self) -> tuple[Subtask, ...]:
        """Return what is left to do, once all that the user said is on the list."""
        if self._amending and not self._log.state.subtasks_with(SubtaskStatus.READY):
            await asyncio.wait(self._amending)
        return self._log.state.subtasks_with(SubtaskStatus.READY)

    async def _start_next_subtask(self) -> TaskEnded | None:
        """Give the next subtask to its worker; with none left, look at the whole."""
        ready = await self._find_ready_subtasks()
        checked = self._log.state.situation is Situation.QUALITY_CHECK
        if not ready:
            await self._move_situation("gate_done_last" if checked else "dropped_last")
            return await self._check_whole_task()
        if checked:
            await self._move_situation("gate_done_more")
        self._gate.remember_start(await look_patiently(self._context.observer.perception.frame))
        await self._assignments.assign_subtask(ready[0])
        return None


def _reject_task(cause: EndCause, reason: str) -> TaskEnded:
    return TaskEnded(status=TaskStatus.REJECTED, cause=cause, reason=reason)


def _cause_of(fault: DeviceError | ModelUnavailable | BudgetSpent) -> EndCause:
    return "device" if isinstance(fault, DeviceError) else "budget" if isinstance(fault, BudgetSpent) else "model"


_INNER = frozenset({Situation.GET_ACTION, Situation.EXECUTE_ACTION, Situation.SETTLE})
# What these tell is that the worker gets nowhere.
_STUCK = frozenset({GateTrigger.WORKER_STALE, GateTrigger.REPEATED_ACTION, GateTrigger.NO_PROGRESS})
_WHEN: dict[GateTrigger, When] = {GateTrigger.WORKER_SUCCESS: "done", GateTrigger.WORKER_STALE: "stale"}
