"""Puts windows, bars and a toast together into two display lists: what transitions move, and what lies over it."""

from __future__ import annotations

from collections.abc import Sequence

from deskhand.simphone.render.bars import Bars, draw_pill, draw_status_bar, draw_toast
from deskhand.simphone.render.display_list import DrawingMoment, list_ops
from deskhand.simphone.render.painter import Op, RectOp, WallpaperOp
from deskhand.simphone.ui.nodes import Box, Colour
from deskhand.simphone.ui.touch import Window

BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)
DARK_INK: Colour = (40, 43, 48)


def compose_screen(
    windows: Sequence[Window],
    moment: DrawingMoment,
    bars: Bars,
    size: tuple[int, int],
    *,
    wallpaper: bool,
    locked: bool,
) -> tuple[tuple[Op, ...], tuple[Op, ...]]:
    screen = Box(0, 0, *size)
    content: list[Op] = []
    over: list[Op] = []
    sunk = _measure_drop(windows, moment)
    for i, window in enumerate(windows):
        own = i == 0 or window.package == windows[0].package
        ops = content if own and window.focusable else over
        if window.secure:
            ops.append(RectOp(screen, screen, BLACK))
            continue
        papered = wallpaper if i == 0 else locked and window is windows[-1]
        if papered:
            ops.append(WallpaperOp(screen, screen, "dusk"))
        elif i == 0:
            ops.append(RectOp(screen, screen, window.root.fill or BLACK))
        drawn = list_ops(window.root, moment, screen)
        ops.extend(drawn if window.focusable else _lower_ops(drawn, sunk, screen))
    behind = windows[0].root.fill or BLACK
    dark = locked or wallpaper or windows[0].secure or sum(behind) < 3 * 128
    ink = WHITE if dark else DARK_INK
    over.extend(draw_status_bar(size, bars, ink))
    over.extend(draw_pill(size, ink))
    if bars.toast:
        over.extend(draw_toast(size, bars.toast))
    return tuple(content), tuple(over)


def _measure_drop(windows: Sequence[Window], moment: DrawingMoment) -> int:
    """Return how far below its place the keyboard still is on its way up."""
    panel = next((window.root.box for window in windows if not window.focusable), None)
    risen = moment.tween("keyboard", 0.0 if panel is None else 1.0)
    return 0 if panel is None else round((1.0 - risen) * panel.height)


def _lower_ops(ops: list[Op], by: int, screen: Box) -> list[Op]:
    if by == 0:
        return ops
    return [op._replace(box=_lower_box(op.box, by), clip=_lower_box(op.clip, by).intersect_with(screen)) for op in ops]


def _lower_box(box: Box, by: int) -> Box:
    return Box(box.x1, box.y1 + by, box.x2, box.y2 + by)
