"""Working the browser: clicks that wait for their target, text of every language, drags, scrolls, tabs, files."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from deskhand.core.actions import (
    Back,
    Click,
    DoubleClick,
    Drag,
    Hotkey,
    Key,
    LongPress,
    MiddleClick,
    Move,
    OpenUrl,
    RightClick,
    Scroll,
    Swipe,
    SwitchWindow,
    Type,
)
from deskhand.core.errors import ActionFailed, NotPossible, TextNotTyped
from deskhand.devices.browser import arrivals
from deskhand.devices.browser.browser_process import Chromium
from deskhand.devices.browser.device import BrowserDevice
from deskhand.settings.schema import BrowserSettings
from tests.devices.browser.browser_stage import Site, click, device_in, find, script, show

pytestmark = pytest.mark.asyncio(loop_scope="module")

LANGUAGES = [
    "Hello, world!",
    "你好，世界",
    "Grüße aus Zürich",
    "שלום עולם",
    "مرحبا",
    "नमस्ते",
    "👩‍👩‍👧 🎉 𝒳",
    "a\\\"'<b>&",
]


@pytest.fixture(scope="module")
def downloads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("downloads")


@pytest_asyncio.fixture(loop_scope="module")
async def device(chromium: Chromium, downloads: Path) -> AsyncIterator[BrowserDevice]:
    async with device_in(chromium, BrowserSettings(downloads=downloads)) as device:
        yield device


async def until(device: BrowserDevice, code: str, value: object = True) -> None:
    """Wait for the page to say so."""
    async with asyncio.timeout(15):
        while await script(device, code) != value:
            await device.frame()


# --- clicks ----------------------------------------------------------------------------------------------------

EVENTS = """<script>window.seen = []; for (const kind of ["click", "dblclick", "auxclick", "contextmenu", "mousemove",
  "mouseover"]) addEventListener(kind,
    e => { seen.push(kind + e.button); if (kind == "contextmenu") e.preventDefault() })
  </script><button style="width:200px;height:80px">Target</button>"""


async def test_every_kind_of_click_is_what_the_page_sees(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page(EVENTS))
    x, y = (await find(device, "Target")).bounds.center
    for action, seen in (
        (Click(x=x, y=y), "click0"),
        (DoubleClick(x=x, y=y), "dblclick0"),
        (RightClick(x=x, y=y), "contextmenu2"),
        (MiddleClick(x=x, y=y), "auxclick1"),
        (Move(x=x + 30, y=y), "mousemove0"),
        (LongPress(x=x, y=y, duration_ms=50), "click0"),
    ):
        await script(device, "void (seen.length = 0)")
        await device.act(action)
        assert seen in await script(device, "seen")


async def test_hovering_opens_a_menu_whose_items_can_be_clicked(device: BrowserDevice, site: Site) -> None:
    await show(
        device,
        site.page(
            """<style>ul{display:none}div:hover ul{display:block}</style><div style="width:200px"><b>Menu</b>
            <ul><li><a href="#" onclick="document.title='chosen'">Item</a></ul></div>"""
        ),
    )
    assert "Item" not in {one.name for one in await device.elements()}
    x, y = (await find(device, "Menu")).bounds.center
    await device.act(Move(x=x, y=y))
    await click(device, "Item")
    assert await script(device, "document.title") == "chosen"


async def test_a_click_waits_until_what_covers_its_target_is_gone(device: BrowserDevice, site: Site) -> None:
    await show(
        device,
        site.page(
            """<button onclick="document.title='submitted'" style="width:200px;height:60px">Submit</button>
            <div id=cover style="position:fixed;inset:0;background:#eee;display:none"></div>"""
        ),
    )
    x, y = (await find(device, "Submit")).bounds.center
    await script(device, "cover.style.display = 'block'; setTimeout(() => cover.remove(), 400)")
    await device.act(Click(x=x, y=y))
    assert await script(device, "document.title") == "submitted"


async def test_a_target_that_stays_covered_is_not_clicked_and_the_cover_is_named(
    device: BrowserDevice, site: Site
) -> None:
    await show(
        device,
        site.page(
            """<button onclick="document.title='submitted'">Submit</button>
            <div id=cover style="position:fixed;inset:0;background:#eee;display:none">Please wait</div>"""
        ),
    )
    x, y = (await find(device, "Submit")).bounds.center
    await script(device, "cover.style.display = 'block'")
    with pytest.raises(ActionFailed, match=r'"Submit" is covered by <div> “Please wait”'):
        await device.act(Click(x=x, y=y))
    assert await script(device, "document.title") == ""


async def test_a_click_waits_for_a_target_that_slides_in(device: BrowserDevice, site: Site) -> None:
    await show(
        device,
        site.page(
            """<style>@keyframes in { from { transform: translateX(-300px) } }</style>
            <button id=b onclick="document.title='hit'" style="width:200px;height:50px">Slide</button>"""
        ),
    )
    x, y = (await find(device, "Slide")).bounds.center
    await script(device, "b.style.animation = 'in 500ms linear'")
    await device.act(Click(x=x, y=y))
    assert await script(device, "document.title") == "hit"
    assert await script(device, "b.getAnimations().length") == 0


async def test_a_node_replaced_by_an_equal_one_is_still_the_target(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<div id=d><button onclick='document.title=1'>Again</button></div>"))
    x, y = (await find(device, "Again")).bounds.center
    await script(device, "d.innerHTML = \"<button onclick='document.title=2'>Again</button>\"")
    await device.act(Click(x=x, y=y))
    assert await script(device, "document.title") == "2"


async def test_a_target_that_is_gone_is_not_replaced_by_what_came_in_its_place(
    device: BrowserDevice, site: Site
) -> None:
    await show(device, site.page("<div id=d><button>Cancel</button></div>"))
    x, y = (await find(device, "Cancel")).bounds.center
    await script(device, "d.innerHTML = \"<button onclick='document.title=1'>Delete all</button>\"")
    with pytest.raises(ActionFailed, match='"Cancel" is gone'):
        await device.act(Click(x=x, y=y))
    assert await script(device, "document.title") == ""


async def test_a_click_on_a_link_returns_with_the_next_page(device: BrowserDevice, site: Site) -> None:
    site.page("<h1>Second</h1>", "/second.html")
    await show(device, site.page("<a href='/second.html'>Go</a>"))
    await click(device, "Go")
    assert [one.name for one in await device.elements()] == ["Second"]
    await device.act(Back())
    assert [one.name for one in await device.elements()] == ["Go"]


async def test_there_is_no_way_back_from_the_first_page(chromium: Chromium) -> None:
    async with device_in(chromium) as device:
        with pytest.raises(ActionFailed, match="no page to go back"):
            await device.act(Back())


async def test_a_cancelled_action_leaves_the_browser_usable(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page(EVENTS))
    x, y = (await find(device, "Target")).bounds.center
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await device.act(LongPress(x=x, y=y, duration_ms=5000))
    await script(device, "void (seen.length = 0)")
    await device.act(Click(x=x, y=y))
    assert "click0" in await script(device, "seen")


# --- text ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["<input id=f>", "<textarea id=f></textarea>", "<div contenteditable id=f></div>"])
async def test_text_of_every_language_is_typed_exactly(device: BrowserDevice, site: Site, field: str) -> None:
    await show(device, site.page(field + "<script>f.focus()</script>"))
    for text in LANGUAGES:
        await device.act(Type(text=text, clear_first=True))
        assert await script(device, "f.value ?? f.innerText") == text


async def test_text_goes_to_the_caret_and_clear_first_replaces_all(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<input id=f value='😀 end'><script>f.focus(); f.setSelectionRange(2, 2)</script>"))
    await device.act(Type(text=" middle"))
    assert await script(device, "f.value") == "😀 middle end"
    await device.act(Type(text="new", clear_first=True))
    assert await script(device, "f.value") == "new"
    await device.act(Type(text="", clear_first=True))
    assert await script(device, "f.value") == ""


@pytest.mark.parametrize("field", ["<textarea id=f rows=5></textarea>", "<div contenteditable id=f></div>"])
async def test_lines_stay_lines(device: BrowserDevice, site: Site, field: str) -> None:
    await show(device, site.page(field + "<script>f.focus()</script>"))
    await device.act(Type(text="one\ntwo\n\n四"))
    assert (await script(device, "f.value ?? f.innerText")).split() == ["one", "two", "四"]


async def test_enter_is_pressed_after_the_text_was_read_back(device: BrowserDevice, site: Site) -> None:
    site.page("<h1>Found</h1>", "/found.html")
    await show(device, site.page("<form action='/found.html'><input name=q autofocus aria-label=Search></form>"))
    await click(device, "Search")
    await device.act(Type(text="tea", press_enter=True))
    assert [one.name for one in await device.elements()] == ["Found"]
    assert await script(device, "location.search") == "?q=tea"


async def test_a_field_that_changes_the_text_is_told(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<input aria-label=Code maxlength=3>"))
    await click(device, "Code")
    with pytest.raises(TextNotTyped, match=r'"Code" holds "abc" \(3 characters\)'):
        await device.act(Type(text="abcdef"))


async def test_a_password_is_never_repeated_in_a_fault(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<input type=password aria-label=Secret maxlength=4>"))
    await click(device, "Secret")
    with pytest.raises(TextNotTyped) as fault:
        await device.act(Type(text="hunter2"))
    assert "hunt" not in str(fault.value)


async def test_typing_without_a_field_says_what_to_do(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<p>No field here"))
    with pytest.raises(ActionFailed, match="click the field"):
        await device.act(Type(text="x"))


@pytest.mark.parametrize("kind", ["email", "number", "search", "tel", "url", "password"])
async def test_every_text_like_input_takes_text(device: BrowserDevice, site: Site, kind: str) -> None:
    text = {"email": "a@b.co", "number": "42.5", "url": "http://x.y/"}.get(kind, "12 34")
    await show(device, site.page(f"<input id=f type={kind} aria-label=Field>"))
    await click(device, "Field")
    await device.act(Type(text=text))
    assert await script(device, "f.value") == text
    await device.act(Type(text="7", clear_first=True))
    assert await script(device, "f.value") == "7"


async def test_pages_that_listen_to_keys_and_frameworks_that_own_the_value_get_it(
    device: BrowserDevice, site: Site
) -> None:
    await show(
        device,
        site.page(
            "<input id=f autofocus onkeyup='document.title=this.value' oninput='window.count=(window.count||0)+1'>"
            "<script>f.focus()</script>"
        ),
    )
    await device.act(Type(text="green tea"))
    assert await script(device, "document.title") == "green tea"
    assert await script(device, "count") >= 1


async def test_a_code_is_typed_over_cells_of_one_letter(device: BrowserDevice, site: Site) -> None:
    cells = "<input maxlength=1 oninput='this.nextSibling && this.nextSibling.focus()'>" * 6
    await show(device, site.page(f"<div id=c>{cells}</div><script>c.firstChild.focus()</script>"))
    await device.act(Type(text="123456"))
    assert await script(device, "[...c.children].map(i => i.value).join('')") == "123456"


async def test_text_goes_into_the_field_of_an_iframe_of_another_origin(device: BrowserDevice, site: Site) -> None:
    site.page("<input aria-label=Inner oninput='top.postMessage(this.value, \"*\")'>", "/field.html")
    await show(
        device,
        site.page(
            f"<iframe src='{site.url('/field.html', 'localhost')}'></iframe>"
            "<script>onmessage = e => document.title = e.data</script>"
        ),
    )
    async with asyncio.timeout(10):
        while "Inner" not in {one.name for one in await device.elements()}:
            await device.frame()
    await click(device, "Inner")
    await device.act(Type(text="über"))
    await until(device, "document.title", "über")


@pytest.mark.parametrize(
    ("kind", "typed", "held"),
    [
        ("date", "2026-11-16", "2026-11-16"),
        ("date", "11/16/2026", "2026-11-16"),
        ("date", "2026年1月6日", "2026-01-06"),
        ("time", "9:05 PM", "21:05"),
        ("datetime-local", "2026-11-16 08:30", "2026-11-16T08:30"),
        ("month", "2026-11", "2026-11"),
        ("week", "2026-W05", "2026-W05"),
        ("color", "#FF8800", "#ff8800"),
        ("range", "30", "30"),
    ],
)
async def test_dates_times_colours_and_sliders_take_their_value(
    device: BrowserDevice, site: Site, kind: str, typed: str, held: str
) -> None:
    await show(device, site.page(f"<input id=f type={kind} aria-label=Field onchange='document.title=this.value'>"))
    await click(device, "Field")
    await device.act(Type(text=typed))
    assert await script(device, "f.value") == held
    assert await script(device, "document.title") == held


async def test_a_date_that_is_none_is_refused_with_the_format(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<input type=date aria-label=Day>"))
    assert (await find(device, "Day")).hint == "YYYY-MM-DD"
    await click(device, "Day")
    with pytest.raises(TextNotTyped, match="YYYY-MM-DD"):
        await device.act(Type(text="tomorrow"))


# --- keys ------------------------------------------------------------------------------------------------------


async def test_keys_and_combinations_reach_the_page(device: BrowserDevice, site: Site) -> None:
    await show(
        device,
        site.page(
            """<input id=f value=abc><script>f.focus(); window.keys = []; addEventListener("keydown",
            e => keys.push((e.ctrlKey ? "^" : "") + (e.shiftKey ? "+" : "") + e.key))</script>"""
        ),
    )
    for action in (Key(key="Down"), Key(key="esc"), Key(key="a"), Hotkey(keys=("ctrl", "shift", "k")), Key(key="F2")):
        await device.act(action)
    assert [key for key in await script(device, "keys") if not key.endswith(("Control", "Shift"))] == [
        "ArrowDown", "Escape", "a", "^+K", "F2",
    ]  # fmt: skip
    await device.act(Hotkey(keys=("ctrl", "a")))
    await device.act(Key(key="Backspace"))
    assert await script(device, "f.value") == ""
    with pytest.raises(NotPossible, match="no key"):
        await device.act(Key(key="AnyKey"))


async def test_the_browsers_own_keys_work_as_at_its_window(device: BrowserDevice, site: Site) -> None:
    site.page("<h1>Second</h1>", "/second.html")
    await show(device, site.page("<h1>First</h1><script>window.fresh = true</script>"))
    await script(device, "void (window.old = 1)")
    await device.act(Key(key="F5"))
    assert await script(device, "window.old") is None
    await device.act(OpenUrl(url=site.url("/second.html")))
    await device.act(Hotkey(keys=("alt", "left")))
    assert [one.name for one in await device.elements()] == ["First"]
    await device.act(Hotkey(keys=("alt", "right")))
    assert [one.name for one in await device.elements()] == ["Second"]


# --- moving things -----------------------------------------------------------------------------------------------


async def test_an_html_drag_and_drop_carries_its_data(device: BrowserDevice, site: Site) -> None:
    await show(
        device,
        site.page(
            """<p id=a draggable=true ondragstart="event.dataTransfer.setData('text', 'cargo')"
            style="width:120px">Cargo</p><div id=b style="width:200px;height:150px;background:#ddd"
            ondragover="event.preventDefault()"
            ondrop="document.title=event.dataTransfer.getData('text')">Harbour</div>"""
        ),
    )
    x, y = (await find(device, "Cargo")).bounds.center
    to_x, to_y = (await find(device, "Harbour")).bounds.center
    await device.act(Drag(x=x, y=y, to_x=to_x, to_y=to_y + 30, duration_ms=100))
    await until(device, "document.title", "cargo")


async def test_a_pointer_drag_moves_what_is_under_it(device: BrowserDevice, site: Site) -> None:
    await show(
        device,
        site.page(
            """<body style="margin:0"><div id=k style="position:absolute;left:100px;top:100px;width:40px;height:40px;
            background:red"></div><script>k.onpointerdown = e => { k.setPointerCapture(e.pointerId);
            k.onpointermove = m => { k.style.left = m.clientX - 20 + "px"; k.style.top = m.clientY - 20 + "px" } };
            k.onpointerup = () => k.onpointermove = null</script>"""
        ),
    )
    await device.act(Drag(x=120, y=120, to_x=400, to_y=300, duration_ms=100))
    left, top = await script(device, "[k.offsetLeft, k.offsetTop]")
    assert abs(left - 380) <= 1
    assert abs(top - 280) <= 1


async def test_an_inner_container_scrolls_alone_by_its_own_size(device: BrowserDevice, site: Site) -> None:
    lines = "".join(f"<p>line {n}" for n in range(100))
    await show(
        device,
        site.page(f"<div id=box style='height:200px;overflow:auto'>{lines}</div><div style='height:3000px'>tall</div>"),
    )
    x, y = (await find(device, "line 1")).bounds.center
    assert any(one.scrollable for one in await device.elements())
    await device.act(Scroll(direction="down", pages=1, x=x, y=y))
    await until(device, "box.scrollTop", 200)
    assert await script(device, "scrollY") == 0
    await device.act(Scroll(direction="up", pages=0.5, x=x, y=y))
    await until(device, "box.scrollTop", 100)


async def test_the_page_scrolls_by_shares_of_the_viewport_and_its_end_is_told(
    device: BrowserDevice, site: Site
) -> None:
    await show(device, site.page("<!doctype html><body style='margin:0'><div style='height:2000px'>tall</div>"))
    assert await device.act(Scroll(direction="down", pages=1)) == ""
    await until(device, "scrollY", 800)
    await device.act(Scroll(direction="down", pages=5))
    await until(device, "scrollY", 1200)
    assert "nothing scrolls further down" in await device.act(Scroll(direction="down"))
    assert "nothing scrolls further right" in await device.act(Scroll(direction="right"))


async def test_a_swipe_moves_the_content_with_the_finger(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page("<!doctype html><body style='margin:0'><div style='height:3000px'>tall</div>"))
    await device.act(Swipe(x=600, y=600, to_x=600, to_y=300, duration_ms=120))
    await until(device, "scrollY > 150")


# --- tabs and files ----------------------------------------------------------------------------------------------


async def test_a_pop_up_comes_to_the_front_and_tabs_are_switched_by_name(device: BrowserDevice, site: Site) -> None:
    site.page("<title>Invoice</title><h1>42 €</h1>", "/pop.html")
    await show(device, site.page("<title>Shop</title><a href='/pop.html' target=_blank>Open</a>"))
    assert "new tab" in await click(device, "Open")
    async with asyncio.timeout(10):
        while (await device.app()).title != "Invoice":
            await device.frame()
    assert (await device.frame()).size == (1280, 800)
    assert "42 €" in {one.name for one in await device.elements()}
    await device.act(SwitchWindow(title="shop"))
    assert (await device.app()).title == "Shop"
    await device.act(SwitchWindow(title="pop.html"))
    assert (await device.app()).title == "Invoice"
    with pytest.raises(ActionFailed, match='"Shop", "Invoice"'):
        await device.act(SwitchWindow(title="Bank"))
    await device.act(Hotkey(keys=("ctrl", "w")))
    assert (await device.app()).title == "Shop"


async def test_a_pop_up_that_closes_itself_gives_the_front_back(device: BrowserDevice, site: Site) -> None:
    site.page("<title>Login</title><button onclick='window.close()'>Done</button>", "/login.html")
    await show(device, site.page("<title>Main</title><button onclick=\"window.open('/login.html')\">Sign in</button>"))
    await click(device, "Sign in")
    async with asyncio.timeout(10):
        while (await device.app()).title != "Login":
            await device.frame()
    await click(device, "Done")
    async with asyncio.timeout(10):
        while (await device.app()).title != "Main":
            await device.frame()
    assert "Sign in" in {one.name for one in await device.elements()}


@pytest.mark.parametrize("by", ["itself", "the user"])
async def test_an_address_is_opened_though_the_tab_in_front_closes_just_then(
    device: BrowserDevice, site: Site, by: str
) -> None:
    site.page("<title>Brief</title><p>Bye", "/brief.html")
    next_page = site.page("<title>Next</title>", "/next.html")
    await show(device, site.page("<title>Main</title><button onclick=\"window.open('/brief.html')\">Open</button>"))
    await click(device, "Open")
    async with asyncio.timeout(10):
        while (await device.app()).title != "Brief":
            await device.frame()
    brief = (await device._window.get_front_tab()).page
    then = "window.close()" if by == "itself" else ""
    await script(device, f"void setTimeout(() => {{ const end = Date.now() + 700; while (Date.now() < end); {then} }})")
    opening = asyncio.ensure_future(device.act(OpenUrl(url=next_page)))
    if by == "the user":
        await brief.close()
    await opening
    assert (await device.app()).title == "Next"


LINKS = [
    "<a href='/NAME'>Report</a>",
    "<a href='/NAME' download='NAME'>Report</a>",
    """<button onclick="location.href = '/NAME'">Report</button>""",
    """<button onclick="const a = document.createElement('a');
      a.href = window.URL.createObjectURL(new Blob(['the data']));
      a.download = 'NAME'; a.click()">Report</button>""",
    """<button onclick="window.open('/NAME')">Report</button>""",
]


@pytest.mark.parametrize("link", range(len(LINKS)))
async def test_a_download_lands_in_its_folder_and_is_told(
    device: BrowserDevice, site: Site, downloads: Path, link: int
) -> None:
    name = f"report{link}.bin"
    site.page("the data", f"/{name}")
    await show(device, site.page(LINKS[link].replace("NAME", name)))
    assert f"downloaded {downloads / name}" in await click(device, "Report")
    assert (downloads / name).read_text() == "the data"


async def test_a_slow_download_is_told_when_it_begins_and_when_it_ends(
    device: BrowserDevice, site: Site, downloads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrivals, "COMPLETE_S", 0.5)
    ended = site.withhold("/big.bin", b"first" * 9999, b"last")
    await show(device, site.page("<a href='/big.bin'>Big</a>"))
    assert "big.bin is being downloaded" in await click(device, "Big")
    ended.set()
    said = ""
    async with asyncio.timeout(15):
        while "downloaded" not in said:
            said = await device.act(Move(x=5, y=5))
    assert (downloads / "big.bin").read_bytes() == b"first" * 9999 + b"last"


async def test_a_slider_is_set_by_the_browser_itself(device: BrowserDevice, site: Site) -> None:
    page = """<input type=range id=r min=0 max=10 step=2 value=2 autofocus><script>heard = [];
      for (const kind of ["input", "change"]) r.addEventListener(kind, (e) => heard.push([kind, r.value, e.isTrusted]))
      </script>"""
    await show(device, site.page(page))
    for value in ("8", "0", "10"):
        await script(device, "void (heard.length = 0); r.focus()")
        assert await device.act(Type(text=value)) == f"holds {value}"
        assert await script(device, "heard") == [["input", value, True], ["change", value, True]]
    with pytest.raises(TextNotTyped, match="does not accept"):
        await device.act(Type(text="3"))
    assert await script(device, "r.value") == "10"


async def test_files_are_uploaded_through_the_chooser_or_the_field(
    device: BrowserDevice, site: Site, tmp_path: Path
) -> None:
    first, second = tmp_path / "one.txt", tmp_path / "二.txt"
    first.write_text("1")
    second.write_text("2")
    await show(device, site.page("<input id=f type=file multiple aria-label=Files>"))
    await click(device, "Files")
    async with asyncio.timeout(10):
        while not any(one.role == "dialog" for one in await device.elements()):
            await device.frame()
    with pytest.raises(ActionFailed, match="was not found"):
        await device.act(Type(text="/nowhere.txt", press_enter=True))
    await device.act(Type(text=f"{first}\n{second}", clear_first=True))
    await click(device, "Open")
    assert await script(device, "[...f.files].map(f => f.name)") == ["one.txt", "二.txt"]
    assert (await find(device, "Files")).value == "one.txt, 二.txt"
    await device.act(Type(text=str(second)))
    assert await script(device, "[...f.files].map(f => f.name)") == ["二.txt"]


# --- editors -------------------------------------------------------------------------------------------------------

# Draws its text itself, and catches keys in a hidden field which it empties (as Monaco and CodeMirror 5 do).
SINK = """<div class=editor style="position:relative;width:400px;height:120px;border:1px solid"><div id=lines></div>
  <textarea id=sink style="position:absolute;width:1px;height:1px;opacity:0"></textarea></div><script>
  let text = "old", all = false;
  const draw = () => lines.replaceChildren(...text.split("\\n").map((line) => {
    const row = document.createElement("div"); row.textContent = line || "\\u200b"; return row }));
  draw(); lines.parentNode.onclick = () => sink.focus();
  sink.onkeydown = (e) => { if (e.ctrlKey && e.key == "a") { all = true; e.preventDefault() }
    if (e.key == "Delete" && all) { text = ""; all = false; draw() } };
  sink.oninput = () => { text = (all ? "" : text) + sink.value; all = false; sink.value = ""; draw() }</script>"""

# Keeps its own model: a line end inside of a text is dropped, and what a script selects is not heeded (as ProseMirror).
MODEL = """<div id=host contenteditable style="width:400px;height:120px;border:1px solid"><p>old</p></div><script>
  let paragraphs = ["old"], all = false;
  const draw = () => { host.replaceChildren(...paragraphs.map((line) => {
      const p = document.createElement("p"); p.style.margin = 0;
      p.append(line || document.createElement("br")); return p }));
    getSelection().selectAllChildren(host.lastChild); getSelection().collapseToEnd() };
  host.addEventListener("keydown", (e) => { if (e.ctrlKey && e.key == "a") { all = true; e.preventDefault() } });
  host.addEventListener("beforeinput", (e) => { e.preventDefault();
    if (all) { paragraphs = [""]; all = false }
    if (e.inputType == "insertText") paragraphs[paragraphs.length - 1] += (e.data || "").replace(/\\n/g, "");
    if (e.inputType == "insertParagraph") paragraphs.push("");
    draw() })</script>"""


@pytest.mark.parametrize("text", ["const a = 1", "first\nsecond", "一行\n\n三行"])
async def test_editors_that_draw_their_own_text_are_typed_into_and_cleared(
    device: BrowserDevice, site: Site, text: str
) -> None:
    await show(device, site.page(SINK))
    x, y = (await find(device, "old", "field")).bounds.center
    await device.act(Click(x=x, y=y))
    await device.act(Type(text=text))
    assert await script(device, "text") == "old" + text
    await device.act(Type(text=text, clear_first=True))
    assert await script(device, "text") == text
    await device.act(Type(text="", clear_first=True))
    assert await script(device, "text") == ""


@pytest.mark.parametrize("text", ["words", "first\nsecond", "一行\n三行"])
async def test_editors_with_a_model_of_their_own_keep_line_ends(device: BrowserDevice, site: Site, text: str) -> None:
    await show(device, site.page(MODEL))
    await device.act(Click(x=200, y=60))
    await device.act(Type(text=text, clear_first=True))
    assert await script(device, "paragraphs.join('|')") == text.replace("\n", "|")


# Closes brackets and curls quotes that are typed, but takes a paste as it is (as CodeMirror and ProseMirror do).
HELPFUL = """<div id=host contenteditable style="width:400px;height:120px;white-space:pre-wrap"></div><script>
  host.addEventListener("beforeinput", (e) => { if (e.data == "(") { e.preventDefault(); host.textContent += "()" }
    if (e.data == '"') { e.preventDefault(); host.textContent += "\u201c" } });
  host.addEventListener("paste", (e) => { e.preventDefault();
    if (getSelection().toString()) host.textContent = "";
    host.textContent += e.clipboardData.getData("text/plain") })</script>"""


@pytest.mark.parametrize("text", ["(", 'say "', "one (\n  two (\n\nthree"])
async def test_an_editor_that_helps_with_typing_holds_just_the_text(
    device: BrowserDevice, site: Site, text: str
) -> None:
    await show(device, site.page(HELPFUL))
    await device.act(Click(x=200, y=60))
    await device.act(Type(text=text, clear_first=True))
    assert await script(device, "host.textContent") == text
    await device.act(Type(text="words", clear_first=True))
    assert await script(device, "host.textContent") == "words"
