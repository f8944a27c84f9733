"""Touches, keys and typed text: says which part of the phone each one is for, and settles the screen after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from deskhand.simphone.body import hardware_keys as keys
from deskhand.simphone.body import text_entry
from deskhand.simphone.body.app_manager import AppManager
from deskhand.simphone.body.handset import Handset
from deskhand.simphone.body.window_layout import list_nodes
from deskhand.simphone.body.window_manager import WindowManager
from deskhand.simphone.ui.nodes import Node, ScrollState, TextField
from deskhand.simphone.ui.touch import Finger, GestureHandlers

MAX_VOLUME = 15


class InputDispatcher:
    """The public methods are whole input events, after which `on_event` is called; `handle_…` are steps of one."""

    def __init__(
        self, handset: Handset, apps: AppManager, windows: WindowManager, on_event: Callable[[], None]
    ) -> None:
        self._handset = handset
        self._apps = apps
        self._windows = windows
        self._on_event = on_event
        self._finger = Finger(
            GestureHandlers(
                self._focus_field,
                self._hold_field,
                self._glide_to,
                self._apps.go_home,
                self._go_back,
                self._apps.system_ui.expand_shade,
                self._press_node,
            )
        )

    def touch_down(self, x: float, y: float) -> None:
        if self._handset.awake:
            self._finger.put_down(self._windows.list_windows(), x, y, self._handset.now(), self._handset.size)

    def touch_move(self, x: float, y: float) -> None:
        if self._handset.awake:
            self._finger.move_to(x, y)
            self._windows.mark_changed()

    def touch_up(self, x: float, y: float) -> None:
        if self._handset.awake:
            self._finger.lift_off(x, y, self._handset.now())
            self._on_event()

    def touch_cancel(self, x: float, y: float) -> None:
        """Take the finger away, wherever it is: what it began is not carried out."""
        self._finger.cancel_contact()
        self._on_event()

    def press_key(self, code: int) -> None:
        self.handle_key(code)
        self._on_event()

    def press_together(self, codes: Sequence[int]) -> None:
        focus = self._windows.focused_field
        if focus is not None and any(code in keys.CTRL for code in codes):
            for code in codes:
                keys.apply_shortcut(focus, code, self._handset)
        elif focus is not None and any(code in keys.SHIFT for code in codes):
            self.handle_text("".join(keys.CHARACTERS.get(code, "").upper() for code in codes))
        else:
            for code in codes:
                self.handle_key(code)
        self._on_event()

    def type_text(self, text: str) -> bool:
        """Type into the field in focus; False if there is none."""
        done = self.handle_text(text)
        self._on_event()
        return done

    def clear_text(self) -> bool:
        """Empty the field in focus; False if there is none."""
        focus = self._windows.focused_field
        if focus is not None:
            focus.clear_text()
        self._on_event()
        return focus is not None

    def handle_text(self, text: str) -> bool:
        focus = self._windows.focused_field
        if focus is not None:
            focus.insert_text(text[:3] if "short-fields" in self._handset.conditions else text)
        return focus is not None

    def handle_key(self, code: int) -> None:
        if code in (keys.POWER, keys.WAKEUP, keys.SLEEP):
            self._press_power(code)
        elif not self._handset.awake:
            return
        elif self._handset.is_locked:
            if code == keys.MENU:
                self._handset.unlock_screen()
        elif code in (keys.BACK, keys.ESCAPE):
            self._go_back()
        elif code == keys.HOME:
            self._apps.go_home()
        elif code in (keys.VOLUME_UP, keys.VOLUME_DOWN):
            self._step_volume(1 if code == keys.VOLUME_UP else -1)
        elif self._apps.system_ui.popup_shown:
            return
        elif code == keys.NOTIFICATION:
            self._apps.system_ui.expand_shade()
        elif code == keys.APP_SWITCH:
            self._apps.show_recents()
        else:
            text_entry.press_page_key(self._apps.page, self._windows.top, code, self._handset)

    def _press_power(self, code: int) -> None:
        phone = self._handset
        wake = code == keys.WAKEUP or (code == keys.POWER and not phone.awake)
        if not wake and phone.awake:
            phone.conditions.add("locked")
        phone.awake = wake

    def _step_volume(self, step: int) -> None:
        system = self._handset.settings["system"]
        level = min(max(int(system.get("volume_music", "0")) + step, 0), MAX_VOLUME)
        system["volume_music"] = str(level)
        self._handset.show_toast(f"{'媒体音量' if self._handset.locale == 'zh' else 'Media volume'} {level}")

    def _go_back(self) -> None:
        """Leave the innermost of: pop-up, shade, keyboard, dialog, a mode of the page, the page, the app."""
        page, system = self._apps.page, self._apps.system_ui
        if system.popup_shown:
            system.answer_popup("later")
        elif system.shade_shown:
            system.collapse_shade()
        elif self._windows.is_keyboard_shown:
            page.typing = False
        elif page.dialog is not None:
            page.dismiss_dialog()
        elif not page.handle_back() and not page.app.pop_page():
            self._apps.go_home()

    def _focus_field(self, field: TextField, x: float, node: Node) -> None:
        self._apps.page.focus_field(field)
        text_entry.place_caret(field, x, node)

    def _press_node(self, node: Node) -> None:
        """Press a button, a row or a switch, as far as the phone's condition lets it work."""
        assert node.on_tap is not None
        conditions = self._handset.conditions
        if "deaf-buttons" in conditions and self._apps.page.app.package != self._handset.skin.home:
            return
        switches = any(part.kind.endswith("Switch") for part in list_nodes(node))
        node.on_tap()
        if switches and "springing-switches" in conditions:
            node.on_tap()

    def _hold_field(self, field: TextField) -> None:
        text_entry.offer_edit_menu(self._apps.page, field, self._handset)

    def _glide_to(self, scroll: ScrollState, target: float) -> None:
        phone = self._handset
        phone.glass.start_glide(scroll, target, phone.now(), phone.animation_scale)
