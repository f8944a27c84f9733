"""The system's own windows: the lock screen, recent apps, the update pop-up; the shade has its own file."""

from __future__ import annotations

from typing import Any

from deskhand.simphone.apps.framework import App, Host, Page
from deskhand.simphone.apps.notification import Notification
from deskhand.simphone.apps.notification_shade import ShadePage
from deskhand.simphone.ui.nodes import FILL, Node, ScrollState
from deskhand.simphone.ui.theme import STATUS_BAR
from deskhand.simphone.ui.widgets import WHITE, BadgeIcon, Column, DialogCard, Icon, Label, Row


class LockPage(Page["SystemUi"]):
    activity = ".keyguard.Keyguard"
    backdrop = "wallpaper"

    def build(self) -> Node:
        today = self.host.today()
        date = self.t(f"{today.month}月{today.day}日", today.strftime("%B ") + str(today.day))
        return Column(
            Label(today.strftime("%H:%M"), 210, WHITE, rid=self.rid_of("lock_clock")),
            Label(date, 50, WHITE, rid=self.rid_of("lock_date")),
            Column(h=0, weight=1.0),
            Icon("lock", 72, WHITE, desc=self.t("已锁定", "Locked")),
            Label(self.t("上滑解锁", "Swipe up to unlock"), 44, WHITE, rid=self.rid_of("unlock_hint")),
            kind="android.widget.FrameLayout",
            h=FILL,
            align="center",
            gap=24,
            pad=(0, STATUS_BAR + 200, 0, 160),
            rid=self.rid_of("keyguard"),
        )


class RecentsPage(Page["SystemUi"]):
    activity = ".recents.RecentsActivity"
    backdrop = "wallpaper"

    def __init__(self, app: SystemUi) -> None:
        super().__init__(app)
        self.strip = ScrollState(axis="x")

    def build(self) -> Node:
        host = self.app.host
        cards = [self._build_card(host.apps.find_app(name)) for name in self.app.recent]
        if not cards:
            note = Label(self.t("近期没有任何内容", "No recent items"), 48, WHITE, rid=self.rid_of("empty"))
            body = Column(note, weight=1.0, align="center", justify="center")
        else:
            body = Node(
                kind="androidx.recyclerview.widget.RecyclerView",
                children=cards,
                flow="row",
                gap=48,
                scroll=self.strip,
                weight=1.0,
                pad=(120, 80, 120, 40),
                rid=self.rid_of("task_view"),
            )
        clear = self.build_button(
            self.t("全部清除", "Clear all"), "clear_all", self._clear_all, fill=WHITE, ink=(40, 44, 52), max_w=420
        )
        return Column(
            body, clear, kind="android.widget.FrameLayout", h=FILL, align="center", pad=(0, STATUS_BAR, 0, 120)
        )

    def _build_card(self, app: App) -> Node:
        def close_app() -> None:
            app.host.apps.stop_app(app.package)

        theme = self.colours
        head = Row(
            BadgeIcon(app.icon, 72, app.tint),
            Label(app.name, 42, theme.ink, weight=1.0, max_lines=1),
            Icon("close", 40, theme.soft, on_tap=close_app, desc=self.t("关闭", "Close ") + app.name),
            gap=20,
            pad=(32, 0, 0, 0),
            h=120,
        )
        body = Column(BadgeIcon(app.icon, 220, app.tint, radius=60), weight=1.0, align="center", justify="center")
        return Column(
            head,
            body,
            w=640,
            h=FILL,
            fill=theme.card,
            radius=40,
            desc=app.name,
            on_tap=lambda: app.host.apps.launch_app(app.package),
        )

    def _clear_all(self) -> None:
        for name in list(self.app.recent):
            self.host.apps.stop_app(name)
        self.host.apps.go_home()


class PopupPage(Page["SystemUi"]):
    """A pop-up that nobody asked for; it stays until one of its buttons is pressed."""

    activity = ".update.SystemUpdateDialog"

    def build(self) -> Node:
        return DialogCard(
            self.t("系统更新", "System update"),
            self.colours,
            message=self.t("新版本已下载，是否现在安装？", "A new version has been downloaded. Install it now?"),
            buttons=(
                (self.t("稍后", "Later"), "android:id/button2", lambda: self.app.answer_popup("later")),
                (self.t("安装", "Install"), "android:id/button1", lambda: self.app.answer_popup("install")),
            ),
        )


class SystemUi(App):
    package, label, label_en, activity = "com.android.systemui", "系统界面", "System UI", ".recents.RecentsActivity"
    icon, tint, hidden = "apps", (90, 96, 110), True

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.recent: list[str] = []
        self.lock_page = LockPage(self)
        self.popup_page = PopupPage(self)
        self.popup_shown = False
        self.popup_answers: list[str] = []
        self.shade_page = ShadePage(self, self)
        self.shade_shown = False
        self.posted: list[Notification] = []
        self._dismissed: set[Notification] = set()

    @property
    def covers_apps(self) -> bool:
        """True while one of the system's windows takes all touches and keys."""
        return self.popup_shown or self.shade_shown

    def expand_shade(self) -> None:
        self.shade_shown = True

    def collapse_shade(self) -> None:
        self.shade_shown = False
        self.shade_page.scrolls.clear()

    def list_notifications(self) -> list[Notification]:
        """Return what is in the shade: of the shell, of the apps, and that adb is connected."""
        others = [app for app in self.host.apps.list_launchable() if app is not self]
        found = [*reversed(self.posted), *(one for app in others for one in app.list_notifications())]
        adb = Notification(
            self.package,
            "adb",
            self.t("已连接到 USB 调试", "USB debugging connected"),
            self.t("点按即可关闭 USB 调试", "Tap to turn off USB debugging"),
        )
        return [*(one for one in found if one not in self._dismissed), adb]

    def post_notification(self, tag: str, title: str, text: str) -> None:
        """Post one of the shell's own; the same tag replaces what it said before."""
        self.posted = [one for one in self.posted if one.tag != tag]
        self.posted.append(Notification(self.package, tag, title, text, open=_do_nothing))

    def dismiss_notification(self, one: Notification) -> None:
        self._dismissed.add(one)

    def build_first_page(self) -> Page[App]:
        return RecentsPage(self)

    def answer_popup(self, answer: str) -> None:
        self.popup_shown = False
        self.popup_answers.append(answer)
        if answer == "install":
            self.host.show_toast(self.t("更新将在夜间安装", "The update will be installed tonight"))

    def add_recent(self, package: str) -> None:
        self.recent = [package, *(name for name in self.recent if name != package)]

    def remove_recent(self, package: str) -> None:
        self.recent = [name for name in self.recent if name != package]

    def read_state(self) -> dict[str, Any]:
        return {
            "recent": list(self.recent),
            "popup": self.popup_shown,
            "popup_answers": list(self.popup_answers),
            "shade": self.shade_shown,
            "notifications": [
                {"package": one.package, "title": one.title, "text": one.text} for one in self.list_notifications()
            ],
        }


def _do_nothing() -> None:
    """A notification of the shell opens nothing, but may be swept away."""
