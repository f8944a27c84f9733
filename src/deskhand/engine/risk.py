"""How far an action can be undone: from its kind, what it touches, what the worker says of it, and where it happens.

Pure. What follows from it is the policy's matter. What the worker says can only make an action riskier, never safer:
a model that was talked into something by a page also lies about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from deskhand.actions import (
    Action,
    Drag,
    Hotkey,
    Key,
    LongPress,
    OpenUrl,
    PointAction,
    RightClick,
    RunCode,
    Swipe,
    Type,
)
from deskhand.engine import risk_words as words
from deskhand.engine.risk_words import Deed
from deskhand.types import Element, Observation, Planned, Rect

Risk = Literal["look", "reversible", "irreversible"]

_LOOKS = frozenset({"move", "scroll", "wait", "back", "home", "memorize", "answer", "take_over", "switch_window"})
_PRESSED = frozenset({"button", "link", "checkbox", "radio", "switch", "menu", "combobox", "tab", "slider"})
_HOLDERS = frozenset({"window", "list", "dialog", "progress"})
# What fills more of the screen than this is the page, not something to press.
_PAGE_SHARE = 0.33
_DIALOG_SHARE = 0.7
_FEW = 14
_ASKING = ("?", "？", "吗", "吗。")


@dataclass(frozen=True, slots=True)
class Finding:
    """`why` says what makes it irreversible; `deed` and `label` are what it was known by."""

    risk: Risk
    why: str = ""
    deed: Deed | None = None
    label: str = ""


_LOOK, _UNDOABLE = Finding("look"), Finding("reversible")


def assess(planned: Planned, seen: Observation) -> Finding:
    """The risk of one action on the screen that it was decided on."""
    if planned.sensitive:
        return Finding("irreversible", planned.sensitive)
    action = planned.action
    if action.kind in _LOOKS:
        return _LOOK
    match action:
        case RunCode():
            return Finding("irreversible", "code can do anything that the sandbox lets it do")
        case RightClick():
            return _UNDOABLE
        case Drag() | Swipe():
            return _path(action, seen)
        case PointAction():
            return _press(action, seen)
        case Type():
            # A new line is the Enter key, as far as the app can tell.
            return _enter(seen, action.target) if action.press_enter or "\n" in action.text else _UNDOABLE
        case Key():
            return _keys([action.key], seen)
        case Hotkey():
            return _keys(action.keys, seen)
        case OpenUrl():
            return _address(action.url)
        case _:
            return _UNDOABLE


def wants_elements(action: Action) -> bool:
    """Whether the risk of this action can only be told with the list of elements."""
    if isinstance(action, Type):
        return action.press_enter or "\n" in action.text
    return isinstance(action, PointAction | Key | Hotkey) and action.kind not in (*_LOOKS, "right_click")


# --- pressing ------------------------------------------------------------------------------------------------------


def _press(action: PointAction, seen: Observation) -> Finding:
    if seen.elements is None:
        return _claimed(action.target, seen) or Finding("irreversible", "what is there can't be told from any list")
    touched = touched_at(seen, action.x, action.y)
    if touched and touched[0].editable and not isinstance(action, LongPress):
        return _UNDOABLE  # it gets the focus, whatever it is called
    found = _labelled(touched, seen) or _unlabelled(touched, seen)
    return found or _claimed(action.target, seen) or _UNDOABLE


def _claimed(target: str, seen: Observation) -> Finding | None:
    """By the worker's own words alone."""
    if not target or words.speaks_of_a_field(target):
        return None
    if deed := words.deed_in(target):
        return _found(deed, target)
    return _agreement(target, None, seen) if words.says_yes(target) else None


def _labelled(touched: Sequence[Element], seen: Observation) -> Finding | None:
    for one in touched:
        for label in (one.name, one.value, one.hint):
            if label and (deed := words.deed_in(label, pressed=_is_pressed(one))):
                return _found(deed, label)
    talk = words.table()["enter"]
    for one in touched:
        if _is_pressed(one) and seen.app.casefold() in talk["apps"] and one.text.casefold() in talk["things"]:
            return Finding("irreversible", f'"{one.text}" may go out at once', _deed("send"), one.text)
    for one in touched:
        if words.says_yes(one.text) and (found := _agreement(one.text, one, seen)):
            return found
    return None


def _unlabelled(touched: Sequence[Element], seen: Observation) -> Finding | None:
    """A button that says nothing: by what its makers call it, or by standing beside a field with something in it."""
    if not touched or any(one.text for one in touched) or not touched[0].clickable:
        return None
    if deed := words.deed_of_id(touched[0].id):
        return _found(deed, touched[0].id)
    for field in seen.elements or ():
        beside = field.bounds.top < touched[0].bounds.center[1] < field.bounds.bottom
        close = 0 <= touched[0].bounds.left - field.bounds.right <= 2 * max(field.bounds.height, 60)
        if field.editable and field.value and beside and close and not _is_search(field):
            return Finding("irreversible", "a button without a name beside a field with text in it may send it")
    return None


def _found(deed: Deed, label: str) -> Finding:
    shown = label if len(label) <= 60 else label[:60] + "…"
    return Finding("irreversible", f'"{shown}" {deed.says}', deed, label)


def touched_at(seen: Observation, x: int, y: int) -> list[Element]:
    """Everything that a press at this point may mean: what is under it, smallest first, and what is written on that."""
    elements = seen.elements or ()
    page = _PAGE_SHARE * seen.frame.width * seen.frame.height
    here = sorted((one for one in elements if one.bounds.contains(x, y)), key=lambda one: one.bounds.area)
    usable = [one for one in here if one.clickable or one.editable or one.role in _PRESSED]
    target = usable[0] if usable else here[0] if here else None
    if target is None:
        return []
    meant = [one for one in here if one is not target and not one.editable and one.role not in _HOLDERS]
    inside: list[Element] = []
    if target.bounds.area < page and not target.editable:
        inside = [one for one in _below(target, elements) if one not in meant and not one.editable]
    return [target, *meant, *inside]


def _below(top: Element, elements: Sequence[Element]) -> list[Element]:
    """Everything inside of an element; a parent is listed before its children."""
    family, found = {top.index}, list[Element]()
    for one in elements:
        if one.parent in family and one.index not in family:
            family.add(one.index)
            found.append(one)
    return found


def _is_pressed(one: Element) -> bool:
    return one.role in _PRESSED or (one.clickable and one.role not in ("item", "list"))


# --- saying yes ----------------------------------------------------------------------------------------------------


def _agreement(label: str, button: Element | None, seen: Observation) -> Finding | None:
    """What a yes is said to: the question around the button, or a page on which money is spent."""
    for text in _around(button, seen):
        if deed := words.deed_asked_about(text):
            return Finding("irreversible", f'"{label}" answers "{text[:80]}", which {deed.says}', deed, label)
    if costly := _about_money(seen):
        return Finding("irreversible", f'"{label}" is pressed where money is spent ({costly})', _deed("pay"), label)
    return None


def _deed(name: str) -> Deed:
    return next(deed for deed in words.deeds() if deed.name == name)


def _around(button: Element | None, seen: Observation) -> Iterable[str]:
    """The texts of the dialog that holds the button; questions anywhere when there is little else on the screen."""
    elements = seen.elements or ()
    told = [one for one in elements if one.text and not _is_pressed(one) and not one.editable and one.role != "item"]
    if button is not None:
        at, most = button.bounds.center, _DIALOG_SHARE * seen.frame.width * seen.frame.height
        boxes = [one for one in elements if one.role == "dialog" and one.bounds.contains(*at)]
        parents = [one for one in _parents(button, elements) if one.bounds.area < most]
        for box in (*boxes, *parents):
            yield box.name
            yield from (one.text for one in told if one is not button and _holds(box.bounds, one.bounds))
    if len(told) <= _FEW:
        yield from (one.text for one in told if one is not button and one.text.rstrip().endswith(_ASKING))


def _parents(one: Element, elements: Sequence[Element]) -> list[Element]:
    by_index = {each.index: each for each in elements}
    found: list[Element] = []
    while one.parent is not None and (above := by_index.get(one.parent)) is not None and above not in found:
        found.append(above)
        one = above
    return found


def _holds(outer: Rect, inner: Rect) -> bool:
    return outer.intersect(inner) == inner


def _about_money(seen: Observation) -> str:
    names: list[str] = words.table()["money"]
    if found := words.has(names, seen.title):
        return found
    parts = re.split(r"[^a-z]+", seen.app.casefold())
    return next((name for name in names if any(p == name or (len(name) > 4 and p.startswith(name)) for p in parts)), "")


# --- paths ---------------------------------------------------------------------------------------------------------


def _path(action: Drag | Swipe, seen: Observation) -> Finding:
    """Slide to pay; drop into the bin. A swipe up or down only scrolls."""
    begins = touched_at(seen, action.x, action.y)
    ends = touched_at(seen, action.to_x, action.to_y) if isinstance(action, Drag) else []
    for one in begins:
        # A row of a list is dragged for many reasons: only what is made to be slid counts.
        if _is_pressed(one) and (deed := words.deed_in(one.text)):
            return _found(deed, one.text)
    for one in ends:
        if words.has(words.table()["bins"], one.text) or words.deed_in(one.text, pressed=_is_pressed(one)):
            return _found(_deed("delete"), one.text)
    if claimed := _claimed(action.target, seen):
        return claimed
    across = abs(action.to_x - action.x) > abs(action.to_y - action.y)
    return _UNDOABLE if across or isinstance(action, Drag) else _LOOK


# --- keys ----------------------------------------------------------------------------------------------------------


def _keys(pressed: Iterable[str], seen: Observation) -> Finding:
    known = words.table()["keys"]
    names = [_key(part) for key in pressed for part in (key.split("+") if len(key) > 1 else [key]) if part]
    held = [name for name in names if name in known["modifiers"]]
    free = [name for name in names if name not in held]
    if "+".join(sorted(names)) in known["sends"]:
        return Finding("irreversible", "these keys send something", _deed("send"))
    if any(name in known["enter"] for name in free):
        # With Shift it is a new line, in all that takes several.
        return _UNDOABLE if held == ["shift"] else _enter(seen, "", sends=bool(held))
    if any(name in known["delete"] for name in free):
        return (
            _UNDOABLE if _field(seen) else Finding("irreversible", "the Delete key outside of a field", _deed("delete"))
        )
    if any(name in known["call"] for name in free):
        return Finding("irreversible", "the Call key calls somebody", _deed("send"))
    if any(name in known["press"] for name in free) and not _field(seen):
        return _focused_button(seen) or _UNDOABLE
    return _LOOK if free and all(name in known["look"] for name in free) else _UNDOABLE


def _key(name: str) -> str:
    return re.sub(r"[\s_\-]", "", name.casefold().strip()).removeprefix("keycode").removesuffix("left") or name


def _enter(seen: Observation, target: str, *, sends: bool = False) -> Finding:
    """Enter hands in what a field of a form or a chat holds; in a search it only looks, in an editor it goes on."""
    if seen.elements is None:
        return Finding("irreversible", "Enter may send what was typed, and what is there can't be told from any list")
    field = _field(seen)
    if field is None and (pressed := _focused_button(seen)):
        return pressed
    told = " ".join((field.name, field.hint, field.id.rpartition("/")[2]) if field else ())
    known = words.table()["enter"]
    for kind, why in (("terminal", "Enter runs what was typed"), ("talk", "Enter sends what was typed")):
        places = (told, target) if kind == "talk" else (told, target, seen.app, seen.title)
        if not _is_search(field) and any(words.has(known[kind], text) for text in places):
            return Finding("irreversible", why, _deed("send"))
    if field is not None and _is_search(field):
        return _UNDOABLE
    if sends or seen.app.casefold() in known["apps"]:
        return Finding("irreversible", "Enter sends what was typed", _deed("send"))
    for one in seen.elements:
        if one.enabled and _is_pressed(one) and not one.editable and (deed := words.deed_in(one.text)):
            return Finding(
                "irreversible", f'Enter may do the same as "{one.text[:60]}", which {deed.says}', deed, one.text
            )
    return _UNDOABLE


def _field(seen: Observation) -> Element | None:
    return next((one for one in seen.elements or () if one.focused and one.editable), None)


def _focused_button(seen: Observation) -> Finding | None:
    for one in seen.elements or ():
        if one.focused and not one.editable and one.bounds.area:
            touched = [one, *(each for each in _below(one, seen.elements or ()) if not each.editable)]
            if found := _labelled(touched, seen):
                return found
    return None


def _is_search(field: Element | None) -> bool:
    if field is None:
        return False
    told = " ".join((field.name, field.hint, field.id.rpartition("/")[2]))
    return bool(words.has(words.table()["enter"]["search"], told))


# --- addresses -----------------------------------------------------------------------------------------------------


def _address(url: str) -> Finding:
    known = words.table()["addresses"]
    scheme = re.match(r"\s*([A-Za-z][A-Za-z0-9+.\-]*):(\d{1,5}(?:[/?#]|$))?", url)
    named = scheme[1].lower() if scheme else ""
    # `nas:8080` is a host with its port, but `sms:123` is none.
    if scheme and named not in known["plain"] and (named in known["acting"] or not scheme[2]):
        return Finding("irreversible", f"{named}: leads into another app, which may act on it")
    path = re.split(r"[/?#&=;]+", url.casefold().partition("//")[2] or url.casefold())[1:]
    if deed := next((part for part in path if part in known["deeds"]), ""):
        return Finding("irreversible", f'the address says "{deed}": opening it may do that')
    return _UNDOABLE
