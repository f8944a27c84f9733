"""Builds and lays out the windows from the bottom up: app, dialog, keyboard, shade, pop-up, lock screen."""

from __future__ import annotations

from deskhand.simphone.body.app_manager import AppManager
from deskhand.simphone.body.handset import Handset
from deskhand.simphone.body.text_entry import enter_label_of
from deskhand.simphone.body.window_layout import lay_out_dialog, lay_out_page, reveal_focus
from deskhand.simphone.ui.hierarchy_dump import write_hierarchy
from deskhand.simphone.ui.layout import lay_out
from deskhand.simphone.ui.nodes import FILL, Box, Node, TextField
from deskhand.simphone.ui.soft_keyboard import SoftKeyboard, keyboard_box, keyboard_height
from deskhand.simphone.ui.theme import NAV_BAR
from deskhand.simphone.ui.touch import Window
from deskhand.simphone.ui.widgets import Stack


class NeverIdle(Exception):
    """The screen never came to rest, so its hierarchy could not be read (what uiautomator says on such screens)."""


class WindowManager:
    """Keeps the last windows until something that they depend on changes."""

    def __init__(self, handset: Handset, apps: AppManager, keyboard: SoftKeyboard) -> None:
        self._handset = handset
        self._apps = apps
        self._keyboard = keyboard
        self._version = 0
        self._windows: list[Window] = []
        self.key: object = None
        """Equal for equal windows."""

    def mark_changed(self) -> None:
        self._version += 1

    def list_windows(self) -> list[Window]:
        """Return the windows of this moment, the lowest first."""
        now = self._handset.now()
        if self._handset.glass.advance_glides(now):
            self._version += 1
        tick = self._apps.page.tick
        key = (self._version, self._read_facts(), int(now / tick) if tick else 0)
        if key != self.key:
            self._windows = self._build_windows()
            self.key = key
        return self._windows

    @property
    def top(self) -> Window:
        """The window that keys go to and that accessibility sees."""
        return next(window for window in reversed(self.list_windows()) if window.focusable)

    @property
    def foreground(self) -> tuple[str, str]:
        return self.top.package, self.top.activity

    @property
    def is_keyboard_shown(self) -> bool:
        page = self._apps.page
        covered = self._handset.is_locked or self._apps.system_ui.covers_apps
        return page.typing and page.focus is not None and not covered

    @property
    def focused_field(self) -> TextField | None:
        """The text field that typing goes to."""
        if self._handset.is_locked or not self._handset.awake or self._apps.system_ui.covers_apps:
            return None
        page = self._apps.page
        return page.focus if page.dialog is None or page.typing else None

    def dump_hierarchy(self) -> str:
        """Return the top window as the XML of `uiautomator dump`."""
        if "never-idle" in self._handset.conditions:
            raise NeverIdle("could not get idle state.")
        window = self.top
        return write_hierarchy(self._find_dumped(window), window, self._handset.rotation, self._handset.skin)

    def _find_dumped(self, top: Window) -> Node:
        """Return what accessibility sees: the window in front; a sheet is part of the window that it covers."""
        page = self.list_windows()[0]
        if not self._handset.skin.sheets or top is page or top.package != page.package:
            return top.content
        whole = Stack(page.root, top.root, h=FILL)
        whole.box = whole.seen = page.root.seen.join_with(top.root.seen)
        return whole

    def _read_facts(self) -> object:
        """Return what the windows depend on besides the apps: anyone may change these at any time."""
        phone = self._handset
        return (
            frozenset(phone.conditions),
            tuple(tuple(values.items()) for values in phone.settings.values()),
            phone.today().strftime("%d%H%M"),
            phone.locale,
            phone.battery_level,
            phone.charging,
        )

    def _build_windows(self) -> list[Window]:
        phone, app, system = self._handset, self._apps.front_app, self._apps.system_ui
        page = app.page
        width, height = phone.size
        bottom = height - (keyboard_height(phone.ime, phone.size) if self.is_keyboard_shown else NAV_BAR)
        area, screen = Box(0, 0, width, bottom), Box(0, 0, width, height)
        windows = [lay_out_page(app, page, page.build(), area)]
        if page.reveal:
            reveal_focus(windows[0])
            page.reveal = False
        if page.dialog is not None:
            windows.append(lay_out_dialog(app, page, page.dialog(), area, page.dismiss_dialog))
        if self.is_keyboard_shown and page.focus is not None:
            windows.append(self._build_keyboard(page.focus))
        if system.shade_shown:
            shade = lay_out_page(system, system.shade_page, system.shade_page.build(), screen)
            shade.on_swipe = lambda dx, dy: system.collapse_shade() if dy < -150 else None
            windows.append(shade)
        if system.popup_shown:
            popup = system.popup_page
            # A tap beside the system's pop-up is swallowed.
            windows.append(lay_out_dialog(system, popup, popup.build(), screen, lambda: None))
        if phone.is_locked:
            lock = lay_out_page(system, system.lock_page, system.lock_page.build(), screen)
            lock.on_swipe = lambda dx, dy: phone.unlock_screen() if dy < -300 else None
            windows.append(lock)
        return windows

    def _build_keyboard(self, focus: TextField) -> Window:
        phone, app = self._handset, self._apps.front_app
        enter = enter_label_of(focus, phone.locale)
        panel = self._keyboard.build_panel(phone.ime, app.colours, enter, app.t("空格", "space"))
        lay_out(panel, keyboard_box(phone.ime, phone.size))
        return Window(phone.ime.split("/")[0], ".InputMethod", panel, panel, focusable=False)
