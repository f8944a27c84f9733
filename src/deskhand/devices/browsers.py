"""The provider of browsers: `browser`, `browser:NAME` for more than one, or the address of a page to begin at."""

import importlib.util

from deskhand.config import BrowserSettings
from deskhand.devices.browser_process import find_executable
from deskhand.errors import DeviceSetup
from deskhand.protocols import Clock, Device
from deskhand.types import DeviceInfo

INSTALL = "Install its part: pip install 'deskhand[browser]'."


class Browsers:
    def __init__(self, settings: BrowserSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock

    @property
    def shared(self) -> bool:
        """A profile or a running browser is there for other processes too; a throw-away one is ours alone."""
        return bool(self._settings.profile or self._settings.cdp_url)

    async def found(self) -> list[DeviceInfo]:
        try:
            detail = self._settings.cdp_url or str(find_executable(self._settings.executable))
        except DeviceSetup as trouble:
            return [DeviceInfo("browser", "browser", "unusable", str(trouble))]
        if not _installed():
            return [DeviceInfo("browser", "browser", "unusable", INSTALL)]
        return [DeviceInfo("browser", "browser", "ready", detail)]

    async def open(self, name: str) -> Device:
        url = name if name.startswith(("http://", "https://")) else ""
        label = f"browser:{name}" if name and not url else "browser"
        settings = self._settings
        if not _installed():
            raise DeviceSetup(f"A browser can't be driven yet. {INSTALL}")
        from deskhand.devices.browser import launch

        return await launch(settings, clock=self._clock, name=label, url=url, cdp_url=settings.cdp_url)

    async def close(self) -> None:
        """Every browser belongs to its device, which closes it."""


def _installed() -> bool:
    return importlib.util.find_spec("playwright") is not None
