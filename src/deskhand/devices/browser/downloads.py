"""Downloads of one browser window: kept in a known folder by the browser itself, and told when they are complete.

Playwright's own way copies a file that may not be written yet: one in eight came out empty.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from deskhand.core.errors import DeviceSetup

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, CDPSession, Page


class Downloads:
    """`tell` gets a few words about each end of a download."""

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self._folder = folder.expanduser()
        self._tell = tell
        self._names: dict[str, str] = {}

    async def keep(self, context: BrowserContext, page: Page) -> None:
        """From now on, for all tabs of the context, until its browser's connection ends."""
        assert context.browser is not None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DeviceSetup(f"browser.downloads can't be used: {error}.") from None
        # A session of the browser, not of the page: with that tab's end the browser would forget the folder.
        browser, tab = await context.browser.new_browser_cdp_session(), await context.new_cdp_session(page)
        target = await _send(tab, "Target.getTargetInfo", {})
        await tab.detach()
        browser.on("Browser.downloadWillBegin", self._began)
        browser.on("Browser.downloadProgress", self._progressed)
        where = {"downloadPath": str(self._folder), "browserContextId": target["targetInfo"]["browserContextId"]}
        await _send(browser, "Browser.setDownloadBehavior", {"behavior": "allow", "eventsEnabled": True, **where})

    def _began(self, event: dict[str, Any]) -> None:
        self._names[event["guid"]] = Path(event["suggestedFilename"]).name

    def _progressed(self, event: dict[str, Any]) -> None:
        if event["state"] == "inProgress" or (name := self._names.pop(event["guid"], None)) is None:
            return  # others of the same browser tell theirs themselves
        if event["state"] == "completed":
            self._tell(f"downloaded {event.get('filePath') or self._folder / name}")
        else:
            self._tell(f"the download of {name} was cancelled")


async def _send(session: CDPSession, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return cast("dict[str, Any]", await session.send(method, params))  # pyright: ignore[reportUnknownMemberType] Playwright leaves its dict untyped
