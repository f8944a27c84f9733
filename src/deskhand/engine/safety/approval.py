"""Tells whether an approval still holds: it was for one action on one screen, and expires with it."""

import re
from collections import Counter

from deskhand.core.actions import Action, points_of
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element, Observation
from deskhand.engine.observer import has_moved_away
from deskhand.engine.safety.touched_elements import find_touched
from deskhand.screen.diff import change_between, find_changed_regions
from deskhand.screen.stillness.self_motion import SelfMotion

# With every text as it was, a picture may go on playing; beyond this it is another page.
OTHER_SCREEN = 0.05
# A caret is a thin line; the clock of a phone or a desktop is small and stands at the edge.
_CARET = (4, 90)
_EDGE, _CLOCK = 0.06, 0.25
_TIME = re.compile(r"\d{1,2}[:：]\d{2}(?:[:：]\d{2})?|\d+\s*(?:s|sec|seconds|秒)\b|\d+\s*秒")


def is_still_valid(agreed: Observation, now: Observation, action: Action, movers: SelfMotion | None = None) -> bool:
    """True if the same app is in front, the target is as it was, and no text changed: an amount, a name, a recipient.

    Where both lists of elements are known their texts are compared, else the pixels. Clocks and carets may go on,
    and with `movers` whatever else is known to move by itself.
    """
    if now.app != agreed.app or now.frame.size != agreed.frame.size:
        return False
    if has_moved_away(action, agreed.frame, now.frame):
        return False
    change = change_between(agreed.frame, now.frame)
    tiles = movers.find_unexplained(change) if movers else change.tiles
    if agreed.elements is not None and now.elements is not None:
        same = _texts_at_target(agreed, action) == _texts_at_target(now, action) and count_texts(agreed) == count_texts(
            now
        )
        return same and change.share_of(tiles) <= OTHER_SCREEN
    changed = find_changed_regions(agreed.frame, now.frame, ignore=change.tiles & ~tiles)
    return all(_may_move_by_itself(box, now.frame.size) for box in changed)


def _texts_at_target(seen: Observation, action: Action) -> list[list[str]]:
    return [[_mask_times(one.text) for one in find_touched(seen, x, y)] for x, y in points_of(action)]


def count_texts(seen: Observation) -> Counter[str]:
    """Count every text on the screen but for those at its edge, where the clock and the battery are."""
    return Counter(_mask_times(one.text) for one in seen.elements or () if one.text and not _is_at_edge(one, seen))


def _is_at_edge(one: Element, seen: Observation) -> bool:
    return _is_in_strip(one.bounds, seen.frame.size) and one.bounds.width <= _CLOCK * seen.frame.width


def _mask_times(text: str) -> str:
    return _TIME.sub("·", text)


def _may_move_by_itself(box: Rect, size: tuple[int, int]) -> bool:
    caret = box.width <= _CARET[0] and box.height <= _CARET[1]
    return caret or (_is_in_strip(box, size) and box.width <= _CLOCK * size[0])


def _is_in_strip(box: Rect, size: tuple[int, int]) -> bool:
    """True at the upper edge, and at the lower one of a desktop; on a phone there is the price at the lower edge."""
    width, height = size
    return box.bottom <= _EDGE * height or (width > height and box.top >= (1 - _EDGE) * height)
