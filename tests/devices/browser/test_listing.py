"""What else can be read and used on a page: drawings, slots, shadows, icons, text beside buttons."""

import pytest

from deskhand.core.actions import Type
from deskhand.devices.browser.device import BrowserDevice
from tests.devices.browser.browser_stage import Site, click, script, show

pytestmark = pytest.mark.asyncio(loop_scope="module")


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


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("<span><strong>2</strong><span> items</span><span> left</span></span>", "2 items left"),
        ("<div><b>3</b> <i>of</i> <b>7</b></div>", "3 of 7"),
        ("<p><span>第</span><em>4</em><span>页</span></p>", "第4页"),
        ("<table><td><span><b>Total</b></span> <span>12 €</span></table>", "Total 12 €"),
    ],
)
async def test_a_line_in_several_pieces_is_read_as_one(device: BrowserDevice, site: Site, body: str, line: str) -> None:
    await show(device, site.page(f"<meta charset=utf-8>{body}"))
    assert await listed(device) == {("text", line)}


async def test_pieces_that_can_be_used_stay_apart(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<div><span onclick='1'>Bold</span> <span style='cursor:pointer'>Italic</span></div>"))
    assert await listed(device) == {("button", "Bold"), ("button", "Italic")}


OVER = "<span style='position:absolute;left:0;top:0'>Under it</span><div style='position:absolute;inset:0;{}'></div>"


@pytest.mark.parametrize(("style", "seen"), [("", True), ("background:white", False), ("background:#0001", False)])
async def test_words_are_read_through_a_transparent_layer_only(
    device: BrowserDevice, site: Site, style: str, seen: bool
) -> None:
    await show(device, site.page(OVER.format(style)))
    assert (("text", "Under it") in await listed(device)) is seen


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("<table><td><div>status</div><div>string</div><td><p>Which</p><select><option>a</select></table>", "status"),
        ("<table><tr><th>Street</th><td><input></td></tr></table>", "Street"),
        ("<div><div><span>Shoe size</span></div><div><div><input></div></div></div>", "Shoe size"),
        ("<p>Remarks</p><div contenteditable=true style='width:200px;height:30px'></div>", "Remarks"),
        ("<label for=q><img alt=Search width=9 height=9></label><input id=q>", "Search"),
        ("<label>Action: <select><option>Delete all<option>Copy</select></label>", "Action:"),
    ],
)  # fmt: skip
async def test_a_field_without_a_label_has_the_name_beside_it(
    device: BrowserDevice, site: Site, body: str, name: str
) -> None:
    await show(device, site.page(body))
    fields = [one for one in await device.elements() if one.role in ("field", "combobox")]
    assert [one.name for one in fields] == [name]
    assert not any("Delete all" in one.name for one in await device.elements())


async def test_words_before_two_fields_name_neither(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<div><span>Name</span><input><input></div><a href=#>Help</a><input>"))
    assert [one.name for one in await device.elements() if one.role == "field"] == ["", "", ""]


@pytest.mark.parametrize(
    ("body", "name", "hint"),
    [
        ("<a href=#><b title='A date' style='display:block;width:9px;height:9px'></b></a>", "A date", ""),
        ("<style>.x::after{content:'×'}</style><button class=x></button>", "×", ""),
        ("<style>.i::before{content:'\\e123'}</style><button class=i title=Print></button>", "Print", ""),
        ("<button aria-label='new note' title='Create a new note'>+</button>", "new note", "Create a new note"),
    ],
)  # fmt: skip
async def test_an_icon_is_named_by_what_it_says_of_itself(
    device: BrowserDevice, site: Site, body: str, name: str, hint: str
) -> None:
    await show(device, site.page(body))
    assert [(one.name, one.hint) for one in await device.elements() if one.clickable] == [(name, hint)]


async def test_choices_of_a_list_add_up(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<select id=s multiple><option>Classic<option>Desert<option>Space</select>"))
    await click(device, "Desert")
    await click(device, "Space")
    assert await script(device, "[...s.selectedOptions].map((o) => o.label)") == ["Desert", "Space"]


DRAWN = """<style>.box{border:1px solid;width:200px;height:30px;cursor:pointer;position:relative}.clear{opacity:0}
  .hid{position:absolute;width:0;height:0;opacity:0;margin:0}.core{width:40px;height:20px;background:#999}</style>
  <label for=c>Country</label><div class=box><input id=c class=clear role=combobox readonly><span>France</span></div>
  <label for=s>Express</label><div class="core"><input id=s class=hid type=checkbox role=switch></div>
  <div style="width:200px;height:20px;background:#ccc"><div style="width:1px;height:1px;overflow:hidden">
    <input type=range aria-label=Nights min=0 max=14 value=3></div></div>
  <p style="display:flex"><span>doc</span><span>.txt</span></p>
  <ul class="nav-tabs"><li><a href="#x">Profile</a></ul>
  <div role=menu><div role=menuitem tabindex=0>Rename <kbd>F2</kbd></div></div>"""


async def test_what_libraries_draw_themselves_is_listed_as_what_it_is(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page(DRAWN))
    found = {(one.role, one.name): one for one in await device.elements() if one.name}
    assert found[("combobox", "Country")].value == "France"
    assert found[("switch", "Express")].checked is False
    assert found[("slider", "Nights")].value == "3"
    assert {("text", "doc.txt"), ("tab", "Profile"), ("item", "Rename")} <= found.keys()
