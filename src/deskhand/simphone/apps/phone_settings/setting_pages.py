"""The pages behind the rows of Settings."""

from __future__ import annotations

from collections.abc import Callable

from deskhand.simphone.apps.framework import App
from deskhand.simphone.apps.phone_settings.app import BLUETOOTH_DEVICES, NETWORKS, Network, Settings, SettingsPage
from deskhand.simphone.ui.nodes import FILL, Node
from deskhand.simphone.ui.theme import Theme
from deskhand.simphone.ui.widgets import (
    badge_icon,
    button,
    card,
    column,
    empty_note,
    entry,
    icon,
    label,
    line,
    list_row,
    row,
    screen,
    scroller,
    section,
    slider,
    switch,
)


class SubPage(SettingsPage):
    title: tuple[str, str] = ("", "")

    def build_rows(self) -> list[Node]:
        raise NotImplementedError

    def build(self) -> Node:
        body = scroller(self.use_scroll(), column(*self.build_rows()), rid=self.st.rid_of("list"))
        return screen(self.colours, self.build_bar(self.t(*self.title)), body)

    def build_switch_row(
        self, title: str, space: str, name: str, rid: str, *, sub: str = "", act: Callable[[], object] | None = None
    ) -> Node:
        """A row whose switch is a value in the phone's settings."""
        theme, toggle = self.colours, act or self.st.make_toggle(space, name)
        knob = switch(self.st.read_setting(space, name) == "1", toggle, theme, rid=self.st.rid_of(rid), desc=title)
        return list_row(title, theme, sub=sub, tail=[knob], on_tap=toggle, title_rid="android:id/title")

    def build_slider_row(self, title: str, space: str, name: str, top: int, rid: str, icon_name: str) -> Node:
        theme: Theme = self.colours

        def set_level(level: float) -> None:
            self.st.put_setting(space, name, str(round(level * top)))

        value = int(self.st.read_setting(space, name))
        percent = f"{round(100 * value / top)}%"
        head = row(
            label(title, 44, theme.ink, weight=1.0), label(percent, 38, theme.soft, rid=self.st.rid_of(rid + "_value"))
        )
        bar = row(
            icon(icon_name, 52, theme.soft),
            column(slider(value / top, set_level, theme, rid=self.st.rid_of(rid), desc=title), weight=1.0),
            gap=16,
        )
        return column(head, bar, fill=theme.card, pad=(44, 28, 44, 20), gap=8)

    def build_fact(self, title: str, value: str, rid: str = "") -> Node:
        theme = self.colours
        return row(
            label(title, 44, theme.ink, weight=1.0),
            label(value, 40, theme.soft, rid=self.st.rid_of(rid) if rid else ""),
            h=140,
            pad=(44, 0, 44, 0),
            fill=theme.card,
        )


class WifiPage(SubPage):
    activity = ".wifi.WifiSettings"
    title = ("Wi-Fi", "Wi-Fi")

    def build_rows(self) -> list[Node]:
        t, theme = self.t, self.colours
        top = self.build_switch_row("Wi-Fi", "global", "wifi_on", "wifi_switch", act=self._toggle_wifi)
        if self.st.read_setting("global", "wifi_on") != "1":
            note = t("要查看可用网络，请打开 Wi-Fi", "To see available networks, turn Wi-Fi on")
            return [top, empty_note(note, theme)]
        rows = [top, section(t("可用网络", "Available networks"), theme)]
        for network in NETWORKS:
            rows.extend((self._build_network(network), line(theme, 160)))
        return rows

    def _toggle_wifi(self) -> None:
        turning_on = self.st.read_setting("global", "wifi_on") != "1"
        self.st.make_toggle("global", "wifi_on")()
        if turning_on:
            self.st.put_setting("global", "airplane_mode_on", "0")

    def _build_network(self, network: Network) -> Node:
        t, theme = self.t, self.colours
        joined = self.st.joined == network.name
        kind = t("加密", "Secured") if network.password else t("开放", "Open")
        sub = t("已连接", "Connected") if joined else t("已保存", "Saved") if network.name in self.st.known else kind
        tail = [icon("lock", 40, theme.faint)] if network.password else []
        tail += [icon("check", 48, theme.accent)] if joined else []
        return list_row(
            network.name,
            theme,
            lead=icon("wifi", 64, theme.accent if joined else theme.soft),
            sub=sub,
            tail=tail,
            on_tap=lambda: self._choose_network(network),
            rid=self.st.rid_of("wifi_network"),
            title_rid="android:id/title",
            sub_rid="android:id/summary",
        )

    def _choose_network(self, network: Network) -> None:
        if self.st.joined == network.name:
            self._offer_to_forget(network)
        elif not network.password or network.name in self.st.known:
            self.st.join_network(network)
        else:
            self._ask_password(network)

    def _offer_to_forget(self, network: Network) -> None:
        def forget_network() -> None:
            self.st.known.remove(network.name)
            self.st.network = ""

        self.confirm_action(
            network.name,
            self.t("不再保存此网络？", "Forget this network?"),
            self.t("取消保存", "Forget"),
            forget_network,
        )

    def _ask_password(self, network: Network) -> None:
        t = self.t
        field = self.use_field("dialog_password")
        field.set_text("")
        field.password = True

        def join_network() -> None:
            if field.text == network.password:
                self.dismiss_dialog()
                self.st.join_network(network)
            else:
                self.st.host.show_toast(t("密码错误", "Wrong password"))

        field.on_enter = join_network
        self.show_dialog(
            lambda: card(
                network.name,
                self.colours,
                body=[entry(field, t("密码", "Password"), self.colours, rid=self.st.rid_of("password"))],
                buttons=(
                    (t("取消", "Cancel"), "android:id/button2", self.dismiss_dialog),
                    (t("连接", "Connect"), "android:id/button1", join_network),
                ),
            )
        )
        self.focus_field(field)


class BluetoothPage(SubPage):
    activity = ".bluetooth.BluetoothSettings"
    title = ("蓝牙", "Bluetooth")

    def build_rows(self) -> list[Node]:
        t, theme = self.t, self.colours
        top = self.build_switch_row(t("蓝牙", "Bluetooth"), "global", "bluetooth_on", "bluetooth_switch")
        if self.st.read_setting("global", "bluetooth_on") != "1":
            return [top, empty_note(t("打开蓝牙以查找设备", "Turn Bluetooth on to find devices"), theme)]
        paired = [self._build_device(name) for name in self.st.paired]
        others = [self._build_device(name) for name in BLUETOOTH_DEVICES if name not in self.st.paired]
        return [
            top,
            section(t("已配对的设备", "Paired devices"), theme),
            *paired,
            section(t("可用设备", "Available devices"), theme),
            *others,
        ]

    def _build_device(self, name: str) -> Node:
        def toggle_pairing() -> None:
            if name in self.st.paired:
                self.confirm_action(
                    name,
                    self.t("取消配对？", "Unpair this device?"),
                    self.t("取消配对", "Unpair"),
                    lambda: self.st.paired.remove(name),
                )
            else:
                self.st.paired.append(name)
                self.st.host.show_toast(self.t("已配对 ", "Paired with ") + name)

        lead = icon("bluetooth", 60, self.colours.soft)
        return list_row(name, self.colours, lead=lead, on_tap=toggle_pairing, rid=self.st.rid_of("bluetooth_device"))


class MobilePage(SubPage):
    activity = ".MobileNetwork"
    title = ("移动网络", "Mobile network")

    def build_rows(self) -> list[Node]:
        t = self.t
        return [
            self.build_switch_row(t("移动数据", "Mobile data"), "global", "mobile_data", "mobile_data_switch"),
            self.build_switch_row(t("数据漫游", "Roaming"), "global", "data_roaming", "roaming_switch"),
            self.build_fact(t("运营商", "Carrier"), "Sim Mobile"),
        ]


class DisplayPage(SubPage):
    activity = ".Display"
    title = ("显示", "Display")
    _TIMEOUTS = (15_000, 30_000, 60_000, 300_000)

    def build_rows(self) -> list[Node]:
        t, theme = self.t, self.colours
        dark = self.st.read_setting("secure", "ui_night_mode") == "2"
        name = t("深色模式", "Dark mode")
        knob = switch(dark, self._toggle_dark, theme, rid=self.st.rid_of("dark_mode_switch"), desc=name)
        seconds = int(self.st.read_setting("system", "screen_off_timeout", "60000")) // 1000
        return [
            self.build_slider_row(
                t("亮度", "Brightness"), "system", "screen_brightness", 255, "brightness_slider", "sun"
            ),
            self.build_switch_row(
                t("自动亮度", "Adaptive brightness"), "system", "screen_brightness_mode", "auto_brightness_switch"
            ),
            list_row(name, theme, tail=[knob], on_tap=self._toggle_dark, title_rid="android:id/title"),
            list_row(
                t("自动锁屏", "Screen timeout"),
                theme,
                sub=f"{seconds} " + t("秒", "seconds"),
                on_tap=self._step_timeout,
                rid=self.st.rid_of("timeout_row"),
            ),
            self.build_switch_row(t("自动旋转", "Auto-rotate"), "system", "accelerometer_rotation", "rotate_switch"),
        ]

    def _toggle_dark(self) -> None:
        self.st.put_setting(
            "secure", "ui_night_mode", "1" if self.st.read_setting("secure", "ui_night_mode") == "2" else "2"
        )

    def _step_timeout(self) -> None:
        now = int(self.st.read_setting("system", "screen_off_timeout", "60000"))
        later = [value for value in self._TIMEOUTS if value > now] or list(self._TIMEOUTS)
        self.st.put_setting("system", "screen_off_timeout", str(later[0]))


class SoundPage(SubPage):
    activity = ".Sound"
    title = ("声音与振动", "Sound & vibration")

    def build_rows(self) -> list[Node]:
        t = self.t
        return [
            self.build_slider_row(t("媒体音量", "Media volume"), "system", "volume_music", 15, "media_volume", "sound"),
            self.build_slider_row(t("铃声音量", "Ring volume"), "system", "volume_ring", 15, "ring_volume", "bell"),
            self.build_slider_row(t("闹钟音量", "Alarm volume"), "system", "volume_alarm", 15, "alarm_volume", "alarm"),
            self.build_switch_row(
                t("来电振动", "Vibrate for calls"), "system", "vibrate_when_ringing", "vibrate_switch"
            ),
        ]


class NotifyPage(SubPage):
    activity = ".Notifications"
    title = ("通知", "Notifications")

    def build_rows(self) -> list[Node]:
        t = self.t
        return [
            self.build_switch_row(t("勿扰模式", "Do not disturb"), "global", "zen_mode", "dnd_switch"),
            self.build_switch_row(
                t("锁屏显示通知", "Notifications on lock screen"),
                "secure",
                "lock_screen_show_notifications",
                "lock_notify_switch",
            ),
        ]


class BatteryPage(SubPage):
    activity = ".fuelgauge.PowerUsage"
    title = ("电池", "Battery")

    def build_rows(self) -> list[Node]:
        t, theme, host = self.t, self.colours, self.st.host
        level = label(f"{host.battery_level}%", 140, theme.ink, rid=self.st.rid_of("battery_level"))
        state = t("正在充电", "Charging") if host.charging else t("未在充电", "Not charging")
        head = column(level, label(state, 42, theme.soft), align="center", pad=(0, 60, 0, 60), fill=theme.card)
        return [
            head,
            section("", theme),
            self.build_switch_row(t("省电模式", "Battery saver"), "global", "low_power", "battery_saver_switch"),
        ]


class StoragePage(SubPage):
    activity = ".Storage"
    title = ("存储", "Storage")

    def build_rows(self) -> list[Node]:
        t, theme = self.t, self.colours
        parts = ((t("应用", "Apps"), 22.4), (t("图片", "Images"), 9.1), (t("系统", "System"), 14.7))
        used = sum(size for _, size in parts)
        head = label(
            t(f"已用 {used:.1f} GB / 128 GB", f"{used:.1f} GB of 128 GB used"),
            52,
            theme.ink,
            w=FILL,
            pad=(44, 50, 44, 50),
            fill=theme.card,
        )
        return [head, section("", theme), *(self.build_fact(name, f"{size} GB") for name, size in parts)]


class AppsPage(SubPage):
    activity = ".applications.ManageApplications"
    title = ("应用", "Apps")

    def build_rows(self) -> list[Node]:
        return [
            list_row(
                app.name,
                self.colours,
                lead=badge_icon(app.icon, 96, app.tint),
                sub=app.package,
                on_tap=lambda app=app: self.st.push_page(AppInfoPage(self.st, app)),
                rid=self.st.rid_of("app_row"),
            )
            for app in self.st.host.apps.list_launchable()
        ]


class AppInfoPage(SubPage):
    activity = ".applications.InstalledAppDetails"
    title = ("应用信息", "App info")

    def __init__(self, app: Settings, about: App) -> None:
        super().__init__(app)
        self.about = about

    def build_rows(self) -> list[Node]:
        t, theme, app = self.t, self.colours, self.about

        def stop_app() -> None:
            app.host.apps.stop_app(app.package)
            app.host.show_toast(t("已停止", "Stopped"))

        def launch_app() -> None:
            app.host.apps.launch_app(app.package)

        running = t("运行中", "Running") if app.pages else t("未运行", "Not running")
        return [
            column(
                badge_icon(app.icon, 180, app.tint, radius=48),
                label(app.name, 54, theme.ink, bold=True),
                align="center",
                gap=20,
                pad=(0, 40, 0, 40),
            ),
            self.build_fact(t("包名", "Package"), app.package),
            self.build_fact(t("状态", "Status"), running, "app_status"),
            column(
                button(t("打开", "Open"), launch_app, theme, rid=self.st.rid_of("open_btn")),
                button(
                    t("强行停止", "Force stop"), stop_app, theme, fill=theme.red, rid=self.st.rid_of("force_stop_btn")
                ),
                gap=28,
                pad=(44, 40, 44, 0),
            ),
        ]


class SecurityPage(SubPage):
    activity = ".Security"
    title = ("安全", "Security")

    def build_rows(self) -> list[Node]:
        t = self.t
        return [
            self.build_fact(t("屏幕锁定", "Screen lock"), t("滑动", "Swipe")),
            self.build_switch_row(t("显示密码", "Show passwords"), "system", "show_password", "show_password_switch"),
            self.build_switch_row(t("查找我的手机", "Find my phone"), "secure", "find_my_phone", "find_phone_switch"),
        ]


class LanguagePage(SubPage):
    activity = ".Language"
    title = ("语言", "Language")

    def build_rows(self) -> list[Node]:
        return [self._build_choice("zh", "简体中文"), line(self.colours), self._build_choice("en", "English")]

    def _build_choice(self, code: str, name: str) -> Node:
        def choose_language() -> None:
            self.st.host.locale = code

        tail = [icon("check", 52, self.colours.accent)] if self.st.host.locale == code else []
        return list_row(name, self.colours, tail=tail, on_tap=choose_language, rid=self.st.rid_of(f"language_{code}"))


class TimePage(SubPage):
    activity = ".DateTime"
    title = ("日期和时间", "Date & time")

    def build_rows(self) -> list[Node]:
        t, today = self.t, self.st.host.today()
        return [
            self.build_switch_row(
                t("自动设置时间", "Set time automatically"), "global", "auto_time", "auto_time_switch"
            ),
            self.build_switch_row(t("24 小时制", "24-hour format"), "system", "time_24", "time_24_switch"),
            self.build_fact(t("日期", "Date"), today.strftime("%Y-%m-%d"), "date_value"),
            self.build_fact(t("时间", "Time"), today.strftime("%H:%M"), "time_value"),
        ]


class AboutPage(SubPage):
    activity = ".deviceinfo.About"
    title = ("关于手机", "About phone")

    def build_rows(self) -> list[Node]:
        t = self.t
        name = self.st.read_setting("global", "device_name")
        return [
            list_row(
                t("设备名称", "Device name"),
                self.colours,
                sub=name,
                on_tap=self._rename_device,
                rid=self.st.rid_of("device_name_row"),
                sub_rid=self.st.rid_of("device_name"),
            ),
            self.build_fact(t("型号", "Model"), "Deskhand Sim 1", "model"),
            self.build_fact(t("Android 版本", "Android version"), "14", "android_version"),
            self.build_fact(t("处理器", "Processor"), "8 × 2.4 GHz"),
            self.build_fact(t("运行内存", "RAM"), "8 GB"),
            self.build_fact(t("版本号", "Build number"), "UQ1A.240205.002"),
        ]

    def _rename_device(self) -> None:
        t = self.t
        field = self.use_field("dialog_name")
        field.set_text(self.st.read_setting("global", "device_name"))

        def save_name() -> None:
            if field.text.strip():
                self.st.put_setting("global", "device_name", field.text.strip())
                self.dismiss_dialog()

        field.on_enter = save_name
        self.show_dialog(
            lambda: card(
                t("设备名称", "Device name"),
                self.colours,
                body=[entry(field, "", self.colours, rid=self.st.rid_of("device_name_edit"))],
                buttons=(
                    (t("取消", "Cancel"), "android:id/button2", self.dismiss_dialog),
                    (t("确定", "OK"), "android:id/button1", save_name),
                ),
            )
        )
        self.focus_field(field)


PAGES: dict[str, type[SubPage]] = {
    "wifi": WifiPage,
    "bluetooth": BluetoothPage,
    "mobile": MobilePage,
    "display": DisplayPage,
    "sound": SoundPage,
    "notify": NotifyPage,
    "battery": BatteryPage,
    "storage": StoragePage,
    "apps": AppsPage,
    "security": SecurityPage,
    "language": LanguagePage,
    "time": TimePage,
    "about": AboutPage,
}
