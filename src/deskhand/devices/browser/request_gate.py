"""Holds requests back before they leave the browser: pages, frames and scripts, of all tabs and workers.

What is held is judged by whoever calls `hold_requests`; until then, and for whatever is not held, this only adds a
look at each. Beacons, images and web sockets are not looked at. A session with the whole browser does it, so new tabs,
frames of other sites and service workers can't bypass it; tabs that were open before have a session of their own.
"""

import contextlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, CDPSession, Error

from deskhand.core.outgoing import OutgoingRequest
from deskhand.devices.browser.cdp_target import send_cdp
from deskhand.settings.credentials import read_password
from deskhand.settings.schema import LoginSettings

_PATTERNS = [{"urlPattern": "*", "resourceType": kind} for kind in ("Document", "XHR", "Fetch")]
# The browser sends a form again for these alone: going back takes its result from the cache, or fails.
_AGAIN = ("reload", "reloadBypassingCache", "restore", "restoreWithPost")
_MOST = 200


@dataclass(frozen=True, slots=True)
class _HeldRequest:
    request: OutgoingRequest
    session: CDPSession
    frame: str
    network_id: str


class RequestGate:
    """`on_held` is called with a request and its frame, `on_settled` with the same and True if it goes on.

    `is_ours`: True for a frame that the task works on; what another one sends in the user's own browser is not held.
    """

    def __init__(
        self,
        run_later: Callable[[Coroutine[Any, Any, None]], None],
        on_held: Callable[[OutgoingRequest, str], None],
        on_settled: Callable[[OutgoingRequest, str, bool], Awaitable[None]],
        is_ours: Callable[[str], bool],
        logins: tuple[LoginSettings, ...] = (),
    ) -> None:
        self._is_ours = is_ours
        self._logins = logins
        self._logged_in: OrderedDict[str, bool] = OrderedDict()
        self._run_later = run_later
        self._on_held = on_held
        self._on_settled = on_settled
        self._session: CDPSession | None = None
        self._must_hold: Callable[[OutgoingRequest], bool] | None = None
        self._held: dict[str, _HeldRequest] = {}
        # How each page came to be loaded, and which requests were released: by the browser's id of the request, which
        # stays the same through redirects and for every session that sees it.
        self._navigations: OrderedDict[str, str] = OrderedDict()
        self._released: OrderedDict[str, bool] = OrderedDict()
        # What each frame has sent last.
        self._sent: OrderedDict[str, tuple[str, str]] = OrderedDict()

    async def start_gate(self, browser: Browser | None) -> None:
        assert browser is not None
        self._session = await browser.new_browser_cdp_session()
        await self.watch_session(self._session)

    async def watch_session(self, session: CDPSession) -> None:
        def judge_paused(event: dict[str, Any]) -> None:
            self._on_request_paused(session, event)

        def answer_challenge(event: dict[str, Any]) -> None:
            self._run_later(self._answer_challenge(session, event))

        session.on("Fetch.requestPaused", judge_paused)
        session.on("Fetch.authRequired", answer_challenge)
        await send_cdp(session, "Fetch.enable", {"patterns": _PATTERNS, "handleAuthRequests": bool(self._logins)})

    async def _answer_challenge(self, session: CDPSession, event: dict[str, Any]) -> None:
        """Log in at a site that asks for it, once for each request: a second question means that it was refused."""
        request = event["requestId"]
        site = urlsplit(str(event["authChallenge"]["origin"])).netloc
        login = next((one for one in self._logins if one.site.casefold() == site.casefold()), None)
        answer: dict[str, Any] = {"response": "CancelAuth"}
        if login is not None and request not in self._logged_in:
            _note_down(self._logged_in, request, True)
            answer = {"response": "ProvideCredentials", "username": login.user, "password": read_password(login)}
        with contextlib.suppress(Error):  # the tab or the browser closed meanwhile
            await send_cdp(session, "Fetch.continueWithAuth", {"requestId": request, "authChallengeResponse": answer})

    def note_navigation(self, event: dict[str, Any]) -> None:
        """Remember how a page came to be loaded: the request itself does not say that it is a reload."""
        _note_down(self._navigations, event["loaderId"], event.get("navigationType", ""))

    # --- the outbox ------------------------------------------------------------------------------------------

    def hold_requests(self, must_hold: Callable[[OutgoingRequest], bool] | None) -> None:
        self._must_hold = must_hold

    @property
    def held(self) -> tuple[OutgoingRequest, ...]:
        return tuple(waiting.request for waiting in self._held.values())

    async def release_request(self, request_id: str) -> None:
        if waiting := self._held.pop(request_id, None):
            _note_down(self._released, waiting.network_id, True)
            await self._settle_request(waiting, "Fetch.continueRequest", {"requestId": request_id})

    async def drop_request(self, request_id: str) -> None:
        if waiting := self._held.pop(request_id, None):
            # Aborted: the page that requested it stays as it is.
            failure = {"requestId": request_id, "errorReason": "Aborted"}
            await self._settle_request(waiting, "Fetch.failRequest", failure)

    async def _settle_request(self, waiting: _HeldRequest, method: str, params: dict[str, str]) -> None:
        with contextlib.suppress(Error):  # its tab may have closed
            await send_cdp(waiting.session, method, params)
        await self._on_settled(waiting.request, waiting.frame, method == "Fetch.continueRequest")

    async def close(self) -> None:
        """Drop whatever is still held: a browser lets it go once nobody listens."""
        self._must_hold = None
        for request_id in list(self._held):
            await self.drop_request(request_id)
        if self._session is not None:
            with contextlib.suppress(Error):  # the browser may have ended
                await self._session.detach()

    # --- judging ---------------------------------------------------------------------------------------------

    def _on_request_paused(self, session: CDPSession, event: dict[str, Any]) -> None:
        request, network_id = self._read_request(event), event.get("networkId", "")
        judged = network_id not in self._released and self._is_ours(event["frameId"])
        if judged and self._must_hold and self._must_hold(request):
            self._held[request.id] = _HeldRequest(request, session, event["frameId"], network_id)
            self._on_held(request, event["frameId"])
            return
        self._run_later(_let_go(session, request.id))

    def _read_request(self, event: dict[str, Any]) -> OutgoingRequest:
        sent, page = event["request"], event["resourceType"] == "Document"
        method, body = sent["method"].upper(), sent.get("postData", "")
        return OutgoingRequest(
            id=event["requestId"],
            method=method,
            url=sent["url"] + sent.get("urlFragment", ""),
            body=body,
            page=page,
            repeated=page and method != "GET" and self._is_repeated(event, sent["url"], body),
        )

    def _is_repeated(self, event: dict[str, Any], url: str, body: str) -> bool:
        """True for a reload. Of a frame in another process nothing tells how it is loaded: there, by what it sent."""
        how = self._navigations.get(event.get("networkId", ""))
        before = self._sent.get(event["frameId"])
        _note_down(self._sent, event["frameId"], (url, body))
        return how in _AGAIN if how else before == (url, body)


async def _let_go(session: CDPSession, request_id: str) -> None:
    with contextlib.suppress(Error):  # the tab or the browser closed meanwhile
        await send_cdp(session, "Fetch.continueRequest", {"requestId": request_id})


def _note_down(notes: OrderedDict[str, Any], key: str, value: Any) -> None:
    notes[key] = value
    notes.move_to_end(key)
    while len(notes) > _MOST:
        notes.popitem(last=False)
