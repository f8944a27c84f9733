"""Layer 2 of decision: the quality gate. Chooses how deep to look by what it may cost, and never skips a check."""

from collections.abc import Callable

from deskhand.core.decisions import Usage
from deskhand.core.errors import BudgetSpent, ModelFault, ModelUnavailable
from deskhand.core.planning import ALLOWED, Depth, GateDecision, GateRequest, GateTrigger, QualityReport
from deskhand.core.protocols import Clock, Judge
from deskhand.core.screen import Frame
from deskhand.core.statuses import SubtaskStatus
from deskhand.engine.observer import Observer, patiently
from deskhand.engine.task_log import TaskLog
from deskhand.screen.diff import changed_fraction
from deskhand.settings.schema import GateSettings
from deskhand.task.events import GateClosed, GateOpened
from deskhand.task.state import TaskState

_CRITICAL = frozenset({GateTrigger.REPEATED_ACTION, GateTrigger.NO_PROGRESS, GateTrigger.WORKER_STALE})
_DEEPEST_FIRST: dict[Depth, tuple[Depth, ...]] = {
    "low": ("low",),
    "medium": ("medium", "low"),
    "high": ("high", "medium", "low"),
}


class QualityGate:
    """One judge, a cheaper one to fall back on, and the money question between them."""

    def __init__(
        self,
        judge: Judge,
        fallback: Judge,
        log: TaskLog,
        eyes: Observer,
        settings: GateSettings,
        can_afford: Callable[[Depth], bool],
        clock: Clock,
    ) -> None:
        self._judge = judge
        self._fallback = fallback
        self._log = log
        self._eyes = eyes
        self._settings = settings
        self._can_afford = can_afford
        self._clock = clock
        self._before: Frame | None = None

    def remember(self, frame: Frame) -> None:
        """The screen as the subtask begins: what later pictures are compared with."""
        self._before = frame

    async def check(self, trigger: GateTrigger, *, beside: bool) -> QualityReport:
        state = self._log.state
        subtask = state.subtask.id if state.subtask else ""
        depth = choose_depth(trigger, state, self._settings, self._can_afford)
        await self._log.record(GateOpened(subtask=subtask, trigger=trigger, depth=depth, beside=beside))
        judge = self._fallback if depth == "low" else self._judge
        report = await self._asked(judge, trigger, depth)
        await self._log.record(GateClosed(subtask=subtask, beside=beside, report=report))
        return report

    async def _asked(self, judge: Judge, trigger: GateTrigger, depth: Depth) -> QualityReport:
        request = await self._request(trigger, depth, judge.needs_elements)
        spent = Usage()
        if judge is not self._fallback:
            try:
                return lawful(await judge.check(request))
            except (ModelFault, ModelUnavailable, BudgetSpent) as fault:
                # A check is never skipped: what the model can't judge now, the rules do.
                request = await self._request(trigger, "low", self._fallback.needs_elements)
                spent = fault.usage if isinstance(fault, ModelFault) else spent
        report = lawful(await self._fallback.check(request))
        return report.model_copy(update={"usage": report.usage + spent})

    async def _request(self, trigger: GateTrigger, depth: Depth, elements: bool) -> GateRequest:
        state = self._log.state
        now = await patiently(lambda: self._eyes.observe(elements))
        changed = changed_fraction(self._before, now.frame) if self._before else 1.0
        return GateRequest(
            trigger=trigger,
            depth=depth,
            goal=state.goal,
            subtask=state.subtask,
            observation=now,
            before=self._before,
            claim=state.executor_reason,
            steps=state.subtask_steps,
            error_rate=state.error_rate,
            changed=changed,
            seconds=max(0.0, self._clock.wall() - state.subtask_since) if state.subtask else 0.0,
            subtasks=state.subtasks(*SubtaskStatus),
            history=state.history,
            notes=state.notes,
            answers=state.answers,
            earlier=state.reports,
            said=state.said,
        )


def choose_depth(
    trigger: GateTrigger, state: TaskState, settings: GateSettings, can_afford: Callable[[Depth], bool]
) -> Depth:
    """Low is always there; medium when errors pile up or the worker claims success; high when it is critical.

    A depth that can't be paid for becomes the deepest one that can.
    """
    wanted: Depth = "low"
    if state.error_rate > settings.medium_error_rate or trigger is not GateTrigger.PERIODIC_CHECK:
        wanted = "medium"
    if trigger in _CRITICAL or trigger is GateTrigger.FINAL_CHECK:
        wanted = "high"
    return next(depth for depth in _DEEPEST_FIRST[wanted] if depth == "low" or can_afford(depth))


def lawful(report: QualityReport) -> QualityReport:
    """A decision that this trigger does not allow becomes the nearest one that it does: never a success."""
    allowed = ALLOWED[report.trigger]
    if report.decision in allowed:
        return report
    nearest = GateDecision.CONTINUE if GateDecision.CONTINUE in allowed else GateDecision.FAIL
    issue = f"{report.decision} is no answer to {report.trigger}"
    return report.model_copy(update={"decision": nearest, "issues": (*report.issues, issue)})
