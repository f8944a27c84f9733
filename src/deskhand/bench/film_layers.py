"""Layers of films: pages, transitions, and things that move on their own, drawn with numpy for any moment."""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deskhand.core.geometry import Rect

WIDTH, HEIGHT = 540, 1080
LEAD = 4.0
END = 7.0
FAST = 1 / 60

Canvas = NDArray[np.uint8]
Draw = Callable[[Canvas, float], None]


@dataclass(frozen=True)
class FilmLayer:
    """A drawing over the layers below it; `times` are the moments at which it changes."""

    draw: Draw
    times: tuple[float, ...] = ()
    caused: bool = True


def _choose_colour(rng: np.random.Generator, low: int, high: int) -> tuple[int, int, int, int]:
    r, g, b = (int(v) for v in rng.integers(low, high, 3))
    return r, g, b, 255


def draw_blank(shade: int = 246) -> Canvas:
    canvas = np.full((HEIGHT, WIDTH, 4), shade, np.uint8)
    canvas[..., 3] = 255
    return canvas


def draw_rows(rng: np.random.Generator, count: int) -> list[tuple[int, Canvas]]:
    """Return the rows of a page, each with its top: a picture and some lines that look like text."""
    rows: list[tuple[int, Canvas]] = []
    height = (HEIGHT - 130) // 8
    for number in range(count):
        row = np.full((height, WIDTH, 4), 246, np.uint8)
        row[..., 3] = 255
        row[20 : height - 20, 20 : height - 20, :3] = rng.integers(0, 255, (height - 40, height - 40, 3), np.uint8)
        for line in range(3):
            glyphs = rng.random(WIDTH) < 0.6
            glyphs[: height + 5] = False
            glyphs[int(rng.integers(WIDTH // 2, WIDTH - 20)) :] = False
            row[22 + line * 28 : 36 + line * 28, glyphs, :3] = 40
        rows.append((130 + number * height, row))
    return rows


def draw_page(rng: np.random.Generator, rows: int = 8) -> Canvas:
    canvas = draw_blank()
    canvas[40:120] = _choose_colour(rng, 40, 200)
    canvas[66:94, 40:180:3, :3] = 255
    for top, row in draw_rows(rng, rows):
        canvas[top : top + row.shape[0]] = row
    return canvas


def draw_any_page(rng: np.random.Generator) -> Canvas:
    """Return a page, mostly a full one; one in five has little on it and is complete all the same."""
    return draw_page(rng, 8 if rng.random() < 0.8 else int(rng.integers(1, 4)))


def make_cut(before: Canvas, after: Canvas, at: float) -> FilmLayer:
    def draw_frame(canvas: Canvas, t: float) -> None:
        canvas[:] = after if t >= at else before

    return FilmLayer(draw_frame, (at,))


def make_still(picture: Canvas) -> FilmLayer:
    def draw_frame(canvas: Canvas, t: float) -> None:
        canvas[:] = picture

    return FilmLayer(draw_frame)


def _list_ticks(start: float, end: float, step: float = FAST) -> tuple[float, ...]:
    return (*(float(t) for t in np.arange(start, end, step)), end)


def _ease_out(t: float, start: float, end: float) -> float:
    share = min(1.0, max(0.0, (t - start) / (end - start)))
    return 1 - (1 - share) ** 3


def make_fade(before: Canvas, after: Canvas, start: float, end: float) -> FilmLayer:
    def draw_frame(canvas: Canvas, t: float) -> None:
        share = round(256 * min(1.0, max(0.0, (t - start) / (end - start))))
        canvas[:] = (before.astype(np.uint16) * (256 - share) + after.astype(np.uint16) * share) >> 8
        canvas[..., 3] = 255

    return FilmLayer(draw_frame, _list_ticks(start, end))


def make_slide(before: Canvas, after: Canvas, start: float, end: float) -> FilmLayer:
    def draw_frame(canvas: Canvas, t: float) -> None:
        offset = round(WIDTH * (1 - _ease_out(t, start, end)))
        canvas[:] = before
        canvas[:, offset:] = after[:, : WIDTH - offset]

    moments = _list_ticks(start, end)
    offsets = [round(WIDTH * (1 - _ease_out(t, start, end))) for t in moments]
    moved = [t for t, here, last in zip(moments[1:], offsets[1:], offsets, strict=False) if here != last]
    return FilmLayer(draw_frame, tuple(moved))


def make_scroll(rng: np.random.Generator, start: float, end: float, distance: int) -> FilmLayer:
    long = np.concatenate([draw_page(rng), draw_page(rng)[120:]])

    def offset_at(t: float) -> int:
        return round(distance * _ease_out(t, start, end))

    def draw_frame(canvas: Canvas, t: float) -> None:
        canvas[:120] = long[:120]
        canvas[120:] = long[120 + offset_at(t) : HEIGHT + offset_at(t)]

    moments = _list_ticks(start, end)
    moved = [t for t, last in zip(moments[1:], moments, strict=False) if offset_at(t) != offset_at(last)]
    return FilmLayer(draw_frame, tuple(moved))


def make_spinner(x: int, y: int, radius: int, start: float, end: float, step: float, caused: bool) -> FilmLayer:
    rows, columns = np.mgrid[-radius : radius + 1, -radius : radius + 1]
    ring = (np.hypot(rows, columns) <= radius) & (np.hypot(rows, columns) >= radius * 0.6)
    angle = (np.arctan2(rows, columns) / (2 * np.pi)) % 1.0

    def draw_frame(canvas: Canvas, t: float) -> None:
        if start <= t < end:
            lit = ring & (((angle - t) % 1.0) < 0.3)
            canvas[y - radius : y + radius + 1, x - radius : x + radius + 1, :3][lit] = (40, 90, 220)

    return FilmLayer(draw_frame, _list_ticks(start, min(end, END), step), caused)


def make_caret(x: int, y: int, phase: float, start: float = -LEAD) -> FilmLayer:
    times = tuple(float(t) for t in np.arange(-LEAD + phase, END, 0.53))

    def draw_frame(canvas: Canvas, t: float) -> None:
        if t >= start and bisect_right(times, t) % 2:
            canvas[y : y + 26, x : x + 2, :3] = 0

    return FilmLayer(draw_frame, tuple(t for t in times if t >= start), caused=False)


def make_clock(rng: np.random.Generator, x: int, y: int, seconds: float, phase: float) -> FilmLayer:
    digits = rng.random((64, 18, 30)) < 0.5
    times = tuple(float(t) for t in np.arange(-LEAD + phase, END, seconds))

    def draw_frame(canvas: Canvas, t: float) -> None:
        glyph = digits[bisect_right(times, t) % 64]
        canvas[y : y + 18, x : x + 30, :3] = np.where(glyph, 20, 240)[..., None]

    return FilmLayer(draw_frame, times, caused=False)


def make_video(rng: np.random.Generator, box: Rect, rate: float = 25.0) -> FilmLayer:
    pictures = rng.integers(0, 255, (16, box.height // 10, box.width // 10, 3), np.uint8)

    def draw_frame(canvas: Canvas, t: float) -> None:
        small = pictures[int((t + LEAD) * rate) % 16]
        canvas[box.top : box.bottom, box.left : box.right, :3] = small.repeat(10, 0).repeat(10, 1)

    return FilmLayer(draw_frame, _list_ticks(-LEAD, END, 1 / rate), caused=False)


def make_patch(picture: Canvas, x: int, y: int, start: float, end: float = END + 1) -> FilmLayer:
    """Return a layer that shows a small picture from start to end."""

    def draw_frame(canvas: Canvas, t: float) -> None:
        if start <= t < end:
            canvas[y : y + picture.shape[0], x : x + picture.shape[1]] = picture

    return FilmLayer(draw_frame, tuple(t for t in (start, end) if t <= END))


def draw_letter(rng: np.random.Generator) -> Canvas:
    glyph = np.full((18, 9, 4), 255, np.uint8)
    glyph[..., :3] = np.where(rng.random((18, 9)) < 0.4, 20, 250)[..., None]
    return glyph


def make_cut_to(after: Canvas, at: float) -> FilmLayer:
    """Return a layer whose page covers the layers below from `at` on."""

    def draw_frame(canvas: Canvas, t: float) -> None:
        if t >= at:
            canvas[:] = after

    return FilmLayer(draw_frame, (at,))


def make_rising_panel(picture: Canvas, start: float, end: float) -> FilmLayer:
    """Return a panel that rises from the bottom edge."""
    height = picture.shape[0]

    def height_at(t: float) -> int:
        return round(height * _ease_out(t, start, end))

    def draw_frame(canvas: Canvas, t: float) -> None:
        if height_at(t):
            canvas[HEIGHT - height_at(t) :] = picture[: height_at(t)]

    moments = _list_ticks(start, end)
    return FilmLayer(
        draw_frame, tuple(t for t, last in zip(moments[1:], moments, strict=False) if height_at(t) != height_at(last))
    )


def make_shimmer(start: float, end: float) -> FilmLayer:
    """Return grey placeholders with a light that runs over them."""
    across = np.arange(WIDTH) / WIDTH

    def draw_frame(canvas: Canvas, t: float) -> None:
        if start <= t < end:
            light = (220 + 20 * np.exp(-(((across - (t * 1.2) % 1.4) * 6) ** 2))).astype(np.uint8)
            for top in range(150, HEIGHT - 100, 118):
                canvas[top : top + 80, 20 : WIDTH - 20, :3] = light[20 : WIDTH - 20, None]

    return FilmLayer(draw_frame, _list_ticks(start, end))


def make_growing_bar(y: int, start: float, end: float, step: float) -> FilmLayer:
    def draw_frame(canvas: Canvas, t: float) -> None:
        if start <= t < end:
            canvas[y : y + 5, : int(WIDTH * (t - start) / (end - start)), :3] = (30, 120, 240)

    return FilmLayer(draw_frame, _list_ticks(start, end, step))


def make_fade_from(before: Canvas, after: Canvas, start: float, end: float) -> FilmLayer:
    """Return a fade that shows the layers below until it starts."""
    over = make_fade(before, after, start, end)

    def draw_frame(canvas: Canvas, t: float) -> None:
        if t >= start:
            over.draw(canvas, t)

    return FilmLayer(draw_frame, over.times)
