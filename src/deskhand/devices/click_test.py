"""Checks where a click lands: on the screen at all and, by a self-test at attach, where it was aimed.

How targets are drawn and felt is the device's business.
"""

from collections.abc import Awaitable, Callable, Iterable

from deskhand.core.actions import Action, points_of
from deskhand.core.errors import DeviceSetup, NotPossible

# A finger-wide miss is a wrong button; two pixels are rounding.
TOLERANCE_PX = 2

Point = tuple[int, int]


def check_points(action: Action, size: tuple[int, int] | None, what: str = "screen") -> None:
    """Raise NotPossible if the action aims outside of the screen; an unknown size is not checked."""
    for x, y in points_of(action):
        if size and (x >= size[0] or y >= size[1]):
            raise NotPossible(f"The point ({x}, {y}) is outside of the {what}, which is {size[0]}×{size[1]}.")


async def check_aim(
    targets: Iterable[Point],
    click: Callable[[int, int], Awaitable[None]],
    landed: Callable[[], Awaitable[Point | None]],
) -> None:
    """Click each target and ask where it was felt; raises DeviceSetup when one misses or never arrives."""
    for x, y in targets:
        await click(x, y)
        felt = await landed()
        if felt is None:
            raise DeviceSetup(
                f"A test click at ({x}, {y}) did not arrive: unlock the screen, or close what holds the pointer."
            )
        off = max(abs(felt[0] - x), abs(felt[1] - y))
        if off > TOLERANCE_PX:
            raise DeviceSetup(
                f"A test click at ({x}, {y}) landed at {felt}, {off} px off: set its scaling or zoom to 100 %."
            )
