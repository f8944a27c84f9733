"""What is held never reaches the server, whichever way it leaves: a real Chromium, and a server that counts."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import async_playwright

from deskhand.core.actions import Back, Click, Hotkey, Key, OpenUrl, SwitchWindow
from deskhand.core.outgoing import OutgoingRequest
from deskhand.devices.browser.browser_process import Chromium
from deskhand.devices.browser.device import BrowserDevice
from tests.devices.browser.browser_stage import Site, click, device_in, script, serving, show
from tests.devices.browser.test_browser_process import foreign_browser, launched

FIELD = "<input name=amount value=5>"
FORM = f"<form method=post action=/pay>{FIELD}<button>Go</button></form>"
FETCH = "fetch('/pay', {method: 'POST', body: 'amount=5'})"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving() as site:
        site.page("<title>Paid</title>paid", "/pay")
        yield site


pytestmark = pytest.mark.asyncio(loop_scope="module")


@asynccontextmanager
async def holding(chromium: Chromium, site: Site) -> AsyncIterator[BrowserDevice]:
    """Whatever is posted is held."""
    site.posted.clear()
    async with device_in(chromium) as device:
        device.outbox.hold_requests(lambda request: request.method != "GET")
        yield device


async def held(device: BrowserDevice) -> OutgoingRequest:
    async with asyncio.timeout(20):
        while not device.outbox.held:
            await asyncio.sleep(0.01)
    (request,) = device.outbox.held
    return request


async def posted(site: Site, count: int) -> None:
    async with asyncio.timeout(20):
        while len(site.posted) < count:
            await asyncio.sleep(0.01)


WAYS = {
    "a form": FORM,
    "a form in a new tab": FORM.replace("<form", "<form target=_blank"),
    "a form in a frame": "<iframe name=f></iframe>" + FORM.replace("<form", "<form target=f"),
    "a script that submits": FORM.replace("<button", "<button type=button onclick='this.form.submit()'"),
    "fetch": f'<button onclick="{FETCH}">Go</button>',
    "XMLHttpRequest": "<button onclick='x = new XMLHttpRequest(); x.open(`POST`, `/pay`); x.send(`amount=5`)'>Go",
    "later": f'<button onclick="setTimeout(() => {FETCH}, 300)">Go</button>',
    "a worker": "<button onclick=\"new Worker(window.URL.createObjectURL(new Blob(['{code}'])))\">Go</button>",
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
async def test_what_is_held_reaches_the_server_only_when_it_is_released(
    chromium: Chromium, site: Site, way: str
) -> None:
    code = f"fetch(`{site.url('/pay')}`, {{method: `POST`, body: `amount=5`, mode: `no-cors`}})"
    page = site.page(WAYS[way].replace("{code}", code))
    async with holding(chromium, site) as device:
        await show(device, page)
        await click(device, "Go")
        request = await held(device)
        assert (request.method, request.url, request.body) == ("POST", site.url("/pay"), "amount=5")
        assert request.page == ("form" in way or way == "a script that submits")
        assert not request.repeated
        assert site.posted == []
        await device.outbox.release_request(request.id)
        await posted(site, 1)
    async with holding(chromium, site) as device:
        await show(device, page)
        await click(device, "Go")
        await device.outbox.drop_request((await held(device)).id)
        assert device.outbox.held == ()
        assert await script(device, "1 + 1") == 2
        assert site.posted == []


async def test_a_held_page_holds_nobody_up_and_is_there_when_it_is_released(chromium: Chromium, site: Site) -> None:
    async with holding(chromium, site) as device:
        await show(device, site.page(FORM))
        async with asyncio.timeout(5):
            await click(device, "Go")
        assert (await device.app()).title != "Paid"
        await device.outbox.release_request((await held(device)).id)
        assert (await device.app()).title == "Paid"


async def test_an_address_that_leads_on_to_what_is_held_holds_nobody_up(chromium: Chromium, site: Site) -> None:
    site.redirects["/leads-on"] = site.url("/mail?action=delete-all")
    async with device_in(chromium) as device:
        device.outbox.hold_requests(lambda request: "delete" in request.url)
        async with asyncio.timeout(8):
            await device.act(OpenUrl(url=site.url("/leads-on")))
        request = await held(device)
        await device.outbox.drop_request(request.id)
        assert "/mail" not in site.asked


RELOADS = {
    "F5": Key(key="F5"),
    "Ctrl+R": Hotkey(keys=("ctrl", "r")),
    "Ctrl+F5": Hotkey(keys=("ctrl", "F5")),
    "Ctrl+Shift+R": Hotkey(keys=("ctrl", "shift", "r")),
    "a button": Click(x=0, y=0),
    "history.go(0)": "history.go(0)",
    "a script": "location.reload()",
}


@pytest.mark.parametrize("way", RELOADS)
async def test_a_form_that_is_sent_again_is_known_whichever_way(chromium: Chromium, site: Site, way: str) -> None:
    site.page("<title>Paid</title><button onclick='location.reload()'>Again</button>", "/pay")
    async with device_in(chromium) as device:
        site.posted.clear()
        await show(device, site.page(FORM))
        await click(device, "Go")
        await posted(site, 1)
        device.outbox.hold_requests(lambda request: request.repeated)
        match RELOADS[way]:
            case str() as code:
                await script(device, f"void setTimeout(() => {{ {code} }}, 0)")
            case Click():
                await click(device, "Again")
            case action:
                async with asyncio.timeout(5):
                    await device.act(action)
        request = await held(device)
        assert request.repeated
        assert request.url == site.url("/pay")
        await device.outbox.drop_request(request.id)
        assert len(site.posted) == 1


async def test_going_back_and_forth_or_opening_it_anew_sends_nothing_again(chromium: Chromium, site: Site) -> None:
    async with device_in(chromium) as device:
        site.posted.clear()
        await show(device, site.page(FORM))
        await click(device, "Go")
        await posted(site, 1)
        device.outbox.hold_requests(lambda request: request.repeated)
        await show(device, site.page("elsewhere", "/elsewhere"))
        await device.act(Back())
        assert (await device.app()).title == "Paid"
        await device.act(Hotkey(keys=("alt", "Left")))
        await device.act(Hotkey(keys=("alt", "Right")))
        await device.act(OpenUrl(url=site.url("/pay")))
        await device.act(Key(key="F5"))
        assert device.outbox.held == ()
        assert len(site.posted) == 1


async def test_the_same_form_filled_in_again_is_no_repetition(chromium: Chromium, site: Site) -> None:
    async with device_in(chromium) as device:
        device.outbox.hold_requests(lambda request: request.repeated)
        site.posted.clear()
        for count in (1, 2):
            await show(device, site.page(FORM))
            await click(device, "Go")
            await posted(site, count)


async def test_in_a_frame_of_another_site_too(chromium: Chromium, site: Site) -> None:
    site.page(f"{FORM}", "/inner.html")
    site.page("<button onclick='location.reload()'>Again</button>", "/pay")
    inner = site.url("/inner.html", "localhost")
    async with device_in(chromium) as device:
        site.posted.clear()
        await show(device, site.page(f"<iframe src='{inner}'></iframe>"))
        await click(device, "Go")
        await posted(site, 1)
        device.outbox.hold_requests(lambda request: request.repeated)
        async with asyncio.timeout(20):
            while "Again" not in [one.name for one in await device.elements()]:
                await asyncio.sleep(0.05)
        await click(device, "Again")
        await device.outbox.drop_request((await held(device)).id)
        assert len(site.posted) == 1


async def test_nothing_is_held_unless_somebody_judges(chromium: Chromium, site: Site) -> None:
    async with device_in(chromium) as device:
        site.posted.clear()
        await show(device, site.page(FORM))
        await click(device, "Go")
        await posted(site, 1)
        assert device.outbox.held == ()


async def test_a_tab_that_was_open_before_is_held_too(site: Site, tmp_path: Path) -> None:
    """Attached to a browser that somebody has used: its page has begun before we came."""
    site.posted.clear()
    page = site.page(f'<button onclick="{FETCH}">Go</button>')
    async with foreign_browser(tmp_path) as (cdp_url, _):
        async with launched(cdp_url=cdp_url, url=page):
            pass
        async with launched(cdp_url=cdp_url) as device:
            assert (await device.app()).name in page
            device.outbox.hold_requests(lambda request: request.method != "GET")
            await click(device, "Go")
            await device.outbox.release_request((await held(device)).id)
            await posted(site, 1)
            assert device.outbox.held == ()


async def test_what_the_user_sends_from_another_tab_is_not_held(site: Site, tmp_path: Path) -> None:
    site.posted.clear()
    button = f'<button onclick="{FETCH}">Go</button>'
    ours, theirs = site.page(button, "/ours.html"), site.page(button, "/theirs.html")
    async with foreign_browser(tmp_path) as (cdp_url, _), async_playwright() as driver:
        user = await driver.chromium.connect_over_cdp(cdp_url)
        tabs = [await user.contexts[0].new_page() for _ in range(2)]
        await tabs[0].goto(theirs)
        await tabs[1].goto(ours)
        async with launched(cdp_url=cdp_url) as device:
            device.outbox.hold_requests(lambda request: request.method != "GET")
            await device.act(SwitchWindow(title="ours"))
            await tabs[0].evaluate(f"() => void {FETCH}")
            await posted(site, 1)
            await click(device, "Go")
            assert (await held(device)).method == "POST"
            assert len(site.posted) == 1


async def test_a_control_tells_which_request_it_is_made_for(chromium: Chromium, site: Site) -> None:
    page = site.page(
        "<a href='/orders'>Orders</a><a href='#top'>Top</a><a href='javascript:x()'>Script</a>"
        "<form method=post action='/items/5?do=x'><input name=action value=y><button>Save</button>"
        "<button formmethod=get formaction='/look'>Look</button><button type=button>Plain</button></form>"
        "<form><input type=submit value=Find></form><button>Outside</button>"
    )
    async with device_in(chromium) as device:
        await show(device, page)
        sends = {one.name: one.sends for one in await device.elements() if one.clickable and not one.editable}
    assert sends == {
        "Orders": f"GET {site.url('/orders')}", "Top": "", "Script": "", "Save": f"POST {site.url('/items/5?do=x')}",
        "Look": f"GET {site.url('/look')}", "Plain": "", "Find": f"GET {page}", "Outside": "",
    }  # fmt: skip
