"""Both real loops with workers, judges, planners and a person whose moves are chance: always an end, on the table."""

import asyncio
import contextlib
import random
import time
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from deskhand.bus import Bus
from deskhand.clock import SystemClock
from deskhand.core.actions import Action, ActionKind, Click, Memorize, OpenApp, TakeOver
from deskhand.core.decisions import Briefing, Decision, PlannedAction, Usage
from deskhand.core.errors import (
    ActionFailed,
    BudgetSpent,
    DeviceError,
    DeviceGone,
    DeviceTimeout,
    LookupFailed,
    ModelFault,
    ModelUnavailable,
    NoElements,
    NoPlan,
    UsageError,
)
from deskhand.core.human import (
    AddTodo,
    Amendment,
    AmendRequest,
    ChangeTodo,
    Correction,
    Lesson,
    LessonRequest,
    RemoveTodo,
    StuckRequest,
    TodoEdit,
)
from deskhand.core.planning import GateDecision, GateRequest, Material, Plan, PlanRequest, QualityReport
from deskhand.core.screen import AppInfo, Element, Frame, SettleResult
from deskhand.core.statuses import Situation, TaskStatus
from deskhand.core.subtask import Subtask
from deskhand.engine.outer.rules import DEFAULT_RULES, Rule
from deskhand.engine.parts import OuterRoles, TaskParts
from deskhand.engine.run import Task
from deskhand.roles.offline.evaluator import OfflineEvaluator
from deskhand.screen.diff import change_between
from deskhand.settings.schema import DispatcherSettings, ExecutorSettings, RuleSettings, Settings
from deskhand.task.events import Event, Record, TaskSummary, TodoEdited, UserReplied
from deskhand.task.fold import fold, fold_all
from deskhand.task.state import TaskState
from deskhand.task.transitions import TABLE

MAX_STEPS, MAX_PLANS = 25, 5


class Memory:
    """A journal that forgets when the test is over."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.records: list[Record] = []

    async def append(self, task_id: str, events: Sequence[Event]) -> list[Record]:
        for _ in range(self._chance.choice((1, 1, 2, 7))):  # now and then others come in between
            await asyncio.sleep(0)
        start, now = len(self.records) + 1, time.time()
        new = [Record(seq=n, task_id=task_id, at=now, event=event) for n, event in enumerate(events, start)]
        self.records += new
        return new

    async def read(self, task_id: str, after: int = 0) -> list[Record]:
        return self.records[after:]

    async def runs(self, limit: int = 50) -> list[TaskSummary]:
        return []

    async def keep_frame(self, frame: Frame) -> str:
        return "frame"

    async def load_frame(self, name: str) -> bytes | None:
        return None

    async def close(self) -> None: ...


class ChanceDevice:
    """Sometimes it does what it is told, sometimes not; sometimes its picture changes."""

    id = "chance"
    capabilities: frozenset[ActionKind] = frozenset({"click", "open_app"})

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._shade = 0

    async def frame(self) -> Frame:
        await self._trouble()
        return Frame(np.full((80, 80, 4), self._shade % 250, np.uint8))

    async def elements(self) -> tuple[Element, ...]:
        if self._chance.random() < 0.1:
            raise NoElements("never idle")
        return ()

    async def app(self) -> AppInfo:
        return AppInfo("App")

    async def apps(self) -> tuple[str, ...]:
        return ("App",)

    async def act(self, action: Action) -> str:
        await self._trouble()
        if self._chance.random() < 0.2:
            raise ActionFailed("it did not work")
        self._shade += self._chance.choice((0, 1))
        return ""

    def changes(self) -> None:
        return None

    async def close(self) -> None: ...

    async def _trouble(self) -> None:
        await asyncio.sleep(0)
        luck = self._chance.random()
        if luck < 0.003:
            raise DeviceGone("it was unplugged")
        if luck < 0.02:
            raise DeviceTimeout("no answer")


class ChanceWorker:
    needs_elements = False

    def __init__(self, chance: random.Random, *, attended: bool) -> None:
        self._chance = chance
        self._wants_a_person = (4, 5, 2) if attended else (1, 0, 0)

    async def decide(self, briefing: Briefing) -> Decision:
        for _ in range(self._chance.choice((1, 1, 2, 7))):
            await asyncio.sleep(0)
        said = self._chance.choices(
            ["act", "same", "note", "open", "done", "stale", "fail", "supplement", "nonsense", "dead", "broke",
             "ask", "risky", "hand"],
            [20, 10, 5, 5, 12, 6, 6, 4, 6, 0.5, 0.5, *self._wants_a_person],
        )[0]  # fmt: skip
        if said in ("done", "stale", "fail", "supplement", "ask"):
            return Decision(kind=said, message=said, usage=Usage(calls=1))  # pyright: ignore[reportArgumentType]
        if said == "nonsense":
            raise ModelFault("no JSON")
        if said == "dead":
            raise ModelUnavailable("no answer")
        if said == "broke":
            raise BudgetSpent("no money")
        action: Action = Click(x=1, y=1)
        if said == "act":
            action = Click(x=self._chance.randrange(80), y=self._chance.randrange(99))
        elif said == "note":
            action = Memorize(text="x")
        elif said == "open":
            action = OpenApp(name="App")
        elif said == "hand":
            action = TakeOver(reason="the code, please")
        planned = PlannedAction(action=action, sensitive="who knows" if said == "risky" else "")
        return Decision(kind="actions", actions=(planned,) * self._chance.randint(1, 3))


class ChanceJudge:
    needs_elements = True

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    async def check(self, request: GateRequest) -> QualityReport:
        await asyncio.sleep(self._chance.choice((0, 0, 0.01)))
        if self._chance.random() < 0.1:
            raise self._chance.choice((ModelFault("no"), ModelUnavailable("no"), BudgetSpent("no")))
        return QualityReport(
            trigger=request.trigger,
            depth=request.depth,
            status="GOOD",
            recommendation=self._chance.choice(("CONTINUE", "ADJUST", "REPLAN")),
            decision=self._chance.choice(list(GateDecision)),
            reason="by chance",
            suggestions=("another way",) * self._chance.randint(0, 2),
            by="model",
        )


class ChancePlanner:
    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    async def plan(self, request: PlanRequest) -> Plan:
        await asyncio.sleep(0)
        luck = self._chance.random()
        if luck < 0.06:
            raise self._chance.choice((NoPlan("no way"), ModelUnavailable("no"), BudgetSpent("no money")))
        parts = self._chance.randint(1, 3)
        return Plan(subtasks=tuple(Subtask(id="", title=f"part {n}") for n in range(parts)))

    async def supplement(self, need: str, goal: str) -> tuple[Material, ...]:
        if self._chance.random() < 0.3:
            raise LookupFailed("the source is closed")
        return (Material(source="s", title="t", text="x"),) * self._chance.randint(0, 1)


class ChanceCoach:
    """Makes of a person's words whatever comes to its mind."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    async def amend(self, request: AmendRequest) -> Amendment:
        for _ in range(self._chance.choice((0, 1, 9))):
            await asyncio.sleep(0)
        one = self._chance.choice((request.current, *request.todo))
        edits: list[TodoEdit] = [AddTodo(title="more")]
        if one:
            edits += [AddTodo(title="more", after=one.id), ChangeTodo(id=one.id, title="other"), RemoveTodo(id=one.id)]
        return Amendment(edits=tuple(self._chance.sample(edits, self._chance.randint(0, 1))), message="psst")

    async def correct(self, request: StuckRequest) -> Correction:
        if self._chance.random() < 0.3:
            raise ModelFault("no idea")
        return Correction(text=f"hint {self._chance.random()}")

    async def improve(self, request: LessonRequest) -> Lesson:
        return Lesson()


class ChancePerson:
    """Answers, pauses, takes over and has ever new ideas, until it has had enough: then it only lets things go on."""

    def __init__(self, chance: random.Random, run: Task) -> None:
        self._chance = chance
        self._run = run

    async def live(self) -> None:
        for _ in range(60):
            await self._move(self._chance.choices(["answer", "pause", "go on", "say", "hand"], [6, 1, 4, 1, 1])[0])
        while not self._run.state.over:
            await self._move("answer")
            await self._move("go on")

    async def _move(self, move: str) -> None:
        for _ in range(self._chance.choice((1, 2, 5, 20))):
            await asyncio.sleep(0)
        run = self._run
        with contextlib.suppress(UsageError, DeviceError):  # too late, or out of turn
            match move:
                case "answer" if run.state.requests:
                    request = self._chance.choice(run.state.requests)
                    run.answer(request.id, self._chance.choice(("yes", "yes", "no")), self._chance.choice(("", "so")))
                case "pause":
                    await run.pause()
                case "go on":
                    run.resume()
                case "say":
                    await run.say("words")
                case "hand":
                    await run.take_over()
                    await run.by_hand(Click(x=1, y=1))
                    await run.hand_back()
                case _:
                    pass


class Instant:
    async def __call__(self, device: ChanceDevice, before: Frame) -> SettleResult:
        return SettleResult(still=True, waited_ms=0, frames=1, change=change_between(before, await device.frame()))

    wait_for_animation_completion = __call__


def own_rules(chance: random.Random) -> tuple[Rule, ...]:
    """A user's rules may want anything at any time."""
    outcome = chance.choice(("SUPPLEMENT", "USER_INTERVENTION", "REPLAN", "QUALITY_CHECK"))
    step = chance.randint(1, 8)
    own = Rule("own", lambda now: now.state.step == step, outcome, chance.choice((1, 300)), lambda _: "mine", every=3)
    return (*DEFAULT_RULES, own)


async def walk(seed: int, *, attended: bool) -> tuple[TaskState, list[Record]]:
    chance = random.Random(seed)
    journal = Memory(chance)
    settings = Settings(
        executor=ExecutorSettings(max_steps=MAX_STEPS),
        dispatcher=DispatcherSettings(max_plans=MAX_PLANS),
        rules=RuleSettings(check_every=chance.randint(1, 5)),
        time_limit_s=60,
    )
    crew = TaskParts(
        device=ChanceDevice(chance),
        workers={"operator": ChanceWorker(chance, attended=attended)},
        worker_name="chance",
        journal=journal,
        bus=Bus(),
        clock=SystemClock(),
        settle=Instant(),  # pyright: ignore[reportArgumentType] made for this device alone
        settings=settings,
        outer=OuterRoles(
            ChancePlanner(chance), ChanceJudge(chance), OfflineEvaluator(), lambda _: chance.random() < 0.8,
            coach=ChanceCoach(chance) if attended else None, rules=own_rules(chance),
        ),
    )  # fmt: skip
    run = Task("whatever happens", crew, attended=attended)
    await run.start()
    async with asyncio.timeout(20):
        if attended:
            await ChancePerson(chance, run).live()
        return await run.wait(), journal.records


@pytest.mark.parametrize("attended", [False, True])
@pytest.mark.parametrize("block", range(3))
async def test_whatever_happens_a_task_ends_for_a_reason_and_on_the_table(block: int, attended: bool) -> None:
    allowed = {(start, end) for (start, _), end in TABLE.items()}
    for seed in range(block * 20, block * 20 + 20):
        ended, records = await walk(seed, attended=attended)
        assert ended.over, seed
        assert ended.situation is Situation.DONE
        assert ended.reason, seed
        assert ended.cause in ("done", "failed", "steps", "budget", "device", "model"), (seed, ended.reason)
        assert (ended.cause == "done") is (ended.status is TaskStatus.FULFILLED), seed
        assert ended.step <= MAX_STEPS
        assert ended.plans <= MAX_PLANS
        state, situations = TaskState(), [Situation.INIT]
        for record in records:
            state = fold(state, record)
            if state.situation is not situations[-1]:
                situations.append(state.situation)
        assert [step for step in pairwise(situations) if step not in allowed] == [], seed
        said = sum(isinstance(record.event, UserReplied | TodoEdited) for record in records)
        assert len(situations) <= 6 * (ended.step + ended.plans + 1 + said), f"seed {seed} goes round for nothing"
        assert not (ended.requests and ended.cause == "done"), seed
        assert fold_all(records) == ended, "nothing is state unless an event says so"
