"""Small frames for the tests of this room."""

import numpy as np

from deskhand.core.screen import Frame


def noise(width: int = 200, height: int = 120, seed: int = 1) -> Frame:
    pixels = np.random.default_rng(seed).integers(0, 255, (height, width, 4), np.uint8)
    pixels[..., 3] = 255
    return Frame(pixels)


def plain(width: int = 200, height: int = 120, shade: int = 240) -> Frame:
    pixels = np.full((height, width, 4), shade, np.uint8)
    pixels[..., 3] = 255
    return Frame(pixels)


def painted(frame: Frame, left: int, top: int, right: int, bottom: int, shade: int = 7, at: float = 0.0) -> Frame:
    pixels = frame.pixels.copy()
    pixels[top:bottom, left:right, :3] = shade
    return Frame(pixels, frame.order, at)
