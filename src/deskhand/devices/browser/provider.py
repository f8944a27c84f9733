"""The provider of browsers: `browser`, `browser:NAME` for more than one, or the address of a page to begin at."""

import asyncio
import importlib.util
from urllib.parse import urlsplit

from deskhand.core.errors import DeviceSetup
from deskhand.core.protocols import Clock, Device
from deskhand.core.screen import DeviceInfo
from deskhand.devices.browser.browser_process import find_executable
from deskhand.devices.browser.site_filter import ANYWHERE
from deskhand.settings.schema import BrowserSettings, PolicySettings

INSTALL = "Install its part: pip install 'deskhand[browser]'."
_ANSWER_S = 2.0


class Browsers:
    """`policy` says which sites they may open."""

    def __init__(
        self,
        settings: BrowserSettings,
        clock: Clock,
        policy: PolicySettings = ANYWHERE,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._policy = policy

    @property
    def shared(self) -> bool:
        """A profile or a running browser is there for other processes too; a throw-away one is ours alone."""
        return bool(self._settings.profile or self._settings.cdp_url)

    async def found(self) -> list[DeviceInfo]:
        try:
            detail = self._settings.cdp_url or str(find_executable(self._settings.executable))
        except DeviceSetup as trouble:
            # One that the settings name is meant to be there; any other is simply not installed.
            state = "unusable" if self._settings.executable else "missing"
            return [DeviceInfo("browser", "browser", state, str(trouble))]
        if not _installed():
            return [DeviceInfo("browser", "browser", "missing", INSTALL)]
        if self._settings.cdp_url and not await _answers(self._settings.cdp_url):
            trouble = f"No browser answers at {detail}: start it with --remote-debugging-port."
            return [DeviceInfo("browser", "browser", "unusable", trouble)]
        return [DeviceInfo("browser", "browser", "ready", detail)]

    async def full_name(self, name: str) -> str:
        """There is one browser with the profile, or at the address, of the settings; others are as many as names."""
        return "" if self.shared else name

    async def open(self, name: str) -> Device:
        url = name if name.startswith(("http://", "https://")) else ""
        name = await self.full_name(name)
        label = "browser" if not name else name if url else f"browser:{name}"
        settings = self._settings
        if not _installed():
            raise DeviceSetup(f"A browser can't be driven yet. {INSTALL}")
        from deskhand.devices.browser.device import launch

        return await launch(
            settings, clock=self._clock, name=label, url=url, cdp_url=settings.cdp_url, policy=self._policy
        )

    async def close(self) -> None:
        """Every browser belongs to its device, which closes it."""


async def _answers(cdp_url: str) -> bool:
    """Whether anybody listens there."""
    try:
        place = urlsplit(cdp_url)
        port = place.port or (443 if place.scheme in ("https", "wss") else 80)
        async with asyncio.timeout(_ANSWER_S):
            _, line = await asyncio.open_connection(place.hostname, port)
    except (OSError, TimeoutError, ValueError):
        return False
    line.close()
    return True


def _installed() -> bool:
    return importlib.util.find_spec("playwright") is not None
