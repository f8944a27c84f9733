"""Provides browsers: `browser`, `browser:NAME` for more than one, or the address of a page to start at."""

import asyncio
import importlib.util
from urllib.parse import urlsplit

from deskhand.core.errors import DeviceSetup
from deskhand.core.protocols import Clock, Device
from deskhand.core.screen import DeviceInfo
from deskhand.devices.browser.executable import find_executable
from deskhand.settings.masking import mask_address
from deskhand.settings.schema import BrowserSettings, PolicySettings

INSTALL = "Playwright is not installed: run `pip install 'deskhand[browser]'`."
_ANSWER_S = 2.0


class BrowserProvider:
    """`policy` says which sites the browsers may open."""

    def __init__(self, settings: BrowserSettings, clock: Clock, policy: PolicySettings | None = None) -> None:
        self._settings = settings
        self._clock = clock
        self._policy = policy or PolicySettings()

    @property
    def shared(self) -> bool:
        """True for a profile or a running browser, which other processes can use too; a temporary one is ours alone."""
        return bool(self._settings.profile or self._settings.cdp_url)

    async def found(self) -> list[DeviceInfo]:
        try:
            detail = mask_address(self._settings.cdp_url) or str(find_executable(self._settings.executable))
        except DeviceSetup as fault:
            # A browser that the settings name is expected to exist; any other is just not installed.
            state = "unusable" if self._settings.executable else "missing"
            return [DeviceInfo("browser", "browser", state, str(fault))]
        if not _has_playwright():
            return [DeviceInfo("browser", "browser", "missing", INSTALL)]
        if self._settings.cdp_url and not await _is_listening(self._settings.cdp_url):
            advice = f"No browser answers at {detail}: start it with --remote-debugging-port."
            return [DeviceInfo("browser", "browser", "unusable", advice)]
        return [DeviceInfo("browser", "browser", "ready", detail)]

    async def full_name(self, name: str) -> str:
        """Return "" for the one browser of the settings' profile or address; temporary ones are told apart by name."""
        return "" if self.shared else name

    async def open(self, name: str) -> Device:
        url = name if name.startswith(("http://", "https://")) else ""
        name = await self.full_name(name)
        label = "browser" if not name else name if url else f"browser:{name}"
        settings = self._settings
        if not _has_playwright():
            raise DeviceSetup(INSTALL)
        from deskhand.devices.browser.device import open_browser

        return await open_browser(
            settings, clock=self._clock, name=label, url=url, cdp_url=settings.cdp_url, policy=self._policy
        )

    async def close(self) -> None:
        """Nothing to close: each device closes its own browser."""


async def _is_listening(cdp_url: str) -> bool:
    """True if something accepts connections at this address."""
    try:
        place = urlsplit(cdp_url)
        port = place.port or (443 if place.scheme in ("https", "wss") else 80)
        async with asyncio.timeout(_ANSWER_S):
            _, line = await asyncio.open_connection(place.hostname, port)
    except (OSError, TimeoutError, ValueError):
        return False
    line.close()
    return True


def _has_playwright() -> bool:
    return importlib.util.find_spec("playwright") is not None
