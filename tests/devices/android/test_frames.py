"""Pictures of the simulated phone's screen, and what becomes of bad ones."""

import asyncio
import gzip
import io
import struct
import time
from contextlib import AsyncExitStack

import numpy as np
import pytest
from PIL import Image

from deskhand.clock import ManualClock, SystemClock
from deskhand.core.actions import Click, OpenApp
from deskhand.core.errors import BadFrame, DeviceGone, DeviceOffline
from deskhand.devices.android.adb.client import PICTURES, AdbClient
from deskhand.devices.android.frames import ScreenCapture, decode_gzip, decode_png, decode_raw, is_black
from deskhand.devices.android.phone_shell import PhoneShell
from deskhand.simphone.adb.phone_server import SimPhone
from tests.devices.conftest import Attach, Plug


async def rested(sim: SimPhone) -> None:
    deadline = time.monotonic() + 10
    while sim.phone.display.is_animating():
        assert time.monotonic() < deadline
        await SystemClock().sleep(0.01)


def screenshot(sim: SimPhone) -> np.ndarray:
    return np.asarray(sim.phone.display.take_screenshot().convert("RGBA"))


async def test_a_frame_is_the_screen_to_the_pixel(attach: Attach) -> None:
    device, sim = await attach()
    frame = await device.frame()
    assert frame.size == (1080, 2400)
    assert frame.pixels.flags.c_contiguous
    assert not frame.secure
    assert np.array_equal(frame.pixels, screenshot(sim))


async def test_the_fastest_method_is_found_once_and_kept(plug: Plug, adb_client: AdbClient) -> None:
    capture = ScreenCapture(PhoneShell(adb_client, (await plug()).address, SystemClock()), SystemClock())
    assert capture.method is None
    await capture.take_frame()
    method = capture.method
    assert method in {"raw", "gzip", "png"}
    await capture.take_frame()
    assert capture.method == method


async def test_when_all_methods_are_equally_fast_raw_is_taken(plug: Plug, adb_client: AdbClient) -> None:
    capture = ScreenCapture(PhoneShell(adb_client, (await plug()).address, SystemClock()), ManualClock())
    await capture.take_frame()
    assert capture.method == "raw"


async def test_a_known_method_is_taken_without_trying(plug: Plug, adb_client: AdbClient) -> None:
    sim = await plug()
    capture = ScreenCapture(PhoneShell(adb_client, sim.address, SystemClock()), SystemClock(), "png")
    assert np.array_equal((await capture.take_frame()).pixels, screenshot(sim))
    assert capture.method == "png"


async def test_so_many_pictures_come_at_once_and_the_next_one_waits_its_turn(
    attach: Attach, adb_client: AdbClient
) -> None:
    device, _ = await attach()
    async with AsyncExitStack() as others:
        for _ in range(PICTURES):
            await others.enter_async_context(adb_client.pictures)
        waiting = asyncio.create_task(device.frame())
        await device.app()  # what is no picture goes on meanwhile
        assert not waiting.done()
    assert (await waiting).size == (1080, 2400)


@pytest.mark.parametrize("way", ["raw", "gzip", "png"])
async def test_every_way_gives_the_same_picture(plug: Plug, adb_client: AdbClient, way: str) -> None:
    sim = await plug()
    capture = ScreenCapture(PhoneShell(adb_client, sim.address, SystemClock()), SystemClock())
    capture.way = way  # type: ignore[assignment] # one of the three
    frame = await capture.take_frame()
    assert np.array_equal(frame.pixels, screenshot(sim))


async def test_a_turned_phone_gives_a_turned_frame_and_takes_its_points(attach: Attach) -> None:
    device, sim = await attach()
    await device.frame()
    sim.phone.conditions.add("rotated")
    frame = await device.frame()
    assert frame.size == (2400, 1080)
    settings = next(each for each in await device.elements() if each.name == "Settings" and each.clickable)
    await device.act(Click(x=settings.bounds.center[0], y=settings.bounds.center[1]))
    assert sim.phone.windows.foreground[0] == "com.android.settings"


async def test_a_secure_window_is_flagged(attach: Attach) -> None:
    device, sim = await attach()
    await device.act(OpenApp(name="Example Bank"))
    await rested(sim)
    assert (await device.frame()).secure
    await device.act(OpenApp(name="Settings"))
    await rested(sim)
    assert not (await device.frame()).secure


async def test_a_picture_that_breaks_off_is_taken_again(attach: Attach) -> None:
    device, sim = await attach()
    await device.frame()
    sim.phone.conditions.add("drop-once")
    assert (await device.frame()).size == (1080, 2400)
    assert "drop-once" not in sim.phone.conditions
    sim.phone.conditions.add("drop")
    with pytest.raises((BadFrame, DeviceGone, DeviceOffline)):
        await device.frame()


# --- reading ------------------------------------------------------------------------------------------------------

PIXELS = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)


def raw(pixels: np.ndarray, *, pixel_format: int = 1, colour_space: bool = True) -> np.ndarray:
    height, width, _ = pixels.shape
    head = struct.pack("<3I", width, height, pixel_format) + (struct.pack("<I", 1) if colour_space else b"")
    return np.frombuffer(head + pixels.tobytes(), np.uint8)


@pytest.mark.parametrize("colour_space", [True, False])
def test_the_header_of_old_and_new_android_is_understood(colour_space: bool) -> None:
    pixels, order = decode_raw(raw(PIXELS, colour_space=colour_space))
    assert order == "RGBA"
    assert np.array_equal(pixels, PIXELS)
    assert pixels.flags.c_contiguous


def test_blue_first_is_kept_as_it_came() -> None:
    assert decode_raw(raw(PIXELS, pixel_format=5))[1] == "BGRA"


def test_a_raw_picture_is_viewed_and_not_copied() -> None:
    data = raw(PIXELS)
    assert np.shares_memory(decode_raw(data)[0], data)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (raw(PIXELS)[:-1], "incomplete"),
        (raw(PIXELS)[:5], "only 5 bytes"),
        (raw(PIXELS, pixel_format=4), "pixel format 4"),
        (np.frombuffer(b"/system/bin/sh: screencap: not found", np.uint8), "does not start with its size"),
    ],
)
def test_a_broken_raw_picture_is_refused(data: np.ndarray, why: str) -> None:
    with pytest.raises(BadFrame, match=why):
        decode_raw(data)


def test_a_broken_packed_picture_is_refused() -> None:
    whole = gzip.compress(raw(PIXELS).tobytes())
    assert np.array_equal(decode_gzip(whole)[0], PIXELS)
    with pytest.raises(BadFrame, match="damaged"):
        decode_gzip(whole[:-9])


def test_a_broken_png_is_refused() -> None:
    out = io.BytesIO()
    Image.fromarray(np.full((50, 50, 4), 200, np.uint8), "RGBA").save(out, "PNG")
    assert decode_png(out.getvalue())[0].shape == (50, 50, 4)
    for data in (out.getvalue()[:60], b"", b"no picture at all"):
        with pytest.raises(BadFrame, match="damaged"):
            decode_png(data)


def test_only_a_picture_with_nothing_between_its_bars_is_black() -> None:
    picture = np.zeros((2400, 1080, 4), np.uint8)
    picture[:, :, 3] = 255
    assert is_black(picture)
    picture[20, 900, 0] = 200  # a clock in the status bar
    assert is_black(picture)
    picture[1201, 501, 2] = 1  # one dim pixel that the samples miss
    assert not is_black(picture)
