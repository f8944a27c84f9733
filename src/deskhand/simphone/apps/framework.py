"""The base of every app: an App owns its data and a stack of Pages; a Page builds a view tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar, Unpack

from deskhand.simphone.apps.notification import Notification
from deskhand.simphone.body.system_log import SystemLog
from deskhand.simphone.render.motion import Motion
from deskhand.simphone.skin import Skin
from deskhand.simphone.ui.nodes import FILL, Action, Colour, Node, ScrollState, TextField
from deskhand.simphone.ui.theme import DARK, LIGHT, Theme
from deskhand.simphone.ui.widgets import (
    WHITE,
    Button,
    DialogCard,
    Entry,
    Icon,
    MenuCard,
    NodeLook,
    RoundButton,
    Row,
    Screen,
    Scroller,
    Stack,
    TopBar,
)

A_co = TypeVar("A_co", bound="App", covariant=True)


class AppControl(Protocol):
    """The control that an app has over the other apps."""

    def launch_app(self, package: str, activity: str | None = None, data: str | None = None) -> bool: ...
    def stop_app(self, package: str) -> None: ...
    def go_home(self) -> None: ...
    def find_app(self, package: str) -> App: ...
    def list_launchable(self) -> list[App]: ...


class Host(Protocol):
    """The part of the phone that apps may use."""

    locale: str
    skin: Skin
    settings: dict[str, dict[str, str]]
    clipboard: str
    battery_level: int
    charging: bool
    model: str
    android_release: str
    build_id: str
    log: SystemLog
    conditions: set[str]

    now: Callable[[], float]
    today: Callable[[], datetime]

    @property
    def size(self) -> tuple[int, int]: ...
    @property
    def apps(self) -> AppControl: ...
    def show_toast(self, text: str) -> None: ...
    def start_motion(self, motion: Motion) -> None: ...


class Page(ABC, Generic[A_co]):
    """One screen of an app. Every page implements `build`, which makes its view tree anew after each change.

    The page keeps what outlives a rebuild: typed text, scroll offsets, focus, an open dialog.
    """

    activity: ClassVar[str] = ""
    backdrop: ClassVar[Literal["plain", "wallpaper"]] = "plain"
    tick: float = 0.0
    """Seconds after which the page looks different by itself (a running stopwatch); 0: it does not."""

    def __init__(self, app: A_co) -> None:
        self.app = app
        self.fields: dict[str, TextField] = {}
        self.scrolls: dict[str, ScrollState] = {}
        self.focus: TextField | None = None
        self.typing = False
        self.reveal = False
        """The field in focus has still to be scrolled into view."""
        self.dialog: Callable[[], Node] | None = None

    @abstractmethod
    def build(self) -> Node: ...

    def handle_back(self) -> bool:
        """True if the page itself used the BACK key (closed a mode); otherwise the page is left."""
        return False

    def handle_flick(self, dx: float, dy: float) -> None:
        """Called when a finger was drawn over a place of the page that does not scroll."""

    def handle_shown(self) -> None:
        """Called when the page comes to the front."""

    @property
    def colours(self) -> Theme:
        return self.app.colours

    @property
    def host(self) -> Host:
        return self.app.host

    @property
    def is_wide(self) -> bool:
        """True in landscape."""
        return self.host.size[0] > self.host.size[1]

    def t(self, zh: str, en: str) -> str:
        return self.app.t(zh, en)

    def rid_of(self, name: str) -> str:
        return self.app.rid_of(name)

    def use_field(self, key: str, text: str = "") -> TextField:
        if key not in self.fields:
            self.fields[key] = TextField(key)
            self.fields[key].set_text(text)
        return self.fields[key]

    def use_scroll(self, key: str = "list") -> ScrollState:
        return self.scrolls.setdefault(key, ScrollState())

    def focus_field(self, entry: TextField | None) -> None:
        self.focus = entry
        self.typing = self.reveal = entry is not None

    def show_dialog(self, dialog: Callable[[], Node]) -> None:
        """Open a dialog and hide the keyboard, unless the dialog then focuses a field of its own."""
        self.dialog = dialog
        self.typing = False

    def build_bar(self, title: str, *actions: Node, rid: str = "title") -> Node:
        """Build a title bar with a button that leads back."""
        arrow = Icon(
            "back",
            56,
            self.colours.ink,
            on_tap=self.leave_page,
            desc=self.t("返回", "Back"),
            rid=self.rid_of("back_btn"),
        )
        return TopBar(title, self.colours, *actions, back=arrow, rid=self.rid_of(rid))

    def build_icon_button(self, name: str, desc: str, rid: str, on_tap: Action, /, **look: Unpack[NodeLook]) -> Node:
        look["on_tap"], look["desc"], look["rid"] = on_tap, desc, self.rid_of(rid)
        return Icon(name, look.pop("size", 56), look.pop("ink", self.colours.ink), **look)

    def build_button(self, text: str, rid: str, on_tap: Action, /, **look: Unpack[NodeLook]) -> Node:
        look["rid"] = self.rid_of(rid)
        return Button(text, on_tap, self.colours, **look)

    def build_entry(self, field: TextField, hint: str, rid: str, /, **look: Unpack[NodeLook]) -> Node:
        """Build a text field that stands on the page's background."""
        look.setdefault("fill", self.colours.card)
        look["rid"] = self.rid_of(rid)
        return Entry(field, hint, self.colours, **look)

    def build_form(self, bar: Node | None, *parts: Node) -> Node:
        """Build a page that scrolls if it does not fit, as with the keyboard up in landscape."""
        head = [bar] if bar is not None else []
        body = Scroller(self.use_scroll("form"), *parts, kind="android.widget.ScrollView")
        return Screen(self.colours, *head, body)

    def build_list_with_button(
        self, body: Node, desc: str, rid: str, act: Action, fill: Colour, place: Literal["center", "end"] = "end"
    ) -> Node:
        """Lay a round button that adds an entry over the low end of a list."""
        add = RoundButton("add", 76, WHITE, fill, 160, on_tap=act, desc=desc, rid=self.rid_of(rid))
        pad = (0, 0, 56, 56) if place == "end" else (0, 0, 0, 48)
        corner = Row(add, justify=place, align="end", h=FILL, pad=pad, kind="android.widget.FrameLayout")
        return Stack(body, corner, weight=1.0)

    def leave_page(self) -> None:
        if not self.app.pop_page():
            self.host.apps.go_home()

    def dismiss_dialog(self) -> None:
        self.dialog = None
        if self.focus is not None and self.focus.key.startswith("dialog_"):
            self.focus_field(None)

    def _dismiss_before(self, action: Action) -> Action:
        def dismiss_and_act() -> None:
            if "stuck-dialogs" in self.host.conditions:
                return
            self.dismiss_dialog()
            action()

        return dismiss_and_act

    def show_menu(self, title: str, *items: tuple[str, str, Action]) -> None:
        """Open a menu of choices (label, name of its resource id, action)."""
        choices = [(text, self.rid_of(name), self._dismiss_before(action)) for text, name, action in items]
        self.show_dialog(lambda: MenuCard(title, choices, self.colours))

    def confirm_action(self, title: str, message: str, yes: str, action: Action) -> None:
        """Ask before an action that cannot be undone."""
        refused = "refused-deletions" in self.host.conditions
        buttons = self._make_buttons(yes, self._dismiss_before((lambda: None) if refused else action))
        self.show_dialog(lambda: DialogCard(title, self.colours, message=message, buttons=buttons))

    def ask_text(self, title: str, field: TextField, hint: str, rid: str, yes: str, /) -> None:
        """Open a dialog with one field, whose `on_enter` is also the action of the button `yes`."""
        buttons = self._make_buttons(yes, field.on_enter or self.dismiss_dialog)
        self.show_dialog(
            lambda: DialogCard(
                title,
                self.colours,
                body=[self.build_entry(field, hint, rid, fill=self.colours.field)],
                buttons=buttons,
            )
        )
        self.focus_field(field)

    def _make_buttons(self, yes: str, action: Action) -> tuple[tuple[str, str, Action], ...]:
        cancel = (self.t("取消", "Cancel"), "android:id/button2", self.dismiss_dialog)
        return (cancel, (yes, "android:id/button1", action))


class App(ABC):
    """An installed package: its names, its icon, its data and its open pages.

    Every app implements `build_first_page`, and `read_state` if it has data; a new app is one line in `apps`.
    """

    package: str
    label: ClassVar[str]
    label_en: ClassVar[str]
    activity: ClassVar[str]
    icon: ClassVar[str]
    tint: ClassVar[Colour]
    secure: ClassVar[bool] = False
    hidden: ClassVar[bool] = False

    def __init__(self, host: Host) -> None:
        self.host = host
        self.package = host.skin.package_of(type(self).package)
        self.pages: list[Page[App]] = []

    @abstractmethod
    def build_first_page(self) -> Page[App]: ...

    def open_app(self, data: str | None = None) -> None:
        """Come to the front; `data` is the address of a VIEW intent, which most apps ignore."""
        self.page.handle_shown()

    def has_activity(self, activity: str) -> bool:
        """True if an activity besides the main one can be started from outside."""
        return False

    def open_activity(self, activity: str) -> None:  # noqa: B027 - only for apps with more activities
        """Go to the page of an activity that `has_activity` affirms."""

    def close_pages(self) -> None:
        """Forget the open pages (force-stop); data stays."""
        self.pages = []

    def list_notifications(self) -> list[Notification]:
        """Return what the app has to say in the notification shade, the newest first."""
        return []

    def translate_samples(self) -> None:  # noqa: B027 - only for apps with such data
        """Put what came with the app, and nobody has changed, into the phone's language."""

    def read_state(self) -> dict[str, Any]:
        """Return the app's data for `Phone.read_state`."""
        return {}

    @property
    def page(self) -> Page[App]:
        if not self.pages:
            self.pages = [self.build_first_page()]
        return self.pages[-1]

    @property
    def name(self) -> str:
        return self.t(self.label, self.label_en)

    @property
    def colours(self) -> Theme:
        theme = DARK if self.host.settings["secure"].get("ui_night_mode") == "2" else LIGHT
        return replace(theme, sheets=True) if self.host.skin.sheets else theme

    def t(self, zh: str, en: str) -> str:
        """Return the text in the phone's language. As short as gettext's `_`: it wraps every text of an app."""
        return zh if self.host.locale == "zh" else en

    @property
    def is_forgetful(self) -> bool:
        """True if nothing that is saved is kept."""
        return "forgetful" in self.host.conditions

    def rid_of(self, name: str) -> str:
        return f"{self.package}:id/{name}"

    def push_page(self, page: Page[App]) -> None:
        self.host.start_motion("forward")
        self.page.typing = False
        self.pages.append(page)
        page.handle_shown()

    def pop_page(self) -> bool:
        """Leave the page in front; False if it is the last one (the app goes to the background)."""
        if len(self.pages) <= 1:
            return False
        self.host.start_motion("backward")
        self.pages.pop()
        self.page.handle_shown()
        return True

    def reset_pages(self, *pages: Page[App]) -> None:
        self.host.start_motion("fade")
        self.pages = list(pages)
        self.page.handle_shown()
