"""The clock app: alarms, world clock, stopwatch and timer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from deskhand.simphone.apps.framework import App, Host, Page

INDIGO = (70, 84, 190)
Tab = Literal["alarm", "world", "stopwatch", "timer"]

CITIES: tuple[tuple[str, str, int], ...] = (
    ("北京", "Beijing", 8),
    ("伦敦", "London", 0),
    ("纽约", "New York", -5),
    ("东京", "Tokyo", 9),
    ("巴黎", "Paris", 1),
    ("悉尼", "Sydney", 10),
)
# hour, minute, label in Chinese and English, on
SAMPLES = (
    (7, 0, ("起床", "Wake up"), True),
    (8, 30, ("上班", "Work"), False),
    (22, 45, ("睡觉", "Sleep"), False),
)


@dataclass
class Alarm:
    hour: int
    minute: int
    label: str
    on: bool

    @property
    def time(self) -> str:
        return f"{self.hour:02d}:{self.minute:02d}"


@dataclass
class Stopwatch:
    """Counts while `since` is set; `before` is what earlier stretches added up to."""

    before: float = 0.0
    since: float | None = None

    def elapsed_at(self, now: float) -> float:
        return self.before + (now - self.since if self.since is not None else 0.0)

    def start_at(self, now: float) -> None:
        self.since = now

    def pause_at(self, now: float) -> None:
        self.before, self.since = self.elapsed_at(now), None

    def reset_time(self) -> None:
        self.before, self.since = 0.0, None


class AlarmClock(App):
    package, label, label_en, activity = "com.android.deskclock", "时钟", "Clock", ".DeskClock"
    icon, tint = "clock", INDIGO

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.alarms = [Alarm(hour, minute, self.t(*label), on) for hour, minute, label, on in SAMPLES]
        self.cities = ["Beijing", "London", "New York"]
        self.stopwatch = Stopwatch()
        self.laps: list[float] = []
        self.timer = Stopwatch()
        self.timer_length = 300

    def build_first_page(self) -> Page[App]:
        # here, because the pages import this module for the data they show
        from deskhand.simphone.apps.alarm_clock.clock_page import ClockPage

        return ClockPage(self)

    def translate_samples(self) -> None:
        for _, _, label, _ in SAMPLES:
            for alarm in self.alarms:
                if alarm.label in label:
                    alarm.label = self.t(*label)

    def format_time(self, alarm: Alarm) -> str:
        """Return an alarm's time as the list shows it."""
        if not self.host.skin.twelve_hours:
            return alarm.time
        half = self.t("下午", "PM") if alarm.hour >= 12 else self.t("上午", "AM")
        face = f"{alarm.hour % 12 or 12}:{alarm.minute:02d}"
        return self.t(f"{half}{face}", f"{face} {half}")

    def sort_alarms(self) -> None:
        self.alarms.sort(key=lambda a: (a.hour, a.minute))

    def read_timer(self) -> float:
        return max(self.timer_length - self.timer.elapsed_at(self.host.now()), 0.0)

    def read_state(self) -> dict[str, Any]:
        """alarms: [{time "HH:MM", label, on}]; cities; stopwatch {running, laps}; timer {running, left, length}."""
        return {
            "alarms": [{"time": a.time, "label": a.label, "on": a.on} for a in self.alarms],
            "cities": list(self.cities),
            "stopwatch": {"running": self.stopwatch.since is not None, "laps": len(self.laps)},
            "timer": {
                "running": self.timer.since is not None,
                "left": round(self.read_timer(), 1),
                "length": self.timer_length,
            },
        }


def city_name_of(app: App, english: str) -> str:
    return next(app.t(zh, en) for zh, en, _ in CITIES if en == english)
