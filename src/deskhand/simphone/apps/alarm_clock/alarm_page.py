"""The page that sets an alarm."""

from __future__ import annotations

from deskhand.simphone.apps.alarm_clock.app import INDIGO, Alarm, AlarmClock
from deskhand.simphone.apps.framework import Page
from deskhand.simphone.ui.nodes import WRAP, Node
from deskhand.simphone.ui.widgets import Column, Divider, Label, Row


class AlarmPage(Page[AlarmClock]):
    activity = ".AlarmEdit"

    def __init__(self, app: AlarmClock, alarm: Alarm | None = None) -> None:
        super().__init__(app)
        self.alarm = alarm
        start = alarm or Alarm(app.host.today().hour, 0, "", True)
        self.use_field("hour", f"{start.hour:02d}").digits_only = True
        self.use_field("minute", f"{start.minute:02d}").digits_only = True
        self.use_field("label", start.label)

    def build(self) -> Node:
        t, theme = self.t, self.colours
        title = t("编辑闹钟", "Edit alarm") if self.alarm else t("添加闹钟", "Add alarm")
        save = self.build_button(
            t("保存", "Save"), "save_btn", self._save_alarm, w=180, h=96, size=40, fill=INDIGO, pad=(0, 0, 0, 0)
        )
        pickers = Row(
            self._build_picker("hour", 24, t("小时", "Hour")),
            Label(":", 120, theme.ink),
            self._build_picker("minute", 60, t("分钟", "Minute")),
            justify="center",
            gap=30,
            pad=(0, 40, 0, 40),
        )
        parts: list[Node] = [
            pickers,
            Column(self.build_entry(self.use_field("label"), t("标签", "Label"), "label_edit"), pad=(44, 0, 44, 40)),
            Divider(theme),
        ]
        if self.alarm is not None:
            delete = self.build_button(
                t("删除闹钟", "Delete alarm"), "delete_btn", self._delete_alarm, fill=None, ink=theme.red
            )
            parts.append(delete)
        return self.build_form(self.build_bar(title, save), *parts)

    def _build_picker(self, key: str, top: int, name: str) -> Node:
        theme, field = self.colours, self.use_field(key)

        def step_value(by: int) -> None:
            field.set_text(f"{(int(field.text or 0) + by) % top:02d}")

        up = self.build_icon_button(
            "up",
            self.t(f"{name}加", f"Increase {name.lower()}"),
            f"{key}_up",
            lambda: step_value(1),
            size=72,
            ink=theme.accent,
        )
        down = self.build_icon_button(
            "down",
            self.t(f"{name}减", f"Decrease {name.lower()}"),
            f"{key}_down",
            lambda: step_value(-1),
            size=72,
            ink=theme.accent,
        )
        box = self.build_entry(field, "00", key, w=260, h=200, size=120, pad=(48, 0, 20, 0), desc=name)
        return Column(up, box, down, Label(name, 38, theme.soft), w=WRAP, align="center", gap=12)

    def _save_alarm(self) -> None:
        hour, minute = int(self.use_field("hour").text or 0), int(self.use_field("minute").text or 0)
        if hour > 23 or minute > 59:
            self.host.show_toast(self.t("时间无效", "Not a valid time"))
            return
        alarm = self.alarm or Alarm(0, 0, "", True)
        alarm.hour, alarm.minute, alarm.label, alarm.on = hour, minute, self.use_field("label").text.strip(), True
        if self.alarm is None:
            self.app.alarms.append(alarm)
        self.app.sort_alarms()
        self.host.show_toast(self.t("闹钟已设置", "Alarm set"))
        self.leave_page()

    def _delete_alarm(self) -> None:
        if self.alarm is not None:
            self.app.alarms.remove(self.alarm)
        self.leave_page()
