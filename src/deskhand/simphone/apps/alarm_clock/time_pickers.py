"""The three ways in which phones let a time be chosen: fields with arrows, a dial, wheels."""

from __future__ import annotations

import math
from collections.abc import Callable

from deskhand.simphone.apps.alarm_clock.app import INDIGO, AlarmClock
from deskhand.simphone.apps.framework import Page
from deskhand.simphone.ui.nodes import FILL, WRAP, Node, ScrollState, TextField
from deskhand.simphone.ui.widgets import WHITE, Column, Label, Row, Scroller, Stack

SIZE, NUMBER, ROW = 860, 120, 130
FACE: tuple[int, ...] = (12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)


class TextPicker:
    """Two fields, each between two arrows."""

    def __init__(self, page: Page[AlarmClock], hour: int, minute: int) -> None:
        self._page = page
        for key, value in (("hour", hour), ("minute", minute)):
            page.use_field(key, f"{value:02d}").digits_only = True

    @property
    def time(self) -> tuple[int, int]:
        return int(self._page.use_field("hour").text or 0), int(self._page.use_field("minute").text or 0)

    def build_picker(self) -> Node:
        t = self._page.t
        return Row(
            self._build_column("hour", 24, t("小时", "Hour")),
            Label(":", 120, self._page.colours.ink),
            self._build_column("minute", 60, t("分钟", "Minute")),
            justify="center",
            gap=30,
            pad=(0, 40, 0, 40),
        )

    def _build_column(self, key: str, top: int, name: str) -> Node:
        page = self._page
        theme, field = page.colours, page.use_field(key)

        def step_value(by: int) -> None:
            field.set_text(f"{(int(field.text or 0) + by) % top:02d}")

        up = page.build_icon_button(
            "up",
            page.t(f"{name}加", f"Increase {name.lower()}"),
            f"{key}_up",
            lambda: step_value(1),
            size=72,
            ink=theme.accent,
        )
        down = page.build_icon_button(
            "down",
            page.t(f"{name}减", f"Decrease {name.lower()}"),
            f"{key}_down",
            lambda: step_value(-1),
            size=72,
            ink=theme.accent,
        )
        box = page.build_entry(field, "00", key, w=260, h=200, size=120, pad=(48, 0, 20, 0), desc=name)
        return Column(up, box, down, Label(name, 38, theme.soft), w=WRAP, align="center", gap=12)


class DialPicker:
    """A clock's face: the hour first, then the minute in steps of five; a keyboard for the minutes between."""

    def __init__(self, page: Page[AlarmClock], hour: int, minute: int) -> None:
        self._page = page
        self._hour, self._minute = hour, minute
        self._on_minutes = False
        self._typing = False

    @property
    def time(self) -> tuple[int, int]:
        return self._hour, self._minute

    def build_picker(self) -> Node:
        page, t = self._page, self._page.t
        name = t("切换到文字输入模式", "Switch to text input mode")
        if self._typing:
            name = t("切换到时钟模式", "Switch to clock mode")
        switch = page.build_icon_button("edit", name, "toggle_mode", self._toggle_mode)
        middle = [] if self._typing else [self._build_face()]
        return Column(self._build_head(), *middle, switch, align="center", gap=24, pad=(0, 30, 0, 30))

    def _build_head(self) -> Node:
        hour, minute = f"{self._hour % 12 or 12}", f"{self._minute:02d}"
        if self._typing:
            shown = [
                self._build_field("hour", hour, self._set_face_hour),
                self._build_field("minute", minute, self._set_minute),
            ]
        else:
            shown = [self._build_value(hour, "hours", False), self._build_value(minute, "minutes", True)]
        halves = Column(self._build_half(0), self._build_half(12), w=WRAP)
        return Row(shown[0], Label(":", 120, self._page.colours.ink), shown[1], halves, justify="center", gap=30)

    def _build_value(self, text: str, rid: str, minutes: bool) -> Node:
        here = self._on_minutes is minutes
        ink = INDIGO if here else self._page.colours.soft

        def choose_it() -> None:
            self._on_minutes = minutes

        return Label(text, 130, ink, on_tap=choose_it, selected=here, rid=self._page.rid_of(rid))

    def _build_field(self, key: str, text: str, change: Callable[[TextField], None]) -> Node:
        page, names = self._page, {"hour": ("小时", "Hour"), "minute": ("分钟", "Minute")}
        field = page.use_field(key, text)
        field.digits_only, field.on_change = True, lambda: change(field)
        return page.build_entry(field, text, f"input_{key}", w=240, h=180, size=110, desc=page.t(*names[key]))

    def _set_face_hour(self, field: TextField) -> None:
        if field.text and 1 <= int(field.text) <= 12:
            self._hour = int(field.text) % 12 + (12 if self._hour >= 12 else 0)

    def _set_minute(self, field: TextField) -> None:
        if field.text and int(field.text) < 60:
            self._minute = int(field.text)

    def _build_half(self, half: int) -> Node:
        page, here = self._page, (self._hour >= 12) == (half == 12)

        def choose_it() -> None:
            self._hour = self._hour % 12 + half

        text = page.t("下午", "PM") if half else page.t("上午", "AM")
        node = Label(text, 46, INDIGO if here else page.colours.soft, on_tap=choose_it, pad=(24, 16, 24, 16))
        node.kind, node.checked, node.rid = "android.widget.RadioButton", here, page.rid_of(f"half_{half}")
        return node

    def _build_face(self) -> Node:
        numbers = [5 * (n % 12) for n in FACE] if self._on_minutes else list(FACE)
        middle, reach = SIZE // 2, (SIZE - NUMBER) // 2 - 10
        nodes: list[Node] = []
        for at, number in enumerate(numbers):
            angle = math.radians(30 * at)
            left = round(middle + reach * math.sin(angle) - NUMBER / 2)
            top = round(middle - reach * math.cos(angle) - NUMBER / 2)
            nodes.append(Column(self._build_number(number), w=left + NUMBER, h=top + NUMBER, pad=(left, top, 0, 0)))
        disc = Node(kind="android.view.View", w=SIZE, h=SIZE, radius=SIZE // 2, fill=self._page.colours.field)
        return Stack(disc, *nodes, w=SIZE, h=SIZE, rid=self._page.rid_of("radial_picker"))

    def _build_number(self, number: int) -> Node:
        here = number == (self._minute if self._on_minutes else self._hour % 12 or 12)
        text = f"{number:02d}" if self._on_minutes else str(number)
        label = Label(
            text, 52, WHITE if here else self._page.colours.ink, w=NUMBER, h=NUMBER, radius=NUMBER // 2,
            fill=INDIGO if here else None, align="center", justify="center", on_tap=lambda: self._choose_number(number),
            selected=here, desc=text,
        )  # fmt: skip
        label.kind = "android.widget.RadialTimePickerView$RadialPickerTouchHelper"
        return label

    def _choose_number(self, number: int) -> None:
        if self._on_minutes:
            self._minute = number
        else:
            self._hour, self._on_minutes = number % 12 + (12 if self._hour >= 12 else 0), True

    def _toggle_mode(self) -> None:
        self._typing = not self._typing
        for key in ("hour", "minute"):
            self._page.fields.pop(key, None)
        self._page.focus_field(None)


class WheelPicker:
    """Two columns of numbers that turn under the finger; the one in the middle counts."""

    def __init__(self, page: Page[AlarmClock], hour: int, minute: int) -> None:
        self._page = page
        self._scrolls = {"hour": page.use_scroll("hour"), "minute": page.use_scroll("minute")}
        for key, value in (("hour", hour), ("minute", minute)):
            self._scrolls[key].offset = float(value * ROW)

    @property
    def time(self) -> tuple[int, int]:
        return self._read_value("hour"), self._read_value("minute")

    def _read_value(self, key: str) -> int:
        return round(self._scrolls[key].offset / ROW)

    def build_picker(self) -> Node:
        t = self._page.t
        return Row(
            self._build_wheel("hour", 24, t("小时", "Hour")),
            self._build_wheel("minute", 60, t("分钟", "Minute")),
            justify="center",
            gap=60,
            pad=(0, 40, 0, 40),
        )

    def _build_wheel(self, key: str, top: int, name: str) -> Node:
        scroll, here = self._scrolls[key], self._read_value(key)
        blank = Column(h=ROW)
        rows = [self._build_row(scroll, value, value == here) for value in range(top)]
        return Scroller(
            scroll, blank, *rows, Column(h=ROW), w=300, h=3 * ROW, weight=0.0, desc=name,
            kind="android.widget.NumberPicker",
        )  # fmt: skip

    def _build_row(self, scroll: ScrollState, value: int, here: bool) -> Node:
        theme = self._page.colours
        return Label(
            f"{value:02d}", 90 if here else 60, theme.ink if here else theme.faint, w=FILL, h=ROW, align="center",
            justify="center", on_tap=None if here else lambda: scroll.move_to(value * ROW),
        )  # fmt: skip


Picker = TextPicker | DialPicker | WheelPicker
PICKERS: dict[str, type[Picker]] = {"text": TextPicker, "dial": DialPicker, "wheels": WheelPicker}
