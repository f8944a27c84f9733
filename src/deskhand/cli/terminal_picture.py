"""A picture in the terminal: two pixels a character cell, in true colour."""

from io import BytesIO

import numpy as np
from PIL import Image
from rich.color import Color
from rich.style import Style
from rich.text import Text


def draw_half_blocks(jpeg: bytes, columns: int, lines: int) -> Text:
    """The picture, as large as fits. The upper half block's ink is one pixel, its paper the one below."""
    with Image.open(BytesIO(jpeg)) as image:
        scale = min(columns / image.width, 2 * lines / image.height)
        width, height = max(1, round(image.width * scale)), max(2, round(image.height * scale) // 2 * 2)
        pixels = np.asarray(image.convert("RGB").resize((width, height), Image.Resampling.BOX)).tolist()
    text = Text(no_wrap=True)
    for upper, lower in zip(pixels[::2], pixels[1::2], strict=True):
        for ink, paper in zip(upper, lower, strict=True):
            text.append("▀", Style(color=Color.from_rgb(*ink), bgcolor=Color.from_rgb(*paper)))
        text.append("\n")
    return text
