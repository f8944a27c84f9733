"""Pointer and keyboard by XTEST. Functions over a connection, and the keyboard map that makes every character a key.

Which text goes by keys and which by paste is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from deskhand.core.errors import ActionFailed, DeviceSetup
from deskhand.devices.desktop.keys import CAPS_LOCK, SHIFT, keysym_of_character

LEFT, MIDDLE, RIGHT = 1, 2, 3
WHEEL = {"up": 4, "down": 5, "left": 6, "right": 7}


def require_xtest(display: Display) -> None:
    if not display.has_extension("XTEST"):
        raise DeviceSetup("The X server has no XTEST extension, so nothing can be clicked: start it with one.")


def move(display: Display, x: int, y: int) -> None:
    xtest.fake_input(display, X.MotionNotify, x=x, y=y)
    display.sync()


def button(display: Display, number: int, *, down: bool) -> None:
    xtest.fake_input(display, X.ButtonPress if down else X.ButtonRelease, number)
    display.sync()


def click(display: Display, x: int, y: int, number: int = LEFT, times: int = 1) -> None:
    xtest.fake_input(display, X.MotionNotify, x=x, y=y)
    for _ in range(times):
        xtest.fake_input(display, X.ButtonPress, number)
        xtest.fake_input(display, X.ButtonRelease, number)
    display.sync()


def button_down(display: Display) -> bool:
    """Whether a press has not been let go of, also because whoever grabbed it has not passed it on yet."""
    mask = display.screen().root.query_pointer().mask
    return bool(mask & (X.Button1Mask | X.Button2Mask | X.Button3Mask))


def pointer(display: Display) -> tuple[int, int]:
    where = display.screen().root.query_pointer()
    return where.root_x, where.root_y


def path(start: tuple[int, int], end: tuple[int, int], steps: int) -> Iterator[tuple[int, int]]:
    """Points from after the start up to the end, evenly spaced."""
    for step in range(1, steps + 1):
        part = step / steps
        yield round(start[0] + (end[0] - start[0]) * part), round(start[1] + (end[1] - start[1]) * part)


# Neighbours without a modifier among them, in the map that Xvfb starts with.
_MEDIA_KEYS = range(208, 256)


class Keyboard:
    """Presses keysyms. Characters that no key has are put on spare keycodes, and stay there until closed:

    an application reads the map some time after it was told of a change, so a keycode that is taken back
    at once types whatever comes next (seen with xdotool and Chinese text).
    """

    def __init__(self, *, private: bool) -> None:
        self._private = private
        self._lent: dict[int, int] = {}

    def chord(self, display: Display, keysyms: Sequence[int]) -> None:
        """Press all in order, release in reverse; Shift is added when the last one needs it."""
        places = self._places(display, keysyms)
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

    def write(self, display: Display, text: str) -> None:
        """Type characters one after another; at most as many different ones as `room` says."""
        keysyms = [keysym_of_character(character) for character in text]
        places = self._places(display, keysyms)
        shift = _code_of(display, SHIFT)
        if display.screen().root.query_pointer().mask & X.LockMask:
            self.chord(display, [CAPS_LOCK])
        for code, shifted in places:
            if shifted:
                xtest.fake_input(display, X.KeyPress, shift)
            xtest.fake_input(display, X.KeyPress, code)
            xtest.fake_input(display, X.KeyRelease, code)
            if shifted:
                xtest.fake_input(display, X.KeyRelease, shift)
        display.sync()

    def batches(self, display: Display, text: str) -> list[str]:
        """The text in pieces, each with no more strange characters than there are spare keycodes.

        Only between two pieces are keycodes used anew, so only there has the application to be waited for.
        """
        known = _keymap(display)
        spare = max(1, len(self._free(display)))
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

    def _places(self, display: Display, keysyms: Sequence[int]) -> list[tuple[int, bool]]:
        """Keycode and need of Shift for each; lends spare keycodes to those that have none."""
        keymap = _keymap(display)
        missing = list(dict.fromkeys(keysym for keysym in keysyms if keysym not in keymap))
        if missing:
            self._lend(display, missing, set(keysyms))
            keymap = _keymap(display)
        if lost := [hex(keysym) for keysym in keysyms if keysym not in keymap]:
            raise ActionFailed(f"The keyboard has no room for the keysyms {', '.join(lost)}.")
        return [keymap[keysym] for keysym in keysyms]

    def _lend(self, display: Display, missing: Sequence[int], needed: set[int]) -> None:
        free = [code for code in self._free(display) if self._lent.get(code) not in needed]
        lent = dict(zip(free, missing, strict=False))
        _put(display, lent)
        self._lent |= lent

    def _free(self, display: Display) -> list[int]:
        """Keycodes to lend, those not lent yet first. A display of our own has no use for its media keys."""
        unused = list(_MEDIA_KEYS) if self._private else _spare(display)
        return [code for code in unused if code not in self._lent] + list(self._lent)

    def give_back(self, display: Display) -> None:
        _put(display, dict.fromkeys(self._lent, X.NoSymbol))
        self._lent.clear()


def _put(display: Display, wanted: Mapping[int, int]) -> None:
    """Keysyms onto keycodes, neighbours in one request: every program re-reads the map after each of them
    (a window manager was busy for 15 s after 150 single ones)."""
    codes = sorted(wanted)
    while codes:
        run = [code for place, code in enumerate(codes) if code == codes[0] + place]
        # Both levels the same, so that Shift and Caps Lock change nothing.
        display.change_keyboard_mapping(run[0], [(wanted[code], wanted[code]) for code in run])
        codes = codes[len(run) :]
    display.sync()


def _rows(display: Display) -> list[tuple[int, Sequence[int]]]:
    first, last = display.display.info.min_keycode, display.display.info.max_keycode
    return list(enumerate(display.get_keyboard_mapping(first, last - first + 1), first))


def _keymap(display: Display) -> dict[int, tuple[int, bool]]:
    """keysym → (keycode, with Shift), the plainest way first."""
    found: dict[int, tuple[int, bool]] = {}
    rows = _rows(display)
    for level in (0, 1):
        for code, keysyms in rows:
            if level < len(keysyms) and keysyms[level] != X.NoSymbol:
                found.setdefault(keysyms[level], (code, level == 1))
    return found


def _spare(display: Display) -> list[int]:
    return [code for code, keysyms in reversed(_rows(display)) if not any(keysyms)]


def _code_of(display: Display, keysym: int) -> int:
    return int(display.keysym_to_keycode(keysym))
