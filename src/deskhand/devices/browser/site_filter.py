"""Keeps a browser on the sites it may open: checks every document before it loads, whatever requested it.

One session with the whole browser does it, so redirects, pop-ups and frames can't bypass it. Only documents
are paused, and without site lists nothing is.
"""

import contextlib
from collections.abc import Callable, Coroutine
from typing import Any

from playwright.async_api import Browser, CDPSession, Error

from deskhand.devices.browser.cdp_target import send_cdp
from deskhand.settings.schema import PolicySettings
from deskhand.settings.site_lists import explain_block

# The address of a page that could not be loaded: it belongs to no site.
_ERROR_PAGE = "chrome-error:"
_MOST = 20
ANYWHERE = PolicySettings()


class SiteFilter:
    """`tell` is called with a few words about each blocked frame; blocked pages are kept for `take_blocked`.

    `run_later` runs work in the background.
    """

    def __init__(
        self,
        policy: PolicySettings,
        tell: Callable[[str], None],
        run_later: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._lists = policy.sites_allow, policy.sites_deny
        self._tell = tell
        self._session: CDPSession | None = None
        self._run_later = run_later
        self._refused: list[str] = []
        self._paused: dict[str, str] = {}

    def find_block_reason(self, url: str) -> str:
        """Return why this address is blocked; empty if it is allowed."""
        return "" if url.startswith(_ERROR_PAGE) else explain_block(url, *self._lists)

    def take_blocked(self) -> str:
        """Return why pages were blocked since the last call, in a sentence or two; empty if none were."""
        refused, self._refused = self._refused, []
        return " ".join(dict.fromkeys(refused))

    async def start_filter(self, browser: Browser | None) -> None:
        """Filter all present and future tabs, until the browser or the connection ends."""
        if not any(self._lists):
            return
        assert browser is not None
        self._session = await browser.new_browser_cdp_session()
        self._session.on("Fetch.requestPaused", self._on_request_paused)
        await self._send_command("Fetch.enable", {"patterns": [{"urlPattern": "*", "resourceType": "Document"}]})

    async def close(self) -> None:
        """Stop filtering. What waits for its judgment is judged first: a browser lets it go on once nobody listens."""
        if self._session is None:
            return
        for request, url in list(self._paused.items()):
            if explain_block(url, *self._lists):
                with contextlib.suppress(Error):  # its tab may have closed
                    await self._fail_request(request)
        with contextlib.suppress(Error):  # the browser may have ended
            await self._session.detach()

    def _on_request_paused(self, event: dict[str, Any]) -> None:
        self._paused[event["requestId"]] = event["request"]["url"]
        self._run_later(self._judge_request(event))

    async def _judge_request(self, event: dict[str, Any]) -> None:
        request = event["requestId"]
        why = explain_block(event["request"]["url"], *self._lists)
        try:
            if not why:
                await self._send_command("Fetch.continueRequest", {"requestId": request})
                self._paused.pop(request, None)
                return
            if await self._is_page(event["frameId"]):
                self._refused = [*self._refused, why][-_MOST:]
            else:
                self._tell(f"a frame was blocked: {why}")
            await self._fail_request(request)
        except Error:
            self._paused.pop(request, None)  # the tab or the browser closed meanwhile

    async def _fail_request(self, request: str) -> None:
        # Aborted: the page that requested it stays as it is, and a tab opened for it closes by itself.
        await self._send_command("Fetch.failRequest", {"requestId": request, "errorReason": "Aborted"})
        self._paused.pop(request, None)

    async def _is_page(self, frame: str) -> bool:
        try:
            target = await self._send_command("Target.getTargetInfo", {"targetId": frame})
        except Error:
            return False  # a frame inside a page is no target
        return target["targetInfo"]["type"] == "page"

    async def _send_command(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self._session is not None
        return await send_cdp(self._session, method, params)
