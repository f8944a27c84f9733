"""Hardware keys by Android's key codes, and what they do to a text field."""

from __future__ import annotations

from typing import Protocol

from deskhand.simphone.ui.nodes import TextField

HOME, BACK, POWER, ENTER, DELETE, MENU, ESCAPE, TAB = 3, 4, 26, 66, 67, 82, 111, 61
VOLUME_UP, VOLUME_DOWN, APP_SWITCH, SLEEP, WAKEUP = 24, 25, 187, 223, 224
FORWARD_DELETE, MOVE_HOME, MOVE_END, CUT, COPY, PASTE = 112, 122, 123, 277, 278, 279
NUMPAD_ENTER, SEARCH, PAGE_UP, PAGE_DOWN, NOTIFICATION = 160, 84, 92, 93, 83
CTRL = {113, 114}
SHIFT = {59, 60}
_KEY_A = 29

CHARACTERS = {
    **{7 + i: str(i) for i in range(10)},
    **{_KEY_A + i: chr(ord("a") + i) for i in range(26)},
    55: ",",
    56: ".",
    62: " ",
    69: "-",
    70: "=",
    74: ";",
    75: "'",
    76: "/",
    77: "@",
    81: "+",
    17: "*",
    18: "#",
}


class Clipboard(Protocol):
    clipboard: str


def edit_field(field: TextField, code: int, board: Clipboard) -> bool:
    """Apply one key; False if the key means nothing to a text field."""
    if code in CHARACTERS:
        field.insert_text(CHARACTERS[code])
    elif code in (DELETE, FORWARD_DELETE):
        field.delete_text(forward=code == FORWARD_DELETE)
    elif code in (21, 22):
        field.move_caret(field.caret + (1 if code == 22 else -1))
    elif code in (MOVE_HOME, MOVE_END):
        field.move_caret(0 if code == MOVE_HOME else len(field.text))
    elif code in (COPY, CUT):
        if field.selected and not field.password:
            board.clipboard = field.selected
            if code == CUT:
                field.insert_text("")
    elif code == PASTE:
        field.insert_text(board.clipboard)
    else:
        return False
    return True


def apply_shortcut(field: TextField, code: int, board: Clipboard) -> None:
    """Apply Ctrl with A, C, V or X."""
    letter = CHARACTERS.get(code, "")
    if letter == "a":
        field.select_all()
    elif letter in ("c", "x", "v"):
        edit_field(field, {"c": COPY, "x": CUT, "v": PASTE}[letter], board)
