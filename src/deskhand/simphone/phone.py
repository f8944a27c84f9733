"""One simulated phone: joins the parts of its body. Everything is synchronous; time comes from `now`.

Leaves the ADB wire and the shell to `adb` and `shell`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from deskhand.simphone.body.app_manager import AppManager
from deskhand.simphone.body.handset import Handset
from deskhand.simphone.body.input_dispatcher import InputDispatcher
from deskhand.simphone.body.phone_display import PhoneDisplay
from deskhand.simphone.body.window_manager import WindowManager
from deskhand.simphone.skin import SKINS
from deskhand.simphone.ui.soft_keyboard import SoftKeyboard


class Phone(Handset):
    """`apps`, `windows`, `display` and `input` act; the facts are attributes; `read_state` is all of it for a test."""

    def __init__(
        self,
        name: str = "phone",
        *,
        now: Callable[[], float] = time.monotonic,
        today: Callable[[], datetime] = datetime.now,
        conditions: Iterable[str] = (),
        locale: str = "",
        skin: str = "stock",
    ) -> None:
        super().__init__(name, now, today, conditions, locale or SKINS[skin].locale, SKINS[skin])
        keyboard = SoftKeyboard()
        self.apps = AppManager(self, self.settle_screen)
        self.windows = WindowManager(self, self.apps, keyboard)
        self.display = PhoneDisplay(self, self.apps, self.windows)
        self.input = InputDispatcher(self, self.apps, self.windows, self.finish_event)
        keyboard.on_text, keyboard.on_key = self.input.handle_text, self.input.handle_key
        self.log.write_line("I", "SystemServer", "Entered the Android system server!")
        self.log.write_line("I", "ActivityManager", "System now ready")
        self.log.write_line("I", "SystemServiceManager", "Starting phase 1000")
        self.settle_screen()

    def settle_screen(self) -> None:
        """Lay out and list what is to be drawn: called whenever something may have changed."""
        self.windows.mark_changed()
        self.display.list_drawing()

    def set_up_in(self, locale: str) -> None:
        """Speak another language, as if the phone had been set up in it: also in what came with the apps."""
        self.locale = locale
        for app in self.apps.by_package.values():
            app.translate_samples()
        self.settle_screen()

    def finish_event(self) -> None:
        """Show the caret at once, and the pop-up that was waiting for an input event."""
        self.display.restart_caret()
        if "popup" in self.conditions and not self.is_locked:
            self.conditions.discard("popup")
            self.apps.system_ui.popup_shown = True
        self.settle_screen()

    def read_state(self) -> dict[str, Any]:
        """Return everything as JSON-able data.

        skin; foreground {package, activity}; locale, rotation, awake, locked, conditions; settings (three namespaces);
        battery {level, charging}; ime {current, enabled, shown}; focused {key, text, caret} or null; clipboard;
        toasts (texts, newest last); recent (packages, newest first); apps: per package that app's own data
        (see each app's `read_state`).
        """
        package, activity = self.windows.foreground
        focus = self.windows.focused_field
        return {
            "skin": self.skin.name,
            "foreground": {"package": package, "activity": activity},
            "locale": self.locale,
            "rotation": self.rotation,
            "awake": self.awake,
            "locked": self.is_locked,
            "conditions": sorted(self.conditions),
            "settings": {space: dict(values) for space, values in self.settings.items()},
            "battery": {"level": self.battery_level, "charging": self.charging},
            "ime": {"current": self.ime, "enabled": list(self.enabled_imes), "shown": self.windows.is_keyboard_shown},
            "focused": {"key": focus.key, "text": focus.text, "caret": focus.caret} if focus else None,
            "clipboard": self.clipboard,
            "toasts": [text for _, text in self.toasts],
            "recent": list(self.apps.system_ui.recent),
            "apps": {package: app.read_state() for package, app in self.apps.by_package.items()},
        }
