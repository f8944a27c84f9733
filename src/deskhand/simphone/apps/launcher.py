"""The home screen: pages of icons that are swiped, or a drawer; a dock, and an app-info sheet on long press."""

from __future__ import annotations

from typing import Any

from deskhand.simphone.apps.framework import App, Page
from deskhand.simphone.ui.nodes import FILL, WRAP, Node, ScrollState
from deskhand.simphone.ui.theme import STATUS_BAR
from deskhand.simphone.ui.widgets import WHITE, BadgeIcon, Column, DialogCard, Label, Row, Scroller, Space, Stack

DOCK = ("com.android.contacts", "com.tencent.mm", "com.android.browser", "com.android.camera")
FIRST_PAGE = 6
FLICK = 150


class HomePage(Page[App]):
    activity = ".Launcher"
    backdrop = "wallpaper"

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self.pager = ScrollState(axis="x", paged=True)

    @property
    def docked(self) -> list[App]:
        return [self.host.apps.find_app(self.host.skin.package_of(name)) for name in DOCK]

    def _split_pages(self) -> list[list[App]]:
        apps = [app for app in self.host.apps.list_launchable() if app not in self.docked]
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

    def build_grid(self, apps: list[App], per_row: int) -> Node:
        rows: list[Node] = []
        for i in range(0, len(apps), per_row):
            cells = [self._build_icon(app) for app in apps[i : i + per_row]]
            blanks = [Space(weight=1.0) for _ in range(per_row - len(cells))]
            rows.append(Row(*cells, *blanks, align="start"))
        return Column(*rows, gap=36, h=FILL, pad=(36, 0, 36, 0), rid=self.rid_of("workspace_page"))

    def build(self) -> Node:
        clock = self.build_clock()
        pages = self._split_pages()
        grids = [self.build_grid(page, 8 if self.is_wide else 4) for page in pages]
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
        parts = [pager] if self.is_wide else [clock, pager]
        return self.build_home(*parts, dots)

    def build_clock(self) -> Node:
        today = self.host.today()
        weekday = self.t("一二三四五六日"[today.weekday()], today.strftime("%a"))
        date = self.t(f"{today.month}月{today.day}日 星期{weekday}", f"{weekday}, {today.strftime('%b')} {today.day}")
        return Column(
            Label(today.strftime("%H:%M"), 150, WHITE, rid=self.rid_of("clock")),
            Label(date, 44, WHITE, rid=self.rid_of("date")),
            align="center",
            pad=(0, 60, 0, 100),
        )

    def build_home(self, *parts: Node) -> Node:
        """Lay the dock below the rest of the home screen."""
        docked = [self._build_icon(app, named=False) for app in self.docked]
        tray = Node(kind="android.view.View", h=FILL, fill=WHITE, alpha=50, radius=56)
        dock = Stack(tray, Row(*docked, pad=(24, 14, 24, 14), rid=self.rid_of("hotseat"), h=FILL), h=220)
        return Column(
            *parts,
            Column(dock, pad=(36, 0, 36, 24)),
            h=FILL,
            pad=(0, STATUS_BAR + 20, 0, 0),
            kind="android.widget.FrameLayout",
        )


class DrawerHome(HomePage):
    """A home screen with nothing but the dock: the other apps are in a drawer that a swipe up pulls out."""

    def __init__(self, app: App) -> None:
        super().__init__(app)
        self.is_drawn = False

    def build(self) -> Node:
        if not self.is_drawn:
            return self.build_home(self.build_clock(), Column(h=0, weight=1.0))
        query = self.use_field("search")
        wanted = query.text.strip().lower()
        apps = sorted(self.host.apps.list_launchable(), key=lambda app: app.name.lower())
        found = [app for app in apps if wanted in app.name.lower()]
        search = self.build_entry(query, self.t("搜索应用", "Search apps"), "search_box")
        grid = self.build_grid(found, 8 if self.is_wide else 3)
        grid.h = WRAP
        return Column(
            Column(search, pad=(40, STATUS_BAR + 20, 40, 30)),
            Scroller(self.use_scroll(), grid),
            h=FILL,
            kind="android.widget.FrameLayout",
        )

    def handle_flick(self, dx: float, dy: float) -> None:
        if abs(dy) > FLICK and abs(dy) > abs(dx):
            self.is_drawn = dy < 0

    def handle_back(self) -> bool:
        was_drawn, self.is_drawn = self.is_drawn, False
        self.use_field("search").clear_text()
        self.focus_field(None)
        return was_drawn


class Launcher(App):
    package, label, label_en, activity = "com.android.launcher3", "桌面", "Launcher", ".Launcher"
    icon, tint, hidden = "apps", (90, 96, 110), True

    def build_first_page(self) -> Page[App]:
        return DrawerHome(self) if self.host.skin.drawer else HomePage(self)

    def read_state(self) -> dict[str, Any]:
        page = self.page
        return {"page": page.pager.page if isinstance(page, HomePage) else 0}
