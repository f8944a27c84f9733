"""The contract on pictures: what a frame is, that it stays what it was, and that points and boxes are pixels of it.

What has to hold at every scale, zoom and rotation is all here, for each of them is a device to open.
"""

import asyncio

import numpy as np
import pytest

from deskhand.core.actions import Click
from deskhand.core.errors import NotPossible
from deskhand.core.screen import Frame
from tests.contract.stage import ROLES, Stage, close, felt, listed, until

pytestmark = pytest.mark.asyncio(loop_scope="package")


@pytest.mark.every_look
async def test_a_frame_is_whole_and_can_not_be_written_to(stage: Stage) -> None:
    frame = await stage.device.frame()
    assert frame.order in ("RGBA", "BGRA")
    assert frame.pixels.dtype == np.uint8
    assert frame.pixels.shape == (frame.height, frame.width, 4)
    assert frame.pixels.flags.c_contiguous
    assert not frame.pixels.flags.writeable
    assert (frame.pixels[:, :, 3] == frame.pixels[0, 0, 3]).all()
    assert not frame.secure
    assert frame.at > 0


async def test_a_frame_shows_what_the_app_painted_and_an_older_one_still_what_was_there(stage: Stage) -> None:
    x, y = (await stage.board()).places["Pad"].center
    before = await stage.device.frame()
    kept = before.pixels.copy()
    await stage.paint()

    async def painted() -> bool:
        return not near(before, await stage.device.frame(), x, y)

    await until(painted, "the new colour in the picture")
    assert np.array_equal(before.pixels, kept)


def near(one: Frame, other: Frame, x: int, y: int) -> bool:
    return int(np.abs(one.pixels[y, x].astype(int) - other.pixels[y, x].astype(int)).max()) < 16


async def test_frames_that_are_asked_for_at_once_all_come(stage: Stage) -> None:
    frames = await asyncio.gather(*(stage.device.frame() for _ in range(5)))
    assert len({frame.size for frame in frames}) == 1
    assert len({frame.pixels.__array_interface__["data"][0] for frame in frames}) == 5


async def test_pictures_elements_and_the_app_can_be_asked_for_at_once(stage: Stage) -> None:
    device = stage.device
    frame, app, apps = await asyncio.gather(device.frame(), device.app(), device.apps())
    assert frame.width > 0
    assert app.name
    assert all(isinstance(name, str) and name for name in apps)


# --- points and boxes -------------------------------------------------------------------------------------------------


@pytest.mark.every_look
async def test_clicks_land_in_the_corners_and_in_the_middle(stage: Stage) -> None:
    width, height = (await stage.device.frame()).size
    right, bottom = width - 1, height - 1
    for point in ((0, 0), (right, 0), (0, bottom), (right, bottom), (width // 2, height // 2)):
        await stage.reset()
        await stage.device.act(Click(x=point[0], y=point[1]))
        press = (await felt(stage, "press", "release")).heard("press")
        assert [one.button for one in press] == ["left"]
        assert close((press[0].x, press[0].y), point), f"a click at {point} was felt at {press[0]}"


@pytest.mark.every_look
async def test_clicks_land_while_pictures_are_taken(stage: Stage) -> None:
    x, y = (await stage.board()).places["Pad"].center
    ended = asyncio.Event()

    async def take_pictures() -> None:
        while not ended.is_set():
            await stage.device.frame()

    async with asyncio.TaskGroup() as group:
        group.create_task(take_pictures())
        for _ in range(8):
            await stage.device.act(Click(x=x, y=y))
        ended.set()
    presses = [(one.x, one.y) for one in (await felt(stage, "press", "release", times=8)).heard("press")]
    assert len(presses) == 8
    assert all(close(press, (x, y)) for press in presses), f"{presses} for {(x, y)}"


@pytest.mark.every_look
async def test_a_point_outside_of_the_frame_is_refused(stage: Stage) -> None:
    width, height = (await stage.device.frame()).size
    for x, y in ((width, 5), (5, height), (60_000, 60_000)):
        with pytest.raises(NotPossible, match="outside"):
            await stage.device.act(Click(x=x, y=y))
    assert not (await stage.board()).felt


@pytest.mark.every_look
async def test_a_click_presses_what_is_under_it(stage: Stage) -> None:
    places = (await stage.board()).places
    for name in ("Press me", "Disabled", "Agree"):
        x, y = places[name].center
        await stage.device.act(Click(x=x, y=y))

    async def done() -> bool:
        board = await stage.board()
        return board.agreed and board.pressed == 1

    await until(done, "the button pressed once and the box ticked")


@pytest.mark.has(tree=True)
@pytest.mark.every_look
async def test_every_part_is_found_where_it_is(stage: Stage) -> None:
    places = (await stage.board()).places
    found = await listed(stage)
    visible = {name for name in ROLES if places[name].area}
    assert found.keys() >= visible
    for name in visible:
        x, y = found[name].bounds.center
        assert places[name].contains_point(x, y), f"{name} is listed at {found[name].bounds} but is at {places[name]}"
        assert found[name].enabled == (name != "Disabled")
        assert found[name].clickable or name == "Disabled"
        assert found[name].editable == (ROLES[name] == "field")
        assert found[name].password == (name == "Password")
