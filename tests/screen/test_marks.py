"""Marks name what can be touched, where it is."""

from deskhand.core.geometry import Rect
from deskhand.core.screen import Element
from deskhand.screen.diff import measure_change
from deskhand.screen.frame import crop_frame
from deskhand.screen.marks import draw_marks
from tests.screen.pictures import plain


def button(index: int, bounds: Rect, clickable: bool = True) -> Element:
    return Element(index, "button", bounds, f"button {index}", clickable=clickable)


def test_numbers_are_those_of_the_list_and_leave_out_what_can_t_be_touched() -> None:
    elements = [
        button(0, Rect(10, 10, 60, 40), clickable=False),
        button(1, Rect(100, 10, 180, 60)),
        button(2, Rect(-50, -50, -10, -10)),
        Element(3, "text", Rect(10, 100, 90, 130), "read", source="ocr"),
    ]
    marked = draw_marks(plain(200, 200), elements)
    assert {number: element.index for number, element in marked.marks.items()} == {1: 1, 3: 3}
    assert len(draw_marks(plain(200, 200), elements, only_clickable=False).marks) == 3


def test_only_boxes_and_numbers_are_drawn() -> None:
    frame = plain(400, 400)
    marked = draw_marks(frame, [button(0, Rect(100, 100, 300, 300))])
    assert marked.frame.size == frame.size
    inside, outside = Rect(140, 140, 290, 290), Rect(0, 0, 95, 400)
    assert measure_change(crop_frame(frame, inside), crop_frame(marked.frame, inside)) == 0
    assert measure_change(crop_frame(frame, outside), crop_frame(marked.frame, outside)) == 0
    assert measure_change(frame, marked.frame) > 0


def test_marks_at_the_edge_stay_on_the_picture() -> None:
    crowd = [button(n, Rect(380, 380, 420, 420)) for n in range(12)]
    assert len(draw_marks(plain(400, 400), crowd).marks) == 12
