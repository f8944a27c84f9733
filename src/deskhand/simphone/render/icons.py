"""Draws the icons of `icons.txt` as anti-aliased masks of any size."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from PIL import Image, ImageDraw

GRID = 96
SCALE = 3  # drawn finer than the grid, then scaled down
STROKE_WIDTH = 8.0
ICON_FILE = Path(__file__).parent / "icons.txt"


@cache
def read_icons() -> dict[str, str]:
    """Return the strokes of each icon by its name."""
    lines = ICON_FILE.read_text(encoding="utf-8").splitlines()
    split = (line.partition(":") for line in lines if not line.startswith("#"))
    return {name: strokes for name, _, strokes in split}


@lru_cache(maxsize=512)
def icon_mask(name: str, size: int) -> Image.Image:
    image = Image.new("L", (GRID * SCALE, GRID * SCALE), 0)
    draw = ImageDraw.Draw(image)
    for stroke in read_icons()[name].split(";"):
        _draw_stroke(draw, *stroke.split())
    return image.resize((size, size), Image.Resampling.BOX if size >= GRID else Image.Resampling.LANCZOS)


def _draw_stroke(draw: ImageDraw.ImageDraw, kind: str, *words: str) -> None:
    fill = 0 if "cut" in words else 255
    width = next((float(word[1:]) for word in words if word[0] == "w"), STROKE_WIDTH)
    numbers = [float(word) for word in words if word[0] not in "wc"]
    thick = round(width * SCALE)
    match kind, [number * SCALE for number in numbers]:
        case "line", points:
            draw.line(points, fill=fill, width=thick, joint="curve")
            for x, y in zip(numbers[::2], numbers[1::2], strict=True):
                draw.ellipse(_circle_box(x, y, width / 2), fill=fill)
        case "shape", points:
            draw.polygon(points, fill=fill)
        case "disc", _:
            draw.ellipse(_circle_box(*numbers), fill=fill)
        case "ring", _:
            draw.ellipse(_circle_box(*numbers), outline=fill, width=thick)
        case "arc", _:
            x, y, radius, start, end = numbers
            draw.arc(_circle_box(x, y, radius), start, end, fill=fill, width=thick)
        case "box", [*corners, radius]:
            draw.rounded_rectangle(corners, radius, fill=fill)
        case "frame", [*corners, radius]:
            draw.rounded_rectangle(corners, radius, outline=fill, width=thick)
        case _:
            raise ValueError(f"no such stroke: {kind}")


def _circle_box(x: float, y: float, radius: float) -> list[float]:
    return [(x - radius) * SCALE, (y - radius) * SCALE, (x + radius) * SCALE, (y + radius) * SCALE]
