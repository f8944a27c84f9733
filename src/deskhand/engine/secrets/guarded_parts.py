"""The parts of one task behind doors: whatever a role is shown, and what code prints, has no value of a secret."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Literal

from deskhand.core.decisions import Briefing, CodeResult, Decision
from deskhand.core.errors import ActionFailed
from deskhand.core.human import Amendment, AmendRequest, Correction, Lesson, LessonRequest, StuckRequest
from deskhand.core.planning import GateRequest, Material, Plan, PlanRequest, QualityReport
from deskhand.core.protocols import Coach, CodeRunner, Judge, Planner, Worker
from deskhand.engine.parts import OuterRoles, TaskParts
from deskhand.engine.secrets.grants import Grants
from deskhand.engine.secrets.guarded_device import GuardedDevice
from deskhand.engine.secrets.guarded_journal import GuardedJournal
from deskhand.engine.secrets.pictures import GuardedReader, PictureCover
from deskhand.engine.secrets.vault import Vault
from deskhand.settings.credentials import read_secret
from deskhand.settings.placeholders import find_secret_names, make_placeholder
from deskhand.task.events import Event


def guard_device(parts: TaskParts, vault: Vault, past: Iterable[Event] = ()) -> GuardedDevice:
    """Return the task's device behind its door. `past`: its log so far, with the secrets that the user named."""
    grants = Grants(lambda name: read_secret(name, parts.settings.secrets))
    grants.add_named_secrets(past)
    return GuardedDevice(parts.device, vault, grants)


def guard_parts(parts: TaskParts, device: GuardedDevice, vault: Vault) -> TaskParts:
    """Return the parts of a task behind doors."""
    cover = PictureCover(device, parts.reader, vault)
    return replace(
        parts,
        device=device,
        workers={role: GuardedWorker(worker, cover) for role, worker in parts.workers.items()},
        journal=GuardedJournal(parts.journal, vault, cover, device.grants),
        outer=parts.outer and _guard_outer_roles(parts.outer, vault, cover),
        reader=parts.reader and GuardedReader(parts.reader, vault),
        code=parts.code and _guard_code(parts.code, vault),
    )


class GuardedWorker:
    def __init__(self, worker: Worker, cover: PictureCover) -> None:
        self._worker = worker
        self._cover = cover

    @property
    def needs_elements(self) -> bool:
        return self._worker.needs_elements

    async def decide(self, briefing: Briefing) -> Decision:
        return await self._worker.decide(
            replace(briefing, observation=await self._cover.cover_observation(briefing.observation))
        )


class GuardedJudge:
    def __init__(self, judge: Judge, cover: PictureCover) -> None:
        self._judge = judge
        self._cover = cover

    @property
    def needs_elements(self) -> bool:
        return self._judge.needs_elements

    async def check(self, request: GateRequest) -> QualityReport:
        before = request.before and await self._cover.cover_frame(request.before)
        seen = await self._cover.cover_observation(request.observation)
        return await self._judge.check(replace(request, observation=seen, before=before))


class GuardedPlanner:
    def __init__(self, planner: Planner, vault: Vault, cover: PictureCover) -> None:
        self._planner = planner
        self._vault = vault
        self._cover = cover

    async def plan(self, request: PlanRequest) -> Plan:
        return await self._planner.plan(
            replace(request, observation=await self._cover.cover_observation(request.observation))
        )

    async def supplement(self, need: str, goal: str) -> tuple[Material, ...]:
        found = await self._planner.supplement(need, goal)
        return tuple(material.model_copy(update={"text": self._vault.scrub_text(material.text)}) for material in found)


class GuardedCoach:
    def __init__(self, coach: Coach, cover: PictureCover) -> None:
        self._coach = coach
        self._cover = cover

    async def amend(self, request: AmendRequest) -> Amendment:
        return await self._coach.amend(request)

    async def correct(self, request: StuckRequest) -> Correction:
        return await self._coach.correct(
            replace(request, observation=await self._cover.cover_observation(request.observation))
        )

    async def improve(self, request: LessonRequest) -> Lesson:
        return await self._coach.improve(request)


def _guard_outer_roles(outer: OuterRoles, vault: Vault, cover: PictureCover) -> OuterRoles:
    fallback = GuardedJudge(outer.fallback, cover)
    # Those who use them compare the two.
    judge = fallback if outer.judge is outer.fallback else GuardedJudge(outer.judge, cover)
    return replace(
        outer,
        planner=GuardedPlanner(outer.planner, vault, cover),
        judge=judge,
        fallback=fallback,
        coach=outer.coach and GuardedCoach(outer.coach, cover),
    )


def _guard_code(make: Callable[[str], CodeRunner], vault: Vault) -> Callable[[str], CodeRunner]:
    return lambda task_id: GuardedCode(make(task_id), vault)


class GuardedCode:
    """Code never gets a value: what is written with one stays on disk, and would be shown in every log."""

    def __init__(self, runner: CodeRunner, vault: Vault) -> None:
        self._runner = runner
        self._vault = vault

    async def run(self, language: Literal["bash", "python"], code: str, timeout: float | None = None) -> CodeResult:
        if names := find_secret_names(code):
            raise ActionFailed(
                f"{make_placeholder(names[0])} can only be typed into a field; code does not get its value."
            )
        result, scrub = await self._runner.run(language, code, timeout), self._vault.scrub_text
        files = tuple(
            file.model_copy(update={"name": scrub(file.name), "text": scrub(file.text)}) for file in result.files
        )
        return replace(result, output=scrub(result.output), files=files) if self._vault else result
