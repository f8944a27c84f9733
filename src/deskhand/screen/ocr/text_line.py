"""Defines a line of text read from a picture, and the type of a text reader. Data only."""

from collections.abc import Callable
from dataclasses import dataclass

from deskhand.core.geometry import Rect
from deskhand.core.screen import Frame


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text, or one label in a row of labels."""

    text: str
    bounds: Rect
    score: float

    def move_by(self, dx: int, dy: int) -> "TextLine":
        b = self.bounds
        return TextLine(self.text, Rect(b.left + dx, b.top + dy, b.right + dx, b.bottom + dy), self.score)


# Finds and reads the lines of a picture; slow, and called from one thread only.
TextReader = Callable[[Frame], list[TextLine]]
