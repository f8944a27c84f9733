"""An X server that stands still, and a caller that leaves: once it is gone, nothing of its action arrives any more."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from Xlib import X
from Xlib.display import Display

from deskhand.core.actions import Action, Click, DoubleClick, Key
from deskhand.core.stop_outcome import StopOutcome, outcome_of
from tests.devices.desktop.desktop_stage import Stage, staged
from tests.devices.desktop.test_device import kill_server


@contextmanager
def show_wall(stage: Stage) -> Iterator[Callable[[], int]]:
    """Cover the screen with a window; yields how many presses it has felt so far."""
    display = Display(stage.device.display)
    root = display.screen().root
    size = root.get_geometry()
    about: dict[str, Any] = {"override_redirect": True, "event_mask": X.ButtonPressMask | X.KeyPressMask}
    window = root.create_window(0, 0, size.width, size.height, 0, X.CopyFromParent, **about)
    window.map()
    display.sync()
    window.set_input_focus(X.RevertToParent, X.CurrentTime)
    display.sync()
    felt = 0

    def count() -> int:
        nonlocal felt
        display.sync()
        events = [display.next_event() for _ in range(display.pending_events())]
        felt += sum(event.type in (X.ButtonPress, X.KeyPress) for event in events)
        return felt

    try:
        yield count
    finally:
        display.close()


@pytest.mark.parametrize("seconds", [0.0, 0.05, 0.4])
async def test_nothing_arrives_after_a_stop_at_a_server_that_stands_still(
    tmp_path_factory: pytest.TempPathFactory, seconds: float
) -> None:
    async with staged(tmp_path_factory.mktemp("still") / "share") as stage:
        with show_wall(stage) as count:
            actions: list[Action] = [Click(x=300, y=300), DoubleClick(x=300, y=300), Key(key="a")]
            for action in actions:
                await stop_one(stage, action, seconds, count)


async def stop_one(stage: Stage, action: Action, seconds: float, count: Callable[[], int]) -> None:
    before, said = count(), None
    went_on = asyncio.Event()

    async def act() -> None:
        nonlocal said
        try:
            await stage.device.act(action)
        except asyncio.CancelledError as stop:
            said = outcome_of(stop)
            raise

    async def go_on() -> None:
        await asyncio.sleep(0.8)
        went_on.set()
        await kill_server(stage, signal.SIGCONT)

    await kill_server(stage, signal.SIGSTOP)
    going_on = asyncio.ensure_future(go_on())
    work = asyncio.ensure_future(act())
    await asyncio.sleep(seconds)
    work.cancel()
    await asyncio.wait({work}, timeout=15)
    left_early = not went_on.is_set()
    await going_on
    await stage.device.app()  # one more turn of the server: what was under way has come by now
    arrived = count() > before
    assert not (left_early and arrived), f"{action.kind} came after the end: {said}"
    assert arrived == (said in (StopOutcome.DONE, None)), (action.kind, said)
