"""The browser's stage: a real Chromium, and the board as a page whose own scripts tell what reached it."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any, ClassVar, Self

from playwright.async_api import Error, async_playwright

from deskhand.clock import SystemClock
from deskhand.core.actions import ActionKind, OpenUrl
from deskhand.core.geometry import Rect
from deskhand.devices.browser.device import BrowserDevice, open_browser
from deskhand.devices.browser.executable import find_executable
from deskhand.settings.schema import BrowserSettings
from tests.contract.stage import PLAIN, Board, Felt, until
from tests.devices.browser.browser_stage import device_in, running, serving

SIZE = {"width": 640, "height": 480}
SCALES = {PLAIN: 1.0, "scale 1.5": 1.5, "scale 2": 2.0, "scale 3": 3.0}
ZOOMED = "zoom 200 %"
ZOOM_LEVEL = 3.8017840169239308
BOARD = Path(__file__).parent / "board.html"
# Clicks that a page feels 5 px further right, as in a window that something else scales.
SHIFTED = """for (const one of [MouseEvent, PointerEvent]) {
  const true_x = Object.getOwnPropertyDescriptor(MouseEvent.prototype, "clientX").get;
  Object.defineProperty(one.prototype, "clientX", { get() { return true_x.call(this) + 5 } });
}"""


class BrowserStage:
    name: ClassVar[str] = "browser"
    words: ClassVar[frozenset[ActionKind]] = frozenset({
        "click", "double_click", "right_click", "middle_click", "move", "long_press", "drag", "swipe", "scroll",
        "type", "key", "hotkey", "open_url", "switch_window", "back",
    })  # fmt: skip
    looks: ClassVar[tuple[str, ...]] = (*SCALES, ZOOMED)
    tree: ClassVar[bool] = True
    pushes: ClassVar[bool] = True
    aims: ClassVar[bool] = True
    other_app = ""

    def __init__(self, folder: Path, look: str) -> None:
        self._folder = folder
        self._look = look
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._site = self._stack.enter_context(serving())
        self._home = self._site.page(BOARD.read_text(encoding="utf-8"), "/board.html")
        self.address = self._site.page("<title>Address</title>An address", "/address.html")
        self._site.page("<title>Deeper</title>Further in", "/deeper.html")
        self._site.page("<title>Second</title>Another tab", "/second.html")
        try:
            self.device = await (self._zoomed() if self._look == ZOOMED else self._scaled())
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def _scaled(self) -> BrowserDevice:
        settings = BrowserSettings(**SIZE, scale=SCALES[self._look])
        self._chromium = await self._stack.enter_async_context(running(settings))
        return await self._stack.enter_async_context(device_in(self._chromium, settings))

    async def _zoomed(self) -> BrowserDevice:
        """A person's own profile that shows every page at twice its size."""
        (self._folder / "Default").mkdir()
        wish = f'{{"partition": {{"default_zoom_level": {{"x": {ZOOM_LEVEL}}}}}}}'
        (self._folder / "Default" / "Preferences").write_text(wish)
        settings = BrowserSettings(width=1280, height=960, profile=self._folder)
        device = await open_browser(settings, clock=SystemClock())
        self._stack.push_async_callback(device.close)
        return device

    async def __aexit__(self, *exc: object) -> None:
        await self._stack.aclose()

    # --- the board -------------------------------------------------------------------------------------------

    async def _ask(self, code: str) -> Any:
        """The page itself, past the device."""
        tab = await self.device._window.get_front_tab()
        return await tab.page.evaluate(code)

    async def reset(self) -> None:
        for tab in self.device._window.tabs[1:]:
            await tab.page.close()
        await until(self._alone, "one tab in front")
        if await self.where() != "Board":
            await self.device.act(OpenUrl(url=self._home))
            await self.device.frame()
        await self._ask("reset()")

    async def _alone(self) -> bool:
        await self.device._window.get_front_tab()
        return len(self.device._window.tabs) == 1

    async def board(self) -> Board:
        facts = await self._ask("board()")
        return Board(
            places={name: Rect(*box) for name, box in facts["places"].items()},
            texts=facts["texts"],
            agreed=facts["agreed"],
            pressed=facts["pressed"],
            scrolled=(facts["scrolled"][0], facts["scrolled"][1]),
            felt=tuple(Felt(**one) for one in facts["felt"]),
        )

    async def where(self) -> str:
        with suppress(Error):  # just then it goes to another page
            return await self._ask("document.title")
        return ""

    async def paint(self) -> None:
        await self._ask("paint()")

    async def hang(self, seconds: float) -> None:
        busy = f"const end = performance.now() + {1000 * seconds}; while (performance.now() < end);"
        await self._ask(f"void setTimeout(() => {{ {busy} }}, 0)")

    async def deeper(self) -> None:
        await self._ask("void (location.href = '/deeper.html')")
        await until(self._is("Deeper"), "the page behind the board")

    async def second(self) -> None:
        await self._ask("void open('/second.html')")
        await until(self._is("Second"), "the second tab")

    def _is(self, title: str) -> Any:
        async def there() -> bool:
            return await self.where() == title

        return there

    # --- trouble ---------------------------------------------------------------------------------------------

    async def lose(self) -> None:
        profile = f"--user-data-dir={self._chromium._scratch}"
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    words = (entry / "cmdline").read_text().split("\0")
                except OSError:
                    continue
                if "chrom" in words[0] and any(word.startswith(profile) for word in words):
                    os.kill(int(entry.name), signal.SIGKILL)

    async def attach_crooked(self) -> None:
        process = await asyncio.create_subprocess_exec(
            str(find_executable()), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
            f"--user-data-dir={self._folder / 'crooked'}", "about:blank",
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        assert process.stderr is not None
        try:
            async with asyncio.timeout(30):
                while b"DevTools listening on" not in (line := await process.stderr.readline()):
                    assert line, "the browser ended"
            url = f"http://127.0.0.1:{line.decode().split(':')[2].split('/')[0]}"
            async with async_playwright() as driver:
                other = await driver.chromium.connect_over_cdp(url)
                await other.contexts[0].add_init_script(SHIFTED)
                device = await open_browser(BrowserSettings(), clock=SystemClock(), cdp_url=url)
                await device.close()
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            while await process.stderr.read(65536):
                pass
