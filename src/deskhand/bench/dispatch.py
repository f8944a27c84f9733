"""Measures the cost of supervision: the same task with and without checks beside the work."""

import tempfile
import time
from pathlib import Path
from statistics import median

from deskhand.bench.rows import Row
from deskhand.build import Deskhand
from deskhand.bus import Bus
from deskhand.clock import SystemClock
from deskhand.core.actions import Action, Home, OpenApp
from deskhand.core.decisions import Briefing, Decision, PlannedAction
from deskhand.core.planning import GateDecision, GateRequest, GateTrigger, Material, Plan, PlanRequest, QualityReport
from deskhand.core.protocols import Clock, Device
from deskhand.core.statuses import TaskStatus
from deskhand.core.subtask import Subtask
from deskhand.engine.outer.rules import DEFAULT_RULES, Rule
from deskhand.engine.parts import OuterRoles, TaskParts
from deskhand.engine.run import Task
from deskhand.screen.stillness.settle import VisualStability
from deskhand.settings.schema import RuleSettings, Settings
from deskhand.task.journal import SqliteJournal

STEPS = 16
ROUNDS = 3
CHECK_S = 2.0
# Checks that the worker asks for itself are part of both tasks; all the other rules only supervise it.
UNWATCHED = tuple(rule for rule in DEFAULT_RULES if rule.ends)


async def run_suite(out: Path) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), rules=RuleSettings(check_every=2))
        return await _measure_checks(settings)


class OpeningWorker:
    """Opens an app and goes home, `STEPS` times in all, then is done."""

    needs_elements = False

    async def decide(self, briefing: Briefing) -> Decision:
        if briefing.step > STEPS:
            return Decision(kind="done", message="all steps taken")
        action: Action = OpenApp(name="设置") if briefing.step % 2 else Home()
        return Decision(kind="actions", actions=(PlannedAction(action=action),))


class OnePartPlanner:
    """Plans the goal as it is."""

    async def plan(self, request: PlanRequest) -> Plan:
        return Plan(subtasks=(Subtask(id="", title=request.goal),))

    async def supplement(self, need: str, goal: str) -> tuple[Material, ...]:
        return ()


class SlowJudge:
    """Passes everything; is slow where nothing waits for it."""

    needs_elements = False

    def __init__(self, clock: Clock) -> None:
        self.finished = 0
        self._clock = clock

    async def check(self, request: GateRequest) -> QualityReport:
        awaited = request.trigger in (GateTrigger.WORKER_SUCCESS, GateTrigger.FINAL_CHECK)
        if not awaited:
            await self._clock.sleep(CHECK_S)
            self.finished += 1
        return QualityReport(
            trigger=request.trigger,
            depth=request.depth,
            status="GOOD",
            recommendation="CONTINUE",
            decision=GateDecision.DONE if awaited else GateDecision.CONTINUE,
        )


async def _measure_checks(settings: Settings) -> list[Row]:
    journal = SqliteJournal(settings.data_dir / "beside")
    judge = SlowJudge(SystemClock())
    alone: list[float] = []
    watched: list[float] = []
    async with Deskhand(settings) as hand, hand.pool.lease_device("sim:bench") as phone:
        await _time_task(phone, judge, UNWATCHED, journal, settings)  # the first task opens the app for the first time
        for _ in range(ROUNDS):
            alone.append(await _time_task(phone, judge, UNWATCHED, journal, settings))
            watched.append(await _time_task(phone, judge, DEFAULT_RULES, journal, settings))
    await journal.close()
    ratio = median(with_checks / without for with_checks, without in zip(watched, alone, strict=True))
    note = f"{STEPS} steps on the simulated phone, a judge that takes {CHECK_S:g} s"
    return [
        Row("a run with checks beside it against one without", ratio, limit=1.05, note=note),
        Row("checks that ended beside a run", judge.finished / ROUNDS, "checks", limit=1, better="more"),
        Row("a watched step on the simulated phone", median(watched) / STEPS * 1000, "ms"),
    ]


async def _time_task(
    phone: Device, judge: SlowJudge, rules: tuple[Rule, ...], journal: SqliteJournal, settings: Settings
) -> float:
    clock = SystemClock()
    settle = VisualStability(settings.settle, clock)
    outer = OuterRoles(OnePartPlanner(), judge, judge, can_afford=lambda _: True, rules=rules)
    crew = TaskParts(phone, {"operator": OpeningWorker()}, "bench", journal, Bus(), clock, settle, settings, outer)
    task = Task("measure", crew)
    begun = time.perf_counter()
    await task.start()
    state = await task.wait()
    assert state.status is TaskStatus.FULFILLED, state.reason
    return time.perf_counter() - begun
