"""The contract on pictures: what a frame is, and that it stays what it was."""

import asyncio

import numpy as np
import pytest

from deskhand.types import Frame
from tests.contract.stage import Stage, until

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
