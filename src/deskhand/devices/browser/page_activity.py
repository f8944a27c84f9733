"""Tells what a page still waits for: requests that an action has started and that have no answer yet.

A page that waits looks as still as one that is finished, so its picture can't tell.
"""

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from urllib.parse import urlsplit

from playwright.async_api import Page, Request, Response

from deskhand.devices.browser.arrivals import Arrivals

# How long an answer is waited for, by kind; images, beacons and streams are not waited for at all.
_WAITS = {"document": 10.0, "xhr": 10.0, "fetch": 10.0, "script": 3.0}
# An answer that has begun but does not end within this time is a stream.
BODY_S = 1.0
# Requests that only ask change nothing: an answer that refuses one of them is no failure of what was done.
_ASKING = frozenset({"GET", "HEAD", "OPTIONS"})
# What an action makes the page hand in begins soon after it; what begins later, the page does by itself.
HANDING_IN_S = 3.0
# A page may count its visitors on the side.
_ASIDE = re.compile(r"analytic|telemetry|track|metric|beacon|collect|stats|/logs?\b", re.IGNORECASE)


class PageActivity:
    """`arrivals` hear of answers that the browser saves instead of showing them."""

    def __init__(self, page: Page, arrivals: Arrivals) -> None:
        self._arrivals = arrivals
        # When each request began, and when its answer did.
        self._begun: dict[Request, float] = {}
        self._answered: dict[Request, float] = {}
        # Requests that were once waited for in vain: long polls.
        self._endless: set[str] = set()
        self._held = False
        self._asked = asyncio.Event()
        self.is_own: Callable[[Request], bool] = lambda _: False
        self._denied = ""
        self._page = page
        self._acted_at = float("-inf")
        # What was refused by the server of what the last action handed in.
        self._refusal = ""
        self._refused_alone: set[str] = set()
        self._news = asyncio.Event()
        page.on("request", self._on_request)
        page.on("response", self._on_response)
        page.on("requestfinished", self._on_ended)
        page.on("requestfailed", self._on_ended)

    def note_action(self) -> Callable[[Request], bool]:
        """Return the test for requests that have begun since this moment."""
        earlier = set(self._begun)
        self._asked.clear()
        self._held = False
        self.is_own = lambda request: request not in earlier
        return self.is_own

    def begin_handing_in(self) -> None:
        """From now on, for a while, what the page hands in is the effect of an action."""
        self._refusal, self._acted_at = "", asyncio.get_running_loop().time()

    @property
    def refusal(self) -> str:
        """How the server refused what the last action handed in; empty if it did not."""
        return self._refusal

    async def has_begun_request(self, patience: float) -> bool:
        """True if the page has asked for anything at all since the action; the browser may tell so a little late."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self._asked.wait()
        return self._asked.is_set()

    def note_held(self) -> None:
        """A request is held back until a user has approved it: nobody has to wait for its answer."""
        self._held = True
        self._ring_bell()

    def note_released(self) -> None:
        """It goes on only now: its answer is waited for as if it had just begun."""
        self._held, now = False, asyncio.get_running_loop().time()
        self._begun = dict.fromkeys(self._begun, now)

    async def wait_for_answers(self, is_own: Callable[[Request], bool]) -> bool:
        """Wait until no request of these is without an answer; True if there was any to wait for."""
        waited = False
        while (rest := self._find_longest_rest(is_own)) > 0 and not self._held:
            waited = True
            news = self._news
            try:
                async with asyncio.timeout(rest):
                    await news.wait()
            except TimeoutError:
                continue
        return waited

    def _find_longest_rest(self, is_own: Callable[[Request], bool]) -> float:
        now, longest = asyncio.get_running_loop().time(), 0.0
        for request, begun in list(self._begun.items()):
            if not is_own(request):
                continue
            if (answered := self._answered.get(request)) is not None:
                rest = answered + BODY_S - now
            else:
                rest = begun + _WAITS[request.resource_type] - now
            if rest <= 0:
                self._endless.add(_name_of(request))
                self._forget_request(request)
            longest = max(longest, rest)
        return longest

    def _on_request(self, request: Request) -> None:
        self._asked.set()
        if request.resource_type in _WAITS and _name_of(request) not in self._endless:
            self._begun[request] = asyncio.get_running_loop().time()
            self._ring_bell()

    def take_denied(self) -> str:
        """Return the site that has just answered a page with a question for a user and a password; empty if none."""
        denied, self._denied = self._denied, ""
        return denied

    def _on_response(self, response: Response) -> None:
        if response.request.is_navigation_request():
            asked = response.status == 401 and "www-authenticate" in response.headers
            self._denied = urlsplit(response.url).netloc if asked else ""
        if response.request.is_navigation_request() and _is_attachment(response):
            self._arrivals.expect_arrival("download")
        self._note_refusal(response)
        if response.request in self._begun:
            self._answered[response.request] = asyncio.get_running_loop().time()
            self._ring_bell()

    def _note_refusal(self, response: Response) -> None:
        request = response.request
        if response.status < HTTPStatus.BAD_REQUEST or request.method in _ASKING or request.resource_type not in _WAITS:
            return
        begun = self._begun.get(request, asyncio.get_running_loop().time())
        if begun - self._acted_at > HANDING_IN_S:
            self._refused_alone.add(_name_of(request))
        elif _name_of(request) not in self._refused_alone and _is_for_page(request, self._page.url):
            self._refusal = f"{response.status} {response.status_text}".strip()

    def _on_ended(self, request: Request) -> None:
        self._forget_request(request)
        self._ring_bell()

    def _forget_request(self, request: Request) -> None:
        self._begun.pop(request, None)
        self._answered.pop(request, None)

    def _ring_bell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


def describe_refusal(status: str) -> str:
    return f"the server refused it ({status})"


def _is_attachment(response: Response) -> bool:
    return response.headers.get("content-disposition", "").strip().casefold().startswith("attachment")


def _is_for_page(request: Request, page: str) -> bool:
    """True for a request to the site of the page itself, and not for what only counts visitors."""
    asked, own = urlsplit(request.url), urlsplit(page)
    same = (asked.hostname or "").split(".")[-2:] == (own.hostname or "").split(".")[-2:]
    return same and _ASIDE.search(asked.path) is None


def _name_of(request: Request) -> str:
    place = urlsplit(request.url)
    return f"{request.method} {place.netloc}{place.path}"
