"""Typing on a page: which field gets a key, where a tap puts the caret, what the action key says."""

from __future__ import annotations

from deskhand.simphone.apps.framework import App, Page
from deskhand.simphone.body import hardware_keys as keys
from deskhand.simphone.body.window_layout import list_nodes
from deskhand.simphone.ui.font import text_width
from deskhand.simphone.ui.nodes import Action, Node, TextField
from deskhand.simphone.ui.touch import Window
from deskhand.simphone.ui.widgets import MenuCard


def place_caret(field: TextField, x: float, node: Node) -> None:
    """Put the caret between the letters nearest to a tap, in a single-line field."""
    if field.multiline:
        return
    inside = x - node.box.x1 - node.pad[0] + 12
    fits = [i for i in range(len(field.shown) + 1) if text_width(field.shown[:i], node.size) <= inside]
    field.move_caret(max(fits, default=0))


def offer_edit_menu(page: Page[App], field: TextField, board: keys.Clipboard) -> None:
    """Show the menu of a long press. A field in a dialog is only selected: there is one dialog at a time."""
    if page.dialog is not None:
        field.select_all()
        return

    def make_choice(code: int) -> Action:
        def apply_choice() -> None:
            page.dismiss_dialog()
            page.focus_field(field)
            if code != keys.PASTE:
                field.select_all()
            if code:
                keys.edit_field(field, code, board)

        return apply_choice

    items = [(page.t("全选", "Select all"), "android:id/selectAll", make_choice(0))]
    if field.text and not field.password:
        items.append((page.t("复制", "Copy"), "android:id/copy", make_choice(keys.COPY)))
        items.append((page.t("剪切", "Cut"), "android:id/cut", make_choice(keys.CUT)))
    if board.clipboard:
        items.append((page.t("粘贴", "Paste"), "android:id/paste", make_choice(keys.PASTE)))
    page.show_dialog(lambda: MenuCard("", items, page.colours))


def press_page_key(page: Page[App], window: Window, code: int, board: keys.Clipboard) -> None:
    """Apply a key that no part of the system claimed."""
    focus = page.focus
    if code == keys.TAB:
        _focus_next_field(page, window)
    elif code in (keys.PAGE_UP, keys.PAGE_DOWN):
        _scroll_window(window, -1 if code == keys.PAGE_UP else 1)
    elif focus is None:
        return
    elif code in (keys.ENTER, keys.NUMPAD_ENTER, keys.SEARCH):
        _press_enter(page, focus, newline=focus.multiline and code != keys.SEARCH)
    else:
        keys.edit_field(focus, code, board)


def _press_enter(page: Page[App], focus: TextField, *, newline: bool) -> None:
    if newline:
        focus.insert_text("\n")
    elif focus.on_enter is not None:
        focus.on_enter()
    else:
        page.typing = False


def _focus_next_field(page: Page[App], window: Window) -> None:
    fields = [node.entry for node in list_nodes(window.content) if node.entry is not None and node.enabled]
    if fields:
        at = next((i for i, field in enumerate(fields) if field is page.focus), -1)
        page.focus_field(fields[(at + 1) % len(fields)])


def _scroll_window(window: Window, direction: int) -> None:
    for node in list_nodes(window.content):
        scroll = node.scroll
        if scroll is not None and scroll.axis == "y" and scroll.limit > 0:
            scroll.move_to(scroll.offset + direction * scroll.span * 0.8)
            return


def enter_label_of(field: TextField, locale: str) -> str:
    if field.enter_label:
        return field.enter_label
    if field.multiline:
        return "换行" if locale == "zh" else "Return"
    return "完成" if locale == "zh" else "Done"
