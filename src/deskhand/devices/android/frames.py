"""Captures a phone's screen by the fastest of three methods, which is measured once and kept."""

import asyncio
import contextlib
import io
import struct
import zlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal, NoReturn

import numpy as np

from deskhand.core.errors import BadFrame
from deskhand.core.protocols import Clock
from deskhand.core.screen import Frame
from deskhand.devices.android.adb.client import fault_of
from deskhand.devices.android.phone_shell import PhoneShell

if TYPE_CHECKING:
    from numpy.typing import NDArray

CAPTURE_S = 20.0
HEADER = struct.Struct("<3I")
# Android 9 and later put the colour space after width, height and pixel format.
HEADER_SIZES = (16, 12)
SIDE_LIMIT = 16_384
ORDERS: dict[int, Literal["RGBA", "BGRA"]] = {1: "RGBA", 2: "RGBA", 5: "BGRA"}
GZIP = 31
SAMPLE = 16
EDGE = 12

Picture = tuple["NDArray[np.uint8]", Literal["RGBA", "BGRA"]]
CaptureMethod = Literal["raw", "gzip", "png"]
METHODS: tuple[CaptureMethod, ...] = ("raw", "gzip", "png")
PATIENCE_S = 0.05


class ScreenCapture:
    """Takes frames of one phone. `method` is None until the first frame."""

    def __init__(self, shell: PhoneShell, clock: Clock, method: CaptureMethod | None = None) -> None:
        self._shell = shell
        self._clock = clock
        self._choosing = asyncio.Lock()
        self._captures: dict[CaptureMethod, Callable[[], Awaitable[Picture]]] = {
            "raw": self._capture_raw, "gzip": self._capture_gzip, "png": self._capture_png,
        }  # fmt: skip
        self.method: CaptureMethod | None = method

    async def take_frame(self) -> Frame:
        """Capture a frame; raises BadFrame if the picture is incomplete."""
        async with self._shell.adb.pictures:
            at = self._clock.now()
            async with self._choosing if self.method is None else contextlib.nullcontext():
                capture = self._captures[self.method] if self.method else self._choose_method
                try:
                    pixels, order = await self._shell.look_again(capture)
                except BadFrame:  # a line that broke in the middle of a picture may be back before we ask
                    pixels, order = await self._shell.look_again(capture)
        pixels.setflags(write=False)
        return Frame(pixels, order, at, secure=is_black(pixels))

    async def _choose_method(self) -> Picture:
        """Time each method and keep the fastest; one that beats raw is timed against it again.

        The very first capture is often slow (the phone redraws, an encoder wakes up), which would count against raw.
        """
        times: dict[CaptureMethod, float] = {}
        taken: list[Picture] = []
        for method in METHODS:
            await self._time_method(method, times, taken)
        if (best := min(times, key=times.__getitem__)) != "raw":
            for method in ("raw", best, "raw"):
                await self._time_method(method, times, taken)
        self.method = min(times, key=times.__getitem__)
        return taken[-1]

    async def _time_method(
        self, method: CaptureMethod, times: dict[CaptureMethod, float], taken: list[Picture]
    ) -> None:
        """Take one picture; give up if it takes longer than the best method so far."""
        began = self._clock.now()
        try:
            async with asyncio.timeout(max(PATIENCE_S, min(times.values())) if times else None):
                taken.append(await self._captures[method]())
        except TimeoutError:
            return
        except BadFrame:
            if method == METHODS[-1] and not taken:
                raise
            return
        times[method] = min(self._clock.now() - began, times.get(method, CAPTURE_S))

    async def _capture_raw(self) -> Picture:
        """Receive straight into the picture's own memory, so that only the transfer takes time."""
        async with self._shell.adb.open_stream(self._shell.serial, "exec:screencap 2>/dev/null", CAPTURE_S) as socket:
            head = bytearray(HEADER_SIZES[0])
            if await socket.read_into(memoryview(head)) < len(head):
                await self._raise_bad_frame("it was empty; the window in front may forbid screenshots")
            size = count_pixel_bytes(head)
            buffer = np.empty(len(head) + size, np.uint8)
            buffer[: len(head)] = head
            got = len(head) + await socket.read_into(buffer.data[len(head) :])
        if got - size not in HEADER_SIZES:
            await self._raise_bad_frame(f"{got} bytes arrived for {size} bytes of pixels")
        return decode_raw(buffer[:got])

    async def _capture_gzip(self) -> Picture:
        packed = await self._shell.adb.run_exec(self._shell.serial, "screencap 2>/dev/null | gzip -1", CAPTURE_S)
        return await asyncio.to_thread(decode_gzip, packed)

    async def _capture_png(self) -> Picture:
        data = await self._shell.adb.run_exec(self._shell.serial, "screencap -p 2>/dev/null", CAPTURE_S)
        return await asyncio.to_thread(decode_png, data)

    async def _raise_bad_frame(self, what: str) -> NoReturn:
        """Raise BadFrame, or the fault of the phone's state: a phone that disconnects cuts its picture short."""
        state = await self._shell.adb.read_state(self._shell.serial)
        if state != "device":
            raise fault_of(self._shell.serial, state)
        raise BadFrame(f"The screenshot of the phone {self._shell.serial} is incomplete: {what}.")


def count_pixel_bytes(data: bytes | bytearray) -> int:
    """Return how many bytes of pixels follow `screencap`'s header; raises BadFrame if the header is invalid."""
    width, height, pixel_format = HEADER.unpack_from(data)
    if not (0 < width <= SIDE_LIMIT and 0 < height <= SIDE_LIMIT):
        raise BadFrame("The phone's screenshot does not start with its size.")
    if pixel_format not in ORDERS:
        raise BadFrame(f"The phone's raw screenshot has the unsupported pixel format {pixel_format}.")
    return width * height * 4


def decode_raw(data: "NDArray[np.uint8]") -> Picture:
    """Return the pixels of a raw capture as a view, not a copy."""
    if len(data) < HEADER_SIZES[0]:
        raise BadFrame(f"The phone's screenshot is only {len(data)} bytes long.")
    head = data[: HEADER_SIZES[0]].tobytes()
    size = count_pixel_bytes(head)
    if len(data) - size not in HEADER_SIZES:
        raise BadFrame(f"The phone's screenshot is incomplete: {len(data)} bytes for {size} bytes of pixels.")
    width, height, pixel_format = HEADER.unpack_from(head)
    return data[len(data) - size :].reshape(height, width, 4), ORDERS[pixel_format]


def decode_gzip(packed: bytes) -> Picture:
    try:
        data = zlib.decompress(packed, GZIP)
    except zlib.error as error:
        raise BadFrame(f"The phone's gzip screenshot is damaged: {error}.") from None
    return decode_raw(np.frombuffer(data, np.uint8))


def decode_png(data: bytes) -> Picture:
    from PIL import Image  # imported only for phones whose raw capture is slower

    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            return np.array(image.convert("RGBA"), np.uint8), "RGBA"
    except (OSError, SyntaxError, ValueError) as error:
        raise BadFrame(f"The phone's PNG screenshot is damaged: {error}.") from None


def is_black(pixels: "NDArray[np.uint8]") -> bool:
    """True if all is black between the bars at the top and bottom, which stay visible over secure windows.

    A few samples decide it for nearly every picture; only a dark one is read in full.
    """
    edge = pixels.shape[0] // EDGE
    middle = pixels[edge : pixels.shape[0] - edge]
    if middle[::SAMPLE, ::SAMPLE, :3].any():
        return False
    return not middle[:, :, :3].any()
