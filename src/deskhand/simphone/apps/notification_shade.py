"""The notification shade: quick settings and what the apps have to say, pulled down over everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from deskhand.simphone.apps.framework import App, Page
from deskhand.simphone.apps.notification import Notification
from deskhand.simphone.ui.nodes import FILL, WRAP, Node
from deskhand.simphone.ui.theme import STATUS_BAR
from deskhand.simphone.ui.widgets import BadgeIcon, Column, Icon, Label, Row, Scroller

# icon, Chinese and English name, key of the global settings
TILES = (
    ("wifi", "Wi-Fi", "Wi-Fi", "wifi_on"),
    ("bluetooth", "蓝牙", "Bluetooth", "bluetooth_on"),
    ("plane", "飞行模式", "Airplane mode", "airplane_mode_on"),
    ("bell", "勿扰模式", "Do not disturb", "zen_mode"),
)


class ShadeControl(Protocol):
    """The part of the system that the shade works on."""

    def list_notifications(self) -> list[Notification]: ...
    def dismiss_notification(self, one: Notification) -> None: ...
    def collapse_shade(self) -> None: ...


class ShadePage(Page[App]):
    activity = "NotificationShade"

    def __init__(self, app: App, control: ShadeControl) -> None:
        super().__init__(app)
        self._control = control

    def build(self) -> Node:
        t, theme, host = self.t, self.colours, self.host
        today = host.today()
        date = t(f"{today.month}月{today.day}日", today.strftime("%a, %b ") + str(today.day))
        head = Row(
            Label(today.strftime("%H:%M"), 64, theme.ink, bold=True, rid=self.rid_of("clock")),
            Label(date, 40, theme.soft, weight=1.0, rid=self.rid_of("date")),
            gap=28,
            pad=(20, 0, 20, 0),
            h=110,
        )
        tiles = [self._build_tile(*tile) for tile in TILES]
        found = self._control.list_notifications()
        cards = [self._build_card(one) for one in found]
        if not cards:
            cards = [
                Label(t("没有通知", "No notifications"), 42, theme.soft, w=FILL, align="center", pad=(0, 60, 0, 60))
            ]
        listed = Scroller(self.use_scroll(), *cards, rid=self.rid_of("notification_stack_scroller"))
        clear = [self._build_clear()] if any(one.open for one in found) else []
        return Column(
            head, Row(*tiles[:2], gap=20), Row(*tiles[2:], gap=20), listed, *clear,
            gap=20, pad=(40, STATUS_BAR + 12, 40, 40), w=FILL, h=FILL, fill=theme.back,
            rid=self.rid_of("notification_panel"), kind="android.widget.FrameLayout",
        )  # fmt: skip

    def _build_tile(self, icon: str, zh: str, en: str, key: str) -> Node:
        theme, values = self.colours, self.host.settings["global"]
        on = values.get(key, "0") != "0"

        def toggle_tile() -> None:
            values[key] = "0" if on else "1"

        ink = (255, 255, 255) if on else theme.ink
        return Row(
            Icon(icon, 56, ink),
            Label(self.t(zh, en), 38, ink, weight=1.0, max_lines=1),
            gap=20, weight=1.0, h=130, pad=(32, 0, 24, 0), radius=60, fill=theme.accent if on else theme.field,
            on_tap=toggle_tile, desc=self.t(zh, en), checked=on, kind="android.widget.Switch",
            rid=self.rid_of(f"tile_{key}"),
        )  # fmt: skip

    def _build_card(self, one: Notification) -> Node:
        theme, app = self.colours, self.host.apps.find_app(one.package)
        words = Column(
            Label(app.name, 32, theme.soft, max_lines=1, rid="android:id/app_name_text"),
            Label(one.title, 42, theme.ink, bold=True, w=FILL, max_lines=1, rid="android:id/title"),
            Label(one.text, 38, theme.soft, w=FILL, max_lines=2, rid="android:id/text"),
            gap=6, weight=1.0,
        )  # fmt: skip
        return Row(
            BadgeIcon(app.icon, 84, app.tint), words,
            gap=28, align="start", pad=(32, 28, 32, 28), radius=40, fill=theme.card, w=FILL, h=WRAP,
            on_tap=self._make_opener(one) if one.open else None,
            rid=self.rid_of("expandableNotificationRow"), kind="android.widget.FrameLayout",
        )  # fmt: skip

    def _make_opener(self, one: Notification) -> Callable[[], None]:
        def open_notification() -> None:
            self._control.collapse_shade()
            self._control.dismiss_notification(one)
            if one.open:
                one.open()

        return open_notification

    def _build_clear(self) -> Node:
        def clear_all() -> None:
            for one in self._control.list_notifications():
                if one.open:
                    self._control.dismiss_notification(one)
            self._control.collapse_shade()

        return self.build_button(self.t("全部清除", "Clear all"), "dismiss_text", clear_all, max_w=420)
