"""What is done decides how long the screen is waited for: to open something takes its time, all else does not."""

from deskhand.bench.films import Film, FilmClock, FilmDevice
from deskhand.bus import Bus
from deskhand.clock import SystemClock
from deskhand.core.actions import Action, Click, OpenApp
from deskhand.core.screen import Frame
from deskhand.engine.parts import TaskParts
from deskhand.engine.run import Task
from deskhand.screen.stillness.settle import VisualStability
from deskhand.settings.schema import Settings
from deskhand.task.events import Settled
from deskhand.task.journal import SqliteJournal
from tests.engine.conftest import ScriptedWorker
from tests.screen.pictures import noise, plain

PAGE, ROWS, PAUSE = noise(400, 800), 8, 0.7
LOADED = ROWS * PAUSE


class Loading(FilmDevice):
    """After each action, an empty page whose rows come one after the other."""

    capabilities = frozenset({"open_app", "click"})

    def __init__(self, clock: FilmClock) -> None:
        super().__init__(Film("loading", ()), clock)
        self._since = -LOADED

    async def act(self, action: Action) -> str:
        self._since = self._clock.now()
        return ""

    def frame_at(self, t: float) -> Frame:
        rows = min(ROWS, int((t - self._since) / PAUSE))
        pixels = plain(400, 800).pixels.copy()
        pixels[: 100 * rows] = PAGE.pixels[: 100 * rows]
        return Frame(pixels, at=t)


async def test_opening_is_waited_for_while_it_comes_along_and_a_click_is_not(journal: SqliteJournal) -> None:
    clock, settings = FilmClock(0.0), Settings()
    crew = TaskParts(
        device=Loading(clock),
        workers={"operator": ScriptedWorker(OpenApp(name="Shop"), Click(x=10, y=10))},
        worker_name="script",
        journal=journal,
        bus=Bus(),
        clock=SystemClock(),
        settle=VisualStability(settings.settle, clock),
        settings=settings,
    )
    run = Task("follow the script", crew)
    await run.start()
    state = await run.wait()
    waits = [r.event for r in await journal.read(state.task_id) if isinstance(r.event, Settled)]
    assert [wait.waited_ms > 1000 * LOADED for wait in waits] == [True, False]
    assert waits[0].still
    assert waits[1].waited_ms < 3200
