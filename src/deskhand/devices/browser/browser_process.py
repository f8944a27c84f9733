"""Starts a browser so that nothing of it outlives us, or attaches to a running one. Pages are left to the window."""

import contextlib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, Error, Playwright

from deskhand.core.errors import DeviceSetup
from deskhand.devices.browser.executable import find_executable
from deskhand.devices.browser.shared_driver import give_back_driver, take_driver
from deskhand.settings.environment import read_session_environment
from deskhand.settings.masking import mask_address
from deskhand.settings.schema import BrowserSettings

FLAGS = (
    "--remote-debugging-pipe", "--disable-gpu", "--disable-quic", "--no-first-run", "--no-default-browser-check",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-breakpad",
    "--disable-default-apps", "--disable-hang-monitor", "--disable-search-engine-choice-screen",
    "--disable-smooth-scrolling", "--force-color-profile=srgb", "--password-store=basic", "--use-mock-keychain",
    "--disable-features=Translate,AcceptCHFrame,MediaRouter,OptimizationHints",
    # A tab behind another one keeps painting and running its timers, because an agent switches between them.
    "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
)  # fmt: skip
# A headless browser has no mouse, so pages would assume that nothing can hover.
HEADLESS_FLAGS = (
    "--headless",
    "--mute-audio",
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
)
SMALL_SHM = 512 * 1024 * 1024
START_S = 30.0


def build_flags(settings: BrowserSettings, profile: Path) -> list[str]:
    """Return the command line after the program's name."""
    size = f"--window-size={settings.width},{settings.height}", f"--force-device-scale-factor={settings.scale:g}"
    given = [*FLAGS, f"--user-data-dir={profile}", *(HEADLESS_FLAGS if settings.headless else ()), *size]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        given.append("--no-sandbox")  # Chromium refuses to start its sandbox as root
    with contextlib.suppress(OSError):
        if shutil.disk_usage("/dev/shm").total < SMALL_SHM:
            given.append("--disable-dev-shm-usage")  # a container's default of 64 MB crashes tabs
    return [*given, "about:blank"] if settings.profile else [*given, "--no-startup-window"]


class Chromium:
    """A running browser. An owned one is closed with us; an attached one keeps running.

    `used`: the ids of the tabs that an attached one had, the one that the user sees first.
    """

    def __init__(
        self,
        playwright: Playwright,
        browser: Browser | None,
        default: BrowserContext | None,
        scratch: Path | None,
        used: tuple[str, ...] = (),
    ) -> None:
        self._playwright = playwright
        self._browser = browser
        self._default = default
        self._scratch = scratch
        self.used = used

    @property
    def is_owned(self) -> bool:
        return self._scratch is not None

    async def open_context(self) -> tuple[BrowserContext, bool]:
        """Return the profile's own context, else a new one; and whether it is new."""
        if self._default is not None:
            return self._default, False
        assert self._browser is not None
        # No viewport: a second emulation would undo the one of the tab's own session at each capture.
        return await self._browser.new_context(no_viewport=True, accept_downloads=True), True

    async def close(self) -> None:
        with contextlib.suppress(Error):  # it may have crashed already
            if self.is_owned and self._default is not None:
                await self._default.close()
            elif self._browser is not None:
                await self._browser.close()
        await give_back_driver(self._playwright)
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)  # the guard does it, unless it was killed


async def start_browser(settings: BrowserSettings) -> Chromium:
    """Start a browser of our own, under a guard process."""
    program = find_executable(settings.executable)
    driver = await take_driver()
    scratch = Path(tempfile.mkdtemp(prefix="deskhand-browser-"))
    profile = settings.profile.expanduser().resolve() if settings.profile else scratch / "profile"
    command, args = _wrap_in_guard(program, build_flags(settings, profile), scratch)
    options: dict[str, Any] = {
        "executable_path": command, "args": args, "ignore_default_args": True, "timeout": START_S * 1000,
        "downloads_path": scratch / "artifacts", "handle_sigint": False, "handle_sigterm": False,
        "handle_sighup": False, "env": read_session_environment(),  # without secrets: a page may get to read it
    }  # fmt: skip
    try:
        if settings.profile:
            context = await driver.chromium.launch_persistent_context(
                profile, no_viewport=True, accept_downloads=True, **options
            )
            return Chromium(driver, context.browser, context, scratch)
        return Chromium(driver, await driver.chromium.launch(**options), None, scratch)
    except Error as error:
        await give_back_driver(driver)
        shutil.rmtree(scratch, ignore_errors=True)
        raise DeviceSetup(_explain_failure(program, settings.profile, error)) from None
    except BaseException:
        await give_back_driver(driver)
        raise


async def attach_browser(cdp_url: str) -> Chromium:
    """Attach to a browser that already runs with a debugging port."""
    driver = await take_driver()
    try:
        used = await _list_used_tabs(driver, cdp_url)
        browser = await driver.chromium.connect_over_cdp(cdp_url, timeout=START_S * 1000)
        return Chromium(driver, browser, browser.contexts[0] if browser.contexts else None, None, used)
    except Error as error:
        await give_back_driver(driver)
        raise DeviceSetup(
            f"No browser answers at {mask_address(cdp_url)} ({_first_line_of(error).replace(cdp_url, 'it')}): "
            "start it with --remote-debugging-port."
        ) from None
    except BaseException:
        await give_back_driver(driver)
        raise


async def _list_used_tabs(driver: Playwright, cdp_url: str) -> tuple[str, ...]:
    """Return the ids of its tabs, the one used last first; empty if it does not tell.

    Asked of the browser, since every page takes itself for the visible one as soon as it is attached to.
    """
    found = re.match(r"(?:http|ws)(s?)://([^/?#]+)", cdp_url)
    if found is None:
        return ()
    asking = await driver.request.new_context()
    try:
        told = await asking.get(f"http{found[1]}://{found[2]}/json/list", timeout=START_S * 1000)
        return tuple(each["id"] for each in await told.json() if each["type"] == "page") if told.ok else ()
    except (Error, LookupError, TypeError, ValueError):
        return ()
    finally:
        await asking.dispose()


def _wrap_in_guard(program: Path, args: list[str], scratch: Path) -> tuple[Path, list[str]]:
    """Return the command that starts the browser; without Linux, Playwright alone ends it."""
    if sys.platform != "linux":
        return program, args
    guard = ["-P", "-m", "deskhand.devices.browser.process_guard", str(os.getpid()), str(scratch)]
    return Path(sys.executable), [*guard, str(program), *args]


def _explain_failure(program: Path, profile: Path | None, error: Exception) -> str:
    if profile and os.path.lexists(profile / "SingletonLock"):
        return f"The profile {profile} is in use by another browser: close that one, or choose another browser.profile."
    return f"The browser {program} could not be started: {_first_line_of(error)}"


def _first_line_of(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
