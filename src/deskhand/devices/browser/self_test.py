"""The self-test at attach: draws targets on a blank tab, finds them in the screenshot, clicks them, and measures."""

from typing import Any

import numpy as np

from deskhand.core.actions import Click
from deskhand.core.errors import DeviceSetup
from deskhand.core.protocols import Device
from deskhand.core.screen import Frame
from deskhand.devices.browser.window import BrowserWindow
from deskhand.devices.click_test import check_aim
from deskhand.screen.frame import to_image

_SIDE = 21
# Colours that survive JPEG, one per target: the corners and the middle.
_TARGETS = (
    ("left:8px;top:8px", (255, 0, 0)),
    ("right:8px;top:8px", (0, 160, 0)),
    ("left:8px;bottom:8px", (0, 0, 255)),
    ("right:8px;bottom:8px", (200, 0, 200)),
    ("left:calc(50% - 10px);top:calc(50% - 10px)", (0, 0, 0)),
)
_PAGE = (
    "<!doctype html><title>Deskhand self-test</title><body style='margin:0;background:#fff'>"
    + "".join(
        f"<div style='position:fixed;{place};width:{_SIDE}px;height:{_SIDE}px;background:rgb{colour}'></div>"
        for place, colour in _TARGETS
    )
    + "<script>addEventListener('mousedown', e => { window.landed = [e.clientX + 0.5, e.clientY + 0.5] })</script>"
)


async def run_self_test(device: Device, window: BrowserWindow) -> None:
    before = await window.get_front_tab()
    tab = await window.open_tab()
    try:
        await tab.page.set_content(_PAGE)
        frame = await device.frame()
        targets = [_find_middle(frame, colour) for _, colour in _TARGETS]

        async def click_target(x: int, y: int) -> None:
            await tab.page.evaluate("window.landed = null")
            await device.act(Click(x=x, y=y))

        async def read_landing() -> tuple[int, int] | None:
            place: Any = await tab.page.evaluate("window.landed && window.landed.map((at) => at * devicePixelRatio)")
            return (int(place[0]), int(place[1])) if place else None

        await check_aim(targets, click_target, read_landing)
    finally:
        await window.show_tab(before)
        await tab.page.close()
        window.take_notes()


def _find_middle(frame: Frame, colour: tuple[int, int, int]) -> tuple[int, int]:
    """Return the middle of that colour in the screenshot."""
    pixels = np.asarray(to_image(frame), dtype=np.int16)
    near = np.abs(pixels - np.array(colour, dtype=np.int16)).max(axis=2) < 60
    rows, columns = np.nonzero(near)
    if not len(rows):
        raise DeviceSetup(
            "The self-test failed: the browser's screenshot does not show its page. Restart the browser and try again."
        )
    return int(columns.mean().round()), int(rows.mean().round())
