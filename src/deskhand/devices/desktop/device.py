"""A desktop as a Device: X11 pictures and input, windows, programs by name, elements from the accessibility bus.

Works on the session's display, or on a private one that it starts and ends. Deciding and settling are others' work.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from Xlib import X
from Xlib.display import Display

from deskhand.core import actions
from deskhand.core.actions import Action, ActionKind, points_of
from deskhand.core.errors import ActionFailed, AppNotFound, DeviceError, DeviceSetup, NoElements, NotPossible
from deskhand.core.geometry import Rect
from deskhand.core.protocols import Clock
from deskhand.core.screen import AppInfo, Element, Frame
from deskhand.devices.desktop import apps as desktop_apps
from deskhand.devices.desktop import display as desktop_display
from deskhand.devices.desktop import pointer_and_keyboard
from deskhand.devices.desktop import windows as desktop_windows
from deskhand.devices.desktop.atspi import AccessibilityBus, Node
from deskhand.devices.desktop.clipboard import Clipboard
from deskhand.devices.desktop.display import OWN, Place
from deskhand.devices.desktop.elements import PASSWORD, focused, look, to_elements
from deskhand.devices.desktop.pointer_and_keyboard import LEFT, MIDDLE, RIGHT, WHEEL, Keyboard
from deskhand.devices.desktop.self_test import check_desktop_aim
from deskhand.devices.desktop.typing import Field, Typist
from deskhand.devices.desktop.windows import WindowInfo
from deskhand.devices.desktop.x_connection import Camera, Damage, XThread
from deskhand.devices.process_reaper import Child, Keeper
from deskhand.settings.environment import session_environment
from deskhand.settings.schema import DesktopSettings

Result = TypeVar("Result")

_CAPABILITIES: frozenset[ActionKind] = frozenset(
    {"click", "double_click", "right_click", "middle_click", "move", "long_press", "drag", "scroll", "type", "key",
     "hotkey", "open_app", "open_url", "switch_window"}
)  # fmt: skip
_MANAGER_S = 10.0
_TREE_S = 1.0
_LOOK_S = 3.0
_FOCUS_S = 3.0
_BETWEEN_FIELDS_S = 0.15
_HELD_BACK_S = 3.0
_HELD_POLL_S = 0.002
_DRAG_STEP_S = 0.015
# What one notch of the wheel scrolls: 50 to 60 px in GTK, Qt and Chromium alike.
_NOTCH_PX = 55


async def open_desktop(settings: DesktopSettings, *, clock: Clock, name: str = "desktop") -> DesktopDevice:
    """Attach to the display, or start one; proves that clicks land before it returns."""
    inherited = session_environment()
    keeper = Keeper()
    device: DesktopDevice | None = None
    try:
        await keeper.start()
        wanted = settings.display or inherited.get("DISPLAY", "") or OWN
        if wanted == OWN:
            place = await desktop_display.private(settings.width, settings.height, inherited, keeper)
        else:
            place = desktop_display.existing(wanted, inherited)
        device = DesktopDevice(name, place, keeper, settings, clock)
        await device.attach()
    except BaseException:
        await (device.close() if device is not None else keeper.close())
        raise
    return device


class DesktopDevice:
    """One X display with its connections: input and windows, pictures, damage, clipboard, accessibility."""

    def __init__(self, name: str, place: Place, keeper: Keeper, settings: DesktopSettings, clock: Clock) -> None:
        self._name = name
        self._place = place
        self._keeper = keeper
        self._settings = settings
        self._clock = clock
        self._x = XThread(place.display)
        self._camera = Camera(place.display, clock)
        self._damage = Damage(place.display, on_resize=self._resized)
        self._clipboard = Clipboard(place.display)
        self._accessibility = AccessibilityBus()
        self._keyboard = Keyboard(private=place.private)
        self._typist = Typist(self._x, self._keyboard, self._clipboard, clock)
        self._no_elements = ""
        self._launched: list[Child] = []

    async def attach(self) -> None:
        await self._x.open()
        await self._x.run(pointer_and_keyboard.require_xtest)
        await self._damage.open()
        await self._clipboard.open()
        if self._place.private:
            await self._x.run(desktop_display.keep_to_ourselves)
            await self._until(self._is_managed, _MANAGER_S)
        try:
            await self._accessibility.open(self._place.bus, await self._x.run(_accessibility_address))
        except NoElements as missing:
            # A desktop without accessibility can still be seen and worked; elements() says why there are none.
            self._no_elements = str(missing)
        await check_desktop_aim(self._x, self._camera, self._clock)

    async def _is_managed(self) -> bool:
        """Or will never be: there is no window manager, or it has ended."""
        manager = self._place.manager
        return manager is None or not manager.alive or await self._x.run(desktop_windows.has_manager)

    # --- looking ------------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        return self._name

    @property
    def display(self) -> str:
        """The X display's name."""
        return self._place.display

    @property
    def capabilities(self) -> frozenset[ActionKind]:
        return _CAPABILITIES

    async def frame(self) -> Frame:
        return await self._camera.frame()

    async def windows(self) -> tuple[WindowInfo, ...]:
        """Windows on the screen, the front one last."""
        return tuple(window for window in await self._x.run(desktop_windows.windows) if not window.menu)

    async def app(self) -> AppInfo:
        front = await self._front()
        return AppInfo(front.app, front.title) if front else AppInfo("desktop")

    async def _front(self) -> WindowInfo | None:
        stack = await self._x.run(desktop_windows.windows)
        return next((window for window in stack if window.active), None)

    async def apps(self) -> tuple[str, ...]:
        return tuple(sorted({app.name for app in await self._installed()}))

    async def elements(self) -> tuple[Element, ...]:
        if self._no_elements:
            raise NoElements(self._no_elements)
        stack = await self._x.run(desktop_windows.windows)
        front = next((window for window in stack if window.active), None)
        programs = await self._accessibility.programs()
        shown = {window.pid for window in stack}
        names = [(pid, name) for pid, names in programs.items() if pid in shown for name in names]
        if front is not None and front.pid not in programs:
            raise NoElements(f"The window in front, {front.title!r}, has no accessibility tree.")
        size = await self._x.run(_root_size)
        trees = await asyncio.gather(*(self._looked_at(name, size) for _, name in names))
        found: dict[int, list[Node]] = {}
        for (pid, _), tops in zip(names, trees, strict=True):
            if tops is not None:
                found.setdefault(pid, []).extend(tops)
        if front is not None and front.pid not in found:
            raise NoElements(f"The program in front, {front.title!r}, does not answer.")
        return to_elements(found, stack)

    async def _looked_at(self, name: str, screen: Rect) -> list[Node] | None:
        try:
            async with asyncio.timeout(_LOOK_S):
                root = await self._accessibility.tree(name, timeout=_TREE_S)
                return None if root is None else await look(self._accessibility, root, screen)
        except TimeoutError:
            return None

    def changes(self) -> AsyncIterator[None]:
        return self._damage.changes()

    # --- doing --------------------------------------------------------------------------------------------

    async def act(self, action: Action) -> str:
        await self._check(action)
        await self._clicks_first()
        match action:
            case actions.Click():
                return await self._click(action, LEFT)
            case actions.DoubleClick():
                return await self._click(action, LEFT, times=2)
            case actions.RightClick():
                return await self._click(action, RIGHT)
            case actions.MiddleClick():
                return await self._click(action, MIDDLE)
            case actions.Move():
                await self._x.run(lambda display: pointer_and_keyboard.move(display, action.x, action.y))
                return ""
            case actions.LongPress():
                return await self._hold((action.x, action.y), (action.x, action.y), action.duration_ms)
            case actions.Drag():
                return await self._hold((action.x, action.y), (action.to_x, action.to_y), action.duration_ms)
            case actions.Scroll():
                return await self._scroll(action)
            case actions.Type():
                return await self._typist.type(action, await self._field())
            case actions.Key():
                await self._typist.press(action.key)
                return ""
            case actions.Hotkey():
                await self._typist.press(*action.keys)
                return ""
            case actions.SwitchWindow():
                return await self._switch(action.title)
            case actions.OpenApp():
                return await self._open_app(action.name)
            case actions.OpenUrl():
                return await self._open_url(action.url)
            case _:
                raise NotPossible(f"A desktop has no action {action.kind!r}.")

    async def _check(self, action: Action) -> None:
        if points := points_of(action):
            screen = await self._x.run(_root_size)
            for x, y in points:
                if not screen.contains(x, y):
                    raise NotPossible(f"({x}, {y}) is outside of the screen, which is {screen.width}×{screen.height}.")

    async def _clicks_first(self) -> None:
        """A window manager may hold a click back until it has seen to the focus. What comes next must not overtake it:
        keys would go to the field before, and further clicks would all land where the pointer is by then."""
        deadline = self._clock.now() + _HELD_BACK_S
        while await self._x.run(pointer_and_keyboard.button_down) and self._clock.now() < deadline:
            await self._clock.sleep(_HELD_POLL_S)

    async def _click(self, action: actions.PointAction, button: int, times: int = 1) -> str:
        await self._x.run(lambda display: pointer_and_keyboard.click(display, action.x, action.y, button, times))
        return ""

    async def _hold(self, start: tuple[int, int], end: tuple[int, int], duration_ms: int) -> str:
        """Press, go, release; the button is let go even when cancelled on the way."""
        steps = max(2, round(duration_ms / 1000 / _DRAG_STEP_S))
        await self._x.run(lambda display: pointer_and_keyboard.move(display, *start))
        try:
            await self._x.run(lambda display: pointer_and_keyboard.button(display, LEFT, down=True))
            begun = self._clock.now()
            for step, point in enumerate(pointer_and_keyboard.path(start, end, steps), 1):
                # By the clock, for on a busy machine the steps' own time would add up.
                await self._clock.sleep(max(0.0, begun + duration_ms / 1000 * step / steps - self._clock.now()))
                await self._x.run(lambda display, point=point: pointer_and_keyboard.move(display, *point))
        finally:
            self._x.post(lambda display: pointer_and_keyboard.button(display, LEFT, down=False))
        await self._x.run(Display.sync)
        return ""

    async def _scroll(self, action: actions.Scroll) -> str:
        stack = await self._x.run(desktop_windows.windows)
        front = next((window.bounds for window in stack if window.active), None)
        area = front or await self._x.run(_root_size)
        x, y = area.center
        if action.x is not None and action.y is not None:
            x, y = action.x, action.y
            under = desktop_windows.top_at(stack, x, y)
            area = under.bounds if under else area
        length = area.height if action.direction in ("up", "down") else area.width
        notches = max(1, round(action.pages * length / _NOTCH_PX))
        await self._x.run(lambda display: pointer_and_keyboard.click(display, x, y, WHEEL[action.direction], notches))
        return ""

    async def _field(self) -> Field:
        front = await self._front()
        if front is None:
            raise ActionFailed("No window has the keyboard: click into a text field first.")
        # While the focus moves from one field to the next, none has it for a moment.
        node = await self._until(lambda: self._focused_in(front.pid), _BETWEEN_FIELDS_S)
        bus = self._accessibility

        async def read() -> str | None:
            if node and node.role == PASSWORD:
                length = await bus.length(node.ref)
                return None if length is None else "•" * length
            return await bus.text(node.ref) if node else None

        async def selection() -> tuple[int, int] | None:
            return await bus.selection(node.ref) if node else None

        return Field(front, node, read, selection, self._field)

    async def _focused_in(self, pid: int) -> Node | None:
        if self._no_elements:
            return None
        with contextlib.suppress(NoElements):
            for name in (await self._accessibility.programs()).get(pid, []):
                root = await self._accessibility.tree(name)
                if root is not None and (node := focused(root)):
                    return node
        return None

    # --- windows and programs -----------------------------------------------------------------------------

    async def move_window(self, title: str, bounds: Rect) -> None:
        """Put a window's contents at these bounds."""
        window = await self._named(title)
        await self._x.run(lambda display: desktop_windows.move(display, window.id, bounds))

    async def _switch(self, title: str) -> str:
        window = await self._named(title)
        await self._bring(window)
        return f"{window.title!r} is in front"

    async def _named(self, title: str) -> WindowInfo:
        found = await self.windows()
        if (window := desktop_windows.best_match(title, found)) is None:
            open_now = ", ".join(repr(window.title) for window in found) or "none"
            raise ActionFailed(f"There is no window called {title!r}; open are: {open_now}.")
        return window

    async def _bring(self, window: WindowInfo) -> None:
        await self._x.run(lambda display: desktop_windows.focus(display, window.id))

        async def in_front() -> bool:
            return await self._x.run(desktop_windows.active_id) == window.id

        if not await self._until(in_front, _FOCUS_S):
            raise ActionFailed(f"The window {window.title!r} did not come to the front.")

    async def _installed(self) -> list[desktop_apps.App]:
        folders = desktop_apps.application_folders(self._place.environment)
        return await asyncio.to_thread(desktop_apps.installed, folders, self._place.environment.get("PATH"))

    async def _open_app(self, name: str) -> str:
        installed = await self._installed()
        app = desktop_apps.find(name, installed)
        if app is None:
            near = ", ".join(desktop_apps.nearest(name, installed)) or "none at all"
            raise AppNotFound(f"There is no app called {name!r}; the nearest are: {near}.")
        if running := next((window for window in reversed(await self.windows()) if _belongs(window, app)), None):
            await self._bring(running)
            return f"{app.name} was open already"
        window = await self._launch(app)
        return f"{app.name} shows {window.title!r}"

    async def _open_url(self, url: str) -> str:
        scheme = url.partition(":")[0].lower()
        browsers = [app for app in await self._installed() if scheme in app.schemes]
        if not browsers:
            raise AppNotFound(f"No installed app opens {scheme!r} addresses: install a browser.")
        window = await self._launch(browsers[0], url)
        return f"{browsers[0].name} shows {window.title!r}"

    async def _launch(self, app: desktop_apps.App, url: str = "") -> WindowInfo:
        """Start it and see its window in front; a program that runs already may answer with an old window."""
        before = {window.id for window in await self.windows()}
        try:
            child = await self._keeper.launch(app.argv(url), self._place.environment, cwd=app.folder)
        except DeviceSetup as error:
            raise AppNotFound(f"{app.name}: {error}") from None

        async def shown() -> WindowInfo | bool:
            found = await self.windows()
            new = [w for w in found if w.id not in before and (w.pid == child.pid or w.title or w.app)]
            handed_over = not child.alive and child.ended.result() == 0
            old = [w for w in found if handed_over and _belongs(w, app)]
            return next(reversed(new or old), False) or _crashed(child)

        window = await self._until(shown, self._settings.app_timeout_s)
        if not isinstance(window, WindowInfo):
            why = f"ended with status {child.ended.result()}" if not child.alive else "is still starting"
            said = child.complaint().splitlines()[-1:] or ["it said nothing"]
            raise AppNotFound(f"{app.name} showed no window: it {why} ({said[0]}).")
        await self._bring(window)
        return window

    async def _until(self, condition: Callable[[], Awaitable[Result]], seconds: float) -> Result | None:
        """Ask again after each paint (or 100 ms) until the answer is true; None when time is up."""
        deadline = self._clock.now() + seconds
        while not (answer := await condition()):
            if self._clock.now() >= deadline:
                return None
            await self._damage.pause(0.1)
        return answer

    # --- the end ------------------------------------------------------------------------------------------

    def _resized(self) -> None:
        self._camera.stale = True

    async def close(self) -> None:
        """Hang up, and end whatever was started. May be called twice."""
        if not self._place.private:
            with contextlib.suppress(DeviceError):  # gone, or closed before
                await self._x.run(self._keyboard.give_back)
        # The keeper before the camera: a picture that a stuck server never sends ends when that server does.
        for part in (self._accessibility, self._clipboard, self._damage, self._x, self._keeper, self._camera):
            await part.close()


def _belongs(window: WindowInfo, app: desktop_apps.App) -> bool:
    known = {app.window_class.casefold(), app.program.casefold(), app.name.casefold()} - {""}
    return window.app.casefold() in known


def _crashed(child: Child) -> bool:
    return not child.alive and child.ended.result() != 0


def _root_size(display: Display) -> Rect:
    size = display.screen().root.get_geometry()
    return Rect(0, 0, size.width, size.height)


def _accessibility_address(display: Display) -> str:
    """Where the accessibility bus is, as its launcher wrote on the root window."""
    value = display.screen().root.get_full_property(display.intern_atom("AT_SPI_BUS"), X.AnyPropertyType)
    return bytes(value.value).decode() if value is not None and value.format == 8 else ""
