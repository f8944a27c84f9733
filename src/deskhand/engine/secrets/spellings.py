"""Finds a value however its letters are written: other separators, widths and cases, split over fields side by side.

Only letters and digits count. Accents, full width, zero-width characters and line breaks make no difference.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from deskhand.core.screen import Element

# Fewer letters than this are found only as they are.
_LEAST = 4
# A value of fewer letters is found only where none stands beside it, and with nothing but blanks and dashes in it.
_SHORT = 6
# A text of more letters is more than a piece of a value that was split up.
_PIECE = 5
# So many boxes of one letter each, side by side, take one value together.
_BOXES = 3


class Span(NamedTuple):
    start: int
    end: int


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(str(unicodedata.decimal(one, one)) for one in folded if one.isalnum())


def fold_letters(text: str) -> str:
    """Return the letters and digits of a text, each in one form."""
    return "".join(map(_fold_character, text))


def find_spellings(text: str, value: str) -> list[Span]:
    """Return where the value stands in the text, in any spelling."""
    wanted = fold_letters(value)
    if len(wanted) < _LEAST or wanted not in fold_letters(text):
        return []
    places = [place for place, character in enumerate(text) for _ in _fold_character(character)]
    spans = [Span(places[at], places[at + len(wanted) - 1] + 1) for at in _find_all(fold_letters(text), wanted)]
    return [span for span in spans if len(wanted) >= _SHORT or _stands_alone(text, span)]


def _find_all(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + len(wanted))


def _stands_alone(text: str, span: Span) -> bool:
    """True if no letter is beside it and only blanks, dashes and invisible characters within: 1,234 is no PIN."""
    around = text[max(0, span.start - 1) : span.start] + text[span.end : span.end + 1]
    within = (one for one in text[span.start : span.end] if not _fold_character(one))
    return not fold_letters(around) and all(
        one.isspace() or unicodedata.category(one) in ("Pd", "Cf", "Cc", "Mn") for one in within
    )


def find_pieces(elements: Sequence[Element], values: Iterable[str], typed: Iterable[str]) -> frozenset[int]:
    """Return the places, in this sequence, of elements that show a value together: a digit or a group in each.

    `typed`: values that a field got. A few letters of them in a row of boxes of one letter are a part of them.
    """
    found: set[int] = set()
    fields = [place for place, element in enumerate(elements) if element.editable and not element.password]
    texts = [
        place
        for place, element in enumerate(elements)
        if not element.editable and not element.clickable and 0 < len(fold_letters(element.name)) <= _PIECE
    ]
    wanted = [letters for letters in map(fold_letters, values) if len(letters) >= _LEAST]
    for places in (fields, texts):
        by_position = sorted(places, key=lambda place: (elements[place].bounds.top, elements[place].bounds.left))
        for order in (places, by_position):
            found |= _find_joined(elements, order, wanted)
    partly = [letters for letters in map(fold_letters, typed) if letters]
    return frozenset(found | _find_begun_boxes(elements, fields, partly))


def _find_joined(elements: Sequence[Element], order: Sequence[int], wanted: Iterable[str]) -> set[int]:
    pieces = [(place, fold_letters(_shown_by(elements[place]))) for place in order]
    owners = [place for place, piece in pieces for _ in piece]
    joined = "".join(piece for _, piece in pieces)
    spread = (set(owners[at : at + len(value)]) for value in wanted for at in _find_all(joined, value))
    return {place for places in spread if len(places) > 1 for place in places}


def _find_begun_boxes(elements: Sequence[Element], fields: Sequence[int], typed: Sequence[str]) -> set[int]:
    """Return the filled ones in each row of boxes that hold a letter at most, if together they begin a value."""
    found: set[int] = set()
    row: list[int] = []
    for place in (*fields, -1):
        if place >= 0 and len(fold_letters(elements[place].value)) <= 1:
            row.append(place)
            continue
        letters = "".join(fold_letters(elements[box].value) for box in row)
        if len(row) >= _BOXES and letters and any(letters in value for value in typed):
            found.update(box for box in row if elements[box].value)
        row = []
    return found


def _shown_by(element: Element) -> str:
    return element.value if element.editable else element.name
