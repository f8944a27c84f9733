"""Finds single letters and digits that the text detector misses, such as the keys of a calculator.

Finds isolated ink on a plain background; leaves reading it to the reader.
"""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from deskhand.core.geometry import Rect

Pixels = NDArray[np.uint8]

_CONTRAST = 56
# Sizes of a glyph in pixels; smaller is noise, larger is a picture.
_LEAST, _MOST = 6, 84
_WIDEST = 4
# A solid bar or dot this thin may be a minus or a full stop; a thicker one is a box.
_THIN = 14

_cv: Any = cv2  # opencv's stubs lack keyword defaults and array types that strict checking needs


def find_stray_glyphs(picture: Pixels, lines: list[Rect]) -> list[Rect]:
    """Return boxes around ink that no line covers and that has the size of a character."""
    grey: Pixels = _cv.cvtColor(picture, _cv.COLOR_BGR2GRAY)
    ground: Pixels = _cv.blur(grey, (81, 81))
    mask: Pixels = (_cv.absdiff(grey, ground) > _CONTRAST).astype(np.uint8)
    for box in lines:
        mask[box.top : box.bottom, box.left : box.right] = 0
    # Strokes of one character don't always touch: ÷ and = are two or three pieces.
    joined: Pixels = _cv.dilate(mask, np.ones((13, 5), np.uint8))
    _, _, stats, _ = _cv.connectedComponentsWithStats(joined)
    boxes = [Rect(int(x) + 2, int(y) + 6, int(x + w) - 2, int(y + h) - 6) for x, y, w, h, _ in stats[1:]]
    return [box for box in boxes if _looks_written(mask, box)]


def _looks_written(mask: Pixels, box: Rect) -> bool:
    if not box.area:  # cut by the picture's edge
        return False
    if not (_LEAST <= max(box.width, box.height) <= _MOST) or box.width > _WIDEST * max(box.height, 12):
        return False
    filled = float(mask[box.top : box.bottom, box.left : box.right].mean())
    return filled > 0.08 and (filled < 0.95 or min(box.width, box.height) < _THIN)


def pad_glyph(box: Rect, picture: Pixels) -> Rect:
    """Return the glyph's box with the margin that the reader was trained with."""
    height, width = picture.shape[:2]
    room = max(6, max(box.width, box.height) // 4)
    return box.grow_by(room).intersect_with(Rect(0, 0, width, height))


def read_sign(picture: Pixels, glyph: Rect) -> str:
    """Read signs that have no shape a reader could recognise: a bar is a minus and a dot is a full stop.

    Valid only among other single signs: on the keys of a calculator, not on a page, where they are decoration.
    """
    edge_x, edge_y = glyph.width // 4, glyph.height // 4  # round ends are blurred
    core = picture[glyph.top + edge_y : glyph.bottom - edge_y, glyph.left + edge_x : glyph.right - edge_x].mean(axis=2)
    if glyph.height >= _THIN or not core.size or float(np.ptp(core)) > _CONTRAST:
        return ""
    if glyph.width >= 3 * glyph.height:
        return "-"
    return "." if glyph.width <= 1.5 * glyph.height else ""
