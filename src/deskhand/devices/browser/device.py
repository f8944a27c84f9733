"""A browser as a Device: Chromium, driven by its own protocol (CDP), on the tab in front.

Coordinates are pixels of the screenshot. The browser's own pop-ups, which no screenshot shows, are drawn into it,
listed as elements, and answered by ordinary actions.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from typing import TypeVar
from urllib.parse import urlsplit

from deskhand.core import actions
from deskhand.core.actions import PAGE_IDLE, Action, ActionKind
from deskhand.core.errors import (
    ActionFailed,
    BadFrame,
    DeviceRestarted,
    DeviceSetup,
    DeviceTimeout,
    NoElements,
    NotPossible,
)
from deskhand.core.outgoing import Outbox
from deskhand.core.protocols import Clock
from deskhand.core.screen import AppInfo, Element, Frame
from deskhand.core.stop_outcome import StopOutcome, complete_outcome, note_outcome
from deskhand.devices.browser import navigation
from deskhand.devices.browser.browser_process import Chromium, attach_browser, start_browser
from deskhand.devices.browser.cdp_target import DialogOpened, TabFrozen, TabHidden, TabLost, translate_errors
from deskhand.devices.browser.documents import ElementPath, find_smallest_at
from deskhand.devices.browser.keyboard import BrowserKeyboard, to_key_combination, to_key_name
from deskhand.devices.browser.page_activity import describe_refusal
from deskhand.devices.browser.pointer import Button, Pointer
from deskhand.devices.browser.popup_actions import act_on_popup
from deskhand.devices.browser.popup_panel import draw_panel, make_blank_frame, to_elements
from deskhand.devices.browser.self_test import run_self_test
from deskhand.devices.browser.site_filter import ANYWHERE
from deskhand.devices.browser.tab import Tab
from deskhand.devices.browser.window import BrowserWindow
from deskhand.devices.click_test import check_points
from deskhand.screen.frame import decode_frame
from deskhand.settings.schema import BrowserSettings, PolicySettings

CAPABILITIES: frozenset[ActionKind] = frozenset({
    "click", "double_click", "right_click", "middle_click", "move", "long_press", "drag", "swipe", "scroll", "type",
    "key", "hotkey", "open_url", "switch_window", "back",
})  # fmt: skip

_BUTTONS: dict[str, Button] = {"right_click": "right", "middle_click": "middle"}
# Actions that never lead to another page.
_STAYING = ("move", "scroll", "swipe")

T = TypeVar("T")


async def open_browser(
    settings: BrowserSettings,
    *,
    clock: Clock,
    name: str = "browser",
    url: str = "",
    cdp_url: str = "",
    policy: PolicySettings = ANYWHERE,
) -> BrowserDevice:
    """Start a browser (or attach to the one at `cdp_url`) and open the page; on failure nothing is left running."""
    chromium = await (attach_browser(cdp_url) if cdp_url else start_browser(settings))
    device = BrowserDevice(BrowserWindow(chromium, settings, clock, cdp_url=cdp_url, policy=policy), clock, name)
    try:
        await device.open_window()
        if cdp_url:
            await device.run_self_test()
        if url:
            await device.act(actions.OpenUrl(url=url))
    except BaseException:
        await device.close()
        raise
    return device


async def open_in_browser(
    chromium: Chromium,
    settings: BrowserSettings,
    *,
    clock: Clock,
    name: str = "browser",
    policy: PolicySettings = ANYWHERE,
) -> BrowserDevice:
    """Open one more device in a running browser, with its own context and cookies."""
    device = BrowserDevice(BrowserWindow(chromium, settings, clock, shared=True, policy=policy), clock, name)
    await device.open_window()
    return device


def _can_hand_in(action: Action) -> bool:
    """True if the action may hand in a form."""
    match action:
        case actions.Click():
            return True
        case actions.Key(key=key):
            return key.casefold() in ("enter", "return")
        case actions.Type():
            return action.press_enter
        case _:
            return False


class BrowserDevice:
    def __init__(self, window: BrowserWindow, clock: Clock, name: str) -> None:
        self._window = window
        self._clock = clock
        self._name = name
        self._last: Frame | None = None
        self._title = ""
        self._seen: dict[int, ElementPath] = {}
        self._elements: tuple[Element, ...] = ()
        self._seen_on: Tab | None = None

    async def open_window(self) -> None:
        with translate_errors(DeviceSetup):
            await self._window.open_window()

    @property
    def id(self) -> str:
        return self._name

    @property
    def capabilities(self) -> frozenset[ActionKind]:
        return CAPABILITIES

    @property
    def outbox(self) -> Outbox:
        return self._window.gate

    # --- looking ---------------------------------------------------------------------------------------------

    async def frame(self) -> Frame:
        return await self._look_at_tab(self._capture_frame, BadFrame)

    async def _capture_frame(self, tab: Tab) -> Frame:
        at = self._clock.now()
        try:
            data = await self._window.run_while_in_front(tab.capture_jpeg())
        except DialogOpened:
            pass  # a dialog blocks the page: it is drawn over the last screenshot
        else:
            self._last = await asyncio.to_thread(decode_frame, data, at)
        last = self._last or make_blank_frame(*self._window.size, at)
        if tab.popup is None:
            return last
        return await asyncio.to_thread(draw_panel, last, tab.popup.lay_out(last.size, tab.scale), tab.scale)

    async def elements(self) -> tuple[Element, ...]:
        return await self._look_at_tab(self._list_elements, NoElements)

    async def _list_elements(self, tab: Tab) -> tuple[Element, ...]:
        if notice := self._window.take_restart("looking"):
            raise DeviceRestarted(notice)
        found: tuple[Element, ...] = ()
        targets: tuple[ElementPath, ...] = ()
        if not (tab.popup and tab.popup.modal):
            try:
                found, targets, _ = await tab.list_elements()
            except DialogOpened:
                pass  # only the dialog that opened meanwhile can be listed
            except DeviceTimeout as slow:
                raise NoElements(str(slow)) from None
        if found and tab.activity.refusal and not any(one.error for one in found):
            found = (replace(found[0], error=describe_refusal(tab.activity.refusal)), *found[1:])
        self._elements, self._seen_on = found, tab
        self._seen = {one.index: target for one, target in zip(found, targets, strict=True)}
        if tab.popup is None:
            return found
        return (*found, *to_elements(tab.popup.lay_out(self._size, tab.scale), len(found)))

    async def app(self) -> AppInfo:
        return await self._look_at_tab(self._read_app, ActionFailed)

    async def _read_app(self, tab: Tab) -> AppInfo:
        top = tab.documents.top
        with contextlib.suppress(DialogOpened, DeviceTimeout):
            self._title = await top.cdp.evaluate_in(top.frame, "document.title", timeout=tab.heartbeat.longest_silence)
        url = tab.page.url
        return AppInfo(urlsplit(url).netloc or url, self._title, url)

    async def apps(self) -> tuple[str, ...]:
        return ()

    def changes(self) -> AsyncIterator[None]:
        return self._window.changes.listen_for_changes()

    # --- doing -----------------------------------------------------------------------------------------------

    async def act(self, action: Action) -> str:
        if action.kind not in CAPABILITIES:
            raise NotPossible(f"A browser can't {action.kind.replace('_', ' ')}.")
        check_points(action, self._last and self._last.size, "page")
        with translate_errors(ActionFailed):
            try:
                return await self._act_on_tab(action)
            except DeviceRestarted:
                self._window.take_restart("acting")
                raise
            except asyncio.CancelledError as stop:
                complete_outcome(stop, action)
                raise

    async def _act_on_tab(self, action: Action) -> str:
        tab = await self._find_tab_to_act_on(action)
        self._check_site(tab, action)
        try:
            said = await self._act_or_answer(tab, action)
        except DialogOpened:
            raise ActionFailed("A dialog opened before the action was done: answer it first.") from None
        except TabLost:
            # A tab that closes during an action is the action's effect; a crash raises from here.
            await self._window.replace_lost_tab(tab)
            if isinstance(action, actions.OpenUrl):
                return await self._act_on_tab(action)  # it went away by itself: no address closes its tab
            said = ""
        except TabFrozen:
            raise self._window.describe_frozen(tab) from None
        except ActionFailed as fault:
            raise ActionFailed(self._window.sites.take_blocked() or str(fault)) from None
        unfinished = await self._window.arrivals.wait_for_arrivals()
        if refused := self._window.sites.take_blocked():
            raise ActionFailed(refused)
        if denied := tab.activity.take_denied():
            raise ActionFailed(navigation.describe_login(denied))
        for name in unfinished:
            self._window.add_note(f"{name} is being downloaded")
        notes = self._window.take_notes()
        return "; ".join(words for words in (said if said != PAGE_IDLE or not notes else "", *notes) if words)

    async def _find_tab_to_act_on(self, action: Action) -> Tab:
        """Return the tab in front. After a crash the first action is refused, unless it opens a page anyway."""
        opens = isinstance(action, actions.OpenUrl)
        try:
            tab = await self._window.get_front_tab()
        except DeviceRestarted:
            if not opens:
                raise
            tab = await self._window.get_front_tab()
        if (notice := self._window.take_restart("acting")) and not opens:
            raise DeviceRestarted(notice)
        try:
            return await navigation.free_tab(self._window, tab) if opens else tab
        except TabLost:
            await self._window.replace_lost_tab(tab)
            return await self._find_tab_to_act_on(action)

    def _check_site(self, tab: Tab, action: Action) -> None:
        """Raise ActionFailed if this page is blocked; leaving a blocked page is always possible."""
        sites = self._window.sites
        if earlier := sites.take_blocked():
            self._window.add_note(earlier)  # the page itself tried to open it between two actions
        where = navigation.to_full_url(action.url) if isinstance(action, actions.OpenUrl) else tab.page.url
        if not isinstance(action, actions.Back | actions.SwitchWindow) and (why := sites.find_block_reason(where)):
            raise ActionFailed(why)

    async def _act_or_answer(self, tab: Tab, action: Action) -> str:
        is_own = tab.activity.note_action()
        hands_in = _can_hand_in(action) and tab.popup is None
        tab.activity.begin_handing_in()
        if hands_in:
            await tab.note_errors()
        try:
            if tab.popup is not None:
                answered = await act_on_popup(tab, tab.popup, action, self._size)
                if answered is not None:
                    await tab.wait_for_answers(is_own)
                    return answered
            said = await self._perform_action(tab, action)
        finally:
            self._elements, self._seen, self._seen_on = (), {}, None
        if action.kind not in _STAYING:
            try:
                if not isinstance(action, actions.Type) or action.press_enter:
                    await tab.wait_for_navigation()
                await tab.wait_for_answers(is_own)
                answer = await tab.describe_answer(clicked=action.kind == "click") if hands_in else ""
            except asyncio.CancelledError as stop:
                note_outcome(stop, StopOutcome.DONE)
                raise
            if answer:
                return answer
        return said

    async def _perform_action(self, tab: Tab, action: Action) -> str:
        pointer, keyboard = Pointer(tab, self._clock), BrowserKeyboard(tab)
        match action:
            case actions.Click() | actions.DoubleClick() | actions.RightClick() | actions.MiddleClick():
                button: Button = _BUTTONS.get(action.kind, "left")
                times = 2 if isinstance(action, actions.DoubleClick) else 1
                await pointer.click_point(action.x, action.y, *self._find_aim(tab, action), button=button, times=times)
            case actions.Move():
                await pointer.move_to(action.x, action.y)
            case actions.LongPress():
                await pointer.long_press(action, *self._find_aim(tab, action))
            case actions.Drag():
                await pointer.drag_mouse(action, *self._find_aim(tab, action))
            case actions.Swipe():
                await pointer.swipe_finger(action)
            case actions.Scroll():
                return await pointer.turn_wheel(action, self._size)
            case actions.Type():
                return await keyboard.type_text(action)
            case actions.Key():
                await navigation.press_browser_keys(self._window, tab, to_key_name(action.key))
            case actions.Hotkey():
                await navigation.press_browser_keys(self._window, tab, to_key_combination(action.keys))
            case actions.OpenUrl():
                return await navigation.open_url(tab, action.url)
            case actions.SwitchWindow():
                await navigation.switch_tab(self._window, action.title)
            case actions.Back():
                await navigation.step_history(tab, -1)
            case _:
                pass  # `act` refuses what is not among the capabilities
        return ""

    def _find_aim(self, tab: Tab, action: actions.PointAction) -> tuple[ElementPath | None, str]:
        """Return the element that the point aims at, by the last listing, and a name for it."""
        # What is dragged need not be a control: the grip in the corner of a field lies over the field.
        kinds = "all" if isinstance(action, actions.Drag) else "usable"
        element = find_smallest_at(self._elements, action.x, action.y, kinds) if self._seen_on is tab else None
        name = element.name if element else action.target
        what = f'"{name}"' if name else f"What was at ({action.x}, {action.y})"
        return (self._seen.get(element.index) if element else None), what

    # --- the tab in front --------------------------------------------------------------------------------------

    async def _look_at_tab(
        self, look: Callable[[Tab], Awaitable[T]], fault: type[ActionFailed | BadFrame | NoElements]
    ) -> T:
        """Look at the tab in front; if it closes or another comes to the front, look at that one."""
        with translate_errors(fault):
            while True:
                tab = await self._window.get_front_tab()
                try:
                    return await look(tab)
                except TabHidden:
                    continue
                except TabLost:
                    await self._window.replace_lost_tab(tab)
                except TabFrozen:
                    raise self._window.describe_frozen(tab) from None

    @property
    def _size(self) -> tuple[int, int]:
        return self._last.size if self._last else self._window.size

    async def run_self_test(self) -> None:
        """Raise DeviceSetup if clicks do not land where they are aimed."""
        await run_self_test(self, self._window)

    async def close(self) -> None:
        await self._window.close()
