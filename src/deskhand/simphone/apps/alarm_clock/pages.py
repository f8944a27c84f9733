"""The clock's four tabs and the page that sets an alarm."""

from __future__ import annotations

from datetime import timedelta

from deskhand.simphone.apps.alarm_clock.app import CITIES, INDIGO, Alarm, AlarmClock, Tab, city_name_of
from deskhand.simphone.apps.framework import Page
from deskhand.simphone.ui.nodes import FILL, WRAP, Action, Node
from deskhand.simphone.ui.widgets import (
    WHITE,
    button,
    column,
    empty_note,
    entry,
    icon,
    label,
    line,
    menu_card,
    row,
    screen,
    scroller,
    stack,
    switch,
    tab_bar,
    top_bar,
)


def _format_seconds(seconds: float) -> str:
    tenths = int(seconds * 10)
    return f"{tenths // 600:02d}:{tenths // 10 % 60:02d}.{tenths % 10}"


class ClockPage(Page):
    activity = ".DeskClock"

    def __init__(self, app: AlarmClock) -> None:
        super().__init__(app)
        self.clock = app
        self.tab: Tab = "alarm"

    @property
    def tick(self) -> float:  # pyright: ignore[reportIncompatibleVariableOverride] - it depends on what is running
        if self.tab == "stopwatch" and self.clock.stopwatch.since is not None:
            return 0.1
        return 1.0 if self.tab == "timer" and self.clock.timer.since is not None else 0.0

    def build(self) -> Node:
        theme = self.colours
        names: dict[Tab, tuple[str, str]] = {
            "alarm": ("alarm", self.t("闹钟", "Alarm")),
            "world": ("globe", self.t("世界时钟", "World clock")),
            "stopwatch": ("stopwatch", self.t("秒表", "Stopwatch")),
            "timer": ("timer", self.t("计时器", "Timer")),
        }
        body = {
            "alarm": self._build_alarms,
            "world": self._build_world,
            "stopwatch": self._build_stopwatch,
            "timer": self._build_timer,
        }
        tabs = [
            (picture, name, self.clock.rid_of(f"tab_{tab}"), tab == self.tab, self._make_opener(tab))
            for tab, (picture, name) in names.items()
        ]
        bar = top_bar(names[self.tab][1], theme, rid=self.clock.rid_of("title"))
        return screen(theme, bar, body[self.tab](), tab_bar(tabs, theme, INDIGO))

    def _make_opener(self, tab: Tab) -> Action:
        def open_tab() -> None:
            self.tab = tab

        return open_tab

    def _build_list(self, rows: list[Node], desc: str, rid: str, act: Action) -> Node:
        add = icon(
            "add", 76, WHITE, fill=INDIGO, radius=80, w=160, h=160, desc=desc, rid=self.clock.rid_of(rid), on_tap=act
        )
        corner = row(add, justify="center", align="end", h=FILL, pad=(0, 0, 0, 48), kind="android.widget.FrameLayout")
        body = scroller(
            self.use_scroll(self.tab), *rows, pad=(40, 0, 40, 240), gap=28, h=FILL, rid=self.clock.rid_of("list")
        )
        return stack(body, corner, weight=1.0)

    def _build_alarms(self) -> Node:
        rows = [self._build_alarm(alarm) for alarm in self.clock.alarms]
        rows = rows or [empty_note(self.t("没有闹钟", "No alarms"), self.colours)]
        return self._build_list(
            rows, self.t("添加闹钟", "Add alarm"), "add_alarm", lambda: self.clock.push_page(AlarmPage(self.clock))
        )

    def _build_alarm(self, alarm: Alarm) -> Node:
        theme = self.colours

        def toggle_alarm() -> None:
            alarm.on = not alarm.on

        def delete_alarm() -> None:
            self.dismiss_dialog()
            self.clock.alarms.remove(alarm)

        def edit_alarm() -> None:
            self.dismiss_dialog()
            self.clock.push_page(AlarmPage(self.clock, alarm))

        items = (
            (self.t("编辑", "Edit"), self.clock.rid_of("menu_edit"), edit_alarm),
            (self.t("删除", "Delete"), self.clock.rid_of("menu_delete"), delete_alarm),
        )
        rid = self.clock.rid_of("alarm_switch")
        knob = switch(alarm.on, toggle_alarm, theme, rid=rid, desc=f"{alarm.time} {alarm.label}".strip())
        knob.tween = f"{rid}{id(alarm)}"
        texts = column(
            label(alarm.time, 88, theme.ink if alarm.on else theme.faint, rid=self.clock.rid_of("alarm_time")),
            label(alarm.label or self.t("闹钟", "Alarm"), 38, theme.soft, rid=self.clock.rid_of("alarm_label")),
            weight=1.0,
        )
        return row(
            texts,
            knob,
            fill=theme.card,
            radius=32,
            pad=(48, 32, 40, 32),
            on_tap=edit_alarm,
            rid=self.clock.rid_of("alarm_item"),
            on_long=lambda: self.show_dialog(lambda: menu_card(alarm.time, items, theme)),
        )

    def _build_world(self) -> Node:
        rows = [self._build_city(en, shift) for _, en, shift in CITIES if en in self.clock.cities]
        return self._build_list(rows, self.t("添加城市", "Add city"), "add_city", self._choose_city)

    def _build_city(self, english: str, shift: int) -> Node:
        theme = self.colours
        there = self.clock.host.today() + timedelta(hours=shift - 8)
        items = ((self.t("删除", "Delete"), self.clock.rid_of("menu_delete"), lambda: self._remove_city(english)),)
        name = city_name_of(self.clock, english)
        return row(
            label(name, 48, theme.ink, weight=1.0, rid=self.clock.rid_of("city_name")),
            label(there.strftime("%H:%M"), 72, theme.ink, rid=self.clock.rid_of("city_time")),
            fill=theme.card,
            radius=32,
            h=190,
            pad=(48, 0, 48, 0),
            on_long=lambda: self.show_dialog(lambda: menu_card(name, items, theme)),
        )

    def _remove_city(self, english: str) -> None:
        self.dismiss_dialog()
        self.clock.cities.remove(english)

    def _choose_city(self) -> None:
        def add_city(english: str) -> None:
            self.dismiss_dialog()
            self.clock.cities.append(english)

        left = [(zh, en) for zh, en, _ in CITIES if en not in self.clock.cities]
        items = [(self.t(zh, en), self.clock.rid_of("city_choice"), lambda en=en: add_city(en)) for zh, en in left]
        self.show_dialog(lambda: menu_card(self.t("添加城市", "Add city"), items, self.colours))

    def _build_stopwatch(self) -> Node:
        t, theme, watch, now = self.t, self.colours, self.clock.stopwatch, self.clock.host.now()
        running = watch.since is not None

        def toggle_watch() -> None:
            at = self.clock.host.now()
            if running:
                watch.pause_at(at)
            else:
                watch.start_at(at)

        def lap_or_reset() -> None:
            if running:
                self.clock.laps.append(watch.elapsed_at(self.clock.host.now()))
            else:
                watch.reset_time()
                self.clock.laps.clear()

        laps = [
            label(f"{t('计次', 'Lap')} {i + 1}   {_format_seconds(lap)}", 42, theme.soft, w=FILL, align="center")
            for i, lap in enumerate(self.clock.laps)
        ]
        return column(
            label(_format_seconds(watch.elapsed_at(now)), 150, theme.ink, rid=self.clock.rid_of("stopwatch_time")),
            scroller(self.use_scroll("laps"), *laps, gap=16),
            self._build_buttons(
                (t("暂停", "Pause") if running else t("开始", "Start"), "stopwatch_start", toggle_watch, True),
                (t("计次", "Lap") if running else t("复位", "Reset"), "stopwatch_lap", lap_or_reset, False),
            ),
            weight=1.0,
            align="center",
            pad=(40, 120, 40, 60),
            gap=60,
        )

    def _build_buttons(self, *items: tuple[str, str, Action, bool]) -> Node:
        theme = self.colours
        return row(
            *(
                button(
                    text,
                    act,
                    theme,
                    weight=1.0,
                    rid=self.clock.rid_of(rid),
                    fill=INDIGO if main else theme.field,
                    ink=WHITE if main else theme.ink,
                    radius=60,
                )
                for text, rid, act, main in items
            ),
            gap=40,
        )

    def _build_timer(self) -> Node:
        t, theme, timer = self.t, self.colours, self.clock.timer
        running, left = timer.since is not None, self.clock.read_timer()
        started = running or timer.before > 0

        def toggle_timer() -> None:
            at = self.clock.host.now()
            if timer.since is not None:
                timer.pause_at(at)
                return
            if not started:
                minutes, seconds = self.use_field("minutes").text or "0", self.use_field("seconds").text or "0"
                self.clock.timer_length = int(minutes) * 60 + int(seconds)
                self.focus_field(None)
            if self.clock.timer_length:
                timer.start_at(at)

        if started:
            whole = int(left + 0.999)
            text = f"{whole // 60:02d}:{whole % 60:02d}" if left > 0 else t("时间到", "Time's up")
            face: Node = label(text, 160, theme.ink, rid=self.clock.rid_of("timer_time"))
        else:
            face = row(
                self._build_number("minutes", "5", t("分钟", "Minutes"), "timer_minutes"),
                label(":", 120, theme.ink),
                self._build_number("seconds", "0", t("秒", "Seconds"), "timer_seconds"),
                gap=24,
                justify="center",
            )
        start = t("暂停", "Pause") if running else t("开始", "Start")
        return column(
            face,
            column(h=0, weight=1.0),
            self._build_buttons(
                (start, "timer_start", toggle_timer, True),
                (t("取消", "Cancel"), "timer_cancel", timer.reset_time, False),
            ),
            weight=1.0,
            align="center",
            pad=(40, 120, 40, 60),
        )

    def _build_number(self, key: str, default: str, name: str, rid: str) -> Node:
        field = self.use_field(key, default)
        field.digits_only = True
        theme = self.colours
        box = entry(
            field,
            "0",
            theme,
            rid=self.clock.rid_of(rid),
            w=240,
            h=200,
            size=110,
            fill=theme.card,
            pad=(40, 0, 20, 0),
            desc=name,
        )
        return column(box, label(name, 38, theme.soft), w=WRAP, align="center", gap=12)


class AlarmPage(Page):
    activity = ".AlarmEdit"

    def __init__(self, app: AlarmClock, alarm: Alarm | None = None) -> None:
        super().__init__(app)
        self.clock = app
        self.alarm = alarm
        start = alarm or Alarm(app.host.today().hour, 0, "", True)
        self.use_field("hour", f"{start.hour:02d}").digits_only = True
        self.use_field("minute", f"{start.minute:02d}").digits_only = True
        self.use_field("label", start.label)

    def build(self) -> Node:
        t, theme = self.t, self.colours
        title = t("编辑闹钟", "Edit alarm") if self.alarm else t("添加闹钟", "Add alarm")
        save = button(
            t("保存", "Save"),
            self._save_alarm,
            theme,
            w=180,
            h=96,
            size=40,
            fill=INDIGO,
            rid=self.clock.rid_of("save_btn"),
            pad=(0, 0, 0, 0),
        )
        pickers = row(
            self._build_picker("hour", 24, t("小时", "Hour")),
            label(":", 120, theme.ink),
            self._build_picker("minute", 60, t("分钟", "Minute")),
            justify="center",
            gap=30,
            pad=(0, 40, 0, 40),
        )
        parts = [
            pickers,
            column(
                entry(
                    self.use_field("label"),
                    t("标签", "Label"),
                    theme,
                    rid=self.clock.rid_of("label_edit"),
                    fill=theme.card,
                ),
                pad=(44, 0, 44, 40),
            ),
            line(theme),
        ]
        if self.alarm is not None:
            delete = button(
                t("删除闹钟", "Delete alarm"),
                self._delete_alarm,
                theme,
                fill=None,
                ink=theme.red,
                rid=self.clock.rid_of("delete_btn"),
            )
            parts.append(delete)
        return self.build_form(self.build_bar(title, save), *parts)

    def _build_picker(self, key: str, top: int, name: str) -> Node:
        theme, field = self.colours, self.use_field(key)

        def step_value(by: int) -> None:
            field.set_text(f"{(int(field.text or 0) + by) % top:02d}")

        up = icon(
            "up",
            72,
            theme.accent,
            on_tap=lambda: step_value(1),
            desc=self.t(f"{name}加", f"Increase {name.lower()}"),
            rid=self.clock.rid_of(f"{key}_up"),
        )
        down = icon(
            "down",
            72,
            theme.accent,
            on_tap=lambda: step_value(-1),
            desc=self.t(f"{name}减", f"Decrease {name.lower()}"),
            rid=self.clock.rid_of(f"{key}_down"),
        )
        box = entry(
            field,
            "00",
            theme,
            rid=self.clock.rid_of(key),
            w=260,
            h=200,
            size=120,
            fill=theme.card,
            pad=(48, 0, 20, 0),
            desc=name,
        )
        return column(up, box, down, label(name, 38, theme.soft), w=WRAP, align="center", gap=12)

    def _save_alarm(self) -> None:
        hour, minute = int(self.use_field("hour").text or 0), int(self.use_field("minute").text or 0)
        if hour > 23 or minute > 59:
            self.clock.host.show_toast(self.t("时间无效", "Not a valid time"))
            return
        alarm = self.alarm or Alarm(0, 0, "", True)
        alarm.hour, alarm.minute, alarm.label, alarm.on = hour, minute, self.use_field("label").text.strip(), True
        if self.alarm is None:
            self.clock.alarms.append(alarm)
        self.clock.sort_alarms()
        self.clock.host.show_toast(self.t("闹钟已设置", "Alarm set"))
        self.leave_page()

    def _delete_alarm(self) -> None:
        if self.alarm is not None:
            self.clock.alarms.remove(self.alarm)
        self.leave_page()
