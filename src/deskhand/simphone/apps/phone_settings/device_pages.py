"""Settings of the phone itself: display, sound, battery, language, time and their like."""

from __future__ import annotations

from deskhand.simphone.apps.phone_settings.sub_page import SubPage
from deskhand.simphone.ui.nodes import FILL, Node
from deskhand.simphone.ui.widgets import Column, Divider, Icon, Label, ListRow, SectionTitle, Switch


class DisplayPage(SubPage):
    activity = ".Display"
    title = ("显示", "Display")
    _TIMEOUTS = (15_000, 30_000, 60_000, 300_000)

    def build_rows(self) -> list[Node]:
        t, theme = self.t, self.colours
        dark = self.app.read_setting("secure", "ui_night_mode") == "2"
        name = t("深色模式", "Dark mode")
        knob = Switch(dark, self._toggle_dark, theme, rid=self.rid_of("dark_mode_switch"), desc=name)
        seconds = int(self.app.read_setting("system", "screen_off_timeout", "60000")) // 1000
        return [
            self.build_slider_row(
                t("亮度", "Brightness"), "system", "screen_brightness", 255, "brightness_slider", "sun"
            ),
            self.build_switch_row(
                t("自动亮度", "Adaptive brightness"), "system", "screen_brightness_mode", "auto_brightness_switch"
            ),
            ListRow(name, theme, tail=[knob], on_tap=self._toggle_dark, title_rid="android:id/title"),
            ListRow(
                t("自动锁屏", "Screen timeout"),
                theme,
                sub=f"{seconds} " + t("秒", "seconds"),
                on_tap=self._step_timeout,
                rid=self.rid_of("timeout_row"),
            ),
            self.build_switch_row(t("自动旋转", "Auto-rotate"), "system", "accelerometer_rotation", "rotate_switch"),
        ]

    def _toggle_dark(self) -> None:
        self.app.put_setting(
            "secure", "ui_night_mode", "1" if self.app.read_setting("secure", "ui_night_mode") == "2" else "2"
        )

    def _step_timeout(self) -> None:
        now = int(self.app.read_setting("system", "screen_off_timeout", "60000"))
        later = [value for value in self._TIMEOUTS if value > now] or list(self._TIMEOUTS)
        self.app.put_setting("system", "screen_off_timeout", str(later[0]))


class SoundPage(SubPage):
    activity = ".Sound"
    title = ("声音与振动", "Sound & vibration")

    def build_rows(self) -> list[Node]:
        t, theme = self.t, self.colours
        silent = self.app.read_setting("global", "mode_ringer", "2") == "0"
        name = t("静音模式", "Silent mode")
        knob = Switch(silent, self._toggle_silent, theme, rid=self.rid_of("silent_switch"), desc=name)
        return [
            ListRow(name, theme, tail=[knob], on_tap=self._toggle_silent, title_rid="android:id/title"),
            self.build_slider_row(t("媒体音量", "Media volume"), "system", "volume_music", 15, "media_volume", "sound"),
            self.build_slider_row(t("铃声音量", "Ring volume"), "system", "volume_ring", 15, "ring_volume", "bell"),
            self.build_slider_row(t("闹钟音量", "Alarm volume"), "system", "volume_alarm", 15, "alarm_volume", "alarm"),
            self.build_switch_row(
                t("来电振动", "Vibrate for calls"), "system", "vibrate_when_ringing", "vibrate_switch"
            ),
        ]

    def _toggle_silent(self) -> None:
        silent = self.app.read_setting("global", "mode_ringer", "2") == "0"
        self.app.put_setting("global", "mode_ringer", "2" if silent else "0")


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
        t, theme, host = self.t, self.colours, self.host
        level = Label(f"{host.battery_level}%", 140, theme.ink, rid=self.rid_of("battery_level"))
        state = t("正在充电", "Charging") if host.charging else t("未在充电", "Not charging")
        head = Column(level, Label(state, 42, theme.soft), align="center", pad=(0, 60, 0, 60), fill=theme.card)
        return [
            head,
            SectionTitle("", theme),
            self.build_switch_row(t("省电模式", "Battery saver"), "global", "low_power", "battery_saver_switch"),
        ]


class StoragePage(SubPage):
    activity = ".Storage"
    title = ("存储", "Storage")

    def build_rows(self) -> list[Node]:
        t, theme = self.t, self.colours
        parts = ((t("应用", "Apps"), 22.4), (t("图片", "Images"), 9.1), (t("系统", "System"), 14.7))
        used = sum(size for _, size in parts)
        head = Label(
            t(f"已用 {used:.1f} GB / 128 GB", f"{used:.1f} GB of 128 GB used"),
            52,
            theme.ink,
            w=FILL,
            pad=(44, 50, 44, 50),
            fill=theme.card,
        )
        return [head, SectionTitle("", theme), *(self.build_fact(name, f"{size} GB") for name, size in parts)]


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
        return [self._build_choice("zh", "简体中文"), Divider(self.colours), self._build_choice("en", "English")]

    def _build_choice(self, code: str, name: str) -> Node:
        def choose_language() -> None:
            self.host.locale = code

        tail = [Icon("check", 52, self.colours.accent)] if self.host.locale == code else []
        return ListRow(name, self.colours, tail=tail, on_tap=choose_language, rid=self.rid_of(f"language_{code}"))


class TimePage(SubPage):
    activity = ".DateTime"
    title = ("日期和时间", "Date & time")

    def build_rows(self) -> list[Node]:
        t, today = self.t, self.host.today()
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
        name = self.app.read_setting("global", "device_name")
        return [
            ListRow(
                t("设备名称", "Device name"),
                self.colours,
                sub=name,
                on_tap=self._rename_device,
                rid=self.rid_of("device_name_row"),
                sub_rid=self.rid_of("device_name"),
            ),
            self.build_fact(t("型号", "Model"), self.host.model, "model"),
            self.build_fact(t("Android 版本", "Android version"), self.host.android_release, "android_version"),
            self.build_fact(t("处理器", "Processor"), "8 × 2.4 GHz"),
            self.build_fact(t("运行内存", "RAM"), "8 GB"),
            self.build_fact(t("版本号", "Build number"), self.host.build_id),
        ]

    def _rename_device(self) -> None:
        t = self.t
        field = self.use_field("dialog_name")
        field.set_text(self.app.read_setting("global", "device_name"))

        def save_name() -> None:
            if field.text.strip():
                self.app.put_setting("global", "device_name", field.text.strip())
                self.dismiss_dialog()

        field.on_enter = save_name
        self.ask_text(t("设备名称", "Device name"), field, "", "device_name_edit", t("确定", "OK"))
