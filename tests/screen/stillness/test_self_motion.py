"""What moves on its own is learned and forgotten: for how long, and from how much of the screen."""

import numpy as np
import pytest

from deskhand.core.screen import Frame
from deskhand.screen.diff import Tiles, change_between, grid_of
from deskhand.screen.stillness.self_motion import SelfMotion
from tests.screen.pictures import noise, painted

PAGE = noise(400, 800)


def learn_to_and_fro(bottom: int) -> SelfMotion:
    """The top of the page is seen to go dark and to come back, a second each."""
    movers = SelfMotion()
    frames = [Frame(PAGE.pixels, at=0.0), darkened(bottom, 1.0), Frame(PAGE.pixels, at=2.0)]
    movers.learn_idle(frames[0], frames[1])
    movers.learn_idle(frames[1], frames[2])
    return movers


def darkened(bottom: int, at: float) -> Frame:
    return painted(PAGE, 0, 0, 400, bottom, at=at)


def tiles_from_the_top(rows: int, columns: int) -> Tiles:
    tiles = np.zeros(grid_of(PAGE.size), np.bool_)
    tiles[:rows, :columns] = True
    return tiles


@pytest.mark.parametrize(("pause", "remembered"), [(60, True), (120, False)])
def test_a_clock_s_minute_is_remembered_and_no_more(pause: float, remembered: bool) -> None:
    movers = learn_to_and_fro(40)
    unexplained = movers.find_unexplained(change_between(PAGE, darkened(40, 2.0 + pause)))
    assert unexplained.any() != remembered


@pytest.mark.parametrize(("rows", "habit"), [(4, True), (8, False)])
def test_what_changes_much_of_the_screen_twice_is_no_habit_yet(rows: int, habit: bool) -> None:
    movers = learn_to_and_fro(40 * rows)
    unexplained = movers.find_unexplained(change_between(PAGE, darkened(40 * rows, 3.0)))
    assert unexplained.any() != habit


@pytest.mark.parametrize(("rows", "kept"), [(3, True), (6, False)])
def test_only_a_large_film_is_left_behind_with_its_page(rows: int, kept: bool) -> None:
    movers = SelfMotion()
    movers.learn_ceaseless(PAGE, tiles_from_the_top(rows, 5))
    movers.forget_page()
    assert bool(movers.list_habits()) == kept


@pytest.mark.parametrize(("sides", "kept"), [(0, True), (1, False)], ids=["above and below", "and beside it"])
def test_a_spinner_is_over_when_nearly_all_around_it_was_replaced(sides: int, kept: bool) -> None:
    movers, spinner = SelfMotion(), tiles_from_the_top(0, 0)
    spinner[4, 4] = True
    movers.learn_ceaseless(PAGE, spinner)
    after = painted(painted(PAGE, 120, 120, 240, 160), 120, 200, 240, 240)
    movers.apply_action(change_between(PAGE, painted(after, 120, 160, 120 + 40 * sides, 200)))
    assert bool(movers.list_habits()) == kept
