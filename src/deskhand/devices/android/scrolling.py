"""Where a finger swipes to scroll: pure geometry, without a phone."""

import math

from deskhand.core.actions import Direction
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element

# A swipe stays clear of the edges, where Android's own gestures begin, and covers at most this share.
MARGIN = 0.12
SWIPE_SHARE = 0.6
# A stroke that would be shorter than this share of the wanted one starts elsewhere instead.
LEAST_STROKE = 0.2


def find_scroll_area(point: tuple[int, int], seen: tuple[Element, ...], screen: Rect) -> Rect:
    """Return the smallest scrollable element at the point, else the screen; without the screen's edges."""
    edge_x, edge_y = int(screen.width * MARGIN), int(screen.height * MARGIN)
    inner = Rect(edge_x, edge_y, screen.right - edge_x, screen.bottom - edge_y)
    around = [each.bounds for each in seen if each.scrollable and each.bounds.contains_point(*point)]
    area = min(around, key=lambda each: each.area, default=screen).intersect_with(inner)
    return area if area.width > edge_x and area.height > edge_y else inner


def plan_stroke(
    direction: Direction, share: float, point: tuple[int, int], area: Rect
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the start and end of a swipe that reveals what lies in `direction`, through the point if there is room."""
    across = direction in ("left", "right")
    low, high = (area.left, area.right - 1) if across else (area.top, area.bottom - 1)
    length = int((high - low) * share)
    middle = min(max(point[0] if across else point[1], low + length // 2), high - length // 2)
    near, far = middle - length // 2, middle + length // 2
    start, end = (far, near) if direction in ("down", "right") else (near, far)
    if across:
        y = min(max(point[1], area.top), area.bottom - 1)
        return (start, y), (end, y)
    x = min(max(point[0], area.left), area.right - 1)
    return (x, start), (x, end)


def start_strokes_at(
    point: tuple[int, int], start: tuple[int, int], end: tuple[int, int], times: int, area: Rect
) -> tuple[tuple[int, int], tuple[int, int], int]:
    """Return the same scroll as strokes that start on the point; more and shorter ones if room is short.

    For a screen whose elements are unknown: what scrolls at the point follows only a finger that starts on it.
    """
    across, down = end[0] - start[0], end[1] - start[1]
    to_x = min(max(point[0] + across, area.left), area.right - 1)
    to_y = min(max(point[1] + down, area.top), area.bottom - 1)
    wanted, got = abs(across) + abs(down), abs(to_x - point[0]) * bool(across) + abs(to_y - point[1]) * bool(down)
    if got < wanted * LEAST_STROKE:
        return start, end, times
    place = (to_x if across else point[0], to_y if down else point[1])
    return point, place, math.ceil(times * wanted / got)
