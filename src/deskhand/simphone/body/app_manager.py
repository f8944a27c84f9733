"""The installed apps and which of them is in front: launching, stopping, going home, the recent apps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deskhand.simphone.apps import APPS
from deskhand.simphone.apps.framework import App, Host, Motion, Page
from deskhand.simphone.apps.system_windows import SystemUi

THIRD_PARTY = ("com.tencent.", "com.example.")


@dataclass(frozen=True)
class Package:
    name: str
    label: str
    label_en: str
    activity: str
    system: bool = True


class AppManager:
    """`on_change` is called when an app was launched or stopped from outside of an input event, too."""

    def __init__(self, host: Host, on_change: Callable[[], None]) -> None:
        self._host = host
        self._on_change = on_change
        self.system_ui = SystemUi(host)
        apps = [self.system_ui if cls is SystemUi else cls(host) for cls in APPS]
        self.by_package: dict[str, App] = {app.package: app for app in apps}
        self.front = host.skin.home

    @property
    def front_app(self) -> App:
        return self.by_package[self.front]

    @property
    def page(self) -> Page[App]:
        """The page in front."""
        return self.front_app.page

    def find_app(self, package: str) -> App:
        return self.by_package[package]

    def list_launchable(self) -> list[App]:
        return [app for app in self.by_package.values() if not app.hidden]

    def list_packages(self) -> list[Package]:
        return [
            Package(app.package, app.label, app.label_en, app.activity, not app.package.startswith(THIRD_PARTY))
            for app in self.by_package.values()
        ]

    def go_home(self) -> None:
        self.find_app(self._host.skin.home).page.handle_back()
        self._switch_to(self._host.skin.home, "close")

    def show_recents(self) -> None:
        if self.front != SystemUi.package:
            self.system_ui.close_pages()
            self._switch_to(SystemUi.package, "fade")

    def launch_app(self, package: str, activity: str | None = None, data: str | None = None) -> bool:
        """Bring an app to the front; False if there is no such package or activity."""
        app = self.by_package.get(package)
        if app is None:
            return False
        wanted = (activity or "").removeprefix(package)
        if wanted not in ("", app.activity) and not app.has_activity(wanted):
            return False
        self._host.log.write_line("I", "ActivityTaskManager", f"START u0 {{cmp={package}/{wanted or app.activity}}}")
        self._switch_to(package, "open")
        if not app.hidden:
            self.system_ui.add_recent(package)
        app.open_app(data)
        if wanted not in ("", app.activity):
            app.open_activity(wanted)
        self._on_change()
        return True

    def stop_app(self, package: str) -> None:
        app = self.by_package.get(package)
        if app is None:
            return
        self._host.log.write_line("I", "ActivityManager", f"Force stopping {package} appid=10112 user=0: from pid 4242")
        if self.front == package:
            self.go_home()
        app.close_pages()
        self.system_ui.remove_recent(package)
        self._on_change()

    def _switch_to(self, package: str, motion: Motion) -> None:
        self.system_ui.collapse_shade()
        if self.front != package:
            self._host.start_motion(motion)
            self.page.typing = False
            self.front = package
