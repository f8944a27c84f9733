"""A browser as a device: Chromium, driven by its own protocol. Does what it is told, on the tab in front.

Frames and coordinates are pixels of the captured picture; the browser's own pop-ups, which no capture shows,
are drawn into it and listed, and are answered by the same words as everything else.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar
from urllib.parse import urlsplit

from deskhand.core.actions import (
    Action,
    ActionKind,
    Back,
    Click,
    DoubleClick,
    Drag,
    Hotkey,
    Key,
    LongPress,
    MiddleClick,
    Move,
    OpenUrl,
    PointAction,
    RightClick,
    Scroll,
    Swipe,
    SwitchWindow,
    Type,
    points_of,
)
from deskhand.core.errors import ActionFailed, BadFrame, DeviceSetup, DeviceTimeout, NoElements, NotPossible
from deskhand.core.protocols import Clock
from deskhand.core.screen import AppInfo, Element, Frame
from deskhand.devices.browser import navigation
from deskhand.devices.browser.browser_process import Chromium, attach, start
from deskhand.devices.browser.cdp_target import Behind, Interrupted, TabLost, in_our_words
from deskhand.devices.browser.documents import Target, smallest_at
from deskhand.devices.browser.keyboard import Keyboard, combination, key_name
from deskhand.devices.browser.pointer import Button, Pointer
from deskhand.devices.browser.popup_panel import blank, drawn, listed
from deskhand.devices.browser.popups import NO, YES, Overlay
from deskhand.devices.browser.site_filter import ANYWHERE
from deskhand.devices.browser.tab import Tab
from deskhand.devices.browser.window import Window
from deskhand.screen.frame import decode
from deskhand.settings.schema import BrowserSettings, PolicySettings

CAPABILITIES: frozenset[ActionKind] = frozenset({
    "click", "double_click", "right_click", "middle_click", "move", "long_press", "drag", "swipe", "scroll", "type",
    "key", "hotkey", "open_url", "switch_window", "back",
})  # fmt: skip

_BUTTONS: dict[str, Button] = {"right_click": "right", "middle_click": "middle"}
# What never leads to another page by itself.
_STAYING = ("move", "scroll", "swipe")

T = TypeVar("T")


async def launch(
    settings: BrowserSettings,
    *,
    clock: Clock,
    name: str = "browser",
    url: str = "",
    cdp_url: str = "",
    policy: PolicySettings = ANYWHERE,
) -> BrowserDevice:
    """Start a browser (or attach to the one at `cdp_url`) and open the page; nothing is left behind on failure."""
    chromium = await (attach(cdp_url) if cdp_url else start(settings))
    device = BrowserDevice(Window(chromium, settings, clock, cdp_url=cdp_url, policy=policy), clock, name)
    try:
        await device.open()
        if cdp_url:
            await device.self_test()
        if url:
            await device.act(OpenUrl(url=url))
    except BaseException:
        await device.close()
        raise
    return device


async def open_beside(
    chromium: Chromium,
    settings: BrowserSettings,
    *,
    clock: Clock,
    name: str = "browser",
    policy: PolicySettings = ANYWHERE,
) -> BrowserDevice:
    """One more device in a browser that already runs: a context of its own, cookies and all."""
    device = BrowserDevice(Window(chromium, settings, clock, shared=True, policy=policy), clock, name)
    await device.open()
    return device


class BrowserDevice:
    """The Device of one browser window."""

    def __init__(self, window: Window, clock: Clock, name: str) -> None:
        self._window = window
        self._clock = clock
        self._name = name
        self._last: Frame | None = None
        self._title = ""
        self._seen: dict[int, Target] = {}
        self._elements: tuple[Element, ...] = ()
        self._seen_on: Tab | None = None

    async def open(self) -> None:
        with in_our_words(DeviceSetup):
            await self._window.open()

    @property
    def id(self) -> str:
        return self._name

    @property
    def capabilities(self) -> frozenset[ActionKind]:
        return CAPABILITIES

    # --- looking ---------------------------------------------------------------------------------------------

    async def frame(self) -> Frame:
        with in_our_words(BadFrame):
            return await self._on_tab(self._frame)

    async def _frame(self, tab: Tab) -> Frame:
        at = self._clock.now()
        try:
            data = await self._window.until_turned(tab.capture())
        except Interrupted:
            pass  # a dialog holds the page: it is shown over what was last seen of it
        else:
            self._last = await asyncio.to_thread(decode, data, at)
        last = self._last or blank(*self._window.size, at)
        if tab.overlay is None:
            return last
        return await asyncio.to_thread(drawn, last, tab.overlay.parts(last.size, tab.scale), tab.scale)

    async def elements(self) -> tuple[Element, ...]:
        with in_our_words(NoElements):
            return await self._on_tab(self._list)

    async def _list(self, tab: Tab) -> tuple[Element, ...]:
        found: tuple[Element, ...] = ()
        targets: tuple[Target, ...] = ()
        if not (tab.overlay and tab.overlay.modal):
            try:
                found, targets, _ = await tab.listing()
            except Interrupted:
                pass  # the dialog that opened meanwhile is all there is
            except DeviceTimeout as slow:
                raise NoElements(str(slow)) from None
        self._elements, self._seen_on = found, tab
        self._seen = {one.index: target for one, target in zip(found, targets, strict=True)}
        return found + self._overlay_elements(tab, len(found))

    def _overlay_elements(self, tab: Tab, after: int) -> tuple[Element, ...]:
        if tab.overlay is None:
            return ()
        return tuple(listed(tab.overlay.parts(self._size, tab.scale), after))

    async def app(self) -> AppInfo:
        with in_our_words(ActionFailed):
            return await self._on_tab(self._app)

    async def _app(self, tab: Tab) -> AppInfo:
        top = tab.documents.top
        with contextlib.suppress(Interrupted, DeviceTimeout):
            self._title = await top.wire.ask(top.frame, "document.title", timeout=2.0)
        url = tab.page.url
        return AppInfo(urlsplit(url).netloc or url, self._title)

    async def apps(self) -> tuple[str, ...]:
        return ()

    def changes(self) -> AsyncIterator[None]:
        return self._window.changes.listen()

    # --- doing -----------------------------------------------------------------------------------------------

    async def act(self, action: Action) -> str:
        if action.kind not in CAPABILITIES:
            raise NotPossible(f"A browser can't {action.kind.replace('_', ' ')}.")
        self._check_points(action)
        with in_our_words(ActionFailed):
            return await self._act_on_tab(action)

    async def _act_on_tab(self, action: Action) -> str:
        tab = await self._window.front()
        self._check_site(tab, action)
        try:
            said = await self._act(tab, action)
        except Interrupted:
            raise ActionFailed("A dialog opened in between: look at it first.") from None
        except TabLost:
            # A tab that closes while it is worked on was the effect of the work; a crash is raised from here.
            await self._window.mend(tab)
            said = ""
        except ActionFailed as fault:
            raise ActionFailed(self._window.sites.take() or str(fault)) from None
        if refused := self._window.sites.take():
            raise ActionFailed(refused)
        return "; ".join(words for words in (said, *self._window.take_notes()) if words)

    def _check_points(self, action: Action) -> None:
        if self._last is None:
            return
        width, height = self._last.size
        for x, y in points_of(action):
            if x >= width or y >= height:
                raise NotPossible(f"The point ({x}, {y}) is outside of the page, which is {width}×{height}.")

    def _check_site(self, tab: Tab, action: Action) -> None:
        """Raise ActionFailed unless this page may be worked on; leaving one that may not be is always possible."""
        sites = self._window.sites
        if earlier := sites.take():
            self._window.note(earlier)  # by itself, between two actions
        where = navigation.full_url(action.url) if isinstance(action, OpenUrl) else tab.page.url
        if not isinstance(action, Back | SwitchWindow) and (why := sites.why_not(where)):
            raise ActionFailed(why)

    async def _act(self, tab: Tab, action: Action) -> str:
        try:
            if tab.overlay is not None:
                answered = await self._answer(tab, tab.overlay, action)
                if answered is not None:
                    return answered
            said = await self._carry_out(tab, action)
        finally:
            self._elements, self._seen, self._seen_on = (), {}, None
        if action.kind not in _STAYING and (not isinstance(action, Type) or action.press_enter):
            await tab.landed()
        return said

    async def _carry_out(self, tab: Tab, action: Action) -> str:
        pointer, keyboard = Pointer(tab, self._clock), Keyboard(tab)
        match action:
            case Click() | DoubleClick() | RightClick() | MiddleClick():
                button: Button = _BUTTONS.get(action.kind, "left")
                times = 2 if isinstance(action, DoubleClick) else 1
                await pointer.click(action.x, action.y, *self._aim(tab, action), button=button, times=times)
            case Move():
                await pointer.move(action.x, action.y)
            case LongPress():
                await pointer.long_press(action, *self._aim(tab, action))
            case Drag():
                await pointer.drag(action, *self._aim(tab, action))
            case Swipe():
                await pointer.swipe(action)
            case Scroll():
                return await pointer.scroll(action, self._size)
            case Type():
                return await keyboard.type(action)
            case Key():
                return await navigation.press(self._window, tab, key_name(action.key))
            case Hotkey():
                return await navigation.press(self._window, tab, combination(action.keys))
            case OpenUrl():
                return await navigation.open_url(tab, action.url)
            case SwitchWindow():
                return await navigation.switch(self._window, action.title)
            case Back():
                await navigation.turn_back(tab, -1)
            case _:
                raise NotPossible(f"A browser can't {action.kind.replace('_', ' ')}.")
        return ""

    def _aim(self, tab: Tab, action: PointAction) -> tuple[Target | None, str]:
        """What the point was meant for, by the last listing; words for it in any case."""
        element = smallest_at(self._elements, action.x, action.y) if self._seen_on is tab else None
        name = element.name if element else action.target
        what = f'"{name}"' if name else f"What was at ({action.x}, {action.y})"
        return (self._seen.get(element.index) if element else None), what

    # --- pop-ups ---------------------------------------------------------------------------------------------

    async def _answer(self, tab: Tab, overlay: Overlay, action: Action) -> str | None:
        """What came of the action if it was for the pop-up; None when it is for the page."""
        match action:
            case Click() | DoubleClick():
                for part in reversed(overlay.parts(self._size, tab.scale)):
                    if part.bounds.contains(action.x, action.y):
                        return await self._close_with(tab, overlay, part.answer) if part.answer else ""
                if not overlay.modal:
                    await self._close_with(tab, overlay, NO)
                    return None
            case Type():
                said = await overlay.write(action.text, action.clear_first)
                if not overlay.modal:
                    self._dropped(tab, overlay)
                    return said
                return await self._close_with(tab, overlay, YES) if action.press_enter else said
            case Key() if (word := {"Enter": YES, "Escape": NO}.get(key_name(action.key))) is not None:
                return await self._close_with(tab, overlay, word)
            case Key() | Scroll() if not overlay.modal:
                steps = _steps(action)
                overlay.move(steps)
                self._window.changes.ring()
                return "" if steps else None
            case SwitchWindow():
                return None
            case _ if not overlay.modal:
                await self._close_with(tab, overlay, NO)
                return None
            case _:
                pass
        message = overlay.parts(self._size, tab.scale)[0].text
        raise ActionFailed(f'A dialog is open ("{message}"): answer it first.')

    async def _close_with(self, tab: Tab, overlay: Overlay, answer: str) -> str:
        said = await overlay.answer(answer)
        self._dropped(tab, overlay)
        if overlay.modal:
            tab.wire.halt.over()
            await tab.landed()
        return said

    def _dropped(self, tab: Tab, overlay: Overlay) -> None:
        if tab.overlay is overlay:
            tab.overlay = None
        self._window.changes.ring()

    # --- the tab in front --------------------------------------------------------------------------------------

    async def _on_tab(self, look: Callable[[Tab], Awaitable[T]]) -> T:
        """Look at the tab in front; if that one is just closing, or goes behind another, at the next."""
        while True:
            tab = await self._window.front()
            try:
                return await look(tab)
            except Behind:
                continue
            except TabLost:
                await self._window.mend(tab)

    @property
    def _size(self) -> tuple[int, int]:
        return self._last.size if self._last else self._window.size

    async def self_test(self) -> None:
        """Raises DeviceSetup when clicks do not land where they are aimed."""
        from deskhand.devices.browser.self_test import self_test

        await self_test(self, self._window)

    async def close(self) -> None:
        await self._window.close()


def _steps(action: Action) -> int:
    """How far an opened list moves."""
    if isinstance(action, Scroll):
        return {"down": 5, "up": -5}.get(action.direction, 0)
    key = key_name(action.key) if isinstance(action, Key) else ""
    return {"ArrowDown": 1, "ArrowUp": -1, "PageDown": 8, "PageUp": -8, "End": 100_000, "Home": -100_000}.get(key, 0)
