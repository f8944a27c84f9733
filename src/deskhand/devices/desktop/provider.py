"""Provides the desktop: `desktop`, the session's display or a private one."""

import asyncio
import importlib.util
import shutil

from deskhand.core.errors import DeviceSetup, UnknownDevice
from deskhand.core.protocols import Clock, Device
from deskhand.core.screen import DeviceInfo
from deskhand.settings.environment import read_session_environment
from deskhand.settings.schema import DesktopSettings

PARTS = ("mss", "Xlib", "dbus_fast")
INSTALL = "The desktop's packages are not installed: run `pip install 'deskhand[desktop]'`."


class DesktopProvider:
    def __init__(self, settings: DesktopSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    @property
    def _display(self) -> str:
        """The existing display; empty for a private one."""
        wanted = self._settings.display or read_session_environment().get("DISPLAY", "")
        return "" if wanted == "own" else wanted

    @property
    def shared(self) -> bool:
        return bool(self._display)

    async def found(self) -> list[DeviceInfo]:
        state, detail = "ready", f"display {self._display}" if self._display else "a private display"
        if not _has_parts():
            state, detail = "missing", INSTALL
        elif not self._display and shutil.which("Xvfb") is None:
            state, detail = "missing", "There is no display, and Xvfb is not installed: install xvfb."
        elif self._display and not await asyncio.to_thread(_is_answering, self._display):
            state, detail = "unusable", f"No X server answers at {self._display}: check DISPLAY and desktop.display."
        return [DeviceInfo("desktop", "desktop", state, detail)]

    async def full_name(self, name: str) -> str:
        return name

    async def open(self, name: str) -> Device:
        if name:
            raise UnknownDevice(f"There is one desktop: use --device desktop, not desktop:{name}.")
        if not _has_parts():
            raise DeviceSetup(INSTALL)
        from deskhand.devices.desktop.device import open_desktop

        return await open_desktop(self._settings, clock=self._clock)

    async def close(self) -> None:
        """Nothing to close: the device closes its display."""


def _is_answering(display: str) -> bool:
    from deskhand.devices.desktop.x_connection import is_reachable

    return is_reachable(display)


def _has_parts() -> bool:
    return all(importlib.util.find_spec(part) for part in PARTS)
