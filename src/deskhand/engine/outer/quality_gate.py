"""Layer 2 of decision: the quality gate. It chooses how deep to look by the budget, and never skips a check."""

from collections.abc import Callable, Sequence

from deskhand.core.decisions import Usage
from deskhand.core.errors import BudgetSpent, ModelFault, ModelUnavailable
from deskhand.core.irreversible import DoneAct
from deskhand.core.planning import ALLOWED, Depth, GateDecision, GateRequest, GateTrigger, QualityReport
from deskhand.core.screen import Frame
from deskhand.engine.context import TaskContext
from deskhand.engine.observer import look_patiently
from deskhand.engine.parts import OuterRoles
from deskhand.engine.safety.once import list_doubts
from deskhand.engine.views import make_gate_request
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
    """One judge, and a fallback for when the budget or the model does not allow it."""

    def __init__(self, context: TaskContext, outer: OuterRoles) -> None:
        self._context = context
        self._log = context.log
        self._outer = outer
        self._before: Frame | None = None

    def remember_start(self, frame: Frame) -> None:
        """Keep the screen as the subtask begins: later frames are compared with it."""
        self._before = frame

    async def check_work(self, trigger: GateTrigger, seconds: float, *, beside: bool) -> QualityReport:
        """Judge the work, `seconds` after it began, and journal the report. `beside`: the worker goes on meanwhile."""
        state = self._log.state
        subtask = state.subtask.id if state.subtask else ""
        depth = choose_depth(trigger, state, self._context.settings.gates, self._outer.can_afford)
        await self._log.record(GateOpened(subtask=subtask, trigger=trigger, depth=depth, beside=beside))
        report = await self._ask_judge(trigger, depth, seconds)
        await self._log.record(GateClosed(subtask=subtask, beside=beside, report=report))
        return report

    async def _ask_judge(self, trigger: GateTrigger, depth: Depth, seconds: float) -> QualityReport:
        judge, fallback, spent = self._outer.judge, self._outer.fallback, Usage()
        doubts = list_doubts(self._log.state)
        if depth != "low" and judge is not fallback:
            request = await self._make_request(trigger, depth, seconds, judge.needs_elements)
            try:
                return make_lawful(await judge.check(request), doubts)
            except (ModelFault, ModelUnavailable, BudgetSpent) as fault:
                # A check is never skipped: what the model can't judge now, the rules do.
                depth, spent = "low", fault.usage if isinstance(fault, ModelFault) else spent
        request = await self._make_request(trigger, depth, seconds, fallback.needs_elements)
        report = make_lawful(await fallback.check(request), doubts)
        return report.model_copy(update={"usage": report.usage + spent})

    async def _make_request(self, trigger: GateTrigger, depth: Depth, seconds: float, elements: bool) -> GateRequest:
        state, observer = self._log.state, self._context.observer
        seen = await look_patiently(lambda: observer.observe(elements))
        return make_gate_request(state, trigger, depth, seen, self._before, seconds)


def choose_depth(
    trigger: GateTrigger, state: TaskState, settings: GateSettings, can_afford: Callable[[Depth], bool]
) -> Depth:
    """Return low at least; medium when errors pile up or the worker claims success; high when it is critical.

    A depth that the budget does not cover becomes the deepest one that it does.
    """
    wanted: Depth = "low"
    if state.error_rate > settings.medium_error_rate or trigger is not GateTrigger.PERIODIC_CHECK:
        wanted = "medium"
    if trigger in _CRITICAL or trigger is GateTrigger.FINAL_CHECK:
        wanted = "high"
    return next(depth for depth in _DEEPEST_FIRST[wanted] if depth == "low" or can_afford(depth))


def make_lawful(report: QualityReport, doubts: Sequence[DoneAct] = ()) -> QualityReport:
    """Replace a decision that the trigger does not allow by the nearest one that it does: never a success.

    Nor is it one while nobody knows whether something irreversible was done: the worker goes on, and settles it.
    """
    allowed = ALLOWED[report.trigger]
    if doubts and report.decision is GateDecision.DONE and GateDecision.CONTINUE in allowed:
        issue = f"It is unknown whether {doubts[0].act.what} was carried out: look, and then say that it is done."
        told = (*report.issues, issue), (*report.suggestions, issue)
        return report.model_copy(update={"decision": GateDecision.CONTINUE, "issues": told[0], "suggestions": told[1]})
    if report.decision in allowed:
        return report
    nearest = GateDecision.CONTINUE if GateDecision.CONTINUE in allowed else GateDecision.FAIL
    issue = f"{report.decision} is no answer to {report.trigger}"
    return report.model_copy(update={"decision": nearest, "issues": (*report.issues, issue)})
