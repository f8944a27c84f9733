"""Tells what an act changed: the screen before it against the screen now, without what moves by itself."""

from collections.abc import Iterable
from zlib import crc32

from deskhand.core.actions import PAGE_IDLE
from deskhand.core.decisions import ActionReport
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element
from deskhand.roles.offline.memory import Sight
from deskhand.roles.offline.outcome import Act, look_again
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene

# An effect may need a moment: looks, half a second apart, before it is said that there is none.
LOOKS = 3
# Pictures tell changes by tiles of this size.
_MARGIN = 40


def take_sight(scene: Scene, spot: Rect) -> Sight:
    """Return what the screen shows: in front, at the spot that is about to be touched, and everywhere else."""
    seen, own, rest = scene.briefing.observation, list[Element](), list[Element]()
    for element in scene.elements:
        if spot.contains_point(*element.bounds.center):
            own.append(element)
        elif not _is_lit_up(element, spot):
            rest.append(element)
    shown = _list_shown(rest)
    return Sight(
        spot=spot,
        front=_hash_facts((seen.app, seen.title, seen.address)),
        rest=_hash_facts(shown),
        words=_hash_facts([(_drop_digits(text), *more) for text, *more in shown]),
        own=_hash_facts((_list_shown(own), [e.focused for e in own if e.editable])),
    )


def _is_lit_up(element: Element, spot: Rect) -> bool:
    """True for what may count as a control only while the pointer is over it: nameless, and around the spot."""
    x, y = spot.center
    return element.clickable and not element.text and element.checked is None and element.bounds.contains_point(x, y)


def find_effect(scene: Scene, before: Sight, *, usable: bool) -> Proof | None:
    """Return what shows that the touch had an effect; None if nothing does. `usable`: it was a control.

    On a control that does something by itself, less is enough: another number, or what only the page knows of.
    """
    now, touch = take_sight(scene, before.spot), find_last_touch(scene)
    idle = touch is not None and PAGE_IDLE in touch.detail
    if now.front != before.front:
        return Proof("front", after=scene.briefing.observation.title or scene.app)
    if (now.words != before.words or now.own != before.own) and (usable or not idle):
        return Proof("changed")
    if touch is None or (idle and not usable):
        return None
    return _judge_touch(scene, before, touch, other=now.rest != before.rest, usable=usable, idle=idle)


def _judge_touch(
    scene: Scene, before: Sight, touch: ActionReport, *, other: bool, usable: bool, idle: bool
) -> Proof | None:
    """Return what shows it where the words are as they were. `other`: their digits are not."""
    if other:  # a clock has them as well
        return Proof("changed") if usable and not idle and touch.changed is not False else None
    if touch.area is not None and (not _is_within(touch.area, before.spot) or _has_no_hover(scene, touch)):
        return None if idle else Proof("changed")
    if usable and scene.is_web_page and touch.action.kind == "click" and not idle:
        return Proof("reacted")
    return None


def wait_for_effect(scene: Scene, looks: int) -> Act | None:
    """Look again, a few times: an answer may be on its way."""
    return look_again(scene.say("等它生效", "Waiting for an effect")) if looks < LOOKS else None


def find_last_touch(scene: Scene) -> ActionReport | None:
    """Return the report of the last action that was more than a wait."""
    reports = [report for step in scene.briefing.history for report in step.actions]
    return next((report for report in reversed(reports) if report.action.kind != "wait"), None)


def _list_shown(elements: Iterable[Element]) -> list[tuple[object, ...]]:
    return [
        (e.text, e.bounds, e.checked, e.selected, e.enabled)
        for e in elements
        if e.text or e.checked is not None or e.clickable
    ]


def _drop_digits(text: object) -> str:
    return "".join(c for c in str(text) if not c.isdigit())


def _hash_facts(facts: object) -> int:
    return crc32(repr(facts).encode())


def _is_within(area: Rect, spot: Rect) -> bool:
    """True if nothing changed but the control itself, which may only show that the pointer is there."""
    around = spot.grow_by(_MARGIN)
    return area.intersect_with(around) == area


def _has_no_hover(scene: Scene, touch: ActionReport) -> bool:
    """True where a pointer leaves no trace of itself: fingers do not, and pictures of controls do not."""
    return touch.action.kind != "click" or all(e.source in ("uiautomator", "ocr") for e in scene.elements)
