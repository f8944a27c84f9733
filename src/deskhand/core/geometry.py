"""Boxes in frame pixels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Rect(NamedTuple):
    """A box in frame pixels; right and bottom are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    @property
    def area(self) -> int:
        return max(0, self.width) * max(0, self.height)

    @property
    def center(self) -> tuple[int, int]:
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2

    def grow_by(self, margin: int) -> Rect:
        return Rect(self.left - margin, self.top - margin, self.right + margin, self.bottom + margin)

    def move_by(self, across: int, down: int) -> Rect:
        return Rect(self.left + across, self.top + down, self.right + across, self.bottom + down)

    def contains_point(self, x: int, y: int) -> bool:
        return self.left <= x < self.right and self.top <= y < self.bottom

    def intersect_with(self, other: Rect) -> Rect:
        left, top = max(self.left, other.left), max(self.top, other.top)
        return Rect(left, top, max(left, min(self.right, other.right)), max(top, min(self.bottom, other.bottom)))


def enclose_boxes(boxes: Iterable[Rect]) -> Rect:
    """Return the smallest box that holds them all."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Rect(min(lefts), min(tops), max(rights), max(bottoms))
