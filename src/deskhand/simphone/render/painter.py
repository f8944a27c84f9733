"""Paints a display list (rectangles, text, icons) onto an image, and repaints only what changed since the last one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from PIL import Image, ImageDraw

from deskhand.simphone.render.icons import icon_mask
from deskhand.simphone.ui.font import draw_glyphs, line_height, text_width
from deskhand.simphone.ui.nodes import Box, Colour

# When more than this share of the screen changed, painting all of it is cheaper than copying and patching.
MOST_OF_IT = 0.6


class RectOp(NamedTuple):
    box: Box
    clip: Box
    colour: Colour
    radius: int = 0
    alpha: int = 255


class TextOp(NamedTuple):
    box: Box
    clip: Box
    colour: Colour
    text: str
    size: int
    bold: bool = False


class IconOp(NamedTuple):
    box: Box
    clip: Box
    colour: Colour
    icon: str


class WallpaperOp(NamedTuple):
    box: Box
    clip: Box
    name: str


Op = RectOp | TextOp | IconOp | WallpaperOp


def text_op(x: int, y: int, text: str, size: int, colour: Colour, clip: Box, *, bold: bool = False) -> TextOp:
    width = text_width(text, size, bold=bold) + 4
    return TextOp(Box(x, y, x + width, y + line_height(size)), clip, colour, text, size, bold)


@lru_cache(maxsize=64)
def _draw_corner(radius: int) -> Image.Image:
    """Draw the top-left quarter of a disc, anti-aliased by drawing it four times as large."""
    big = Image.new("L", (radius * 4, radius * 4), 0)
    ImageDraw.Draw(big).ellipse((0, 0, radius * 8 - 1, radius * 8 - 1), fill=255)
    return big.resize((radius, radius), Image.Resampling.BOX)


@lru_cache(maxsize=256)
def _draw_corners(radius: int, alpha: int) -> tuple[Image.Image, ...]:
    corner = _draw_corner(radius)
    if alpha < 255:
        corner = corner.point([v * alpha // 255 for v in range(256)])
    flip = Image.Transpose
    return (
        corner,
        corner.transpose(flip.FLIP_LEFT_RIGHT),
        corner.transpose(flip.FLIP_TOP_BOTTOM),
        corner.transpose(flip.ROTATE_180),
    )


@lru_cache(maxsize=4)
def draw_wallpaper(width: int, height: int) -> Image.Image:
    """Draw a calm dusk gradient with two hills."""
    top, middle, low = (36, 58, 118), (112, 112, 176), (238, 176, 148)
    strip = Image.new("RGB", (1, height))
    for y in range(height):
        f = y / height
        a, b, g = (top, middle, f / 0.6) if f < 0.6 else (middle, low, (f - 0.6) / 0.4)
        strip.putpixel((0, y), tuple(round(a[i] + (b[i] - a[i]) * g) for i in range(3)))
    image = strip.resize((width, height))
    for left, high, right, low, colour in ((-0.5, 0.80, 0.9, 1.4, (72, 74, 128)), (0.2, 0.86, 1.8, 1.5, (48, 52, 98))):
        hill = Image.new("L", (width * 2, height // 2), 0)
        where = [left * width * 2, (high - 0.75) * height * 2, right * width * 2, (low - 0.75) * height * 2]
        ImageDraw.Draw(hill).ellipse(where, fill=255)
        image.paste(colour, (0, height - height // 4), hill.resize((width, height // 4), Image.Resampling.BOX))
    return image.convert("RGBA")


class _Brush:
    """Draws ops onto one image whose top-left corner lies at (x0, y0) of the screen."""

    def __init__(self, image: Image.Image, area: Box) -> None:
        self.image = image
        self.area = area

    def draw_op(self, op: Op) -> None:
        clip = op.clip.intersect_with(self.area)
        if op.box.intersect_with(clip).is_empty:
            return
        if isinstance(op, RectOp):
            self._paint_rect(op, clip)
        elif isinstance(op, TextOp):
            self._paint_mask(draw_glyphs(op.text, op.size, bold=op.bold), op.box.x1, op.box.y1, op.colour, clip)
        elif isinstance(op, IconOp):
            self._paint_mask(icon_mask(op.icon, op.box.width), op.box.x1, op.box.y1, op.colour, clip)
        else:
            part = op.box.intersect_with(clip)
            paper = draw_wallpaper(op.box.width, op.box.height)
            piece = paper.crop((part.x1 - op.box.x1, part.y1 - op.box.y1, part.x2 - op.box.x1, part.y2 - op.box.y1))
            self.image.paste(piece, (part.x1 - self.area.x1, part.y1 - self.area.y1))

    def _paint_mask(self, mask: Image.Image, x: int, y: int, colour: Colour, clip: Box) -> None:
        part = Box(x, y, x + mask.width, y + mask.height).intersect_with(clip)
        if part.is_empty:
            return
        if part.width != mask.width or part.height != mask.height:
            mask = mask.crop((part.x1 - x, part.y1 - y, part.x2 - x, part.y2 - y))
        self.image.paste((*colour, 255), (part.x1 - self.area.x1, part.y1 - self.area.y1), mask)

    def _paint_plain(self, box: Box, op: RectOp, clip: Box) -> None:
        part = box.intersect_with(clip)
        if part.is_empty:
            return
        x0, y0 = self.area.x1, self.area.y1
        where = (part.x1 - x0, part.y1 - y0, part.x2 - x0, part.y2 - y0)
        if op.alpha == 255:
            self.image.paste((*op.colour, 255), where)
        else:
            self.image.paste((*op.colour, 255), where, Image.new("L", (part.width, part.height), op.alpha))

    def _paint_rect(self, op: RectOp, clip: Box) -> None:
        box = op.box
        r = min(op.radius, box.width // 2, box.height // 2)
        if r <= 0:
            self._paint_plain(box, op, clip)
            return
        self._paint_plain(Box(box.x1 + r, box.y1, box.x2 - r, box.y2), op, clip)
        self._paint_plain(Box(box.x1, box.y1 + r, box.x1 + r, box.y2 - r), op, clip)
        self._paint_plain(Box(box.x2 - r, box.y1 + r, box.x2, box.y2 - r), op, clip)
        left_top, right_top, left_low, right_low = _draw_corners(r, op.alpha)
        self._paint_mask(left_top, box.x1, box.y1, op.colour, clip)
        self._paint_mask(right_top, box.x2 - r, box.y1, op.colour, clip)
        self._paint_mask(left_low, box.x1, box.y2 - r, op.colour, clip)
        self._paint_mask(right_low, box.x2 - r, box.y2 - r, op.colour, clip)


def paint_ops(ops: Sequence[Op], area: Box) -> Image.Image:
    image = Image.new("RGBA", (area.width, area.height), (0, 0, 0, 255))
    brush = _Brush(image, area)
    for op in ops:
        brush.draw_op(op)
    return image


def paint_over(image: Image.Image, ops: Sequence[Op]) -> None:
    brush = _Brush(image, Box(0, 0, image.width, image.height))
    for op in ops:
        brush.draw_op(op)


def find_damage(old: Sequence[Op], new: Sequence[Op]) -> list[Box] | None:
    """Return the areas in which two display lists differ; None if they differ so much that all is to be painted."""
    before, after = Counter(old), Counter(new)
    gone, come = before - after, after - before
    if not gone and not come and list(old) == list(new):
        return []
    if len(gone) + len(come) > 200:
        return None
    if [op for op in old if op not in gone] != [op for op in new if op not in come]:
        return None
    areas: list[Box] = []
    for op in [*gone, *come]:
        area = op.box.intersect_with(op.clip)
        if area.is_empty:
            continue
        touching = [a for a in areas if not a.intersect_with(area).is_empty]
        for other in touching:
            areas.remove(other)
            area = area.join_with(other)
        areas.append(area)
    return areas


class PaintedCanvas:
    """Keeps the last painted picture so that a small change costs a small repaint."""

    def __init__(self) -> None:
        self._ops: tuple[Op, ...] = ()
        self._image: Image.Image | None = None

    def picture_of(self, ops: tuple[Op, ...]) -> Image.Image | None:
        """Return the last picture if it shows this list."""
        return self._image if ops == self._ops else None

    def show_ops(self, ops: tuple[Op, ...], size: tuple[int, int]) -> Image.Image:
        """Return a picture of the list. Pictures handed out are never painted on again."""
        screen = Box(0, 0, *size)
        last = self._image
        if last is not None and last.size == size:
            areas = find_damage(self._ops, ops)
            if areas is not None and sum(a.width * a.height for a in areas) < MOST_OF_IT * size[0] * size[1]:
                if areas:
                    last = last.copy()
                    for area in areas:
                        area = area.intersect_with(screen)
                        if not area.is_empty:
                            last.paste(paint_ops(ops, area), (area.x1, area.y1))
                self._ops, self._image = ops, last
                return last
        self._ops, self._image = ops, paint_ops(ops, screen)
        return self._image
