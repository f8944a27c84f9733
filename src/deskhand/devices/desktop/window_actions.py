"""Works windows by the window manager: to the front, closed, maximized, minimized; each proven by what became of it."""

from collections.abc import Collection, Sequence
from typing import NoReturn

from deskhand.core.actions import ASKS_BACK, ManageWindow
from deskhand.core.errors import ActionFailed
from deskhand.devices.desktop.damage import DamageSignal
from deskhand.devices.desktop.windows import (
    WindowInfo,
    WindowSize,
    close_window,
    find_active_id,
    find_best_match,
    focus_window,
    has_manager,
    has_words,
    list_windows,
    read_window_size,
    resize_window,
)
from deskhand.devices.desktop.x_connection import XThread

_FOCUS_S = 3.0
_CLOSE_S = 6.0
_RESIZE_S = 3.0
_SIZES: dict[str, WindowSize] = {"maximize": "maximized", "minimize": "minimized", "restore": "normal"}


class WindowActions:
    def __init__(self, x: XThread, damage: DamageSignal) -> None:
        self._x = x
        self._damage = damage

    async def list_windows(self) -> tuple[WindowInfo, ...]:
        """Return the windows on the screen without menus, the front one last."""
        return tuple(window for window in await self._x.run_job(list_windows) if not window.menu)

    async def switch_window(self, title: str) -> str:
        window = await self._find_window(title)
        await self.bring_to_front(window)
        return f"{window.title!r} is in front"

    async def manage_window(self, action: ManageWindow, known: Collection[str]) -> str:
        """Change the window; `known` are the classes by which the windows of the program of that name are known."""
        if not await self._x.run_job(has_manager):
            raise ActionFailed("There is no window manager here that could do this.")
        window = await self._find_meant(action.title, known)
        if action.change == "close":
            return await self._close_window(window)
        size = _SIZES[action.change]
        await self._x.run_act(lambda display: resize_window(display, window.id, size))

        async def has_size() -> bool:
            return await self._x.run_job(lambda display: read_window_size(display, window.id)) == size

        if not await self._damage.wait_until(has_size, _RESIZE_S):
            raise ActionFailed(f"The window {window.title!r} did not become {size} within {_RESIZE_S:g} s.")
        return f"{window.title!r} is {size}"

    async def _close_window(self, window: WindowInfo) -> str:
        """Ask it to close, until it is gone or a new window of its program asks back."""
        before = {one.id for one in await self.list_windows()}
        await self._x.run_act(lambda display: close_window(display, window.id))

        async def find_answer() -> WindowInfo | bool:
            now = await self.list_windows()
            if window.id not in [one.id for one in now]:
                return True
            return next((one for one in now if one.id not in before and one.pid == window.pid), False)

        answer = await self._damage.wait_until(find_answer, _CLOSE_S)
        if isinstance(answer, WindowInfo):
            return f"{window.title!r} {ASKS_BACK}: {answer.title!r}"
        if not answer:
            raise ActionFailed(f"The window {window.title!r} did not close within {_CLOSE_S:g} s.")
        return f"{window.title!r} is closed"

    async def close_all(self, seconds: float) -> None:
        """Ask every window to close, and wait until none is left, or for so long."""
        if not await self._x.run_job(has_manager):
            return

        async def is_empty() -> bool:
            return not await self.list_windows()

        for window in await self.list_windows():
            await self._x.run_job(lambda display, window=window: close_window(display, window.id))
        await self._damage.wait_until(is_empty, seconds)

    async def bring_to_front(self, window: WindowInfo) -> None:
        await self._x.run_job(lambda display: focus_window(display, window.id))

        async def is_in_front() -> bool:
            front = await self._x.run_job(find_active_id)
            # A dialog that belongs to it takes the focus in its place.
            held = next((one for one in await self.list_windows() if one.id == front), None)
            return front == window.id or (held is not None and held.owner == window.id)

        if not await self._damage.wait_until(is_in_front, _FOCUS_S):
            raise ActionFailed(f"The window {window.title!r} did not come to the front within {_FOCUS_S:g} s.")

    async def _find_window(self, title: str) -> WindowInfo:
        found = await self.list_windows()
        return find_best_match(title, found) or _refuse_window(title, found)

    async def _find_meant(self, title: str, known: Collection[str]) -> WindowInfo:
        """Return the one window of the program, or with all these words in its title; the one in front for no title.

        Nothing is guessed here, for a window that is closed takes work with it.
        """
        found = await self.list_windows()
        if not title:
            return next((one for one in found if one.active), None) or _refuse_window(title, found)
        own = [one for one in found if one.app.casefold() in known]
        meant = [one for one in own or found if own or has_words(one.title, title)]
        whole = [one for one in meant if one.title.casefold() == title.casefold()] or meant
        roots = [one for one in whole if one.owner not in [other.id for other in whole]]
        if len(roots) > 1:
            several = ", ".join(repr(one.title) for one in roots)
            raise ActionFailed(f"{len(roots)} windows are called {title!r}: {several}. Say which one by its title.")
        return roots[0] if roots else _refuse_window(title, found)


def _refuse_window(title: str, found: Sequence[WindowInfo]) -> NoReturn:
    open_now = ", ".join(repr(window.title) for window in found) or "none"
    named = f"There is no window called {title!r}" if title else "No window is in front"
    raise ActionFailed(f"{named}. Open windows: {open_now}.")
