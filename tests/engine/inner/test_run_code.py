"""Code as an action: run for the technician in a real sandbox, told as a detail, kept as events."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deskhand.bus import Bus
from deskhand.clock import SystemClock
from deskhand.core.actions import Answer, Click, RunCode
from deskhand.core.commands import StartTask, Stop
from deskhand.core.protocols import Worker
from deskhand.core.statuses import ExecStatus
from deskhand.core.subtask import WorkerRole
from deskhand.engine.budget import Budget
from deskhand.engine.context import TaskContext
from deskhand.engine.human_input import HumanInput
from deskhand.engine.inner.action_runner import ActionRunner
from deskhand.engine.inner.executor import Executor
from deskhand.engine.observer import Observer
from deskhand.engine.safety.permission import Permission
from deskhand.engine.safety.wire_guard import WireGuard
from deskhand.engine.task_log import TaskLog
from deskhand.models.make_model import make_model
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ReceivedRequest, ScriptedStep, ScriptEntry
from deskhand.roles.offline.technician import OfflineTechnician
from deskhand.roles.technician import Technician
from deskhand.sandbox.code_runner import Sandbox
from deskhand.screen.perception import Perception
from deskhand.screen.stillness.self_motion import SelfMotion
from deskhand.screen.stillness.settle import VisualStability
from deskhand.settings.schema import (
    BudgetSettings,
    ExecutorSettings,
    PolicySettings,
    SandboxSettings,
    Settings,
    SettleSettings,
)
from deskhand.task.events import ActionEnded, ArtifactKept, Record, StepFinished, TaskCreated
from deskhand.task.fold import fold, fold_all
from deskhand.task.fold.step_events import ARTIFACTS_KEPT
from deskhand.task.journal import SqliteJournal
from deskhand.task.state import TaskState
from tests.engine.conftest import Journaled, ScriptedWorker

FOLDER = "sandbox"


@dataclass
class Shift:
    """The inner loop at work on one subtask."""

    executor: Executor
    log: TaskLog
    running: asyncio.Task[None]

    async def over(self) -> TaskState:
        async with asyncio.timeout(60):
            while self.log.state.executor_cause is None:
                await asyncio.sleep(0.01)
        return self.log.state


Work = Callable[..., AbstractAsyncContextManager[Shift]]


@pytest.fixture
def work(device: Journaled, journal: SqliteJournal, tmp_path: Path) -> Work:
    """`async with work(worker, role=…) as shift:` a worker of that role, and the limits of its sandbox."""

    @asynccontextmanager
    async def work(
        worker: Worker,
        *,
        role: WorkerRole = "technician",
        sandbox: bool = True,
        title: str = "count",
        allowed: bool = True,
        **limits: Any,
    ) -> AsyncIterator[Shift]:
        clock, bus, movers = SystemClock(), Bus(), SelfMotion()
        log = TaskLog("task", journal, bus)
        await log.record(TaskCreated(goal="count", device=device.id, worker="script", max_steps=20))
        settings = Settings(
            executor=ExecutorSettings(action_timeout_s=1),
            policy=PolicySettings(run_code="allow" if allowed else "ask"),
        )
        observer = Observer(Perception(device, bus.publish_message, clock, movers), device, None)
        human = HumanInput(log, observer, clock, settings.people, attended=False)
        context = TaskContext(log, device, observer, human, clock, settings)
        code = Sandbox(SandboxSettings(**limits), tmp_path / FOLDER, clock) if sandbox else None
        permission = Permission(log, observer, human, settings.policy, movers, goal_approves=False)
        wire = WireGuard(None, permission)
        runner = ActionRunner(context, VisualStability(SettleSettings(), clock), movers, wire, code)
        executor = Executor(context, {role: worker}, runner, permission)
        running = asyncio.create_task(executor.run())
        executor.mailbox.post_message(StartTask(task_id="1", description=title, role=role))
        try:
            yield Shift(executor, log, running)
        finally:
            executor.mailbox.post_message(Stop())
            await running

    return work


async def test_code_is_run_and_its_output_told(work: Work, device: Journaled, journal: SqliteJournal) -> None:
    worker = ScriptedWorker(RunCode(language="python", code="print(6 * 7)\nopen('result.csv', 'w').write('a,1')"))
    async with work(worker) as shift:
        state = await shift.over()
    last = worker.briefings[1].last
    assert last
    assert [(a.status, a.detail) for a in last.actions] == [
        (ExecStatus.EXECUTED, "Exit code 0.\n42\nFiles written: result.csv (3 bytes)")
    ]
    assert not device.sent
    assert [(a.name, a.size, a.text) for a in state.artifacts] == [("result.csv", 3, "a,1")]
    assert worker.briefings[1].materials == ("result.csv (3 bytes)\na,1",)
    assert fold_all(await journal.read("task")) == shift.log.state


async def test_code_is_not_run_without_a_yes(work: Work, tmp_path: Path) -> None:
    async with work(ScriptedWorker(RunCode(code="touch here")), allowed=False) as shift:
        await shift.over()
        state = shift.log.state
    assert (state.executor_decision, state.actions) == ("ask", 0)
    assert "Running bash code needs approval" in state.executor_reason
    assert not (tmp_path / FOLDER / "here").exists()


async def test_an_exit_code_that_is_not_zero_is_no_failed_step(work: Work, journal: SqliteJournal) -> None:
    worker = ScriptedWorker(RunCode(code="echo no such thing >&2; exit 4"))
    async with work(worker) as shift:
        state = await shift.over()
    last = worker.briefings[1].last
    assert last
    assert last.actions[0].detail == "Exit code 4.\nno such thing"
    assert state.failed_actions == 0
    steps = [r.event for r in await journal.read("task") if isinstance(r.event, StepFinished)]
    assert [step.success for step in steps] == [True, True]


async def test_code_may_take_longer_than_a_click_and_ends_at_its_own_limit(work: Work) -> None:
    """The device's time limit is one second here."""
    worker = ScriptedWorker(RunCode(code="sleep 1.5; echo slow"), RunCode(code="echo begun; sleep 60"))
    async with work(worker, time_s=5) as shift:
        await shift.over()
    slow, endless = (worker.briefings[n].last for n in (1, 2))
    assert slow
    assert endless
    assert slow.actions[0].detail == "Exit code 0.\nslow"
    assert endless.actions[0].status is ExecStatus.EXECUTED
    told = r"Ended after \d+\.\d s because it took longer than 5 s\. Exit code 137\.\nbegun"
    assert re.fullmatch(told, endless.actions[0].detail)


async def test_long_output_is_told_by_its_beginning_and_end(work: Work, journal: SqliteJournal) -> None:
    worker = ScriptedWorker(RunCode(code="seq 100000"))
    async with work(worker, output_kb=1000) as shift:
        await shift.over()
    (ended,) = [r.event for r in await journal.read("task") if isinstance(r.event, ActionEnded)]
    assert len(ended.detail) < 8_200
    assert "characters left out" in ended.detail
    assert ended.detail.startswith("Exit code 0.\n1\n2\n")
    assert ended.detail.endswith("\n100000")


@pytest.mark.parametrize(
    ("role", "offered"),
    [("technician", {"run_code", "wait", "memorize", "answer"}), ("analyst", {"memorize", "answer"})],
)
async def test_each_role_is_offered_only_its_own_words(work: Work, role: WorkerRole, offered: set[str]) -> None:
    worker = ScriptedWorker()
    async with work(worker, role=role) as shift:
        await shift.over()
    assert worker.briefings[0].capabilities == offered


async def test_the_operator_is_not_offered_code_and_can_not_run_it(
    work: Work, device: Journaled, tmp_path: Path
) -> None:
    worker = ScriptedWorker(RunCode(code="touch ran"))
    async with work(worker, role="operator") as shift:
        await shift.over()
    assert "run_code" not in worker.briefings[0].capabilities
    assert "click" in worker.briefings[0].capabilities
    last = worker.briefings[1].last
    assert last
    assert "can't run code" in last.error
    assert not device.sent
    assert not (tmp_path / FOLDER / "ran").exists()


async def test_the_technician_does_not_touch_the_screen(work: Work, device: Journaled) -> None:
    worker = ScriptedWorker(Click(x=1, y=1))
    async with work(worker) as shift:
        await shift.over()
    last = worker.briefings[1].last
    assert last
    assert "can't click" in last.error
    assert not device.sent


async def test_without_a_runner_no_code_is_offered(work: Work) -> None:
    worker = ScriptedWorker(RunCode(code="true"))
    async with work(worker, sandbox=False) as shift:
        await shift.over()
    assert "run_code" not in worker.briefings[0].capabilities
    last = worker.briefings[1].last
    assert last
    assert "can't run code" in last.error


async def test_where_no_sandbox_can_be_had_the_step_fails_and_says_why(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deskhand.sandbox.code_runner.shutil.which", lambda name: None)  # a host without bubblewrap
    worker = ScriptedWorker(RunCode(code="true"))
    async with work(worker) as shift:
        state = await shift.over()
    last = worker.briefings[1].last
    assert last
    assert last.actions[0].status is ExecStatus.ERROR
    assert "bubblewrap" in last.actions[0].detail
    assert state.failed_actions == 1


async def test_stop_ends_running_code_at_once(work: Work, tmp_path: Path) -> None:
    worker = ScriptedWorker(RunCode(code="touch ready; sleep 60"))
    async with work(worker) as shift, asyncio.timeout(30):
        while not (tmp_path / FOLDER / "ready").exists():
            await asyncio.sleep(0.01)
        shift.executor.mailbox.post_message(Stop())
        await shift.running
    assert len(worker.briefings) == 1


async def test_what_code_wrote_is_remembered_within_bounds() -> None:
    state = TaskState()
    for n in range(30):
        event = ArtifactKept(name=f"f{n % 25}", size=n, text="x" * 4000)
        state = fold(state, Record(seq=n + 1, task_id="t", at=0.0, event=event))
    assert len(state.artifacts) == ARTIFACTS_KEPT
    assert [(a.name, a.size) for a in state.artifacts][-6:] == [
        ("f24", 24), ("f0", 25), ("f1", 26), ("f2", 27), ("f3", 28), ("f4", 29),
    ]  # fmt: skip


async def test_answers_given_before_are_told(work: Work) -> None:
    worker = ScriptedWorker(Answer(text="It is 42."))
    async with work(worker, role="analyst") as shift:
        await shift.over()
    assert worker.briefings[1].answers == ("It is 42.",)


async def test_a_technician_with_a_model_sees_what_its_code_did_and_corrects_it(work: Work) -> None:
    def read_the_mistake(seen: ReceivedRequest) -> str:
        assert "NameError" in seen.text
        assert "Exit code 1." in seen.text
        return "```python\nprint(6 * 7)\nopen('answer.txt', 'w').write('42')\n```"

    script: list[ScriptEntry] = [
        "```python\nprint(six * 7)\n```",
        read_the_mistake,
        ScriptedStep(text="DONE: It is 42.", contains="42"),
    ]
    async with ModelServer(script) as server:
        section = {"model": "scripted", "base_url": server.url, "free": True}
        settings = Settings.model_validate({"models": {"technician": section}})
        model = make_model("technician", settings, SystemClock(), Budget(BudgetSettings()))
        async with work(Technician(model)) as shift:
            state = await shift.over()
        await model.close()
    assert (state.executor_cause, state.executor_reason) == ("done", "It is 42.")
    assert state.notes == ("It is 42.",)
    assert [a.text for a in state.artifacts] == ["42"]
    assert not server.unconsumed


@pytest.mark.parametrize(
    ("title", "cause", "words"),
    [
        ("run python `print(6 * 7)`", "done", "42"),
        ("用 python 运行 `print(6 * 7)`", "done", "42"),
        ("run `echo almost; false`", "failed", "almost"),
    ],
)
async def test_a_technician_without_a_model_runs_what_it_is_told(
    work: Work, title: str, cause: str, words: str
) -> None:
    async with work(OfflineTechnician(), title=title) as shift:
        state = await shift.over()
    assert state.executor_cause == cause
    assert words in state.executor_reason
