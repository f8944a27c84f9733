"""What else can be read and used on a page: drawings, slots, shadows, icons, text beside buttons."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from deskhand.core.actions import Type
from deskhand.devices.browser.browser_process import Chromium
from deskhand.devices.browser.device import BrowserDevice
from tests.devices.browser.browser_stage import Site, click, device_in, running, script, serving, show

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium() -> AsyncIterator[Chromium]:
    async with running() as chromium:
        yield chromium


@pytest_asyncio.fixture(loop_scope="module")
async def device(chromium: Chromium) -> AsyncIterator[BrowserDevice]:
    async with device_in(chromium) as device:
        yield device


async def listed(device: BrowserDevice) -> set[tuple[str, str]]:
    return {(one.role, one.name) for one in await device.elements() if one.name}


async def test_drawings_their_texts_and_what_can_be_clicked_in_them(device: BrowserDevice, site: Site) -> None:
    page = """<script>hits = []</script><svg width=320 height=60>
      <g role=button aria-label="Zoom in" onclick="hits.push('zoom')"><rect width=60 height=50 fill=red /></g>
      <text x=80 y=30>Axis</text><a href="#x"><text x=150 y=30>Legend</text></a>
      <path d="M 250 10 h 30 v 30 h -30 z" style="cursor:pointer" onclick="hits.push('pin')"><title>Pin</title></path>
      </svg>
      <svg role=img aria-label=Logo width=30 height=30><circle r=10 cx=15 cy=15 /></svg>
      <svg width=30 height=30><title>Weather</title><circle r=10 cx=15 cy=15 /></svg>
      <svg width=30 height=30><circle r=10 cx=15 cy=15 /></svg>
      <button><svg width=20 height=20><title>Trash</title><circle r=8 cx=9 cy=9 /></svg></button>"""
    await show(device, site.page(page))
    assert await listed(device) == {
        ("button", "Zoom in"), ("text", "Axis"), ("link", "Legend"), ("button", "Pin"), ("image", "Logo"),
        ("image", "Weather"), ("button", "Trash"),
    }  # fmt: skip
    await click(device, "Zoom in")
    await click(device, "Pin")
    assert await script(device, "hits") == ["zoom", "pin"]


SHADOWS = """<script>hits = []; const define = (name, mode, html) => customElements.define(name,
    class extends HTMLElement { constructor() { super(); this.attachShadow({ mode }).innerHTML = html } })</script>
  <x-words>Slotted words</x-words> <x-press>Press here</x-press> <x-both><b>Bold</b> and plain</x-both>
  <x-form></x-form><div id=host></div><x-late></x-late><script>
  define("x-words", "MODE", "<div><slot></slot></div>");
  define("x-press", "MODE", "<button onclick='hits.push(1)'><slot></slot></button>");
  define("x-both", "MODE", "<p><slot></slot></p>");
  define("x-form", "MODE", `<p>Inner words</p><button onclick='hits.push(2)'>Inner button</button>
    <input aria-label=Field>`);
  host.attachShadow({ mode: "MODE" }).innerHTML = "<button onclick='hits.push(3)'>Host button</button>"</script>"""


@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_shadows_and_what_is_put_into_their_slots(device: BrowserDevice, site: Site, mode: str) -> None:
    await show(device, site.page(SHADOWS.replace("MODE", mode)))
    wanted = {("text", "Slotted words"), ("button", "Press here"), ("text", "Bold"), ("text", "and plain")}
    inner = {("text", "Inner words"), ("button", "Inner button"), ("field", "Field"), ("button", "Host button")}
    assert await listed(device) == wanted | inner
    for name in ("Press here", "Inner button", "Host button"):
        await click(device, name)
    assert await script(device, "hits") == [1, 2, 3]
    await click(device, "Field")
    await device.act(Type(text="typed"))
    assert ("field", "typed") in {(one.role, one.value) for one in await device.elements()}


async def test_a_shadow_that_is_closed_later_is_found_as_well(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page(SHADOWS.replace("MODE", "closed")))
    assert ("button", "Late") not in await listed(device)
    await script(device, "define('x-late', 'closed', '<button>Late</button>')")
    assert ("button", "Late") in await listed(device)


async def test_icons_and_words_in_cards_and_containers(device: BrowserDevice, site: Site) -> None:
    page = """<div style="cursor:pointer"><i title=Star style="display:inline-block;width:20px;height:20px"></i>
        <span>Card</span><svg role=img aria-label=Share width=20 height=20><circle r=8 cx=9 cy=9 /></svg></div>
      <div tabindex=0>Intro words <button>Inner</button></div>
      <div role=dialog>Sure? <button>Yes</button></div>
      <div style="cursor:pointer">Plain <b>words</b></div>"""
    await show(device, site.page(page))
    assert await listed(device) == {
        ("image", "Star"), ("text", "Card"), ("image", "Share"), ("text", "Intro words"), ("button", "Inner"),
        ("text", "Sure?"), ("button", "Yes"), ("button", "Plain words"),
    }  # fmt: skip
