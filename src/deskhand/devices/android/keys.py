"""Maps key names, as users and models write them, to Android's key codes.

On a phone `delete` is what Android calls DEL: it removes what stands before the caret.
"""

from deskhand.core.errors import NotPossible

_NAMED = {
    "home": 3, "back": 4, "call": 5, "end_call": 6, "up": 19, "down": 20, "left": 21, "right": 22, "center": 23,
    "volume_up": 24, "volume_down": 25, "power": 26, "camera": 27, "comma": 55, "period": 56, "alt": 57,
    "shift": 59, "tab": 61, "space": 62, "enter": 66, "delete": 67, "grave": 68, "minus": 69, "equals": 70,
    "left_bracket": 71, "right_bracket": 72, "backslash": 73, "semicolon": 74, "apostrophe": 75, "slash": 76,
    "at": 77, "plus": 81, "menu": 82, "notifications": 83, "search": 84, "play_pause": 85, "stop": 86, "next": 87,
    "previous": 88, "page_up": 92, "page_down": 93, "escape": 111, "forward_delete": 112, "ctrl": 113, "caps_lock": 115,
    "meta": 117, "move_home": 122, "move_end": 123, "insert": 124, "volume_mute": 164, "app_switch": 187,
    "brightness_down": 220, "brightness_up": 221, "sleep": 223, "wakeup": 224, "cut": 277, "copy": 278, "paste": 279,
}  # fmt: skip
_ALIASES = {
    "return": "enter", "esc": "escape", "del": "delete", "backspace": "delete", "forward_del": "forward_delete",
    "control": "ctrl", "control_left": "ctrl", "ctrl_left": "ctrl", "option": "alt", "alt_left": "alt",
    "shift_left": "shift", "super": "meta", "win": "meta", "cmd": "meta", "command": "meta",
    "recent": "app_switch", "recents": "app_switch", "recent_apps": "app_switch", "overview": "app_switch",
    "pageup": "page_up", "pagedown": "page_down", "pgup": "page_up", "pgdn": "page_down", "end": "move_end",
    "arrow_up": "up", "arrow_down": "down", "arrow_left": "left", "arrow_right": "right", "arrowup": "up",
    "arrowdown": "down", "arrowleft": "left", "arrowright": "right", "dpad_up": "up", "dpad_down": "down",
    "dpad_left": "left", "dpad_right": "right", "dpad_center": "center", "volumeup": "volume_up",
    "volumedown": "volume_down", "mute": "volume_mute", "wake": "wakeup", "wake_up": "wakeup", "spacebar": "space",
    "notification": "notifications", "media_play_pause": "play_pause", "back_space": "delete",
}  # fmt: skip
_SIGNS = {
    ",": 55, ".": 56, "`": 68, "-": 69, "=": 70, "[": 71, "]": 72, "\\": 73, ";": 74, "'": 75, "/": 76, "@": 77,
    "+": 81, " ": 62, "*": 17, "#": 18, "\n": 66, "\t": 61,
}  # fmt: skip
# Phones before Android 12 have no `input keycombination`, but these need none.
SHORTCUTS = {(113, 31): 278, (113, 50): 279, (113, 52): 277}

BACK, HOME, TAB, ENTER, BACKSPACE, MOVE_END, PASTE = 4, 3, 61, 66, 67, 123, 279
CTRL, LETTER_A = 113, 29


def to_key_code(name: str) -> int:
    """Return the code of a name such as `enter`, `Volume Up`, `KEYCODE_BACK`, `a`, `F5` or a bare number."""
    word = name.strip().lower().removeprefix("keycode_").replace(" ", "_").replace("-", "_") or name[:1]
    if word.isascii() and word.isdecimal() and len(word) > 1:
        return int(word)
    if len(word) == 1 and word.isascii() and word.isalnum():
        return 7 + int(word) if word.isdecimal() else 29 + ord(word) - ord("a")
    if name in _SIGNS:
        return _SIGNS[name]
    if word[0] == "f" and word[1:].isdecimal() and 1 <= int(word[1:]) <= 12:
        return 130 + int(word[1:])
    code = _NAMED.get(_ALIASES.get(word, word))
    if code is None:
        raise NotPossible(f"A phone has no key {name!r}. Use {', '.join(sorted(_NAMED))}, a letter or a digit.")
    return code


def to_key_codes(keys: tuple[str, ...]) -> list[int]:
    """Return the codes of keys pressed together; `ctrl+a` as one word is understood, too."""
    return [to_key_code(part) for key in keys for part in (key.split("+") if len(key) > 1 else [key]) if part]
