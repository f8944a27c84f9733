"""Pictures with parts that nobody may see painted over. What has to be covered is decided by others."""

from collections.abc import Iterable

import numpy as np

from deskhand.core.geometry import Rect
from deskhand.core.screen import Frame

# Letters reach a little beyond the box that is reported for them.
MARGIN = 4
_COLOUR = 96


def covered(frame: Frame, boxes: Iterable[Rect]) -> Frame:
    """The same picture with these boxes painted over; the frame itself when none of them lies on it."""
    whole = Rect(0, 0, frame.width, frame.height)
    grown = (Rect(b.left - MARGIN, b.top - MARGIN, b.right + MARGIN, b.bottom + MARGIN) for b in boxes if b.area)
    inside = [box for box in (each.intersect(whole) for each in grown) if box.area]
    if not inside:
        return frame
    pixels = frame.pixels.copy()
    for box in inside:
        pixels[box.top : box.bottom, box.left : box.right, :3] = _COLOUR
    return _finished(frame, pixels)


def blank(frame: Frame) -> Frame:
    """A picture of the same size that shows nothing."""
    pixels = np.full_like(frame.pixels, _COLOUR)
    pixels[..., 3] = frame.pixels[0, 0, 3]
    return _finished(frame, pixels)


def _finished(frame: Frame, pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Frame:
    pixels.flags.writeable = False
    return Frame(pixels, frame.order, frame.at, frame.secure)
