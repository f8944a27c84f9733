"""Decodes, encodes, crops and shrinks frames. Leaves the meaning of a picture to others.

Every function is pure and never writes to a frame, so any thread may call any of them.
"""

import io
from typing import Literal

import numpy as np
import simplejpeg
import xxhash
from numpy.typing import NDArray
from PIL import Image

from deskhand.core.errors import BadFrame
from deskhand.core.geometry import Rect
from deskhand.core.screen import Frame

Order = Literal["RGBA", "BGRA"]

# A capture larger than this is damaged data: 16K × 4K is the most any display has.
MAX_PIXELS = 64_000_000
_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8\xff"
_BLACK = 8


# --- in ------------------------------------------------------------------------------------------------


def decode_frame(data: bytes, at: float = 0.0) -> Frame:
    """Return a frame from a PNG or JPEG; raise BadFrame if it is damaged or truncated."""
    if data.startswith(_JPEG):
        return freeze_frame(_decode_jpeg(data), "RGBA", at)
    if data.startswith(_PNG):
        return freeze_frame(_decode_png(data), "RGBA", at)
    start = data[:60].decode("ascii", "replace").strip()
    raise BadFrame(f"The device sent no picture but {len(data)} bytes that begin with {start!r}.")


def freeze_frame(pixels: NDArray[np.uint8], order: Order = "RGBA", at: float = 0.0, secure: bool = False) -> Frame:
    """Return a frame over pixels that are never written to again."""
    pixels.flags.writeable = False
    return Frame(pixels, order, at, secure)


def _decode_jpeg(data: bytes) -> NDArray[np.uint8]:
    try:
        height, width, _, _ = simplejpeg.decode_jpeg_header(data)
        _check_size(width, height)
        return simplejpeg.decode_jpeg(data, colorspace="RGBA")
    except ValueError as error:
        raise BadFrame(f"The picture is a damaged JPEG: {error}.") from None


def _decode_png(data: bytes) -> NDArray[np.uint8]:
    # Pillow reports damage with any of these, depending on the chunk reader that failed.
    try:
        with Image.open(io.BytesIO(data), formats=("PNG",)) as image:
            _check_size(*image.size)
            pixels = np.array(image.convert("RGBA"))
    except (OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError) as error:
        raise BadFrame(f"The picture is a damaged PNG: {error}.") from None
    pixels[..., 3] = 255
    return pixels


def _check_size(width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise BadFrame(f"The device sent a picture of {width}×{height}, which can't be a screen.")


# --- out -----------------------------------------------------------------------------------------------


def to_jpeg(frame: Frame, quality: int = 80) -> bytes:
    """Encode as JPEG: small and fast; text stays sharp because only colour is subsampled."""
    return simplejpeg.encode_jpeg(frame.pixels, quality, frame.order, "420", fastdct=True)


def to_png(frame: Frame) -> bytes:
    """Encode as PNG: lossless, and ten times slower than JPEG."""
    out = io.BytesIO()
    to_image(frame).save(out, "PNG", compress_level=1)
    return out.getvalue()


def to_image(frame: Frame) -> Image.Image:
    """Return a separate Pillow image in RGB."""
    return Image.frombytes("RGB", frame.size, frame.pixels.tobytes(), "raw", frame.order[:3] + "X")


def from_image(image: Image.Image, at: float = 0.0) -> Frame:
    return freeze_frame(np.array(image.convert("RGBA")), "RGBA", at)


# --- variants ------------------------------------------------------------------------------------------


def shrink_frame(frame: Frame, max_side: int = 1280, max_pixels: int = 1_200_000) -> Frame:
    """Return the frame itself if it is small enough, else a smoothly shrunk one."""
    shrink = min(1.0, max_side / max(frame.size), (max_pixels / (frame.width * frame.height)) ** 0.5)
    if shrink >= 1.0:
        return frame
    width, height = max(1, int(frame.width * shrink)), max(1, int(frame.height * shrink))
    # RGBX: Pillow would first multiply RGBA with its alpha, at three times the cost.
    source = Image.frombuffer("RGBX", frame.size, frame.pixels, "raw", "RGBX", 0, 1)
    small = source.resize((width, height), Image.Resampling.BICUBIC, reducing_gap=2.0)
    return freeze_frame(np.array(small), frame.order, frame.at, frame.secure)


def crop_frame(frame: Frame, box: Rect) -> Frame:
    """Return the part of the frame inside the box; raise ValueError if the box misses the frame."""
    inside = box.intersect_with(frame.bounds)
    if not inside.area:
        raise ValueError(f"{box} lies outside of a {frame.width}×{frame.height} frame")
    part = np.ascontiguousarray(frame.pixels[inside.top : inside.bottom, inside.left : inside.right])
    return freeze_frame(part, frame.order, frame.at, frame.secure)


def as_words(frame: Frame) -> NDArray[np.uint32]:
    """Return the same pixels as 32-bit words, one each, for comparisons."""
    return frame.pixels.view(np.uint32)[..., 0]


# --- facts ---------------------------------------------------------------------------------------------


def hash_pixels(frame: Frame) -> str:
    """Return a hash of exactly these pixels at this size."""
    return xxhash.xxh3_128_hexdigest(frame.pixels.data, seed=frame.width)


def is_black(frame: Frame) -> bool:
    """True if nothing is visible: the screen is off, or a window refuses to be captured."""
    flat = as_words(frame)
    first = flat[0, 0]
    if int(frame.pixels[0, 0, :3].max()) > _BLACK or not bool((flat[::16, ::16] == first).all()):
        return False
    return bool((flat == first).all())
