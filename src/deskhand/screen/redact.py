"""Paints over the parts of a picture that nobody may see. Leaves the choice of parts to others."""

from collections.abc import Iterable

import numpy as np

from deskhand.core.geometry import Rect
from deskhand.core.screen import Frame
from deskhand.screen.frame import freeze_frame

# Letters reach a little beyond their reported box.
MARGIN = 4
_COLOUR = 96


def cover_boxes(frame: Frame, boxes: Iterable[Rect]) -> Frame:
    """Return the picture with these boxes painted over; the frame itself if none of them lies on it."""
    grown = (box.grow_by(MARGIN).intersect_with(frame.bounds) for box in boxes if box.area)
    inside = [box for box in grown if box.area]
    if not inside:
        return frame
    pixels = frame.pixels.copy()
    for box in inside:
        pixels[box.top : box.bottom, box.left : box.right, :3] = _COLOUR
    return freeze_frame(pixels, frame.order, frame.at, frame.secure)


def make_blank(frame: Frame) -> Frame:
    """Return an empty picture of the same size."""
    pixels = np.full_like(frame.pixels, _COLOUR)
    pixels[..., 3] = frame.pixels[0, 0, 3]
    return freeze_frame(pixels, frame.order, frame.at, frame.secure)
