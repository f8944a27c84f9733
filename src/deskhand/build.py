"""The composition root: settings → devices, workers, runner. The only place that names concrete classes.

Heavy parts are imported where they are made, so that nobody pays for what they don't use.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Self

from deskhand.actions import OpenUrl
from deskhand.bus import Bus
from deskhand.clock import SystemClock
from deskhand.config import Settings, load
from deskhand.engine.run import Crew, Management, Run
from deskhand.screen.settle import VisualStability
from deskhand.task.events import LoopMode
from deskhand.task.journal import SqliteJournal
from deskhand.task.state import TaskState, fold_all
from deskhand.types import DeviceInfo

if TYPE_CHECKING:
    from deskhand.devices.adb import AdbClient
    from deskhand.devices.pool import Pool, Provider
    from deskhand.protocols import Clock, Device, Worker
    from deskhand.screen.text import ScreenText
    from deskhand.simphone.phone import Phone

DEFAULT_DEVICE = "sim"


class Deskhand:
    """Everything put together. `async with Deskhand() as hand: state = await hand.run("…")`."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or load()
        self.bus = Bus()
        self.clock: Clock = SystemClock()
        self.simulated = SimulatedPhones(self.settings, self.clock)
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self.journal = SqliteJournal(self.settings.data_dir)
        self._stack.push_async_callback(self.journal.close)
        self.pool = make_pool(self.settings, self.clock, self.simulated)
        self._stack.push_async_callback(self.pool.close)
        self._settle = VisualStability(self.settings.settle, self.clock)
        self._reader = make_reader()
        if self._reader:
            self._stack.callback(self._reader.close)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def devices(self) -> list[DeviceInfo]:
        return await self.pool.found()

    @asynccontextmanager
    async def start(
        self,
        goal: str,
        *,
        device: str = "",
        url: str = "",
        loop: LoopMode = "dual",
        max_steps: int | None = None,
        wait_s: float = 0.0,
    ) -> AsyncGenerator[Run, None]:
        """A task under way on a leased device, at a page if one is given; leaving the block stops it."""
        name = device or self.settings.device or DEFAULT_DEVICE
        async with self.pool.lease(name, wait_s=wait_s) as leased:
            if url:
                await leased.act(OpenUrl(url=url))
            async with _under_way(Run(goal, self._crew(leased, loop), max_steps)) as run:
                yield run

    @asynccontextmanager
    async def resume(
        self, task_id: str, *, device: str = "", max_steps: int | None = None, wait_s: float = 0.0
    ) -> AsyncGenerator[Run, None]:
        """A task from its log, on its own device unless another is named."""
        past = fold_all(await self.journal.read(task_id))
        async with (
            self.pool.lease(device or past.device, wait_s=wait_s) as leased,
            _under_way(Run.resumed(past, self._crew(leased, past.loop), max_steps)) as run,
        ):
            yield run

    async def run(
        self, goal: str, *, device: str = "", url: str = "", loop: LoopMode = "dual", max_steps: int | None = None
    ) -> TaskState:
        """Carry out a goal and return how it ended."""
        async with self.start(goal, device=device, url=url, loop=loop, max_steps=max_steps) as run:
            return await run.wait()

    def _crew(self, device: Device, loop: LoopMode) -> Crew:
        return Crew(
            device=device,
            workers={"operator": make_worker()},
            worker_name="offline",
            journal=self.journal,
            bus=self.bus,
            clock=self.clock,
            settle=self._settle,
            settings=self.settings,
            management=make_management() if loop == "dual" else None,
            reader=self._reader,
            movers=self._settle.movers(device.id),
        )


@asynccontextmanager
async def _under_way(run: Run) -> AsyncGenerator[Run, None]:
    await run.start()
    try:
        yield run
    finally:
        if not run.state.over:
            await run.stop("the program that started it went away")


def make_reader() -> ScreenText | None:
    """Reads screens that have no list of elements; None where its part (`deskhand[ocr]`) is not installed."""
    from deskhand.screen.text import ScreenText

    return ScreenText() if find_spec("rapidocr") else None


def make_worker() -> Worker:
    from deskhand.roles.offline.worker import OfflineWorker

    return OfflineWorker()


def make_management() -> Management:
    from deskhand.roles.offline.evaluator import OfflineEvaluator
    from deskhand.roles.offline.manager import OfflineManager

    judge = OfflineEvaluator()
    return Management(OfflineManager(), judge, judge, can_afford=lambda _: False)


def make_pool(settings: Settings, clock: Clock, simulated: SimulatedPhones) -> Pool:
    """Every kind of device there is: a new one is one more line here."""
    from deskhand.devices.adb import AdbClient
    from deskhand.devices.browsers import Browsers
    from deskhand.devices.desktops import Desktops
    from deskhand.devices.phones import Phones
    from deskhand.devices.pool import Pool

    providers: dict[str, Provider] = {
        "sim": simulated,
        "android": Phones(AdbClient(settings.adb), clock),
        "browser": Browsers(settings.browser, clock),
        "desktop": Desktops(settings.desktop, clock),
    }
    return Pool(providers, clock=clock, locks=settings.data_dir / "locks")


class SimulatedPhones:
    """`sim` or `sim:NAME`: a simulated phone of our own, reached through a private adb server of our own.

    It lives here because it joins two rooms that don't know each other: the phone and the device that drives it.
    """

    shared = False

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._stack = AsyncExitStack()
        self._adb: AdbClient | None = None
        self._starting = asyncio.Lock()
        self.phones: dict[str, Phone] = {}  # by NAME, to read their own state

    async def found(self) -> list[DeviceInfo]:
        return [DeviceInfo("sim", "sim", "ready", "a simulated phone, started when it is used (sim:NAME for more)")]

    async def open(self, name: str) -> Device:
        from deskhand.devices.android import connect
        from deskhand.simphone.phone import Phone
        from deskhand.simphone.server import SimPhone

        adb = await self._server()
        phone = self.phones[name] = Phone(name or "phone")
        plugged = await self._stack.enter_async_context(SimPhone(phone))
        serial = await adb.connect(plugged.address)
        return await connect(serial, adb=adb, clock=self._clock, name=f"sim:{name}" if name else "sim")

    async def _server(self) -> AdbClient:
        from deskhand.devices.adb import AdbClient
        from deskhand.devices.adb_private import private_server

        async with self._starting:
            if self._adb is None:
                server = private_server(self._settings.adb, self._clock)
                self._adb = AdbClient(await self._stack.enter_async_context(server))
            return self._adb

    async def close(self) -> None:
        await self._stack.aclose()
