"""Pictures of a phone's screen: three ways to get one, the fastest of which is found once and kept."""

import asyncio
import io
import struct
import zlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Literal, NoReturn

import numpy as np

from deskhand.core.errors import BadFrame
from deskhand.core.protocols import Clock
from deskhand.core.screen import Frame
from deskhand.devices.android.adb.client import trouble_of
from deskhand.devices.android.phone_shell import Line

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
Way = Literal["raw", "gzip", "png"]
WAYS: tuple[Way, ...] = ("raw", "gzip", "png")
PATIENCE_S = 0.05


class Capture:
    """Takes pictures of one phone. `way` is how, once it is known."""

    def __init__(self, line: Line, clock: Clock, way: Way | None = None) -> None:
        self._line = line
        self._clock = clock
        self._choosing = asyncio.Lock()
        self._ways: dict[Way, Callable[[], Awaitable[Picture]]] = {
            "raw": self._raw,
            "gzip": self._gzip,
            "png": self._png,
        }
        self.way: Way | None = way

    async def frame(self) -> Frame:
        """A picture of now; raises BadFrame when what came is not whole."""
        async with self._line.adb.pictures:
            at = self._clock.now()
            if self.way is None:
                async with self._choosing:
                    pixels, order = await self._choose() if self.way is None else await self._ways[self.way]()
            else:
                pixels, order = await self._ways[self.way]()
        pixels.setflags(write=False)
        return Frame(pixels, order, at, secure=is_black(pixels))

    async def _choose(self) -> Picture:
        """Time each way and keep the fastest, after a second look at any that beats raw.

        The first capture of all is often slow (the phone redraws, an encoder wakes), which would speak against raw.
        """
        times: dict[Way, float] = {}
        taken: list[Picture] = []
        for way in WAYS:
            await self._time(way, times, taken)
        if (best := _fastest(times)) != "raw":
            for way in ("raw", best, "raw"):
                await self._time(way, times, taken)
        self.way = _fastest(times)
        return taken[-1]

    async def _time(self, way: Way, times: dict[Way, float], taken: list[Picture]) -> None:
        """Take one picture; given up when it takes longer than the best way so far."""
        began = self._clock.now()
        try:
            async with asyncio.timeout(max(PATIENCE_S, min(times.values())) if times else None):
                taken.append(await self._ways[way]())
        except TimeoutError:
            return
        except BadFrame:
            if way == WAYS[-1] and not taken:
                raise
            return
        times[way] = min(self._clock.now() - began, times.get(way, CAPTURE_S))

    async def _raw(self) -> Picture:
        """Straight into the picture's own memory: the transfer is all the time it takes."""
        async with self._line.adb.stream(self._line.serial, "exec:screencap 2>/dev/null", CAPTURE_S) as wire:
            head = bytearray(HEADER_SIZES[0])
            if await wire.fill(memoryview(head)) < len(head):
                await self._explain("nothing came, as when the window in front forbids pictures")
            size = pixel_bytes(head)
            buffer = np.empty(len(head) + size, np.uint8)
            buffer[: len(head)] = head
            got = len(head) + await wire.fill(buffer.data[len(head) :])
        if got - size not in HEADER_SIZES:
            await self._explain(f"{got} bytes came for {size} bytes of pixels")
        return read_raw(buffer[:got])

    async def _gzip(self) -> Picture:
        packed = await self._line.adb.exec_out(self._line.serial, "screencap 2>/dev/null | gzip -1", CAPTURE_S)
        return await asyncio.to_thread(read_gzip, packed)

    async def _png(self) -> Picture:
        data = await self._line.adb.exec_out(self._line.serial, "screencap -p 2>/dev/null", CAPTURE_S)
        return await asyncio.to_thread(read_png, data)

    async def _explain(self, what: str) -> NoReturn:
        """A picture that broke off is often a phone that went away: say that instead."""
        state = await self._line.adb.state(self._line.serial)
        if state != "device":
            raise trouble_of(self._line.serial, state)
        raise BadFrame(f"The phone {self._line.serial} gave no whole picture: {what}.")


def _fastest(times: dict[Way, float]) -> Way:
    return min(times, key=lambda way: times[way])


def pixel_bytes(data: bytes | bytearray) -> int:
    """How many bytes of pixels follow `screencap`'s header; raises BadFrame when it is none."""
    width, height, pixel_format = HEADER.unpack_from(data)
    if not (0 < width <= SIDE_LIMIT and 0 < height <= SIDE_LIMIT):
        raise BadFrame("The phone's picture does not start with its size.")
    if pixel_format not in ORDERS:
        raise BadFrame(f"The phone's raw picture has pixels of a kind ({pixel_format}) that is not supported.")
    return width * height * 4


def read_raw(data: "NDArray[np.uint8]") -> Picture:
    """A whole raw capture, viewed and not copied."""
    if len(data) < HEADER_SIZES[0]:
        raise BadFrame(f"The phone's picture is only {len(data)} bytes long.")
    head = data[: HEADER_SIZES[0]].tobytes()
    size = pixel_bytes(head)
    if len(data) - size not in HEADER_SIZES:
        raise BadFrame(f"The phone's picture is not whole: {len(data)} bytes came for {size} bytes of pixels.")
    width, height, pixel_format = HEADER.unpack_from(head)
    return data[len(data) - size :].reshape(height, width, 4), ORDERS[pixel_format]


def read_gzip(packed: bytes) -> Picture:
    try:
        data = zlib.decompress(packed, GZIP)
    except zlib.error as error:
        raise BadFrame(f"The phone's packed picture is damaged: {error}.") from None
    return read_raw(np.frombuffer(data, np.uint8))


def read_png(data: bytes) -> Picture:
    from PIL import Image  # only phones whose raw capture is slower pay for it

    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            return np.array(image.convert("RGBA"), np.uint8), "RGBA"
    except (OSError, SyntaxError, ValueError) as error:
        raise BadFrame(f"The phone's PNG picture is damaged: {error}.") from None


def is_black(pixels: "NDArray[np.uint8]") -> bool:
    """Whether nothing is to be seen between the bars at the top and bottom, which stay visible over secure windows.

    A few samples settle it for nearly every picture; only a dark one is read in full.
    """
    edge = pixels.shape[0] // EDGE
    middle = pixels[edge : pixels.shape[0] - edge]
    if middle[::SAMPLE, ::SAMPLE, :3].any():
        return False
    return not middle[:, :, :3].any()
