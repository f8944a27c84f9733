"""The composition root: settings → devices, workers, runner. The only place that names concrete classes.

Heavy parts are imported where they are made, so that nobody pays for what they don't use.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from decimal import Decimal
from importlib.util import find_spec
from typing import TYPE_CHECKING, Self

from deskhand.actions import OpenUrl
from deskhand.build.simulated import SimulatedPhones
from deskhand.build.staff import Staff
from deskhand.bus import Bus
from deskhand.clock import SystemClock
from deskhand.config import Settings, load
from deskhand.engine.budget import Budget
from deskhand.engine.run import Crew, Run, clear_goal
from deskhand.screen.settle import VisualStability
from deskhand.task.events import LoopMode
from deskhand.task.journal import SqliteJournal
from deskhand.task.state import TaskState, fold_all
from deskhand.types import DeviceInfo

if TYPE_CHECKING:
    from deskhand.devices.pool import Pool, Provider
    from deskhand.protocols import Clock, CodeRunner, Device
    from deskhand.screen.text import ScreenText

DEFAULT_DEVICE = "sim"

__all__ = ["DEFAULT_DEVICE", "Deskhand", "SimulatedPhones", "make_pool"]


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
        goal, name = clear_goal(goal), device or self.settings.device or DEFAULT_DEVICE
        async with self.pool.lease(name, wait_s=wait_s) as leased, self._crew(leased, loop) as crew:
            if url:
                await leased.act(OpenUrl(url=url))
            async with _under_way(Run(goal, crew, max_steps)) as run:
                yield run

    @asynccontextmanager
    async def resume(
        self, task_id: str, *, device: str = "", max_steps: int | None = None, wait_s: float = 0.0
    ) -> AsyncGenerator[Run, None]:
        """A task from its log, on its own device unless another is named."""
        past = fold_all(await self.journal.read(task_id))
        async with (
            self.pool.lease(device or past.device, wait_s=wait_s) as leased,
            self._crew(leased, past.loop, past.usage.cost) as crew,
            _under_way(Run.resumed(past, crew, max_steps)) as run,
        ):
            yield run

    async def run(
        self, goal: str, *, device: str = "", url: str = "", loop: LoopMode = "dual", max_steps: int | None = None
    ) -> TaskState:
        """Carry out a goal and return how it ended."""
        async with self.start(goal, device=device, url=url, loop=loop, max_steps=max_steps) as run:
            return await run.wait()

    @asynccontextmanager
    async def _crew(self, device: Device, loop: LoopMode, spent: Decimal = Decimal(0)) -> AsyncGenerator[Crew, None]:
        """Everyone who works on one task, with one budget; their models are closed with the task."""
        async with AsyncExitStack() as closing:
            staff = Staff(self.settings, self.clock, Budget(self.settings.budget, spent), closing)
            yield Crew(
                device=device,
                workers=staff.workers(),
                worker_name=staff.name,
                journal=self.journal,
                bus=self.bus,
                clock=self.clock,
                settle=self._settle,
                settings=self.settings,
                management=staff.management() if loop == "dual" else None,
                reader=self._reader,
                movers=self._settle.movers(device.id),
                code=self._code,
                bills=staff.bills,
            )

    def _code(self, task_id: str) -> CodeRunner:
        from deskhand.devices.sandbox import Sandbox

        return Sandbox(self.settings.sandbox, self.settings.data_dir / "work" / task_id, self.clock)


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
