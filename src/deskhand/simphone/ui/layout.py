"""Measures and places a tree of nodes: columns, rows and stacks with weights, padding and scrolling."""

from __future__ import annotations

from deskhand.simphone.ui.font import line_height, text_width, wrap_text
from deskhand.simphone.ui.nodes import FILL, WRAP, Box, Node

ROOM = 1_000_000


def lay_out(root: Node, box: Box) -> None:
    """Give every node its box; nodes scrolled or clipped away get an empty `seen`."""
    _place_node(root, box, box)


def _inner_size(node: Node, w: int, h: int) -> tuple[int, int]:
    left, top, right, bottom = node.pad
    return max(w - left - right, 0), max(h - top - bottom, 0)


def measure_node(node: Node, w: int, h: int) -> tuple[int, int]:
    """Return the size a node wants inside w × h; remembered, since rows and columns ask more than once."""
    memo = node.fitted
    if memo is not None and memo[0] == w and memo[1] == h:
        return memo[2], memo[3]
    if node.max_w:
        w = min(w, node.max_w)
    room_w = node.w if node.w >= 0 else w
    room_h = node.h if node.h >= 0 else h
    if node.w >= 0 and node.h >= 0:
        size = (node.w, node.h)
    else:
        inner_w, inner_h = _inner_size(node, room_w, room_h)
        got_w, got_h = _measure_content(node, inner_w, inner_h)
        left, top, right, bottom = node.pad
        want_w = min(got_w + left + right, room_w)
        want_h = got_h + top + bottom
        size = (_pick_length(node.w, want_w, room_w), _pick_length(node.h, want_h, room_h))
    node.fitted = (w, h, size[0], size[1])
    return size


def _pick_length(rule: int, want: int, room: int) -> int:
    if rule >= 0:
        return rule
    return room if rule == FILL and room < ROOM // 2 else want


def _measure_content(node: Node, w: int, h: int) -> tuple[int, int]:
    if node.entry is not None or (node.text and not node.children):
        return _measure_text(node, w)
    if not node.children:
        return 0, 0
    if node.flow == "row":
        sizes = _measure_children(node, w, h)
        gaps = node.gap * (len(sizes) - 1)
        return sum(s[0] for s in sizes) + gaps, max(s[1] for s in sizes)
    sizes = [measure_node(child, w, ROOM if node.scroll else h) for child in node.children]
    if node.flow == "stack":
        return max(s[0] for s in sizes), max(s[1] for s in sizes)
    return max(s[0] for s in sizes), sum(s[1] for s in sizes) + node.gap * (len(sizes) - 1)


def _measure_text(node: Node, w: int) -> tuple[int, int]:
    entry = node.entry
    if entry is not None and not entry.multiline:
        node.lines = (node.shown_text,)
    else:
        node.lines = wrap_text(node.shown_text, node.size, max(w, 1), node.max_lines, bold=node.bold)
    width = max((text_width(line, node.size, bold=node.bold) for line in node.lines), default=0)
    return min(width, w), line_height(node.size) * max(len(node.lines), 1)


def _measure_children(node: Node, w: int, h: int) -> list[tuple[int, int]]:
    """Measure a row's or column's fixed children first; what is left goes to the weighted ones by their share."""
    row = node.flow == "row"
    total = sum(child.weight for child in node.children)
    left = (w if row else h) - node.gap * (len(node.children) - 1)
    sizes: dict[int, tuple[int, int]] = {}
    for i, child in enumerate(node.children):
        if not child.weight:
            room = ROOM if node.scroll and not row else max(left, 0)
            sizes[i] = measure_node(child, room, h) if row else measure_node(child, w, room)
            left -= sizes[i][0 if row else 1]
    for i, child in enumerate(node.children):
        if child.weight:
            share = max(int(left * child.weight / total), 0)
            got = measure_node(child, share, h) if row else measure_node(child, w, share)
            sizes[i] = (share, got[1]) if row else (got[0], share)
    return [sizes[i] for i in range(len(node.children))]


def _place_node(node: Node, box: Box, clip: Box) -> None:
    node.box = box
    node.seen = box.intersect_with(clip)
    if not node.children:
        if (node.text or node.entry is not None) and not node.seen.is_empty:
            _measure_text(node, _inner_size(node, box.width, box.height)[0])
        return
    if node.seen.is_empty:
        return
    left, top, right, bottom = node.pad
    inner = Box(box.x1 + left, box.y1 + top, box.x2 - right, box.y2 - bottom)
    if node.flow == "stack":
        _place_stack(node, inner)
    elif node.flow == "row":
        _place_row(node, inner)
    else:
        _place_column(node, inner)


def _align_offset(rule: str, room: int, want: int) -> int:
    return {"start": 0, "center": (room - want) // 2, "end": room - want}[rule]


def _place_stack(node: Node, inner: Box) -> None:
    for child in node.children:
        w, h = measure_node(child, inner.width, inner.height)
        x = inner.x1 + _align_offset(node.align, inner.width, w)
        y = inner.y1 + _align_offset(node.justify, inner.height, h)
        _place_node(child, Box(x, y, x + w, y + h), node.seen)


def _place_row(node: Node, inner: Box) -> None:
    if node.scroll is not None:
        _place_strip(node, inner)
        return
    sizes = _measure_children(node, inner.width, inner.height)
    used = sum(s[0] for s in sizes) + node.gap * (len(sizes) - 1)
    x = inner.x1 + _align_offset(node.justify, inner.width, used)
    for child, (w, h) in zip(node.children, sizes, strict=True):
        h = inner.height if child.h == FILL else min(h, inner.height)
        y = inner.y1 + _align_offset(node.align, inner.height, h)
        _place_node(child, Box(x, y, x + w, y + h), node.seen)
        x += w + node.gap


def _place_strip(node: Node, inner: Box) -> None:
    """Place a horizontally scrolling row; paged ones give each child the whole viewport."""
    scroll = node.scroll
    assert scroll is not None
    widths = [
        inner.width if scroll.paged else measure_node(child, ROOM if child.w == WRAP else inner.width, inner.height)[0]
        for child in node.children
    ]
    scroll.span = max(inner.width, 1)
    scroll.limit = max(sum(widths) + node.gap * (len(widths) - 1) - inner.width, 0)
    scroll.offset = min(max(scroll.offset, 0.0), scroll.limit)
    x = inner.x1 - round(scroll.offset)
    for child, w in zip(node.children, widths, strict=True):
        _place_node(child, Box(x, inner.y1, x + w, inner.y2), node.seen)
        x += w + node.gap


def _place_column(node: Node, inner: Box) -> None:
    sizes = _measure_children(node, inner.width, inner.height)
    used = sum(s[1] for s in sizes) + node.gap * (len(sizes) - 1)
    scroll = node.scroll
    if scroll is not None:
        scroll.span = max(inner.height, 1)
        scroll.limit = max(used - inner.height, 0)
        wanted = scroll.limit if scroll.stick_to_end else scroll.offset
        scroll.offset = min(max(wanted, 0.0), scroll.limit)
        y = inner.y1 - round(scroll.offset)
    else:
        y = inner.y1 + _align_offset(node.justify, inner.height, used)
    for child, (w, h) in zip(node.children, sizes, strict=True):
        w = inner.width if child.w == FILL and not child.max_w else min(w, inner.width)
        x = inner.x1 + _align_offset(node.align, inner.width, w)
        _place_node(child, Box(x, y, x + w, y + h), node.seen)
        y += h + node.gap
