"""The desktop's keyboard by XTEST: presses keys, and maps characters that no key has to spare keycodes.

Whether a text is typed or pasted is up to `typing`.
"""

from collections.abc import Mapping, Sequence

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from deskhand.core.errors import ActionFailed
from deskhand.devices.desktop.keys import CAPS_LOCK, SHIFT, keysym_of_character

# Adjacent keycodes without a modifier among them, in the map that Xvfb starts with.
_MEDIA_KEYS = range(208, 256)


class DesktopKeyboard:
    """Presses keysyms. Characters that no key has are mapped to spare keycodes, and stay there until closed:

    a program reads the map some time after a change, so a keycode that is remapped at once types whatever
    comes next (seen with xdotool and Chinese text).
    """

    def __init__(self, *, private: bool) -> None:
        self._private = private
        self._lent: dict[int, int] = {}

    def press_chord(self, display: Display, keysyms: Sequence[int]) -> None:
        """Press all in order, release in reverse; Shift is added if the last one needs it."""
        places = self._find_keycodes(display, keysyms)
        codes = [code for code, _ in places]
        if len(places) == 1 or keysyms[-1] < 0x7F:
            shift = _code_of(display, SHIFT)
            # Letters in a hotkey are meant as keys: ctrl+C is ctrl and the key C, without Shift.
            upper = len(places) > 1 and chr(min(keysyms[-1], 0x7F)).isalpha()
            if places[-1][1] and not upper and shift not in codes:
                codes.insert(len(codes) - 1, shift)
        try:
            for code in codes:
                xtest.fake_input(display, X.KeyPress, code)
        finally:
            for code in reversed(codes):
                xtest.fake_input(display, X.KeyRelease, code)
            display.sync()

    def write_text(self, display: Display, text: str) -> None:
        """Type one of the pieces of `split_batches`, character by character."""
        keysyms = [keysym_of_character(character) for character in text]
        places = self._find_keycodes(display, keysyms)
        shift = _code_of(display, SHIFT)
        if display.screen().root.query_pointer().mask & X.LockMask:
            self.press_chord(display, [CAPS_LOCK])
        for code, shifted in places:
            if shifted:
                xtest.fake_input(display, X.KeyPress, shift)
            xtest.fake_input(display, X.KeyPress, code)
            xtest.fake_input(display, X.KeyRelease, code)
            if shifted:
                xtest.fake_input(display, X.KeyRelease, shift)
        display.sync()

    def split_batches(self, display: Display, text: str) -> list[str]:
        """Split the text into pieces, each with no more unmapped characters than there are spare keycodes.

        Keycodes are remapped only between two pieces, so only there the caller has to wait for the program.
        """
        known = _read_keymap(display)
        spare = max(1, len(self._list_free_keycodes(display)))
        pieces: list[str] = []
        piece, strange = "", set[int]()
        for character in text:
            keysym = keysym_of_character(character)
            new = strange if keysym in known and keysym not in self._lent.values() else strange | {keysym}
            if len(new) > spare:
                pieces.append(piece)
                piece, new = "", {keysym}
            piece, strange = piece + character, new
        return [*pieces, piece] if piece else pieces

    def _find_keycodes(self, display: Display, keysyms: Sequence[int]) -> list[tuple[int, bool]]:
        """Return keycode and need of Shift for each; lends spare keycodes to those that have none."""
        keymap = _read_keymap(display)
        missing = list(dict.fromkeys(keysym for keysym in keysyms if keysym not in keymap))
        if missing:
            free = [code for code in self._list_free_keycodes(display) if self._lent.get(code) not in keysyms]
            lent = dict(zip(free, missing, strict=False))
            _map_keysyms(display, lent)
            self._lent |= lent
            keymap = _read_keymap(display)
        if lost := [hex(keysym) for keysym in keysyms if keysym not in keymap]:
            raise ActionFailed(f"The X keyboard map has no room for {', '.join(lost)}: type fewer characters at once.")
        return [keymap[keysym] for keysym in keysyms]

    def _list_free_keycodes(self, display: Display) -> list[int]:
        """Return the keycodes to lend, unused ones first. On a private display, media keys are free, too."""
        spare = [code for code, keysyms in reversed(_read_mapping(display)) if not any(keysyms)]
        unused = list(_MEDIA_KEYS) if self._private else spare
        return [code for code in unused if code not in self._lent] + list(self._lent)

    def return_keycodes(self, display: Display) -> None:
        _map_keysyms(display, dict.fromkeys(self._lent, X.NoSymbol))
        self._lent.clear()


def _map_keysyms(display: Display, wanted: Mapping[int, int]) -> None:
    """Map keysyms to keycodes, adjacent ones in one request: every program re-reads the map after each request
    (a window manager was busy for 15 s after 150 single ones)."""
    codes = sorted(wanted)
    while codes:
        run = [code for place, code in enumerate(codes) if code == codes[0] + place]
        # Both levels the same, so that Shift and Caps Lock change nothing.
        display.change_keyboard_mapping(run[0], [(wanted[code], wanted[code]) for code in run])
        codes = codes[len(run) :]
    display.sync()


def _read_mapping(display: Display) -> list[tuple[int, Sequence[int]]]:
    first, last = display.display.info.min_keycode, display.display.info.max_keycode
    return list(enumerate(display.get_keyboard_mapping(first, last - first + 1), first))


def _read_keymap(display: Display) -> dict[int, tuple[int, bool]]:
    """Return keysym → (keycode, with Shift), without Shift if possible."""
    found: dict[int, tuple[int, bool]] = {}
    rows = _read_mapping(display)
    for level in (0, 1):
        for code, keysyms in rows:
            if level < len(keysyms) and keysyms[level] != X.NoSymbol:
                found.setdefault(keysyms[level], (code, level == 1))
    return found


def _code_of(display: Display, keysym: int) -> int:
    return int(display.keysym_to_keycode(keysym))
