"""The phone's one font: measuring, wrapping and anti-aliased glyph masks, all remembered."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw, ImageFont

FONT_FILE = Path(__file__).parent / "fonts" / "NotoSansSC-Subset.otf"
NO_BREAK_BEFORE = "，。！？；：、）》」』”’%,.!?;:)]}"


@lru_cache(maxsize=32)
def _load_font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(FONT_FILE), size, layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=20_000)
def _measure_char(char: str, size: int) -> float:
    return _load_font(size).getlength(char)


@lru_cache(maxsize=4096)
def text_width(text: str, size: int, *, bold: bool = False) -> int:
    return round(sum(_measure_char(c, size) for c in text)) + (1 if bold else 0) + 1


def line_height(size: int) -> int:
    return round(size * 1.36)


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) in "WF"


def _split_pieces(paragraph: str) -> list[str]:
    """Split where a line may be broken: Latin words stay whole, Chinese characters stand alone."""
    pieces: list[str] = []
    for char in paragraph:
        joins = bool(pieces) and (
            char in NO_BREAK_BEFORE or not (_is_wide(char) or _is_wide(pieces[-1][-1]) or pieces[-1][-1] == " ")
        )
        if joins:
            pieces[-1] += char
        else:
            pieces.append(char)
    return pieces


def _wrap_paragraph(paragraph: str, size: int, width: int) -> list[str]:
    lines: list[str] = []
    line, used = "", 0.0
    for piece in _split_pieces(paragraph):
        need = sum(_measure_char(c, size) for c in piece)
        if line and used + need - (_measure_char(" ", size) if piece.endswith(" ") else 0) > width:
            lines.append(line.rstrip())
            line, used = "", 0.0
        while need > width and len(piece) > 1:
            cut = max(int(len(piece) * width / need), 1)
            lines.append(piece[:cut])
            piece = piece[cut:]
            need = sum(_measure_char(c, size) for c in piece)
        line += piece
        used += need
    lines.append(line)
    return lines


@lru_cache(maxsize=2048)
def wrap_text(text: str, size: int, width: int, max_lines: int = 0, *, bold: bool = False) -> tuple[str, ...]:
    """Break text into lines that fit; with `max_lines` the last one ends in an ellipsis if text is left."""
    room = width - (1 if bold else 0)
    if max_lines == 1:
        flat = text.replace("\n", " ")
        return (flat if text_width(flat, size, bold=bold) <= width else _cut_with_ellipsis(flat, size, room),)
    lines = [line for part in text.split("\n") for line in _wrap_paragraph(part, size, room)]
    if max_lines and len(lines) > max_lines:
        last = lines[max_lines - 1]
        more = _cut_with_ellipsis(last + " ", size, room) if text_width(last + "…", size) > room else last + "…"
        lines = [*lines[: max_lines - 1], more]
    return tuple(lines)


def _cut_with_ellipsis(text: str, size: int, width: int) -> str:
    used = _measure_char("…", size)
    for i, char in enumerate(text):
        used += _measure_char(char, size)
        if used > width:
            return text[:i] + "…"
    return text


@lru_cache(maxsize=3000)
def draw_glyphs(text: str, size: int, *, bold: bool = False) -> Image.Image:
    """Return the coverage mask of one line of text, as high as a line."""
    mask = Image.new("L", (text_width(text, size, bold=bold) + 4, line_height(size)), 0)
    ascent, descent = _load_font(size).getmetrics()
    top = (line_height(size) - ascent - descent) // 2
    ImageDraw.Draw(mask).text((0, top), text, fill=255, font=_load_font(size))
    if bold:
        mask = ImageChops.lighter(mask, ImageChops.offset(mask, 1, 0))
    return mask
