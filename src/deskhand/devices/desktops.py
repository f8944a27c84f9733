"""The provider of desktops: `desktop`, the session's display or a private one."""

import importlib.util
import shutil

from deskhand.config import DesktopSettings, session_environment
from deskhand.devices.desktop import open_desktop
from deskhand.errors import UnknownDevice
from deskhand.protocols import Clock, Device
from deskhand.types import DeviceInfo

PARTS = ("mss", "Xlib", "dbus_fast")


class Desktops:
    def __init__(self, settings: DesktopSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    @property
    def _display(self) -> str:
        """The display that is there already; empty for a private one."""
        wanted = self._settings.display or session_environment().get("DISPLAY", "")
        return "" if wanted == "own" else wanted

    @property
    def shared(self) -> bool:
        return bool(self._display)

    async def found(self) -> list[DeviceInfo]:
        state, detail = "ready", f"display {self._display}" if self._display else "a private display"
        if any(importlib.util.find_spec(part) is None for part in PARTS):
            state, detail = "unusable", "Install its part: pip install 'deskhand[desktop]'."
        elif not self._display and shutil.which("Xvfb") is None:
            state, detail = "unusable", "There is no display and no Xvfb to start one: install xvfb."
        return [DeviceInfo("desktop", "desktop", state, detail)]

    async def open(self, name: str) -> Device:
        if name:
            raise UnknownDevice(f"There is one desktop: use --device desktop, not desktop:{name}.")
        return await open_desktop(self._settings, clock=self._clock)

    async def close(self) -> None:
        """The display belongs to its device, which closes it."""
