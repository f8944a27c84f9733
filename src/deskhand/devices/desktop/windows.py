"""Lists top-level windows and brings them to the front, by EWMH, or by plain X if no window manager runs."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz
from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import XError
from Xlib.ext import res
from Xlib.protocol.event import ClientMessage
from Xlib.xobject.drawable import Window

from deskhand.core.geometry import Rect

_PASSING_TYPES = ("SPLASH", "DOCK", "DESKTOP", "NOTIFICATION", "TOOLTIP")
# The first argument of an EWMH request: it comes from a pager, that is from the user.
_FROM_A_PAGER = 2
_ICONIC = 3
_CLOSE_ENOUGH = 80

WindowSize = Literal["maximized", "minimized", "normal"]


@dataclass(frozen=True, slots=True)
class WindowInfo:
    """A window; its outline includes the title bar, `client` is the X client's id base, `pid` is 0 if unknown."""

    id: int
    title: str
    app: str
    bounds: Rect
    outline: Rect
    pid: int = 0
    client: int = 0
    active: bool = False
    menu: bool = False
    # A splash screen, a panel, a notification: not what a program opens its window for.
    passing: bool = False
    splash: bool = False
    modal: bool = False
    # The window that this one belongs to; 0 for none.
    owner: int = 0
    # Left, right, top, bottom: the shadow that a GTK program draws around its window itself.
    shadow: tuple[int, int, int, int] = (0, 0, 0, 0)


def list_windows(display: Display) -> list[WindowInfo]:
    """Return the visible top-level windows, the lowest first, with menus and pop-ups (override-redirect)."""
    root = display.screen().root
    active, unmanaged = find_active_id(display), not has_manager(display)
    stacked = _read_property(display, root, "_NET_CLIENT_LIST_STACKING")
    managed = stacked or _read_property(display, root, "_NET_CLIENT_LIST")
    frames = {_frame_of(root, display.create_resource_object("window", w)): w for w in managed}
    seen = [
        _read_window(display, child, int(frames.get(child.id) or child.id), active, unmanaged or child.id in frames)
        for child in root.query_tree().children
    ]
    return [window for window in seen if window is not None]


def _read_window(display: Display, frame: Window, window_id: int, active: int, listed: bool) -> WindowInfo | None:
    window = display.create_resource_object("window", window_id)
    try:
        attributes = window.get_attributes()
        if attributes.map_state != X.IsViewable or attributes.win_class == X.InputOnly:
            return None
        geometry, around = window.get_geometry(), frame.get_geometry()
        corner = window.translate_coords(display.screen().root, 0, 0)
        app = window.get_wm_class()
        pid, title = _pid_of(display, window), title_of(display, window)
        kind, modal, owner, shadow = _read_nature(display, window)
    except XError:
        return None  # it closed meanwhile
    # translate_coords returns where the root's origin lies in the window.
    left, top = -corner.x, -corner.y
    menu = bool(attributes.override_redirect)
    if not listed and not menu:
        return None
    bounds = Rect(left, top, left + geometry.width, top + geometry.height)
    border = 2 * around.border_width
    outline = Rect(around.x, around.y, around.x + around.width + border, around.y + around.height + border)
    client = window_id & ~display.display.info.resource_id_mask
    return WindowInfo(
        window_id, title, app[1] if app else "", bounds, outline, pid, client,
        active=window_id == active, menu=menu, passing=bool(kind), splash=kind == "SPLASH", modal=modal, owner=owner,
        shadow=shadow,
    )  # fmt: skip


def _read_nature(display: Display, window: Window) -> tuple[str, bool, int, tuple[int, int, int, int]]:
    """Return the kind of a passing window (empty for any other), whether it is modal, its owner, and its own shadow."""
    kinds = _read_property(display, window, "_NET_WM_WINDOW_TYPE")
    known = {display.intern_atom(f"_NET_WM_WINDOW_TYPE_{name}"): name for name in _PASSING_TYPES}
    modal = display.intern_atom("_NET_WM_STATE_MODAL") in _read_property(display, window, "_NET_WM_STATE")
    owner = _read_property(display, window, "WM_TRANSIENT_FOR")
    edges = _read_property(display, window, "_GTK_FRAME_EXTENTS")
    shadow = (edges[0], edges[1], edges[2], edges[3]) if len(edges) == 4 else (0, 0, 0, 0)
    return known.get(kinds[0], "") if kinds else "", modal, owner[0] if owner else 0, shadow


def _frame_of(root: Window, window: Window) -> int:
    """Return the child of the root that holds the window: its frame, or itself."""
    try:
        while (parent := window.query_tree().parent) not in (0, root):
            window = parent
    except XError:
        pass
    return int(window.id)


def _read_property(display: Display, window: Window, name: str) -> list[int]:
    value = window.get_full_property(display.intern_atom(name), X.AnyPropertyType)
    return list(value.value) if value is not None and value.format == 32 else []


def title_of(display: Display, window: Window) -> str:
    for name in ("_NET_WM_NAME", "WM_NAME"):
        value = window.get_full_property(display.intern_atom(name), X.AnyPropertyType)
        if value is not None and value.format == 8:
            raw = bytes(value.value)
            return raw.decode("latin-1" if value.property_type == Xatom.STRING else "utf-8", "replace")
    return ""


def _pid_of(display: Display, window: Window) -> int:
    """Return the process id by the server's X-Resource extension, else what the window claims."""
    if display.has_extension("X-Resource"):
        answer = display.res_query_client_ids([{"client": window.id, "mask": res.LocalClientPIDMask}])
        for found in answer.ids:
            if found.value:
                return int(found.value[0])
    claimed = _read_property(display, window, "_NET_WM_PID")
    return claimed[0] if claimed else 0


def find_active_id(display: Display) -> int:
    """Return the window in front: the one with the focus, else the one that the window manager calls active.

    The manager reports it late: in 11 of 40 cases, a click into another window arrived there before.
    """
    focus = display.get_input_focus().focus
    if not has_manager(display):
        return 0 if isinstance(focus, int) else _frame_of(display.screen().root, focus)
    named = _read_property(display, display.screen().root, "_NET_ACTIVE_WINDOW")
    return _find_managed_around(display, focus) or (named[0] if named else 0)


def _find_managed_around(display: Display, window: Window | int) -> int:
    """Return the managed window that is, or holds, this one; 0 for none."""
    root = display.screen().root
    managed = _read_property(display, root, "_NET_CLIENT_LIST")
    try:
        while not isinstance(window, int) and window != root and window.id not in managed:
            window = window.query_tree().parent
    except XError:
        return 0
    return 0 if isinstance(window, int) or window == root else int(window.id)


def has_manager(display: Display) -> bool:
    return bool(_read_property(display, display.screen().root, "_NET_SUPPORTING_WM_CHECK"))


def focus_window(display: Display, window_id: int) -> None:
    """Bring a window to the front and give it the focus."""
    if has_manager(display):
        _ask_manager(display, window_id, "_NET_ACTIVE_WINDOW", [_FROM_A_PAGER, X.CurrentTime, 0, 0, 0])
    else:
        window = display.create_resource_object("window", window_id)
        window.configure(stack_mode=X.Above)
        window.set_input_focus(X.RevertToParent, X.CurrentTime)
        display.sync()


def close_window(display: Display, window_id: int) -> None:
    """Ask a window to close, as its title bar's button does; its program may ask back."""
    _ask_manager(display, window_id, "_NET_CLOSE_WINDOW", [X.CurrentTime, _FROM_A_PAGER, 0, 0, 0])


def resize_window(display: Display, window_id: int, size: WindowSize) -> None:
    """Maximize, minimize, or give it back the size that it had."""
    if size == "minimized":
        _ask_manager(display, window_id, "WM_CHANGE_STATE", [_ICONIC, 0, 0, 0, 0])
        return
    across, down = (display.intern_atom(f"_NET_WM_STATE_MAXIMIZED_{way}") for way in ("HORZ", "VERT"))
    _ask_manager(display, window_id, "_NET_WM_STATE", [int(size == "maximized"), across, down, _FROM_A_PAGER, 0])


def _ask_manager(display: Display, window_id: int, request: str, data: list[int]) -> None:
    window = display.create_resource_object("window", window_id)
    message = ClientMessage(window=window, client_type=display.intern_atom(request), data=(32, data))
    display.screen().root.send_event(message, X.SubstructureRedirectMask | X.SubstructureNotifyMask)
    display.sync()


def read_window_size(display: Display, window_id: int) -> WindowSize | None:
    """Return the size that its manager gives it; None if it is gone."""
    window = display.create_resource_object("window", window_id)
    if window_id not in _read_property(display, display.screen().root, "_NET_CLIENT_LIST"):
        return None
    try:
        states = _read_property(display, window, "_NET_WM_STATE")
    except XError:
        return None
    if display.intern_atom("_NET_WM_STATE_HIDDEN") in states:
        return "minimized"
    whole = all(display.intern_atom(f"_NET_WM_STATE_MAXIMIZED_{way}") in states for way in ("HORZ", "VERT"))
    return "maximized" if whole else "normal"


def find_best_match(wanted: str, found: Sequence[WindowInfo]) -> WindowInfo | None:
    """Find a window by title, then by program: equal, contained, or similar; the higher window wins a tie."""
    plain = wanted.casefold().strip()

    def score_window(window: WindowInfo) -> float:
        return max(_score_likeness(plain, window.title.casefold()), _score_likeness(plain, window.app.casefold()) - 1)

    candidates = [window for window in reversed(found) if not window.menu]
    best = max(candidates, key=score_window, default=None)
    return best if best is not None and score_window(best) >= _CLOSE_ENOUGH else None


def has_words(title: str, wanted: str) -> bool:
    """True if the title has all the words that were said, one after the other."""
    words, said = (re.findall(r"\w+", text.casefold()) for text in (title, wanted))
    return bool(said) and any(words[at : at + len(said)] == said for at in range(len(words)))


def _score_likeness(wanted: str, title: str) -> float:
    if not title:
        return 0
    if wanted == title:
        return 200
    if wanted in title:
        return 150 + 40 * len(wanted) / len(title)
    return fuzz.ratio(wanted, title)


def read_screen_bounds(display: Display) -> Rect:
    size = display.screen().root.get_geometry()
    return Rect(0, 0, size.width, size.height)


def find_top_at(stack: Sequence[WindowInfo], x: int, y: int) -> WindowInfo | None:
    """Return the highest window at a point."""
    return next((window for window in reversed(stack) if window.outline.contains_point(x, y)), None)
