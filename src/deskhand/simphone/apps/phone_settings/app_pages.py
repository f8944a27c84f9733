"""Settings of apps: the list of them, and what is known of one."""

from __future__ import annotations

from deskhand.simphone.apps.framework import App
from deskhand.simphone.apps.phone_settings.app import SettingsApp
from deskhand.simphone.apps.phone_settings.sub_page import SubPage
from deskhand.simphone.ui.nodes import Node
from deskhand.simphone.ui.widgets import BadgeIcon, Column, Label, ListRow


class AppsPage(SubPage):
    activity = ".applications.ManageApplications"
    title = ("应用", "Apps")

    def build_rows(self) -> list[Node]:
        return [
            ListRow(
                app.name,
                self.colours,
                lead=BadgeIcon(app.icon, 96, app.tint),
                sub=app.package,
                on_tap=lambda app=app: self.app.push_page(AppInfoPage(self.app, app)),
                rid=self.rid_of("app_row"),
            )
            for app in self.host.apps.list_launchable()
        ]


class AppInfoPage(SubPage):
    activity = ".applications.InstalledAppDetails"
    title = ("应用信息", "App info")

    def __init__(self, app: SettingsApp, about: App) -> None:
        super().__init__(app)
        self.about = about

    def build_rows(self) -> list[Node]:
        t, theme, app = self.t, self.colours, self.about

        def stop_app() -> None:
            app.host.apps.stop_app(app.package)
            app.host.show_toast(t("已停止", "Stopped"))

        def launch_app() -> None:
            app.host.apps.launch_app(app.package)

        running = t("运行中", "Running") if app.pages else t("未运行", "Not running")
        return [
            Column(
                BadgeIcon(app.icon, 180, app.tint, radius=48),
                Label(app.name, 54, theme.ink, bold=True),
                align="center",
                gap=20,
                pad=(0, 40, 0, 40),
            ),
            self.build_fact(t("包名", "Package"), app.package),
            self.build_fact(t("状态", "Status"), running, "app_status"),
            Column(
                self.build_button(t("打开", "Open"), "open_btn", launch_app),
                self.build_button(t("强行停止", "Force stop"), "force_stop_btn", stop_app, fill=theme.red),
                gap=28,
                pad=(44, 40, 44, 0),
            ),
        ]
