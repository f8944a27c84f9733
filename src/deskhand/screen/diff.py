"""Compares two frames: share of changed pixels, changed tiles, changed regions. Leaves their meaning to others."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from deskhand.core.geometry import Rect, enclose_boxes
from deskhand.core.screen import Change, Frame
from deskhand.screen.frame import as_words, crop_frame

TILE = 40

Tiles = NDArray[np.bool_]
# Pixels compared at a time: few enough that the scratch space stays in the cache. A whole-frame
# temporary would cost more than the comparison.
_CHUNK = 1 << 17
# The same, in rows of tiles.
_BAND = 5
# Two vertical lines through a tile, or a box inside it, make this many colour changes.
_EDGES = 2 * TILE


def measure_change(a: Frame, b: Frame) -> float:
    """Return the share of pixels that differ; 1.0 if the sizes differ."""
    if a.size != b.size:
        return 1.0
    left, right = _as_comparable(a, b)
    if left is right:
        return 0.0
    left, right = left.reshape(-1), right.reshape(-1)
    scratch = np.empty(min(_CHUNK, left.size), np.bool_)
    changed = 0
    for start in range(0, left.size, _CHUNK):
        part = left[start : start + _CHUNK]
        differs = scratch[: part.size]
        np.not_equal(part, right[start : start + _CHUNK], out=differs)
        changed += int(np.count_nonzero(differs))
    return changed / left.size


def change_between(before: Frame, after: Frame) -> Change:
    """Return the changed share of each 40×40 tile; every tile of `after` counts as changed if the sizes differ."""
    height, width = after.height, after.width
    rows, columns = grid_of(after.size)
    if before.size != after.size:
        tops, lefts = (np.minimum(np.arange(n + 1) * TILE, end) for n, end in ((rows, height), (columns, width)))
        return Change(before, after, np.outer(np.diff(tops), np.diff(lefts)).astype(np.uint16))
    left, right = _as_comparable(before, after)
    if left is right:
        return Change(before, after, np.zeros((rows, columns), np.uint16))
    scratch = np.zeros((_BAND, TILE, width), np.bool_)
    lines = scratch.reshape(-1, width)
    # At most 40 pixels of a column differ within a tile, so bytes hold the sums.
    sums = np.empty((rows, width), np.uint8)
    for row in range(0, rows, _BAND):
        part = np.s_[row * TILE : min(height, (row + _BAND) * TILE)]
        used = part.stop - part.start
        np.not_equal(left[part], right[part], out=lines[:used])
        lines[used:] = False
        band = sums[row : row + _BAND]
        np.add.reduce(scratch[: len(band)].view(np.uint8), axis=1, out=band)
    return Change(before, after, np.add.reduceat(sums, np.arange(columns) * TILE, axis=1, dtype=np.uint16))


def grid_of(size: tuple[int, int]) -> tuple[int, int]:
    """Return the rows and columns of tiles of a (width, height) frame."""
    width, height = size
    return -(-height // TILE), -(-width // TILE)


def _as_comparable(a: Frame, b: Frame) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    if a.pixels is b.pixels:
        same = as_words(a)
        return same, same
    if a.order != b.order:
        swapped = np.ascontiguousarray(b.pixels[..., [2, 1, 0, 3]])
        return as_words(a), as_words(Frame(swapped, a.order))
    return as_words(a), as_words(b)


def find_detailed_tiles(frame: Frame) -> Tiles:
    """Return the tiles that show text or a picture: more colour changes than the edge of a box makes."""
    pixels = as_words(frame)
    height, width = pixels.shape
    rows, columns = grid_of(frame.size)
    starts = np.arange(columns) * TILE
    shown = np.empty((rows, columns), np.bool_)
    edges = np.zeros((TILE, width), np.bool_)
    for row in range(rows):
        strip = pixels[row * TILE : min(height, (row + 1) * TILE)]
        np.not_equal(strip[:, 1:], strip[:, :-1], out=edges[: len(strip), 1:])
        counts = np.add.reduce(edges[: len(strip)], axis=0, dtype=np.uint16)
        shown[row] = np.add.reduceat(counts, starts) > _EDGES
    return shown


def find_changed_regions(a: Frame, b: Frame, ignore: Tiles | None = None) -> tuple[Rect, ...]:
    """Return the changed parts as boxes that don't overlap, tight to the pixel, in reading order."""
    mask = change_between(a, b).tiles
    if ignore is not None and ignore.shape == mask.shape:
        mask &= ~ignore
    boxes = regions_of(mask, b.size)
    return boxes if a.size != b.size else tuple(_tighten_box(a, b, box) for box in boxes)


def mask_of(boxes: Iterable[Rect], size: tuple[int, int]) -> Tiles:
    """Return the tiles that these boxes touch."""
    mask = np.zeros(grid_of(size), np.bool_)
    for box in boxes:
        mask[max(0, box.top // TILE) : -(-box.bottom // TILE), max(0, box.left // TILE) : -(-box.right // TILE)] = True
    return mask


def regions_of(mask: Tiles, size: tuple[int, int]) -> tuple[Rect, ...]:
    """Join neighbouring tiles into boxes, and boxes that overlap into one."""
    tops = [0, *(np.flatnonzero((mask[1:] != mask[:-1]).any(axis=1)) + 1).tolist(), len(mask)]
    edges = np.argwhere(np.diff(mask[tops[:-1]], axis=1, prepend=False, append=False)).tolist()
    boxes: list[Rect] = []
    for (band, left), (_, right) in zip(edges[::2], edges[1::2], strict=True):  # a band: rows that are alike
        boxes = _join_box(boxes, Rect(left, tops[band], right, tops[band + 1]))
    width, height = size
    pixel_boxes = [
        Rect(b.left * TILE, b.top * TILE, min(width, b.right * TILE), min(height, b.bottom * TILE)) for b in boxes
    ]
    return tuple(sorted(pixel_boxes, key=lambda b: (b.top, b.left)))


def _join_box(boxes: list[Rect], new: Rect) -> list[Rect]:
    """Add a box and merge it with every box it touches, also at a corner."""
    rest = boxes
    while True:
        touching = [
            b
            for b in rest
            if b.left <= new.right and new.left <= b.right and b.top <= new.bottom and new.top <= b.bottom
        ]
        if not touching:
            return [*rest, new]
        rest = [b for b in rest if b not in touching]
        new = enclose_boxes([*touching, new])


def _tighten_box(a: Frame, b: Frame, box: Rect) -> Rect:
    left, right = _as_comparable(crop_frame(a, box), crop_frame(b, box))
    differs = left != right
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    return Rect(
        box.left + int(columns[0]), box.top + int(rows[0]), box.left + int(columns[-1]) + 1, box.top + int(rows[-1]) + 1
    )
