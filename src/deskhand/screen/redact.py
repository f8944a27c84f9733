"""Pictures with parts that nobody may see painted over. What has to be covered is decided by others."""

from collections.abc import Iterable

import numpy as np

from deskhand.core.geometry import Rect
from deskhand.core.screen import Frame
from deskhand.screen.frame import freeze_frame

# Letters reach a little beyond the box that is reported for them.
MARGIN = 4
_COLOUR = 96


def cover_boxes(frame: Frame, boxes: Iterable[Rect]) -> Frame:
    """The same picture with these boxes painted over; the frame itself when none of them lies on it."""
    grown = (box.grow_by(MARGIN).intersect_with(frame.bounds) for box in boxes if box.area)
    inside = [box for box in grown if box.area]
    if not inside:
        return frame
    pixels = frame.pixels.copy()
    for box in inside:
        pixels[box.top : box.bottom, box.left : box.right, :3] = _COLOUR
    return freeze_frame(pixels, frame.order, frame.at, frame.secure)


def make_blank(frame: Frame) -> Frame:
    """A picture of the same size that shows nothing."""
    pixels = np.full_like(frame.pixels, _COLOUR)
    pixels[..., 3] = frame.pixels[0, 0, 3]
    return freeze_frame(pixels, frame.order, frame.at, frame.secure)
