"""The phone's stage: a simulated phone behind a real adb, with the board as one of its apps."""

from __future__ import annotations

from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any, ClassVar, Self

from deskhand.clock import SystemClock
from deskhand.core.actions import ActionKind
from deskhand.core.errors import DeviceError
from deskhand.core.geometry import Rect
from deskhand.devices.android.adb.client import AdbClient
from deskhand.devices.android.adb.private_server import run_private_server
from deskhand.devices.android.device import attach_phone
from deskhand.settings.schema import AdbSettings
from deskhand.simphone.adb.phone_server import SimPhone
from deskhand.simphone.apps.framework import App, Host, Page
from deskhand.simphone.body.input_dispatcher import InputDispatcher
from deskhand.simphone.body.window_layout import list_nodes
from deskhand.simphone.phone import Phone
from deskhand.simphone.skin import LAUNCHER
from deskhand.simphone.ui.nodes import WRAP, Node, ScrollState, TextField
from deskhand.simphone.ui.widgets import Button, CheckBox, Column, Entry, Label, Row, Screen
from tests.contract.stage import FIELDS, PLAIN, SHORT, Board, Felt, until

PACKAGE = "test.board"
ROTATED = "rotated"
KEYS = {66: "enter", 67: "backspace", 21: "left", 22: "right", 113: "ctrl", 29: "a", 52: "x"}
DOUBLE_TAP_S = 0.3


class ShortField(TextField):
    """As `android:maxLength` does: what is too much is left out."""

    def insert_text(self, text: str) -> None:
        super().insert_text(text[: max(0, SHORT - len(self.text) + len(self.selected))])


class BoardPage(Page):
    def __init__(self, app: App) -> None:
        super().__init__(app)
        self.fields = {name: (ShortField if name == "Short" else TextField)(name) for name in FIELDS}
        self.fields["Notes"].multiline = True
        self.fields["Password"].password = True
        self.agreed, self.pressed, self.colour = False, 0, 0
        self.down, self.across = ScrollState(), ScrollState(axis="x")

    def build(self) -> Node:
        theme = self.colours
        fields = [Entry(field, name, theme, rid=self.app.rid_of(name)) for name, field in self.fields.items()]
        fields[1].h = 200
        agree = CheckBox(self.agreed, self.agree, theme, rid=self.app.rid_of("Agree"), desc="Agree")
        press = Button("Press me", self.press, theme, rid=self.app.rid_of("Press me"), w=400)
        off = Button("Disabled", self.press, theme, rid=self.app.rid_of("Disabled"), w=400, enabled=False)
        lines = [Label(f"Row {number}", 44, theme.ink, w=3000, h=100) for number in range(300)]
        listed = Column(*lines, kind="android.widget.ScrollView", w=3000, h=400, scroll=self.down)
        rows = Row(listed, kind="android.widget.HorizontalScrollView", h=400, scroll=self.across)
        rows.rid = self.app.rid_of("Rows")
        pad = Node(h=300, fill=(60 * (self.colour % 4), 100, 200), rid=self.app.rid_of("Pad"))
        return Screen(theme, *fields, Row(agree, press, off, gap=20), pad, rows)

    def agree(self) -> None:
        self.agreed = not self.agreed

    def press(self) -> None:
        self.pressed += 1


class DeeperPage(Page):
    activity = ".Deeper"

    def build(self) -> Node:
        return Screen(self.colours, Label("Further in", 60, self.colours.ink, w=WRAP))


class BoardApp(App):
    package, label, label_en, activity = PACKAGE, "Board", "Board", ".Board"
    icon, tint = "note", (200, 80, 40)

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.first = BoardPage(self)

    def build_first_page(self) -> Page:
        self.first = BoardPage(self)
        return self.first


class FeltInput(InputDispatcher):
    """Remembers every touch and key."""

    def __init__(self, phone: Phone) -> None:
        super().__init__(phone, phone.apps, phone.windows, phone.finish_event)
        self.felt: list[Felt] = []
        self._now = phone.now

    def _note(self, what: Any, x: float = -1, y: float = -1, key: str = "") -> None:
        button = "left" if what in ("press", "release", "double") else ""
        self.felt.append(Felt(what, round(x), round(y), button, key, self._now()))

    def touch_down(self, x: float, y: float) -> None:
        before = [one for one in self.felt if one.what in ("press", "double")]
        again = before and before[-1].what == "press" and self._now() - before[-1].at < DOUBLE_TAP_S
        self._note("press", x, y)
        if again and max(abs(before[-1].x - x), abs(before[-1].y - y)) < 100:
            self._note("double", x, y)
        super().touch_down(x, y)

    def touch_move(self, x: float, y: float) -> None:
        self._note("move", x, y)
        super().touch_move(x, y)

    def touch_up(self, x: float, y: float) -> None:
        self._note("release", x, y)
        super().touch_up(x, y)

    def press_key(self, code: int) -> None:
        self._note("key", key=KEYS.get(code, str(code)))
        super().press_key(code)

    def press_together(self, codes: Any) -> None:
        self._note("key", key="+".join(KEYS.get(code, str(code)) for code in codes))
        super().press_together(codes)


class FeltPhone(Phone):
    """A phone with the board as one of its apps, that remembers every touch and key."""

    def __init__(self, **about: Any) -> None:
        super().__init__(locale="en", **about)
        self.apps.by_package[PACKAGE] = BoardApp(self)
        self.input = self.hand = FeltInput(self)

    @property
    def felt(self) -> list[Felt]:
        return self.hand.felt


class AndroidStage:
    name: ClassVar[str] = "android"
    words: ClassVar[frozenset[ActionKind]] = frozenset({
        "click", "double_click", "long_press", "drag", "swipe", "scroll", "type", "key", "hotkey", "open_app",
        "open_url", "back", "home",
    })  # fmt: skip
    looks: ClassVar[tuple[str, ...]] = (PLAIN, ROTATED)
    tree: ClassVar[bool] = True
    pushes: ClassVar[bool] = False
    aims: ClassVar[bool] = True
    other_app = "Settings"
    address = "https://example.com/"

    def __init__(self, folder: Path, look: str) -> None:
        self._look = look
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        clock = SystemClock()
        try:
            settings = await self._stack.enter_async_context(run_private_server(AdbSettings(), clock))
            self.adb = AdbClient(settings)
            self.phone = FeltPhone(conditions=() if self._look == PLAIN else (self._look,))
            self.sim = await self._stack.enter_async_context(SimPhone(self.phone))
            self.device = await attach_phone(self.sim.address, adb=self.adb, clock=clock)
            self._stack.push_async_callback(self.device.close)
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(self, *exc: object) -> None:
        with suppress(DeviceError):
            await self._stack.aclose()

    # --- the board -------------------------------------------------------------------------------------------

    @property
    def _page(self) -> BoardPage:
        app = self.phone.apps.find_app(PACKAGE)
        assert isinstance(app, BoardApp)
        return app.first

    async def reset(self) -> None:
        self.phone.conditions.discard("never-idle")
        self.phone.apps.stop_app(PACKAGE)
        self.phone.apps.launch_app(PACKAGE)
        await self.still()
        self.phone.felt.clear()

    async def still(self) -> None:
        async def at_rest() -> bool:
            return not self.phone.display.is_animating()

        await until(at_rest, "the phone to come to rest")

    async def board(self) -> Board:
        page = self._page
        nodes = [node for window in self.phone.windows.list_windows() for node in list_nodes(window.content)]
        return Board(
            places={n.rid.removeprefix(f"{PACKAGE}:id/"): Rect(*n.seen) for n in nodes if n.rid.startswith(PACKAGE)},
            texts={name: field.text for name, field in page.fields.items()},
            agreed=page.agreed,
            pressed=page.pressed,
            scrolled=(round(page.across.offset), round(page.down.offset)),
            felt=tuple(self.phone.felt),
        )

    async def where(self) -> str:
        package, activity = self.phone.windows.foreground
        if package == PACKAGE:
            return activity.removeprefix(".")
        visited = self.phone.read_state()["apps"]["com.android.browser"]["visited"]
        address = "Address" if any("example.com" in one for one in visited) else "the browser"
        names = {LAUNCHER: "Home", "com.android.settings": "Other", "com.android.browser": address}
        return names.get(package, package)

    async def paint(self) -> None:
        self._page.colour += 1
        self.phone.settle_screen()

    async def hang(self, seconds: float) -> None:
        """An app that never rests is one that uiautomator can't read."""
        self.phone.conditions.add("never-idle")

    async def deeper(self) -> None:
        self.phone.apps.find_app(PACKAGE).push_page(DeeperPage(self.phone.apps.find_app(PACKAGE)))
        self.phone.settle_screen()
        await self.still()

    async def second(self) -> None:
        raise NotImplementedError("a phone has one window")

    # --- trouble ---------------------------------------------------------------------------------------------

    async def lose(self) -> None:
        """Switch the phone off: a line that only breaks would be brought back."""
        await self.sim.__aexit__()

    async def attach_crooked(self) -> None:
        """A phone that was told to lay out for another size than the one its pictures have."""
        self.sim.system.size_override = (720, 1600)
        try:
            device = await attach_phone(self.sim.address, adb=self.adb, clock=SystemClock())
            await device.close()
        finally:
            self.sim.system.size_override = None
