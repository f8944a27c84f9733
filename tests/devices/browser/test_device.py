"""The browser as a device: what it shows and lists, with a real Chromium and pages served on loopback."""

import asyncio
from typing import Any

import pytest

from deskhand.core.actions import Click, Hotkey, OpenApp, OpenUrl, Scroll
from deskhand.core.errors import ActionFailed, BadFrame, NoElements, NotPossible
from deskhand.devices.browser.browser_process import Chromium
from deskhand.devices.browser.device import BrowserDevice
from deskhand.devices.browser.tab import Tab
from deskhand.settings.schema import BrowserSettings
from tests.devices.browser.browser_stage import Site, click, device_in, find, script, show

pytestmark = pytest.mark.asyncio(loop_scope="module")


# --- frames and identity ------------------------------------------------------------------------------------


async def test_a_frame_is_the_viewport_in_pixels(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<body style='margin:0;background:rgb(200,30,40)'>"))
    frame = await device.frame()
    assert frame.size == (1280, 800)
    assert frame.pixels.flags.c_contiguous
    assert not frame.pixels.flags.writeable
    assert abs(frame.pixels[400, 600].astype(int) - [200, 30, 40, 255]).max() < 6


async def test_a_picture_that_the_browser_refuses_is_the_devices_fault(device: BrowserDevice) -> None:
    tab = await device._window.get_front_tab()
    huge = {"width": 10**7, "height": 10**7, "deviceScaleFactor": 1, "mobile": False}
    await tab.cdp.send_command("Emulation.setDeviceMetricsOverride", huge)
    with pytest.raises(BadFrame, match=r"The browser reported an error: .*Unable to capture screenshot"):
        await device.frame()


async def test_a_page_that_takes_the_place_of_another_is_captured(device: BrowserDevice, site: Site) -> None:
    """A site, an address that nobody answers, an inner page: each is drawn by a process of its own."""
    tab = await device._window.get_front_tab()
    for address in (site.page("<p>here</p>"), "http://127.0.0.1:65431/", "about:blank") * 15:
        going = asyncio.ensure_future(tab.cdp.send_command("Page.navigate", {"url": address}))
        while not going.done():
            assert (await device.frame()).size == (1280, 800)
        await going
        await device.frame()


async def test_a_tab_of_our_own_is_taken_over_once(chromium: Chromium, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[object] = []
    take_over = Tab.open_page

    async def counted(page: Any, *how: Any) -> Tab:
        taken.append(page)
        return await take_over(page, *how)

    monkeypatch.setattr(Tab, "open_page", counted)
    async with device_in(chromium) as device:
        await device.act(Hotkey(keys=("ctrl", "t")))
        assert len(taken) == len(device._window.tabs) == 2


async def test_the_app_is_the_site_and_the_title(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<title>Gärten & 花园</title>"))
    app = await device.app()
    assert app.title == "Gärten & 花园"
    assert app.name == site.url("/").split("/")[2]


async def test_a_browser_opens_addresses_but_no_apps(device: BrowserDevice) -> None:
    assert "open_app" not in device.capabilities
    assert {"open_url", "switch_window", "back"} <= device.capabilities
    assert await device.apps() == ()
    with pytest.raises(NotPossible):
        await device.act(OpenApp(name="Mail"))


async def test_an_address_without_an_answer_is_an_error_with_its_reason(device: BrowserDevice) -> None:
    with pytest.raises(ActionFailed, match="ERR_CONNECTION_REFUSED"):
        await device.act(OpenUrl(url="http://127.0.0.1:65431/"))


async def test_a_script_is_no_address(device: BrowserDevice) -> None:
    with pytest.raises(NotPossible):
        await device.act(OpenUrl(url="javascript:alert(1)"))


# --- elements --------------------------------------------------------------------------------------------------


async def test_fields_are_named_by_whatever_labels_them(device: BrowserDevice, site: Site) -> None:
    await show(
        device,
        site.page(
            """<label for=a>By for</label><input id=a><label>Wrapped <input id=b></label>
            <input id=c aria-label="By aria"><span id=l>By reference</span><input id=d aria-labelledby=l>
            <input id=e title="By title"><input id=f placeholder="By placeholder">
            <img alt="A picture" width=40 height=40 src="data:,"><button aria-label="Close">×</button>
            <button><img alt="Search" width=10 height=10></button><input type=submit value="Send it">"""
        ),
    )
    fields = {one.id: one for one in await device.elements() if one.role == "field"}
    assert [fields[key].name for key in "abcde"] == ["By for", "Wrapped", "By aria", "By reference", "By title"]
    assert fields["f"].hint == "By placeholder"
    assert all(one.editable and one.clickable and one.source == "dom" for one in fields.values())
    buttons = [one.name for one in await device.elements() if one.role == "button"]
    assert buttons == ["Close", "Search", "Send it"]
    assert (await find(device, "A picture")).role == "image"


async def test_roles_values_and_states_are_those_of_the_page(device: BrowserDevice, site: Site) -> None:
    await show(
        device,
        site.page(
            """<h1>Title</h1><a href=#>Link</a><input type=checkbox aria-label=box checked>
            <input type=radio aria-label=dot><div role=switch aria-checked=true tabindex=0>Wifi</div>
            <input type=range aria-label=level min=0 max=10 value=7><progress aria-label=load value=.5></progress>
            <div role=tablist><div role=tab aria-selected=true tabindex=0>First</div></div>
            <button disabled>Off</button><select aria-label=colour><option>Red<option selected>Green</select>
            <textarea aria-label=text autofocus>two\nlines</textarea><input type=password aria-label=secret value=abc>
            <div contenteditable aria-label=rich>some words</div><div role=menu><div role=menuitem>Copy</div></div>
            <p>Just <b>bold</b> text</p><div style="cursor:pointer">Made of divs</div>
            <input readonly aria-label=fixed value=x>"""
        ),
    )
    by_name = {one.name: one for one in await device.elements()}
    roles = {name: one.role for name, one in by_name.items()}
    assert roles == {
        "Title": "heading", "Link": "link", "box": "checkbox", "dot": "radio", "Wifi": "switch", "level": "slider",
        "load": "progress", "First": "tab", "Off": "button", "colour": "combobox", "text": "field",
        "secret": "field", "rich": "field", "": "menu", "Copy": "item", "Just bold text": "text",
        "Made of divs": "button", "fixed": "field",
    }  # fmt: skip
    assert by_name["box"].checked is True
    assert by_name["dot"].checked is False
    assert by_name["Wifi"].checked is True
    assert by_name["First"].selected
    assert not by_name["Off"].enabled
    assert not by_name["Off"].clickable
    assert by_name["level"].value == "7"
    assert by_name["colour"].value == "Green"
    assert by_name["text"].value == "two\nlines"
    assert by_name["text"].focused
    assert by_name["secret"].password
    assert by_name["secret"].value == "•••"
    assert by_name["rich"].value == "some words"
    assert by_name["rich"].editable
    assert not by_name["fixed"].editable
    assert by_name["Made of divs"].clickable
    assert not by_name["Just bold text"].clickable


async def test_what_is_hidden_covered_or_scrolled_away_is_not_listed(device: BrowserDevice, site: Site) -> None:
    await show(
        device,
        site.page(
            """<button style="display:none">none</button><button style="visibility:hidden">invisible</button>
            <button style="opacity:0">clear</button><button hidden>hidden</button>
            <div style="height:40px;overflow:hidden"><p style="height:60px;margin:0">top</p>
            <button>clipped</button></div>
            <div style="position:relative;height:40px"><button>under</button>
            <div style="position:absolute;inset:0;background:#fff"></div></div>
            <button>shown</button><button style="position:absolute;top:3000px">below</button>
            <details><summary>more</summary><button>folded</button></details>"""
        ),
    )
    page, *shown = await device.elements()
    assert (page.role, page.scrollable, page.name) == ("group", True, "")
    names = {one.name for one in shown}
    assert names == {"top", "shown", "more"}


async def test_behind_a_modal_only_the_modal_is_listed(device: BrowserDevice, site: Site) -> None:
    await show(
        device,
        site.page(
            "<button>behind</button><dialog id=d aria-label=Ask><button>Yes</button></dialog>"
            "<script>d.showModal()</script>"
        ),
    )
    elements = await device.elements()
    assert [(one.role, one.name) for one in elements] == [("dialog", "Ask"), ("button", "Yes")]
    assert elements[1].parent == 0


async def test_a_drawn_checkbox_is_listed_where_its_label_is(device: BrowserDevice, site: Site) -> None:
    await show(
        device,
        site.page(
            """<style>input{position:absolute;width:1px;height:1px;clip-path:inset(50%)}
            span{display:inline-block;width:80px;height:30px;background:#ccc}</style>
            <label><input type=checkbox id=c><span>Agree</span></label>"""
        ),
    )
    box = await find(device, "Agree", "checkbox")
    assert box.bounds.width >= 80
    await click(device, "Agree", "checkbox")
    assert (await find(device, "Agree", "checkbox")).checked is True


async def test_open_shadow_roots_and_slots_are_listed_and_clicked(device: BrowserDevice, site: Site) -> None:
    await show(
        device,
        site.page(
            """<x-card><span slot=title>Slotted</span></x-card><script>
            customElements.define("x-card", class extends HTMLElement { connectedCallback() {
              this.attachShadow({mode: "open"}).innerHTML = "<h2><slot name=title></slot></h2><button>Inside</button>";
              this.shadowRoot.querySelector("button").onclick = () => document.title = "pressed"; } })</script>"""
        ),
    )
    assert {one.name for one in await device.elements()} >= {"Slotted", "Inside"}
    await click(device, "Inside")
    assert await script(device, "document.title") == "pressed"


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"], ids=["same origin", "other origin"])
async def test_iframes_are_listed_in_place_and_clicked(device: BrowserDevice, site: Site, host: str) -> None:
    inner = (
        "<body style='margin:0'><button onclick='this.textContent=\"pressed\"'>Inner</button><input aria-label=Field>"
    )
    site.page(inner + "<iframe src='/deep.html' style='position:absolute;left:10px;top:60px'></iframe>", "/inner.html")
    site.page("<button onclick='this.textContent=\"deep pressed\"'>Deep</button>", "/deep.html")
    await show(
        device,
        site.page(
            f"""<p>Outer</p><div style="padding:30px"><iframe src="{site.url("/inner.html", host)}"
            style="width:500px;height:300px;border:7px solid red;padding:5px"></iframe></div><button>After</button>"""
        ),
    )
    for _ in range(50):  # the frame's own page may still be loading
        names = [one.name for one in await device.elements()]
        if "Deep" in names:
            break
        await device.frame()
    assert names == ["Outer", "Inner", "Field", "Deep", "After"]
    await click(device, "Inner")
    assert "pressed" in {one.name for one in await device.elements()}
    await click(device, "Deep")
    assert "deep pressed" in {one.name for one in await device.elements()}


async def test_a_modal_over_an_iframe_hides_what_is_inside(device: BrowserDevice, site: Site) -> None:
    site.page("<button>Inner</button>", "/inner.html")
    await show(
        device,
        site.page(
            """<iframe src="/inner.html"></iframe>
            <div style="position:fixed;inset:0;background:#eee"><button>Front</button></div>"""
        ),
    )
    assert [one.name for one in await device.elements()] == ["Front"]


async def test_a_big_page_is_listed_around_the_viewport(device: BrowserDevice, site: Site) -> None:
    rows = "".join(f"<tr><td>{n}<td><a href=#>Row {n}</a><td><button>Go {n}</button></tr>" for n in range(3000))
    fixed = "<div><button style='position:fixed;right:5px;bottom:5px;width:200px;height:120px'>Help</button></div>"
    await show(device, site.page(f"<table>{rows}</table>{fixed}"))
    names = {one.name for one in await device.elements()}
    assert {"Row 0", "Go 5", "Help"} <= names
    assert len(names) < 200
    await device.act(Scroll(direction="down", pages=20))
    names = {one.name for one in await device.elements()}
    assert "Row 0" not in names
    assert "Help" in names


async def test_a_page_that_never_answers_has_no_elements_but_says_so(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<button>x</button>"))
    tab = await device._window.get_front_tab()
    busy = "const end = performance.now() + 7000; while (performance.now() < end);"
    await tab.cdp.session.send("Runtime.evaluate", {"expression": f"setTimeout(() => {{ {busy} }}, 0)"})
    with pytest.raises(NoElements, match="busy"):
        await device.elements()


# --- coordinates ------------------------------------------------------------------------------------------------

MARKS = """<body style="margin:0"><script>addEventListener("pointerdown",
  e => { window.at = [e.clientX * devicePixelRatio, e.clientY * devicePixelRatio] })</script>"""


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0, 3.0])
async def test_clicks_land_on_the_pixel_at_every_scale(chromium: Chromium, site: Site, scale: float) -> None:
    settings = BrowserSettings(width=640, height=400, scale=scale)
    async with device_in(chromium, settings) as device:
        await show(device, site.page(MARKS))
        width, height = (await device.frame()).size
        assert (width, height) == (640 * scale, 400 * scale)
        for x, y in ((0, 0), (width - 1, 0), (0, height - 1), (width - 1, height - 1), (width // 3, height // 7)):
            await device.act(Click(x=x, y=y))
            at = await script(device, "window.at")
            assert abs(at[0] - x) <= 1
            assert abs(at[1] - y) <= 1


@pytest.mark.parametrize("zoom", [0.8, 1.25, 2.0])
async def test_elements_and_clicks_agree_on_a_zoomed_page(device: BrowserDevice, site: Site, zoom: float) -> None:
    await show(
        device,
        site.page(
            f"""<html style="zoom:{zoom}"><body><p>above</p><div style="height:90px;overflow:auto"><p>spacer<p>spacer
            <button onclick="document.title='hit'">Small</button></div><iframe srcdoc="<button
            onclick=&quot;parent.document.title='inner hit'&quot;>Inner</button>"></iframe>"""
        ),
    )
    await click(device, "Inner")
    assert await script(device, "document.title") == "inner hit"
    x, y = (await find(device, "spacer")).bounds.center
    await device.act(Scroll(direction="down", pages=3, x=x, y=y))
    await click(device, "Small")
    assert await script(device, "document.title") == "hit"


async def test_the_self_test_passes_and_leaves_no_tab(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<title>Mine</title>"))
    await device.run_self_test()
    assert (await device.app()).title == "Mine"
    assert len(device._window.tabs) == 1
