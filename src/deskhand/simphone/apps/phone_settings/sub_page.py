"""The base of the pages behind the rows of Settings: a title, and rows bound to the phone's settings."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

from deskhand.simphone.apps.framework import Page
from deskhand.simphone.apps.phone_settings.app import SettingsApp
from deskhand.simphone.ui.nodes import Node
from deskhand.simphone.ui.theme import Theme
from deskhand.simphone.ui.widgets import Column, Icon, Label, ListRow, Row, Screen, Scroller, Slider, Switch


class SubPage(Page[SettingsApp]):
    title: tuple[str, str] = ("", "")

    @abstractmethod
    def build_rows(self) -> list[Node]: ...

    def build(self) -> Node:
        body = Scroller(self.use_scroll(), Column(*self.build_rows()), rid=self.rid_of("list"))
        return Screen(self.colours, self.build_bar(self.t(*self.title)), body)

    def build_switch_row(
        self, title: str, space: str, name: str, rid: str, *, sub: str = "", act: Callable[[], object] | None = None
    ) -> Node:
        """Build a row whose switch is a value in the phone's settings."""
        theme, toggle = self.colours, act or self.app.make_toggle(space, name)
        knob = Switch(self.app.read_setting(space, name) == "1", toggle, theme, rid=self.rid_of(rid), desc=title)
        return ListRow(title, theme, sub=sub, tail=[knob], on_tap=toggle, title_rid="android:id/title")

    def build_slider_row(self, title: str, space: str, name: str, top: int, rid: str, icon_name: str) -> Node:
        theme: Theme = self.colours

        def set_level(level: float) -> None:
            self.app.put_setting(space, name, str(round(level * top)))

        value = int(self.app.read_setting(space, name))
        percent = f"{round(100 * value / top)}%"
        head = Row(
            Label(title, 44, theme.ink, weight=1.0), Label(percent, 38, theme.soft, rid=self.rid_of(rid + "_value"))
        )
        bar = Row(
            Icon(icon_name, 52, theme.soft),
            Column(Slider(value / top, set_level, theme, rid=self.rid_of(rid), desc=title), weight=1.0),
            gap=16,
        )
        return Column(head, bar, fill=theme.card, pad=(44, 28, 44, 20), gap=8)

    def build_fact(self, title: str, value: str, rid: str = "") -> Node:
        theme = self.colours
        return Row(
            Label(title, 44, theme.ink, weight=1.0),
            Label(value, 40, theme.soft, rid=self.rid_of(rid) if rid else ""),
            h=140,
            pad=(44, 0, 44, 0),
            fill=theme.card,
        )
