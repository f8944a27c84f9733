"""Sequences of actions with known truth, for stuck detection: a clock ticks, a caret blinks, letters may be typed."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from deskhand.bench.film_layers import Canvas, draw_letter, draw_page
from deskhand.core.screen import Frame
from deskhand.screen.diff import change_between
from deskhand.screen.stillness.self_motion import SelfMotion
from deskhand.screen.stillness.stuck import ScreenProgress, StuckWatch

_LOOK_EVERY = 0.7
_LEAD = 4.0


@dataclass(frozen=True)
class StuckScene:
    """A screen with a clock that shows seconds and a field with a caret; `moments` are the times of its letters."""

    pages: tuple[Canvas, ...]
    digits: Canvas
    letters: tuple[Canvas, ...]
    clock_phase: float
    caret_phase: float

    @staticmethod
    def make_random(rng: np.random.Generator, pages: int = 1) -> "StuckScene":
        return StuckScene(
            tuple(draw_page(rng) for _ in range(pages)),
            (rng.random((10, 18, 10)) < 0.5).astype(np.uint8) * 220,
            tuple(draw_letter(rng) for _ in range(24)),
            rng.uniform(0, 60),
            rng.uniform(0, 1.06),
        )

    def frame_at(self, t: float, shown: int = 0, typed: int = 0) -> Frame:
        canvas = self.pages[shown].copy()
        seconds = int(t + self.clock_phase)
        for place, digit in enumerate((seconds // 60 % 10, seconds % 60 // 10, seconds % 10)):
            canvas[10:28, 460 + 12 * place : 470 + 12 * place, :3] = self.digits[digit][..., None]
        for number in range(typed):
            canvas[84:102, 100 + 11 * number : 109 + 11 * number] = self.letters[number]
        if (t + self.caret_phase) % 1.06 < 0.53:
            x = 100 + 11 * typed
            canvas[80:106, x : x + 2, :3] = 0
        return Frame(canvas, at=t)


def play_actions(
    desk: StuckScene, states: list[tuple[int, int]], rng: np.random.Generator, watched: bool
) -> list[ScreenProgress]:
    """Act once for every (page, letters) after the first; `watched`: the screen is captured between actions."""
    movers = SelfMotion()
    watch = StuckWatch(movers=movers)
    told: list[ScreenProgress] = []
    t = 100.0 + _rest_between(desk, movers, 100.0, _LEAD, states[0], watched)
    for before, after in pairwise(states):
        settled = t + rng.uniform(0.2, 1.2)
        told.append(watch.judge_action(change_between(desk.frame_at(t, *before), desk.frame_at(settled, *after))))
        t = settled + _rest_between(desk, movers, settled, rng.uniform(1.0, 5.0), after, watched)
    return told


def _rest_between(
    desk: StuckScene, movers: SelfMotion, start: float, seconds: float, state: tuple[int, int], watched: bool
) -> float:
    """Let time pass without an action."""
    if watched:
        looks = [desk.frame_at(float(t), *state) for t in np.arange(start, start + seconds, _LOOK_EVERY)]
        for earlier, later in pairwise(looks):
            movers.learn_idle(earlier, later)
    return seconds


def measure_rates(each: int = 100, seed: int = 11, watched: bool = True) -> dict[str, float]:
    """Return shares: false alarms while a letter is typed per action, no effect found at action 3, loops found."""
    letters = [(0, n) for n in range(13)]
    nothing = [(0, 2)] * 4
    two, three = [(n % 2, 0) for n in range(5)], [(n % 3, 0) for n in range(7)]
    form = [(n % 2, n // 2) for n in range(9)]

    def list_alarms(states: list[tuple[int, int]], take: int) -> list[bool]:
        rng = np.random.default_rng([seed, take])
        desk = StuckScene.make_random(rng, 3)
        return [progress.stuck for progress in play_actions(desk, states, rng, watched)]

    def measure_share(states: list[tuple[int, int]], last_only: bool) -> float:
        hits = [list_alarms(states, take) for take in range(each)]
        return float(np.mean([a[-1] if last_only else any(a) for a in hits]))

    return {
        "false alarms, one letter an action": measure_share(letters, last_only=False),
        "false alarms, form filled by a dialog": measure_share(form, last_only=False),
        "no effect found at the third action": measure_share(nothing, last_only=True),
        "loop of two screens found": measure_share(two, last_only=True),
        "loop of three screens found": measure_share(three, last_only=True),
    }
