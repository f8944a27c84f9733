"""Lays out the browser's own pop-ups, draws them over the frame and lists them: no screenshot shows them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from deskhand.core.geometry import Rect
from deskhand.core.screen import DIALOG_ID, Element, Frame, Role
from deskhand.screen.frame import from_image, to_image

# The first one that the system has; the elements carry the text in any case.
_FONTS = ("NotoSansCJK-Regular.ttc", "wqy-microhei.ttc", "PingFang.ttc", "DejaVuSans.ttf", "Arial.ttf")
_INK, _PAPER, _EDGE, _CHOSEN, _FAINT = "#1f1f1f", "#ffffff", "#8a8a8a", "#1a73e8", "#8f8f8f"
LINE = 26
PAD = 16
BUTTON = (96, 34)
WIDTH = 460


@dataclass(frozen=True, slots=True)
class PanelPart:
    """One part of a pop-up. `answer` is what a click on it means."""

    role: Role
    bounds: Rect
    text: str = ""
    value: str = ""
    hint: str = ""
    answer: str = ""
    enabled: bool = True
    chosen: bool = False


def to_elements(parts: Sequence[PanelPart], after: int) -> list[Element]:
    """Return the parts as elements, numbered from `after`; the first is the parent of the others."""
    return [
        Element(
            index=after + place, role=part.role, bounds=part.bounds, name=part.text, value=part.value, hint=part.hint,
            id=DIALOG_ID if part.role == "dialog" else "",
            parent=after if place else None, enabled=part.enabled, focused=part.role == "field",
            selected=part.chosen, clickable=bool(part.answer) and part.enabled, editable=part.role == "field",
            source="dom",
        )
        for place, part in enumerate(parts)
    ]  # fmt: skip


def lay_out_dialog(
    size: tuple[int, int],
    scale: float,
    message: str,
    field: str | None,
    answers: Sequence[tuple[str, str]],
    hint: str = "",
) -> list[PanelPart]:
    """Lay out a box in the upper middle: the message, a field if any, the buttons at the lower right."""
    unit = _unit_of(size, scale)
    width = min(round(WIDTH * unit), size[0])
    left, top = (size[0] - width) // 2, round(40 * unit)
    lines = _wrap_text(message, unit, width - round(2 * PAD * unit))
    text = Rect(left + _to_px(PAD, unit), top + _to_px(PAD, unit), left + width - _to_px(PAD, unit), 0)
    text = text._replace(bottom=text.top + max(1, len(lines)) * _to_px(LINE, unit))
    inside = [PanelPart("text", text, "\n".join(lines))]
    bottom = text.bottom + _to_px(PAD, unit)
    if field is not None:
        inside.append(PanelPart("field", text._replace(top=bottom, bottom=bottom + _to_px(32, unit)), "", field, hint))
        bottom += _to_px(32 + PAD, unit)
    pitch = _to_px(BUTTON[0] + 8, unit)
    for place, (words, answer) in enumerate(answers):
        right = text.right - (len(answers) - 1 - place) * pitch
        box = Rect(right - _to_px(BUTTON[0], unit), bottom, right, bottom + _to_px(BUTTON[1], unit))
        inside.append(PanelPart("button", box, words, answer=answer))
    frame = Rect(left, top, left + width, bottom + _to_px(BUTTON[1] + PAD, unit))
    return [PanelPart("dialog", frame, message), *inside]


def lay_out_list(
    size: tuple[int, int], scale: float, anchor: Rect, rows: Sequence[PanelPart], chosen: int
) -> list[PanelPart]:
    """Lay out rows under (or, without room, above) a box: as many as fit, the chosen one among them."""
    row = _to_px(LINE, _unit_of(size, scale))
    below = anchor.bottom + row * len(rows) <= size[1] or size[1] - anchor.bottom >= anchor.top
    room = (size[1] - anchor.bottom if below else anchor.top) // row
    shown = max(1, min(len(rows), room))
    first = max(0, min(chosen - shown // 2, len(rows) - shown))
    top = anchor.bottom if below else anchor.top - shown * row
    frame = Rect(
        max(0, anchor.left), max(0, top), min(max(anchor.right, anchor.left + row * 6), size[0]), top + shown * row
    )
    return [
        PanelPart("list", frame, f"{len(rows)} options" if shown == len(rows) else f"{shown} of {len(rows)} options"),
        *(
            PanelPart(
                "item",
                Rect(frame.left, frame.top + place * row, frame.right, frame.top + (place + 1) * row),
                part.text, answer=part.answer, enabled=part.enabled, chosen=first + place == chosen,
            )
            for place, part in enumerate(rows[first : first + shown])
        ),
    ]  # fmt: skip


def draw_panel(frame: Frame, parts: Sequence[PanelPart], scale: float) -> Frame:
    """Return the frame with the pop-up drawn over it."""
    image = to_image(frame)
    pen = ImageDraw.Draw(image)
    unit = _unit_of(frame.size, scale)
    for place, part in enumerate(parts):
        _draw_part(pen, part, unit, framed=place == 0 or part.role in ("button", "field"))
    return from_image(image, frame.at)


def _draw_part(pen: ImageDraw.ImageDraw, part: PanelPart, unit: float, *, framed: bool) -> None:
    box = (part.bounds.left, part.bounds.top, part.bounds.right - 1, part.bounds.bottom - 1)
    if framed:
        pen.rectangle(box, fill=_PAPER, outline=_EDGE)
    if part.chosen:
        pen.rectangle(box, fill=_CHOSEN)
    if part.role in ("dialog", "list"):
        return
    ink = _PAPER if part.chosen else _INK if part.enabled else _FAINT
    inset = 0 if part.role == "text" else _to_px(8, unit)
    font = _load_font(_to_px(15, unit))
    pen.multiline_text(
        (part.bounds.left + inset, part.bounds.top + _to_px(4, unit)), part.value or part.text, fill=ink, font=font,
        spacing=_to_px(LINE, unit) - _to_px(15, unit) - _to_px(4, unit),
    )  # fmt: skip


def _unit_of(size: tuple[int, int], scale: float) -> float:
    """Return one CSS pixel in frame pixels; less on a screen too narrow for the pop-up."""
    return min(scale, size[0] / (WIDTH + 20))


def _to_px(length: float, unit: float) -> int:
    return round(length * unit)


def _wrap_text(text: str, unit: float, width: int) -> list[str]:
    font = _load_font(_to_px(15, unit))
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
def _load_font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    for name in _FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)


def make_blank_frame(width: int, height: int, at: float) -> Frame:
    """Return a white frame, for a dialog that opens before the first screenshot."""
    return from_image(Image.new("RGB", (width, height), _PAPER), at)
