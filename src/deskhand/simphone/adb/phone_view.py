"""A page on the phone's own port that shows its screen live and passes touches, keys and text on.

Who has the page's address has the phone: its key is in the part after `#`, which no browser sends anywhere, and every
request has to bring it in a header, which no page of another site can set.
"""

from __future__ import annotations

import asyncio
import io
import json
import secrets
from pathlib import Path
from typing import Any, cast

from PIL import Image

from deskhand.simphone.adb.http_control import HttpAnswer, HttpRequest, answer_json
from deskhand.simphone.phone import Phone
from deskhand.simphone.shell.android_system import AndroidSystem

PAGE = Path(__file__).with_name("phone_view.html")
WAIT_S = 15.0
LOOK_EVERY_S = 0.05
PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
}


class PhoneView:
    """Answers the page and its requests. Pictures have numbers, so that a page waits for the next one."""

    def __init__(self, system: AndroidSystem) -> None:
        self.key = secrets.token_urlsafe(18)
        self._phone: Phone = system.phone
        self._clock = system.clock
        self._shown: Image.Image | None = None
        self._number = 0

    async def answer_view(self, request: HttpRequest) -> HttpAnswer | None:
        """Return the answer; None if the request is for somebody else."""
        if (request.method, request.path) == ("GET", "/view"):
            return HttpAnswer("200 OK", PAGE.read_bytes(), "text/html; charset=utf-8", PAGE_HEADERS)
        path, _, query = request.path.partition("?")
        if not path.startswith("/view/"):
            return None
        if not secrets.compare_digest(request.headers.get("x-key", "").encode(), self.key.encode()):
            return answer_json("403 Forbidden", {"error": "open the page by the address that the phone has printed"})
        if (request.method, path) == ("GET", "/view/screen"):
            return await self._wait_for_picture(query)
        if (request.method, path) == ("POST", "/view/input"):
            return self._take_input(request.body)
        return answer_json("404 Not Found", {"error": f"no {request.method} {path}"})

    async def _wait_for_picture(self, query: str) -> HttpAnswer:
        """Return the screen when it looks different from the picture with the number that the page has."""
        seen = query.removeprefix("after=")
        deadline = self._clock.now() + WAIT_S
        while (number := self._look_at_screen()) == (int(seen) if seen.isdecimal() else 0):
            if self._clock.now() >= deadline:
                return HttpAnswer("204 No Content")
            await self._clock.sleep(LOOK_EVERY_S)
        assert self._shown is not None
        picture = await asyncio.to_thread(_encode_jpeg, self._shown)
        return HttpAnswer("200 OK", picture, "image/jpeg", {"X-Number": str(number)})

    def _look_at_screen(self) -> int:
        picture = self._phone.display.take_screenshot()
        if picture is not self._shown:
            self._shown = picture
            self._number += 1
        return self._number

    def _take_input(self, body: bytes) -> HttpAnswer:
        try:
            said: Any = json.loads(body)
        except ValueError:
            said = None
        if not isinstance(said, dict) or not self._pass_input(cast("dict[str, Any]", said)):
            return answer_json("400 Bad Request", {"error": "send a touch (kind, x, y), a key or a text"})
        return answer_json("200 OK", {})

    def _pass_input(self, said: dict[str, Any]) -> bool:
        hand = self._phone.input
        match said:
            case {"kind": ("down" | "move" | "up" | "cancel") as kind, "x": int() | float(), "y": int() | float()}:
                width, height = self._phone.size
                x, y = min(max(said["x"], 0), width - 1), min(max(said["y"], 0), height - 1)
                {"down": hand.touch_down, "move": hand.touch_move, "up": hand.touch_up, "cancel": hand.touch_cancel}[
                    kind
                ](x, y)
            case {"key": int(code)}:
                hand.press_key(code)
            case {"text": str(text)}:
                hand.type_text(text)
            case _:
                return False
        return True


def _encode_jpeg(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.convert("RGB").save(out, "JPEG", quality=80)
    return out.getvalue()
