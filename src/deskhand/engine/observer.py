"""Looks at the screen of a device, and finds out why queued actions no longer fit it."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from deskhand.core.actions import Action, points_of
from deskhand.core.decisions import Expect
from deskhand.core.errors import DeviceFault, NotPossible
from deskhand.core.geometry import Rect
from deskhand.core.protocols import Device, ScreenReader
from deskhand.core.screen import HOLLOW, Element, Frame, Observation, Role
from deskhand.screen.diff import measure_change
from deskhand.screen.frame import crop_frame
from deskhand.screen.perception import Perception

# A queued point is still good when this neighbourhood of it looks as it did when the point was chosen.
PATCH = 64
PATCH_TOLERANCE = 0.10
# What a program may draw by itself, and how many of them are read.
_DRAWN: frozenset[Role] = frozenset({"group", "list"})
_MOST_HOLLOWS = 3
# How often the outer loop tries to look before it gives up.
LOOKS = 3

T = TypeVar("T")


async def look_patiently(look: Callable[[], Awaitable[T]]) -> T:
    """Try again after a passing fault. For the outer loop: a worker finds another way, a plan or a gate has none."""
    for _ in range(LOOKS - 1):
        with suppress(DeviceFault):
            return await look()
    return await look()


class Observer:
    """Adds to perception the text read from the picture where the device lists no elements."""

    def __init__(self, perception: Perception, device: Device, reader: ScreenReader | None) -> None:
        self.perception = perception
        self._device = device
        self._reader = reader
        self._put_off = False

    async def observe(self, with_elements: bool) -> Observation:
        seen = await self.perception.observe_screen(with_elements)
        if not with_elements or self._reader is None or seen.frame.secure:
            return seen
        if not _is_hollow(seen.elements):
            return replace(seen, elements=await self._fill_hollows(self._reader, seen.frame, seen.elements or ()))
        read = await self._reader.elements(seen.frame, self._device.id)
        return replace(seen, elements=_add_scrollable(read, seen.elements or ()) if read else seen.elements)

    async def _fill_hollows(
        self, reader: ScreenReader, frame: Frame, elements: tuple[Element, ...]
    ) -> tuple[Element, ...]:
        """Add the text in the pictures of what a program draws by itself inside a window that it lists otherwise."""
        filled = list(elements)
        for hollow in _list_hollows(elements):
            box = hollow.bounds.intersect_with(frame.bounds)
            for one in await reader.elements(crop_frame(frame, box), f"{self._device.id} {box}"):
                place = one.bounds.move_by(box.left, box.top)
                filled.append(replace(one, index=len(filled), bounds=place, parent=hollow.index))
        return tuple(filled)

    async def describe_change(self, before: Frame) -> str:
        """Describe what changed while the user had the device, for the worker."""
        try:
            await self.perception.recapture_frame()  # the user may have done the last thing just now
            seen = await self.observe(with_elements=False)
        except DeviceFault as fault:
            return f"The screen could not be read: {fault}"
        front = " · ".join(part for part in (seen.app, seen.title) if part)
        if seen.frame.size != before.size:
            return f"The screen has another size now; in front is {front}."
        return f"{measure_change(before, seen.frame):.0%} of the screen changed; in front is {front}."

    async def find_overtaking(self, action: Action, seen: Observation) -> str:
        """Return why an action no longer fits: the screen changed by itself while it was decided; else empty.

        Only once in a row: on a screen that never rests, somebody has to act at last.
        """
        newest = self.perception.newest
        if self._put_off or newest is None or not self.perception.surprise:
            self._put_off = False
            return ""
        front = (await self._device.app()).name
        if front != seen.app:
            why = f"{front} came to the front instead of {seen.app} while this was decided"
        elif has_moved_away(action, seen.frame, newest):
            why = "what the action aims at changed while it was decided"
        else:
            return ""
        self._put_off = True
        return why

    async def find_unmet(self, expect: Expect) -> str:
        """Return what was expected and is not so; empty if all is as expected."""
        if expect.app and expect.app.casefold() not in (app := (await self._device.app()).name).casefold():
            return f"expected {expect.app} in front, but it is {app}"
        if expect.text:
            seen = await self.observe(with_elements=True)
            wanted = expect.text.casefold()
            if not any(wanted in f"{e.name} {e.value}".casefold() for e in seen.elements or ()):
                return f'expected to see "{expect.text}"'
        return ""


def _is_hollow(elements: Sequence[Element] | None) -> bool:
    """True if nothing is listed that can be read or written: a game, or a program that draws all by itself."""
    return not any((one.text and one.role != "window") or one.editable for one in elements or ())


def _add_scrollable(read: Sequence[Element], listed: Sequence[Element]) -> tuple[Element, ...]:
    """Return the text that was read behind what the device says can be scrolled: a picture shows no such thing."""
    areas = [replace(one, index=index, parent=None) for index, one in enumerate(o for o in listed if o.scrollable)]
    return (*areas, *(replace(one, index=index) for index, one in enumerate(read, len(areas))))


def _list_hollows(elements: Sequence[Element]) -> list[Element]:
    """Return the biggest boxes of a desktop program that have nothing listed in them."""
    parents = {one.parent for one in elements}
    found = [
        one
        for one in elements
        if one.source == "atspi" and one.role in _DRAWN and one.index not in parents and not one.value
        and one.bounds.width >= HOLLOW[0] and one.bounds.height >= HOLLOW[1]
    ]  # fmt: skip
    return sorted(found, key=lambda one: -one.bounds.area)[:_MOST_HOLLOWS]


def check_possible(action: Action, offered: frozenset[str], frame: Frame) -> None:
    """Raise NotPossible, in words a model can use, unless the device can do this here."""
    if action.kind not in offered:
        raise NotPossible(f"This device can't {action.kind.replace('_', ' ')}; it can: {', '.join(sorted(offered))}.")
    for x, y in points_of(action):
        if x >= frame.width or y >= frame.height:
            raise NotPossible(f"The point ({x}, {y}) is outside of the screen, which is {frame.width}×{frame.height}.")


def has_moved_away(action: Action, decided_on: Frame, now: Frame) -> bool:
    """True if what the action aims at no longer looks as it did."""
    for x, y in points_of(action):
        box = Rect(x - PATCH, y - PATCH, x + PATCH, y + PATCH)
        if (
            decided_on.size != now.size
            or measure_change(crop_frame(decided_on, box), crop_frame(now, box)) > PATCH_TOLERANCE
        ):
            return True
    return False
