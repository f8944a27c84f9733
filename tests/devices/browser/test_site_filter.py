"""A browser with lists of sites stays on them, whatever leads away: a real Chromium, and one site under two names."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from deskhand.clock import SystemClock
from deskhand.core.actions import Back, Click, Key, Move, OpenUrl
from deskhand.core.errors import ActionFailed
from deskhand.devices.browser.browser_process import Chromium
from deskhand.devices.browser.device import BrowserDevice, open_browser, open_in_browser
from deskhand.devices.browser.provider import BrowserProvider
from deskhand.devices.browser.site_filter import SiteFilter
from deskhand.settings.schema import BrowserSettings, PolicySettings
from tests.devices.browser.browser_stage import Site, click, device_in, find, script, serving, show

GOOD, BAD = "127.0.0.1", "localhost"
ALLOWED = PolicySettings(sites_allow=(GOOD,))
REFUSED = "is blocked: it is not in policy.sites_allow"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving() as site:
        site.page("<title>Bad</title>bad", "/bad.html")
        yield site


pytestmark = pytest.mark.asyncio(loop_scope="module")


@asynccontextmanager
async def kept(chromium: Chromium, policy: PolicySettings = ALLOWED) -> AsyncIterator[BrowserDevice]:
    device = await open_in_browser(chromium, BrowserSettings(), clock=SystemClock(), policy=policy)
    try:
        yield device
    finally:
        await device.close()


async def addresses(device: BrowserDevice) -> list[str]:
    """Of all tabs and all frames in them, by another way than the guard's."""
    pages = (await device._window.get_front_tab()).page.context.pages
    return [frame.url for page in pages for frame in page.frames]


async def refused_by_now(device: BrowserDevice) -> str:
    """Waits until the guard has refused something by itself, and tells what."""
    async with asyncio.timeout(20):
        while not (device._window.sites._refused or device._window._notes):
            await asyncio.sleep(0.02)
    assert f"{BAD}:" not in "".join(await addresses(device))
    return await device.act(Move(x=1, y=1))


async def told_of_a_click(device: BrowserDevice) -> str:
    """At once, or with the next action."""
    try:
        told = await click(device, "go")
    except ActionFailed as refused:
        return str(refused)
    return told if REFUSED in told else await refused_by_now(device)


LEADING_AWAY = {
    "a link": "<a href='{bad}'>go</a>",
    "a link to a site that leads on": "<a href='/to-bad'>go</a>",
    "a form": "<form action='{bad}' method=post><input name=a value=1><button>go</button></form>",
    "a script": "<button onclick=\"location.href='{bad}'\">go</button>",
    "a script that posts": "<form id=f action='{bad}'></form><button onclick='f.submit()'>go</button>",
}


@pytest.mark.parametrize("how", LEADING_AWAY)
async def test_what_is_clicked_does_not_lead_away(chromium: Chromium, site: Site, how: str) -> None:
    page = site.page(LEADING_AWAY[how].format(bad=site.url("/bad.html", BAD)))
    site.redirects["/to-bad"] = site.url("/bad.html", BAD)
    async with kept(chromium) as device:
        await show(device, page)
        with pytest.raises(ActionFailed, match=f"^{BAD}:\\d+ {REFUSED}"):
            await click(device, "go")
        assert await addresses(device) == [page]
        assert "/bad.html" not in site.asked
        # It can be worked on as before.
        assert (await find(device, "go")).enabled
        assert await device.act(Move(x=1, y=1)) == ""


@pytest.mark.parametrize("url", ["view-source:file:///etc/passwd", "VIEW-SOURCE:%66ile:///etc/passwd", "fi\tle:///etc"])
async def test_a_denied_scheme_is_denied_in_any_disguise(chromium: Chromium, url: str) -> None:
    async with kept(chromium, PolicySettings(sites_deny=("file:",))) as device:
        with pytest.raises(ActionFailed, match=r"^file: is blocked by policy.sites_deny\."):
            await device.act(OpenUrl(url=url))
        assert await addresses(device) == ["about:blank"]


OPENING = {
    "a link to a new tab": "<a href='{bad}' target=_blank>go</a>",
    "a pop-up": "<button onclick=\"window.open('{bad}')\">go</button>",
    "a pop-up that is filled afterwards": "<button onclick=\"w = window.open(''); w.location = '{bad}'\">go</button>",
    "a page that goes on by itself": "<button onclick=\"setTimeout(() => location = '{bad}', 50)\">go</button>",
    "a page that is refreshed elsewhere": "<a href='/meta.html'>go</a>",
    "a frame made by a script": "<button onclick=\"body.append(Object.assign(f, {{src: '{bad}'}}))\">go</button>"
    "<iframe id=f></iframe><script>body = document.body</script>",
}


@pytest.mark.parametrize("how", OPENING)
async def test_what_opens_by_itself_does_not_lead_away(chromium: Chromium, site: Site, how: str) -> None:
    bad = site.url("/bad.html", BAD)
    site.page(f"<meta http-equiv=refresh content='0;url={bad}'>here", "/meta.html")
    page = site.page(OPENING[how].format(bad=bad))
    async with kept(chromium) as device:
        await show(device, page)
        told = await told_of_a_click(device)
        assert f"{BAD}:" in told
        assert REFUSED in told
        assert "/bad.html" not in site.asked


async def test_a_frame_of_another_site_stays_empty_and_the_page_around_it_works(chromium: Chromium, site: Site) -> None:
    bad = site.url("/bad.html", BAD)
    site.redirects["/to-bad"] = bad
    page = site.page(
        f"<iframe src='{bad}'></iframe><iframe src='/to-bad'></iframe><button onclick='x = 1'>press</button>"
    )
    async with kept(chromium) as device:
        told = await device.act(OpenUrl(url=page))
        told += await refused_by_now(device) if "frame" not in told else ""
        assert "a frame was blocked: localhost" in told
        await click(device, "press")
        assert await script(device, "x") == 1
        assert "/bad.html" not in site.asked


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("http://localhost:{port}/bad.html", "localhost"),
        ("LOCALHOST.:{port}/bad.html", "localhost"),
        ("http://127.0.0.1@localhost:{port}/bad.html", "localhost"),
        ("view-source:http://localhost:{port}/bad.html", "localhost"),
        ("data:text/html,<p>127.0.0.1", "data:"),
        ("file:///etc/hostname", "file:"),
        ("chrome://version", "chrome:"),
        ("http://[::1]:{port}/", r"\[::1\]"),
    ],
)
async def test_an_address_that_is_not_listed_is_not_opened(
    chromium: Chromium, site: Site, url: str, named: str
) -> None:
    async with kept(chromium) as device:
        page = site.page("here")
        await show(device, page)
        port = page.split(":")[2].split("/")[0]
        with pytest.raises(ActionFailed, match=f"^{named}.* is blocked: .*policy.sites_allow"):
            await device.act(OpenUrl(url=url.format(port=port)))
        assert await addresses(device) == [page]
        assert "/bad.html" not in site.asked


async def test_an_address_that_leads_on_is_refused_where_it_leads(chromium: Chromium, site: Site) -> None:
    site.redirects["/first"] = site.url("/second")
    site.redirects["/second"] = site.url("/bad.html", BAD)
    async with kept(chromium) as device:
        with pytest.raises(ActionFailed, match=REFUSED):
            await device.act(OpenUrl(url=site.url("/first")))
        assert "/second" in site.asked
        assert "/bad.html" not in site.asked


async def test_the_allowed_site_works_as_ever(chromium: Chromium, site: Site) -> None:
    site.redirects["/moved"] = site.url("/form.html")
    page = site.page("<a href='/moved'>on</a><iframe src='/form.html'></iframe><iframe srcdoc='inside'></iframe>")
    async with kept(chromium) as device:
        await show(device, page)
        await click(device, "on")
        assert (await script(device, "location.pathname")) == "/form.html"
        await device.act(Back())
        assert (await script(device, "location.pathname")) == "/page.html"
        assert await device.act(OpenUrl(url="about:blank")) == ""


async def test_a_denied_site_is_refused_and_all_others_are_not(chromium: Chromium, site: Site) -> None:
    async with kept(chromium, PolicySettings(sites_deny=(BAD,))) as device:
        await show(device, site.page(f"<a href='{site.url('/bad.html', BAD)}'>go</a>"))
        with pytest.raises(ActionFailed, match=r"^localhost:\d+ is blocked by policy.sites_deny"):
            await click(device, "go")


async def test_a_page_that_was_there_before_is_not_worked_on_but_can_be_left(chromium: Chromium, site: Site) -> None:
    async with device_in(chromium) as device:
        await show(device, site.url("/bad.html", BAD))
        device._window.sites._lists = ((GOOD,), ())
        for action in (Click(x=5, y=5), Key(key="a"), Move(x=5, y=5)):
            with pytest.raises(ActionFailed, match=REFUSED):
                await device.act(action)
        await device.act(OpenUrl(url=site.page("good")))
        assert await device.act(Move(x=1, y=1)) == ""
        site.asked.clear()


async def test_without_lists_nothing_is_asked(chromium: Chromium, site: Site) -> None:
    async with device_in(chromium) as device:
        await show(device, site.url("/bad.html", BAD))
        assert device._window.sites._session is None
    site.asked.clear()


async def test_a_browser_from_the_settings_begins_on_a_listed_page_only(site: Site) -> None:
    with pytest.raises(ActionFailed, match=REFUSED):
        await BrowserProvider(BrowserSettings(), SystemClock(), ALLOWED).open(site.url("/bad.html", BAD))
    assert "/bad.html" not in site.asked


async def test_a_profile_of_ones_own_is_kept_on_its_sites_too(site: Site, tmp_path: Path) -> None:
    settings = BrowserSettings(profile=tmp_path / "profile")
    device = await open_browser(settings, clock=SystemClock(), policy=ALLOWED)
    try:
        await show(device, site.page(f"<a target=_blank href='{site.url('/bad.html', BAD)}'>go</a>"))
        assert REFUSED in await told_of_a_click(device)
        assert "/bad.html" not in site.asked
    finally:
        await device.close()


@pytest.mark.parametrize("own", [True, False], ids=["a window of its own", "somebody's browser"])
async def test_what_waits_for_its_judgment_does_not_go_on_when_the_device_closes(
    chromium: Chromium, site: Site, own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = asyncio.Event()

    async def never_judged(self: SiteFilter, frame: str) -> bool:
        asked.set()
        return await asyncio.Future[bool]()

    monkeypatch.setattr(SiteFilter, "_is_page", never_judged)
    async with kept(chromium) as device:
        page = site.page(f"<a target=_blank href='{site.url('/bad.html', BAD)}'>go</a>")
        await show(device, page)
        device._window._fresh = own
        with contextlib.suppress(ActionFailed):
            await click(device, "go")
        await asyncio.wait_for(asked.wait(), 20)
    async with device_in(chromium) as device:  # time enough for it to arrive
        await show(device, site.page("here"))
    assert "/bad.html" not in site.asked
