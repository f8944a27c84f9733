"""Finds the browser's program, also where Playwright, which drives it, is not installed."""

import shutil
from pathlib import Path

from deskhand.core.errors import DeviceSetup

NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge",
    "brave-browser",
)  # fmt: skip
PLACES = (
    "/usr/lib/chromium/chromium", "/snap/bin/chromium", "/opt/google/chrome/chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)  # fmt: skip


def find_executable(chosen: Path | None = None) -> Path:
    """Return the browser's program; raises DeviceSetup if there is none."""
    if chosen is not None:
        found = shutil.which(str(chosen.expanduser()))
        if found is None:
            raise DeviceSetup(f"No browser was found at {chosen}: correct browser.executable in the settings.")
        return Path(found)
    for name in (*NAMES, *PLACES):
        if found := shutil.which(name):
            return Path(found)
    raise DeviceSetup("No Chromium or Chrome was found: install one, or set browser.executable to its path.")
