"""Measures a step in the browser: against bare protocol calls with the same settling, on a form, on a big page,
and with eight windows at once. The bare side runs in the same browser, turn by turn with ours."""

import asyncio
import base64
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

from deskhand.bench.rows import Row
from deskhand.clock import SystemClock
from deskhand.core.actions import Action, ActionKind, Click, OpenUrl, Type
from deskhand.core.screen import AppInfo, Element, Frame
from deskhand.devices.browser.browser_process import Chromium, start_browser
from deskhand.devices.browser.device import BrowserDevice, open_in_browser
from deskhand.devices.browser.tab import Tab
from deskhand.devices.browser.window import BrowserWindow
from deskhand.screen.frame import decode_frame
from deskhand.screen.stillness.settle import VisualStability
from deskhand.settings.schema import BrowserSettings, SettleSettings

ROUNDS = 15
WINDOWS = 8
WINDOW_STEPS = 10
ROWS = 300

_BUTTON = """<!doctype html><title>0</title><style>body{{font:16px sans-serif}}</style><h1>Counter</h1>
<button id=b style="width:200px;height:60px">Count</button><p id=p>0</p>{rest}
<script>b.onclick = () => p.textContent = document.title = String(Number(document.title) + 1)</script>"""
_FORM = "<!doctype html><label>Name <input id=f style='width:400px;height:40px'></label>"


def _make_page(text: str) -> str:
    return "data:text/html;charset=utf-8," + quote(text)


def _make_counter_page() -> str:
    return _make_page(_BUTTON.format(rest="<p>Lorem ipsum dolor sit amet.</p>" * 20))


def _make_big_page() -> str:
    """Return the address of a page that makes its rows itself: an address may not be that long."""
    row = "<tr><td>${n}<td><a href='#'>Row ${n}</a><td>text ${n}<td><input value=${n}><td><button>Go ${n}</button></tr>"
    rows = f"Array.from({{length: {ROWS}}}, (_, n) => `{row}`).join('')"
    return _make_page(_BUTTON.format(rest=f"<table id=t></table><script>t.innerHTML = {rows}</script>"))


async def run_suite(out: Path) -> list[Row]:
    del out  # only the rows are kept
    chromium = await start_browser(BrowserSettings())
    try:
        window = BrowserWindow(chromium, BrowserSettings(), SystemClock(), shared=True)
        device = BrowserDevice(window, SystemClock(), "browser")
        await device.open_window()
        try:
            rows = [
                *await _measure_click(device, window, _make_counter_page(), "a click and its settle", 1.3),
                *await _measure_typing(device, window),
                *await _measure_click(device, window, _make_big_page(), f"a click on a page of {ROWS} rows", None),
                await _measure_looking(device),
            ]
        finally:
            await device.close()
        return [*rows, *await _measure_many_windows(chromium)]
    finally:
        await chromium.close()


class BareBrowser:
    """Does the same capture, input and change signal by bare calls, with nothing around them."""

    id = "bare"
    capabilities: frozenset[ActionKind] = frozenset({"click"})

    def __init__(self, tab: Tab, changes: Callable[[], AsyncIterator[None]]) -> None:
        self._tab = tab
        self._changes = changes

    async def frame(self) -> Frame:
        shot = await self._tab.cdp.send_command(
            "Page.captureScreenshot", {"format": "jpeg", "quality": 90, "optimizeForSpeed": True}
        )
        return decode_frame(base64.b64decode(shot["data"]), time.monotonic())

    async def click_at(self, x: int, y: int) -> None:
        common: dict[str, Any] = {"x": x, "y": y}
        pressed = {**common, "button": "left", "clickCount": 1}
        await asyncio.gather(
            self._tab.cdp.send_command("Input.dispatchMouseEvent", {"type": "mouseMoved", **common}),
            self._tab.cdp.send_command("Input.dispatchMouseEvent", {"type": "mousePressed", **pressed}),
            self._tab.cdp.send_command("Input.dispatchMouseEvent", {"type": "mouseReleased", **pressed}),
        )

    async def insert_text(self, text: str) -> None:
        await self._tab.cdp.send_command("Input.insertText", {"text": text})

    async def elements(self) -> tuple[Element, ...]:
        return ()

    async def app(self) -> AppInfo:
        return AppInfo("bare")

    async def apps(self) -> tuple[str, ...]:
        return ()

    async def act(self, action: Action) -> str:
        return ""

    def changes(self) -> AsyncIterator[None]:
        return self._changes()

    async def close(self) -> None:
        pass


async def _measure_ms(work: Callable[[], Awaitable[object]]) -> float:
    begun = time.perf_counter()
    await work()
    return (time.perf_counter() - begun) * 1000


async def _compare_medians(
    ours: Callable[[], Awaitable[object]], bare: Callable[[], Awaitable[object]]
) -> tuple[float, float]:
    """Return the medians of both in ms, measured in turns so that the machine's load affects both."""
    mine: list[float] = []
    theirs: list[float] = []
    for _ in range(ROUNDS):
        mine.append(await _measure_ms(ours))
        theirs.append(await _measure_ms(bare))
    return median(mine), median(theirs)


def _find_named(elements: tuple[Element, ...], name: str) -> tuple[int, int]:
    return next(one.bounds.center for one in elements if one.name == name and one.clickable)


async def _measure_click(
    device: BrowserDevice, window: BrowserWindow, url: str, what: str, limit: float | None
) -> list[Row]:
    await device.act(OpenUrl(url=url))
    bare = BareBrowser(await window.get_front_tab(), device.changes)
    settle = VisualStability(SettleSettings(), SystemClock())
    at = _find_named(await device.elements(), "Count")

    async def our_step() -> None:
        before, elements, _ = await asyncio.gather(device.frame(), device.elements(), device.app())
        x, y = _find_named(elements, "Count")
        await device.act(Click(x=x, y=y))
        await settle(device, before)

    async def bare_step() -> None:
        before = await bare.frame()
        await bare.click_at(*at)
        await settle(bare, before)

    mine, floor = await _compare_medians(our_step, bare_step)
    clicked = int((await device.app()).title)
    assert clicked == 2 * ROUNDS, f"{clicked} clicks arrived of {2 * ROUNDS}"
    return [
        Row(f"{what}, against bare calls", mine / floor, limit=limit, note=f"bare {floor:.0f} ms"),
        Row(what, mine, "ms", note="look with elements, click, settle"),
    ]


async def _measure_typing(device: BrowserDevice, window: BrowserWindow) -> list[Row]:
    await device.act(OpenUrl(url=_make_page(_FORM)))
    bare = BareBrowser(await window.get_front_tab(), device.changes)
    settle = VisualStability(SettleSettings(), SystemClock())
    at = _find_named(await device.elements(), "Name")

    async def our_step() -> None:
        before = await device.frame()
        await device.act(Click(x=at[0], y=at[1]))
        await device.act(Type(text="Ada Lovelace, 李雷", clear_first=True))
        await settle(device, before)

    async def bare_step() -> None:
        before = await bare.frame()
        await bare.click_at(*at)
        await bare.insert_text("Ada Lovelace, 李雷")
        await settle(bare, before)

    mine, floor = await _compare_medians(our_step, bare_step)
    return [
        Row("a typed field, against bare calls", mine / floor, note=f"bare {floor:.0f} ms, neither cleared nor read"),
        Row("a typed field", mine, "ms", note="look, click, clear, type, read back, settle"),
    ]


async def _measure_looking(device: BrowserDevice) -> Row:
    """Measure on the page of many rows, which is still open."""
    frames = [await _measure_ms(device.frame) for _ in range(ROUNDS)]
    lists = [await _measure_ms(device.elements) for _ in range(ROUNDS)]
    return Row(f"elements of a page of {ROWS} rows", median(lists), "ms", note=f"a picture {median(frames):.0f} ms")


async def _measure_many_windows(chromium: Chromium) -> list[Row]:
    """Click in many windows at once; every click of every window has to arrive."""
    steps: list[float] = []

    async def use_window(number: int) -> int:
        device = await open_in_browser(chromium, BrowserSettings(), clock=SystemClock(), name=f"browser:{number}")
        settle = VisualStability(SettleSettings(), SystemClock())
        try:
            await device.act(OpenUrl(url=_make_counter_page()))
            for _ in range(WINDOW_STEPS):
                begun = time.perf_counter()
                before, elements = await asyncio.gather(device.frame(), device.elements())
                x, y = _find_named(elements, "Count")
                await device.act(Click(x=x, y=y))
                await settle(device, before)
                steps.append((time.perf_counter() - begun) * 1000)
            return int((await device.app()).title)
        finally:
            await device.close()

    counted = await asyncio.gather(*(use_window(number) for number in range(WINDOWS)))
    wanted = WINDOWS * WINDOW_STEPS
    return [
        Row(f"steps of {WINDOWS} windows at once", sum(counted), f"of {wanted}", limit=wanted, better="more"),
        Row(f"a step with {WINDOWS} windows at once", median(steps), "ms"),
    ]
