"""The on-screen keyboard: a panel of keys that really type."""

from __future__ import annotations

from collections.abc import Callable

from deskhand.simphone.ui.nodes import FILL, Box, Node
from deskhand.simphone.ui.theme import NAV_BAR, Theme
from deskhand.simphone.ui.widgets import WHITE, Column, Icon, Label, Row, Space

ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
LATIN_IME = "com.android.inputmethod.latin/.LatinIME"
ADB_IME = "com.android.adbkeyboard/.AdbIME"


def keyboard_height(ime: str, size: tuple[int, int]) -> int:
    """Return the keyboard's height; ADBKeyboard shows only a thin strip, as the real one does."""
    if ime == ADB_IME:
        return 110 + NAV_BAR
    return 840 if size[1] > size[0] else 520


def keyboard_box(ime: str, size: tuple[int, int]) -> Box:
    return Box(0, size[1] - keyboard_height(ime, size), size[0], size[1])


class SoftKeyboard:
    """Holds the shift key. The input dispatcher, which is made later, sets `on_text` and `on_key`."""

    def __init__(self) -> None:
        self.shift = False
        self.on_text: Callable[[str], object] = str
        self.on_key: Callable[[int], object] = int

    def _type_char(self, char: str) -> None:
        self.on_text(char.upper() if self.shift else char)
        self.shift = False

    def _toggle_shift(self) -> None:
        self.shift = not self.shift

    def build_panel(self, ime: str, theme: Theme, enter: str, space_label: str) -> Node:
        back = (36, 38, 42) if theme.dark else (214, 218, 225)
        if ime == ADB_IME:
            note = Label("ADB Keyboard {ON}", 38, theme.soft, w=FILL, h=110, align="center", justify="center")
            return Column(note, h=FILL, fill=back)
        key_fill = (70, 73, 80) if theme.dark else WHITE
        rows = [self._build_letters(letters, theme, key_fill) for letters in ROWS[:3]]
        rows.append(
            Row(
                self._build_icon_key("shift", self._toggle_shift, theme, key_fill, "Shift"),
                *(self._build_key(c, theme, key_fill) for c in ROWS[3]),
                self._build_icon_key("backspace", lambda: self.on_key(67), theme, key_fill, "Backspace"),
                gap=10,
                weight=1.0,
            )
        )
        rows.append(self._build_last_row(theme, key_fill, enter, space_label))
        return Column(*rows, Space(NAV_BAR - 20), h=FILL, fill=back, pad=(10, 14, 10, 0), gap=14)

    def _build_letters(self, letters: str, theme: Theme, fill: tuple[int, int, int]) -> Node:
        margin = 54 if len(letters) == 9 else 0
        keys = [self._build_key(c, theme, fill) for c in letters]
        return Row(*keys, gap=10, weight=1.0, pad=(margin, 0, margin, 0))

    def _build_key(self, char: str, theme: Theme, fill: tuple[int, int, int], weight: float = 1.0) -> Node:
        shown = char.upper() if self.shift else char
        node = Label(shown, 50, theme.ink, fill=fill, radius=14, h=FILL, align="center", justify="center")
        node.weight = weight
        node.on_tap = lambda: self._type_char(char)
        return node

    def _build_icon_key(
        self, name: str, act: Callable[[], object], theme: Theme, fill: tuple[int, int, int], desc: str
    ) -> Node:
        lit = theme.accent if name == "shift" and self.shift else theme.ink
        return Icon(name, 56, lit, fill=fill, radius=14, h=FILL, weight=1.5, on_tap=act, desc=desc)

    def _build_last_row(self, theme: Theme, fill: tuple[int, int, int], enter: str, space_label: str) -> Node:
        blank = self._build_key(" ", theme, fill, 5.0)
        blank.text, blank.size, blank.ink = space_label, 36, theme.soft
        done = Label(enter, 40, WHITE, fill=theme.accent, radius=14, h=FILL, align="center", justify="center")
        done.weight = 2.2
        done.on_tap = lambda: self.on_key(66)
        return Row(
            self._build_key(",", theme, fill),
            self._build_key("@", theme, fill),
            blank,
            self._build_key(".", theme, fill),
            self._build_key("?", theme, fill),
            done,
            gap=10,
            weight=1.0,
        )
