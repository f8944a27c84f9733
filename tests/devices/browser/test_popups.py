"""The browser's own pop-ups: seen in the picture and in the list, answered by click, text and key."""

import asyncio

import numpy as np
import pytest

from deskhand.core.actions import Click, Key, Move, OpenUrl, Scroll, Type
from deskhand.core.errors import ActionFailed, TextNotTyped
from deskhand.core.screen import FILE_HINT, Element
from deskhand.devices.browser.browser_process import Chromium
from deskhand.devices.browser.device import BrowserDevice
from deskhand.settings.schema import BrowserSettings
from tests.contract.stage import until
from tests.devices.browser.browser_stage import Site, click, device_in, find, script, show

pytestmark = pytest.mark.asyncio(loop_scope="module")

ASK = """<button onclick="document.title = {call}">Ask</button>"""
COLOURS = """<select id=s aria-label=Colour onchange="document.title = this.value">
  <option>Red<option>Green<option disabled>Grey<option>Blue</select>"""


async def ask(device: BrowserDevice, site: Site, call: str) -> None:
    await show(device, site.page(ASK.format(call=call)))
    await click(device, "Ask")


# --- dialogs -----------------------------------------------------------------------------------------------------


async def test_a_dialog_is_all_that_is_listed_and_it_is_in_the_picture(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page(ASK.format(call="confirm('Delete 三 files?')")))
    before = await device.frame()
    await click(device, "Ask")
    elements = await device.elements()
    assert [(one.role, one.name) for one in elements] == [
        ("dialog", "Delete 三 files?"), ("text", "Delete 三 files?"), ("button", "OK"), ("button", "Cancel"),
    ]  # fmt: skip
    box = elements[0].bounds
    after = await device.frame()
    assert after.size == before.size
    changed = np.any(before.pixels != after.pixels, axis=2)
    assert changed[box.top : box.bottom, box.left : box.right].any()
    assert (await device.app()).name
    await click(device, "OK")


@pytest.mark.parametrize(("button", "answer"), [("OK", "true"), ("Cancel", "false")])
async def test_confirm_is_answered_by_a_click(device: BrowserDevice, site: Site, button: str, answer: str) -> None:
    await ask(device, site, "confirm('Sure?')")
    await click(device, button)
    assert await script(device, "document.title") == answer


@pytest.mark.parametrize(("key", "answer"), [("Enter", "true"), ("Escape", "false")])
async def test_confirm_is_answered_by_a_key(device: BrowserDevice, site: Site, key: str, answer: str) -> None:
    await ask(device, site, "confirm('Sure?')")
    await device.act(Key(key=key))
    assert await script(device, "document.title") == answer


async def test_an_alert_is_closed_by_its_button(device: BrowserDevice, site: Site) -> None:
    await ask(device, site, "(alert('Saved'), 'closed')")
    assert [one.name for one in await device.elements() if one.role == "button"] == ["OK"]
    await click(device, "OK")
    assert await script(device, "document.title") == "closed"


async def test_a_prompt_takes_text_in_place_of_what_it_proposes(device: BrowserDevice, site: Site) -> None:
    await ask(device, site, "prompt('Name?', 'nobody')")
    field = next(one for one in await device.elements() if one.role == "field")
    assert field.value == "nobody"
    assert field.editable
    await device.act(Type(text="李雷 😀"))
    assert (await find(device, "李雷 😀")).role == "field"
    await click(device, "OK")
    assert await script(device, "document.title") == "李雷 😀"


async def test_leaving_a_page_that_asks_can_be_refused_and_allowed(device: BrowserDevice, site: Site) -> None:
    site.page("<title>Elsewhere</title>", "/elsewhere.html")
    page = "<title>Editor</title><input aria-label=Text><script>onbeforeunload = e => e.preventDefault()</script>"
    await show(device, site.page(page))
    await click(device, "Text")
    await device.act(Type(text="x"))
    await device.act(OpenUrl(url=site.url("/elsewhere.html")))
    await click(device, "Stay")
    assert (await device.app()).title == "Editor"
    await device.act(OpenUrl(url=site.url("/elsewhere.html")))
    await click(device, "Leave")
    async with asyncio.timeout(10):
        while (await device.app()).title != "Elsewhere":
            await device.frame()


async def test_nothing_else_can_be_done_before_a_dialog_is_answered(device: BrowserDevice, site: Site) -> None:
    await ask(device, site, "confirm('Sure?')")
    for action in (Click(x=5, y=700), Type(text="x"), Scroll(), Move(x=1, y=1), Key(key="a")):
        with pytest.raises(ActionFailed, match=r"Sure\?"):
            await device.act(action)
    await click(device, "Cancel")


async def test_one_dialog_after_another_is_answered_one_by_one(device: BrowserDevice, site: Site) -> None:
    await ask(device, site, "[confirm('First?'), confirm('Second?')].join()")
    await click(device, "OK")
    async with asyncio.timeout(10):
        while (await device.elements())[0].name != "Second?":
            await device.frame()
    await click(device, "Cancel")
    assert await script(device, "document.title") == "true,false"


async def test_a_dialog_that_opens_by_itself_signals_a_change(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<p>quiet"))
    changes = device.changes()
    assert changes is not None
    await script(device, "void setTimeout(() => alert('Hello'), 300)")
    try:
        async with asyncio.timeout(10):
            async for _ in changes:
                if (await device.elements())[0].name == "Hello":
                    break
    finally:
        await changes.aclose()  # pyright: ignore
    await click(device, "OK")


async def test_a_pop_up_window_that_alerts_at_once_does_not_block(device: BrowserDevice, site: Site) -> None:
    site.page("<title>Ad</title><script>alert('Buy!')</script>", "/ad.html")
    await show(device, site.page("<title>Main</title><a href='/ad.html' target=_blank>Open</a>"))
    await click(device, "Open")
    async with asyncio.timeout(15):
        while (await device.app()).title != "Ad":
            if any(one.name == "Buy!" for one in await device.elements()):
                await click(device, "OK")
            await device.frame()


async def test_a_picture_is_of_the_tab_that_comes_to_the_front_while_it_is_taken(
    device: BrowserDevice, site: Site
) -> None:
    await show(device, site.page("<body style='background: red'>"))
    first = await device._window.get_front_tab()
    second = await device._window.open_tab(site.page("<body style='background: blue'>", "/blue.html"))
    await device._window.show_tab(first)
    for _ in range(40):
        # As a pop-up does it: the browser shows it before anybody is told. What is hidden then may give no picture.
        await first.cdp.send_command("Page.bringToFront")
        await second.cdp.send_command("Page.bringToFront")
        picture = asyncio.ensure_future(device.frame())
        if not (await asyncio.wait({picture}, timeout=0.4))[0]:
            break
    await device._window.show_tab(second)
    async with asyncio.timeout(5):
        red, _, blue, _ = (await picture).pixels[400, 600].tolist()
    assert (blue > 200, red < 50) == (True, True)


# --- select boxes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1.0, 2.0])
async def test_an_opened_select_box_is_listed_drawn_and_chosen_from(
    chromium: Chromium, site: Site, scale: float
) -> None:
    async with device_in(chromium, BrowserSettings(scale=scale)) as device:
        await show(device, site.page(COLOURS))
        closed = await device.frame()
        await click(device, "Colour")
        items = [one for one in await device.elements() if one.role == "item"]
        assert [(one.name, one.enabled, one.selected) for one in items] == [
            ("Red", True, True), ("Green", True, False), ("Grey", False, False), ("Blue", True, False),
        ]  # fmt: skip
        box = items[3].bounds
        opened = await device.frame()
        rows = slice(box.top, box.bottom), slice(box.left, box.right)
        assert (closed.pixels[rows] != opened.pixels[rows]).any()
        assert 'chose "Blue"' in await click(device, "Blue", "item")
        assert await script(device, "document.title") == "Blue"
        assert (await find(device, "Colour")).value == "Blue"
        assert not [one for one in await device.elements() if one.role == "item"]


async def test_an_option_is_chosen_by_typing_its_words(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page(COLOURS))
    await click(device, "Colour")
    await device.act(Type(text="green"))
    assert await script(device, "document.title") == "Green"
    await device.act(Type(text="Blu"))
    assert await script(device, "document.title") == "Blue"
    with pytest.raises(TextNotTyped, match='"Red", "Green", "Grey", "Blue"'):
        await device.act(Type(text="Pink"))


async def test_an_option_is_chosen_by_keys(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page(COLOURS))
    await click(device, "Colour")
    await device.act(Key(key="Down"))
    await device.act(Key(key="Enter"))
    assert await script(device, "document.title") == "Green"
    await device.act(Key(key="Up"))
    assert await script(device, "document.title") == "Red"


async def test_a_click_elsewhere_closes_the_list_and_counts(device: BrowserDevice, site: Site) -> None:
    await show(
        device, site.page(COLOURS + "<button onclick=\"document.title='other'\" style='margin:300px'>Other</button>")
    )
    await click(device, "Colour")
    await click(device, "Other")
    assert await script(device, "document.title") == "other"
    assert not [one for one in await device.elements() if one.role == "item"]


async def test_a_disabled_option_is_refused(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page(COLOURS))
    await click(device, "Colour")
    with pytest.raises(ActionFailed, match="disabled"):
        await click(device, "Grey", "item")


async def test_a_long_list_shows_a_part_and_scrolls(device: BrowserDevice, site: Site) -> None:
    options = "".join(f"<option>Option {n}" for n in range(200))
    await show(device, site.page(f"<select aria-label=Many onchange='document.title=this.value'>{options}</select>"))
    await click(device, "Many")
    names = {one.name for one in await device.elements() if one.role == "item"}
    assert "Option 0" in names
    assert "Option 199" not in names
    await device.act(Key(key="End"))
    assert "Option 199" in {one.name for one in await device.elements() if one.role == "item"}
    await device.act(Scroll(direction="up"))
    await click(device, "Option 190", "item")
    assert await script(device, "document.title") == "Option 190"


async def test_a_select_box_in_an_iframe_opens_in_its_place(device: BrowserDevice, site: Site) -> None:
    site.page(COLOURS.replace("document.title", "top.document.title"), "/select.html")
    await show(device, site.page("<iframe style='margin:150px' src='/select.html'></iframe>"))
    async with asyncio.timeout(10):
        while "Colour" not in {one.name for one in await device.elements()}:
            await device.frame()
    at = (await find(device, "Colour")).bounds
    await click(device, "Colour")
    item = await find(device, "Green", "item")
    assert abs(item.bounds.left - at.left) <= 2
    assert 0 <= item.bounds.top - at.bottom <= 40
    await click(device, "Green", "item")
    assert await script(device, "document.title") == "Green"


async def test_a_list_box_is_part_of_the_page(device: BrowserDevice, site: Site) -> None:
    await show(
        device,
        site.page("<select size=3 aria-label=Open onchange='document.title=this.value'><option>A<option>B</select>"),
    )
    await click(device, "B", "item")
    assert await script(device, "document.title") == "B"


async def test_what_takes_a_file_says_so_in_the_page_and_in_the_chooser(device: BrowserDevice, site: Site) -> None:
    """By this hint a policy knows that a page is about to get a file."""
    await show(device, site.page('<input type="file" aria-label="Attach">'))
    attach = next(one for one in await device.elements() if one.name == "Attach")
    assert attach.hint == FILE_HINT
    await click(device, "Attach")

    async def fields() -> list[Element]:
        return [one for one in await device.elements() if one.editable]

    (field,) = await until(fields, "the chooser")
    assert (field.hint, field.focused) == (FILE_HINT, True)
    await click(device, "Cancel")
