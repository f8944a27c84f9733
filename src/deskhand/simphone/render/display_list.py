"""Turns a laid-out view tree into a display list; knows how each kind of view looks, not how pixels are painted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deskhand.simphone.render.painter import IconOp, Op, RectOp, text_op
from deskhand.simphone.ui.font import line_height, text_width
from deskhand.simphone.ui.nodes import Box, Colour, Node, TextField

CARET_WIDTH = 5
WHITE: Colour = (255, 255, 255)
HINT: Colour = (150, 155, 164)


@dataclass
class DrawingMoment:
    """The state that drawing depends on besides the tree: the caret's blink and things in motion."""

    focus: TextField | None
    caret: bool
    tween: Callable[[str, float], float]


def list_ops(root: Node, moment: DrawingMoment, clip: Box) -> list[Op]:
    ops: list[Op] = []
    _emit_node(root, moment, clip, ops)
    return ops


def _emit_node(node: Node, moment: DrawingMoment, clip: Box, ops: list[Op]) -> None:
    if node.seen.is_empty:
        return
    clip = clip.intersect_with(node.seen)
    if node.fill is not None:
        ops.append(RectOp(node.box, clip, node.fill, node.radius, node.alpha))
    special = _SPECIAL.get(node.kind)
    if special is not None:
        special(node, moment, clip, ops)
    elif node.icon:
        _emit_icon(node, clip, ops)
    elif node.glyph:
        width = text_width(node.glyph, node.size)
        x = node.box.x1 + (node.box.width - width) // 2
        y = node.box.y1 + (node.box.height - line_height(node.size)) // 2
        ops.append(text_op(x, y, node.glyph, node.size, node.ink, clip))
    elif node.text and not node.children:
        _emit_text(node, clip, ops)
    for child in node.children:
        _emit_node(child, moment, clip, ops)


def _emit_icon(node: Node, clip: Box, ops: list[Op]) -> None:
    size = node.size
    x = node.box.x1 + (node.box.width - size) // 2
    y = node.box.y1 + (node.box.height - size) // 2
    ink = node.ink if node.enabled else HINT
    ops.append(IconOp(Box(x, y, x + size, y + size), clip, ink, node.icon))


def _emit_text(node: Node, clip: Box, ops: list[Op]) -> None:
    left, top, right, bottom = node.pad
    inner = Box(node.box.x1 + left, node.box.y1 + top, node.box.x2 - right, node.box.y2 - bottom)
    step = line_height(node.size)
    block = step * len(node.lines)
    y = inner.y1 + {"start": 0, "center": (inner.height - block) // 2, "end": inner.height - block}[node.justify]
    ink = node.ink if node.enabled else HINT
    for text in node.lines:
        if text:
            width = text_width(text, node.size, bold=node.bold)
            x = inner.x1 + {"start": 0, "center": (inner.width - width) // 2, "end": inner.width - width}[node.align]
            ops.append(text_op(x, y, text, node.size, ink, clip, bold=node.bold))
        y += step


def _emit_switch(node: Node, moment: DrawingMoment, clip: Box, ops: list[Op]) -> None:
    at = moment.tween(node.tween, node.level)
    x1, y1, x2, y2 = node.box
    track = Box(x1 + 8, y1 + 10, x2 - 8, y2 - 10)
    off = node.off
    mixed = (
        _mix_channel(off[0], node.ink[0], at),
        _mix_channel(off[1], node.ink[1], at),
        _mix_channel(off[2], node.ink[2], at),
    )
    ops.append(RectOp(track, clip, mixed if node.enabled else HINT, track.height // 2))
    size = track.height - 12
    x = track.x1 + 6 + round((track.width - 12 - size) * at)
    ops.append(RectOp(Box(x, track.y1 + 6, x + size, track.y1 + 6 + size), clip, WHITE, size // 2))


def _mix_channel(a: int, b: int, at: float) -> int:
    return round(a + (b - a) * at)


def _emit_checkbox(node: Node, moment: DrawingMoment, clip: Box, ops: list[Op]) -> None:
    x1, y1, x2, y2 = node.box
    square = Box(x1 + 16, y1 + 16, x2 - 16, y2 - 16)
    ops.append(RectOp(square, clip, node.ink if node.checked else (node.off), 10))
    if node.checked:
        ops.append(IconOp(square, clip, WHITE, "check"))
    else:
        ops.append(RectOp(Box(x1 + 21, y1 + 21, x2 - 21, y2 - 21), clip, WHITE, 6))


def _emit_slider(node: Node, moment: DrawingMoment, clip: Box, ops: list[Op]) -> None:
    x1, y1, x2, y2 = node.box
    middle = (y1 + y2) // 2
    left, right = x1 + 30, x2 - 30
    at = left + round((right - left) * node.level)
    ops.append(RectOp(Box(left, middle - 7, right, middle + 7), clip, node.off, 7))
    ops.append(RectOp(Box(left, middle - 7, max(at, left + 14), middle + 7), clip, node.ink, 7))
    ops.append(RectOp(Box(at - 28, middle - 28, at + 28, middle + 28), clip, node.ink, 28))
    ops.append(RectOp(Box(at - 12, middle - 12, at + 12, middle + 12), clip, WHITE, 12))


def _emit_entry(node: Node, moment: DrawingMoment, clip: Box, ops: list[Op]) -> None:
    entry = node.entry
    assert entry is not None
    left, top, right, bottom = node.pad
    inner = Box(node.box.x1 + left, node.box.y1 + top, node.box.x2 - right, node.box.y2 - bottom)
    clip = clip.intersect_with(Box(inner.x1 - 4, node.box.y1, inner.x2 + 8, node.box.y2))
    step = line_height(node.size)
    caret_x, caret_line = _find_caret(node, entry)
    slide = max(0, caret_x - inner.width + CARET_WIDTH) if not entry.multiline else 0
    y = inner.y1 if entry.multiline else inner.y1 + (inner.height - step) // 2
    lift = max(0, (caret_line + 1) * step - inner.height) if entry.multiline else 0
    focused = entry is moment.focus
    if focused and entry.selection and entry.text:
        width = max(text_width(text, node.size) for text in node.lines)
        ops.append(RectOp(Box(inner.x1 - slide, y, inner.x1 - slide + width, y + step), clip, (170, 205, 255)))
    ink = node.ink if entry.text else HINT
    for i, text in enumerate(node.lines):
        if text:
            ops.append(text_op(inner.x1 - slide, y + i * step - lift, text, node.size, ink, clip))
    if focused and moment.caret:
        x, top_y = inner.x1 + caret_x - slide, y + caret_line * step - lift
        ops.append(RectOp(Box(x, top_y + 6, x + CARET_WIDTH, top_y + step - 6), clip, (26, 103, 224)))


def _find_caret(node: Node, entry: TextField) -> tuple[int, int]:
    """Return the caret's place: pixels from the left of the text, and the line."""
    if not entry.text:
        return 0, 0
    if not entry.multiline:
        return text_width(entry.shown[: entry.caret], node.size) - 1, 0
    left, used = entry.caret, 0
    for i, text in enumerate(node.lines):
        if left <= len(text) or i == len(node.lines) - 1:
            return text_width(text[:left], node.size) - 1, i
        used += len(text)
        # a line ends at a newline or a dropped space (one character) or in mid-word (none)
        skip = 1 if entry.text[used : used + 1] in ("\n", " ") else 0
        left -= len(text) + skip
        used += skip
    return 0, 0


_SPECIAL: dict[str, Callable[[Node, DrawingMoment, Box, list[Op]], None]] = {
    "android.widget.Switch": _emit_switch,
    "android.widget.CheckBox": _emit_checkbox,
    "android.widget.SeekBar": _emit_slider,
    "android.widget.EditText": _emit_entry,
}
