"""The state of Android beside the phone's body: files, properties, captures, gestures in flight."""

from __future__ import annotations

import asyncio
import struct
import time
import zlib
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from deskhand.clock import SystemClock
from deskhand.simphone.phone import Phone
from deskhand.simphone.shell.file_system import FileSystem
from deskhand.simphone.shell.reversed_ports import ReversedPorts

RGBA_8888 = 1
LOCALES = {"zh": "zh-CN", "en": "en-US"}
SRGB = 1


class AndroidSystem:
    """One phone's operating system; every shell of the phone shares it."""

    def __init__(self, phone: Phone) -> None:
        self.phone = phone
        self.clock = SystemClock()
        self.files = FileSystem()
        self.properties = properties_of(phone)
        self.capture = CapturedScreen(phone)
        self.reversed_ports = ReversedPorts()
        self.booted_at = time.time()
        self.battery = phone.battery_level, phone.charging
        self.size_override: tuple[int, int] | None = None
        self.density_override: int | None = None
        self._gestures: set[asyncio.Task[None]] = set()

    async def carry_out(self, gesture: Coroutine[Any, Any, None]) -> None:
        """Run a gesture to its end even if the shell that asked for it goes away.

        `input` only asks the system server, which finishes the gesture whatever becomes of the asker.
        """
        task = asyncio.ensure_future(gesture)
        self._gestures.add(task)
        task.add_done_callback(self._gestures.discard)
        await asyncio.shield(task)

    @property
    def locale(self) -> str:
        """Android's name for the language of the screens, which may change at any time."""
        return LOCALES[self.phone.locale]

    @property
    def has_gestures(self) -> bool:
        return bool(self._gestures)

    async def cancel_gestures(self) -> None:
        for task in list(self._gestures):
            task.cancel()
        await asyncio.gather(*self._gestures, return_exceptions=True)


class CapturedScreen:
    """The screen as bytes. Encoded away from the event loop, and only once for each picture."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._image: Image.Image | None = None
        self._raw: bytes | None = None
        self._png: asyncio.Future[bytes] | None = None

    def _refresh_image(self) -> Image.Image:
        image = self._phone.display.take_screenshot()
        if image is not self._image:
            self._image, self._raw, self._png = image, None, None
        return image

    def read_pixels(self) -> tuple[int, int, bytes]:
        """Return width, height and RGBA pixels."""
        image = self._refresh_image()
        if self._raw is None:
            self._raw = image.tobytes()
        return image.width, image.height, self._raw

    async def read_png(self) -> bytes:
        width, height, pixels = self.read_pixels()
        if self._png is None:
            self._png = asyncio.ensure_future(asyncio.to_thread(encode_png, width, height, pixels))
        return await asyncio.shield(self._png)


def make_screencap_header(width: int, height: int) -> bytes:
    """Return what `screencap` puts before the pixels since Android 10 (before, without a colour space)."""
    return struct.pack("<4I", width, height, RGBA_8888, SRGB)


def encode_png(width: int, height: int, pixels: bytes) -> bytes:
    """Return an RGBA PNG. zlib lets other threads run meanwhile, which Pillow's encoder does not."""
    rows = np.zeros((height, 1 + width * 4), dtype=np.uint8)
    rows[:, 1:] = np.frombuffer(pixels, dtype=np.uint8).reshape(height, width * 4)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.data, 1)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def properties_of(phone: Phone) -> dict[str, str]:
    """Return the properties that `getprop` shows."""
    lines = Path(__file__).with_name("build.prop").read_text(encoding="utf-8").splitlines()
    shared = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    return shared | {
        "ro.serialno": phone.serial_number,
        "ro.sf.lcd_density": str(phone.density),
        "ro.product.model": phone.model,
        "ro.build.version.release": phone.android_release,
        "ro.build.id": phone.build_id,
        "ro.build.display.id": phone.build_id,
        "ro.build.fingerprint": f"deskhand/simphone/simphone:{phone.android_release}/{phone.build_id}/1:user/keys",
        "ro.product.locale": LOCALES[phone.locale],
    }
