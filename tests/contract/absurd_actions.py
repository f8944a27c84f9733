"""Fields for one action of each kind; and actions as a confused model writes them, well-formed and of no use."""

from typing import Any

POINT = {"x": 5, "y": 5}
PATH = {**POINT, "to_x": 50, "to_y": 50}
FIELDS_OF: dict[str, dict[str, Any]] = {
    "click": POINT, "double_click": POINT, "right_click": POINT, "middle_click": POINT, "move": POINT,
    "long_press": POINT, "drag": PATH, "swipe": PATH,
    "scroll": {}, "type": {"text": "x"}, "key": {"key": "a"}, "hotkey": {"keys": ["ctrl", "a"]}, "wait": {},
    "open_app": {"name": "x"}, "open_url": {"url": "x"}, "switch_window": {"title": "x"},
    "manage_window": {"change": "close", "title": "x"}, "back": {}, "home": {},
    "memorize": {"text": "x"}, "answer": {"text": "x"}, "take_over": {"reason": "x"}, "run_code": {"code": "true"},
}  # fmt: skip

NAMES = ["refresh", "KEYCODE_FOO", " ", "\x00", "🦄", "+", "++", "ctrl+", "ctrl+refresh", "F99", "f٣", "99999", "-1",
         "\ud800", "a\nb", "KEYCODE_", "keycode_ ", "f", "ﬀ", "İ", "²", "\u200b", "x" * 40]  # fmt: skip
ADDRESSES = [
    "ftp://files.example/x", "javascript:alert(1)", "http://", "http://[", "http://[::1", "http://a b/", "::::", "\x00",
    "mailto:a@b.c", "tel:110", "intent://x#Intent;end", "http://host.invalid:99999/", "http://host.invalid:port/",
    "https://" + "a" * 300 + ".invalid", "http://\ud800.invalid/", "//", "?", "#", "foo://bar", "http:///", "https://%",
    "vbscript:x", "ws://x", "http://user:pw@", "http://..invalid", "data:", "blob:x", "view-source:", "about:nothing",
]  # fmt: skip
WORDS = ["Zyxwv Qponm", "\x00", "../../etc", "$(true)", "'; true", "🦄", "\n", " ", "-n", "--help", "\ud800", "%s", "*"]
OUTSIDE = [(65_535, 65_535), (65_535, 0), (0, 65_535)]

ABSURD: dict[str, list[dict[str, Any]]] = {
    "key": [{"key": name} for name in NAMES],
    "hotkey": [
        *({"keys": [name]} for name in NAMES),
        *({"keys": ["ctrl", name]} for name in NAMES),
        {"keys": ["ctrl", "ctrl"]}, {"keys": ["ctrl", "alt", "shift"]}, {"keys": ["q", "w", "x", "y", "z"]},
        {"keys": ["+", "+"]},
    ],
    "open_url": [{"url": address} for address in ADDRESSES],
    # each is looked for everywhere, which takes seconds
    "open_app": [{"name": word} for word in WORDS[:6]],
    "switch_window": [{"title": word} for word in WORDS],
    "manage_window": [{"change": "close", "title": word} for word in WORDS],
    # where nothing takes a text, each is waited for
    "type": [{"text": text} for text in ("\x00", "\ud800", "\x1b[2J\u202e\r\x7f")],
    **{
        kind: [{"x": x, "y": y} for x, y in OUTSIDE]
        for kind in ("click", "double_click", "right_click", "middle_click", "move", "long_press")
    },
    **{
        kind: [{"x": 5, "y": 5, "to_x": x, "to_y": y} for x, y in OUTSIDE] for kind in ("drag", "swipe")
    },
    "scroll": [{"direction": way, "x": x, "y": y} for way in ("up", "left") for x, y in OUTSIDE],
}  # fmt: skip
