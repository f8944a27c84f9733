"""Going places: addresses, history, tabs, and the browser's own key combinations, which pages never get to see."""

from __future__ import annotations

from deskhand.core.errors import ActionFailed, DeviceTimeout, NotPossible
from deskhand.devices.browser.keyboard import Keyboard
from deskhand.devices.browser.tab import Tab
from deskhand.devices.browser.window import Window

GOTO_S = 20.0
_SCHEMES = ("http", "https", "file", "about", "data", "blob", "chrome", "view-source")
_LOCAL = ("localhost", "127.", "0.0.0.0", "[::1]", "192.168.", "10.")


def full_url(url: str) -> str:
    """An address as a person types it. Scripts are no addresses."""
    url = url.strip()
    scheme = url.split(":", 1)[0].lower()
    if scheme in _SCHEMES:
        return url
    if scheme == "javascript" or "://" in url:
        raise NotPossible(f"{url[:60]} is not an address that can be opened.")
    return ("http://" if url.startswith(_LOCAL) else "https://") + url


async def open_url(tab: Tab, url: str) -> str:
    from playwright.async_api import Error
    from playwright.async_api import TimeoutError as Slow

    address = full_url(url)
    try:
        await tab.unless_asked(
            tab.page.goto(address, wait_until="commit", timeout=GOTO_S * 1000), "opening a page", GOTO_S + 1
        )
    except Slow:
        raise DeviceTimeout(f"{address} did not answer within {GOTO_S:g} s.") from None
    except Error as error:
        if "Download is starting" in str(error):
            return "a download started"
        raise ActionFailed(f"{address} can't be opened: {_reason(error)}.") from None
    return ""


def _reason(error: Exception) -> str:
    first = str(error).splitlines()[0].removeprefix("Page.goto: ")
    return first.split(" at http", 1)[0]


async def turn_back(tab: Tab, step: int) -> None:
    """Through the tab's history, one entry back or forth."""
    history = await tab.wire.send("Page.getNavigationHistory")
    place = history["currentIndex"] + step
    if not 0 <= place < len(history["entries"]):
        raise ActionFailed("There is no page to go back to." if step < 0 else "There is no page to go forward to.")
    await tab.do(("Page.navigateToHistoryEntry", {"entryId": history["entries"][place]["id"]}))


async def switch(window: Window, words: str) -> str:
    """To the tab with that title, else the one whose title or address contains the words."""
    named = [(tab, await _title(tab)) for tab in window.tabs]
    low = words.casefold()
    exact = [tab for tab, title in named if title.casefold() == low]
    part = [tab for tab, title in named if low in title.casefold() or low in tab.page.url.casefold()]
    if not (found := exact or part):
        known = ", ".join(f'"{title or tab.page.url}"' for tab, title in named)
        raise ActionFailed(f'There is no tab "{words}"; there are: {known}.')
    await window.show(found[0])
    return ""


async def _title(tab: Tab) -> str:
    return await tab.page.title() if tab.overlay is None else ""


async def press(window: Window, tab: Tab, keys: str) -> str:
    """Keys that belong to the browser do here what they do at its window; all others go to the page."""
    match keys:
        case "F5" | "Control+r" | "Control+F5" | "Control+Shift+R":
            await tab.do(("Page.reload", {}))
        case "Alt+ArrowLeft":
            await turn_back(tab, -1)
        case "Alt+ArrowRight":
            await turn_back(tab, 1)
        case "Control+t":
            await window.new_tab()
        case "Control+w":
            await tab.unless_asked(tab.page.close(), "closing a tab")
        case "Control+Tab" | "Control+PageDown":
            await _next(window, tab, 1)
        case "Control+Shift+Tab" | "Control+PageUp":
            await _next(window, tab, -1)
        case _:
            await Keyboard(tab).press(keys)
    return ""


async def _next(window: Window, tab: Tab, step: int) -> None:
    tabs = window.tabs
    if tab in tabs:
        await window.show(tabs[(tabs.index(tab) + step) % len(tabs)])
