"""Measures the cost of the engine itself: against nothing at all, against bare calls, with many phones at once."""

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from deskhand.bench.rows import Row
from deskhand.build import Deskhand
from deskhand.bus import Bus
from deskhand.clock import SystemClock
from deskhand.core.actions import Action, ActionKind, Click, Home, OpenApp
from deskhand.core.decisions import Briefing, Decision, PlannedAction
from deskhand.core.protocols import Device, Settle
from deskhand.core.screen import AppInfo, Element, Frame, SettleResult
from deskhand.core.statuses import TaskStatus
from deskhand.engine.parts import TaskParts
from deskhand.engine.run import Task
from deskhand.screen.diff import change_between
from deskhand.screen.stillness.settle import VisualStability
from deskhand.settings.schema import Settings
from deskhand.task.journal import SqliteJournal
from deskhand.task.state import TaskState

STEPS = 40
PHONE_STEPS = 10
PHONES = 16
ROUNDS = 3
OWN_ROUNDS = 16


async def run_suite(out: Path) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder))
        return [
            await _measure_own_cost(settings),
            *await _compare_with_bare_calls(settings),
            await _measure_many_phones(settings),
        ]


class RepeatingWorker:
    """A worker without a model: repeats its actions in turn, `steps` of them, then is done."""

    needs_elements = False

    def __init__(self, actions: list[Action], steps: int) -> None:
        self._actions = actions
        self._steps = steps

    async def decide(self, briefing: Briefing) -> Decision:
        if briefing.step > self._steps:
            return Decision(kind="done", message="all steps taken")
        action = self._actions[briefing.step % len(self._actions)]
        return Decision(kind="actions", actions=(PlannedAction(action=action),))


class FreeDevice:
    """A device that costs nothing: every action shows another full-size picture that was made beforehand."""

    id = "nothing"
    capabilities: frozenset[ActionKind] = frozenset({"click"})

    def __init__(self) -> None:
        self._screens = [_draw_screen(shade) for shade in range(8)]
        self._actions = 0

    async def frame(self) -> Frame:
        return Frame(self._screens[self._actions % len(self._screens)])

    async def elements(self) -> tuple[Element, ...]:
        return ()

    async def app(self) -> AppInfo:
        return AppInfo("nothing")

    async def apps(self) -> tuple[str, ...]:
        return ()

    async def act(self, action: Action) -> str:
        self._actions += 1
        return ""

    def changes(self) -> AsyncIterator[None] | None:
        return None

    async def close(self) -> None:
        pass


def _draw_screen(shade: int) -> NDArray[np.uint8]:
    """Return a picture; a third of it differs from shade to shade, as in a step within an app."""
    pixels = np.full((2400, 1080, 4), 200, np.uint8)
    pixels[800:1600] = shade
    return pixels


class _SettledAtOnce:
    async def __call__(self, device: Device, before: Frame) -> SettleResult:
        return SettleResult(still=True, waited_ms=0, frames=1, change=change_between(before, await device.frame()))

    wait_for_animation_completion = __call__


async def _finish_task(device: Device, worker: RepeatingWorker, journal: SqliteJournal, settle: Settle) -> TaskState:
    crew = TaskParts(device, {"operator": worker}, "bench", journal, Bus(), SystemClock(), settle, Settings())
    task = Task("measure", crew, max_steps=1000)
    await task.start()
    return await task.wait()


async def _measure_own_cost(settings: Settings) -> Row:
    journal = SqliteJournal(settings.data_dir / "own")
    device, worker = FreeDevice(), RepeatingWorker([Click(x=5, y=5)], STEPS)
    rounds: list[tuple[float, float]] = []
    for _ in range(OWN_ROUNDS):
        used, begun = time.process_time(), time.perf_counter()
        await _finish_task(device, worker, journal, _SettledAtOnce())
        rounds.append((time.process_time() - used, time.perf_counter() - begun))
    await journal.close()
    # Of all threads, in the best round: other load on the machine is not the engine's cost.
    cpu, wall = (min(times) / STEPS * 1000 for times in zip(*rounds, strict=True))
    note = f"a third of 1080×2400 changes; {wall:.1f} ms by the clock"
    return Row("engine's own cost of a step, processor time", cpu, "ms", limit=5, note=note)


async def _compare_with_bare_calls(settings: Settings) -> list[Row]:
    """Compare the same actions on the same phone, by the engine and by bare calls with the same settling."""
    settle = VisualStability(settings.settle, SystemClock())
    actions: list[Action] = [OpenApp(name="设置"), Home()]
    journal = SqliteJournal(settings.data_dir / "ratio")
    bare: list[float] = []
    engine: list[float] = []
    async with Deskhand(settings) as hand, hand.pool.lease_device("sim:bench") as phone:
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            before = await phone.frame()
            for step in range(1, PHONE_STEPS + 1):
                await phone.act(actions[step % 2])
                before = (await settle(phone, before)).frame
            bare.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            await _finish_task(phone, RepeatingWorker(actions, PHONE_STEPS), journal, settle)
            engine.append(time.perf_counter() - begun)
    await journal.close()
    ratio = median(e / b for e, b in zip(engine, bare, strict=True))
    return [
        Row("a run against bare calls", ratio, limit=1.3, note=f"{PHONE_STEPS} steps on the simulated phone"),
        Row("a step on the simulated phone", median(engine) / PHONE_STEPS * 1000, "ms"),
    ]


async def _measure_many_phones(settings: Settings) -> Row:
    """Measure ten steps each on sixteen phones at once, in one process."""
    journal = SqliteJournal(settings.data_dir / "many")
    actions: list[Action] = [OpenApp(name="设置"), Home()]
    async with Deskhand(settings) as hand:

        async def use_phone(number: int) -> TaskState:
            async with hand.pool.lease_device(f"sim:{number}") as phone:
                settle = VisualStability(settings.settle, SystemClock())
                return await _finish_task(phone, RepeatingWorker(actions, PHONE_STEPS), journal, settle)

        states = await asyncio.gather(*(use_phone(number) for number in range(PHONES)))
    await journal.close()
    done = sum(state.status is TaskStatus.FULFILLED and state.failed_actions == 0 for state in states)
    return Row(f"phones that took {PHONE_STEPS} steps at once", done, "of 16", limit=PHONES, better="more")
