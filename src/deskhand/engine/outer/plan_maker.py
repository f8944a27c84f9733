"""Asks the planner for plans and for material, and journals what it gives. When to ask is the dispatcher's decision."""

from deskhand.core.errors import DeskhandError, LookupFailed
from deskhand.core.planning import ReplanReason, ReplanStrategy
from deskhand.core.protocols import Planner
from deskhand.core.statuses import SubtaskStatus
from deskhand.core.subtask import WorkerRole
from deskhand.engine.context import TaskContext
from deskhand.engine.observer import look_patiently
from deskhand.engine.views import make_plan_request
from deskhand.task.events import PlanMade, Supplemented


class PlanMaker:
    def __init__(self, context: TaskContext, planner: Planner, roles: tuple[WorkerRole, ...]) -> None:
        self._context = context
        self._log = context.log
        self._planner = planner
        self._roles = roles

    async def make_plan(self, strategy: ReplanStrategy, reason: ReplanReason, because: str) -> None:
        """Journal a new plan. Raises ModelFault if the planner gives none."""
        state, device, observer = self._log.state, self._context.device, self._context.observer
        request = make_plan_request(
            state,
            strategy,
            reason,
            because,
            seen=await look_patiently(lambda: observer.observe(with_elements=True)),
            apps=await look_patiently(device.apps),
            capabilities=device.capabilities,
            roles=self._roles,
            history=self._context.settings.dispatcher.feedback,
        )
        plan = await self._planner.plan(request)
        known = {subtask.id for subtask in request.remaining}
        # Added by the user while this was planned.
        added = tuple(s for s in self._log.state.subtasks_with(SubtaskStatus.READY) if s.id not in known)
        kept = request.remaining if strategy is ReplanStrategy.LIGHT else ()
        numbered = tuple(
            subtask.model_copy(update={"id": f"{state.plans + 1}.{number}", "status": SubtaskStatus.READY})
            for number, subtask in enumerate((*plan.subtasks, *kept, *added), 1)
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

    async def collect_material(self, need: str) -> None:
        """Journal what was found; trouble is journaled too, and never ends the task."""
        try:
            materials, trouble = await self._planner.supplement(need, self._log.state.goal), ""
        except DeskhandError as fault:
            materials, trouble = fault.found if isinstance(fault, LookupFailed) else (), str(fault)
        await self._log.record(Supplemented(need=need, materials=materials, trouble=trouble))
