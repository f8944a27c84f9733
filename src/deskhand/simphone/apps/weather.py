"""The weather in a few cities: made up, but the same every time, with a choice of units."""

from __future__ import annotations

from typing import Any

from deskhand.simphone.apps.framework import App, Host, Page
from deskhand.simphone.ui.nodes import FILL, Node
from deskhand.simphone.ui.widgets import CheckBox, Column, DialogCard, Icon, Label, Row, Screen, Scroller, TopBar

CITIES: tuple[tuple[tuple[str, str], int, str, tuple[int, ...]], ...] = (
    (("北京", "Beijing"), 18, "sun", (18, 20, 16, 13, 15, 19, 21)),
    (("上海", "Shanghai"), 22, "cloud", (22, 21, 20, 22, 24, 23, 21)),
    (("深圳", "Shenzhen"), 27, "rain", (27, 28, 26, 25, 27, 29, 28)),
    (("伦敦", "London"), 11, "rain", (11, 10, 12, 9, 8, 11, 13)),
)
SKIES = {"sun": ("晴", "Sunny"), "cloud": ("多云", "Cloudy"), "rain": ("小雨", "Light rain")}


class WeatherPage(Page["Weather"]):
    activity = ".MainActivity"

    def build(self) -> Node:
        t, theme, app = self.t, self.colours, self.app
        name, degrees, sky, days = CITIES[app.city]
        more = self.build_icon_button("gear", t("单位", "Units"), "units_btn", self._show_units)
        head = Column(
            Icon(sky, 200, (240, 170, 40) if sky == "sun" else theme.soft, desc=t(*SKIES[sky])),
            Label(app.format_degrees(degrees), 190, theme.ink, rid=self.rid_of("temperature")),
            Label(t(*SKIES[sky]), 52, theme.soft, rid=self.rid_of("sky")),
            align="center",
            gap=8,
            pad=(0, 40, 0, 60),
        )
        rows = [self._build_day(i, value) for i, value in enumerate(days)]
        chips = Row(*(self._build_chip(i) for i in range(len(CITIES))), gap=24, pad=(40, 0, 40, 24))
        bar = TopBar(t(*name), theme, more, rid=self.rid_of("city"))
        return Screen(theme, bar, chips, Scroller(self.use_scroll(), head, Column(*rows, pad=(44, 0, 44, 60), gap=4)))

    def _build_chip(self, index: int) -> Node:
        def choose_city() -> None:
            self.app.city = index

        here, theme = index == self.app.city, self.colours
        return Label(
            self.t(*CITIES[index][0]),
            40,
            (255, 255, 255) if here else theme.ink,
            h=92,
            weight=1.0,
            radius=46,
            fill=theme.accent if here else theme.field,
            align="center",
            justify="center",
            on_tap=choose_city,
            selected=here,
            rid=self.rid_of("city_chip"),
            max_lines=1,
        )

    def _build_day(self, index: int, degrees: int) -> Node:
        weekday = (self.host.today().weekday() + index) % 7
        names = ("周一", "周二", "周三", "周四", "周五", "周六", "周日")
        english = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
        name = self.t("今天", "Today") if index == 0 else self.t(names[weekday], english[weekday])
        theme = self.colours
        return Row(
            Label(name, 46, theme.ink, weight=1.0),
            Label(self.app.format_degrees(degrees), 46, theme.ink),
            h=120,
            pad=(44, 0, 44, 0),
            fill=theme.card,
            w=FILL,
        )

    def _show_units(self) -> None:
        def toggle_unit() -> None:
            self.app.fahrenheit = not self.app.fahrenheit

        name = self.t("使用华氏度", "Use Fahrenheit")

        def build_dialog() -> Node:
            box = CheckBox(self.app.fahrenheit, toggle_unit, self.colours, rid=self.rid_of("fahrenheit_box"), desc=name)
            body = Row(Label(name, 46, self.colours.ink, weight=1.0), box)
            return DialogCard(
                self.t("单位", "Units"),
                self.colours,
                body=[body],
                buttons=((self.t("完成", "Done"), "android:id/button1", self.dismiss_dialog),),
            )

        self.show_dialog(build_dialog)


class Weather(App):
    package, label, label_en, activity = "com.android.weather", "天气", "Weather", ".MainActivity"
    icon, tint = "sun", (60, 150, 230)

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.city = 0
        self.fahrenheit = False

    def build_first_page(self) -> Page[App]:
        return WeatherPage(self)

    def format_degrees(self, degrees: int) -> str:
        return f"{round(degrees * 9 / 5 + 32)}°F" if self.fahrenheit else f"{degrees}°C"

    def read_state(self) -> dict[str, Any]:
        """city: the English name of the city shown; unit: "C" or "F"."""
        return {"city": CITIES[self.city][0][1], "unit": "F" if self.fahrenheit else "C"}
