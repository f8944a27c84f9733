"""Whether a yes still holds: it was for one action on one screen, and expires with it."""

import re
from collections import Counter

from deskhand.core.actions import Action, points_of
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element, Observation
from deskhand.engine.observer import has_moved_away
from deskhand.engine.safety.risk import touched_at
from deskhand.screen.diff import change_between, find_changed_regions
from deskhand.screen.stillness.self_motion import SelfMotion

# With every text as it was, a picture may go on playing; beyond this it is another page.
OTHER_SCREEN = 0.05
# A caret is a thin line; the clock of a phone or a desktop is small and stands at the edge.
_CARET = (4, 90)
_EDGE, _CLOCK = 0.06, 0.25
_TIME = re.compile(r"\d{1,2}[:：]\d{2}(?:[:：]\d{2})?|\d+\s*(?:s|sec|seconds|秒)\b|\d+\s*秒")


def still_good(agreed: Observation, now: Observation, action: Action, movers: SelfMotion | None = None) -> bool:
    """The same app in front, what is aimed at as it was, and nothing else said: an amount, a name, a recipient.

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
        same = _aimed_at(agreed, action) == _aimed_at(now, action) and _told(agreed) == _told(now)
        return same and change.share_of(tiles) <= OTHER_SCREEN
    changed = find_changed_regions(agreed.frame, now.frame, ignore=change.tiles & ~tiles)
    return all(_by_itself(box, now.frame.size) for box in changed)


def _aimed_at(seen: Observation, action: Action) -> list[list[str]]:
    return [[_timeless(one.text) for one in touched_at(seen, x, y)] for x, y in points_of(action)]


def _told(seen: Observation) -> Counter[str]:
    """Every text on the screen but for those at its edge, where the clock and the battery are."""
    return Counter(_timeless(one.text) for one in seen.elements or () if one.text and not _at_the_edge(one, seen))


def _at_the_edge(one: Element, seen: Observation) -> bool:
    return _in_strip(one.bounds, seen.frame.size) and one.bounds.width <= _CLOCK * seen.frame.width


def _timeless(text: str) -> str:
    return _TIME.sub("·", text)


def _by_itself(box: Rect, size: tuple[int, int]) -> bool:
    caret = box.width <= _CARET[0] and box.height <= _CARET[1]
    return caret or (_in_strip(box, size) and box.width <= _CLOCK * size[0])


def _in_strip(box: Rect, size: tuple[int, int]) -> bool:
    """A desktop has its clock above or below; at the lower edge of a phone there is what it costs."""
    width, height = size
    return box.bottom <= _EDGE * height or (width > height and box.top >= (1 - _EDGE) * height)
