"""The Settings app: its front page and search. Values live in the phone's settings, so that shell and app agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from deskhand.simphone.apps.framework import App, Host, Page
from deskhand.simphone.ui.nodes import Colour, Node
from deskhand.simphone.ui.widgets import (
    BadgeIcon,
    Chevron,
    Column,
    EmptyNote,
    ListRow,
    Row,
    Screen,
    Scroller,
    Switch,
    TopBar,
)


@dataclass(frozen=True)
class Network:
    name: str
    password: str = ""
    bars: int = 3


NETWORKS = (
    Network("Home-5G", "12345678", 4),
    Network("Office", "deskhand1", 3),
    Network("Cafe-Free", "", 2),
    Network("Library", "", 2),
    Network("Neighbour", "secret99", 1),
)
BLUETOOTH_DEVICES = ("Headphones", "Car Kit", "Smart Watch", "Speaker")


@dataclass(frozen=True)
class FrontEntry:
    """A row of the front page: where it leads, and which words find it."""

    key: str
    icon: str
    tint: Colour
    title: tuple[str, str]
    words: tuple[tuple[str, str], ...] = ()
    activity: str = ""


BLUE, GREEN, ORANGE, PURPLE = (26, 103, 224), (46, 160, 90), (236, 132, 40), (128, 90, 200)
GREY, TEAL, RED = (110, 118, 130), (30, 150, 160), (214, 70, 70)

ENTRIES: tuple[FrontEntry, ...] = (
    FrontEntry("wifi", "wifi", BLUE, ("Wi-Fi", "Wi-Fi"), (("无线网络", "Wireless"),), ".wifi.WifiSettings"),
    FrontEntry("bluetooth", "bluetooth", BLUE, ("蓝牙", "Bluetooth"), (), ".bluetooth.BluetoothSettings"),
    FrontEntry(
        "mobile", "globe", GREEN, ("移动网络", "Mobile network"), (("移动数据", "Mobile data"),), ".MobileNetwork"
    ),
    FrontEntry("airplane", "plane", ORANGE, ("飞行模式", "Airplane mode")),
    FrontEntry(
        "display",
        "sun",
        ORANGE,
        ("显示", "Display"),
        (
            ("亮度", "Brightness"),
            ("深色模式", "Dark mode"),
            ("自动亮度", "Adaptive brightness"),
            ("自动锁屏", "Screen timeout"),
            ("自动旋转", "Auto-rotate"),
        ),
        ".Display",
    ),
    FrontEntry(
        "sound",
        "sound",
        PURPLE,
        ("声音与振动", "Sound & vibration"),
        (
            ("静音模式", "Silent mode"),
            ("媒体音量", "Media volume"),
            ("铃声音量", "Ring volume"),
            ("闹钟音量", "Alarm volume"),
            ("来电振动", "Vibrate for calls"),
        ),
        ".Sound",
    ),
    FrontEntry("notify", "bell", RED, ("通知", "Notifications"), (("勿扰模式", "Do not disturb"),), ".Notifications"),
    FrontEntry(
        "battery", "battery", GREEN, ("电池", "Battery"), (("省电模式", "Battery saver"),), ".fuelgauge.PowerUsage"
    ),
    FrontEntry("storage", "storage", TEAL, ("存储", "Storage"), (), ".Storage"),
    FrontEntry("apps", "apps", BLUE, ("应用", "Apps"), (("应用管理", "App info"),), ".applications.ManageApplications"),
    FrontEntry("location", "pin", GREEN, ("位置信息", "Location")),
    FrontEntry("security", "lock", GREY, ("安全", "Security"), (("锁屏", "Screen lock"),), ".Security"),
    FrontEntry("language", "globe", PURPLE, ("语言", "Language"), (), ".Language"),
    FrontEntry("time", "clock", TEAL, ("日期和时间", "Date & time"), (("24 小时制", "24-hour format"),), ".DateTime"),
    FrontEntry("about", "info", GREY, ("关于手机", "About phone"), (("型号", "Model"),), ".deviceinfo.About"),
)


class FrontPage(Page["SettingsApp"]):
    activity = ".Settings"

    def build(self) -> Node:
        t, theme = self.t, self.colours
        query = self.use_field("search")
        query.enter_label = t("搜索", "Search")
        wanted = query.text.strip().lower()
        shown = [e for e in ENTRIES if not wanted or self._fits_search(e, wanted)]
        hits = [row for e in ENTRIES if wanted for row in self._build_hits(e, wanted)]
        rows = [*(self._build_row(e) for e in shown), *hits] or [
            EmptyNote(t("没有找到设置项", "No settings found"), theme)
        ]
        clear = (
            [
                self.build_icon_button(
                    "close", t("清除", "Clear"), "search_clear", query.clear_text, size=44, ink=theme.soft
                )
            ]
            if query.text
            else []
        )
        search = Row(
            self.build_entry(query, t("搜索设置", "Search settings"), "search_field", weight=1.0),
            *clear,
            pad=(40, 8, 40, 28),
        )
        return Screen(
            theme,
            TopBar(t("设置", "Settings"), theme, rid=self.rid_of("title")),
            search,
            Scroller(self.use_scroll(), Column(*rows), rid=self.rid_of("settings_list")),
        )

    def _fits_search(self, item: FrontEntry, wanted: str) -> bool:
        return any(wanted in name.lower() for name in item.title)

    def _build_hits(self, item: FrontEntry, wanted: str) -> list[Node]:
        """The settings inside of a page that fit, each under its own name, with the page's name below it."""
        found = [words for words in item.words if any(wanted in name.lower() for name in words)]
        return [
            ListRow(
                self.t(*words),
                self.colours,
                sub=self.t(*item.title),
                tail=[Chevron(self.colours)],
                on_tap=lambda: self.app.show_page(item.key),
                rid=self.rid_of("search_result"),
                title_rid="android:id/title",
                sub_rid="android:id/summary",
            )
            for words in found
        ]

    def _build_row(self, item: FrontEntry) -> Node:
        theme, title = self.colours, self.t(*item.title)
        flag = {"airplane": ("global", "airplane_mode_on"), "location": ("secure", "location_mode")}.get(item.key)
        picture = BadgeIcon(item.icon, 88, item.tint, radius=44)
        if flag is not None:
            rid = self.rid_of(f"{item.key}_switch")

            def toggle_entry() -> None:
                self.app.toggle_entry(item.key)

            on = self.host.settings[flag[0]].get(flag[1], "0") != "0"
            tail = [Switch(on, toggle_entry, theme, rid=rid, desc=title)]
            return ListRow(
                title, theme, lead=picture, tail=tail, on_tap=toggle_entry, rid=self.rid_of(f"{item.key}_row")
            )
        return ListRow(
            title,
            theme,
            lead=picture,
            sub=self.app.summary_of(item.key),
            tail=[Chevron(theme)],
            on_tap=lambda: self.app.show_page(item.key),
            rid=self.rid_of(f"{item.key}_row"),
            title_rid="android:id/title",
            sub_rid="android:id/summary",
        )


class SettingsApp(App):
    package, label, label_en, activity = "com.android.settings", "设置", "Settings", ".Settings"
    icon, tint = "gear", (96, 104, 118)

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.network = ""
        self.known: list[str] = []
        self.paired: list[str] = ["Headphones"]

    def build_first_page(self) -> Page[App]:
        return FrontPage(self)

    def has_activity(self, activity: str) -> bool:
        return any(e.activity == activity for e in ENTRIES if e.activity)

    def open_activity(self, activity: str) -> None:
        item = next(e for e in ENTRIES if e.activity == activity)
        self.pages = [self.build_first_page()]
        self.show_page(item.key)

    def show_page(self, key: str) -> None:
        # here, because the pages import this module for the data they show
        from deskhand.simphone.apps.phone_settings.setting_pages import PAGES

        self.push_page(PAGES[key](self))

    def read_setting(self, space: str, name: str, default: str = "0") -> str:
        return self.host.settings[space].get(name, default)

    def put_setting(self, space: str, name: str, value: str) -> None:
        self.host.settings[space][name] = value

    def make_toggle(self, space: str, name: str) -> Callable[[], None]:
        def toggle_setting() -> None:
            self.put_setting(space, name, "0" if self.read_setting(space, name) == "1" else "1")

        return toggle_setting

    def toggle_entry(self, key: str) -> None:
        if key == "location":
            self.put_setting(
                "secure", "location_mode", "0" if self.read_setting("secure", "location_mode") != "0" else "3"
            )
        elif key == "airplane":
            self.make_toggle("global", "airplane_mode_on")()
            if self.read_setting("global", "airplane_mode_on") == "1":
                self.put_setting("global", "wifi_on", "0")
                self.put_setting("global", "bluetooth_on", "0")

    def summary_of(self, key: str) -> str:
        """Return the quiet line under a row's title."""
        t, host = self.t, self.host
        on_off = (t("已关闭", "Off"), t("已开启", "On"))
        if key == "wifi":
            return self.joined or on_off[self.read_setting("global", "wifi_on") == "1"]
        if key == "bluetooth":
            return on_off[self.read_setting("global", "bluetooth_on") == "1"]
        if key == "battery":
            return f"{host.battery_level}%"
        if key == "language":
            return "简体中文" if host.locale == "zh" else "English"
        if key == "about":
            return self.read_setting("global", "device_name")
        return ""

    @property
    def joined(self) -> str:
        """The network in use; none while Wi-Fi is off."""
        return self.network if self.read_setting("global", "wifi_on") == "1" else ""

    def join_network(self, network: Network) -> None:
        self.network = network.name
        if network.name not in self.known:
            self.known.append(network.name)
        self.host.show_toast(self.t("已连接 ", "Connected to ") + network.name)

    def read_state(self) -> dict[str, Any]:
        """network: the Wi-Fi network in use ("" when none); known_networks; paired: Bluetooth devices."""
        return {"network": self.joined, "known_networks": list(self.known), "paired": list(self.paired)}
