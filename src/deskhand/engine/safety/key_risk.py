"""The risk of typing and of keys: what Enter hands in, what a blank presses, what Delete removes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from deskhand.core.actions import Action, Hotkey, Key, Type
from deskhand.core.screen import FILE_HINT, Observation
from deskhand.engine.safety import risk_words as words
from deskhand.engine.safety.address_risk import assess_address, find_address
from deskhand.engine.safety.press_risk import assess_any_button, assess_focused_button
from deskhand.engine.safety.risk_finding import LOOK, UNDOABLE, RiskFinding, make_irreversible
from deskhand.engine.safety.touched_elements import describe_field, find_field, is_focus_unknown, is_search_field

# Each of these is the Enter key, as far as some device or app can tell.
_LINE_ENDS = re.compile(r"[\n\r\v\f\x85\u2028\u2029]")
# Tab leaves the field, and a blank then presses whatever has the focus.
_TAB_AND_PRESS = re.compile(r"\t[\t ]* ")
# A text without any of these is no more than a text, wherever the focus is: no key that presses, no path, no address.
_NOT_JUST_TEXT = re.compile(r"[\s/\\.:~#]")
_BLIND = "no list tells what has the focus"


def is_just_text(text: str) -> bool:
    return not _NOT_JUST_TEXT.search(text)


def assess_typing(action: Type, seen: Observation) -> RiskFinding:
    if action.press_enter or _LINE_ENDS.search(action.text):
        written = not action.press_enter and _is_line_end_written(seen)
        return UNDOABLE if written else _assess_enter(seen, action.target, action.text)
    if "#" in action.text and _is_in_mail(seen):
        return make_irreversible("in a list of mails this key deletes", "delete")
    if _TAB_AND_PRESS.search(action.text):
        return make_irreversible("a Tab leaves the field, and the blank after it presses what comes next")
    if file := _judge_file_field(seen):
        return file
    if " " in action.text and not find_field(seen):
        return _assess_blank(seen, certain=not action.text.strip())
    return UNDOABLE


def _is_line_end_written(seen: Observation) -> bool:
    """True in a page's own field, which gets a line end as text; not where talk is written, or an address."""
    field = find_field(seen)
    talks = field and words.find_word(words.read_table()["enter"]["talk"], describe_field(field))
    return bool(field) and field.source == "dom" and not talks and not is_search_field(field)


def assess_keys(pressed: Iterable[str], seen: Observation) -> RiskFinding:
    keys = KeyPress.from_names(pressed)
    if keys.is_sending:
        return make_irreversible("these keys send something", "send")
    if keys.has_any("enter"):
        return _assess_enter(
            seen, "", sends=bool(keys.held) and keys.held != ["shift"], new_line=keys.held == ["shift"]
        )
    if keys.held and keys.has_any("terminal") and _is_in_terminal(seen):
        return make_irreversible("in a terminal these keys run what was typed, or what was copied")
    if keys.has_any("delete"):
        return UNDOABLE if find_field(seen) else make_irreversible("the Delete key outside of a field", "delete")
    if keys.has_any("mail") and (keys.held == ["shift"] or "3" not in keys.free) and _is_in_mail(seen):
        return make_irreversible("in a list of mails this key deletes", "delete")
    if keys.has_any("call"):
        return make_irreversible("the Call key calls somebody", "send")
    if keys.has_any("press") and not find_field(seen):
        return _assess_blank(seen, certain=True)
    if keys.is_mnemonic:
        return assess_any_button(seen, "these keys") or UNDOABLE
    return LOOK if keys.only_looks else UNDOABLE


def find_typed_address(action: Action, seen: Observation) -> str:
    """Return what is opened by pressing Enter in a field for addresses; empty if this action opens none."""
    match action:
        case Type(text=typed):
            enters = action.press_enter or bool(_LINE_ENDS.search(typed))
        case Key() | Hotkey():
            typed, enters = "", KeyPress.from_names(keys_of(action)).has_any("enter")
        case _:
            return ""
    field = find_field(seen)
    return find_address(typed, field) if enters and is_search_field(field) else ""


# What users call a key whose name is another one here.
_KEY_WORDS = {
    "enter": "enter|return|回车",
    "ctrl": "ctrl|control",
    "meta": "meta|cmd|command|win",
    "escape": "escape|esc",
}
_PRESSING = r"(?:press|hit|push|strike|按下|按一下|按|敲)\s*(?:the\s+)?"


def is_named_in(goal: str, action: Key | Hotkey) -> bool:
    """True if the goal says to press just these keys: `press Shift+Enter`, 按回车."""
    names = [re.escape(name) for name in map(_normalize_key, keys_of(action))]
    keys = r"\s*\+\s*".join(f"(?:{_KEY_WORDS.get(name, name)})" for name in names)
    return bool(re.search(rf"{_PRESSING}{keys}(?![\w+]|\s*\+)", goal, re.IGNORECASE | re.ASCII))


def stands_for(action: Key | Hotkey, deed: str) -> bool:
    """True if these keys are known for this deed wherever they are pressed: Enter hands in, Delete removes."""
    keys = KeyPress.from_names(keys_of(action))
    return (keys.has_any("enter") and deed in ("send", "submit", "confirm")) or (
        keys.has_any("delete") and deed == "delete"
    )


def keys_of(action: Key | Hotkey) -> Iterable[str]:
    return [action.key] if isinstance(action, Key) else action.keys


@dataclass(frozen=True, slots=True)
class KeyPress:
    """Keys pressed together, by our own names: modifiers are `held` while the others, `free`, are struck."""

    held: list[str]
    free: list[str]

    @classmethod
    def from_names(cls, keys: Iterable[str]) -> KeyPress:
        names = [_normalize_key(part) for key in keys for part in (key.split("+") if len(key) > 1 else [key]) if part]
        modifiers = words.read_table()["keys"]["modifiers"]
        return cls([name for name in names if name in modifiers], [name for name in names if name not in modifiers])

    def has_any(self, kind: str) -> bool:
        return any(name in words.read_table()["keys"][kind] for name in self.free)

    @property
    def is_sending(self) -> bool:
        return "+".join(sorted((*self.held, *self.free))) in words.read_table()["keys"]["sends"]

    @property
    def is_mnemonic(self) -> bool:
        """Alt and a letter, which may press a button."""
        known = words.read_table()["keys"]["mnemonic"]
        return any(name in known for name in self.held) and any(len(name) == 1 for name in self.free)

    @property
    def only_looks(self) -> bool:
        return bool(self.free) and all(name in words.read_table()["keys"]["look"] for name in self.free)


def _normalize_key(name: str) -> str:
    plain = re.sub(r"[\s_\-]", "", name.casefold().strip()).removeprefix("keycode") or name
    plain = re.sub(r"^(?:kp|numpad|iso)(?=[a-z])", "", plain)
    plain = re.sub(r"^(ctrl|control|shift|alt|meta|super|cmd|command|option|win)(?:left|right|l|r)$", r"\1", plain)
    return str(int(plain)) if plain.isascii() and plain.isdecimal() else plain


def _is_in_mail(seen: Observation) -> bool:
    """True if keys are commands of a mail program: no field has the focus."""
    place = f"{seen.app} {seen.title}"
    return not find_field(seen) and bool(words.find_word(words.read_table()["enter"]["mail"], place))


def _is_in_terminal(seen: Observation) -> bool:
    return bool(words.find_word(words.read_table()["enter"]["terminal"], f"{seen.app} {seen.title}"))


def _assess_blank(seen: Observation, *, certain: bool) -> RiskFinding:
    """A blank presses the button that has the focus. `certain`: it can't be just a part of what is written."""
    if is_focus_unknown(seen):
        return make_irreversible(f"a blank may press a button, and {_BLIND}") if certain else UNDOABLE
    return assess_focused_button(seen) or UNDOABLE


def _assess_enter(
    seen: Observation, target: str, typed: str = "", *, sends: bool = False, new_line: bool = False
) -> RiskFinding:
    """Enter hands in what a field of a form or a chat holds; in a search it only looks, in an editor it goes on.

    `new_line`: with Shift, which in a chat begins a new line, but elsewhere is as good as Enter alone.
    """
    if is_focus_unknown(seen):
        return make_irreversible(f"Enter may send what was typed, and {_BLIND}")
    field, known = find_field(seen), words.read_table()["enter"]
    if field is None and (pressed := assess_focused_button(seen)):
        return pressed
    if file := _judge_file_field(seen):
        return file
    named = describe_field(field)
    if is_search_field(field):
        address = find_address(typed, field)
        return assess_address(address) if address else UNDOABLE
    if any(words.find_word(known["terminal"], text) for text in (named, target, seen.app, seen.title)):
        return make_irreversible("Enter runs what was typed", "send")
    talks = any(words.find_word(known["talk"], text) for text in (named, target))
    if talks or sends or seen.app.casefold() in known["apps"]:
        return UNDOABLE if new_line else make_irreversible("Enter sends what was typed", "send")
    return assess_any_button(seen, "Enter") or UNDOABLE


def _judge_file_field(seen: Observation) -> RiskFinding | None:
    if any(one.focused and one.hint == FILE_HINT for one in seen.elements or ()):
        return make_irreversible("the page gets the file that is named here", "submit")
    return None
