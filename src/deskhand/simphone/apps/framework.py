"""What every app of the phone is made of: an App owns its data and a stack of Pages; a Page builds a view tree."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, ClassVar, Literal, Protocol

from deskhand.simphone.render.motion import Motion
from deskhand.simphone.ui.nodes import Colour, Node, Scroll, TextField
from deskhand.simphone.ui.theme import DARK, LIGHT, Theme
from deskhand.simphone.ui.widgets import card, icon, screen, scroller, top_bar


class AppControl(Protocol):
    """What an app may do to the other apps."""

    def launch_app(self, package: str, activity: str | None = None, data: str | None = None) -> bool: ...
    def stop_app(self, package: str) -> None: ...
    def go_home(self) -> None: ...
    def find_app(self, package: str) -> App: ...
    def list_launchable(self) -> list[App]: ...


class Host(Protocol):
    """The part of the phone that apps may use."""

    locale: str
    settings: dict[str, dict[str, str]]
    clipboard: str
    battery_level: int
    charging: bool

    now: Callable[[], float]
    today: Callable[[], datetime]

    @property
    def size(self) -> tuple[int, int]: ...
    @property
    def apps(self) -> AppControl: ...
    def show_toast(self, text: str) -> None: ...
    def start_motion(self, motion: Motion) -> None: ...


class Page:
    """One screen of an app. Keeps what outlives a rebuild: typed text, scroll offsets, focus, an open dialog."""

    activity: ClassVar[str] = ""
    backdrop: ClassVar[Literal["plain", "wallpaper"]] = "plain"
    tick: float = 0.0
    """Seconds after which the page looks different by itself (a running stopwatch); 0: it does not."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.fields: dict[str, TextField] = {}
        self.scrolls: dict[str, Scroll] = {}
        self.focus: TextField | None = None
        self.typing = False
        self.reveal = False
        """The field in focus has still to be scrolled into view."""
        self.dialog: Callable[[], Node] | None = None

    def build(self) -> Node:
        raise NotImplementedError

    def handle_back(self) -> bool:
        """True when the page itself used the BACK key (closed a mode); else the page is left."""
        return False

    def handle_shown(self) -> None:
        """Called when the page comes to the front."""

    @property
    def colours(self) -> Theme:
        return self.app.colours

    def t(self, zh: str, en: str) -> str:
        return self.app.t(zh, en)

    def use_field(self, key: str, text: str = "") -> TextField:
        if key not in self.fields:
            self.fields[key] = TextField(key)
            self.fields[key].set_text(text)
        return self.fields[key]

    def use_scroll(self, key: str = "list") -> Scroll:
        return self.scrolls.setdefault(key, Scroll())

    def focus_field(self, entry: TextField | None) -> None:
        self.focus = entry
        self.typing = self.reveal = entry is not None

    def show_dialog(self, dialog: Callable[[], Node]) -> None:
        """Opens a dialog; the keyboard goes away unless the dialog then focuses a field of its own."""
        self.dialog = dialog
        self.typing = False

    def build_bar(self, title: str, *actions: Node, rid: str = "title") -> Node:
        """A title bar with a button that leads back."""
        arrow = icon(
            "back",
            56,
            self.colours.ink,
            on_tap=self.leave_page,
            desc=self.t("返回", "Back"),
            rid=self.app.rid_of("back_btn"),
        )
        return top_bar(title, self.colours, *actions, back=arrow, rid=self.app.rid_of(rid))

    def build_form(self, bar: Node | None, *parts: Node) -> Node:
        """A page whose content scrolls when it does not fit, as with the keyboard up in landscape."""
        head = [bar] if bar is not None else []
        body = scroller(self.use_scroll("form"), *parts, kind="android.widget.ScrollView")
        return screen(self.colours, *head, body)

    def leave_page(self) -> None:
        if not self.app.pop_page():
            self.app.host.apps.go_home()

    def confirm_action(self, title: str, message: str, yes: str, action: Callable[[], object]) -> None:
        """Asks before something that cannot be undone."""

        def agree_and_act() -> None:
            self.dismiss_dialog()
            action()

        self.show_dialog(
            lambda: card(
                title,
                self.colours,
                message=message,
                buttons=(
                    (self.t("取消", "Cancel"), "android:id/button2", self.dismiss_dialog),
                    (yes, "android:id/button1", agree_and_act),
                ),
            )
        )

    def dismiss_dialog(self) -> None:
        self.dialog = None
        if self.focus is not None and self.focus.key.startswith("dialog_"):
            self.focus_field(None)


class App:
    """An installed package: its names, its icon, its data and its open pages."""

    package: ClassVar[str]
    label: ClassVar[str]
    label_en: ClassVar[str]
    activity: ClassVar[str]
    icon: ClassVar[str]
    tint: ClassVar[Colour]
    secure: ClassVar[bool] = False
    hidden: ClassVar[bool] = False

    def __init__(self, host: Host) -> None:
        self.host = host
        self.pages: list[Page] = []

    def build_first_page(self) -> Page:
        raise NotImplementedError

    def open_app(self, data: str | None = None) -> None:
        """Brought to the front; `data` is the address of a VIEW intent, which most apps have no use for."""
        if not self.pages:
            self.pages = [self.build_first_page()]
        self.page.handle_shown()

    def has_activity(self, activity: str) -> bool:
        """Whether an activity besides the main one can be started from outside."""
        return False

    def open_activity(self, activity: str) -> None:
        """Goes to the page of an activity that the app `knows`."""

    def close_pages(self) -> None:
        """Forgets what is open (force-stop); data stays."""
        self.pages = []

    def read_state(self) -> dict[str, Any]:
        return {}

    @property
    def page(self) -> Page:
        if not self.pages:
            self.pages = [self.build_first_page()]
        return self.pages[-1]

    @property
    def name(self) -> str:
        return self.t(self.label, self.label_en)

    @property
    def colours(self) -> Theme:
        return DARK if self.host.settings["secure"].get("ui_night_mode") == "2" else LIGHT

    def t(self, zh: str, en: str) -> str:
        return zh if self.host.locale == "zh" else en

    def rid_of(self, name: str) -> str:
        return f"{self.package}:id/{name}"

    def push_page(self, page: Page) -> None:
        self.host.start_motion("forward")
        self.page.typing = False
        self.pages.append(page)
        page.handle_shown()

    def pop_page(self) -> bool:
        """Leaves the page in front; False when it was the last one (the app goes to the background)."""
        if len(self.pages) <= 1:
            return False
        self.host.start_motion("backward")
        self.pages.pop()
        self.page.handle_shown()
        return True

    def reset_pages(self, *pages: Page) -> None:
        self.host.start_motion("fade")
        self.pages = list(pages)
        self.page.handle_shown()
