"""A private desktop with the little test programs installed on it, and a way to hear what reached them."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from Xlib import X
from Xlib.display import Display
from Xlib.protocol.event import ClientMessage

from deskhand.clock import SystemClock
from deskhand.core.actions import OpenApp
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element
from deskhand.devices.desktop.device import DesktopDevice, open_desktop
from deskhand.settings.schema import DesktopSettings

APPS = Path(__file__).parents[2] / "apps"
# GTK, Qt and Tk come from the distribution, and so belong to its Python.
SYSTEM_PYTHON = "/usr/bin/python3"
PATIENCE_S = 20.0
INSTALLED = {"GTK board": "gtk_app", "Qt form": "qt_app", "Tk entry": "tk_app"}


async def wait_for(condition: Callable[[], Any | Awaitable[Any]], what: str = "") -> Any:
    """The condition's first true answer."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                answer = condition()
                if isinstance(answer, Awaitable):
                    answer = await answer
                if answer:
                    return answer
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(f"waited in vain for {what or condition}") from None


class Stage:
    """The device, and the logs of the programs on it."""

    def __init__(self, device: DesktopDevice, folder: Path) -> None:
        self.device = device
        self.folder = folder

    async def open(self, name: str) -> None:
        """In front and listening; started unless it runs already."""
        told = await self.device.act(OpenApp(name=name))
        if "already" not in told:
            await wait_for(lambda: self.heard(name, "ready"), f"{name} to be ready")

    def log(self, name: str) -> Path:
        return self.folder / f"{INSTALLED[name]}.log"

    def heard(self, name: str, event: str) -> list[dict[str, Any]]:
        if not self.log(name).exists():
            return []
        lines = self.log(name).read_text(encoding="utf-8").splitlines()
        return [fact for fact in map(json.loads, lines) if fact["event"] == event]

    async def last(self, name: str, event: str, /, **wanted: Any) -> dict[str, Any]:
        """The newest such event, once it has these fields."""

        def there() -> dict[str, Any] | None:
            facts = self.heard(name, event)
            return facts[-1] if facts and wanted.items() <= facts[-1].items() else None

        return await wait_for(there, f"{event} {wanted} from {name}")

    async def element(self, name: str, role: str | None = None) -> Element:
        async def there() -> Element | None:
            found = await self.device.elements()
            return next((e for e in found if e.name == name and role in (None, e.role)), None)

        return await wait_for(there, f"element {name}")

    async def move_window(self, title: str, bounds: Rect) -> None:
        """Put a window's contents at these bounds, by the window manager."""
        (window,) = [window for window in await self.device.list_windows() if title in window.title]
        # StaticGravity: the contents, not the frame, go to x and y. The next bits say that all four values count,
        # and that a pager asks.
        flags = X.StaticGravity | 0b1111 << 8 | 2 << 12
        data = [flags, bounds.left, bounds.top, bounds.width, bounds.height]
        display = Display(self.device.display)
        try:
            moved = display.create_resource_object("window", window.id)
            kind = display.intern_atom("_NET_MOVERESIZE_WINDOW")
            message = ClientMessage(window=moved, client_type=kind, data=(32, data))
            display.screen().root.send_event(message, X.SubstructureRedirectMask | X.SubstructureNotifyMask)
            display.sync()
        finally:
            display.close()

    async def clear(self) -> None:
        """End every program on the desktop."""
        for window in await self.device.list_windows():
            with suppress(ProcessLookupError):
                os.kill(window.pid, signal.SIGTERM)
                os.kill(window.pid, signal.SIGCONT)
        for script in INSTALLED.values():
            (self.folder / f"{script}.log").unlink(missing_ok=True)

        async def empty() -> bool:
            return not await self.device.list_windows()

        await wait_for(empty, "an empty desktop")


def install(folder: Path) -> None:
    """`.desktop` files for the test programs, in a data folder of their own."""
    applications = folder / "applications"
    applications.mkdir(parents=True)
    for name, script in INSTALLED.items():
        (applications / f"{script}.desktop").write_text(
            f"[Desktop Entry]\nType=Application\nName={name}\nStartupWMClass={script}\n"
            f"Exec={SYSTEM_PYTHON} {APPS / script}.py {folder / script}.log\n",
            encoding="utf-8",
        )


def keep_out_of_the_home(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Programs on the stage write their settings elsewhere, and a terminal runs a shell that reads none."""
    folder.mkdir(parents=True, exist_ok=True)
    patch.setenv("HOME", str(folder))
    patch.setenv("SHELL", "/bin/sh")
    for variable in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "ENV", "BASH_ENV"):
        patch.delenv(variable, raising=False)


@asynccontextmanager
async def staged(folder: Path, **settings: Any) -> AsyncIterator[Stage]:
    """A stage that is struck at the end."""
    install(folder)
    with pytest.MonkeyPatch.context() as patch:
        keep_out_of_the_home(patch, folder)
        patch.setenv("XDG_DATA_HOME", str(folder))
        device = await open_desktop(DesktopSettings(**{"display": "own", **settings}), clock=SystemClock())
    try:
        yield Stage(device, folder)
    finally:
        await device.close()


def middle(element: Element) -> dict[str, int]:
    x, y = element.bounds.center
    return {"x": x, "y": y}


def inside(inner: Rect, outer: Rect) -> bool:
    return inner.intersect_with(outer) == inner
