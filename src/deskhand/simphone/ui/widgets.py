"""Ready-made views, each a `Node` with its Android class and its usual look; pages are written with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypedDict, Unpack

from deskhand.simphone.ui.nodes import FILL, WRAP, Action, Colour, Node, Pad, ScrollState, TextField
from deskhand.simphone.ui.theme import STATUS_BAR, Theme, avatar_colour_of

WHITE: Colour = (255, 255, 255)


class NodeLook(TypedDict, total=False):
    """Everything a caller may say about a node; see `Node`."""

    kind: str
    desc: str
    rid: str
    flow: Literal["column", "row", "stack"]
    w: int
    h: int
    weight: float
    pad: Pad
    gap: int
    align: Literal["start", "center", "end"]
    justify: Literal["start", "center", "end"]
    max_w: int
    fill: Colour | None
    alpha: int
    radius: int
    ink: Colour
    size: int
    bold: bool
    max_lines: int
    glyph: str
    on_tap: Action | None
    on_long: Action | None
    scroll: ScrollState | None
    checked: bool | None
    enabled: bool
    selected: bool


class Column(Node):
    def __init__(self, *children: Node, **look: Unpack[NodeLook]) -> None:
        look.setdefault("kind", "android.widget.LinearLayout")
        super().__init__(children=list(children), **look)


class Row(Column):
    def __init__(self, *children: Node, **look: Unpack[NodeLook]) -> None:
        look.setdefault("align", "center")
        look["flow"] = "row"
        super().__init__(*children, **look)


class Stack(Node):
    def __init__(self, *children: Node, **look: Unpack[NodeLook]) -> None:
        look["flow"] = "stack"
        super().__init__(children=list(children), **look)


class Space(Node):
    def __init__(self, size: int = 0, *, weight: float = 0.0) -> None:
        super().__init__(kind="android.widget.Space", w=size, h=size, weight=weight)


class Divider(Node):
    def __init__(self, theme: Theme, indent: int = 0) -> None:
        if indent:
            bar = Divider(theme)
            super().__init__(kind="android.widget.LinearLayout", children=[bar], pad=(indent, 0, 0, 0))
        else:
            super().__init__(kind="android.view.View", h=2, fill=theme.line)


class Label(Node):
    def __init__(self, text: str, size: int, ink: Colour, /, **look: Unpack[NodeLook]) -> None:
        look.setdefault("kind", "android.widget.TextView")
        look.setdefault("w", WRAP)
        look["size"], look["ink"] = size, ink
        super().__init__(text=text, **look)


class Icon(Node):
    """An icon; with `on_tap` it is a button whose touch area is larger than the drawing."""

    def __init__(self, name: str, size: int, ink: Colour, /, **look: Unpack[NodeLook]) -> None:
        margin = 28 if look.get("on_tap") else 0
        look.setdefault("kind", "android.widget.ImageButton" if look.get("on_tap") else "android.widget.ImageView")
        look.setdefault("pad", (margin, margin, margin, margin))
        left, top, right, bottom = look.get("pad", (0, 0, 0, 0))
        look.setdefault("w", size + left + right)
        look.setdefault("h", size + top + bottom)
        look["size"], look["ink"] = size, ink
        super().__init__(icon=name, **look)


class RoundButton(Icon):
    """An icon on a filled circle of `width`, such as the button that adds to a list."""

    def __init__(
        self, name: str, size: int, ink: Colour, fill: Colour, width: int, /, **look: Unpack[NodeLook]
    ) -> None:
        look["fill"], look["radius"] = fill, width // 2
        look["w"] = look["h"] = width
        super().__init__(name, size, ink, **look)


class BadgeIcon(Node):
    """A white icon on a coloured rounded square, as apps and settings have them."""

    def __init__(self, name: str, size: int, tint: Colour, /, **look: Unpack[NodeLook]) -> None:
        look.setdefault("kind", "android.widget.ImageView")
        look.setdefault("radius", size // 4)
        look["w"] = look["h"] = size
        look["fill"], look["ink"], look["size"] = tint, WHITE, round(size * 0.58)
        super().__init__(icon=name, **look)


class Avatar(Node):
    """The first letter of a name on the name's own colour."""

    def __init__(self, name: str, size: int, /, **look: Unpack[NodeLook]) -> None:
        look.setdefault("radius", 18)
        look["kind"] = "android.widget.ImageView"
        look["glyph"] = name[:1].upper()
        look["w"] = look["h"] = size
        look["fill"], look["ink"], look["size"] = avatar_colour_of(name), WHITE, round(size * 0.46)
        super().__init__(**look)


class Button(Node):
    """A filled button; pass `fill=None` with an `ink` for a text button."""

    def __init__(self, text: str, action: Action, theme: Theme, /, **look: Unpack[NodeLook]) -> None:
        look.setdefault("kind", "android.widget.Button")
        look.setdefault("fill", theme.accent)
        look.setdefault("radius", 24)
        look.setdefault("ink", WHITE if look.get("fill") else theme.accent)
        look.setdefault("size", 44)
        look.setdefault("h", 120)
        look.setdefault("w", FILL)
        look.setdefault("align", "center")
        look.setdefault("justify", "center")
        look.setdefault("pad", (36, 0, 36, 0))
        look["on_tap"] = action
        super().__init__(text=text, **look)


class Switch(Node):
    def __init__(self, on: bool, on_tap: Action, theme: Theme, *, rid: str, desc: str) -> None:
        super().__init__(kind="android.widget.Switch", desc=desc, rid=rid, w=132, h=84, checked=on, on_tap=on_tap)
        self.level = 1.0 if on else 0.0
        self.tween = rid
        self.ink, self.off = theme.accent, theme.faint


class CheckBox(Node):
    def __init__(self, on: bool, on_tap: Action, theme: Theme, *, rid: str, desc: str) -> None:
        super().__init__(kind="android.widget.CheckBox", desc=desc, rid=rid, w=84, h=84, checked=on, on_tap=on_tap)
        self.ink, self.off = theme.accent, theme.faint


class Slider(Node):
    def __init__(self, level: float, on_slide: Callable[[float], object], theme: Theme, *, rid: str, desc: str) -> None:
        super().__init__(kind="android.widget.SeekBar", desc=desc, rid=rid, h=108, on_slide=on_slide)
        self.level = min(max(level, 0.0), 1.0)
        self.ink, self.off = theme.accent, theme.line


class Entry(Node):
    """A text field. The hint is shown, and reported as its text, while it is empty, as Android does."""

    def __init__(self, field: TextField, hint: str, theme: Theme, /, **look: Unpack[NodeLook]) -> None:
        look.setdefault("h", 116)
        look.setdefault("fill", theme.field)
        look.setdefault("radius", 20)
        look.setdefault("pad", (32, 20, 32, 20))
        look.setdefault("size", 44)
        look.setdefault("ink", theme.ink)
        look["kind"] = "android.widget.EditText"
        super().__init__(entry=field, hint=hint, **look)


class Scroller(Node):
    def __init__(self, scroll: ScrollState, /, *children: Node, **look: Unpack[NodeLook]) -> None:
        look.setdefault("kind", "androidx.recyclerview.widget.RecyclerView")
        look.setdefault("weight", 1.0)
        look["scroll"] = scroll
        super().__init__(children=list(children), **look)


class TopBar(Row):
    def __init__(self, title: str, theme: Theme, *actions: Node, back: Node | None = None, rid: str = "") -> None:
        lead = back if back is not None else Space(20)
        name = Label(title, 52, theme.ink, bold=True, weight=1.0, max_lines=1, rid=rid, pad=(24, 0, 12, 0))
        super().__init__(lead, name, *actions, h=144, pad=(12, 0, 24, 0), kind="android.view.ViewGroup")


class Screen(Column):
    """A whole page below the status bar."""

    def __init__(self, theme: Theme, *children: Node, fill: Colour | None = None) -> None:
        pad = (0, STATUS_BAR, 0, 0)
        super().__init__(*children, kind="android.widget.FrameLayout", h=FILL, fill=fill or theme.back, pad=pad)


class ListRow(Row):
    """The row most lists are made of: something at the left, a title over a quieter line, something at the right."""

    def __init__(
        self,
        title: str,
        theme: Theme,
        *,
        lead: Node | None = None,
        sub: str = "",
        tail: Sequence[Node] = (),
        title_rid: str = "",
        sub_rid: str = "",
        **look: Unpack[NodeLook],
    ) -> None:
        texts = [Label(title, 46, theme.ink, rid=title_rid, w=FILL, max_lines=1)]
        if sub:
            texts.append(Label(sub, 38, theme.soft, rid=sub_rid, w=FILL, max_lines=1))
        look.setdefault("h", 168)
        look["gap"], look["pad"], look["fill"] = 36, (44, 0, 36, 0), theme.card
        super().__init__(*([lead] if lead is not None else []), Column(*texts, weight=1.0, gap=4), *tail, **look)


class Chevron(Icon):
    def __init__(self, theme: Theme) -> None:
        super().__init__("next", 40, theme.faint)


class SectionTitle(Label):
    def __init__(self, text: str, theme: Theme) -> None:
        super().__init__(text, 38, theme.soft, w=FILL, pad=(44, 32, 44, 16))


class EmptyNote(Label):
    def __init__(self, text: str, theme: Theme) -> None:
        super().__init__(text, 42, theme.faint, w=FILL, pad=(44, 120, 44, 44), align="center")


class TabBar(Column):
    """Bottom tabs from (icon, label, resource id, selected, action)."""

    def __init__(self, items: Sequence[tuple[str, str, str, bool, Action]], theme: Theme, accent: Colour) -> None:
        tabs: list[Node] = []
        for name, text, rid, selected, action in items:
            ink = accent if selected else theme.soft
            parts = (Icon(name, 66, ink), Label(text, 32, ink, rid=rid, selected=selected))
            tab = Column(*parts, weight=1.0, h=FILL, align="center", justify="center", gap=4, on_tap=action)
            tab.selected = selected
            tabs.append(tab)
        super().__init__(Divider(theme), Row(*tabs, h=150, fill=theme.card), w=FILL)


class DialogCard(Column):
    """A dialog: title, text, anything, and text buttons (label, resource id, action) at its lower right."""

    def __init__(
        self,
        title: str,
        theme: Theme,
        *,
        message: str = "",
        body: Sequence[Node] = (),
        buttons: Sequence[tuple[str, str, Action]] = (),
    ) -> None:
        parts: list[Node] = []
        if title:
            parts.append(Label(title, 54, theme.ink, rid="android:id/alertTitle", bold=True, w=FILL))
        if message:
            parts.append(Label(message, 44, theme.soft, rid="android:id/message", w=FILL))
        parts.extend(body)
        if buttons and theme.sheets:
            parts.extend(_build_choice(text, rid, act, theme) for text, rid, act in reversed(buttons))
        elif buttons:
            choices = (Button(text, act, theme, fill=None, rid=rid, w=WRAP, bold=True) for text, rid, act in buttons)
            parts.append(Row(*choices, justify="end", gap=16))
        super().__init__(*parts, fill=theme.card, radius=44, pad=(60, 56, 60, 36), gap=32, max_w=960)
        self.kind = "android.widget.FrameLayout"


def _build_choice(text: str, rid: str, action: Action, theme: Theme) -> Node:
    """Build a button of a sheet: as wide as the sheet, and to Android no more than a view with a text in it."""
    words = Label(text, 46, theme.accent, bold=True)
    return Column(
        words, kind="android.view.ViewGroup", h=120, align="center", justify="center", radius=24, fill=theme.field,
        on_tap=action, rid=rid,
    )  # fmt: skip


class MenuCard(Column):
    """A dialog that is a list of choices (label, resource id, action)."""

    def __init__(self, title: str, items: Sequence[tuple[str, str, Action]], theme: Theme) -> None:
        rows = [
            Label(text, 46, theme.ink, rid=rid, w=FILL, h=132, pad=(60, 0, 60, 0), justify="center", on_tap=action)
            for text, rid, action in items
        ]
        head = [Label(title, 50, theme.ink, bold=True, w=FILL, pad=(60, 40, 60, 12), max_lines=1)] if title else []
        super().__init__(*head, *rows, fill=theme.card, radius=44, pad=(0, 20, 0, 20), max_w=820)
