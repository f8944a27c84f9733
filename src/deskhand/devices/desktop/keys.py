"""Maps key names, as users and models write them, to X keysyms, without asking a server."""

from collections.abc import Iterable

from Xlib import XK

from deskhand.core.errors import NotPossible

_ALIASES = {
    "enter": "Return", "return": "Return", "回车": "Return", "esc": "Escape", "escape": "Escape", "tab": "Tab",
    "backspace": "BackSpace", "back_space": "BackSpace", "退格": "BackSpace", "del": "Delete", "delete": "Delete",
    "ins": "Insert", "insert": "Insert", "space": "space", "spacebar": "space", "空格": "space",
    "up": "Up", "down": "Down", "left": "Left", "right": "Right",
    "arrowup": "Up", "arrowdown": "Down", "arrowleft": "Left", "arrowright": "Right",
    "home": "Home", "end": "End", "pageup": "Page_Up", "page_up": "Page_Up", "pgup": "Page_Up",
    "pagedown": "Page_Down", "page_down": "Page_Down", "pgdn": "Page_Down", "pgdown": "Page_Down",
    "ctrl": "Control_L", "control": "Control_L", "shift": "Shift_L", "alt": "Alt_L", "option": "Alt_L",
    "super": "Super_L", "win": "Super_L", "windows": "Super_L", "cmd": "Super_L", "command": "Super_L",
    "meta": "Super_L", "menu": "Menu", "contextmenu": "Menu", "apps": "Menu", "capslock": "Caps_Lock",
    "caps_lock": "Caps_Lock", "numlock": "Num_Lock", "num_lock": "Num_Lock", "printscreen": "Print", "print": "Print",
    "prtsc": "Print", "pause": "Pause", "plus": "plus", "minus": "minus",
}  # fmt: skip

SHIFT = XK.string_to_keysym("Shift_L")
CAPS_LOCK = XK.string_to_keysym("Caps_Lock")
# Control characters in a text, and the keys that produce them.
_CONTROLS = {"\n": "Return", "\r": "Return", "\t": "Tab"}


def keysym_of_character(character: str) -> int:
    """Return a character's keysym: the code point itself in Latin-1, else a Unicode keysym."""
    if control := _CONTROLS.get(character):
        return XK.string_to_keysym(control)
    code = ord(character)
    return code if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF else 0x01000000 | code


def keysym_of_name(name: str) -> int:
    """Return the keysym of `ctrl`, `F5`, `Page_Up`, `é`, `中`; raises NotPossible if no key has that name."""
    if len(name) == 1:
        return keysym_of_character(name)
    plain = name.strip().lower().replace(" ", "").replace("-", "_")
    known = _ALIASES.get(plain) or _ALIASES.get(plain.replace("_", ""))
    for spelling in (known, name.strip(), plain.upper(), plain.capitalize()):
        if spelling and (keysym := XK.string_to_keysym(spelling)):
            return keysym
    raise NotPossible(f"There is no key called {name!r}: use a name such as Enter, Escape, Page_Up, F5, ctrl, a.")


def chord_of(names: Iterable[str]) -> list[int]:
    """Return the keysyms of a hotkey in the order they are pressed; `ctrl+c` in one word counts as two."""
    return [keysym_of_name(part) for name in names for part in _split_hotkey(name)]


def _split_hotkey(name: str) -> list[str]:
    if len(name) <= 1 or "+" not in name:
        return [name]
    # `ctrl++` ends in the plus key itself.
    head, tail = (name[:-2], ["+"]) if name.endswith("++") else (name, [])
    return [part for part in head.split("+") if part.strip()] + tail
