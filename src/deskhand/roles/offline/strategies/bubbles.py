"""Reads a conversation: each message with its side. Mine stand on the right, the others' on the left."""

import re
from dataclasses import dataclass

from deskhand.core.geometry import Rect
from deskhand.core.screen import Element
from deskhand.roles.offline.language.lexicon import load_lexicon
from deskhand.roles.offline.scene import Scene
from deskhand.screen.grounding.vocabulary import fold_name

_TIME = re.compile(r"\W*(?:[^\W\d]{0,12}\W+)?\d{1,2}[:：]\d{2}(?:\s*[AaPp][Mm])?\W*")


@dataclass(frozen=True, slots=True)
class Bubble:
    """`mine` is None where all messages stand on one side, so that it does not tell whose they are."""

    text: str
    mine: bool | None
    bounds: Rect


def list_bubbles(scene: Scene, box: Element) -> list[Bubble]:
    """Return the messages above the field for a new one, in reading order."""
    pane = _find_pane(scene, box)
    top = scene.tree.screen.top + 0.1 * scene.tree.screen.height
    texts = [
        e for e in scene.elements
        if e.text and not e.editable and e.role not in ("button", "tab", "link", "image", "window")
        and e.bounds.bottom <= box.bounds.top and e.bounds.top >= top and not _is_note(e, pane)
        and pane.contains_point(*e.bounds.center) and not any(d.text for d in scene.tree.descendants_of(e))
    ]  # fmt: skip
    widest = [e for e in texts if not any(_is_beside(e, o) and o.bounds.width > e.bounds.width for o in texts)]
    sides = [_stands_right(e, pane) for e in widest]
    told = len(set(sides)) > 1 or all(e.source == "uiautomator" for e in widest)
    return [
        Bubble(e.text, side if told else None, e.bounds)
        for side, e in sorted(zip(sides, widest, strict=True), key=lambda pair: pair[1].bounds.top)
    ]


def count_mine(scene: Scene, box: Element | None, text: str) -> int:
    """Return how often this text stands in the conversation as mine, or as nobody's in particular."""
    shown = scene.find_shown(text)
    theirs = {b.bounds for b in list_bubbles(scene, box) if b.mine is False} if box is not None else set[Rect]()
    return sum(e.bounds not in theirs for e in shown)


def find_failure(scene: Scene, text: str) -> str:
    """Return what says that the last message of this text was not delivered; empty if nothing does."""
    shown = max(scene.find_shown(text), key=lambda e: e.bounds.top, default=None)
    if shown is None:
        return ""
    if is_pending(scene, text):
        return scene.say("发送中", "sending")
    words = [fold_name(word) for word in load_lexicon().extra["undelivered"]]
    below = Rect(0, shown.bounds.top, scene.tree.screen.right, shown.bounds.bottom + 2 * shown.bounds.height)
    near = [e for e in scene.elements if e.index != shown.index and below.contains_point(*e.bounds.center)]
    found = (e.text for e in near if e.text.strip() in ("!", "！") or any(w in fold_name(e.text) for w in words))
    return next(found, "")


def is_pending(scene: Scene, text: str) -> bool:
    """True while something beside the last message of this text shows that it is still on its way."""
    shown = max(scene.find_shown(text), key=lambda e: e.bounds.top, default=None)
    turning = [e for e in scene.elements if e.role == "progress"]
    return shown is not None and any(scene.tree.is_same_row(e, shown) for e in turning)


def _find_pane(scene: Scene, box: Element) -> Rect:
    """Return the scrolled area above the box; without one, the screen's width."""
    areas = [e.bounds for e in scene.elements if e.scrollable and e.bounds.top < box.bounds.top]
    own = [area for area in areas if area.left <= box.bounds.center[0] < area.right]
    return min(own, key=lambda area: area.area, default=scene.tree.screen)


def _is_note(element: Element, pane: Rect) -> bool:
    """True for a time or a remark in the middle, which nobody wrote."""
    left, right = element.bounds.left - pane.left, pane.right - element.bounds.right
    centred = abs(left - right) <= 0.04 * pane.width and element.bounds.width < 0.7 * pane.width
    return centred or _TIME.fullmatch(element.text) is not None


def _is_beside(one: Element, other: Element) -> bool:
    """True if both stand in one line: a face or a name beside the words."""
    overlap = min(one.bounds.bottom, other.bounds.bottom) - max(one.bounds.top, other.bounds.top)
    return one.index != other.index and overlap > 0.5 * min(one.bounds.height, other.bounds.height)


def _stands_right(element: Element, pane: Rect) -> bool:
    return element.bounds.left - pane.left > pane.right - element.bounds.right
