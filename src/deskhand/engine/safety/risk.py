"""How far an action can be undone: from its kind, what it touches, what the worker says of it, and where it happens.

Pure. What follows from it is the policy's matter. What the worker says can only make an action riskier, never safer:
a model that was talked into something by a page also lies about it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

from deskhand.core.actions import (
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
from deskhand.core.decisions import PlannedAction
from deskhand.core.geometry import Rect
from deskhand.core.screen import FILE_HINT, Element, Frame, Observation
from deskhand.engine.safety import risk_words as words
from deskhand.engine.safety.risk_words import Deed
from deskhand.screen.frame import crop_frame
from deskhand.settings.site_lists import clean_address

Risk = Literal["look", "reversible", "irreversible"]

_LOOKS = frozenset({"move", "scroll", "wait", "back", "home", "memorize", "answer", "take_over", "switch_window"})
_PRESSED = frozenset({"button", "link", "checkbox", "radio", "switch", "menu", "combobox", "tab", "slider"})
_HOLDERS = frozenset({"window", "list", "dialog", "progress"})
# What fills more of the screen than this is the page, not something to press.
_PAGE_SHARE = 0.33
_DIALOG_SHARE = 0.7
_FEW = 14
_ASKING = ("?", "？", "吗", "吗。")
# Where only words are listed, and not the button around them, they stand for this much beside and above them.
_BESIDE, _ABOVE = 8, 1
_QUESTION_SHARE = 0.3
# A finger or a mouse that moves no farther has pressed.
_SLOP = 24
# Colours that differ by less are the same to the eye.
_INK = 24
# Each of these is the Enter key, as far as some device or app can tell.
_LINE_ENDS = re.compile(r"[\n\r\v\f\x85\u2028\u2029]")
# Tab leaves the field, and a blank then presses whatever has the focus.
_TAB_AND_PRESS = re.compile(r"\t[\t ]* ")
# A text without any of these is no more than a text, wherever the focus is: no key that presses, no path, no address.
_NOT_JUST_TEXT = re.compile(r"[\s/\\.:~]")
_BLIND = "what has the focus can't be told from any list"


@dataclass(frozen=True, slots=True)
class Finding:
    """`why` says what makes it irreversible; `deed` and `label` are what it was known by."""

    risk: Risk
    why: str = ""
    deed: Deed | None = None
    label: str = ""


_LOOK, _UNDOABLE = Finding("look"), Finding("reversible")


def assess(planned: PlannedAction, seen: Observation) -> Finding:
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
            return _typed(action, seen)
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
        return action.press_enter or bool(_NOT_JUST_TEXT.search(action.text))
    return isinstance(action, PointAction | Key | Hotkey) and action.kind not in (*_LOOKS, "right_click")


# --- pressing ------------------------------------------------------------------------------------------------------


def _press(action: PointAction, seen: Observation) -> Finding:
    if seen.elements is None:
        return _claimed(action.target, seen) or Finding("irreversible", "what is there can't be told from any list")
    touched = touched_at(seen, action.x, action.y)
    if touched and touched[0].editable and not isinstance(action, LongPress):
        return _UNDOABLE  # it gets the focus, whatever it is called
    if not any(map(_is_usable, touched)):
        touched = [*touched, *_beside(seen, action.x, action.y)]
    found = _labelled(touched, seen) or _unlabelled(touched, seen) or _claimed(action.target, seen)
    if not found and not touched and _unfocused(seen) and not _is_blank(seen.frame, action.x, action.y):
        return Finding("irreversible", "there is a picture without words, and no list tells what it does")
    return found or _UNDOABLE


def _is_blank(frame: Frame, x: int, y: int) -> bool:
    """Of one colour around the point, as a page or an empty field is: no icon."""
    around = crop_frame(frame, Rect(x - _SLOP, y - _SLOP, x + _SLOP, y + _SLOP)).pixels[..., :3]
    return bool((around.max(axis=(0, 1)) - around.min(axis=(0, 1))).max() < _INK)


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
            if label and (deed := words.deed_in(label, pressed=_may_be_pressed(one, label))):
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
    """A button that says nothing: by what its makers call it, or by something being written that it may send."""
    if not touched or any(words.says_something(one.text) for one in touched) or not touched[0].clickable:
        return None
    if deed := words.deed_of_id(touched[0].id):
        return _found(deed, touched[0].id)
    if touched[0].bounds.area >= _PAGE_SHARE * seen.frame.width * seen.frame.height:
        return None
    for field in seen.elements or ():
        inside = _holds(field.bounds, touched[0].bounds)  # what empties it, or shows a password
        if field.editable and field.value and not inside and not _is_search(field):
            return Finding("irreversible", "a button without a name may send what was typed")
    return None


def _found(deed: Deed, label: str) -> Finding:
    shown = label if len(label) <= 60 else label[:60] + "…"
    return Finding("irreversible", f'"{shown}" {deed.says}', deed, label)


def touched_at(seen: Observation, x: int, y: int) -> list[Element]:
    """Everything that a press at this point may mean: what is under it, smallest first, and what is written on that."""
    elements = seen.elements or ()
    page = _PAGE_SHARE * seen.frame.width * seen.frame.height
    here = sorted((one for one in elements if one.bounds.contains_point(x, y)), key=lambda one: one.bounds.area)
    usable = [one for one in here if _is_usable(one)]
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


def _beside(seen: Observation, x: int, y: int) -> list[Element]:
    """Words near a point where nothing to press is listed: the button around them may reach as far, nearest first."""
    near: list[tuple[int, Element]] = []
    for one in seen.elements or ():
        box = one.bounds
        aside, over = max(box.left - x, x - box.right + 1, 0), max(box.top - y, y - box.bottom + 1, 0)
        close = (aside or over) and aside <= _BESIDE * box.height and over <= _ABOVE * box.height
        if close and one.text and not _is_usable(one) and one.role not in _HOLDERS:
            near.append((aside + over, one))
    return [one for _, one in sorted(near, key=lambda pair: pair[0])]


def _is_usable(one: Element) -> bool:
    return one.clickable or one.editable or one.role in _PRESSED


def _is_pressed(one: Element) -> bool:
    return one.role in _PRESSED or (one.clickable and one.role not in ("item", "list"))


def _may_be_pressed(one: Element, label: str) -> bool:
    """What was read from a picture is not known to be a button; in a few words it may be one."""
    return _is_pressed(one) or (one.source == "ocr" and words.is_short(label))


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
        boxes = [one for one in elements if one.role == "dialog" and one.bounds.contains_point(*at)]
        parents = [one for one in _parents(button, elements) if one.bounds.area < most]
        for box in (*boxes, *parents):
            yield box.name
            yield from (one.text for one in told if one is not button and _holds(box.bounds, one.bounds))
        if button.source == "ocr":  # no box tells what belongs together
            reach = _QUESTION_SHARE * seen.frame.height
            yield from (one.text for one in told if 0 < at[1] - one.bounds.center[1] <= reach)
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
    return outer.intersect_with(inner) == inner


def _about_money(seen: Observation) -> str:
    names: list[str] = words.table()["money"]
    if found := words.has(names, seen.title):
        return found
    parts = re.split(r"[^a-z]+", seen.app.casefold())
    return next((name for name in names if any(p == name or (len(name) > 4 and p.startswith(name)) for p in parts)), "")


# --- paths ---------------------------------------------------------------------------------------------------------


def _path(action: Drag | Swipe, seen: Observation) -> Finding:
    """Slide to pay; drop into the bin. A swipe up or down only scrolls, unless it never leaves what it began on."""
    begins = touched_at(seen, action.x, action.y)
    if _stays(action, begins, seen):
        return _press(action, seen)
    ends = touched_at(seen, action.to_x, action.to_y) if isinstance(action, Drag) else []
    for one in begins:
        for label in (one.name, one.value, one.hint):
            # A row of a list is dragged for many reasons: only what is made to be slid counts.
            slid = _is_pressed(one) or words.has(words.table()["slides"], label)
            if label and slid and (deed := words.deed_in(label)):
                return _found(deed, label)
    for one in ends:
        if words.has(words.table()["bins"], one.text) or words.deed_in(one.text, pressed=_is_pressed(one)):
            return _found(_deed("delete"), one.text)
    if claimed := _claimed(action.target, seen):
        return claimed
    across = abs(action.to_x - action.x) > abs(action.to_y - action.y)
    return _UNDOABLE if across or isinstance(action, Drag) else _LOOK


def _stays(action: Drag | Swipe, begins: Sequence[Element], seen: Observation) -> bool:
    """Whether it ends on what it began on, which then takes it for a press."""
    if max(abs(action.to_x - action.x), abs(action.to_y - action.y)) <= _SLOP:
        return True
    page = _PAGE_SHARE * seen.frame.width * seen.frame.height
    return (
        bool(begins)
        and _is_pressed(begins[0])
        and begins[0].role != "slider"
        and begins[0].bounds.area < page
        and begins[0].bounds.contains_point(action.to_x, action.to_y)
    )


# --- typing and keys -----------------------------------------------------------------------------------------------


def _typed(action: Type, seen: Observation) -> Finding:
    if action.press_enter or _LINE_ENDS.search(action.text):
        return _enter(seen, action.target, action.text)
    if _TAB_AND_PRESS.search(action.text):
        return Finding("irreversible", "a Tab leaves the field, and the blank after it presses what comes next")
    if file := _file_given(seen):
        return file
    if " " in action.text and not _field(seen):
        return _space(seen, certain=not action.text.strip())
    return _UNDOABLE


def _keys(pressed: Iterable[str], seen: Observation) -> Finding:
    known = words.table()["keys"]
    names = _names(pressed)
    held = [name for name in names if name in known["modifiers"]]
    free = [name for name in names if name not in held]
    if "+".join(sorted(names)) in known["sends"]:
        return Finding("irreversible", "these keys send something", _deed("send"))
    if any(name in known["enter"] for name in free):
        return _enter(seen, "", sends=bool(held) and held != ["shift"], new_line=held == ["shift"])
    if held and any(name in known["terminal"] for name in free) and _in_a_terminal(seen):
        return Finding("irreversible", "in a terminal these keys run what was typed, or what was copied")
    if any(name in known["delete"] for name in free):
        return (
            _UNDOABLE if _field(seen) else Finding("irreversible", "the Delete key outside of a field", _deed("delete"))
        )
    if any(name in known["call"] for name in free):
        return Finding("irreversible", "the Call key calls somebody", _deed("send"))
    if any(name in known["press"] for name in free) and not _field(seen):
        return _space(seen, certain=True)
    if any(name in known["mnemonic"] for name in held) and any(len(name) == 1 for name in free):
        return _same_as_a_button(seen, "these keys") or _UNDOABLE
    return _LOOK if free and all(name in known["look"] for name in free) else _UNDOABLE


def _in_a_terminal(seen: Observation) -> bool:
    return bool(words.has(words.table()["enter"]["terminal"], f"{seen.app} {seen.title}"))


def _names(keys: Iterable[str]) -> list[str]:
    return [_key(part) for key in keys for part in (key.split("+") if len(key) > 1 else [key]) if part]


def _key(name: str) -> str:
    plain = re.sub(r"[\s_\-]", "", name.casefold().strip()).removeprefix("keycode") or name
    plain = re.sub(r"^(?:kp|numpad|iso)(?=[a-z])", "", plain)
    plain = re.sub(r"^(ctrl|control|shift|alt|meta|super|cmd|command|option|win)(?:left|right|l|r)$", r"\1", plain)
    return str(int(plain)) if plain.isascii() and plain.isdecimal() else plain


def _space(seen: Observation, *, certain: bool) -> Finding:
    """A blank presses the button that has the focus. `certain`: it can't be just a part of what is written."""
    if _unfocused(seen):
        return Finding("irreversible", f"a blank may press a button, and {_BLIND}") if certain else _UNDOABLE
    return _focused_button(seen) or _UNDOABLE


def _enter(seen: Observation, target: str, typed: str = "", *, sends: bool = False, new_line: bool = False) -> Finding:
    """Enter hands in what a field of a form or a chat holds; in a search it only looks, in an editor it goes on.

    `new_line`: with Shift, which in a chat begins a new line, but elsewhere is as good as Enter alone.
    """
    if _unfocused(seen):
        return Finding("irreversible", f"Enter may send what was typed, and {_BLIND}")
    field, known = _field(seen), words.table()["enter"]
    if field is None and (pressed := _focused_button(seen)):
        return pressed
    if file := _file_given(seen):
        return file
    told = _told_of(field)
    if _is_search(field):
        address = _address_in(typed, field)
        return _address(address) if address else _UNDOABLE
    if any(words.has(known["terminal"], text) for text in (told, target, seen.app, seen.title)):
        return Finding("irreversible", "Enter runs what was typed", _deed("send"))
    if any(words.has(known["talk"], text) for text in (told, target)) or sends or seen.app.casefold() in known["apps"]:
        return _UNDOABLE if new_line else Finding("irreversible", "Enter sends what was typed", _deed("send"))
    return _same_as_a_button(seen, "Enter") or _UNDOABLE


def _file_given(seen: Observation) -> Finding | None:
    if any(one.focused and one.hint == FILE_HINT for one in seen.elements or ()):
        return Finding("irreversible", "the page gets the file that is named here", _deed("submit"))
    return None


def _same_as_a_button(seen: Observation, what: str) -> Finding | None:
    """Keys that press some button of a form or a dialog: which one is not listed, so it may be the worst of them."""
    buttons = [one for one in seen.elements or () if one.enabled and _is_pressed(one) and not one.editable]
    for one in buttons:
        if deed := words.deed_in(one.text):
            why = f'{what} may do the same as "{one.text[:60]}", which {deed.says}'
            return Finding("irreversible", why, deed, one.text)
    return next(
        (found for one in buttons if words.says_yes(one.text) and (found := _agreement(one.text, one, seen))), None
    )


def _unfocused(seen: Observation) -> bool:
    """Whether no list tells what has the focus: there is none, or only what was read from the picture."""
    return seen.elements is None or (bool(seen.elements) and all(one.source == "ocr" for one in seen.elements))


def _field(seen: Observation) -> Element | None:
    return next((one for one in seen.elements or () if one.focused and one.editable), None)


def _focused_button(seen: Observation) -> Finding | None:
    for one in seen.elements or ():
        if one.focused and not one.editable and one.bounds.area:
            touched = [one, *(each for each in _below(one, seen.elements or ()) if not each.editable)]
            if found := _labelled(touched, seen) or _unlabelled(touched, seen):
                return found
    return None


def _told_of(field: Element | None) -> str:
    return " ".join((field.name, field.hint, field.id.rpartition("/")[2])) if field else ""


def _is_search(field: Element | None) -> bool:
    """Where there is talk, too, by the word it begins with: "Search messages", but not "Message the search team"."""
    known, told = words.table()["enter"], _told_of(field)
    if not words.has(known["search"], told):
        return False
    return not words.has(known["talk"], told) or words.begins(known["search"], told)


# --- addresses -----------------------------------------------------------------------------------------------------


def _address(url: str) -> Finding:
    known = words.table()["addresses"]
    url = clean_address(url)
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.\-]*):(\d{1,5}(?:[/?#]|$))?", url)
    named = scheme[1].lower() if scheme else ""
    # `nas:8080` is a host with its port, but `sms:123` is none.
    if scheme and named not in known["plain"] and (named in known["acting"] or not scheme[2]):
        return Finding("irreversible", f"{named}: is no page of the web: it may act, or show what is on this computer")
    parts = re.split(r"[/?#&=;]+", unquote(url).casefold().partition("//")[2] or unquote(url).casefold())[1:]
    # `send.php` sends.
    if deed := next((part for part in parts if part.partition(".")[0] in known["deeds"]), ""):
        return Finding("irreversible", f'the address says "{deed}": opening it may do that')
    return _UNDOABLE


def typed_address(action: Action, seen: Observation) -> str:
    """What is opened by pressing Enter in a field for addresses; empty when this action opens none."""
    field = _field(seen)
    typed = action.text if isinstance(action, Type) else ""
    enters = action.press_enter or _LINE_ENDS.search(typed) if isinstance(action, Type) else _presses_enter(action)
    return _address_in(typed, field) if enters and _is_search(field) else ""


def _presses_enter(action: Action) -> bool:
    known = words.table()["keys"]["enter"]
    keys = [action.key] if isinstance(action, Key) else action.keys if isinstance(action, Hotkey) else ()
    return any(name in known for name in _names(keys))


def _address_in(typed: str, field: Element | None) -> str:
    """The address among what is typed and what was there; other words are only searched for."""
    known = words.table()["addresses"]
    for text in (typed, field.value if field else ""):
        plain = clean_address(text)
        scheme = plain.partition(":")[0].strip().casefold()
        if scheme in known["acting"] or (plain and " " not in plain and ("." in plain or "://" in plain)):
            return plain
    return ""
