"""The Settings app: its front page and search. Values live in the phone's settings, so that shell and app agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from deskhand.simphone.apps.framework import App, Host, Page
from deskhand.simphone.ui.nodes import Colour, Node
from deskhand.simphone.ui.widgets import (
    badge_icon,
    chevron,
    column,
    empty_note,
    entry,
    icon,
    list_row,
    row,
    screen,
    scroller,
    switch,
    top_bar,
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
class Entry:
    """A row of the front page: where it leads, and which words find it."""

    key: str
    icon: str
    tint: Colour
    title: tuple[str, str]
    words: tuple[tuple[str, str], ...] = ()
    activity: str = ""


BLUE, GREEN, ORANGE, PURPLE = (26, 103, 224), (46, 160, 90), (236, 132, 40), (128, 90, 200)
GREY, TEAL, RED = (110, 118, 130), (30, 150, 160), (214, 70, 70)

ENTRIES: tuple[Entry, ...] = (
    Entry("wifi", "wifi", BLUE, ("Wi-Fi", "Wi-Fi"), (("无线网络", "Wireless"),), ".wifi.WifiSettings"),
    Entry("bluetooth", "bluetooth", BLUE, ("蓝牙", "Bluetooth"), (), ".bluetooth.BluetoothSettings"),
    Entry("mobile", "globe", GREEN, ("移动网络", "Mobile network"), (("移动数据", "Mobile data"),), ".MobileNetwork"),
    Entry("airplane", "plane", ORANGE, ("飞行模式", "Airplane mode")),
    Entry(
        "display", "sun", ORANGE, ("显示", "Display"), (("亮度", "Brightness"), ("深色模式", "Dark mode")), ".Display"
    ),
    Entry("sound", "sound", PURPLE, ("声音与振动", "Sound & vibration"), (("音量", "Volume"),), ".Sound"),
    Entry("notify", "bell", RED, ("通知", "Notifications"), (("勿扰", "Do not disturb"),), ".Notifications"),
    Entry("battery", "battery", GREEN, ("电池", "Battery"), (("省电模式", "Battery saver"),), ".fuelgauge.PowerUsage"),
    Entry("storage", "storage", TEAL, ("存储", "Storage"), (), ".Storage"),
    Entry("apps", "apps", BLUE, ("应用", "Apps"), (("应用管理", "App info"),), ".applications.ManageApplications"),
    Entry("location", "pin", GREEN, ("位置信息", "Location")),
    Entry("security", "lock", GREY, ("安全", "Security"), (("锁屏", "Screen lock"),), ".Security"),
    Entry("language", "globe", PURPLE, ("语言", "Language"), (), ".Language"),
    Entry("time", "clock", TEAL, ("日期和时间", "Date & time"), (("24 小时制", "24-hour format"),), ".DateTime"),
    Entry("about", "info", GREY, ("关于手机", "About phone"), (("型号", "Model"),), ".deviceinfo.About"),
)


class SettingsPage(Page):
    def __init__(self, app: Settings) -> None:
        super().__init__(app)
        self.st = app


class FrontPage(SettingsPage):
    activity = ".Settings"

    def build(self) -> Node:
        t, theme = self.t, self.colours
        query = self.field("search")
        query.enter_label = t("搜索", "Search")
        wanted = query.text.strip().lower()
        shown = [e for e in ENTRIES if not wanted or self._fits(e, wanted)]
        rows = [self._row(e) for e in shown] or [empty_note(t("没有找到设置项", "No settings found"), theme)]
        clear = (
            [
                icon(
                    "close",
                    44,
                    theme.soft,
                    on_tap=query.clear,
                    desc=t("清除", "Clear"),
                    rid=self.st.rid("search_clear"),
                )
            ]
            if query.text
            else []
        )
        search = row(
            entry(
                query,
                t("搜索设置", "Search settings"),
                theme,
                rid=self.st.rid("search_field"),
                weight=1.0,
                fill=theme.card,
            ),
            *clear,
            pad=(40, 8, 40, 28),
        )
        return screen(
            theme,
            top_bar(t("设置", "Settings"), theme, rid=self.st.rid("title")),
            search,
            scroller(self.scroll(), column(*rows), rid=self.st.rid("settings_list")),
        )

    def _fits(self, item: Entry, wanted: str) -> bool:
        names = [item.title, *item.words]
        return any(wanted in zh.lower() or wanted in en.lower() for zh, en in names)

    def _row(self, item: Entry) -> Node:
        theme, title = self.colours, self.t(*item.title)
        flag = {"airplane": ("global", "airplane_mode_on"), "location": ("secure", "location_mode")}.get(item.key)
        picture = badge_icon(item.icon, 88, item.tint, radius=44)
        if flag is not None:
            rid = self.st.rid(f"{item.key}_switch")

            def toggle() -> None:
                self.st.toggle(item.key)

            on = self.st.host.settings[flag[0]].get(flag[1], "0") != "0"
            tail = [switch(on, toggle, theme, rid=rid, desc=title)]
            return list_row(title, theme, lead=picture, tail=tail, on_tap=toggle, rid=self.st.rid(f"{item.key}_row"))
        return list_row(
            title,
            theme,
            lead=picture,
            sub=self.st.summary(item.key),
            tail=[chevron(theme)],
            on_tap=lambda: self.st.show(item.key),
            rid=self.st.rid(f"{item.key}_row"),
            title_rid="android:id/title",
            sub_rid="android:id/summary",
        )


class Settings(App):
    package, label, label_en, activity = "com.android.settings", "设置", "Settings", ".Settings"
    icon, tint = "gear", (96, 104, 118)

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.network = ""
        self.known: list[str] = []
        self.paired: list[str] = ["Headphones"]

    def first_page(self) -> Page:
        return FrontPage(self)

    def knows(self, activity: str) -> bool:
        return any(e.activity == activity for e in ENTRIES if e.activity)

    def open_activity(self, activity: str) -> None:
        item = next(e for e in ENTRIES if e.activity == activity)
        self.pages = [self.first_page()]
        self.show(item.key)

    def show(self, key: str) -> None:
        # here, because the pages import this module for the data they show
        from deskhand.simphone.apps.phone_settings.setting_pages import PAGES

        self.push(PAGES[key](self))

    def get(self, space: str, name: str, default: str = "0") -> str:
        return self.host.settings[space].get(name, default)

    def put(self, space: str, name: str, value: str) -> None:
        self.host.settings[space][name] = value

    def flip(self, space: str, name: str) -> Callable[[], None]:
        def toggle() -> None:
            self.put(space, name, "0" if self.get(space, name) == "1" else "1")

        return toggle

    def toggle(self, key: str) -> None:
        if key == "location":
            self.put("secure", "location_mode", "0" if self.get("secure", "location_mode") != "0" else "3")
        elif key == "airplane":
            self.flip("global", "airplane_mode_on")()
            if self.get("global", "airplane_mode_on") == "1":
                self.put("global", "wifi_on", "0")
                self.put("global", "bluetooth_on", "0")

    def summary(self, key: str) -> str:
        """The quiet line under a row's title."""
        t, host = self.t, self.host
        on_off = (t("已关闭", "Off"), t("已开启", "On"))
        if key == "wifi":
            return self.joined or on_off[self.get("global", "wifi_on") == "1"]
        if key == "bluetooth":
            return on_off[self.get("global", "bluetooth_on") == "1"]
        if key == "battery":
            return f"{host.battery_level}%"
        if key == "language":
            return "简体中文" if host.locale == "zh" else "English"
        if key == "about":
            return self.get("global", "device_name")
        return ""

    @property
    def joined(self) -> str:
        """The network in use; none while Wi-Fi is off."""
        return self.network if self.get("global", "wifi_on") == "1" else ""

    def join(self, network: Network) -> None:
        self.network = network.name
        if network.name not in self.known:
            self.known.append(network.name)
        self.host.show_toast(self.t("已连接 ", "Connected to ") + network.name)

    def state(self) -> dict[str, Any]:
        """network: the Wi-Fi network in use ("" when none); known_networks; paired: Bluetooth devices."""
        return {"network": self.joined, "known_networks": list(self.known), "paired": list(self.paired)}
