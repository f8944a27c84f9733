"""The page that sets an alarm."""

from __future__ import annotations

from deskhand.simphone.apps.alarm_clock.app import INDIGO, Alarm, AlarmClock
from deskhand.simphone.apps.alarm_clock.time_pickers import PICKERS
from deskhand.simphone.apps.framework import Page
from deskhand.simphone.ui.nodes import Node
from deskhand.simphone.ui.widgets import Column, Divider


class AlarmPage(Page[AlarmClock]):
    activity = ".AlarmEdit"

    def __init__(self, app: AlarmClock, alarm: Alarm | None = None) -> None:
        super().__init__(app)
        self.alarm = alarm
        start = alarm or Alarm(app.host.today().hour, 0, "", True)
        self.picker = PICKERS[app.host.skin.time_picker](self, start.hour, start.minute)
        self.use_field("label", start.label)

    def build(self) -> Node:
        t, theme = self.t, self.colours
        title = t("编辑闹钟", "Edit alarm") if self.alarm else t("添加闹钟", "Add alarm")
        save = self.build_button(
            t("保存", "Save"), "save_btn", self._save_alarm, w=180, h=96, size=40, fill=INDIGO, pad=(0, 0, 0, 0)
        )
        parts: list[Node] = [
            self.picker.build_picker(),
            Column(self.build_entry(self.use_field("label"), t("标签", "Label"), "label_edit"), pad=(44, 0, 44, 40)),
            Divider(theme),
        ]
        if self.alarm is not None:
            delete = self.build_button(
                t("删除闹钟", "Delete alarm"), "delete_btn", self._delete_alarm, fill=None, ink=theme.red
            )
            parts.append(delete)
        return self.build_form(self.build_bar(title, save), *parts)

    def _save_alarm(self) -> None:
        hour, minute = self.picker.time
        if hour > 23 or minute > 59:
            self.host.show_toast(self.t("时间无效", "Not a valid time"))
            return
        alarm = self.alarm or Alarm(0, 0, "", True)
        alarm.hour, alarm.minute, alarm.label, alarm.on = hour, minute, self.use_field("label").text.strip(), True
        if self.alarm is None and not self.app.is_forgetful:
            self.app.alarms.append(alarm)
        self.app.sort_alarms()
        self.host.show_toast(self.t("闹钟已设置", "Alarm set"))
        self.leave_page()

    def _delete_alarm(self) -> None:
        if self.alarm is not None:
            self.app.alarms.remove(self.alarm)
        self.leave_page()
