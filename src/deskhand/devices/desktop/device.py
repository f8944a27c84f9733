"""A desktop as a Device: X11 frames and input, windows, programs by name, elements from the accessibility bus.

Works on the session's display, or on a private one that it starts and ends.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence

from Xlib import X
from Xlib.display import Display

from deskhand.core import actions
from deskhand.core.actions import Action, ActionKind
from deskhand.core.errors import ActionFailed, DeviceError, NoElements, NotPossible
from deskhand.core.geometry import Rect
from deskhand.core.protocols import Clock
from deskhand.core.screen import AppInfo, Element, Frame
from deskhand.core.stop_outcome import complete_outcome
from deskhand.devices.click_test import check_points
from deskhand.devices.desktop.accessibility_bus import AccessibilityBus, is_accessible
from deskhand.devices.desktop.accessible_node import AccessibleNode
from deskhand.devices.desktop.app_launcher import AppLauncher
from deskhand.devices.desktop.clipboard import DesktopClipboard
from deskhand.devices.desktop.damage import DamageSignal
from deskhand.devices.desktop.display import (
    OWN,
    DesktopDisplay,
    forbid_other_users,
    start_private_display,
    use_existing_display,
)
from deskhand.devices.desktop.elements import PASSWORD, find_focused, read_program, to_elements
from deskhand.devices.desktop.frames import DesktopCamera, has_content
from deskhand.devices.desktop.keyboard import DesktopKeyboard
from deskhand.devices.desktop.pointer import LEFT, MIDDLE, RIGHT, DesktopPointer, require_xtest
from deskhand.devices.desktop.self_test import check_desktop_aim
from deskhand.devices.desktop.typing import DesktopTyper, FocusedField
from deskhand.devices.desktop.window_actions import WindowActions
from deskhand.devices.desktop.windows import WindowInfo, has_manager, list_windows, read_screen_bounds
from deskhand.devices.desktop.x_connection import XThread
from deskhand.devices.free_process import launch_free_process
from deskhand.devices.process_reaper import Child, ProcessReaper
from deskhand.settings.environment import read_session_environment
from deskhand.settings.schema import DesktopSettings

CAPABILITIES: frozenset[ActionKind] = frozenset(
    {"click", "double_click", "right_click", "middle_click", "move", "long_press", "drag", "scroll", "type", "key",
     "hotkey", "open_app", "open_url", "switch_window", "manage_window"}
)  # fmt: skip
_BUTTONS = {"right_click": RIGHT, "middle_click": MIDDLE}
_MANAGER_S = 10.0
_TREE_S = 3.0
_LOOK_S = 9.0
_BETWEEN_FIELDS_S = 0.15
_BETWEEN_WINDOWS_S = 2.0
# How long a splash screen that stands alone may stay: its program's own window follows.
_SPLASH_S = 8.0
# How long a window may take to be painted, and its program to give its tree: then it is taken as it is.
_PAINT_S = 3.0
_REGISTER_S = 6.0
# How long programs on a private display have to close their windows themselves.
_CLOSE_S = 2.0


async def open_desktop(settings: DesktopSettings, *, clock: Clock, name: str = "desktop") -> DesktopDevice:
    """Attach to the display, or start one; checks that clicks land before it returns."""
    inherited = read_session_environment()
    keeper = ProcessReaper()
    device: DesktopDevice | None = None
    try:
        await keeper.start_reaper()
        wanted = settings.display or inherited.get("DISPLAY", "") or OWN
        if wanted == OWN:
            place = await start_private_display(settings.width, settings.height, inherited, keeper)
        else:
            place = use_existing_display(wanted, inherited)
        device = DesktopDevice(name, place, keeper, settings, clock)
        await device.attach_display()
    except BaseException:
        await (device.close() if device is not None else keeper.close())
        raise
    return device


class DesktopDevice:
    """One X display with its connections: input and windows, frames, damage, clipboard, accessibility."""

    def __init__(
        self, name: str, place: DesktopDisplay, keeper: ProcessReaper, settings: DesktopSettings, clock: Clock
    ) -> None:
        self._name = name
        self._place = place
        self._keeper = keeper
        self._clock = clock
        self._x = XThread(place.display)
        self._camera = DesktopCamera(place.display, clock)
        self._damage = DamageSignal(place.display, clock, on_resize=self._on_resize)
        self._clipboard = DesktopClipboard(place.display)
        self._accessibility = AccessibilityBus()
        self._keyboard = DesktopKeyboard(private=place.private)
        self._typer = DesktopTyper(self._x, self._keyboard, self._clipboard, clock)
        self._pointer = DesktopPointer(self._x, clock)
        self._windows = WindowActions(self._x, self._damage)
        self._launcher = AppLauncher(
            self._windows, self._damage, clock, self._launch_program, self._is_ready, place.environment,
            settings.app_timeout_s,
        )  # fmt: skip
        self._no_elements = ""
        self._started = 0

    async def attach_display(self) -> None:
        await self._x.open_connection()
        await self._x.run_job(require_xtest)
        await self._damage.open_connection()
        await self._clipboard.open_connection()
        if self._place.private:
            await self._x.run_job(forbid_other_users)
            await self._damage.wait_until(self._is_managed, _MANAGER_S)
        try:
            await self._accessibility.connect_to(self._place.bus, await self._x.run_job(_read_accessibility_address))
        except NoElements as missing:
            # A desktop without accessibility can still be used by its frames; elements() raises why it has none.
            self._no_elements = str(missing)
        await check_desktop_aim(self._x, self._camera, self._clock)

    async def _is_managed(self) -> bool:
        """True if a window manager runs, or never will: there is none, or it has ended."""
        manager = self._place.manager
        return manager is None or not manager.alive or await self._x.run_job(has_manager)

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
        return CAPABILITIES

    async def frame(self) -> Frame:
        return await self._camera.take_frame()

    async def list_windows(self) -> tuple[WindowInfo, ...]:
        return await self._windows.list_windows()

    async def app(self) -> AppInfo:
        front = await self._find_front_window()
        return AppInfo(front.app, front.title) if front else AppInfo("desktop")

    async def _find_front_window(self) -> WindowInfo | None:
        stack = await self._x.run_job(list_windows)
        return next((window for window in stack if window.active), None)

    async def apps(self) -> tuple[str, ...]:
        return tuple(sorted({app.name for app in await self._launcher.list_apps()}))

    async def elements(self) -> tuple[Element, ...]:
        if self._no_elements:
            raise NoElements(self._no_elements)
        await self._damage.wait_until(self._is_started, _SPLASH_S)
        stack = await self._x.run_job(list_windows)
        front = next((window for window in stack if window.active), None)
        programs = await self._accessibility.list_programs()
        shown = {window.pid for window in stack}
        names = [(pid, name) for pid, names in programs.items() if pid in shown for name in names]
        if front is not None and front.pid not in programs:
            raise NoElements(
                f"The elements can't be read: the window in front, {front.title!r}, has no accessibility tree."
            )
        size = await self._x.run_job(read_screen_bounds)
        own = {pid: [window for window in stack if window.pid == pid] for pid, _ in names}
        trees = await asyncio.gather(*(self._read_tree(name, size, own[pid]) for pid, name in names))
        found: dict[int, list[AccessibleNode]] = {}
        for (pid, _), tops in zip(names, trees, strict=True):
            if tops is not None:
                found.setdefault(pid, []).extend(tops)
        if front is not None and front.pid not in found:
            raise NoElements(f"The elements can't be read: the program of {front.title!r} timed out.")
        return to_elements(found, stack)

    async def _is_started(self) -> bool:
        """False while nothing but a splash screen stands there."""
        shown = await self._windows.list_windows()
        return not shown or not all(window.splash for window in shown)

    async def _read_tree(self, name: str, screen: Rect, windows: Sequence[WindowInfo]) -> list[AccessibleNode] | None:
        try:
            async with asyncio.timeout(_LOOK_S):
                root = await self._accessibility.read_tree(name, timeout=_TREE_S)
                return None if root is None else await read_program(self._accessibility, root, screen, windows)
        except TimeoutError:
            return None

    def changes(self) -> AsyncIterator[None]:
        return self._damage.iterate_changes()

    # --- doing --------------------------------------------------------------------------------------------

    async def act(self, action: Action) -> str:
        try:
            return await self._send_action(action)
        except asyncio.CancelledError as stop:
            complete_outcome(stop, action)
            raise

    async def _send_action(self, action: Action) -> str:
        if actions.points_of(action):
            check_points(action, (await self._x.run_job(read_screen_bounds))[2:])
        await self._pointer.wait_for_held_clicks()
        match action:
            case actions.Type():
                return await self._typer.type_text(action, await self._find_field())
            case actions.SwitchWindow():
                return await self._windows.switch_window(action.title)
            case actions.ManageWindow():
                return await self._windows.manage_window(action, await self._launcher.list_classes(action.title))
            case actions.OpenApp():
                return await self._launcher.open_app(action.name)
            case actions.OpenUrl():
                return await self._launcher.open_url(action.url)
            case actions.Key():
                await self._typer.press_keys(action.key)
            case actions.Hotkey():
                await self._typer.press_keys(*action.keys)
            case _:
                await self._act_with_pointer(action)
        return ""

    async def _act_with_pointer(self, action: Action) -> None:
        match action:
            case actions.Click() | actions.DoubleClick() | actions.RightClick() | actions.MiddleClick():
                times = 2 if isinstance(action, actions.DoubleClick) else 1
                await self._pointer.click_point(action.x, action.y, _BUTTONS.get(action.kind, LEFT), times)
            case actions.Move():
                await self._pointer.move_to(action.x, action.y)
            case actions.LongPress():
                await self._pointer.drag_button((action.x, action.y), (action.x, action.y), action.duration_ms)
            case actions.Drag():
                await self._pointer.drag_button((action.x, action.y), (action.to_x, action.to_y), action.duration_ms)
            case actions.Scroll():
                await self._pointer.turn_wheel(action)
            case _:
                raise NotPossible(f"A desktop can't do {action.kind.replace('_', ' ')!r}.")

    async def _find_field(self) -> FocusedField:
        # Between two windows, as when a dialog comes up or goes, none has it for a moment.
        front = await self._damage.wait_until(self._find_front_window, _BETWEEN_WINDOWS_S)
        if front is None:
            raise ActionFailed("No window has the focus: click a text field first, then type.")
        # While the focus moves from one field to the next, no field has it for a moment.
        node = await self._damage.wait_until(lambda: self._find_focused_in(front), _BETWEEN_FIELDS_S)
        bus = self._accessibility

        async def read_text() -> str | None:
            if node and node.role == PASSWORD:
                length = await bus.count_characters(node.ref)
                return None if length is None else "•" * length
            return await bus.read_text(node.ref) if node else None

        async def read_selection() -> tuple[int, int] | None:
            return await bus.read_selection(node.ref) if node else None

        return FocusedField(front, node, read_text, read_selection, self._find_field)

    async def _find_focused_in(self, front: WindowInfo) -> AccessibleNode | None:
        if self._no_elements:
            return None
        with contextlib.suppress(NoElements):
            for name in (await self._accessibility.list_programs()).get(front.pid, []):
                root = await self._accessibility.read_tree(name)
                if root is not None and (node := find_focused(root, front.title)):
                    return node
        return None

    # --- programs -----------------------------------------------------------------------------------------

    async def _launch_program(self, argv: Sequence[str], environment: Mapping[str, str], cwd: str | None) -> Child:
        """Start a program: on the user's own display it lives on after us, on a private one it ends with it."""
        if self._place.private:
            return await self._keeper.launch_process(argv, environment, cwd=cwd)
        self._started += 1
        log = self._keeper.folder / f"program-{self._started}.log"
        return await launch_free_process(argv, environment, log, cwd=cwd)

    async def _is_ready(self, window: WindowInfo, seconds: float) -> bool:
        """True if the window is painted, and has its tree if its program gives one."""
        if not await self._has_tree(window, seconds):
            return False
        return seconds > _PAINT_S or has_content(await self._camera.take_frame(), window.bounds)

    async def _has_tree(self, window: WindowInfo, seconds: float) -> bool:
        if self._no_elements:
            return True
        with contextlib.suppress(NoElements):
            names = (await self._accessibility.list_programs()).get(window.pid, [])
            if not names:
                return seconds > _REGISTER_S or not await asyncio.to_thread(is_accessible, window.pid)
            trees = [await self._accessibility.read_tree(name) for name in names]
            return (
                any(len(top.children) > 0 for tree in trees if tree for top in tree.children) or seconds > _REGISTER_S
            )
        return True

    # --- the end ------------------------------------------------------------------------------------------

    def _on_resize(self) -> None:
        self._camera.stale = True

    async def close(self) -> None:
        """Close all connections and end what was started. May be called twice."""
        with contextlib.suppress(DeviceError):  # the server ended, or this is the second call
            if self._place.private:
                await self._windows.close_all(_CLOSE_S)
            else:
                await self._x.run_job(self._keyboard.return_keycodes)
        # The keeper before the camera: a capture that a stuck server never answers ends with that server.
        for part in (self._accessibility, self._clipboard, self._damage, self._x, self._keeper, self._camera):
            await part.close()


def _read_accessibility_address(display: Display) -> str:
    """Return the address of the accessibility bus that its launcher wrote on the root window; "" if none."""
    value = display.screen().root.get_full_property(display.intern_atom("AT_SPI_BUS"), X.AnyPropertyType)
    return bytes(value.value).decode() if value is not None and value.format == 8 else ""
