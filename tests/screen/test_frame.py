"""Frames come in whole or not at all, and go out without being changed."""

import io
import struct
import zlib
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from deskhand.core.errors import BadFrame
from deskhand.core.geometry import Rect
from deskhand.core.screen import Frame
from deskhand.screen.diff import measure_change
from deskhand.screen.frame import (
    crop_frame,
    decode_frame,
    from_image,
    hash_pixels,
    is_black,
    shrink_frame,
    to_image,
    to_jpeg,
    to_png,
)
from tests.screen.pictures import noise, painted, plain


def test_a_png_comes_back_pixel_for_pixel() -> None:
    frame = noise()
    assert measure_change(frame, decode_frame(to_png(frame))) == 0


def test_a_jpeg_keeps_size_and_look() -> None:
    frame = painted(plain(), 20, 20, 90, 90)
    back = decode_frame(to_jpeg(frame), at=4.5)
    assert back.size == frame.size
    assert back.at == 4.5
    assert np.abs(back.pixels.astype(int) - frame.pixels).mean() < 3


def test_channel_order_survives_encoding() -> None:
    blue = np.zeros((40, 40, 4), np.uint8)
    blue[...] = (250, 0, 0, 255)
    for encode in (to_png, to_jpeg):
        pixel = decode_frame(encode(Frame(blue, "BGRA"))).pixels[20, 20]
        assert int(pixel[2]) > 240
        assert int(pixel[0]) < 15
    assert to_image(Frame(blue, "BGRA")).getpixel((5, 5)) == (0, 0, 250)


def test_a_decoded_frame_can_t_be_written() -> None:
    assert not decode_frame(to_png(noise())).pixels.flags.writeable


def test_a_png_that_says_it_is_gigantic_is_refused_before_it_is_unpacked() -> None:
    out = io.BytesIO()
    Image.new("1", (8, 8)).save(out, "PNG")
    data = bytearray(out.getvalue())
    data[16:24] = struct.pack(">II", 40_000, 40_000)
    data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
    with pytest.raises(BadFrame, match=r"can't be a screen|damaged"):
        decode_frame(bytes(data))


def test_words_instead_of_a_picture_are_quoted() -> None:
    with pytest.raises(BadFrame, match="error: device offline"):
        decode_frame(b"error: device offline")
    with pytest.raises(BadFrame, match="0 bytes"):
        decode_frame(b"")


@given(st.sampled_from([to_png, to_jpeg]), st.floats(0, 0.99))
def test_a_truncated_picture_is_a_bad_frame(encode: object, share: float) -> None:
    data = encode(noise(64, 48))  # type: ignore[operator]  # one of the two encoders above
    with pytest.raises(BadFrame):
        decode_frame(data[: int(len(data) * share)])


@given(st.sampled_from([to_png, to_jpeg]), st.integers(0, 2**32), st.binary(min_size=1, max_size=40))
def test_a_damaged_picture_gives_a_frame_or_a_typed_error(encode: object, place: int, junk: bytes) -> None:
    data = bytearray(encode(noise(32, 24)))  # type: ignore[operator]  # one of the two encoders above
    start = place % len(data)
    data[start : start + len(junk)] = junk
    with suppress(BadFrame):
        assert decode_frame(bytes(data)).pixels.shape[2] == 4


def test_a_large_frame_is_shrunk_to_its_longest_side() -> None:
    small = shrink_frame(noise(1920, 1080), max_side=1000)
    assert small.size == (1000, 562)
    assert small.pixels.flags.c_contiguous


def test_a_small_frame_is_not_touched() -> None:
    frame = noise()
    assert shrink_frame(frame) is frame


@given(st.integers(1, 1500), st.integers(1, 1500))
def test_bounded_frames_keep_their_promise(width: int, height: int) -> None:
    small = shrink_frame(plain(width, height), max_side=300, max_pixels=40_000)
    assert max(small.size) <= 300
    assert small.width * small.height <= 40_000
    assert min(small.size) >= 1


def test_crops_stay_inside_of_the_frame() -> None:
    frame = noise()
    part = crop_frame(frame, Rect(-10, -10, 30, 20))
    assert part.size == (30, 20)
    assert part.pixels.flags.c_contiguous
    with pytest.raises(ValueError, match="outside"):
        crop_frame(frame, Rect(500, 500, 600, 600))


def test_a_digest_names_pixels_and_size() -> None:
    frame = noise(120, 60)
    assert hash_pixels(frame) == hash_pixels(decode_frame(to_png(frame)))
    assert hash_pixels(frame) != hash_pixels(painted(frame, 3, 3, 4, 4))
    assert hash_pixels(plain(120, 60)) != hash_pixels(plain(60, 120))


def test_black_frames_are_told() -> None:
    assert is_black(plain(shade=0))
    assert not is_black(plain(shade=0xF0))
    assert not is_black(painted(plain(shade=0), 199, 119, 200, 120, shade=90))


def test_a_pillow_picture_becomes_a_frame() -> None:
    assert from_image(Image.new("L", (30, 20), 9)).pixels[0, 0].tolist() == [9, 9, 9, 255]
