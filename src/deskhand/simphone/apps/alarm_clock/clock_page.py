"""The clock's four tabs: alarms, world clock, stopwatch, timer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from deskhand.simphone.apps.alarm_clock.alarm_page import AlarmPage
from deskhand.simphone.apps.alarm_clock.app import CITIES, INDIGO, Alarm, AlarmClock, Tab, city_name_of
from deskhand.simphone.apps.framework import Page
from deskhand.simphone.ui.nodes import FILL, WRAP, Action, Node
from deskhand.simphone.ui.widgets import (
    WHITE,
    Column,
    EmptyNote,
    Label,
    Row,
    Screen,
    Scroller,
    Switch,
    TabBar,
    TopBar,
)


def _format_seconds(seconds: float) -> str:
    tenths = int(seconds * 10)
    return f"{tenths // 600:02d}:{tenths // 10 % 60:02d}.{tenths % 10}"


class ClockPage(Page[AlarmClock]):
    activity = ".DeskClock"

    def __init__(self, app: AlarmClock) -> None:
        super().__init__(app)
        self.tab: Tab = "alarm"

    @property
    def tick(self) -> float:  # pyright: ignore[reportIncompatibleVariableOverride] - it depends on what is running
        if self.tab == "stopwatch" and self.app.stopwatch.since is not None:
            return 0.1
        return 1.0 if self.tab == "timer" and self.app.timer.since is not None else 0.0

    def build(self) -> Node:
        theme = self.colours
        tabs: dict[Tab, tuple[str, str, Callable[[], Node]]] = {
            "alarm": ("alarm", self.t("闹钟", "Alarm"), self._build_alarms),
            "world": ("globe", self.t("世界时钟", "World clock"), self._build_world),
            "stopwatch": ("stopwatch", self.t("秒表", "Stopwatch"), self._build_stopwatch),
            "timer": ("timer", self.t("计时器", "Timer"), self._build_timer),
        }
        items = [
            (icon, name, self.rid_of(f"tab_{tab}"), tab == self.tab, self._make_opener(tab))
            for tab, (icon, name, _) in tabs.items()
        ]
        _, title, build_body = tabs[self.tab]
        bar = TopBar(title, theme, rid=self.rid_of("title"))
        return Screen(theme, bar, build_body(), TabBar(items, theme, INDIGO))

    def _make_opener(self, tab: Tab) -> Action:
        def open_tab() -> None:
            self.tab = tab

        return open_tab

    def _build_list(self, rows: list[Node], desc: str, rid: str, act: Action) -> Node:
        body = Scroller(self.use_scroll(self.tab), *rows, pad=(40, 0, 40, 240), gap=28, h=FILL, rid=self.rid_of("list"))
        return self.build_list_with_button(body, desc, rid, act, INDIGO, "center")

    def _build_alarms(self) -> Node:
        rows = [self._build_alarm(alarm) for alarm in self.app.alarms]
        rows = rows or [EmptyNote(self.t("没有闹钟", "No alarms"), self.colours)]
        return self._build_list(
            rows, self.t("添加闹钟", "Add alarm"), "add_alarm", lambda: self.app.push_page(AlarmPage(self.app))
        )

    def _build_alarm(self, alarm: Alarm) -> Node:
        theme = self.colours

        def toggle_alarm() -> None:
            alarm.on = not alarm.on

        def edit_alarm() -> None:
            self.app.push_page(AlarmPage(self.app, alarm))

        def show_alarm_menu() -> None:
            delete = (self.t("删除", "Delete"), "menu_delete", lambda: self.app.alarms.remove(alarm))
            self.show_menu(self.app.format_time(alarm), (self.t("编辑", "Edit"), "menu_edit", edit_alarm), delete)

        rid, time = self.rid_of("alarm_switch"), self.app.format_time(alarm)
        knob = Switch(alarm.on, toggle_alarm, theme, rid=rid, desc=f"{time} {alarm.label}".strip())
        knob.tween = f"{rid}{id(alarm)}"
        texts = Column(
            Label(time, 88, theme.ink if alarm.on else theme.faint, rid=self.rid_of("alarm_time")),
            Label(alarm.label or self.t("闹钟", "Alarm"), 38, theme.soft, rid=self.rid_of("alarm_label")),
            weight=1.0,
        )
        return Row(
            texts,
            knob,
            fill=theme.card,
            radius=32,
            pad=(48, 32, 40, 32),
            on_tap=edit_alarm,
            rid=self.rid_of("alarm_item"),
            on_long=show_alarm_menu,
        )

    def _build_world(self) -> Node:
        rows = [self._build_city(en, shift) for _, en, shift in CITIES if en in self.app.cities]
        return self._build_list(rows, self.t("添加城市", "Add city"), "add_city", self._choose_city)

    def _build_city(self, english: str, shift: int) -> Node:
        theme = self.colours
        there = self.host.today() + timedelta(hours=shift - 8)
        delete = (self.t("删除", "Delete"), "menu_delete", lambda: self.app.cities.remove(english))
        name = city_name_of(self.app, english)
        return Row(
            Label(name, 48, theme.ink, weight=1.0, rid=self.rid_of("city_name")),
            Label(there.strftime("%H:%M"), 72, theme.ink, rid=self.rid_of("city_time")),
            fill=theme.card,
            radius=32,
            h=190,
            pad=(48, 0, 48, 0),
            on_long=lambda: self.show_menu(name, delete),
        )

    def _choose_city(self) -> None:
        left = [(zh, en) for zh, en, _ in CITIES if en not in self.app.cities]
        items = ((self.t(zh, en), "city_choice", lambda en=en: self.app.cities.append(en)) for zh, en in left)
        self.show_menu(self.t("添加城市", "Add city"), *items)

    def _build_stopwatch(self) -> Node:
        t, theme, watch, now = self.t, self.colours, self.app.stopwatch, self.host.now()
        running = watch.since is not None

        def toggle_watch() -> None:
            at = self.host.now()
            if running:
                watch.pause_at(at)
            else:
                watch.start_at(at)

        def lap_or_reset() -> None:
            if running:
                self.app.laps.append(watch.elapsed_at(self.host.now()))
            else:
                watch.reset_time()
                self.app.laps.clear()

        laps = [
            Label(f"{t('计次', 'Lap')} {i + 1}   {_format_seconds(lap)}", 42, theme.soft, w=FILL, align="center")
            for i, lap in enumerate(self.app.laps)
        ]
        return Column(
            Label(_format_seconds(watch.elapsed_at(now)), 150, theme.ink, rid=self.rid_of("stopwatch_time")),
            Scroller(self.use_scroll("laps"), *laps, gap=16),
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
        return Row(
            *(
                self.build_button(
                    text,
                    rid,
                    act,
                    weight=1.0,
                    fill=INDIGO if main else theme.field,
                    ink=WHITE if main else theme.ink,
                    radius=60,
                )
                for text, rid, act, main in items
            ),
            gap=40,
        )

    def _build_timer(self) -> Node:
        t, theme, timer = self.t, self.colours, self.app.timer
        running, left = timer.since is not None, self.app.read_timer()
        started = running or timer.before > 0

        def toggle_timer() -> None:
            at = self.host.now()
            if timer.since is not None:
                timer.pause_at(at)
                return
            if not started:
                minutes, seconds = self.use_field("minutes").text or "0", self.use_field("seconds").text or "0"
                self.app.timer_length = int(minutes) * 60 + int(seconds)
                self.focus_field(None)
            if self.app.timer_length:
                timer.start_at(at)

        if started:
            whole = int(left + 0.999)
            text = f"{whole // 60:02d}:{whole % 60:02d}" if left > 0 else t("时间到", "Time's up")
            face: Node = Label(text, 160, theme.ink, rid=self.rid_of("timer_time"))
        else:
            face = Row(
                self._build_number("minutes", "5", t("分钟", "Minutes"), "timer_minutes"),
                Label(":", 120, theme.ink),
                self._build_number("seconds", "0", t("秒", "Seconds"), "timer_seconds"),
                gap=24,
                justify="center",
            )
        start = t("暂停", "Pause") if running else t("开始", "Start")
        return Column(
            face,
            Column(h=0, weight=1.0),
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
        box = self.build_entry(field, "0", rid, w=240, h=200, size=110, pad=(40, 0, 20, 0), desc=name)
        return Column(box, Label(name, 38, theme.soft), w=WRAP, align="center", gap=12)
