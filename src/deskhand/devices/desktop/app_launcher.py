"""Opens programs and addresses, and brings windows to the front. Which programs there are is read by `apps`."""

import asyncio
from collections.abc import Mapping

from deskhand.core.errors import ActionFailed, AppNotFound, DeviceSetup
from deskhand.devices.desktop.apps import DesktopApp, find_app, list_application_folders, list_installed, suggest_apps
from deskhand.devices.desktop.damage import DamageSignal
from deskhand.devices.desktop.windows import WindowInfo, find_active_id, find_best_match, focus_window, list_windows
from deskhand.devices.desktop.x_connection import XThread
from deskhand.devices.process_reaper import ProcessReaper

_FOCUS_S = 3.0


class AppLauncher:
    def __init__(
        self, x: XThread, damage: DamageSignal, keeper: ProcessReaper, environment: Mapping[str, str], timeout_s: float
    ) -> None:
        self._x = x
        self._damage = damage
        self._keeper = keeper
        self._environment = environment
        self._timeout_s = timeout_s

    async def list_apps(self) -> list[DesktopApp]:
        folders = list_application_folders(self._environment)
        return await asyncio.to_thread(list_installed, folders, self._environment.get("PATH"))

    async def list_windows(self) -> tuple[WindowInfo, ...]:
        """Return the windows on the screen without menus, the front one last."""
        return tuple(window for window in await self._x.run_job(list_windows) if not window.menu)

    async def switch_window(self, title: str) -> str:
        found = await self.list_windows()
        if (window := find_best_match(title, found)) is None:
            open_now = ", ".join(repr(window.title) for window in found) or "none"
            raise ActionFailed(f"There is no window called {title!r}. Open windows: {open_now}.")
        await self._bring_to_front(window)
        return f"{window.title!r} is in front"

    async def open_app(self, name: str) -> str:
        installed = await self.list_apps()
        app = find_app(name, installed)
        if app is None:
            near = ", ".join(suggest_apps(name, installed)) or "none"
            raise AppNotFound(f"There is no app called {name!r}. Similar apps: {near}.")
        for window in reversed(await self.list_windows()):
            if _is_window_of(window, app):
                await self._bring_to_front(window)
                return f"{app.name} was open already"
        return f"{app.name} shows {(await self._launch_app(app)).title!r}"

    async def open_url(self, url: str) -> str:
        scheme = url.partition(":")[0].lower()
        app = next((app for app in await self.list_apps() if scheme in app.schemes), None)
        if app is None:
            raise AppNotFound(f"No installed app opens {scheme!r} addresses: install a browser.")
        return f"{app.name} shows {(await self._launch_app(app, url)).title!r}"

    async def _bring_to_front(self, window: WindowInfo) -> None:
        await self._x.run_job(lambda display: focus_window(display, window.id))

        async def is_in_front() -> bool:
            return await self._x.run_job(find_active_id) == window.id

        if not await self._damage.wait_until(is_in_front, _FOCUS_S):
            raise ActionFailed(f"The window {window.title!r} did not come to the front within {_FOCUS_S:g} s.")

    async def _launch_app(self, app: DesktopApp, url: str = "") -> WindowInfo:
        """Start a program and bring its window to the front; one that runs already may answer with an old window."""
        before = {window.id for window in await self.list_windows()}
        try:
            child = await self._keeper.launch_process(app.build_argv(url), self._environment, cwd=app.folder)
        except DeviceSetup as error:
            raise AppNotFound(f"{app.name}: {error}") from None

        async def find_window_or_crash() -> WindowInfo | bool:
            found = await self.list_windows()
            status = None if child.alive else child.ended.result()
            new = [w for w in found if w.id not in before and (w.pid == child.pid or w.title or w.app)]
            old = [w for w in found if status == 0 and _is_window_of(w, app)]
            return next(reversed(new or old), False) or bool(status)

        window = await self._damage.wait_until(find_window_or_crash, self._timeout_s)
        if not isinstance(window, WindowInfo):
            starting = f"is still starting after {self._timeout_s:g} s"
            why = starting if child.alive else f"ended with status {child.ended.result()}"
            said = child.read_complaint().splitlines()[-1:] or ["it printed nothing"]
            raise AppNotFound(f"{app.name} showed no window: it {why} ({said[0]}).")
        await self._bring_to_front(window)
        return window


def _is_window_of(window: WindowInfo, app: DesktopApp) -> bool:
    known = {app.window_class.casefold(), app.program.casefold(), app.name.casefold()} - {""}
    return window.app.casefold() in known
