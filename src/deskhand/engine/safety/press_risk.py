"""The risk of pressing, sliding and dropping: by the label, the question that a yes answers, or a place of money."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from deskhand.core.actions import Drag, LongPress, PointAction, Swipe
from deskhand.core.geometry import Rect
from deskhand.core.outgoing import OutgoingRequest
from deskhand.core.screen import Element, Frame, Observation
from deskhand.engine.safety import risk_words as words
from deskhand.engine.safety.request_risk import assess_request
from deskhand.engine.safety.risk_finding import LOOK, UNDOABLE, RiskFinding, make_irreversible, name_deed
from deskhand.engine.safety.touched_elements import (
    find_beside,
    find_touched,
    is_focus_unknown,
    is_inside,
    is_page,
    is_pressed,
    is_search_field,
    is_usable,
    list_below,
    list_parents,
)
from deskhand.screen.frame import crop_frame

# What surrounds a button and fills more of the screen than this is no dialog.
_DIALOG_SHARE = 0.7
_FEW = 14
_ASKING = ("?", "？", "吗", "吗。")
_QUESTION_SHARE = 0.3
# Where a link says one of these deeds, it leads to the page on which that is done: "Pay bills", "Apply".
_NEXT_PAGE = frozenset({"pay", "submit"})
# These choose something that another button then does.
_CHOSEN = frozenset({"radio", "checkbox", "combobox", "tab", "switch"})
# A finger or a mouse that moves no farther has pressed.
_SLOP = 24
# Colours that differ by less are the same to the eye.
_INK = 24


def assess_press(action: PointAction, seen: Observation) -> RiskFinding:
    if seen.elements is None:
        return _judge_claim(action.target, seen) or make_irreversible("no list tells what is there")
    touched = find_touched(seen, action.x, action.y)
    if touched and touched[0].editable and not isinstance(action, LongPress):
        return UNDOABLE  # it gets the focus, whatever it is called
    if not any(map(is_usable, touched)):
        touched = [*touched, *find_beside(seen, action.x, action.y)]
    found = _judge_labels(touched, seen) or _judge_nameless(touched, seen) or _judge_claim(action.target, seen)
    if not found and not touched and is_focus_unknown(seen) and not _is_blank(seen.frame, action.x, action.y):
        return make_irreversible("there is a picture without words, and no list tells what it does")
    return found or UNDOABLE


def assess_focused_button(seen: Observation) -> RiskFinding | None:
    """Return the risk of pressing whatever has the focus and is no field."""
    for one in seen.elements or ():
        if one.focused and not one.editable and one.bounds.area:
            touched = [one, *(each for each in list_below(one, seen.elements or ()) if not each.editable)]
            if found := _judge_labels(touched, seen) or _judge_nameless(touched, seen):
                return found
    return None


def assess_any_button(seen: Observation, keys: str) -> RiskFinding | None:
    """Keys that press some button of a form or a dialog: which one is not listed, so it may be the worst of them."""
    buttons = [one for one in seen.elements or () if one.enabled and is_pressed(one) and not one.editable]
    buttons = [one for one in buttons if one.role != "link" and one.role not in _CHOSEN]
    buttons = [one for one in buttons if not _is_out_of_reach(one, seen)]
    for one in buttons:
        if deed := words.deed_in(one.text):
            why = f'{keys} may do the same as "{one.text[:60]}", which {deed.says}'
            return RiskFinding("irreversible", why, deed, one.text)
    agreements = (_judge_yes(one.text, one, seen) for one in buttons if words.says_yes(one.text))
    return next(filter(None, agreements), None)


def _is_out_of_reach(button: Element, seen: Observation) -> bool:
    """True for what no key can press on a desktop: a tool bar above the focus, and a dialog that does not have it.

    In a dialog every button may be the one for Enter, and a chat has its button beside or below what is written.
    """
    focus = next((one for one in seen.elements or () if one.focused and one.source == "atspi"), None)
    if focus is None or button.source != "atspi":
        return False
    own, other = _find_dialog(focus, seen), _find_dialog(button, seen)
    return other != own or (own is None and button.bounds.bottom <= focus.bounds.top)


def _find_dialog(element: Element, seen: Observation) -> int | None:
    """Return the index of the dialog around it."""
    known = {one.index: one for one in seen.elements or ()}
    above: Element | None = element
    while above is not None and above.role != "dialog":
        above = known.get(above.parent) if above.parent is not None else None
    return above.index if above is not None else None


def assess_path(action: Drag | Swipe, seen: Observation) -> RiskFinding:
    """Slide to pay; drop into the bin. A swipe up or down only scrolls, unless it never leaves what it began on."""
    begins = find_touched(seen, action.x, action.y)
    if _ends_where_it_began(action, begins, seen):
        return assess_press(action, seen)
    ends = find_touched(seen, action.to_x, action.to_y) if isinstance(action, Drag) else []
    if found := _judge_slide(begins) or _judge_drop(ends) or _judge_claim(action.target, seen):
        return found
    across = abs(action.to_x - action.x) > abs(action.to_y - action.y)
    return UNDOABLE if across or isinstance(action, Drag) else LOOK


def _judge_slide(begins: Sequence[Element]) -> RiskFinding | None:
    for one in begins:
        for label in (one.name, one.value, one.hint):
            # A row of a list is dragged for many reasons: only what is made to be slid counts.
            slid = is_pressed(one) or words.find_word(words.read_table()["slides"], label)
            if label and slid and (deed := words.deed_in(label)):
                return name_deed(deed, label)
    return None


def _judge_drop(ends: Sequence[Element]) -> RiskFinding | None:
    for one in ends:
        if words.find_word(words.read_table()["bins"], one.text) or words.deed_in(one.text, pressed=is_pressed(one)):
            return name_deed(words.deed_named("delete"), one.text)
    return None


def _ends_where_it_began(action: Drag | Swipe, begins: Sequence[Element], seen: Observation) -> bool:
    """True if it ends on what it began on, which then takes it for a press."""
    if max(abs(action.to_x - action.x), abs(action.to_y - action.y)) <= _SLOP:
        return True
    if not begins or not is_pressed(begins[0]) or begins[0].role == "slider" or is_page(begins[0], seen.frame):
        return False
    return begins[0].bounds.contains_point(action.to_x, action.to_y)


def _is_blank(frame: Frame, x: int, y: int) -> bool:
    """True if all is of one colour around the point, as on a page or an empty field: no icon."""
    around = crop_frame(frame, Rect(x - _SLOP, y - _SLOP, x + _SLOP, y + _SLOP)).pixels[..., :3]
    return bool((around.max(axis=(0, 1)) - around.min(axis=(0, 1))).max() < _INK)


# --- what is known of the target ---------------------------------------------------------------------------------


def _judge_claim(target: str, seen: Observation) -> RiskFinding | None:
    """By the worker's own words alone."""
    if not target or words.names_field(target):
        return None
    if deed := words.deed_in(target):
        return name_deed(deed, target)
    return _judge_yes(target, None, seen) if words.says_yes(target) else None


def _judge_labels(touched: Sequence[Element], seen: Observation) -> RiskFinding | None:
    for one in touched:
        for label in (one.name, one.value, one.hint) if one.role not in _CHOSEN else ():
            deed = words.deed_in(label, pressed=_may_be_pressed(one, label)) if label else None
            if deed and not (deed.name in _NEXT_PAGE and _only_opens(one)) and not _is_edit(label, seen):
                return _find_hidden(one, deed, seen) or name_deed(deed, label)
    if found := next(filter(None, map(_judge_form, touched)), None):
        return found
    talk = words.read_table()["enter"]
    for one in touched:
        if is_pressed(one) and seen.app.casefold() in talk["apps"] and one.text.casefold() in talk["things"]:
            return make_irreversible(f'"{one.text}" may go out at once', "send", one.text)
    for one in touched:
        if words.says_yes(one.text) and (found := _judge_yes(one.text, one, seen)):
            return found
    return None


def _is_edit(label: str, seen: Observation) -> bool:
    """True where words are replaced in a text, not a file by another one."""
    edits = words.read_table()["edits"]
    return label.casefold().strip() in edits["labels"] and bool(words.find_word(edits["places"], seen.title))


def _find_hidden(one: Element, said: words.Deed, seen: Observation) -> RiskFinding | None:
    """Return what a control does besides what its label says: by its form, or by the question that it answers."""
    form = _judge_form(one)
    if form and form.deed and not words.is_same_deed(form.deed.name, said.name):
        return form
    return _judge_question(one.text, one, seen) if said.name == "confirm" else None


def _judge_form(one: Element) -> RiskFinding | None:
    """By the method and the target of the form, or the link, that a control belongs to."""
    if not one.sends:
        return None
    method, _, url = one.sends.partition(" ")
    found = assess_request(OutgoingRequest("", method, url, page=True))
    return replace(found, label=one.text) if found.risk == "irreversible" else None


def _only_opens(one: Element) -> bool:
    return one.role == "link" and one.sends.startswith("GET ") and _judge_form(one) is None


def _may_be_pressed(one: Element, label: str) -> bool:
    """True for a button. What was read from a picture may be one, in a few words; a link may be a headline."""
    return (is_pressed(one) and one.role != "link") or (one.source == "ocr" and words.is_short(label))


def _judge_nameless(touched: Sequence[Element], seen: Observation) -> RiskFinding | None:
    """A button without words: by its id, or by something being written that it may send."""
    if not touched or any(words.says_something(one.text) for one in touched) or not touched[0].clickable:
        return None
    if deed := words.deed_of_id(touched[0].id):
        return name_deed(deed, touched[0].id)
    if is_page(touched[0], seen.frame):
        return None
    for field in seen.elements or ():
        inside = is_inside(touched[0].bounds, field.bounds)  # what empties it, or shows a password
        if field.editable and field.value and not inside and not is_search_field(field):
            return make_irreversible("a button without a name may send what was typed")
    return None


# --- saying yes ----------------------------------------------------------------------------------------------------


def _judge_yes(label: str, button: Element | None, seen: Observation) -> RiskFinding | None:
    """By what a yes answers: the question around the button, or a page on which money is spent."""
    if found := _judge_question(label, button, seen):
        return found
    if costly := _find_money(seen):
        return make_irreversible(f'"{label}" is pressed where money is spent ({costly})', "pay", label)
    return None


def _judge_question(label: str, button: Element | None, seen: Observation) -> RiskFinding | None:
    for text in _texts_around(button, seen):
        if deed := words.deed_asked_about(text):
            why = f'"{label}" answers "{text[:80]}", which {deed.says}'
            return RiskFinding("irreversible", why, deed, label, question=text)
    return None


def _texts_around(button: Element | None, seen: Observation) -> Iterable[str]:
    """Yield the texts of the dialog that holds the button, and questions anywhere if there is little else to read."""
    elements = seen.elements or ()
    texts = [one for one in elements if one.text and not is_pressed(one) and not one.editable and one.role != "item"]
    few = len(texts) <= _FEW
    texts = [one for one in texts if one is not button]
    if button is not None:
        yield from _texts_in_dialogs(button, texts, seen)
        if button.source == "ocr":  # no box tells what belongs together
            y, reach = button.bounds.center[1], _QUESTION_SHARE * seen.frame.height
            yield from (one.text for one in texts if 0 < y - one.bounds.center[1] <= reach)
    if few:
        yield from (one.text for one in texts if one.text.rstrip().endswith(_ASKING))


def _texts_in_dialogs(button: Element, texts: Sequence[Element], seen: Observation) -> Iterable[str]:
    elements, most = seen.elements or (), _DIALOG_SHARE * seen.frame.width * seen.frame.height
    dialogs = [one for one in elements if one.role == "dialog" and one.bounds.contains_point(*button.bounds.center)]
    parents = [one for one in list_parents(button, elements) if one.bounds.area < most]
    for box in (*dialogs, *parents):
        yield box.name
        yield from (one.text for one in texts if is_inside(one.bounds, box.bounds))


def _find_money(seen: Observation) -> str:
    """Return the word by which the app or its window is a place of money; empty for none."""
    names: list[str] = words.read_table()["money"]
    if found := words.find_word(names, seen.title):
        return found
    parts = re.split(r"[^a-z]+", seen.app.casefold())
    return next((name for name in names if any(p == name or (len(name) > 4 and p.startswith(name)) for p in parts)), "")
