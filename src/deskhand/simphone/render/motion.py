"""Transitions between screens: the picture in the middle of a transition."""

from __future__ import annotations

from typing import Literal

from PIL import Image

Motion = Literal["open", "close", "forward", "backward", "fade"]
DURATIONS: dict[Motion, float] = {"open": 0.30, "close": 0.26, "forward": 0.28, "backward": 0.28, "fade": 0.20}


def ease_out(progress: float) -> float:
    """Map linear progress to a fast start and a soft landing."""
    rest = 1.0 - min(max(progress, 0.0), 1.0)
    return 1.0 - rest * rest * rest


def draw_between(motion: Motion, before: Image.Image, after: Image.Image, progress: float) -> Image.Image:
    if before.size != after.size:
        return after.copy()
    p = ease_out(progress)
    if motion == "open":
        return _draw_zoom(after, before, 0.80 + 0.20 * p, p)
    if motion == "close":
        return _draw_zoom(before, after, 1.0 - 0.20 * p, 1.0 - p)
    if motion == "forward":
        return _draw_slide(before, after, p)
    if motion == "backward":
        return _draw_slide(after, before, 1.0 - p)
    return Image.blend(before, after, p)


def _draw_zoom(front: Image.Image, behind: Image.Image, scale: float, opacity: float) -> Image.Image:
    width, height = front.size
    w, h = max(round(width * scale), 1), max(round(height * scale), 1)
    small = front.resize((w, h), Image.Resampling.NEAREST) if (w, h) != (width, height) else front
    x, y = (width - w) // 2, (height - h) // 2
    frame = behind.copy()
    frame.paste(small, (x, y), Image.new("L", (w, h), round(255 * opacity)))
    return frame


def _draw_slide(under: Image.Image, over: Image.Image, p: float) -> Image.Image:
    """Draw `over` coming in from the right while `under` drifts a third to the left."""
    width, height = under.size
    frame = Image.new("RGBA", under.size, (0, 0, 0, 255))
    drift = round(width * 0.3 * p)
    frame.paste(under.crop((drift, 0, width, height)), (0, 0))
    edge = round(width * (1.0 - p))
    frame.paste(over.crop((0, 0, width - edge, height)), (edge, 0))
    return frame
