"""The browser's change signal: prompt, silent on a still page, and resting on an animated one."""

import asyncio
from contextlib import aclosing
from typing import Any, cast

import pytest

from deskhand.clock import SystemClock
from deskhand.core.actions import Click
from deskhand.devices.browser.device import BrowserDevice
from deskhand.screen.stillness.settle import VisualStability
from deskhand.settings.schema import SettleSettings
from tests.devices.browser.browser_stage import Site, click, find, script, show

pytestmark = pytest.mark.asyncio(loop_scope="module")

SPIN = """<style>@keyframes spin { to { transform: rotate(1turn) } }
  div { width: 200px; height: 200px; background: linear-gradient(red, blue); animation: spin 1s linear infinite }
  </style><div></div>"""


class Ear:
    """Counts signals."""

    def __init__(self, device: BrowserDevice) -> None:
        self.count = 0
        self._changes = cast("Any", device.changes())
        self._task = asyncio.ensure_future(self._listen())

    async def _listen(self) -> None:
        async with aclosing(self._changes) as changes:
            async for _ in changes:
                self.count += 1

    async def quiet(self) -> None:
        """Until nothing was heard for a while."""
        async with asyncio.timeout(20):
            while True:
                before = self.count
                await asyncio.sleep(0.4)
                if self.count == before:
                    return

    async def close(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


async def test_a_still_page_is_silent_and_a_change_is_told(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<p id=p>still"))
    ear = Ear(device)
    try:
        await ear.quiet()
        before = ear.count
        await script(device, "p.textContent = 'changed'")
        async with asyncio.timeout(10):
            while ear.count == before:
                await asyncio.sleep(0.01)
        await ear.quiet()
    finally:
        await ear.close()


async def test_the_signal_follows_the_tab_in_front(device: BrowserDevice, site: Site) -> None:
    site.page("<title>Second</title><button onclick='this.textContent=Math.random()'>Go</button>", "/second.html")
    await show(device, site.page("<a href='/second.html' target=_blank>Open</a>"))
    ear = Ear(device)
    try:
        await click(device, "Open")
        async with asyncio.timeout(10):
            while (await device.app()).title != "Second":
                await device.frame()
        await ear.quiet()
        before = ear.count
        await click(device, "Go")
        async with asyncio.timeout(10):
            while ear.count == before:
                await asyncio.sleep(0.01)
    finally:
        await ear.close()


async def test_on_an_animated_page_the_screencast_rests_but_signals_go_on(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page(SPIN))
    ear = Ear(device)
    changes = device._window.changes
    try:
        async with asyncio.timeout(20):
            while not (changes._resting and not changes._running):
                await asyncio.sleep(0.02)
        before = ear.count
        async with asyncio.timeout(10):
            while ear.count == before:
                await asyncio.sleep(0.02)
        await script(device, "document.querySelector('div').remove()")
        async with asyncio.timeout(20):
            while not changes._running:
                await asyncio.sleep(0.05)
        await ear.quiet()
    finally:
        await ear.close()


async def test_a_click_settles_with_the_new_picture(device: BrowserDevice, site: Site) -> None:
    page = "<body style='margin:0'><button onclick=\"setTimeout(() => document.body.style.background='red', 150)\">Go"
    await show(device, site.page(page))
    settle = VisualStability(SettleSettings(), SystemClock())
    before = await device.frame()
    x, y = (await find(device, "Go")).bounds.center
    await device.act(Click(x=x, y=y))
    settled = await settle(device, before)
    assert settled.still
    assert settled.frame.pixels[700, 1000, 0] > 240
    assert settled.frame.pixels[700, 1000, 1] < 20
