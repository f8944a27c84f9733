"""Keeps a browser on the sites it may open: every document that is about to load is asked about, whoever asked for it.

One session with the whole browser does it, so that redirects, pop-ups and frames have no way around. Only documents
are stopped for a moment, and without lists nothing is.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from deskhand.settings.schema import PolicySettings
from deskhand.settings.site_lists import verdict

if TYPE_CHECKING:
    from playwright.async_api import Browser, CDPSession

# Where a page stands that could not be loaded: it belongs to no site.
_ERROR_PAGE = "chrome-error:"
_MOST = 20
ANYWHERE = PolicySettings()


class SiteGuard:
    """`tell` gets a few words about each frame that was left empty; pages are kept for `take`."""

    def __init__(self, policy: PolicySettings, tell: Callable[[str], None]) -> None:
        self._lists = policy.sites_allow, policy.sites_deny
        self._tell = tell
        self._session: CDPSession | None = None
        self._work: set[asyncio.Task[None]] = set()
        self._refused: list[str] = []

    @property
    def _idle(self) -> bool:
        return not any(self._lists)

    def why_not(self, url: str) -> str:
        """Why this address may not be shown; empty when it may."""
        return "" if url.startswith(_ERROR_PAGE) else verdict(url, *self._lists)

    def take(self) -> str:
        """The pages refused since the last time, in a sentence or two; empty for none."""
        refused, self._refused = self._refused, []
        return " ".join(dict.fromkeys(refused))

    async def keep(self, browser: Browser | None) -> None:
        """From now on, for all tabs there are and will be, until the browser or the connection ends."""
        if self._idle:
            return
        assert browser is not None
        self._session = await browser.new_browser_cdp_session()
        self._session.on("Fetch.requestPaused", self._paused)
        await self._send("Fetch.enable", {"patterns": [{"urlPattern": "*", "resourceType": "Document"}]})

    async def close(self) -> None:
        from playwright.async_api import Error

        for task in list(self._work):
            task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)
        if self._session is not None:
            with contextlib.suppress(Error):  # it may have ended with the browser
                await self._session.detach()

    def _paused(self, event: dict[str, Any]) -> None:
        task = asyncio.ensure_future(self._judge(event))
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    async def _judge(self, event: dict[str, Any]) -> None:
        from playwright.async_api import Error

        request = {"requestId": event["requestId"]}
        why = verdict(event["request"]["url"], *self._lists)
        try:
            if not why:
                await self._send("Fetch.continueRequest", request)
                return
            self._record(why, is_page=await self._is_page(event["frameId"]))
            # Aborted: the page that asked for it stays as it is, and a tab opened for it goes away by itself.
            await self._send("Fetch.failRequest", {**request, "errorReason": "Aborted"})
        except Error:
            pass  # the tab or the browser went away meanwhile, and the request with it

    def _record(self, why: str, *, is_page: bool) -> None:
        if is_page:
            self._refused = [*self._refused, why][-_MOST:]
        else:
            self._tell(f"a frame was left empty: {why}")

    async def _is_page(self, frame: str) -> bool:
        from playwright.async_api import Error

        try:
            target = await self._send("Target.getTargetInfo", {"targetId": frame})
        except Error:
            return False  # a frame inside of a page is no target
        return target["targetInfo"]["type"] == "page"

    async def _send(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self._session is not None
        return cast("dict[str, Any]", await self._session.send(method, params))  # pyright: ignore[reportUnknownMemberType] Playwright leaves its dict untyped
