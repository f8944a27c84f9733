"""A queued point is good while it is on the screen and its neighbourhood looks as it did when it was chosen."""

import numpy as np
import pytest

from deskhand.core.actions import Action, Back, Click, Drag
from deskhand.core.errors import NotPossible
from deskhand.core.geometry import Rect
from deskhand.core.screen import Frame
from deskhand.engine.observer import PATCH, check_possible, has_moved_away

WIDTH, HEIGHT = 600, 400
AIM = Click(x=300, y=200)
SIDE = 2 * PATCH


def painted(*boxes: Rect, size: tuple[int, int] = (WIDTH, HEIGHT)) -> Frame:
    pixels = np.full((size[1], size[0], 4), 255, np.uint8)
    for box in boxes:
        pixels[box.top : box.bottom, box.left : box.right, :3] = 0
    return Frame(pixels)


def strip(share: float) -> Rect:
    """Return a box over this share of the neighbourhood of the point, from its upper edge."""
    return Rect(AIM.x - PATCH, AIM.y - PATCH, AIM.x + PATCH, AIM.y - PATCH + round(share * SIDE))


@pytest.mark.parametrize(("share", "moved"), [(0.0, False), (0.05, False), (0.2, True), (0.5, True), (1.0, True)])
def test_a_tenth_of_the_neighbourhood_may_change(share: float, moved: bool) -> None:
    assert has_moved_away(AIM, painted(), painted(strip(share))) is moved


def test_what_changes_elsewhere_does_not_matter() -> None:
    beside = Rect(AIM.x + PATCH, 0, WIDTH, HEIGHT)
    assert not has_moved_away(AIM, painted(), painted(beside))
    assert not has_moved_away(Back(), painted(), painted(Rect(0, 0, WIDTH, HEIGHT)))


def test_both_ends_of_a_drag_count() -> None:
    drag = Drag(x=80, y=200, to_x=AIM.x, to_y=AIM.y)
    assert has_moved_away(drag, painted(), painted(strip(0.5)))


def test_a_screen_of_another_size_has_moved() -> None:
    assert has_moved_away(AIM, painted(), painted(size=(WIDTH, HEIGHT + 1)))


@pytest.mark.parametrize("action", [Click(x=WIDTH, y=0), Click(x=0, y=HEIGHT), Drag(x=0, y=0, to_x=WIDTH, to_y=0)])
def test_a_point_has_to_be_on_the_screen(action: Action) -> None:
    check_possible(Click(x=WIDTH - 1, y=HEIGHT - 1), frozenset({"click"}), painted())
    with pytest.raises(NotPossible, match="outside of the screen, which is 600×400"):
        check_possible(action, frozenset({action.kind}), painted())


def test_a_device_is_asked_only_for_what_it_can_do() -> None:
    with pytest.raises(NotPossible, match="can't click; it can: back, drag"):
        check_possible(AIM, frozenset({"drag", "back"}), painted())
