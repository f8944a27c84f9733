"""The phone's display: draws the windows of this moment, with the caret, toasts and whatever is in motion."""

from __future__ import annotations

from PIL import Image

from deskhand.simphone.body.app_manager import AppManager
from deskhand.simphone.body.handset import Handset
from deskhand.simphone.body.window_manager import WindowManager
from deskhand.simphone.render.bars import Bars
from deskhand.simphone.render.composition import compose_screen
from deskhand.simphone.render.display_list import DrawingMoment
from deskhand.simphone.render.painter import Op

CARET_BLINK_S = 0.5
TOAST_S = 2.0


class PhoneDisplay:
    """Keeps the last frame and draws it again only if it would look different."""

    def __init__(self, handset: Handset, apps: AppManager, windows: WindowManager) -> None:
        self._handset = handset
        self._apps = apps
        self._windows = windows
        self._caret_since = 0.0
        self._content: tuple[Op, ...] = ()
        self._over: tuple[Op, ...] = ()
        self._frame: Image.Image | None = None
        self._frame_key: object = None

    def is_animating(self) -> bool:
        return self._handset.glass.is_moving(self._handset.now())

    def restart_caret(self) -> None:
        """Show the caret at once, as after each input event."""
        self._caret_since = self._handset.now()

    def take_screenshot(self) -> Image.Image:
        self._windows.list_windows()
        moving = self._handset.now() if self.is_animating() else None
        caret = self._is_caret_on() if self._windows.focused_field is not None else None
        key = (self._windows.key, caret, moving, self._current_toast(), self._handset.awake)
        if self._frame is None or key != self._frame_key:
            self._frame = self._draw_frame()
            self._frame_key = key
        return self._frame

    def list_drawing(self) -> None:
        """List what is to be drawn: the app's content, which transitions move, and what lies still over it.

        A switch that changed starts to move here, so this is called after each event, not only for a screenshot.
        """
        phone = self._handset
        self._content, self._over = compose_screen(
            self._windows.list_windows(),
            DrawingMoment(self._windows.focused_field, self._is_caret_on(), self._read_tween),
            Bars(phone.today(), phone.settings["global"], phone.battery_level, phone.charging, self._current_toast()),
            phone.size,
            wallpaper=self._apps.page.backdrop == "wallpaper",
            locked=phone.is_locked,
        )
        phone.glass.keep_drawn(self._content)

    def _is_caret_on(self) -> bool:
        return int((self._handset.now() - self._caret_since) / CARET_BLINK_S) % 2 == 0

    def _current_toast(self) -> str:
        toasts = self._handset.toasts
        return toasts[-1][1] if toasts and self._handset.now() - toasts[-1][0] < TOAST_S else ""

    def _read_tween(self, key: str, target: float) -> float:
        phone = self._handset
        return phone.glass.read_tween(f"{self._apps.front}/{key}", target, phone.now(), phone.animation_scale)

    def _draw_frame(self) -> Image.Image:
        phone = self._handset
        if not phone.awake:
            return Image.new("RGBA", phone.size, (0, 0, 0, 255))
        self.list_drawing()
        return phone.glass.draw_picture(self._content, self._over, phone.size, phone.now())
