"""The facts of a phone: its settings, battery, clock, clipboard and conditions, and what follows from them alone."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from zlib import crc32

from deskhand.simphone.body.system_log import SystemLog
from deskhand.simphone.render.glass import Glass
from deskhand.simphone.render.motion import Motion
from deskhand.simphone.skin import Skin
from deskhand.simphone.ui.soft_keyboard import ADB_IME, LATIN_IME

PORTRAIT = (1080, 2400)


class Handset:
    """Plain data that the shell, the apps and the parts of the body all read and change."""

    density = 420
    model = "SimPhone"
    android_release = "13"
    build_id = "TQ3A.230805.001"

    def __init__(
        self,
        name: str,
        now: Callable[[], float],
        today: Callable[[], datetime],
        conditions: Iterable[str],
        locale: str,
        skin: Skin,
    ) -> None:
        self.name = name
        self.skin = skin
        self.serial_number = f"SIM{crc32(name.encode()):08X}"
        self.now = now
        self.today = today
        self.locale = locale
        self.conditions: set[str] = set(conditions)
        defaults = Path(__file__).with_name("default_settings.toml").read_text(encoding="utf-8")
        self.settings: dict[str, dict[str, str]] = tomllib.loads(defaults)
        self.battery_level = 86
        self.charging = False
        self.awake = True
        self.imes = [LATIN_IME, ADB_IME]
        self.enabled_imes = [LATIN_IME]
        self.clipboard = ""
        self.toasts: list[tuple[float, str]] = []
        self.glass = Glass()
        self.log = SystemLog(today)

    @property
    def rotation(self) -> int:
        system = self.settings["system"]
        turned = system.get("accelerometer_rotation") == "0" and system.get("user_rotation") in ("1", "3")
        return 1 if "rotated" in self.conditions or turned else 0

    @property
    def size(self) -> tuple[int, int]:
        return PORTRAIT if self.rotation == 0 else (PORTRAIT[1], PORTRAIT[0])

    @property
    def is_locked(self) -> bool:
        return "locked" in self.conditions

    @property
    def ime(self) -> str:
        return self.settings["secure"]["default_input_method"]

    @ime.setter
    def ime(self, name: str) -> None:
        self.settings["secure"]["default_input_method"] = name

    @property
    def animation_scale(self) -> float:
        try:
            return float(self.settings["global"].get("transition_animation_scale", "1"))
        except ValueError:
            return 1.0

    def show_toast(self, text: str) -> None:
        self.toasts.append((self.now(), text))
        self.log.write_line("D", "Toast", text)

    def start_motion(self, motion: Motion) -> None:
        self.glass.begin_transition(motion, self.now(), self.animation_scale)

    def unlock_screen(self) -> None:
        self.start_motion("fade")
        self.conditions.discard("locked")
