"""Ready-made views: labels, icons, buttons, switches, sliders, text fields, bars, list rows and dialog cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypedDict, Unpack

from deskhand.simphone.ui.nodes import FILL, WRAP, Action, Colour, Node, Pad, Scroll, TextField
from deskhand.simphone.ui.theme import STATUS_BAR, Theme, avatar_colour_of

WHITE: Colour = (255, 255, 255)


class Look(TypedDict, total=False):
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
    scroll: Scroll | None
    checked: bool | None
    enabled: bool
    selected: bool


def column(*children: Node, **look: Unpack[Look]) -> Node:
    look.setdefault("kind", "android.widget.LinearLayout")
    return Node(children=list(children), **look)


def row(*children: Node, **look: Unpack[Look]) -> Node:
    look.setdefault("kind", "android.widget.LinearLayout")
    look.setdefault("align", "center")
    look["flow"] = "row"
    return Node(children=list(children), **look)


def stack(*children: Node, **look: Unpack[Look]) -> Node:
    look["flow"] = "stack"
    return Node(children=list(children), **look)


def space(size: int = 0, *, weight: float = 0.0) -> Node:
    return Node(kind="android.widget.Space", w=size, h=size, weight=weight)


def line(theme: Theme, indent: int = 0) -> Node:
    bar = Node(kind="android.view.View", h=2, fill=theme.line)
    return column(bar, pad=(indent, 0, 0, 0)) if indent else bar


def label(text: str, size: int, ink: Colour, /, **look: Unpack[Look]) -> Node:
    look.setdefault("kind", "android.widget.TextView")
    look.setdefault("w", WRAP)
    look["size"], look["ink"] = size, ink
    return Node(text=text, **look)


def icon(name: str, size: int, ink: Colour, /, **look: Unpack[Look]) -> Node:
    """An icon; with `on_tap` it is a button whose touch area is larger than the drawing."""
    margin = 28 if look.get("on_tap") else 0
    look.setdefault("kind", "android.widget.ImageButton" if look.get("on_tap") else "android.widget.ImageView")
    look.setdefault("pad", (margin, margin, margin, margin))
    left, top, right, bottom = look.get("pad", (0, 0, 0, 0))
    look.setdefault("w", size + left + right)
    look.setdefault("h", size + top + bottom)
    look["size"], look["ink"] = size, ink
    return Node(icon=name, **look)


def badge_icon(name: str, size: int, tint: Colour, /, **look: Unpack[Look]) -> Node:
    """A white icon on a coloured rounded square, as apps and settings have them."""
    look.setdefault("kind", "android.widget.ImageView")
    look.setdefault("radius", size // 4)
    look["w"] = look["h"] = size
    look["fill"], look["ink"], look["size"] = tint, WHITE, round(size * 0.58)
    return Node(icon=name, **look)


def avatar(name: str, size: int, /, **look: Unpack[Look]) -> Node:
    look.setdefault("radius", 18)
    look["kind"] = "android.widget.ImageView"
    look["glyph"] = name[:1].upper()
    look["w"] = look["h"] = size
    look["fill"], look["ink"], look["size"] = avatar_colour_of(name), WHITE, round(size * 0.46)
    return Node(**look)


def button(text: str, on_tap: Action, theme: Theme, /, **look: Unpack[Look]) -> Node:
    """A filled button; pass `fill=None` with an `ink` for a text button."""
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
    look["on_tap"] = on_tap
    return Node(text=text, **look)


def switch(on: bool, on_tap: Action, theme: Theme, *, rid: str, desc: str, enabled: bool = True) -> Node:
    return Node(
        kind="android.widget.Switch",
        desc=desc,
        rid=rid,
        w=132,
        h=84,
        checked=on,
        level=1.0 if on else 0.0,
        tween=rid,
        ink=theme.accent,
        off=theme.faint,
        on_tap=on_tap if enabled else None,
        enabled=enabled,
    )


def checkbox(on: bool, on_tap: Action, theme: Theme, *, rid: str, desc: str) -> Node:
    return Node(
        kind="android.widget.CheckBox",
        desc=desc,
        rid=rid,
        w=84,
        h=84,
        checked=on,
        ink=theme.accent,
        off=theme.faint,
        on_tap=on_tap,
    )


def slider(level: float, on_slide: Callable[[float], object], theme: Theme, *, rid: str, desc: str) -> Node:
    return Node(
        kind="android.widget.SeekBar",
        desc=desc,
        rid=rid,
        h=108,
        level=min(max(level, 0.0), 1.0),
        ink=theme.accent,
        off=theme.line,
        on_slide=on_slide,
    )


def entry(field: TextField, hint: str, theme: Theme, /, **look: Unpack[Look]) -> Node:
    """A text field. The hint is shown, and reported as its text, while it is empty, as Android does."""
    look.setdefault("h", 116)
    look.setdefault("fill", theme.field)
    look.setdefault("radius", 20)
    look.setdefault("pad", (32, 20, 32, 20))
    look.setdefault("size", 44)
    look.setdefault("ink", theme.ink)
    look["kind"] = "android.widget.EditText"
    return Node(entry=field, hint=hint, **look)


def scroller(scroll: Scroll, /, *children: Node, **look: Unpack[Look]) -> Node:
    look.setdefault("kind", "androidx.recyclerview.widget.RecyclerView")
    look.setdefault("weight", 1.0)
    look["scroll"] = scroll
    return Node(children=list(children), **look)


def top_bar(title: str, theme: Theme, *actions: Node, back: Node | None = None, rid: str = "") -> Node:
    lead = [back] if back is not None else [space(20)]
    name = label(title, 52, theme.ink, bold=True, weight=1.0, max_lines=1, rid=rid, pad=(24, 0, 12, 0))
    return row(*lead, name, *actions, h=144, pad=(12, 0, 24, 0), kind="android.view.ViewGroup")


def screen(theme: Theme, *children: Node, fill: Colour | None = None) -> Node:
    """A whole page below the status bar."""
    return column(
        *children, kind="android.widget.FrameLayout", h=FILL, fill=fill or theme.back, pad=(0, STATUS_BAR, 0, 0)
    )


def list_row(
    title: str,
    theme: Theme,
    *,
    lead: Node | None = None,
    sub: str = "",
    tail: Sequence[Node] = (),
    on_tap: Action | None = None,
    on_long: Action | None = None,
    rid: str = "",
    title_rid: str = "",
    sub_rid: str = "",
    height: int = 168,
) -> Node:
    """The row most lists are made of: something at the left, a title over a quieter line, something at the right."""
    texts = [label(title, 46, theme.ink, rid=title_rid, w=FILL, max_lines=1)]
    if sub:
        texts.append(label(sub, 38, theme.soft, rid=sub_rid, w=FILL, max_lines=1))
    body = column(*texts, weight=1.0, gap=4)
    lead_part = [lead] if lead is not None else []
    return row(
        *lead_part,
        body,
        *tail,
        h=height,
        gap=36,
        pad=(44, 0, 36, 0),
        on_tap=on_tap,
        on_long=on_long,
        rid=rid,
        fill=theme.card,
    )


def chevron(theme: Theme) -> Node:
    return icon("next", 40, theme.faint)


def section(text: str, theme: Theme) -> Node:
    return label(text, 38, theme.soft, w=FILL, pad=(44, 32, 44, 16))


def empty_note(text: str, theme: Theme) -> Node:
    return label(text, 42, theme.faint, w=FILL, pad=(44, 120, 44, 44), align="center")


def tab_bar(items: Sequence[tuple[str, str, str, bool, Action]], theme: Theme, accent: Colour) -> Node:
    """Bottom tabs from (icon, label, resource id, selected, action)."""
    tabs: list[Node] = []
    for name, text, rid, selected, action in items:
        ink = accent if selected else theme.soft
        parts = (icon(name, 66, ink), label(text, 32, ink, rid=rid, selected=selected))
        tabs.append(
            column(
                *parts, weight=1.0, h=FILL, align="center", justify="center", gap=4, on_tap=action, selected=selected
            )
        )
    return column(line(theme), row(*tabs, h=150, fill=theme.card), w=FILL)


def card(
    title: str,
    theme: Theme,
    *,
    message: str = "",
    body: Sequence[Node] = (),
    buttons: Sequence[tuple[str, str, Action]] = (),
) -> Node:
    """A dialog: title, text, anything, and text buttons (label, resource id, action) at its lower right."""
    parts: list[Node] = []
    if title:
        parts.append(label(title, 54, theme.ink, rid="android:id/alertTitle", bold=True, w=FILL))
    if message:
        parts.append(label(message, 44, theme.soft, rid="android:id/message", w=FILL))
    parts.extend(body)
    if buttons:
        parts.append(
            row(
                *(
                    button(text, act, theme, fill=None, ink=theme.accent, rid=rid, w=WRAP, bold=True)
                    for text, rid, act in buttons
                ),
                justify="end",
                gap=16,
            )
        )
    return column(
        *parts, fill=theme.card, radius=44, pad=(60, 56, 60, 36), gap=32, max_w=960, kind="android.widget.FrameLayout"
    )


def menu_card(title: str, items: Sequence[tuple[str, str, Action]], theme: Theme) -> Node:
    """A dialog that is a list of choices."""
    rows = [
        label(text, 46, theme.ink, rid=rid, w=FILL, h=132, pad=(60, 0, 60, 0), justify="center", on_tap=action)
        for text, rid, action in items
    ]
    head = [label(title, 50, theme.ink, bold=True, w=FILL, pad=(60, 40, 60, 12), max_lines=1)] if title else []
    return column(*head, *rows, fill=theme.card, radius=44, pad=(0, 20, 0, 20), max_w=820)
