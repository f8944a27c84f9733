"""Looking while nothing happens, and at what came while the worker thought or waited."""

import asyncio
from collections.abc import Callable

import pytest

from deskhand.clock import SystemClock
from deskhand.core.actions import Action, Click, Wait
from deskhand.core.decisions import Briefing, Decision, PlannedAction
from deskhand.core.geometry import Rect
from deskhand.core.screen import AppInfo, Element, Frame
from deskhand.engine.observer import Observer
from deskhand.engine.run import Task
from deskhand.screen.ocr.screen_text import ScreenText
from deskhand.screen.ocr.text_line import TextLine
from deskhand.screen.perception import Perception
from deskhand.task.events import QueueFlushed
from deskhand.task.journal import SqliteJournal
from tests.engine.conftest import Journaled, ScriptedWorker, StartRun, forever
from tests.screen.pictures import noise, painted


class Pictures:
    """A device without push signals that shows what it is given."""

    id = "pictures"
    capabilities = frozenset({"click"})

    def __init__(self) -> None:
        self.shown = noise(400, 800)
        self.front = "Notes"
        self.looks = 0
        self.sent: list[Action] = []

    async def frame(self) -> Frame:
        self.looks += 1
        return Frame(self.shown.pixels, at=SystemClock().now())

    async def elements(self) -> tuple[Element, ...]:
        return ()

    async def app(self) -> AppInfo:
        return AppInfo(self.front)

    async def apps(self) -> tuple[str, ...]:
        return ()

    async def act(self, action: Action) -> str:
        self.sent.append(action)
        return ""

    def changes(self) -> None:
        return None

    async def close(self) -> None:
        return None


async def test_a_quiet_screen_is_looked_at_as_often_as_set(start: StartRun) -> None:
    async def looks(tick_ms: int, seconds: float) -> int:
        """How often it is looked at while the worker thinks; at most four times are waited for."""
        device, worker = Pictures(), ScriptedWorker(forever)
        async with start(device, worker, executor={"tick_ms": tick_ms}):
            await until(lambda: worker.briefings)
            before, end = device.looks, asyncio.get_running_loop().time() + seconds
            while device.looks < before + 4 and asyncio.get_running_loop().time() < end:
                await asyncio.sleep(0.01)
            return device.looks - before

    assert await looks(50, seconds=20) == 4
    assert await looks(60_000, seconds=1) == 0


QUICK = {"executor": {"tick_ms": 50}, "settle": {"patience_ms": 0}}


def surprises(run: Task) -> Callable[[], object]:
    return lambda: run._observer.perception.surprise


async def flushed(run: Task, journal: SqliteJournal) -> list[str]:
    state = await run.wait()
    return [r.event.reason for r in await journal.read(state.task_id) if isinstance(r.event, QueueFlushed)]


@pytest.mark.parametrize("front", ["Notes", "Phone"])
async def test_what_pops_up_while_the_worker_decides_is_not_clicked(
    start: StartRun, journal: SqliteJournal, front: str
) -> None:
    device = Pictures()

    async def slow(_: Briefing) -> Decision:
        device.shown, device.front = painted(device.shown, 100, 300, 300, 500), front
        await until(surprises(run))
        return Decision(kind="actions", actions=(PlannedAction(action=Click(x=200, y=400)),))

    async with start(device, ScriptedWorker(slow, Click(x=20, y=20)), **QUICK) as run:
        reasons = await flushed(run, journal)
    assert device.sent == [Click(x=20, y=20)]
    assert [front in reason or "aims at" in reason for reason in reasons] == [True]


async def test_on_a_screen_that_never_rests_the_second_decision_is_carried_out(
    start: StartRun, journal: SqliteJournal
) -> None:
    device = Pictures()

    async def slow(_: Briefing) -> Decision:
        run._observer.perception.surprise = None
        device.shown = noise(400, 800, 20 + len(worker.briefings))
        await until(surprises(run))
        return Decision(kind="actions", actions=(PlannedAction(action=Click(x=200, y=400)),))

    worker = ScriptedWorker(slow, slow)
    async with start(device, worker, **QUICK) as run:
        assert len(await flushed(run, journal)) == 1
    assert device.sent == [Click(x=200, y=400)]


async def test_what_changed_elsewhere_while_the_worker_decides_is_no_effect_of_its_action(
    start: StartRun, journal: SqliteJournal
) -> None:
    device = Pictures()

    async def slow(_: Briefing) -> Decision:
        device.shown = painted(device.shown, 0, 600, 400, 800)
        await until(surprises(run))
        return Decision(kind="actions", actions=(PlannedAction(action=Click(x=200, y=100)),))

    async with start(device, ScriptedWorker(slow), **QUICK) as run:
        assert await flushed(run, journal) == []
    assert device.sent == [Click(x=200, y=100)]
    assert [action.changed for step in run.state.history for action in step.actions] == [False]


async def test_what_came_during_a_wait_is_not_clicked(start: StartRun, journal: SqliteJournal) -> None:
    device = Pictures()

    def soon(_: Briefing) -> Decision:
        popped = painted(device.shown, 100, 300, 300, 500)
        asyncio.get_running_loop().call_later(0.05, setattr, device, "shown", popped)
        actions = (Wait(seconds=0.2), Click(x=200, y=400))
        return Decision(kind="actions", actions=tuple(PlannedAction(action=action) for action in actions))

    async with start(device, ScriptedWorker(soon), settle={"patience_ms": 0}) as run:
        assert await flushed(run, journal) == ["what the next action aims at has changed"]
    assert device.sent == []


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.01)


BOX = Rect(0, 0, 100, 40)


@pytest.mark.parametrize(
    ("listed", "source"),
    [
        ((), "ocr"),
        ((Element(0, "window", BOX, name="Game"), Element(1, "group", BOX, clickable=True)), "ocr"),
        ((Element(0, "text", BOX, name="Hello"),), "uiautomator"),
        ((Element(0, "field", BOX, editable=True),), "uiautomator"),
    ],
)
async def test_where_the_list_says_nothing_the_picture_is_read(
    device: Journaled, listed: tuple[Element, ...], source: str
) -> None:
    class Listing(Journaled):
        async def elements(self) -> tuple[Element, ...]:
            return listed

    reader = ScreenText(lambda frame: [TextLine("Pay", BOX, 1.0)])
    hollow = Listing(device._device)
    seen = await Observer(Perception(hollow, lambda _: None, SystemClock()), hollow, reader).observe(with_elements=True)
    reader.close()
    assert {one.source for one in seen.elements or ()} == {source}


async def test_what_can_be_scrolled_stays_listed_where_the_picture_is_read(device: Journaled) -> None:
    """The blank middle of a long page: a mark that was read there must not hide that the page goes on."""

    class Blank(Journaled):
        async def elements(self) -> tuple[Element, ...]:
            return Element(0, "group", BOX, clickable=True), Element(1, "group", BOX, parent=0, scrollable=True)

    reader = ScreenText(lambda frame: [TextLine("▲", BOX, 1.0)])
    blank = Blank(device._device)
    seen = await Observer(Perception(blank, lambda _: None, SystemClock()), blank, reader).observe(with_elements=True)
    reader.close()
    assert [(one.index, one.source, one.scrollable) for one in seen.elements or ()] == [
        (0, "uiautomator", True),
        (1, "ocr", False),
    ]
