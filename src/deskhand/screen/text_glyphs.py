"""Single letters and digits that the text detector passes over: the keys of a calculator, badges, thin characters.

Finds ink that stands alone on plain ground, or beside a line that was found; reading it is left to the reader.
"""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from deskhand.types import Rect

Pixels = NDArray[np.uint8]

_CONTRAST = 56
# Sizes of a glyph in pixels; below is dust, above is a picture.
_LEAST, _MOST = 6, 84
_WIDEST = 4
# Ink closer than this share of its height belongs to the same word.
_BESIDE = 0.25

_cv: Any = cv2  # opencv's stubs know neither keyword defaults nor array types well enough for strict checking


def stray_glyphs(picture: Pixels, lines: list[Rect]) -> list[Rect]:
    """Boxes around ink that no line covers and that has the size of writing."""
    grey: Pixels = _cv.cvtColor(picture, _cv.COLOR_BGR2GRAY)
    ground: Pixels = _cv.blur(grey, (81, 81))
    mask: Pixels = (_cv.absdiff(grey, ground) > _CONTRAST).astype(np.uint8)
    for box in lines:
        mask[box.top : box.bottom, box.left : box.right] = 0
    # Strokes of one character don't always touch: ÷ and = are two or three pieces.
    joined: Pixels = _cv.dilate(mask, np.ones((13, 5), np.uint8))
    _, _, stats, _ = _cv.connectedComponentsWithStats(joined)
    boxes = [Rect(int(x) + 2, int(y) + 6, int(x + w) - 2, int(y + h) - 6) for x, y, w, h, _ in stats[1:]]
    return [box for box in boxes if _like_writing(mask, box)]


def _like_writing(mask: Pixels, box: Rect) -> bool:
    if not (_LEAST <= max(box.width, box.height) <= _MOST) or box.width > _WIDEST * max(box.height, 12):
        return False
    filled = float(mask[box.top : box.bottom, box.left : box.right].mean())
    return 0.08 < filled < 0.95


def attached(lines: list[Rect], glyphs: list[Rect]) -> tuple[list[Rect], list[Rect]]:
    """Glyphs and short lines beside a line become part of it; returns the lines, and the glyphs that stand alone."""
    grown: list[Rect] = []
    for line in sorted(lines, key=lambda box: -box.width):
        if not _grow(grown, line):
            grown.append(line)
    alone = [glyph for glyph in glyphs if not _grow(grown, glyph)]
    return grown, alone


def _grow(lines: list[Rect], piece: Rect) -> bool:
    for number, line in enumerate(lines):
        if _beside(line, piece):
            lines[number] = Rect(min(line.left, piece.left), line.top, max(line.right, piece.right), line.bottom)
            return True
    return False


def _beside(line: Rect, piece: Rect) -> bool:
    gap = max(piece.left - line.right, line.left - piece.right)
    inside = line.top <= piece.center[1] <= line.bottom and piece.height <= 1.1 * line.height
    return inside and piece.width <= 1.5 * line.height and gap <= _BESIDE * line.height


def padded(box: Rect, picture: Pixels) -> Rect:
    """Room around a glyph, which the reader was trained with."""
    height, width = picture.shape[:2]
    room = max(6, max(box.width, box.height) // 4)
    return Rect(box.left - room, box.top - room, box.right + room, box.bottom + room).intersect(
        Rect(0, 0, width, height)
    )
