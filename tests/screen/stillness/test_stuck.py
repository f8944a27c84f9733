"""Actions without effect are noticed under a ticking clock; one typed letter is always an effect."""

from itertools import pairwise

import numpy as np
import pytest

from deskhand.bench.stuck_films import StuckScene, play_actions
from deskhand.core.screen import Frame
from deskhand.screen.diff import change_between
from deskhand.screen.stillness.self_motion import SelfMotion
from deskhand.screen.stillness.stuck import StuckWatch
from tests.screen.pictures import noise, painted, plain

BUSY = noise(400, 800)


def test_three_actions_without_any_change_are_stuck_and_the_reason_says_so() -> None:
    watch = StuckWatch()
    told = [watch.judge_action(change_between(BUSY, BUSY)) for _ in range(3)]
    assert [p.stuck for p in told] == [False, False, True]
    assert told[-1].reason == "3 actions in a row changed nothing on the screen"
    assert not told[-1].changed


def test_the_limit_is_a_choice_and_reset_starts_again() -> None:
    watch = StuckWatch(limit=2)
    watch.judge_action(change_between(BUSY, BUSY))
    watch.forget_past()
    assert not watch.judge_action(change_between(BUSY, BUSY)).stuck
    assert watch.judge_action(change_between(BUSY, BUSY)).stuck


@pytest.mark.parametrize("take", range(6))
def test_one_letter_an_action_is_never_stuck(take: int) -> None:
    rng = np.random.default_rng(take)
    told = play_actions(StuckScene.make_random(rng), [(0, n) for n in range(10)], rng, watched=True)
    assert all(progress.changed for progress in told)
    assert not any(progress.stuck for progress in told)


@pytest.mark.parametrize("take", range(6))
def test_no_effect_is_seen_through_a_caret_and_a_clock_with_seconds(take: int) -> None:
    rng = np.random.default_rng(take)
    told = play_actions(StuckScene.make_random(rng), [(0, 3)] * 4, rng, watched=True)
    assert told[-1].stuck


def test_a_letter_after_two_idle_actions_saves_the_day() -> None:
    rng = np.random.default_rng(3)
    told = play_actions(
        StuckScene.make_random(rng), [(0, 0), (0, 0), (0, 0), (0, 1), (0, 1), (0, 1)], rng, watched=True
    )
    assert [p.unchanged for p in told] == [1, 2, 0, 1, 2]


@pytest.mark.parametrize("length", [2, 3])
def test_screens_that_keep_coming_back_are_a_loop(length: int) -> None:
    watch = StuckWatch()
    pages = [noise(400, 800, seed) for seed in range(length)]
    sequence = [pages[n % length] for n in range(2 * length + 2)]
    told = [watch.judge_action(change_between(a, b)) for a, b in pairwise(sequence)]
    assert [p.loop for p in told[:-2]] == [0] * (len(told) - 2)
    assert told[-2].loop == length
    assert told[-2].stuck
    assert f"{length} screens" in told[-2].reason


def test_a_form_that_fills_up_between_two_screens_is_no_loop() -> None:
    watch = StuckWatch()
    menu, form = noise(400, 800, 1), noise(400, 800, 2)
    sequence = []
    for round_ in range(5):
        sequence += [painted(form, 10, 10, 12 + 9 * round_, 28), menu]
    told = [watch.judge_action(change_between(a, b)) for a, b in pairwise(sequence)]
    assert not any(p.stuck for p in told)


def test_a_loop_is_seen_though_a_clock_ticks_on_every_screen() -> None:
    movers = SelfMotion()
    watch = StuckWatch(movers=movers)
    pages = [noise(400, 800, 1), noise(400, 800, 2)]

    def at(t: float, page: int) -> Frame:
        return painted(pages[page], 330, 10, 350, 30, int(t) % 250, at=t)

    t, told = 0.0, []
    for number in range(9):
        looks = [at(t + 0.7 * n, number % 2) for n in range(8)]
        for earlier, later in pairwise(looks):
            movers.learn_idle(earlier, later)
        t += 5.6
        told.append(watch.judge_action(change_between(at(t, number % 2), at(t + 1, (number + 1) % 2))))
        t += 1
    assert told[-1].loop == 2


def test_a_turned_screen_is_an_effect() -> None:
    watch = StuckWatch()
    assert watch.judge_action(change_between(plain(400, 800), plain(800, 400))).changed
    assert watch.judge_action(change_between(plain(800, 400), plain(400, 800))).changed


def test_habits_are_forgotten_when_the_page_around_them_is_replaced() -> None:
    movers = SelfMotion()
    spinner = [painted(BUSY, 130, 130, 150, 150, 10 * n, at=n) for n in range(8)]
    for earlier, later in pairwise(spinner):
        movers.learn_idle(earlier, later)
    assert not movers.apply_action(change_between(spinner[-1], painted(BUSY, 130, 130, 150, 150, 99, at=9))).any()
    other = noise(400, 800, 9)
    assert movers.apply_action(change_between(painted(BUSY, 130, 130, 150, 150, 99, at=9), other)).any()
    assert movers.apply_action(change_between(other, painted(other, 130, 130, 150, 150, 3, at=10))).any()


def test_the_next_digit_of_a_clock_is_the_clock_but_a_letter_beside_a_video_is_not() -> None:
    movers = SelfMotion()

    def clock(t: int, tens: int) -> Frame:
        units = painted(BUSY, 204, 10, 214, 28, 20 * (t % 10), at=float(t))
        return painted(units, 186, 10, 196, 28, 25 * tens, at=float(t))

    looks = [clock(t, 0) for t in range(6)]
    for earlier, later in pairwise(looks):
        movers.learn_idle(earlier, later)
    assert not movers.apply_action(change_between(clock(6, 0), clock(7, 1))).any()

    video = SelfMotion()
    films = [painted(BUSY, 200, 0, 240, 40, 20 * t, at=float(t)) for t in range(6)]
    for earlier, later in pairwise(films):
        video.learn_idle(earlier, later)
    typed = painted(painted(BUSY, 200, 0, 240, 40, 180, at=7.0), 186, 10, 194, 28, 3, at=7.0)
    assert video.apply_action(change_between(films[-1], typed)).any()


def test_time_told_of_twice_is_learned_from_once() -> None:
    movers = SelfMotion()
    before, late = BUSY, painted(BUSY, 10, 10, 200, 200, 9, at=1.0)
    for _ in range(3):
        movers.learn_idle(before, late)
    assert movers.apply_action(change_between(late, before)).any()
