"""How the browser's own pop-ups look: laid out, drawn over the frame and listed, for none of them is in a capture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from deskhand.core.geometry import Rect
from deskhand.core.screen import Element, Frame, Role
from deskhand.screen.frame import from_image, to_image

# The first one that the system has; the elements carry the text in any case.
_FONTS = ("NotoSansCJK-Regular.ttc", "wqy-microhei.ttc", "PingFang.ttc", "DejaVuSans.ttf", "Arial.ttf")
_INK, _PAPER, _EDGE, _CHOSEN, _FAINT = "#1f1f1f", "#ffffff", "#8a8a8a", "#1a73e8", "#8f8f8f"
LINE = 26
PAD = 16
BUTTON = (96, 34)
WIDTH = 460


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a pop-up. `answer` is what a click on it means."""

    role: Role
    bounds: Rect
    text: str = ""
    value: str = ""
    hint: str = ""
    answer: str = ""
    enabled: bool = True
    chosen: bool = False


def listed(parts: Sequence[Part], after: int) -> list[Element]:
    """The parts as elements, numbered from `after`; the first one holds the others."""
    return [
        Element(
            index=after + place, role=part.role, bounds=part.bounds, name=part.text, value=part.value, hint=part.hint,
            parent=after if place else None, enabled=part.enabled, focused=part.role == "field",
            selected=part.chosen, clickable=bool(part.answer) and part.enabled, editable=part.role == "field",
            source="dom",
        )
        for place, part in enumerate(parts)
    ]  # fmt: skip


def dialog_parts(
    size: tuple[int, int],
    scale: float,
    message: str,
    field: str | None,
    answers: Sequence[tuple[str, str]],
    hint: str = "",
) -> list[Part]:
    """A box in the upper middle: the message, a field where there is one, the buttons at the lower right."""
    unit = _unit(size, scale)
    width = min(round(WIDTH * unit), size[0])
    left, top = (size[0] - width) // 2, round(40 * unit)
    lines = _wrapped(message, unit, width - round(2 * PAD * unit))
    text = Rect(left + _px(PAD, unit), top + _px(PAD, unit), left + width - _px(PAD, unit), 0)
    text = text._replace(bottom=text.top + max(1, len(lines)) * _px(LINE, unit))
    inside = [Part("text", text, "\n".join(lines))]
    bottom = text.bottom + _px(PAD, unit)
    if field is not None:
        inside.append(Part("field", text._replace(top=bottom, bottom=bottom + _px(32, unit)), "", field, hint))
        bottom += _px(32 + PAD, unit)
    pitch = _px(BUTTON[0] + 8, unit)
    for place, (words, answer) in enumerate(answers):
        right = text.right - (len(answers) - 1 - place) * pitch
        box = Rect(right - _px(BUTTON[0], unit), bottom, right, bottom + _px(BUTTON[1], unit))
        inside.append(Part("button", box, words, answer=answer))
    frame = Rect(left, top, left + width, bottom + _px(BUTTON[1] + PAD, unit))
    return [Part("dialog", frame, message), *inside]


def list_parts(size: tuple[int, int], scale: float, anchor: Rect, rows: Sequence[Part], chosen: int) -> list[Part]:
    """Rows under (or, without room, above) a box; as many as fit, the chosen one among them."""
    row = _px(LINE, _unit(size, scale))
    below = anchor.bottom + row * len(rows) <= size[1] or size[1] - anchor.bottom >= anchor.top
    room = (size[1] - anchor.bottom if below else anchor.top) // row
    shown = max(1, min(len(rows), room))
    first = max(0, min(chosen - shown // 2, len(rows) - shown))
    top = anchor.bottom if below else anchor.top - shown * row
    frame = Rect(
        max(0, anchor.left), max(0, top), min(max(anchor.right, anchor.left + row * 6), size[0]), top + shown * row
    )
    return [
        Part("list", frame, f"{len(rows)} options" if shown == len(rows) else f"{shown} of {len(rows)} options"),
        *(
            Part(
                "item",
                Rect(frame.left, frame.top + place * row, frame.right, frame.top + (place + 1) * row),
                part.text, answer=part.answer, enabled=part.enabled, chosen=first + place == chosen,
            )
            for place, part in enumerate(rows[first : first + shown])
        ),
    ]  # fmt: skip


def drawn(frame: Frame, parts: Sequence[Part], scale: float) -> Frame:
    """The frame with the pop-up over it."""
    image = to_image(frame)
    pen = ImageDraw.Draw(image)
    unit = _unit(frame.size, scale)
    for place, part in enumerate(parts):
        _draw(pen, part, unit, framed=place == 0 or part.role in ("button", "field"))
    return from_image(image, frame.at)


def _draw(pen: ImageDraw.ImageDraw, part: Part, unit: float, *, framed: bool) -> None:
    box = (part.bounds.left, part.bounds.top, part.bounds.right - 1, part.bounds.bottom - 1)
    if framed:
        pen.rectangle(box, fill=_PAPER, outline=_EDGE)
    if part.chosen:
        pen.rectangle(box, fill=_CHOSEN)
    if part.role in ("dialog", "list"):
        return
    ink = _PAPER if part.chosen else _INK if part.enabled else _FAINT
    inset = 0 if part.role == "text" else _px(8, unit)
    font = _font(_px(15, unit))
    pen.multiline_text(
        (part.bounds.left + inset, part.bounds.top + _px(4, unit)), part.value or part.text, fill=ink, font=font,
        spacing=_px(LINE, unit) - _px(15, unit) - _px(4, unit),
    )  # fmt: skip


def _unit(size: tuple[int, int], scale: float) -> float:
    """One CSS pixel in frame pixels; smaller on a screen that could not hold the pop-up otherwise."""
    return min(scale, size[0] / (WIDTH + 20))


def _px(length: float, unit: float) -> int:
    return round(length * unit)


def _wrapped(text: str, unit: float, width: int) -> list[str]:
    font = _font(_px(15, unit))
    lines: list[str] = []
    for paragraph in text.split("\n")[:20]:
        line = ""
        for letter in paragraph:
            if font.getlength(line + letter) > width:
                cut = line.rfind(" ") + 1 or len(line)
                lines.append(line[:cut].rstrip())
                line = line[cut:]
            line += letter
        lines.append(line)
    return lines[:20]


@lru_cache(maxsize=8)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)


def blank(width: int, height: int, at: float) -> Frame:
    """What is drawn on when a dialog opens before the first picture was taken."""
    return from_image(Image.new("RGB", (width, height), _PAPER), at)
