"""Coordinates of a family of models: its scale, and the ways in which it writes a point."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from deskhand.core.errors import Unparsable
from deskhand.core.llm import StepRequest
from deskhand.models.dialects.call_grammar import Value

Coordinates = Literal["pixels", "thousandths"]
_POINT_TAGS = re.compile(r"<\|?/?(?:point|bbox|box_start|box_end|box|begin_of_box|end_of_box)\|?>")
_PLAIN_NUMBER = re.compile(r"-?\d{1,7}(?:\.\d{1,9})?")


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of a model, whose numbers run from 0 to `width` and `height`, and the size of the frame."""

    width: int
    height: int
    frame: tuple[int, int]

    def to_frame(self, x: float, y: float) -> tuple[int, int]:
        if not (0 <= x <= self.width and 0 <= y <= self.height):
            raise Unparsable(
                f"The point ({x:g}, {y:g}) is not on the screen: "
                f"x goes from 0 to {self.width - 1}, y from 0 to {self.height - 1}."
            )
        width, height = self.frame
        return min(round(x * width / self.width), width - 1), min(round(y * height / self.height), height - 1)

    def from_frame(self, x: int, y: int) -> tuple[int, int]:
        width, height = self.frame
        return (
            min(round(x * self.width / width), self.width - 1),
            min(round(y * self.height / height), self.height - 1),
        )


def scale_of(situation: StepRequest, coordinates: Coordinates) -> Scale:
    if coordinates == "thousandths":
        return Scale(1000, 1000, situation.frame)
    if picture := situation.picture:
        return Scale(picture.width, picture.height, situation.frame)
    return Scale(*situation.frame, situation.frame)


def read_numbers(value: Value) -> list[float]:
    """Return the numbers of a point or a box in any notation: a list, `(x,y)`, `<point>x y</point>`."""
    if isinstance(value, list):
        found = [item for item in value if isinstance(item, int | float) and not isinstance(item, bool)]
        return [float(item) for item in found] if len(found) == len(value) else []
    if isinstance(value, str):
        inner = _POINT_TAGS.sub(" ", value).strip().strip("()[]（）")
        parts = [part for part in re.split(r"[\s,，]+", inner) if part]
        return [float(part) for part in parts] if all(_PLAIN_NUMBER.fullmatch(part) for part in parts) else []
    return []


def read_point(value: Value, scale: Scale, what: str) -> dict[str, int]:
    """Return `x` and `y` in frame pixels from a point, or from the middle of a box."""
    found = read_numbers(value)
    if len(found) == 4:
        found = [(found[0] + found[2]) / 2, (found[1] + found[3]) / 2]
    if len(found) != 2:
        raise Unparsable(f"{what} needs a point of two numbers [x, y].")
    x, y = scale.to_frame(*found)
    return {"x": x, "y": y}


def read_path(start: Value, end: Value, scale: Scale, what: str) -> dict[str, int]:
    first, last = read_point(start, scale, what), read_point(end, scale, what)
    return {**first, "to_x": last["x"], "to_y": last["y"]}
