"""A real phone (simulated body, real adb) and a worker that follows a script."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from deskhand.bus import Bus
from deskhand.clock import SystemClock
from deskhand.core.actions import Action
from deskhand.core.decisions import Briefing, Decision, PlannedAction
from deskhand.core.protocols import Device
from deskhand.devices.android.adb.client import AdbClient
from deskhand.devices.android.adb.private_server import run_private_server
from deskhand.devices.android.device import attach_phone
from deskhand.engine.parts import OuterRoles, TaskParts
from deskhand.engine.run import Task
from deskhand.screen.stillness.settle import VisualStability
from deskhand.settings.schema import AdbSettings, ExecutorSettings, Settings, SettleSettings
from deskhand.simphone.adb.phone_server import SimPhone
from deskhand.simphone.phone import Phone
from deskhand.task.journal import SqliteJournal
from deskhand.task.state import TaskState

Reply = Decision | Action | list[Any] | Exception | Callable[[Briefing], Any]


class ScriptedWorker:
    """Answers with its replies in order, then says done; remembers every briefing."""

    def __init__(self, *replies: Reply, needs_elements: bool = False) -> None:
        self.needs_elements = needs_elements
        self.briefings: list[Briefing] = []
        self._replies = list(replies)

    async def decide(self, briefing: Briefing) -> Decision:
        self.briefings.append(briefing)
        reply = self._replies.pop(0) if self._replies else Decision(kind="done", message="the script is over")
        if callable(reply):
            reply = reply(briefing)
            if isinstance(reply, Awaitable):
                reply = await reply
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Decision):
            return reply
        actions = reply if isinstance(reply, list) else [reply]
        planned = tuple(a if isinstance(a, PlannedAction) else PlannedAction(action=a) for a in actions)
        return Decision(kind="actions", actions=planned)


async def forever(_: Briefing) -> Decision:
    """A model call that never returns."""
    await asyncio.Event().wait()
    raise AssertionError


class Journaled:
    """A device that notes what it is asked to do; `faults` are raised instead, one for each act."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self.faults: list[Exception | None] = []
        self.sent: list[Action] = []
        self.on_act: Callable[[Action], Awaitable[None]] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._device, name)

    async def act(self, action: Action) -> str:
        self.sent.append(action)
        if self.on_act:
            await self.on_act(action)
        if self.faults and (fault := self.faults.pop(0)):
            raise fault
        return await self._device.act(action)


@pytest.fixture
async def sim_phone() -> AsyncIterator[tuple[Phone, Device]]:
    """A simulated phone and the device that drives it through a private adb server."""
    clock, phone = SystemClock(), Phone()
    async with run_private_server(AdbSettings(), clock) as settings, SimPhone(phone) as sim:
        adb = AdbClient(settings)
        device = await attach_phone(await adb.connect_address(sim.address), adb=adb, clock=clock, name="sim:test")
        yield phone, device
        await device.close()


@pytest.fixture
def phone(sim_phone: tuple[Phone, Device]) -> Phone:
    return sim_phone[0]


@pytest.fixture
def device(sim_phone: tuple[Phone, Device]) -> Journaled:
    return Journaled(sim_phone[1])


StartRun = Callable[..., AbstractAsyncContextManager[Task]]


@pytest.fixture
async def journal(tmp_path: Path) -> AsyncIterator[SqliteJournal]:
    journal = SqliteJournal(tmp_path / "data")
    yield journal
    await journal.close()


@pytest.fixture
def start(journal: SqliteJournal, tmp_path: Path) -> StartRun:
    """`async with start(device, worker, …) as run:` a task under way on that device."""

    @asynccontextmanager
    async def start(
        device: Any,
        worker: ScriptedWorker,
        *,
        goal: str = "follow the script",
        max_steps: int | None = None,
        executor: dict[str, Any] | None = None,
        settle: dict[str, Any] | None = None,
        outer: OuterRoles | None = None,
        workers: dict[str, Any] | None = None,
        attended: bool = False,
        past: TaskState | None = None,
        **settings_of_all: Any,
    ) -> AsyncIterator[Task]:
        clock = SystemClock()
        settings = Settings(
            data_dir=tmp_path / "data",
            executor=ExecutorSettings(**(executor or {})),
            settle=SettleSettings(**(settle or {})),
            **settings_of_all,
        )
        crew = TaskParts(
            device=device,
            workers=workers or {"operator": worker},
            worker_name="script",
            journal=journal,
            bus=Bus(),
            clock=clock,
            settle=VisualStability(settings.settle, clock),
            settings=settings,
            outer=outer,
        )
        run = Task.from_past(past, crew, attended=attended) if past else Task(goal, crew, max_steps, attended=attended)
        await run.start()
        try:
            yield run
        finally:
            if not run.state.over:
                await run.stop()

    return start
