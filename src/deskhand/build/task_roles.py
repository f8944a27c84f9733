"""Makes the roles of a task: each with its model of the settings, or offline by rules."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import cached_property
from typing import TYPE_CHECKING

from deskhand.engine.budget import Budget, Tier
from deskhand.engine.ledger import TaskLedger
from deskhand.engine.parts import OuterRoles
from deskhand.settings.schema import ModelSettings, Settings

if TYPE_CHECKING:
    from deskhand.core.protocols import Clock, Coach, Judge, Model, Planner, PromptMemory, Worker
    from deskhand.core.subtask import WorkerRole
    from deskhand.prompting.describe import ScreenPresentation
    from deskhand.research.sources import MaterialSources


class TaskRoles:
    """The roles of one task. Models are made when first needed and closed with `closing`."""

    def __init__(self, settings: Settings, clock: Clock, budget: Budget, closing: AsyncExitStack) -> None:
        self._settings = settings
        self._clock = clock
        self._budget = budget
        self._closing = closing
        self.ledger = TaskLedger()

    @property
    def name(self) -> str:
        """Name of the worker for the user: the operator's model, or `offline`."""
        operator = self._settings.models.operator
        return operator.model if operator else "offline"

    def make_workers(self) -> dict[WorkerRole, Worker]:
        """A new kind of worker is one more line here."""
        return {
            "operator": self._make_operator(),
            "technician": self._make_technician(),
            "analyst": self._make_analyst(),
        }

    def make_outer_roles(self) -> OuterRoles:
        from deskhand.roles.offline.evaluator import OfflineEvaluator

        rules = OfflineEvaluator(self._settings.rules.give_up_steps)
        judge = self._make_judge() or rules
        return OuterRoles(
            self._make_planner(),
            judge,
            rules,
            can_afford=lambda depth: self._budget.can_afford(Tier(depth)),
            coach=self._make_coach(),
            memory=self._make_memory(),
            roles=self._list_roles(),
        )

    def _list_roles(self) -> tuple[WorkerRole, ...]:
        """Return the roles that can work on this host."""
        from deskhand.sandbox.code_runner import can_run_code

        return (
            ("operator", "technician", "analyst") if can_run_code(self._settings.sandbox) else ("operator", "analyst")
        )

    def _make_model(self, role: str, section: ModelSettings | None) -> Model | None:
        if section is None:
            return None
        from deskhand.models.make_model import make_model

        model = make_model(role, self._settings, self._clock, self._budget, self.ledger)
        self._closing.push_async_callback(model.close)
        return model

    def _make_operator(self) -> Worker:
        section = self._settings.models.operator
        model = self._make_model("operator", section)
        if section is None or model is None:
            from deskhand.roles.offline.worker import OfflineWorker

            return OfflineWorker()
        from deskhand.models.make_model import make_dialect
        from deskhand.roles.operator import Operator

        dialect = make_dialect("operator", self._settings)
        return Operator(model, dialect, _make_sight(section), section.max_output_tokens)

    def _make_technician(self) -> Worker:
        section = self._settings.models.technician
        if section and (model := self._make_model("technician", section)):
            from deskhand.roles.technician import Technician

            return Technician(model, section.max_output_tokens)
        from deskhand.roles.offline.technician import OfflineTechnician

        return OfflineTechnician()

    def _make_analyst(self) -> Worker:
        section = self._settings.models.analyst
        if section and (model := self._make_model("analyst", section)):
            from deskhand.roles.analyst import Analyst

            return Analyst(model, section.max_output_tokens)
        from deskhand.roles.offline.analyst import OfflineAnalyst

        return OfflineAnalyst()

    def _make_planner(self) -> Planner:
        section = self._settings.models.manager
        if section and self._managing:
            from deskhand.roles.manager import Manager

            return Manager(self._managing, self._library, section.max_output_tokens)
        from deskhand.roles.offline.manager import OfflineManager

        return OfflineManager(self._library)

    def _make_coach(self) -> Coach:
        section = self._settings.models.manager
        if section and self._managing:
            from deskhand.roles.coach import ModelCoach

            return ModelCoach(self._managing, section.max_output_tokens)
        from deskhand.roles.offline.coach import OfflineCoach

        return OfflineCoach()

    def _make_memory(self) -> PromptMemory:
        from deskhand.task.prompt_memory import PromptMemoryFile

        return PromptMemoryFile(self._settings.prompt_memory.path or self._settings.data_dir / "prompts.json")

    def _make_judge(self) -> Judge | None:
        section = self._settings.models.evaluator
        if section and (model := self._make_model("evaluator", section)):
            from deskhand.roles.evaluator import Evaluator

            return Evaluator(model, _make_sight(section), section.max_output_tokens)
        return None

    @cached_property
    def _managing(self) -> Model | None:
        """The manager plans and coaches with one model."""
        return self._make_model("manager", self._settings.models.manager)

    @cached_property
    def _library(self) -> MaterialSources:
        from deskhand.research.sources import MaterialSources

        library = MaterialSources(self._settings.supplement)
        self._closing.push_async_callback(library.close)
        return library


def _make_sight(section: ModelSettings) -> ScreenPresentation:
    from deskhand.prompting.describe import ScreenPresentation

    return ScreenPresentation(vision=section.vision, show=section.show, picture_side=section.picture_side)
