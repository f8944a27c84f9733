"""The self-test at attach: a click has to land where it was aimed. How targets are drawn and felt is the device's."""

from collections.abc import Awaitable, Callable, Iterable

from deskhand.core.errors import DeviceSetup

# A finger-wide miss is a wrong button; two pixels are rounding.
TOLERANCE_PX = 2

Point = tuple[int, int]


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
