"""The home screen: pages of icons that are swiped, a dock, and an app-info sheet on long press."""

from __future__ import annotations

from typing import Any

from deskhand.simphone.apps.framework import App, Page
from deskhand.simphone.ui.nodes import FILL, Node, ScrollState
from deskhand.simphone.ui.theme import STATUS_BAR
from deskhand.simphone.ui.widgets import WHITE, BadgeIcon, Column, DialogCard, Label, Row, Space, Stack

DOCK = ("com.android.contacts", "com.tencent.mm", "com.android.browser", "com.android.camera")
FIRST_PAGE = 6


class HomePage(Page[App]):
    activity = ".Launcher"
    backdrop = "wallpaper"

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self.pager = ScrollState(axis="x", paged=True)

    def _split_pages(self) -> list[list[App]]:
        apps = [app for app in self.host.apps.list_launchable() if app.package not in DOCK]
        return [apps[:FIRST_PAGE], apps[FIRST_PAGE:]]

    def _build_icon(self, app: App, *, named: bool = True) -> Node:
        def start_app() -> None:
            app.host.apps.launch_app(app.package)

        picture = BadgeIcon(app.icon, 164, app.tint, radius=44)
        name = [Label(app.name, 34, WHITE, max_lines=1, w=FILL, align="center")] if named else []
        return Column(
            picture,
            *name,
            weight=1.0,
            gap=10,
            align="center",
            on_tap=start_app,
            on_long=lambda: self._show_app_info(app),
            desc=app.name,
            pad=(4, 12, 4, 12),
        )

    def _show_app_info(self, app: App) -> None:
        def stop_app() -> None:
            app.host.apps.stop_app(app.package)
            self.dismiss_dialog()
            app.host.show_toast(self.t("已停止", "Stopped"))

        self.show_dialog(
            lambda: DialogCard(
                app.name,
                self.colours,
                message=self.t("应用包名：", "Package: ") + app.package,
                buttons=(
                    (self.t("强行停止", "Force stop"), self.rid_of("force_stop"), stop_app),
                    (self.t("关闭", "Close"), self.rid_of("close"), self.dismiss_dialog),
                ),
            )
        )

    def _build_grid(self, apps: list[App], per_row: int) -> Node:
        rows: list[Node] = []
        for i in range(0, len(apps), per_row):
            cells = [self._build_icon(app) for app in apps[i : i + per_row]]
            blanks = [Space(weight=1.0) for _ in range(per_row - len(cells))]
            rows.append(Row(*cells, *blanks, align="start"))
        return Column(*rows, gap=36, h=FILL, pad=(36, 0, 36, 0), rid=self.rid_of("workspace_page"))

    def build(self) -> Node:
        today = self.host.today()
        weekday = self.t("一二三四五六日"[today.weekday()], today.strftime("%a"))
        date = self.t(f"{today.month}月{today.day}日 星期{weekday}", f"{weekday}, {today.strftime('%b')} {today.day}")
        clock = Column(
            Label(today.strftime("%H:%M"), 150, WHITE, rid=self.rid_of("clock")),
            Label(date, 44, WHITE, rid=self.rid_of("date")),
            align="center",
            pad=(0, 60, 0, 100),
        )
        pages = self._split_pages()
        grids = [self._build_grid(page, 8 if self.is_wide else 4) for page in pages]
        pager = Node(
            kind="androidx.viewpager.widget.ViewPager",
            children=grids,
            flow="row",
            scroll=self.pager,
            weight=1.0,
            rid=self.rid_of("workspace"),
        )
        here = self.pager.page
        dots = Row(
            *(
                Node(kind="android.view.View", w=18, h=18, radius=9, fill=WHITE, alpha=255 if i == here else 110)
                for i in range(len(pages))
            ),
            gap=18,
            justify="center",
            pad=(0, 12, 0, 24),
        )
        docked = [self._build_icon(self.host.apps.find_app(name), named=False) for name in DOCK]
        tray = Node(kind="android.view.View", h=FILL, fill=WHITE, alpha=50, radius=56)
        dock = Stack(tray, Row(*docked, pad=(24, 14, 24, 14), rid=self.rid_of("hotseat"), h=FILL), h=220)
        parts = [pager] if self.is_wide else [clock, pager]
        return Column(
            *parts,
            dots,
            Column(dock, pad=(36, 0, 36, 24)),
            h=FILL,
            pad=(0, STATUS_BAR + 20, 0, 0),
            kind="android.widget.FrameLayout",
        )


class Launcher(App):
    package, label, label_en, activity = "com.android.launcher3", "桌面", "Launcher", ".Launcher"
    icon, tint, hidden = "apps", (90, 96, 110), True

    def build_first_page(self) -> Page[App]:
        return HomePage(self)

    def read_state(self) -> dict[str, Any]:
        page = self.page
        return {"page": page.pager.page if isinstance(page, HomePage) else 0}
