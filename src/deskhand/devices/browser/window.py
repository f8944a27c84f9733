"""The browser's window: its tabs and which one is in front, downloads, and the restart after a crash."""

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any, Literal, TypeVar

from playwright.async_api import BrowserContext, Dialog, Error, Page

from deskhand.core.errors import ActionFailed, AppFrozen, DeviceGone, DeviceRestarted, DeviceSetup, DeviceTimeout
from deskhand.core.outgoing import OutgoingRequest
from deskhand.core.protocols import Clock
from deskhand.devices.browser.arrivals import Arrivals
from deskhand.devices.browser.browser_process import Chromium, attach_browser, start_browser
from deskhand.devices.browser.cdp_target import DialogOpened, TabFrozen, TabHidden, TabLost
from deskhand.devices.browser.downloads import Downloads
from deskhand.devices.browser.heartbeat import Patience
from deskhand.devices.browser.request_gate import RequestGate
from deskhand.devices.browser.screencast import Screencast
from deskhand.devices.browser.site_filter import ANYWHERE, SiteFilter
from deskhand.devices.browser.tab import Tab
from deskhand.settings.schema import BrowserSettings, PolicySettings

T = TypeVar("T")
# A browser that crashes more often than this is not started again.
RESTARTS = 3
RESTARTS_WITHIN_S = 60.0
PING_S = 5.0
BLANK = "about:blank"
# The most characters of an address in a sentence.
MAX_ADDRESS = 120


class BrowserWindow:
    """One context of a browser. If `shared`, the browser belongs to another owner and is not restarted here."""

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
        self._restart: dict[str, str] = {}
        self._work: set[asyncio.Task[None]] = set()
        self._closed = False
        self.arrivals = Arrivals()
        self.changes = Screencast(clock, self._run_later)
        self.sites = SiteFilter(policy, self.add_note, self._run_later)
        # The tabs that were in front since we came; all others of somebody's browser are that user's.
        self._worked_on: set[Page] = set()
        self.gate = RequestGate(
            self._run_later, self._on_request_held, self._on_request_settled, self._is_ours, settings.logins
        )

    async def open_window(self) -> Tab:
        """Open the window with one tab in front: the one that the user sees, else a new one."""
        self._context, self._fresh = await self._chromium.open_context()
        await self.sites.start_filter(self._context.browser)
        await self.gate.start_gate(self._context.browser)
        self._context.on("page", lambda page: self._run_later(self._adopt_page(page)))
        self._context.on("dialog", self._on_early_dialog)
        for page in list(self._context.pages):
            tab = await self._adopt_page(page)
            if tab and page.url != BLANK:
                await self.gate.watch_session(tab.cdp.session)
        tab = self._find_used_tab() if self._tabs else await self.open_tab()
        await self.show_tab(tab)
        if self._chromium.is_owned:
            await Downloads(self._settings.downloads, self.add_note, self.arrivals).watch_downloads(
                self._context, tab.page
            )
        return tab

    def _find_used_tab(self) -> Tab:
        """Return the tab that was used last, by what the browser says; else the newest."""
        by_id = {tab.cdp.root: tab for tab in self.tabs}
        return next((by_id[used] for used in self._chromium.used if used in by_id), self.tabs[-1])

    @property
    def size(self) -> tuple[int, int]:
        """The expected size of its frames, until one was taken."""
        return round(self._settings.width * self._settings.scale), round(self._settings.height * self._settings.scale)

    # --- tabs ------------------------------------------------------------------------------------------------

    @property
    def tabs(self) -> list[Tab]:
        return list(self._tabs.values())

    async def open_tab(self, url: str = "") -> Tab:
        assert self._context is not None
        page = await self._context.new_page()
        tab = await self._adopt_page(page)
        if tab is None:
            raise ActionFailed("The new tab closed at once: look at the page before going on.")
        if url and url != BLANK:
            await tab.wait_unless_dialog(page.goto(url, wait_until="commit"), "reopening")
        return tab

    async def _adopt_page(self, page: Page) -> Tab | None:
        """Track a new tab. The browser also calls this for each tab that a page opens, which comes to the front."""
        if page in self._tabs or page.is_closed():
            return self._tabs.get(page)
        # The browser reports a tab that we open, too: the second call waits for the first.
        task = self._adopting.get(page)
        if task is None:
            task = self._adopting[page] = asyncio.ensure_future(self._open_adopted(page))
            task.add_done_callback(lambda _: self._adopting.pop(page))
        return await asyncio.shield(task)

    async def _open_adopted(self, page: Page) -> Tab | None:
        emulated = self._settings if self._chromium.is_owned and self._settings.headless else None
        # A page may have to wait for the user, who decides about what it sends.
        patience = Patience(self._settings.page_timeout_s, lambda: bool(self.gate.held))
        opening = Tab.open_page(page, emulated, self.changes.signal_change, self.arrivals, patience)
        try:
            tab = self._tabs[page] = await opening
        except (Error, TabFrozen, TabLost):
            return None  # it closed meanwhile, or can't be worked on
        tab.cdp.session.on("Page.frameStartedNavigating", self.gate.note_navigation)
        page.on("close", self._on_page_closed)
        page.on("framenavigated", self._remember_url)
        if self._front is not None:  # else the window is still being opened, and shows what the user sees
            if len(self._tabs) > 1:
                self._notes.append(f"a new tab opened: {page.url}")
            await self.show_tab(tab)
        self.arrivals.note_arrival("tab")
        return tab

    def _is_ours(self, frame: str) -> bool:
        """True unless the frame is known to be in a tab of the user's that was never in front of the task."""
        if self._chromium.is_owned:
            return True
        others = [tab for page, tab in self._tabs.items() if page not in self._worked_on]
        return not any(frame == tab.cdp.root or tab.cdp.has_document(frame) for tab in others)

    async def show_tab(self, tab: Tab) -> None:
        self._front = tab
        self._worked_on.add(tab.page)
        self._turned.set()
        self._turned = asyncio.Event()
        with contextlib.suppress(DialogOpened, TabFrozen, TabLost, DeviceTimeout):
            await tab.cdp.send_command("Page.bringToFront")
        await self.changes.watch_tab(tab.cdp)

    async def run_while_in_front(self, look: Coroutine[Any, Any, T]) -> T:
        """Return the result; raises TabHidden if another tab comes to the front: a hidden one may never be captured."""
        work, turn = asyncio.ensure_future(look), asyncio.ensure_future(self._turned.wait())
        try:
            await asyncio.wait({work, turn}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise TabHidden
            return work.result()
        finally:
            work.cancel()
            turn.cancel()

    def _on_page_closed(self, page: Page) -> None:
        self._tabs.pop(page, None)

    def _remember_url(self, frame: Any) -> None:
        if self._front is not None and frame == self._front.page.main_frame:
            self._last_url = frame.url

    def add_note(self, words: str) -> None:
        if words not in self._notes:
            self._notes.append(words)

    def take_notes(self) -> list[str]:
        notes, self._notes = self._notes, []
        return notes

    # --- events ----------------------------------------------------------------------------------------------

    def _on_early_dialog(self, dialog: Dialog) -> None:
        """Close the dialog of a tab that is still opening, which it would block for ever; others are shown."""
        if dialog.page in self._tabs:
            return
        self._notes.append(f'a pop-up said "{dialog.message}" and was closed')
        self._run_later(dialog.dismiss())

    def _on_request_held(self, request: OutgoingRequest, frame: str) -> None:
        for tab in self._tabs.values():
            tab.activity.note_held()
            if request.page and tab.cdp.root == frame:
                tab.begin_hold()

    async def _on_request_settled(self, request: OutgoingRequest, frame: str, goes_on: bool) -> None:
        for tab in self.tabs:
            tab.heartbeat.allow_time()
            tab.activity.note_released()
            if request.page and tab.cdp.root == frame:
                await tab.end_hold(goes_on)
            if goes_on and tab is self._front:
                await tab.wait_for_answers(tab.activity.is_own)

    def _run_later(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.ensure_future(work)
        self._work.add(task)
        task.add_done_callback(self._on_work_done)

    def _on_work_done(self, task: asyncio.Task[None]) -> None:
        self._work.discard(task)
        if not task.cancelled() and (error := task.exception()) and not self._closed:
            self._notes.append(f"the browser reported: {str(error).splitlines()[0] if str(error) else error!r}")

    # --- crashes ---------------------------------------------------------------------------------------------

    async def get_front_tab(self) -> Tab:
        """Return the tab to work on. Raises DeviceRestarted once if it had to be reopened after a crash."""
        if self._closed:
            raise DeviceGone("The browser was closed: open the device again.")
        tab = self._front
        if tab is None or tab.cdp.interruption.reason is TabLost:
            await self.replace_lost_tab(tab)
            return await self.get_front_tab()
        return tab

    async def replace_lost_tab(self, lost: Tab | None) -> None:
        """Show another tab in place of a closed one; reopen a crashed one and raise DeviceRestarted."""
        async with self._mending:
            if self._front is not lost or self._closed:
                return  # another call has done it
            if not await self._is_alive():
                await self._restart_browser()
                raise self._note_restart("The browser crashed and was restarted")
            if lost is not None and lost.crashed:
                self._tabs.pop(lost.page, None)
                self._count_crash("tab")
                await self.open_tab(self._last_url)
                self._run_later(lost.page.close())
                raise self._note_restart("The tab crashed and was reopened")
            others = [tab for tab in self.tabs if tab is not lost and tab.cdp.interruption.reason is not TabLost]
            if others:
                await self.show_tab(others[-1])
            else:
                await self.open_tab()
            self._notes.append("the tab closed")

    def describe_frozen(self, tab: Tab) -> AppFrozen:
        where, seconds = tab.page.url, self._settings.page_timeout_s
        where = where if len(where) <= MAX_ADDRESS else f"{where[:MAX_ADDRESS]}…"
        return AppFrozen(f"The page {where} did not respond for {seconds:g} s: open it again, or use another page.")

    async def replace_frozen_tab(self, frozen: Tab) -> Tab:
        """Return a new tab in front; the frozen one is closed, whenever it lets itself be."""
        tab = await self.open_tab()
        self._tabs.pop(frozen.page, None)
        self._run_later(frozen.page.close())
        return tab

    def _note_restart(self, what: str) -> DeviceRestarted:
        notice = f"{what} at {self._last_url}: what was entered before is gone, so look at the page before going on."
        self._restart = {"looking": notice, "acting": notice}
        return DeviceRestarted(notice)

    def take_restart(self, who: Literal["looking", "acting"]) -> str:
        """Return the words about a crash that this one was not told yet: whoever met it may only have watched."""
        notice = self._restart.pop(who, "")
        if who == "acting":
            self._restart.clear()
        return notice

    async def _is_alive(self) -> bool:
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
            raise DeviceGone(
                f"The {what} crashed {len(self._crashes)} times in {RESTARTS_WITHIN_S:g} s and is not restarted: "
                "update the browser, or use another page."
            )

    async def _restart_browser(self) -> None:
        if self._shared:
            raise DeviceGone("The browser ended: open the device again.")
        self._count_crash("browser")
        self._front = None
        self._tabs.clear()
        await self.changes.watch_tab(None)
        await self._chromium.close()
        try:
            starting = attach_browser(self._cdp_url) if self._cdp_url else start_browser(self._settings)
            self._chromium = await starting
        except DeviceSetup as fault:
            raise DeviceGone(f"The browser ended and could not be restarted: {fault}") from None
        url = self._last_url
        tab = await self.open_window()
        if url != BLANK:
            await tab.wait_unless_dialog(_visit_url(tab.page, url), "reopening")

    async def close(self) -> None:
        self._closed = True
        await self.changes.close()
        tasks = [*self._work, *self._adopting.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._fresh and self._context is not None:
            with contextlib.suppress(Error):
                await self._context.close()
        await self.gate.close()
        await self.sites.close()
        if not self._shared:
            await self._chromium.close()


async def _visit_url(page: Page, url: str) -> None:
    with contextlib.suppress(Error):  # if the site is the reason, the browser's own error page says so
        await page.goto(url, wait_until="commit")
