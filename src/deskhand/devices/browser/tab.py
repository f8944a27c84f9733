"""One tab: its picture, its documents, its dialogs, whether it is loading, and the end of it.

Which tab is in front, and what is done on it, is the device's business.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from deskhand.core.errors import DeviceTimeout
from deskhand.devices.browser.cdp_target import CALL_S, Halt, Interrupted, TabLost, Wire
from deskhand.devices.browser.documents import Document, Documents, Listing
from deskhand.devices.browser.popups import Chooser, Overlay, Question
from deskhand.settings.schema import BrowserSettings

if TYPE_CHECKING:
    from playwright.async_api import Dialog, FileChooser, Page

_JPEG = {"format": "jpeg", "quality": 90, "optimizeForSpeed": True}
# A click that leads to another page is done when that page has its content; the settle takes over from there.
LOAD_S = 8.0
PLAN_S = 1.0
DRAWN_S = 1.0
MEASURE_S = 1.0


class Tab:
    """Holds one page and the CDP session beside it."""

    def __init__(self, page: Page, wire: Wire, scale: float, news: Callable[[], None]) -> None:
        self.page = page
        self.wire = wire
        self.documents = Documents(page, wire)
        self.overlay: Overlay | None = None
        self.crashed = False
        self._scale = scale
        self._news = news
        self._loaded = asyncio.Event()
        self._loaded.set()
        self._plan: asyncio.TimerHandle | None = None

    @classmethod
    async def open(cls, page: Page, settings: BrowserSettings | None, news: Callable[[], None]) -> Tab:
        """`settings` give the size and scale of a screen that exists only in the browser's mind; None: a real one."""
        session = await page.context.new_cdp_session(page)
        tab = cls(page, Wire(session, Halt()), settings.scale if settings else 1.0, news)
        page.on("filechooser", tab._choose)
        page.on("crash", tab._crash)
        page.on("close", tab._close)
        session.on("Page.javascriptDialogClosed", tab._answered)
        for event in ("Page.frameStartedLoading", "Page.frameStartedNavigating", "Page.frameRequestedNavigation"):
            session.on(event, tab._loading)
        session.on("Page.frameScheduledNavigation", tab._maybe_loading)
        for event in ("Page.domContentEventFired", "Page.frameStoppedLoading", "Page.navigatedWithinDocument"):
            session.on(event, tab._load_ended)
        if settings:
            metrics = {"width": settings.width, "height": settings.height, "deviceScaleFactor": settings.scale}
            await tab.wire.send("Emulation.setDeviceMetricsOverride", {**metrics, "mobile": False})
        await tab.wire.start()
        # Last: until a tab is open, the window closes its dialogs; one that was met here stopped the opening.
        page.on("dialog", tab._ask)
        return tab

    # --- looking ---------------------------------------------------------------------------------------------

    async def listing(self) -> Listing:
        listing = await self.documents.elements()
        self._scale = listing.scale
        return listing

    @property
    def scale(self) -> float:
        """Frame pixels in one CSS pixel, which is the unit of the browser's input (its zoom included)."""
        return self._scale

    async def capture(self) -> bytes:
        answer, _ = await asyncio.gather(self.wire.send("Page.captureScreenshot", _JPEG), self._measure())
        return base64.b64decode(answer["data"])

    async def _measure(self) -> None:
        """Known with each picture: a site has a zoom of its own, and a window may move to another monitor."""
        top = self.documents.top
        with contextlib.suppress(DeviceTimeout):
            view = await top.wire.ask(top.frame, "deskhand.view()", timeout=MEASURE_S)
            self._scale = view["ratio"] * view["pinch"]

    # --- calls that a dialog may interrupt -------------------------------------------------------------------

    async def do(self, *calls: tuple[str, dict[str, Any]]) -> None:
        """Send all at once, in order. A dialog that opens in between ends the wait, not the calls."""
        with contextlib.suppress(Interrupted):
            await asyncio.gather(*(self.wire.send(method, params) for method, params in calls))

    async def unless_asked(self, work: Any, what: str, timeout: float = CALL_S) -> Any:
        with contextlib.suppress(Interrupted):
            return await self.wire.halt.race(work, timeout, what)

    async def drawn(self, document: Document) -> None:
        with contextlib.suppress(DeviceTimeout, Interrupted):
            await document.wire.ask(document.frame, "deskhand.drawn()", timeout=DRAWN_S)

    async def landed(self) -> None:
        """Returns at once unless what was just done leads to another page; then when that one has its content."""
        top = self.documents.top
        with contextlib.suppress(DeviceTimeout, Interrupted, TabLost):
            # One turn of the page's own loop: a click's answer comes before the navigation that it caused is told.
            await top.wire.ask(top.frame, "new Promise((turn) => setTimeout(turn, 0))", timeout=LOAD_S)
            if not self._loaded.is_set():
                await self.wire.halt.race(self._loaded.wait(), LOAD_S, "the next page")

    # --- what happens to it ----------------------------------------------------------------------------------

    def _ask(self, dialog: Dialog) -> None:
        self.overlay = Question(dialog)
        self.wire.halt.now(Interrupted)
        self._news()

    def _answered(self, _: Any) -> None:
        if isinstance(self.overlay, Question):
            self.overlay = None
        self.wire.halt.over()
        self._news()

    def _choose(self, chooser: FileChooser) -> None:
        self.overlay = Chooser(chooser)
        self._news()

    def _crash(self, _: Any) -> None:
        self.crashed = True
        self.wire.halt.now(TabLost)
        self._news()

    def _close(self, _: Any) -> None:
        self.wire.halt.now(TabLost)
        self._news()

    def _loading(self, event: dict[str, Any]) -> None:
        elsewhere = event["frameId"] != self.wire.root or event.get("disposition", "currentTab") != "currentTab"
        if not elsewhere and event.get("navigationType") != "sameDocument":
            self._forget_plan()
            self._loaded.clear()

    def _maybe_loading(self, event: dict[str, Any]) -> None:
        """Planned for now; it may still be called off, and nothing would tell."""
        if event["frameId"] == self.wire.root and event["delay"] == 0 and self._loaded.is_set():
            self._loaded.clear()
            self._plan = asyncio.get_running_loop().call_later(PLAN_S, self._loaded.set)

    def _forget_plan(self) -> None:
        if self._plan is not None:
            self._plan.cancel()
            self._plan = None

    def _load_ended(self, event: dict[str, Any]) -> None:
        if event.get("frameId", self.wire.root) == self.wire.root:
            self._forget_plan()
            self._loaded.set()
            if not isinstance(self.overlay, Question | None):
                self.overlay = None  # its page is gone
