"""The desktop on a private X server: what is clicked and pressed arrives exactly, pictures and changes are true."""

import asyncio
import os
import signal
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

import numpy as np
import pytest
import pytest_asyncio
from Xlib import X
from Xlib.display import Display

from deskhand.core import actions
from deskhand.core.actions import parse_action
from deskhand.core.errors import DeviceGone, DeviceTimeout, NotPossible
from tests.devices.desktop.desktop_stage import Stage, middle, staged, wait_for

pytestmark = pytest.mark.asyncio(loop_scope="module")
GTK = "GTK board"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with staged(tmp_path_factory.mktemp("data") / "share") as stage:
        yield stage


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def board(stage: Stage) -> AsyncIterator[Stage]:
    await stage.open(GTK)
    yield stage
    await stage.clear()


@pytest.fixture
def wall(stage: Stage):
    """A window over the whole screen that feels every click."""
    display = Display(stage.device.display)
    root = display.screen().root
    size = root.get_geometry()
    window = root.create_window(
        0, 0, size.width, size.height, 0, X.CopyFromParent,
        override_redirect=True, background_pixel=0x204060, event_mask=X.ButtonPressMask | X.ButtonReleaseMask,
    )  # fmt: skip
    window.map()
    display.sync()

    def felt() -> list[tuple[int, int, int]]:
        display.sync()
        events = [display.next_event() for _ in range(display.pending_events())]
        return [(e.detail, e.root_x, e.root_y) for e in events if e.type == X.ButtonPress]

    yield felt
    window.destroy()
    display.close()


async def test_clicks_land_on_the_pixel_in_all_four_corners(
    stage: Stage, wall: Callable[[], list[tuple[int, int, int]]]
) -> None:
    frame = await stage.device.frame()
    right, bottom = frame.width - 1, frame.height - 1
    for x, y in [(0, 0), (right, 0), (0, bottom), (right, bottom), (right // 2, bottom // 2)]:
        await stage.device.act(actions.Click(x=x, y=y))
        assert await wait_for(wall) == [(1, x, y)]


@pytest.mark.parametrize("point", [(1280, 10), (10, 800), (60000, 60000)])
async def test_a_point_outside_of_the_screen_is_refused(stage: Stage, point: tuple[int, int]) -> None:
    with pytest.raises(NotPossible, match=r"outside of the screen, which is 1280×800"):
        await stage.device.act(actions.Click(x=point[0], y=point[1]))


async def test_a_word_that_a_desktop_does_not_have_is_refused(stage: Stage) -> None:
    assert "back" not in stage.device.capabilities
    with pytest.raises(NotPossible, match="back"):
        await stage.device.act(actions.Back())


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("click", {"event": "press", "button": 1}),
        ("double_click", {"event": "double", "button": 1}),
        ("right_click", {"event": "press", "button": 3}),
        ("middle_click", {"event": "press", "button": 2}),
        ("long_press", {"event": "release", "button": 1}),
        ("move", {"event": "motion", "held": False}),
    ],
)
async def test_every_pointer_word_reaches_a_gtk_program(board: Stage, kind: str, wanted: dict[str, object]) -> None:
    point = middle(await board.element("board"))
    await board.device.act(parse_action({"kind": kind, **point}))
    event = dict(wanted)
    await board.last(GTK, str(event.pop("event")), **event, **point)


async def test_a_drag_presses_goes_and_lets_go(board: Stage) -> None:
    x, y = (await board.element("board")).bounds.center
    await board.device.act(actions.Drag(x=x, y=y, to_x=x + 90, to_y=y + 20, duration_ms=150))
    await board.last(GTK, "release", button=1, x=x + 90, y=y + 20)
    assert board.heard(GTK, "press")[-1] == {"event": "press", "button": 1, "x": x, "y": y}
    assert sum(move["held"] for move in board.heard(GTK, "motion")) >= 3


@pytest.mark.parametrize("direction", ["up", "down", "left", "right"])
async def test_the_wheel_turns_all_four_ways(board: Stage, direction: actions.Direction) -> None:
    point = middle(await board.element("board"))
    await board.device.act(actions.Scroll(direction=direction, pages=0.2, **point))
    await board.last(GTK, "scroll", direction=direction)


async def test_a_scroll_without_a_point_is_over_the_front_window(board: Stage) -> None:
    front = (await board.device.list_windows())[-1]
    await board.device.act(actions.Scroll())
    display = Display(board.device.display)
    pointer = display.screen().root.query_pointer()
    assert (pointer.root_x, pointer.root_y) == front.bounds.center
    display.close()


async def test_keys_and_hotkeys_arrive_by_the_names_people_use(board: Stage) -> None:
    names = {"esc": "Escape", "PageDown": "Page_Down", "f5": "F5", "a": "a", "A": "A", "?": "question", "Up": "Up"}
    for said, heard in names.items():
        await board.device.act(actions.Key(key=said))
        await board.last(GTK, "key", name=heard)
    await board.device.act(actions.Hotkey(keys=("ctrl", "shift", "x")))
    await board.last(GTK, "key", name="X", state=["shift-mask", "control-mask"])
    await board.device.act(actions.Hotkey(keys=("ctrl", "K")))
    await board.last(GTK, "key", name="k", state=["control-mask"])
    await board.device.act(actions.Key(key="alt+j"))
    await board.last(GTK, "key", name="j", state=["mod1-mask"])
    with pytest.raises(NotPossible, match="no key called 'hyperdrive'"):
        await board.device.act(actions.Key(key="hyperdrive"))


async def test_a_frame_shows_the_screen_with_a_constant_fourth_byte(
    stage: Stage, wall: Callable[[], list[tuple[int, int, int]]]
) -> None:
    async def painted() -> bool:
        return (await stage.device.frame()).pixels[5, 5].tolist() == [0x60, 0x40, 0x20, 0xFF]

    await wait_for(painted)
    frame = await stage.device.frame()
    assert frame.order == "BGRA"
    assert frame.size == (1280, 800)
    assert frame.pixels.flags.c_contiguous
    assert frame.pixels.dtype == np.uint8
    assert (frame.pixels[:, :, 3] == 0xFF).all()
    assert (frame.pixels == frame.pixels[0, 0]).all()


async def test_changes_ring_when_something_is_painted_and_are_silent_otherwise(board: Stage) -> None:
    # Out of the text field, whose caret blinks.
    await board.device.act(actions.Click(**middle(await board.element("Press me"))))
    changes = board.device.changes()
    with suppress(TimeoutError):
        while True:  # until what is under way is painted
            async with asyncio.timeout(1.5):
                await anext(changes)
    changes = board.device.changes()
    waiting = asyncio.ensure_future(anext(changes))
    await board.element("board")
    before = await board.device.frame()
    assert not waiting.done()
    await board.device.act(actions.Move(**middle(await board.element("Agree"))))
    async with asyncio.timeout(10):
        await waiting

    async def different() -> bool:
        return bool((before.pixels != (await board.device.frame()).pixels).any())

    await wait_for(different)
    await changes.aclose()


async def test_two_listeners_both_hear_a_change(board: Stage) -> None:
    both = [board.device.changes(), board.device.changes()]
    waiting = [asyncio.ensure_future(anext(one)) for one in both]
    await asyncio.sleep(0)
    await board.device.act(actions.Type(text="x"))
    async with asyncio.timeout(10):
        await asyncio.gather(*waiting)
    for one in both:
        await one.aclose()


async def test_a_drag_that_is_cancelled_lets_the_button_go_and_the_device_goes_on(board: Stage) -> None:
    x, y = (await board.element("board")).bounds.center
    drag = asyncio.ensure_future(board.device.act(actions.Drag(x=x, y=y, to_x=x + 90, to_y=y, duration_ms=30_000)))
    await board.last(GTK, "press", button=1)
    drag.cancel()
    with pytest.raises(asyncio.CancelledError):
        await drag
    await board.last(GTK, "release", button=1)
    await board.device.act(actions.Click(x=x, y=y))
    await board.last(GTK, "release", x=x, y=y)


async def test_the_front_window_is_told(board: Stage) -> None:
    app = await board.device.app()
    assert (app.name, app.title) == ("gtk_app", "GTK 测试 board")


async def kill_server(stage: Stage, how: signal.Signals) -> None:
    """Signals the X server of this stage: the process at the other end of its socket."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect("/tmp/.X11-unix/X" + stage.device.display.removeprefix(":"))
        (pid,) = struct.unpack("i8x", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    os.kill(pid, how)


async def test_a_killed_x_server_is_a_gone_device(tmp_path_factory: pytest.TempPathFactory) -> None:
    async with staged(tmp_path_factory.mktemp("gone") / "share") as stage:

        async def all_changes() -> None:
            async for _ in stage.device.changes():
                pass  # a new display may still be painting

        waiting = asyncio.ensure_future(all_changes())
        await asyncio.sleep(0)
        await kill_server(stage, signal.SIGKILL)
        async with asyncio.timeout(20):
            with pytest.raises(DeviceGone):
                await waiting
            for call in (
                lambda: stage.device.frame(),
                lambda: stage.device.act(actions.Click(x=5, y=5)),
                lambda: stage.device.act(actions.Type(text="中文")),
                lambda: stage.device.elements(),
                lambda: stage.device.app(),
            ):
                with pytest.raises(DeviceGone, match=r"The X server .* ended"):
                    await call()


async def test_a_silent_x_server_is_a_time_out_and_closing_still_works(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    async with staged(tmp_path_factory.mktemp("silent") / "share") as stage:
        await kill_server(stage, signal.SIGSTOP)
        async with asyncio.timeout(30):
            results = await asyncio.gather(
                stage.device.frame(), stage.device.act(actions.Click(x=5, y=5)), return_exceptions=True
            )
        assert [type(result) for result in results] == [DeviceTimeout, DeviceTimeout]


async def test_a_closed_device_says_so(tmp_path_factory: pytest.TempPathFactory) -> None:
    async with staged(tmp_path_factory.mktemp("closed") / "share") as stage:
        await stage.device.close()
        for call in (stage.device.frame(), stage.device.act(actions.Click(x=5, y=5)), stage.device.elements()):
            with pytest.raises(DeviceGone, match="closed"):
                await call
