"""The simulated phone's body: what is on its screen, what touches and keys do, what its apps hold.

Leaves the ADB wire and the shell to the rest of the package. Everything is synchronous; time comes from `now`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zlib import crc32

from PIL import Image

from deskhand.simphone.apps import APPS
from deskhand.simphone.apps.default_settings import default_settings
from deskhand.simphone.apps.framework import App, Motion, Page
from deskhand.simphone.apps.system_windows import SystemUi
from deskhand.simphone.render.bars import Bars
from deskhand.simphone.render.composition import stage
from deskhand.simphone.render.display_list import Moment
from deskhand.simphone.render.glass import Glass
from deskhand.simphone.render.painter import Op
from deskhand.simphone.ui import hardware_keys as keys
from deskhand.simphone.ui import text_entry as typing
from deskhand.simphone.ui.hierarchy_dump import hierarchy_xml
from deskhand.simphone.ui.layout import lay_out
from deskhand.simphone.ui.nodes import Box, Field, Node, Scroll
from deskhand.simphone.ui.soft_keyboard import ADB_IME, LATIN_IME, Keyboard, keyboard_box, keyboard_height
from deskhand.simphone.ui.theme import NAV_BAR
from deskhand.simphone.ui.touch import Finger, Handlers, Window
from deskhand.simphone.ui.window_layout import app_window, dialog_window, reveal

PORTRAIT = (1080, 2400)
LAUNCHER = "com.android.launcher3"
SYSTEM_UI = "com.android.systemui"
CARET_BLINK = 0.5
TOAST_SECONDS = 2.0


class NeverIdle(Exception):
    """The screen never came to rest, so its hierarchy could not be read (what uiautomator says on such screens)."""


@dataclass(frozen=True)
class Package:
    name: str
    label: str
    label_en: str
    activity: str
    system: bool = True


class Phone:
    """One phone. See `state()` for everything a test may want to read back."""

    density = 420

    def __init__(
        self,
        name: str = "phone",
        *,
        now: Callable[[], float] = time.monotonic,
        today: Callable[[], datetime] = datetime.now,
        conditions: Iterable[str] = (),
        locale: str = "zh",
    ) -> None:
        self.name = name
        self.serial_number = f"SIM{crc32(name.encode()):08X}"
        self.locale = locale
        self.conditions: set[str] = set(conditions)
        self.settings = default_settings()
        self.battery_level = 86
        self.charging = False
        self.awake = True
        self.imes = [LATIN_IME, ADB_IME]
        self.enabled_imes = [LATIN_IME]
        self.clipboard = ""
        self.toasts: list[tuple[float, str]] = []
        self._now = now
        self._today = today
        self._apps: dict[str, App] = {cls.package: cls(self) for cls in APPS}
        system = self._apps[SYSTEM_UI]
        assert isinstance(system, SystemUi)
        self._system = system
        self.front = LAUNCHER
        self._version = 0
        self._windows: list[Window] = []
        self._windows_key: object = None
        self._frame: Image.Image | None = None
        self._frame_key: object = None
        self._caret_since = 0.0
        self._glass = Glass()
        self._keyboard = Keyboard(self._type, self._press)
        self._finger = Finger(Handlers(self._focus, self._hold, self._glide, self.home, self._back))
        self._content: tuple[Op, ...] = ()
        self._over: tuple[Op, ...] = ()
        self._settle()

    # -- what apps use ------------------------------------------------------------------------------------------

    def now(self) -> float:
        return self._now()

    def today(self) -> datetime:
        return self._today()

    def toast(self, text: str) -> None:
        self.toasts.append((self._now(), text))

    def move(self, motion: Motion) -> None:
        self._glass.begin(motion, self._now(), self._speed())

    def app(self, package: str) -> App:
        return self._apps[package]

    def launchable(self) -> list[App]:
        return [app for app in self._apps.values() if not app.hidden]

    def home(self) -> None:
        if self.front != LAUNCHER:
            self.move("close")
            self._apps[self.front].page.typing = False
            self.front = LAUNCHER

    # -- facts --------------------------------------------------------------------------------------------------

    @property
    def rotation(self) -> int:
        turned = self.settings["system"].get("accelerometer_rotation") == "0" and (
            self.settings["system"].get("user_rotation") in ("1", "3")
        )
        return 1 if "rotated" in self.conditions or turned else 0

    @property
    def size(self) -> tuple[int, int]:
        return PORTRAIT if self.rotation == 0 else (PORTRAIT[1], PORTRAIT[0])

    @property
    def locked(self) -> bool:
        return "locked" in self.conditions

    @property
    def ime(self) -> str:
        return self.settings["secure"]["default_input_method"]

    @ime.setter
    def ime(self, name: str) -> None:
        self.settings["secure"]["default_input_method"] = name

    @property
    def keyboard_shown(self) -> bool:
        page = self._page
        return page.typing and page.focus is not None and not self.locked and not self._system.popup_shown

    @property
    def foreground(self) -> tuple[str, str]:
        return self._top.package, self._top.activity

    @property
    def focused(self) -> Field | None:
        """The text field that typing would go to."""
        if self.locked or not self.awake or self._system.popup_shown:
            return None
        page = self._page
        return page.focus if page.dialog is None or page.typing else None

    def packages(self) -> list[Package]:
        third_party = ("com.tencent.", "com.example.")
        return [
            Package(app.package, app.label, app.label_en, app.activity, not app.package.startswith(third_party))
            for app in self._apps.values()
        ]

    # -- input --------------------------------------------------------------------------------------------------

    def touch_down(self, x: float, y: float) -> None:
        if self.awake:
            self._finger.down(self._scene(), x, y, self._now(), self.size)

    def touch_move(self, x: float, y: float) -> None:
        if self.awake:
            self._finger.move(x, y)
            self._version += 1

    def touch_up(self, x: float, y: float) -> None:
        if self.awake:
            self._finger.up(x, y, self._now())
            self._happened()

    def key(self, code: int) -> None:
        self._press(code)
        self._happened()

    def combination(self, codes: Sequence[int]) -> None:
        focus = self.focused
        if focus is not None and any(code in keys.CTRL for code in codes):
            for code in codes:
                keys.shortcut(focus, code, self)
        elif focus is not None and any(code in keys.SHIFT for code in codes):
            self._type("".join(keys.CHARACTERS.get(code, "").upper() for code in codes))
        else:
            for code in codes:
                self._press(code)
        self._happened()

    def type_text(self, text: str) -> bool:
        done = self._type(text)
        self._happened()
        return done

    def clear_text(self) -> bool:
        focus = self.focused
        if focus is not None:
            focus.clear()
        self._happened()
        return focus is not None

    # -- output -------------------------------------------------------------------------------------------------

    def animating(self) -> bool:
        return self._glass.moving(self._now())

    def screenshot(self) -> Image.Image:
        now = self._now()
        self._scene()
        key = self._picture_key(now)
        if self._frame is None or key != self._frame_key:
            self._frame = self._draw(now)
            self._frame_key = key
        return self._frame

    def hierarchy(self) -> str:
        if "never-idle" in self.conditions:
            raise NeverIdle("could not get idle state.")
        window = self._top
        return hierarchy_xml(window.content, window.package, self.rotation, window.focus)

    # -- apps ---------------------------------------------------------------------------------------------------

    def launch(self, package: str, activity: str | None = None, data: str | None = None) -> bool:
        """Brings an app to the front; False when there is no such package or activity."""
        app = self._apps.get(package)
        if app is None:
            return False
        wanted = (activity or "").removeprefix(package)
        if wanted not in ("", app.activity) and not app.knows(wanted):
            return False
        if self.front != package:
            self.move("open")
            self._apps[self.front].page.typing = False
        self.front = package
        if not app.hidden:
            self._system.used(package)
        app.open(data)
        if wanted not in ("", app.activity):
            app.open_activity(wanted)
        self._settle()
        return True

    def force_stop(self, package: str) -> None:
        app = self._apps.get(package)
        if app is None:
            return
        if self.front == package and package != LAUNCHER:
            self.home()
        app.close()
        self._system.gone(package)
        self._settle()

    def state(self) -> dict[str, Any]:
        """Everything as JSON-able data.

        foreground {package, activity}; locale, rotation, awake, locked, conditions; settings (three namespaces);
        battery {level, charging}; ime {current, enabled, shown}; focused {key, text, caret} or null; clipboard;
        toasts (texts, newest last); recent (packages, newest first); apps: per package that app's own data
        (see each app's `state`).
        """
        package, activity = self.foreground
        focus = self.focused
        return {
            "foreground": {"package": package, "activity": activity},
            "locale": self.locale,
            "rotation": self.rotation,
            "awake": self.awake,
            "locked": self.locked,
            "conditions": sorted(self.conditions),
            "settings": {space: dict(values) for space, values in self.settings.items()},
            "battery": {"level": self.battery_level, "charging": self.charging},
            "ime": {"current": self.ime, "enabled": list(self.enabled_imes), "shown": self.keyboard_shown},
            "focused": {"key": focus.key, "text": focus.text, "caret": focus.caret} if focus else None,
            "clipboard": self.clipboard,
            "toasts": [text for _, text in self.toasts],
            "recent": list(self._system.recent),
            "apps": {package: app.state() for package, app in self._apps.items()},
        }

    # -- inside: input ------------------------------------------------------------------------------------------

    @property
    def _page(self) -> Page:
        return self._apps[self.front].page

    @property
    def _top(self) -> Window:
        """The window that keys go to and that accessibility sees."""
        return next(w for w in reversed(self._scene()) if w.focusable)

    def _happened(self) -> None:
        """After a whole input event: the caret shows at once, and a pop-up waiting for it appears."""
        self._caret_since = self._now()
        if "popup" in self.conditions and not self.locked:
            self.conditions.discard("popup")
            self._system.popup_shown = True
        self._settle()

    def _settle(self) -> None:
        """Something may have changed: lay out and list what is to be drawn, which also starts switches moving."""
        self._version += 1
        self._scene()
        self._list(self._now())

    def _type(self, text: str) -> bool:
        focus = self.focused
        if focus is None:
            return False
        focus.insert(text)
        return True

    def _focus(self, field: Field, x: float, node: Node) -> None:
        self._page.focus_on(field)
        typing.place_caret(field, x, node)

    def _hold(self, field: Field) -> None:
        typing.offer(self._page, field, self)

    def _glide(self, scroll: Scroll, target: float) -> None:
        self._glass.glide(scroll, target, self._now(), self._speed())

    def _press(self, code: int) -> None:
        if code in (keys.POWER, keys.WAKEUP, keys.SLEEP):
            self._power(code)
        elif not self.awake:
            return
        elif self.locked:
            if code == keys.MENU:
                self._unlock()
        elif code in (keys.BACK, keys.ESCAPE):
            self._back()
        elif code == keys.HOME:
            self.home()
        elif code in (keys.VOLUME_UP, keys.VOLUME_DOWN):
            self._volume(1 if code == keys.VOLUME_UP else -1)
        elif self._system.popup_shown:
            return
        elif code == keys.APP_SWITCH:
            self._recents()
        else:
            typing.press(self._page, self._top, code, self)

    def _power(self, code: int) -> None:
        wake = code == keys.WAKEUP or (code == keys.POWER and not self.awake)
        if not wake and self.awake:
            self.conditions.add("locked")
        self.awake = wake

    def _unlock(self) -> None:
        self.move("fade")
        self.conditions.discard("locked")

    def _volume(self, step: int) -> None:
        system = self.settings["system"]
        level = min(max(int(system.get("volume_music", "0")) + step, 0), 15)
        system["volume_music"] = str(level)
        self.toast(f"{'媒体音量' if self.locale == 'zh' else 'Media volume'} {level}")

    def _recents(self) -> None:
        if self.front != SYSTEM_UI:
            self.move("fade")
            self._page.typing = False
            self._system.close()
            self.front = SYSTEM_UI

    def _back(self) -> None:
        """Innermost first: pop-up, keyboard, dialog, a mode of the page, the page, the app."""
        page = self._page
        if self._system.popup_shown:
            self._system.answer_popup("later")
        elif self.keyboard_shown:
            page.typing = False
        elif page.dialog is not None:
            page.dismiss()
        elif not page.back() and not self._apps[self.front].pop():
            self.home()

    # -- inside: windows ----------------------------------------------------------------------------------------

    def _speed(self) -> float:
        try:
            return float(self.settings["global"].get("transition_animation_scale", "1"))
        except ValueError:
            return 1.0

    def _facts(self) -> object:
        """What the windows depend on besides the apps: anyone may change these at any time."""
        return (
            frozenset(self.conditions),
            tuple(tuple(values.items()) for values in self.settings.values()),
            self._today().strftime("%d%H%M"),
            self.locale,
            self.battery_level,
            self.charging,
        )

    def _scene(self) -> list[Window]:
        now = self._now()
        if self._glass.advance(now):
            self._version += 1
        tick = self._page.tick
        key = (self._version, self._facts(), int(now / tick) if tick else 0)
        if key != self._windows_key:
            self._windows = self._build()
            self._windows_key = key
        return self._windows

    def _build(self) -> list[Window]:
        width, height = self.size
        app = self._apps[self.front]
        page = app.page
        keyboard = self.keyboard_shown
        bottom = height - (keyboard_height(self.ime, self.size) if keyboard else NAV_BAR)
        windows = [app_window(app, page, page.build(), Box(0, 0, width, bottom))]
        if page.reveal:
            reveal(windows[0])
            page.reveal = False
        if page.dialog is not None:
            windows.append(dialog_window(app, page, page.dialog(), Box(0, 0, width, bottom), page.dismiss))
        if keyboard and page.focus is not None:
            panel = self._keyboard.build(
                self.ime, app.colours, typing.enter_label(page.focus, self.locale), app.t("空格", "space")
            )
            lay_out(panel, keyboard_box(self.ime, self.size))
            windows.append(Window(self.ime.split("/")[0], ".InputMethod", panel, panel, focusable=False))
        if self._system.popup_shown:
            popup = self._system.popup_page
            windows.append(dialog_window(self._system, popup, popup.build(), Box(0, 0, width, height), _nothing))
        if self.locked:
            lock = self._system.lock_page
            window = app_window(self._system, lock, lock.build(), Box(0, 0, width, height))
            window.on_swipe = lambda dx, dy: self._unlock() if dy < -300 else None
            windows.append(window)
        return windows

    # -- inside: drawing ----------------------------------------------------------------------------------------

    def _caret_on(self, now: float) -> bool:
        return int((now - self._caret_since) / CARET_BLINK) % 2 == 0

    def _live_toast(self, now: float) -> str:
        return self.toasts[-1][1] if self.toasts and now - self.toasts[-1][0] < TOAST_SECONDS else ""

    def _picture_key(self, now: float) -> object:
        moving = now if self._glass.moving(now) else None
        caret = self._caret_on(now) if self.focused is not None else None
        return self._windows_key, caret, moving, self._live_toast(now), self.awake

    def _list(self, now: float) -> None:
        """Lists what is to be drawn: the app's content, which transitions move, and what lies still over it."""
        app = self._apps[self.front]
        bars = Bars(self._today(), self.settings["global"], self.battery_level, self.charging, self._live_toast(now))
        self._content, self._over = stage(
            self._windows,
            Moment(self.focused, self._caret_on(now), self._tween),
            bars,
            self.size,
            wallpaper=app.page.backdrop == "wallpaper",
            locked=self.locked,
        )
        self._glass.drawn(self._content)

    def _tween(self, key: str, target: float) -> float:
        return self._glass.tween(f"{self.front}/{key}", target, self._now(), self._speed())

    def _draw(self, now: float) -> Image.Image:
        if not self.awake:
            return Image.new("RGBA", self.size, (0, 0, 0, 255))
        self._list(now)
        return self._glass.picture(self._content, self._over, self.size, now)


def _nothing() -> None:
    """A tap beside the system's pop-up is swallowed."""
