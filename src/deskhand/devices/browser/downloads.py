"""Downloads of one browser window: the browser itself saves them in a known folder; reports when they are complete.

Playwright's own way copies a file that may not be written yet: one in eight was empty.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Page

from deskhand.core.errors import DeviceSetup
from deskhand.devices.browser.arrivals import Arrivals
from deskhand.devices.browser.cdp_target import send_cdp
from deskhand.private_files import close_to_others, make_private_folder


class Downloads:
    """`tell` is called with a few words when a download ends, `arrivals` hear of it when it begins and ends."""

    def __init__(self, folder: Path, tell: Callable[[str], None], arrivals: Arrivals) -> None:
        self._folder = folder.expanduser()
        self._tell = tell
        self._arrivals = arrivals
        self._names: dict[str, str] = {}

    async def watch_downloads(self, context: BrowserContext, page: Page) -> None:
        """Save and report downloads of all tabs of the context, until the connection to its browser ends."""
        assert context.browser is not None
        try:
            if not self._folder.is_dir():
                make_private_folder(self._folder)
        except OSError as error:
            raise DeviceSetup(f"The folder of browser.downloads can't be created ({error}): choose another.") from None
        # A session of the browser, not of the page: the browser would forget the folder when that tab closes.
        browser, tab = await context.browser.new_browser_cdp_session(), await context.new_cdp_session(page)
        target = await send_cdp(tab, "Target.getTargetInfo", {})
        await tab.detach()
        browser.on("Browser.downloadWillBegin", self._on_begin)
        browser.on("Browser.downloadProgress", self._on_progress)
        where = {"downloadPath": str(self._folder), "browserContextId": target["targetInfo"]["browserContextId"]}
        await send_cdp(browser, "Browser.setDownloadBehavior", {"behavior": "allow", "eventsEnabled": True, **where})

    def _on_begin(self, event: dict[str, Any]) -> None:
        self._names[event["guid"]] = Path(event["suggestedFilename"]).name
        self._arrivals.note_download(event["guid"], self._names[event["guid"]])

    def _on_progress(self, event: dict[str, Any]) -> None:
        if event["state"] == "inProgress" or (name := self._names.pop(event["guid"], None)) is None:
            return  # it belongs to another window of the same browser
        if event["state"] == "completed":
            file = Path(event.get("filePath") or self._folder / name)
            close_to_others(file)
            self._tell(f"downloaded {file}")
        else:
            self._tell(f"the download of {name} was cancelled")
        self._arrivals.end_download(event["guid"])
