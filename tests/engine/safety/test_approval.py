"""A yes holds while what it was said to stands there unchanged, and no longer."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from deskhand.core.actions import Action, Click, Hotkey
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element, Frame, Observation
from deskhand.engine.safety.approval import is_still_valid
from deskhand.screen.stillness.self_motion import SelfMotion

PAY = Click(x=200, y=700)
BUTTON = Rect(100, 660, 300, 740)


def painted(*boxes: tuple[Rect, int], at: float = 0.0) -> Frame:
    pixels = np.full((800, 400, 4), 255, np.uint8)
    for box, shade in ((BUTTON, 90), *boxes):
        pixels[box.top : box.bottom, box.left : box.right, :3] = shade
    return Frame(pixels, at=at)


def screen(*boxes: tuple[Rect, int], amount: str = "¥12.00", label: str = "Pay", clock: str = "9:41") -> Observation:
    listed = (
        Element(0, "text", Rect(10, 5, 60, 25), name=clock),
        Element(1, "text", Rect(100, 300, 300, 330), name=amount),
        Element(2, "button", BUTTON, name=label, clickable=True),
    )
    return Observation(painted(*boxes), listed, app="shop")


CLOCK, CARET = (Rect(10, 5, 60, 25), 0), (Rect(50, 400, 52, 430), 0)
AMOUNT, BESIDE, PAGE = (Rect(100, 300, 180, 330), 0), (Rect(150, 650, 250, 665), 0), (Rect(0, 100, 400, 600), 0)


def bare(seen: Observation) -> Observation:
    return replace(seen, elements=None)


@pytest.mark.parametrize("look", [lambda seen: seen, bare], ids=["with elements", "by the picture"])
@pytest.mark.parametrize("action", [PAY, Hotkey(keys=("ctrl", "enter"))])
def test_a_clock_and_a_caret_may_go_on(look: Callable[[Observation], Observation], action: Action) -> None:
    assert is_still_valid(look(screen()), look(screen(CLOCK, CARET, clock="9:42")), action)


@pytest.mark.parametrize("look", [lambda seen: seen, bare], ids=["with elements", "by the picture"])
@pytest.mark.parametrize(
    "now",
    [
        screen(AMOUNT, amount="¥1200.00"),
        screen((BUTTON, 200), label="Pay all"),
        screen(PAGE),
        replace(screen(), app="bank"),
        replace(screen(), frame=Frame(np.full((400, 800, 4), 255, np.uint8))),
    ],
    ids=["the amount", "the button", "another page", "another app", "turned"],
)
def test_it_expires_with_what_it_was_said_to(look: Callable[[Observation], Observation], now: Observation) -> None:
    assert not is_still_valid(look(screen()), look(now), PAY)


@pytest.mark.parametrize(("rows", "holds"), [(16, True), (80, False), (200, False), (400, False)])
def test_with_every_text_as_it_was_a_small_picture_may_play_but_no_page_turn(rows: int, holds: bool) -> None:
    now = screen((Rect(0, 100, 400, 100 + rows), 0))
    assert is_still_valid(screen(), now, PAY) is holds


@pytest.mark.parametrize("look", [lambda seen: seen, bare], ids=["with elements", "by the picture"])
def test_what_it_costs_may_stand_at_the_lower_edge_of_a_phone(look: Callable[[Observation], Observation]) -> None:
    foot = Rect(10, 765, 80, 790)

    def bar(amount: str, *boxes: tuple[Rect, int]) -> Observation:
        seen = screen(*boxes)
        return look(replace(seen, elements=(*(seen.elements or ()), Element(3, "text", foot, name=amount))))

    assert not is_still_valid(bar("¥12"), bar("¥1200", (foot, 0)), PAY)


def test_a_button_that_counts_down_stays_the_same() -> None:
    assert is_still_valid(screen(label="Pay (59s)"), screen(label="Pay (58s)"), PAY)


def test_another_text_under_the_same_pixels_is_another_button() -> None:
    assert not is_still_valid(screen(), screen(label="Pay double"), PAY)


def test_what_is_known_to_move_by_itself_may_go_on() -> None:
    spinner = Rect(160, 480, 200, 520)
    movers = SelfMotion()
    frames = [painted((spinner, shade), at=float(shade)) for shade in range(6)]
    for earlier, later in pairwise(frames):
        movers.learn_idle(earlier, later)
    agreed, now = (Observation(painted((spinner, shade), at=7.0 + shade), None, "shop") for shade in (7, 8))
    assert not is_still_valid(agreed, now, PAY)
    assert is_still_valid(agreed, now, PAY, movers)
