"""Draws set-of-marks: numbered boxes over elements, for models that are better at naming than at pointing."""

from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

from deskhand.core.geometry import Rect
from deskhand.core.screen import Element, Frame
from deskhand.screen.frame import from_image, to_image

# Colour-blind users can tell these apart, and they are dark enough for white numbers.
_COLOURS = ((200, 30, 60), (20, 100, 200), (0, 120, 80), (150, 70, 0), (120, 40, 160), (0, 110, 130))


@dataclass(frozen=True)
class MarkedFrame:
    """A frame with marks drawn on it, and the element of each number."""

    frame: Frame
    marks: dict[int, Element]


def draw_marks(frame: Frame, elements: Sequence[Element], only_clickable: bool = True) -> MarkedFrame:
    """Mark each element with its own index, as in the element list; `only_clickable` leaves out the others."""
    image = to_image(frame)
    pen = ImageDraw.Draw(image)
    size = max(11, min(frame.size) // 50)
    font = ImageFont.load_default(size)
    screen = frame.bounds
    taken: list[Rect] = []
    marks: dict[int, Element] = {}
    for element in elements:
        box = element.bounds.intersect_with(screen)
        if not box.area or (only_clickable and not _is_touchable(element)):
            continue
        number = element.index
        colour = _COLOURS[number % len(_COLOURS)]
        pen.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), outline=colour, width=max(1, size // 8))
        tag = _place_tag(box, str(number), font, screen, taken)
        _draw_tag(image, tag, str(number), font, colour)
        taken.append(tag)
        marks[number] = element
    return MarkedFrame(from_image(image, frame.at), marks)


def _is_touchable(element: Element) -> bool:
    # Text read by OCR has no clickable flag: all of it may be clickable.
    return element.clickable or element.editable or element.scrollable or element.source == "ocr"


def _place_tag(
    box: Rect, text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, screen: Rect, taken: Sequence[Rect]
) -> Rect:
    """Return a corner of the box where the number hides no other number; the first corner if all are taken."""
    left, top, right, bottom = font.getbbox(text)
    width, height = int(right - left) + 6, int(bottom - top) + 6
    corners = [
        (box.left, box.top),
        (box.right - width, box.top),
        (box.left, box.bottom - height),
        (box.right - width, box.bottom - height),
        (box.left, box.top - height),
        (box.left, box.bottom),
    ]
    places = [_move_inside(Rect(x, y, x + width, y + height), screen) for x, y in corners]
    return next((place for place in places if not any(place.intersect_with(t).area for t in taken)), places[0])


def _move_inside(box: Rect, screen: Rect) -> Rect:
    dx = min(0, screen.right - box.right) or max(0, -box.left)
    dy = min(0, screen.bottom - box.bottom) or max(0, -box.top)
    return Rect(box.left + dx, box.top + dy, box.right + dx, box.bottom + dy)


def _draw_tag(
    image: Image.Image,
    tag: Rect,
    text: str,
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
    colour: tuple[int, int, int],
) -> None:
    pen = ImageDraw.Draw(image)
    pen.rectangle((tag.left, tag.top, tag.right - 1, tag.bottom - 1), fill=colour)
    left, top, _, _ = font.getbbox(text)
    pen.text((tag.left + 3 - left, tag.top + 3 - top), text, (255, 255, 255), font=font)
