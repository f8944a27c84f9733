"""Differences are exact: no changed pixel is missed, no unchanged one is counted."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.geometry import Rect
from deskhand.core.screen import Frame
from deskhand.screen.diff import (
    TILE,
    change_between,
    find_changed_regions,
    find_detailed_tiles,
    grid_of,
    mask_of,
    measure_change,
    regions_of,
)
from tests.screen.pictures import noise, painted, plain

sizes = st.tuples(st.integers(1, 170), st.integers(1, 170))
points = st.sets(st.tuples(st.integers(0, 169), st.integers(0, 169)), max_size=12)


def speckled(size: tuple[int, int], where: set[tuple[int, int]]) -> tuple[Frame, Frame, set[tuple[int, int]]]:
    """A frame, the same with single pixels changed, and those that fell inside of it."""
    before = plain(*size)
    pixels = before.pixels.copy()
    hit = {(x, y) for x, y in where if x < size[0] and y < size[1]}
    for x, y in hit:
        pixels[y, x, 0] ^= 1
    return before, Frame(pixels), hit


@given(sizes, points)
def test_every_changed_pixel_counts_once(size: tuple[int, int], where: set[tuple[int, int]]) -> None:
    before, after, hit = speckled(size, where)
    for fraction in (measure_change(before, after), change_between(before, after).fraction):
        assert round(fraction * size[0] * size[1]) == len(hit)


@given(sizes, points)
def test_a_tile_is_marked_exactly_when_a_pixel_in_it_changed(
    size: tuple[int, int], where: set[tuple[int, int]]
) -> None:
    before, after, hit = speckled(size, where)
    mask = change_between(before, after).tiles
    assert mask.shape == grid_of(size)
    assert {(int(r), int(c)) for r, c in np.argwhere(mask)} == {(y // TILE, x // TILE) for x, y in hit}


@given(sizes, points)
def test_regions_cover_all_changes_are_tight_and_don_t_overlap(
    size: tuple[int, int], where: set[tuple[int, int]]
) -> None:
    before, after, hit = speckled(size, where)
    boxes = find_changed_regions(before, after)
    assert all(any(box.contains_point(x, y) for box in boxes) for x, y in hit)
    for number, box in enumerate(boxes):
        inside = [(x, y) for x, y in hit if box.contains_point(x, y)]
        assert box.left == min(x for x, _ in inside)
        assert box.bottom == max(y for _, y in inside) + 1
        assert not any(box.intersect_with(other).area for other in boxes[number + 1 :])


@given(sizes, points)
def test_differences_are_the_same_both_ways(size: tuple[int, int], where: set[tuple[int, int]]) -> None:
    before, after, _ = speckled(size, where)
    assert measure_change(before, after) == measure_change(after, before)
    assert find_changed_regions(before, after) == find_changed_regions(after, before)


@given(sizes, sizes)
def test_another_size_is_another_picture(a: tuple[int, int], b: tuple[int, int]) -> None:
    one, two = plain(*a), plain(*b)
    assert measure_change(one, two) == change_between(one, two).fraction == (0.0 if a == b else 1.0)
    assert bool(change_between(one, two).tiles.all()) == (a != b)
    assert bool(find_changed_regions(one, two)) == (a != b)


def test_large_frames_are_compared_to_the_last_pixel() -> None:
    frame = noise(1080, 2400)
    assert measure_change(frame, painted(frame, 1079, 2399, 1080, 2400, 255)) > 0
    assert find_changed_regions(frame, painted(frame, 0, 0, 1, 1, 255))[0] == Rect(0, 0, 1, 1)


def test_channel_order_is_no_difference() -> None:
    frame = noise()
    swapped = Frame(np.ascontiguousarray(frame.pixels[..., [2, 1, 0, 3]]), "BGRA")
    assert measure_change(frame, swapped) == 0
    assert not change_between(frame, swapped).tiles.any()


def test_far_changes_are_regions_of_their_own_and_near_ones_are_joined() -> None:
    frame = plain(400, 400)
    near = painted(painted(frame, 10, 10, 20, 20), 60, 10, 70, 20)
    far = painted(painted(frame, 10, 10, 20, 20), 300, 300, 310, 310)
    assert find_changed_regions(frame, near) == (Rect(10, 10, 70, 20),)
    assert find_changed_regions(frame, far) == (Rect(10, 10, 20, 20), Rect(300, 300, 310, 310))


def test_masked_tiles_are_not_reported() -> None:
    frame = plain(400, 400)
    changed = painted(painted(frame, 10, 10, 20, 20), 300, 300, 310, 310)
    ignore = mask_of([Rect(0, 0, 30, 30)], frame.size)
    assert find_changed_regions(frame, changed, ignore) == (Rect(300, 300, 310, 310),)
    assert change_between(frame, changed).share_of(~ignore) == 100 / 160_000


def test_text_is_detail_and_boxes_are_not() -> None:
    frame = plain(200, 120)
    assert not find_detailed_tiles(painted(frame, 50, 50, 150, 100)).any()
    assert find_detailed_tiles(noise(200, 120)).all()


def test_no_tiles_are_no_regions() -> None:
    assert regions_of(np.zeros((3, 3), np.bool_), (120, 120)) == ()
