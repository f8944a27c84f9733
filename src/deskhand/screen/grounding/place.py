"""Scores positions on the screen and spatial relations between two elements, from 0 to 1."""

from __future__ import annotations

from deskhand.core.geometry import Rect
from deskhand.core.screen import Element
from deskhand.screen.grounding.query import Relation
from deskhand.screen.grounding.tree import ElementTree, measure_distance

DIRECTIONS: frozenset[Relation] = frozenset({"left", "right", "above", "below"})


def score_position(position: str, box: Rect, screen: Rect) -> float:
    """Return 1 in the named corner or at the named edge, 0 at the opposite one."""
    x = (box.left + box.right) / 2 / max(screen.width, 1)
    y = (box.top + box.bottom) / 2 / max(screen.height, 1)
    across = {"left": 1 - x, "right": x}
    down = {"top": 1 - y, "bottom": y}
    if position == "center":
        return max(0.0, 1 - abs(x - 0.5) - abs(y - 0.5))
    parts = [{**across, **down}[part] for part in position.split()]
    return max(0.0, min(1.0, sum(parts) / len(parts)))


def score_relation(relation: Relation, thing: Element, anchor: Element, tree: ElementTree) -> float:
    """Return 0 if the relation does not hold; the nearer, the higher."""
    a, b = thing.bounds, anchor.bounds
    if relation == "inside":
        return _score_inside(thing, anchor, tree)
    near = 1 - min(1.0, measure_distance(a, b) / max(tree.screen.height, 1))
    if relation == "beside":
        return _score_beside(thing, anchor, tree, near)
    if relation in ("left", "right"):
        gap = b.left - a.right if relation == "left" else a.left - b.right
        return near if tree.is_same_row(thing, anchor) and gap >= -min(a.width, b.width) // 2 else 0.0
    gap = b.top - a.bottom if relation == "above" else a.top - b.bottom
    overlap = min(a.right, b.right) - max(a.left, b.left)
    return near if overlap > 0 and gap >= -min(a.height, b.height) // 2 else 0.0


def _score_beside(thing: Element, anchor: Element, tree: ElementTree, near: float) -> float:
    row = tree.row_of(anchor)
    if tree.is_inside(thing, row) or tree.is_same_row(thing, anchor):
        return max(near, 0.5)
    if thing.bounds.bottom <= anchor.bounds.top:
        return 0.0  # what ends above it belongs to what stands above it
    return near * 0.5 if measure_distance(thing.bounds, anchor.bounds) < tree.screen.height * 0.08 else 0.0


def _score_inside(thing: Element, anchor: Element, tree: ElementTree) -> float:
    """Score a thing in the anchor, in the row it names, or in the block it heads (a dialog's or a list's title)."""
    if tree.is_inside(thing, anchor):
        return 1.0
    if tree.is_inside(thing, tree.row_of(anchor)):
        return 0.9
    for depth, above in enumerate(tree.ancestors_of(anchor)):
        if tree.is_inside(thing, above) and above.bounds.area < tree.screen.area * 0.9:
            return max(0.4, 0.8 - 0.1 * depth)
    # the row of a table is no element of its own on many pages
    return 0.5 if not anchor.editable and tree.is_same_row(thing, anchor) else 0.0
