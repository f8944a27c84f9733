"""Finds an app by the label of its icon: on the pages of the home screen, then in the drawer that a swipe up opens."""

from collections.abc import Awaitable, Callable

from deskhand.app_names import fold_name
from deskhand.core.geometry import Rect
from deskhand.core.protocols import Clock
from deskhand.core.screen import Element
from deskhand.devices.android.foreground import read_foreground
from deskhand.devices.android.keys import HOME
from deskhand.devices.android.phone_shell import PhoneShell

Elements = tuple[Element, ...]
HOME_S = 5.0
POLL_S = 0.1
PAGES = 5
SWIPE_MS = 250
# A swipe inside of the middle of the screen: its edges belong to the system.
SWIPES = {"next page": (0.8, 0.45, 0.2, 0.45), "drawer": (0.5, 0.65, 0.5, 0.2)}


class AppIcons:
    """Reads the launcher as a user does; nothing is remembered, since icons are moved and installed."""

    def __init__(self, shell: PhoneShell, clock: Clock, dump: Callable[[], Awaitable[Elements]]) -> None:
        self._shell = shell
        self._clock = clock
        self._dump = dump

    async def touch_icon(self, names: frozenset[str], homes: frozenset[str]) -> list[str] | None:
        """Touch the icon with one of these folded names; None if it was touched, else the labels that were seen."""
        await self._go_home(homes)
        labels: list[str] = []
        for move in ("next page", "drawer"):
            found = await self._turn_pages(move, names, labels)
            if found is not None:
                x, y = found.bounds.center
                await self._shell.run_checked(f"input tap {x} {y}")
                return None
        await self._shell.press_keys(HOME)
        return labels

    async def _go_home(self, homes: frozenset[str]) -> None:
        await self._shell.press_keys(HOME)
        deadline = self._clock.now() + HOME_S
        while (await read_foreground(self._shell)).package not in homes and self._clock.now() < deadline:
            await self._clock.sleep(POLL_S)

    async def _turn_pages(self, move: str, names: frozenset[str], labels: list[str]) -> Element | None:
        """Look at the screen, move on and look again, until nothing new comes up."""
        for _ in range(PAGES):
            seen = await self._dump()
            icons = [element for element in seen if element.clickable and not element.editable and element.name]
            found = next((icon for icon in icons if fold_name(icon.name) in names), None)
            if found is not None:
                return found
            new = [icon.name for icon in icons if icon.name not in labels]
            if labels and not new and move == "next page":
                return None
            labels.extend(new)
            await self._swipe_screen(move, _measure_screen(seen))
        return None

    async def _swipe_screen(self, move: str, screen: Rect) -> None:
        x, y, to_x, to_y = SWIPES[move]
        start = f"{round(x * screen.right)} {round(y * screen.bottom)}"
        end = f"{round(to_x * screen.right)} {round(to_y * screen.bottom)}"
        await self._shell.run_checked(f"input swipe {start} {end} {SWIPE_MS}")


def _measure_screen(seen: Elements) -> Rect:
    return Rect(
        0, 0, max((e.bounds.right for e in seen), default=1080), max((e.bounds.bottom for e in seen), default=1920)
    )
