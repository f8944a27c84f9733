"""A page that does not respond is told as such within one limit; one that is only busy, or has to wait, is not."""

import asyncio
import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from deskhand.core.actions import Action, Back, Click, Key, Move, Scroll, Type
from deskhand.core.errors import AppFrozen
from deskhand.core.outgoing import OutgoingRequest
from deskhand.devices.browser.device import BrowserDevice
from deskhand.settings.schema import BrowserSettings
from tests.devices.browser.browser_stage import Site, click, device_in, find, running, script, show

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIMIT_S = 2.0
SETTINGS = BrowserSettings(page_timeout_s=LIMIT_S)
BUSY = "<script>function work(s) { const end = Date.now() + s * 1000; while (Date.now() < end); }</script>"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def device() -> AsyncIterator[BrowserDevice]:
    async with running(SETTINGS) as chromium, device_in(chromium, SETTINGS) as device:
        yield device


async def freeze(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<button onclick='for(;;);'>Go</button>"))
    with pytest.raises(AppFrozen, match=r"page\.html did not respond for 2 s: open it again, or use another page"):
        await click(device, "Go")


async def test_once_a_page_is_frozen_nothing_waits_for_it_any_more(device: BrowserDevice, site: Site) -> None:
    await freeze(device, site)
    begun = time.monotonic()
    for look in (device.frame, device.elements, device.app):
        with pytest.raises(AppFrozen):
            await look()
    actions: list[Action] = [
        Click(x=9, y=9), Move(x=9, y=9), Type(text="a"), Key(key="enter"), Scroll(x=9, y=9, direction="down"), Back(),
    ]  # fmt: skip
    for action in actions:
        with pytest.raises(AppFrozen):
            await device.act(action)
    assert time.monotonic() - begun < LIMIT_S
    await show(device, site.page("<button>Next</button>", "/next.html"))
    await find(device, "Next")
    assert len(device._window.tabs) == 1


@pytest.mark.parametrize("body", ["<script>for(;;);</script>", "<script>setTimeout(() => { for(;;); }, 0)</script>"])
async def test_a_page_that_is_frozen_as_it_loads_is_told_by_the_first_look(
    device: BrowserDevice, site: Site, body: str
) -> None:
    begun = time.monotonic()
    with pytest.raises(AppFrozen):
        await show(device, site.page(body))
    assert time.monotonic() - begun < 3 * LIMIT_S


async def test_a_page_that_is_only_busy_is_waited_for(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page(BUSY + "<button onclick='work(1); textContent = \"Done\"'>Go</button>"))
    await click(device, "Go")
    await find(device, "Done")


async def test_a_page_that_comes_back_is_worked_on_as_before(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page(BUSY + "<button onclick='work(4); textContent = \"Done\"'>Go</button>"))
    with pytest.raises(AppFrozen):
        await click(device, "Go")
    async with asyncio.timeout(30):
        await script(device, "1")  # answers as soon as the page can
        while device._window._front and device._window._front.cdp.interruption.reason:
            await asyncio.sleep(0)
    await find(device, "Done")


async def test_an_open_dialog_is_no_frozen_page(device: BrowserDevice, site: Site) -> None:
    body = BUSY + '<button onclick=\'work(1); alert("hi"); work(1); textContent = "Done"\'>Go</button>'
    await show(device, site.page(body))
    await click(device, "Go")
    await asyncio.sleep(LIMIT_S * 1.5)
    await click(device, "OK")
    await find(device, "Done")


async def test_a_page_whose_request_waits_for_the_user_is_not_frozen(device: BrowserDevice, site: Site) -> None:
    ask = "const r = new XMLHttpRequest(); r.open(`POST`, `/send`, false); r.send(`x`)"
    await show(device, site.page(f"<button onclick='{ask}; textContent = `Done`'>Go</button>"))
    button = await find(device, "Go")
    x, y = button.bounds.center

    def must_hold(request: OutgoingRequest) -> bool:
        return request.method == "POST"

    device.outbox.hold_requests(must_hold)
    try:
        clicking = asyncio.ensure_future(device.act(Click(x=x, y=y)))
        await asyncio.sleep(LIMIT_S * 1.5)
        (held,) = device.outbox.held
        await device.outbox.release_request(held.id)
        await clicking
    finally:
        device.outbox.hold_requests(None)
    await find(device, "Done")


async def test_a_page_of_dialogs_without_end_can_be_left(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<button onclick='for(;;) alert(1)'>Go</button>"))
    await click(device, "Go")
    await show(device, site.page("<button>Next</button>", "/next.html"))
    await find(device, "Next")
    assert len(device._window.tabs) == 1
