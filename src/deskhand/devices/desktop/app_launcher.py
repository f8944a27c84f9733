"""Opens programs and addresses until their windows are ready. Which programs there are is read by `apps`."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deskhand.core.errors import ActionFailed, AppNotFound, DeviceSetup
from deskhand.core.protocols import Clock
from deskhand.devices.desktop.apps import DesktopApp, find_app, list_application_folders, list_installed, suggest_apps
from deskhand.devices.desktop.damage import DamageSignal
from deskhand.devices.desktop.window_actions import WindowActions
from deskhand.devices.desktop.windows import WindowInfo
from deskhand.devices.process_reaper import Child

# What a program is started with: its command line, its environment and its folder.
Launch = Callable[[Sequence[str], Mapping[str, str], str | None], Awaitable[Child]]
# True once a window shows what its program has to show; the seconds are how long the window is there.
IsReady = Callable[[WindowInfo, float], Awaitable[bool]]


@dataclass(eq=False)
class Start:
    """A program that was started and has no ready window yet, with the windows that were there before."""

    child: Child
    before: frozenset[int]
    seen: dict[int, float] = field(default_factory=dict[int, float])

    @property
    def status(self) -> int | None:
        return None if self.child.alive else self.child.ended.result()


class AppLauncher:
    def __init__(
        self,
        windows: WindowActions,
        damage: DamageSignal,
        clock: Clock,
        launch: Launch,
        is_ready: IsReady,
        environment: Mapping[str, str],
        timeout_s: float,
    ) -> None:
        self._windows = windows
        self._damage = damage
        self._clock = clock
        self._launch = launch
        self._is_ready = is_ready
        self._environment = environment
        self._timeout_s = timeout_s
        self._starts: dict[str, Start] = {}

    async def list_apps(self) -> list[DesktopApp]:
        folders = list_application_folders(self._environment)
        return await asyncio.to_thread(list_installed, folders, self._environment.get("PATH"))

    async def open_app(self, name: str) -> str:
        installed = await self.list_apps()
        app = find_app(name, installed)
        if app is None:
            near = ", ".join(suggest_apps(name, installed)) or "none"
            raise AppNotFound(f"There is no app called {name!r}. Similar apps: {near}.")
        if app.command not in self._starts:
            for window in reversed(await self._windows.list_windows()):
                if _is_window_of(window, app) and not window.passing:
                    await self._windows.bring_to_front(window)
                    return f"{app.name} was open already"
        return f"{app.name} shows {(await self._launch_app(app)).title!r}"

    async def list_classes(self, name: str) -> frozenset[str]:
        """Return by which classes the windows of a program are known; none if no program has that name."""
        app = find_app(name, await self.list_apps()) if name else None
        return _list_classes(app) if app is not None else frozenset()

    async def open_url(self, url: str) -> str:
        scheme = url.partition(":")[0].lower()
        openers = [app for app in await self.list_apps() if scheme in app.schemes]
        if not openers:
            raise AppNotFound(f"No installed app opens {scheme!r} addresses: install a browser.")
        app = await self._find_front_app(openers) or openers[0]
        return f"{app.name} shows {(await self._launch_app(app, url)).title!r}"

    async def _find_front_app(self, apps: Sequence[DesktopApp]) -> DesktopApp | None:
        """Return the first of these apps whose window lies above those of the others."""
        for window in reversed(await self._windows.list_windows()):
            if found := next((app for app in apps if _is_window_of(window, app)), None):
                return found
        return None

    async def _launch_app(self, app: DesktopApp, url: str = "") -> WindowInfo:
        """Start a program and bring its window to the front; one that runs already may answer with an old window.

        A program that is still starting when the time is over goes on: the next call waits for it, and starts no other.
        """
        start = self._starts.get(app.command) or await self._start_app(app, url)
        self._starts[app.command] = start

        async def find_window_or_crash() -> WindowInfo | bool:
            if window := await self._find_ready_window(start, app):
                return window
            return bool(start.status)

        window = await self._damage.wait_until(find_window_or_crash, self._timeout_s)
        if isinstance(window, WindowInfo):
            del self._starts[app.command]
            await self._windows.bring_to_front(window)
            return window
        said = start.child.read_complaint().splitlines()[-1:] or ["it printed nothing"]
        waited = f"{self._timeout_s:g} s"
        if start.status is None:
            raise ActionFailed(f"{app.name} showed no window: it is still starting after {waited} ({said[0]}).")
        del self._starts[app.command]
        raise AppNotFound(f"{app.name} showed no window: it ended with status {start.status} ({said[0]}).")

    async def _start_app(self, app: DesktopApp, url: str) -> Start:
        before = frozenset(window.id for window in await self._windows.list_windows())
        try:
            # As from a menu: a program keeps what it saves where it was started, and that is the user's home.
            child = await self._launch(app.build_argv(url), self._environment, app.folder or self._find_home())
        except DeviceSetup as error:
            raise AppNotFound(f"{app.name}: {error}") from None
        return Start(child, before)

    def _find_home(self) -> str | None:
        home = self._environment.get("HOME", "")
        return home if home and Path(home).is_dir() else None

    async def _find_ready_window(self, start: Start, app: DesktopApp) -> WindowInfo | None:
        """Return the program's newest window that is no splash screen, has a title and shows its content."""
        found = await self._windows.list_windows()
        now = self._clock.now()
        lasting = [w for w in found if not w.passing and w.title.strip()]
        new = [w for w in lasting if w.id not in start.before]
        own = [w for w in new if _is_window_of(w, app) or _is_descendant(w.pid, start.child.pid)]
        old = [w for w in lasting if start.status == 0 and _is_window_of(w, app)]
        for window in reversed(own or new or old):
            since = start.seen.setdefault(window.id, now)
            if await self._is_ready(window, now - since):
                return window
        return None


def _is_window_of(window: WindowInfo, app: DesktopApp) -> bool:
    return window.app.casefold() in _list_classes(app)


def _list_classes(app: DesktopApp) -> frozenset[str]:
    return frozenset(word.casefold() for word in (app.window_class, app.program, app.name, *app.words) if word)


def _is_descendant(pid: int, ancestor: int) -> bool:
    """True if the process is, or was started by, this one: a program behind a script has another number."""
    for _ in range(20):
        if pid == ancestor:
            return True
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return False
        if pid <= 1:
            return False
    return False
