"""What is covered can't be seen, and nothing else changes."""

from dataclasses import replace

import numpy as np

from deskhand.core.geometry import Rect
from deskhand.core.screen import Frame
from deskhand.screen.redact import MARGIN, cover_boxes, make_blank


def noise(width: int = 60, height: int = 40) -> Frame:
    pixels = np.random.default_rng(1).integers(0, 255, (height, width, 4), np.uint8)
    pixels[..., 3] = 255
    return Frame(pixels, "BGRA", at=5.0)


def test_a_box_is_painted_over_with_a_margin_and_the_rest_stays() -> None:
    frame = noise()
    shown = cover_boxes(frame, [Rect(20, 10, 30, 20)])
    box = shown.pixels[10 - MARGIN : 20 + MARGIN, 20 - MARGIN : 30 + MARGIN, :3]
    assert np.unique(box).size == 1
    assert np.array_equal(shown.pixels[:, : 20 - MARGIN], frame.pixels[:, : 20 - MARGIN])
    assert (shown.order, shown.at, shown.size) == (frame.order, frame.at, frame.size)
    assert not shown.pixels.flags.writeable


def test_letters_that_reach_beyond_their_box_are_covered_too() -> None:
    shown = cover_boxes(noise(), [Rect(20, 10, 30, 20)])
    assert np.unique(shown.pixels[6:24, 16:34, :3]).size == 1


def test_a_secure_screen_stays_one() -> None:
    secure = replace(noise(), secure=True)
    assert cover_boxes(secure, [Rect(20, 10, 30, 20)]).secure
    assert make_blank(secure).secure


def test_the_frame_itself_is_not_written_to() -> None:
    frame = noise()
    before = frame.pixels.copy()
    cover_boxes(frame, [Rect(0, 0, 60, 40)])
    make_blank(frame)
    assert np.array_equal(frame.pixels, before)


def test_boxes_beyond_the_edge_are_cut_and_empty_ones_cover_nothing() -> None:
    frame = noise()
    assert cover_boxes(frame, [Rect(100, 100, 120, 120), Rect(5, 5, 5, 9)]) is frame
    assert np.unique(cover_boxes(frame, [Rect(-50, -50, 500, 500)]).pixels[..., :3]).size == 1


def test_a_blank_picture_shows_nothing_at_the_same_size() -> None:
    shown = make_blank(noise())
    assert shown.size == (60, 40)
    assert np.unique(shown.pixels[..., :3]).size == 1
