"""The browser's window: its tabs and which is in front, downloads, and starting again after a crash."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from deskhand.core.errors import ActionFailed, DeviceGone, DeviceRestarted, DeviceSetup, DeviceTimeout
from deskhand.core.protocols import Clock
from deskhand.devices.browser.browser_process import Chromium, attach, start
from deskhand.devices.browser.cdp_target import Behind, Interrupted, TabLost
from deskhand.devices.browser.downloads import Downloads
from deskhand.devices.browser.screencast import Changes
from deskhand.devices.browser.site_filter import ANYWHERE, SiteGuard
from deskhand.devices.browser.tab import Tab
from deskhand.settings.schema import BrowserSettings, PolicySettings

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Dialog, Page

T = TypeVar("T")
# A browser that crashes more often than this is not started again.
RESTARTS = 3
RESTARTS_WITHIN_S = 60.0
PING_S = 5.0
BLANK = "about:blank"


class Window:
    """One context of a browser. `shared`: the browser belongs to somebody else and is not restarted from here."""

    def __init__(
        self,
        chromium: Chromium,
        settings: BrowserSettings,
        clock: Clock,
        *,
        cdp_url: str = "",
        shared: bool = False,
        policy: PolicySettings = ANYWHERE,
    ) -> None:
        self._chromium = chromium
        self._settings = settings
        self._clock = clock
        self._cdp_url = cdp_url
        self._shared = shared
        self._context: BrowserContext | None = None
        self._fresh = False
        self._tabs: dict[Page, Tab] = {}
        self._adopting: dict[Page, asyncio.Task[Tab | None]] = {}
        self._front: Tab | None = None
        self._turned = asyncio.Event()
        self._last_url = BLANK
        self._notes: list[str] = []
        self._mending = asyncio.Lock()
        self._crashes: list[float] = []
        self._work: set[asyncio.Task[None]] = set()
        self._closed = False
        self.changes = Changes(clock)
        self.sites = SiteGuard(policy, self.note)

    async def open(self) -> Tab:
        """The window with one tab in front: the one that a person sees, else a new one."""
        self._context, self._fresh = await self._chromium.context()
        await self.sites.keep(self._context.browser)
        self._context.on("page", lambda page: self._later(self._adopt(page)))
        self._context.on("dialog", self._unexpected)
        for page in list(self._context.pages):
            await self._adopt(page)
        tab = (await self._visible() or self.tabs[-1]) if self._tabs else await self.new_tab()
        await self.show(tab)
        if self._chromium.owned:
            await Downloads(self._settings.downloads, self.note).keep(self._context, tab.page)
        return tab

    async def _visible(self) -> Tab | None:
        for tab in self._tabs.values():
            top = tab.documents.top
            with contextlib.suppress(DeviceTimeout, Interrupted, TabLost):
                if await top.wire.ask(top.frame, "document.visibilityState") == "visible":
                    return tab
        return None

    @property
    def size(self) -> tuple[int, int]:
        """Of its frames as they should be, for as long as none was seen."""
        return round(self._settings.width * self._settings.scale), round(self._settings.height * self._settings.scale)

    # --- tabs ------------------------------------------------------------------------------------------------

    @property
    def tabs(self) -> list[Tab]:
        return list(self._tabs.values())

    async def new_tab(self, url: str = "") -> Tab:
        assert self._context is not None
        page = await self._context.new_page()
        tab = await self._adopt(page)
        if tab is None:
            raise ActionFailed("The new tab closed at once.")
        if url and url != BLANK:
            await tab.unless_asked(page.goto(url, wait_until="commit"), "reopening")
        return tab

    async def _adopt(self, page: Page) -> Tab | None:
        """Also called by the browser itself for every new tab: one that a page opens comes to the front."""
        if page in self._tabs or page.is_closed():
            return self._tabs.get(page)
        # A tab of ours is told by the browser, too: whoever comes second waits for the first.
        task = self._adopting.get(page)
        if task is None:
            task = self._adopting[page] = asyncio.ensure_future(self._opened(page))
            task.add_done_callback(lambda _: self._adopting.pop(page))
        return await asyncio.shield(task)

    async def _opened(self, page: Page) -> Tab | None:
        from playwright.async_api import Error

        emulated = self._settings if self._chromium.owned and self._settings.headless else None
        try:
            tab = self._tabs[page] = await Tab.open(page, emulated, self.changes.ring)
        except (Error, TabLost):
            return None  # closed again before it could be looked at
        page.on("close", self._gone)
        page.on("framenavigated", self._remember_url)
        if self._front is not None and len(self._tabs) > 1:
            self._notes.append(f"a new tab opened: {page.url}")
        await self.show(tab)
        return tab

    async def show(self, tab: Tab) -> None:
        self._front = tab
        self._turned.set()
        self._turned = asyncio.Event()
        with contextlib.suppress(Interrupted, TabLost, DeviceTimeout):
            await tab.wire.send("Page.bringToFront")
        await self.changes.watch(tab.wire)

    async def until_turned(self, look: Coroutine[Any, Any, T]) -> T:
        """Raises Behind when another tab comes to the front meanwhile: one that is hidden may never give a picture."""
        work, turn = asyncio.ensure_future(look), asyncio.ensure_future(self._turned.wait())
        try:
            await asyncio.wait({work, turn}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise Behind
            return work.result()
        finally:
            work.cancel()
            turn.cancel()

    def _gone(self, page: Page) -> None:
        self._tabs.pop(page, None)

    def _remember_url(self, frame: Any) -> None:
        if self._front is not None and frame == self._front.page.main_frame:
            self._last_url = frame.url

    def note(self, words: str) -> None:
        if words not in self._notes:
            self._notes.append(words)

    def take_notes(self) -> list[str]:
        notes, self._notes = self._notes, []
        return notes

    # --- what happens by itself ------------------------------------------------------------------------------

    def _unexpected(self, dialog: Dialog) -> None:
        """A dialog of a tab that is only just opening would block it for ever; every other one is shown."""
        if dialog.page in self._tabs:
            return
        self._notes.append(f'a pop-up said "{dialog.message}" and was closed')
        self._later(self._dismiss(dialog))

    async def _dismiss(self, dialog: Dialog) -> None:
        await dialog.dismiss()

    def _later(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.ensure_future(work)
        self._work.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._work.discard(task)
        if not task.cancelled() and (error := task.exception()) and not self._closed:
            self._notes.append(f"the browser reported: {str(error).splitlines()[0] if str(error) else error!r}")

    # --- crashes ---------------------------------------------------------------------------------------------

    async def front(self) -> Tab:
        """The tab to work on. Raises DeviceRestarted once when it had to be opened again after a crash."""
        if self._closed:
            raise DeviceGone("The browser was closed.")
        tab = self._front
        if tab is None or tab.wire.halt.why is TabLost:
            await self.mend(tab)
            return await self.front()
        return tab

    async def mend(self, lost: Tab | None) -> None:
        """After a tab was lost. A closed one gives way to another; a crashed one is opened again and reported."""
        async with self._mending:
            if self._front is not lost or self._closed:
                return  # somebody else has seen to it
            if not await self._alive():
                await self._restart()
                raise DeviceRestarted(f"The browser crashed and was started again at {self._last_url}.")
            if lost is not None and lost.crashed:
                self._tabs.pop(lost.page, None)
                self._count_crash("tab")
                await self.new_tab(self._last_url)
                self._later(_close_page(lost.page))
                raise DeviceRestarted(f"The tab crashed and was opened again at {self._last_url}.")
            others = [tab for tab in self._tabs.values() if tab is not lost and tab.wire.halt.why is not TabLost]
            if others:
                await self.show(others[-1])
            else:
                await self.new_tab()
            self._notes.append("the tab closed")

    async def _alive(self) -> bool:
        from playwright.async_api import Error

        assert self._context is not None
        try:
            async with asyncio.timeout(PING_S):
                await self._context.cookies(BLANK)
        except (Error, TimeoutError):
            return False
        return True

    def _count_crash(self, what: str) -> None:
        now = self._clock.now()
        self._crashes = [at for at in self._crashes if now - at < RESTARTS_WITHIN_S] + [now]
        if len(self._crashes) > RESTARTS:
            raise DeviceGone(f"The {what} keeps crashing ({len(self._crashes)} times in {RESTARTS_WITHIN_S:g} s).")

    async def _restart(self) -> None:
        if self._shared:
            raise DeviceGone("The browser is gone.")
        self._count_crash("browser")
        self._front = None
        self._tabs.clear()
        await self.changes.watch(None)
        await self._chromium.close()
        try:
            self._chromium = await attach(self._cdp_url) if self._cdp_url else await start(self._settings)
        except DeviceSetup as fault:
            raise DeviceGone(f"The browser is gone and can't be started again: {fault}") from None
        url = self._last_url
        tab = await self.open()
        if url != BLANK:
            await tab.unless_asked(_visit(tab.page, url), "reopening")

    async def close(self) -> None:
        from playwright.async_api import Error

        self._closed = True
        await self.changes.close()
        await self.sites.close()
        tasks = [*self._work, *self._adopting.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._fresh and self._context is not None:
            with contextlib.suppress(Error):
                await self._context.close()
        if not self._shared:
            await self._chromium.close()


async def _visit(page: Page, url: str) -> None:
    from playwright.async_api import Error

    with contextlib.suppress(Error):  # the site may be the reason; the page then says so itself
        await page.goto(url, wait_until="commit")


async def _close_page(page: Page) -> None:
    await page.close()
