"""Navigates: addresses, history, tabs, and the browser's own key combinations, which never reach a page."""

from urllib.parse import urlsplit

from playwright.async_api import Error
from playwright.async_api import TimeoutError as Slow

from deskhand.core.errors import ActionFailed, DeviceTimeout, NotPossible
from deskhand.devices.browser.cdp_target import TabLost
from deskhand.devices.browser.keyboard import BrowserKeyboard
from deskhand.devices.browser.popup_actions import close_popup
from deskhand.devices.browser.popups import NO, YES, DialogPopup
from deskhand.devices.browser.tab import Tab
from deskhand.devices.browser.window import BrowserWindow
from deskhand.settings.site_lists import clean_address, split_scheme, unwrap_address

GOTO_S = 20.0
# A page that opens one dialog after another is left after this many.
DIALOGS = 3
_SCHEMES = ("http", "https", "file", "about", "data", "blob", "chrome", "view-source")
_LOCAL = ("localhost", "127.", "0.0.0.0", "[::1]", "192.168.", "10.")


def to_full_url(url: str) -> str:
    """Complete an address as a user types it; raises NotPossible for scripts, which are no addresses."""
    url = clean_address(url)
    scheme, inner = split_scheme(url)[0], split_scheme(unwrap_address(url))[0]
    if scheme in _SCHEMES and inner in _SCHEMES:
        return url
    if scheme or inner == "javascript" or "://" in url:
        raise NotPossible(f"{url[:60]} can't be opened: use an http or https address.")
    return ("http://" if url.startswith(_LOCAL) else "https://") + url


def describe_login(site: str) -> str:
    return f"{site} asks for a user name and a password: set them in browser.logins (site, user, password)."


async def free_tab(window: BrowserWindow, tab: Tab) -> Tab:
    """Return a tab in which a page can be opened: without a dialog, and not one whose page is frozen."""
    for _ in range(DIALOGS):
        if (popup := tab.popup) is None:
            break
        leaving = isinstance(popup, DialogPopup) and popup.asks_to_leave
        await close_popup(tab, popup, YES if leaving else NO)
        if isinstance(popup, DialogPopup):
            window.add_note(f'the dialog "{popup.message}" was closed')
    if await tab.is_responsive():
        return tab
    window.add_note("the page in front did not respond: its tab was closed")
    return await window.replace_frozen_tab(tab)


async def open_url(tab: Tab, url: str) -> str:
    address = to_full_url(url)
    try:
        opening = tab.page.goto(address, wait_until="commit", timeout=GOTO_S * 1000)
        await tab.wait_unless_held(tab.wait_unless_dialog(opening, "opening a page", GOTO_S + 1, acts=False))
    except Slow:
        raise DeviceTimeout(f"{address} timed out after {GOTO_S:g} s.") from None
    except Error as error:
        if tab.page.is_closed() or "frame was detached" in str(error):
            raise TabLost from None  # it closes: the address is opened in another one
        if "Download is starting" in str(error):
            return "a download started"
        if tab.activity.take_denied() or "ERR_INVALID_AUTH_CREDENTIALS" in str(error):
            raise ActionFailed(describe_login(urlsplit(address).netloc)) from None
        reason = str(error).splitlines()[0].removeprefix("Page.goto: ").split(" at http", 1)[0]
        raise ActionFailed(f"{address} can't be opened: {reason}.") from None
    return ""


async def step_history(tab: Tab, step: int) -> None:
    """Go one entry back (-1) or forward (1) in the tab's history."""
    history = await tab.cdp.send_command("Page.getNavigationHistory")
    place = history["currentIndex"] + step
    if not 0 <= place < len(history["entries"]):
        raise ActionFailed("There is no page to go back to." if step < 0 else "There is no page to go forward to.")
    await tab.send_calls(("Page.navigateToHistoryEntry", {"entryId": history["entries"][place]["id"]}))


async def switch_tab(window: BrowserWindow, words: str) -> None:
    """Show the tab with that title, else the one whose title or address contains the words."""
    named = [(tab, "" if tab.popup else await tab.page.title()) for tab in window.tabs]
    low = words.casefold()
    exact = [tab for tab, title in named if title.casefold() == low]
    part = [tab for tab, title in named if low in title.casefold() or low in tab.page.url.casefold()]
    if not (found := exact or part):
        known = ", ".join(f'"{title or tab.page.url}"' for tab, title in named)
        raise ActionFailed(f'There is no tab "{words}". Open tabs: {known}.')
    await window.show_tab(found[0])


async def press_browser_keys(window: BrowserWindow, tab: Tab, keys: str) -> None:
    """Carry out keys that belong to the browser as its window would; send all others to the page."""
    match keys:
        case "F5" | "Control+r" | "Control+F5" | "Control+Shift+R":
            await tab.send_calls(("Page.reload", {}))
        case "Alt+ArrowLeft":
            await step_history(tab, -1)
        case "Alt+ArrowRight":
            await step_history(tab, 1)
        case "Control+t":
            await window.open_tab()
        case "Control+w":
            await tab.wait_unless_dialog(tab.page.close(), "closing a tab")
        case "Control+Tab" | "Control+PageDown":
            await _show_neighbour(window, tab, 1)
        case "Control+Shift+Tab" | "Control+PageUp":
            await _show_neighbour(window, tab, -1)
        case _:
            await BrowserKeyboard(tab).press_keys(keys)


async def _show_neighbour(window: BrowserWindow, tab: Tab, step: int) -> None:
    tabs = window.tabs
    if tab in tabs:
        await window.show_tab(tabs[(tabs.index(tab) + step) % len(tabs)])
