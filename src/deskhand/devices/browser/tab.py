"""One tab: its screenshot, documents, pop-up, loading state, and its end. Which tab is in front is up to the window."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any

from playwright.async_api import Dialog, Error, FileChooser, Page, Request

from deskhand.core.actions import PAGE_ERROR, PAGE_IDLE
from deskhand.core.errors import ActionFailed, DeviceTimeout
from deskhand.devices.browser.arrivals import Arrivals
from deskhand.devices.browser.cdp_target import (
    CALL_S,
    CdpTarget,
    DialogOpened,
    Interruption,
    TabFrozen,
    TabLost,
    discard_result,
)
from deskhand.devices.browser.documents import Document, Documents, ElementListing
from deskhand.devices.browser.heartbeat import Heartbeat, Patience
from deskhand.devices.browser.page_activity import PageActivity, describe_refusal
from deskhand.devices.browser.popups import DialogPopup, FilePopup, Popup
from deskhand.settings.schema import BrowserSettings

_JPEG = {"format": "jpeg", "quality": 90, "optimizeForSpeed": True}
# A click that leads to another page is done when that page has its content; from there the engine settles.
LOAD_S = 8.0
# The longest wait for all answers to what an action made the page ask for.
ANSWERS_S = 15.0
# An answer may make the page ask again; a page that asks on and on is left alone after this many times.
ROUNDS = 4
PLAN_S = 1.0
# A page that does not answer for this long is not one to open another page in.
FROZEN_S = 4.0
DRAWN_S = 1.0
# The browser tells of a request a little after the page made it. Only a click that had no effect so far waits for it.
REQUEST_S = 0.15
MEASURE_S = 1.0
# What the browser says of a tab between two pages.
_NO_PAGE = "Not attached to an active page"
# Why a page may not answer although its tab is there: no fault of what waits for it to come to rest.
_SILENT = (DeviceTimeout, DialogOpened, TabFrozen, TabLost)


class Tab:
    def __init__(
        self,
        page: Page,
        cdp: CdpTarget,
        scale: float,
        signal_change: Callable[[], None],
        arrivals: Arrivals,
        patience: Patience,
    ) -> None:
        self.page = page
        self.cdp = cdp
        self.heartbeat = Heartbeat(cdp.session, cdp.interruption, patience)
        cdp.interruption.watch_call = self.heartbeat.watch_call
        self.documents = Documents(page, cdp)
        self.activity = PageActivity(page, arrivals)
        self._arrivals = arrivals
        self.popup: Popup | None = None
        self.crashed = False
        # Frame pixels in one CSS pixel, the unit of the browser's input (zoom included).
        self.scale = scale
        self.signal_change = signal_change
        self._loaded = asyncio.Event()
        self._loaded.set()
        self._held = asyncio.Event()
        self._replaced = asyncio.Event()
        self._plan: asyncio.TimerHandle | None = None

    @classmethod
    async def open_page(
        cls,
        page: Page,
        settings: BrowserSettings | None,
        signal_change: Callable[[], None],
        arrivals: Arrivals,
        patience: Patience,
    ) -> Tab:
        """Open a tab on the page; `settings` give the size and scale of an emulated screen, None means a real one."""
        session = await page.context.new_cdp_session(page)
        cdp, scale = CdpTarget(session, Interruption()), settings.scale if settings else 1.0
        tab = cls(page, cdp, scale, signal_change, arrivals, patience)
        page.on("filechooser", tab._on_file_chooser)
        page.on("crash", tab._on_crash)
        page.on("close", tab._on_close)
        session.on("Page.javascriptDialogClosed", tab._on_dialog_closed)
        session.on("Page.windowOpen", tab._on_window_open)
        for event in ("Page.frameStartedLoading", "Page.frameStartedNavigating", "Page.frameRequestedNavigation"):
            session.on(event, tab._on_loading)
        session.on("Page.frameScheduledNavigation", tab._on_scheduled_navigation)
        session.on("Page.frameNavigated", tab._on_replaced)
        for event in ("Page.domContentEventFired", "Page.frameStoppedLoading", "Page.navigatedWithinDocument"):
            session.on(event, tab._on_load_ended)
        if settings:
            metrics = {"width": settings.width, "height": settings.height, "deviceScaleFactor": settings.scale}
            await tab.cdp.send_command("Emulation.setDeviceMetricsOverride", {**metrics, "mobile": False})
        await tab.cdp.install_scripts()
        # Last: until a tab is open, the window closes its dialogs, because a dialog would block the opening.
        page.on("dialog", tab._on_dialog)
        return tab

    async def is_responsive(self) -> bool:
        """False if the page runs a script that does not end, or has a dialog open."""
        top = self.documents.top
        try:
            await top.cdp.evaluate_in(top.frame, "1", timeout=FROZEN_S)
        except (DeviceTimeout, DialogOpened, TabFrozen):
            return False
        return True

    async def list_elements(self) -> ElementListing:
        listing = await self.documents.list_elements()
        self.scale = listing.scale
        return listing

    async def capture_jpeg(self) -> bytes:
        """Return what the tab shows. A capture during which another page takes its place fails or never ends."""
        for _ in range(ROUNDS):
            replaced = asyncio.ensure_future(self._replaced.wait())
            capture = asyncio.ensure_future(self._capture_once())
            try:
                await asyncio.wait({capture, replaced}, return_when=asyncio.FIRST_COMPLETED)
                if capture.done():
                    return capture.result()
            except Error as error:
                if _NO_PAGE not in str(error):
                    raise
                await self.wait_until_drawn(self.documents.top)
            finally:
                replaced.cancel()
                capture.cancel()
        return await self._capture_once()

    async def _capture_once(self) -> bytes:
        answer, _ = await asyncio.gather(self.cdp.send_command("Page.captureScreenshot", _JPEG), self._measure_scale())
        return base64.b64decode(answer["data"])

    async def _measure_scale(self) -> None:
        """Measure the scale with each screenshot: each site has its own zoom, and a window may change monitors."""
        top = self.documents.top
        with contextlib.suppress(DeviceTimeout):
            view = await top.cdp.evaluate_in(top.frame, "deskhand.view()", timeout=MEASURE_S)
            self.scale = view["ratio"] * view["pinch"]

    async def send_calls(self, *calls: tuple[str, dict[str, Any]]) -> None:
        """Send all at once, in order. A dialog that opens meanwhile ends the wait, not the calls."""

        async def send_all() -> None:
            await asyncio.gather(*(self.cdp.send_command(method, params) for method, params in calls))

        await self.wait_unless_dialog(send_all(), calls[-1][0], CALL_S + 1)

    async def wait_unless_dialog(self, work: Any, what: str, timeout: float = CALL_S, *, acts: bool = True) -> Any:
        with contextlib.suppress(DialogOpened):
            return await self.cdp.interruption.run_interruptible(work, timeout, what, acts=acts)

    async def wait_until_drawn(self, document: Document) -> None:
        with contextlib.suppress(DeviceTimeout, DialogOpened, TabFrozen):
            await document.cdp.evaluate_in(document.frame, "deskhand.drawn()", timeout=DRAWN_S)

    async def wait_for_navigation(self) -> None:
        """If the last action leads to another page, wait until that page has its content; else return at once."""
        await self.wait_unless_held(self._wait_until_loaded())

    async def _wait_until_loaded(self) -> None:
        with contextlib.suppress(*_SILENT):
            # A click is acknowledged before the navigation it causes is reported.
            await self._wait_one_turn()
            if not self._loaded.is_set():
                await self.cdp.interruption.run_interruptible(self._loaded.wait(), LOAD_S, "the next page")

    async def wait_for_answers(self, is_own: Callable[[Request], bool]) -> None:
        """Wait until the page has the answers to what the last action made it ask for, and has begun to use them."""
        waiting = self.activity.wait_for_answers
        with contextlib.suppress(*_SILENT, TimeoutError):
            async with asyncio.timeout(ANSWERS_S):
                for _ in range(ROUNDS):
                    if not await self.cdp.interruption.run_interruptible(waiting(is_own), ANSWERS_S, "an answer"):
                        return
                    await self._wait_one_turn()

    async def _wait_one_turn(self) -> None:
        """Wait for one turn of the page's own loop."""
        top = self.documents.top
        await top.cdp.evaluate_in(top.frame, "new Promise((turn) => setTimeout(turn, 0))", timeout=LOAD_S)

    async def wait_unless_held(self, work: Coroutine[Any, Any, Any]) -> None:
        """Wait for this, but not while the next page is held: until then the browser may not answer."""
        working, held = asyncio.ensure_future(work), asyncio.ensure_future(self._held.wait())
        try:
            await asyncio.wait({working, held}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            working.cancel()
            await asyncio.wait({working})
            raise
        finally:
            held.cancel()
        if working.done():
            working.result()
        else:
            working.add_done_callback(discard_result)

    def begin_hold(self) -> None:
        self._cancel_plan()
        self._loaded.set()
        self._held.set()
        self.signal_change()

    async def end_hold(self, goes_on: bool) -> None:
        """Wait for the page that was held, if it `goes_on`."""
        self._held.clear()
        if goes_on:
            self._loaded.clear()
            await self.wait_for_navigation()

    async def note_errors(self) -> None:
        """Remember what the page says is wrong before an action that may hand something in."""
        with contextlib.suppress(*_SILENT, ActionFailed):
            await self.documents.note_errors()

    async def describe_answer(self, *, clicked: bool) -> str:
        """Describe what the page says is wrong since then, or that it did nothing about a click; empty if neither.

        `clicked`: it says something only if it was a button that was clicked.
        """
        if self.popup is None and not self._held.is_set():
            with contextlib.suppress(*_SILENT, ActionFailed):
                if await self.documents.is_saving_file():
                    self._arrivals.expect_arrival("download")
                errors, idle = await self.documents.list_new_errors(clicked=clicked)
                if errors or self.activity.refusal:
                    told = " · ".join(errors) or describe_refusal(self.activity.refusal)
                    return f"{PAGE_ERROR}: {told}"
                if idle and not await self.activity.has_begun_request(REQUEST_S):
                    return PAGE_IDLE
        return ""

    def drop_popup(self, popup: Popup) -> None:
        if self.popup is popup:
            self.popup = None
        self.signal_change()

    def _on_dialog(self, dialog: Dialog) -> None:
        self.popup = DialogPopup(dialog)
        self.cdp.interruption.interrupt_calls(DialogOpened)
        self.signal_change()

    def _on_dialog_closed(self, _: Any) -> None:
        if isinstance(self.popup, DialogPopup):
            self.popup = None
        self.cdp.interruption.resume_calls()
        self.heartbeat.allow_time()
        self.signal_change()

    def _on_file_chooser(self, chooser: FileChooser) -> None:
        self.popup = FilePopup(chooser)
        self.signal_change()

    def _on_crash(self, _: Any) -> None:
        self.crashed = True
        self._on_close(None)

    def _on_close(self, _: Any) -> None:
        self.cdp.interruption.interrupt_calls(TabLost)
        self.signal_change()

    def _on_window_open(self, _: Any) -> None:
        self._arrivals.expect_arrival("tab")

    def _on_loading(self, event: dict[str, Any]) -> None:
        elsewhere = event["frameId"] != self.cdp.root or event.get("disposition", "currentTab") != "currentTab"
        if not elsewhere and event.get("navigationType") != "sameDocument":
            self._cancel_plan()
            self._loaded.clear()

    def _on_scheduled_navigation(self, event: dict[str, Any]) -> None:
        """Expect a navigation that is scheduled for now, for PLAN_S at most: it may be cancelled without notice."""
        if event["frameId"] == self.cdp.root and event["delay"] == 0 and self._loaded.is_set():
            self._loaded.clear()
            self._plan = asyncio.get_running_loop().call_later(PLAN_S, self._loaded.set)

    def _on_replaced(self, event: dict[str, Any]) -> None:
        if event["frame"]["id"] == self.cdp.root:
            self._replaced.set()
            self._replaced = asyncio.Event()

    def _cancel_plan(self) -> None:
        if self._plan is not None:
            self._plan.cancel()
            self._plan = None

    def _on_load_ended(self, event: dict[str, Any]) -> None:
        if event.get("frameId", self.cdp.root) == self.cdp.root:
            self._cancel_plan()
            self._loaded.set()
            if not isinstance(self.popup, DialogPopup | None):
                self.popup = None  # its page is gone
