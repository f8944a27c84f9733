"""Looking at a device: one observation, or the reason why queued actions no longer fit what is seen."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from deskhand.actions import Action, points_of
from deskhand.errors import NoElements, NotPossible
from deskhand.protocols import Device
from deskhand.screen.diff import changed_fraction
from deskhand.screen.frame import crop
from deskhand.types import Element, Expect, Frame, Observation, Rect

# A queued point is still good when this neighbourhood of it looks as it did when the point was chosen.
PATCH = 64
PATCH_TOLERANCE = 0.10

T = TypeVar("T")


async def look(device: Device, frame: Frame | None, with_elements: bool) -> Observation:
    """Everything at once; a frame that is known to be current is not taken again."""
    picture, app, (elements, problem) = await asyncio.gather(
        *_all_or_none(_given(frame) if frame else device.frame(), device.app(), _elements(device, with_elements))
    )
    return Observation(frame=picture, elements=elements, app=app.name, title=app.title, problem=problem)


def _all_or_none(*work: Coroutine[Any, Any, Any]) -> "list[asyncio.Task[Any]]":
    """Tasks of which none goes on when one fails."""
    tasks = [asyncio.ensure_future(coroutine) for coroutine in work]

    def cancel_rest(task: "asyncio.Task[Any]") -> None:
        if task.cancelled() or task.exception():
            for other in tasks:
                other.cancel()

    for task in tasks:
        task.add_done_callback(cancel_rest)
    return tasks


async def _given(value: T) -> T:
    return value


async def _elements(device: Device, wanted: bool) -> tuple[tuple[Element, ...] | None, str]:
    if not wanted:
        return None, ""
    try:
        return await device.elements(), ""
    except NoElements as why:
        return None, str(why)


def check_possible(action: Action, offered: frozenset[str], frame: Frame) -> None:
    """Raise NotPossible, in words a model can use, unless the device can do this here."""
    if action.kind not in offered:
        raise NotPossible(f"This device can't {action.kind.replace('_', ' ')}; it can: {', '.join(sorted(offered))}.")
    for x, y in points_of(action):
        if x >= frame.width or y >= frame.height:
            raise NotPossible(f"The point ({x}, {y}) is outside of the screen, which is {frame.width}×{frame.height}.")


def moved_away(action: Action, decided_on: Frame, now: Frame) -> bool:
    """Whether what the action aims at no longer looks as it did."""
    for x, y in points_of(action):
        box = Rect(x - PATCH, y - PATCH, x + PATCH, y + PATCH)
        if decided_on.size != now.size or changed_fraction(crop(decided_on, box), crop(now, box)) > PATCH_TOLERANCE:
            return True
    return False


async def unmet(expect: Expect, device: Device) -> str:
    """What was expected and is not so; empty when all is as expected."""
    if expect.app and expect.app.casefold() not in (app := (await device.app()).name).casefold():
        return f"expected {expect.app} in front, but it is {app}"
    if expect.text:
        elements, problem = await _elements(device, wanted=True)
        wanted = expect.text.casefold()
        if not any(wanted in f"{e.name} {e.value}".casefold() for e in elements or ()):
            return problem or f'expected to see "{expect.text}"'
    return ""
