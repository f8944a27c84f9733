"""Which elements an action touches: under a point, beside it, around a button, and the field that has the focus."""

from collections.abc import Sequence

from deskhand.core.actions import Action, points_of
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element, Frame, Observation
from deskhand.engine.safety import risk_words as words

_PRESSED = frozenset({"button", "link", "checkbox", "radio", "switch", "menu", "combobox", "tab", "slider"})
_HOLDERS = frozenset({"window", "list", "dialog", "progress"})
# What fills more of the screen than this is the page, not something to press.
_PAGE_SHARE = 0.33
# Where only words are listed, and not the button around them, they stand for this much beside and above them.
_BESIDE, _ABOVE = 8, 1


def find_touched(seen: Observation, x: int, y: int) -> list[Element]:
    """Return all that a press at this point may mean: what is under it, smallest first, and what is written on that."""
    elements = seen.elements or ()
    here = sorted((one for one in elements if one.bounds.contains_point(x, y)), key=lambda one: one.bounds.area)
    usable = [one for one in here if is_usable(one)]
    target = usable[0] if usable else here[0] if here else None
    if target is None:
        return []
    meant = [one for one in here if one is not target and not one.editable and one.role not in _HOLDERS]
    inside: list[Element] = []
    if not is_page(target, seen.frame) and not target.editable:
        inside = [one for one in list_below(target, elements) if one not in meant and not one.editable]
    return [target, *meant, *inside]


def find_beside(seen: Observation, x: int, y: int) -> list[Element]:
    """Return words near a point, nearest first: a button around them that no list names may reach as far."""
    near: list[tuple[int, Element]] = []
    for one in seen.elements or ():
        box = one.bounds
        aside, over = max(box.left - x, x - box.right + 1, 0), max(box.top - y, y - box.bottom + 1, 0)
        close = (aside or over) and aside <= _BESIDE * box.height and over <= _ABOVE * box.height
        if close and one.text and not is_usable(one) and one.role not in _HOLDERS:
            near.append((aside + over, one))
    return [one for _, one in sorted(near, key=lambda pair: pair[0])]


def list_labels(action: Action, seen: Observation) -> tuple[str, ...]:
    """Return what is written on whatever an action presses."""
    points = points_of(action)
    texts = [one.text for x, y in points for one in find_touched(seen, x, y) if not is_page(one, seen.frame)]
    return tuple(filter(None, texts))


def list_below(top: Element, elements: Sequence[Element]) -> list[Element]:
    """Return everything inside of an element; a parent is listed before its children."""
    family, found = {top.index}, list[Element]()
    for one in elements:
        if one.parent in family and one.index not in family:
            family.add(one.index)
            found.append(one)
    return found


def list_parents(one: Element, elements: Sequence[Element]) -> list[Element]:
    by_index = {each.index: each for each in elements}
    found: list[Element] = []
    while one.parent is not None and (above := by_index.get(one.parent)) is not None and above not in found:
        found.append(above)
        one = above
    return found


def is_usable(one: Element) -> bool:
    return one.clickable or one.editable or one.role in _PRESSED


def is_pressed(one: Element) -> bool:
    return one.role in _PRESSED or (one.clickable and one.role not in ("item", "list"))


def is_page(one: Element, frame: Frame) -> bool:
    return one.bounds.area >= _PAGE_SHARE * frame.width * frame.height


def is_inside(inner: Rect, outer: Rect) -> bool:
    return outer.intersect_with(inner) == inner


# --- the focus -----------------------------------------------------------------------------------------------------


def is_focus_unknown(seen: Observation) -> bool:
    """True if there is no list of elements, or only what was read from the picture."""
    return seen.elements is None or (bool(seen.elements) and all(one.source == "ocr" for one in seen.elements))


def find_field(seen: Observation) -> Element | None:
    """Return the field that has the focus."""
    return next((one for one in seen.elements or () if one.focused and one.editable), None)


def describe_field(field: Element | None) -> str:
    return " ".join((field.name, field.hint, field.id.rpartition("/")[2])) if field else ""


def is_search_field(field: Element | None) -> bool:
    """Where it names talk, too, by the word it begins with: "Search messages", but not "Message the search team"."""
    known, text = words.read_table()["enter"], describe_field(field)
    if not words.find_word(known["search"], text):
        return False
    return not words.find_word(known["talk"], text) or words.begins_with(known["search"], text)
