"""Judges by the picture alone if actions still make progress. Leaves the reaction to others.

A share of changed pixels can't tell: a blinking caret is 9e-6 of them and a typed letter 4e-5. So every changed
tile is checked for more than its own motion.
"""

from collections import deque
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from deskhand.core.geometry import Rect
from deskhand.core.screen import Change, Frame
from deskhand.screen.diff import TILE, Tiles
from deskhand.screen.frame import as_words
from deskhand.screen.stillness.self_motion import Habit, SelfMotion, Spot, list_spots, state_of

_LOOP_LENGTHS = (2, 3)
_ROUNDS = 2

# A number for each tile: other pixels, or the same ones elsewhere in it, give another.
Prints = NDArray[np.uint64]
_CHANCE = np.random.default_rng(TILE)
_DOWN = _CHANCE.integers(1 << 32, size=TILE, dtype=np.uint32) | np.uint32(1)
_ACROSS = _CHANCE.integers(1 << 63, size=TILE, dtype=np.uint64) | np.uint64(1)


@dataclass(frozen=True, slots=True)
class ScreenProgress:
    """Reports after an action where it had an effect, how many in a row had none, how long a loop of screens is."""

    changed: bool
    unchanged: int = 0
    loop: int = 0
    stuck: bool = False
    area: Rect | None = None

    @property
    def reason(self) -> str:
        if self.loop:
            return f"the same {self.loop} screens keep coming back"
        return f"{self.unchanged} actions in a row changed nothing on the screen" if self.unchanged else ""


class StuckWatch:
    """Watches one task. `movers` is shared with the device's watcher, so that habits are learned between actions."""

    def __init__(self, limit: int = 3, movers: SelfMotion | None = None) -> None:
        self._limit = limit
        self._movers = movers or SelfMotion()
        self._last: Frame | None = None
        self._prints: Prints | None = None
        self._unchanged = 0
        self._visits: deque[_Visit] = deque(maxlen=max(_LOOP_LENGTHS) * _ROUNDS)
        self._names = count()
        self._clocks: set[Spot] = set()

    def judge_action(self, change: Change) -> ScreenProgress:
        """Take in one action by the settled frames around it."""
        if self._last is not None:
            self._movers.learn_idle(self._last, change.before)
        self._prints = self._update_prints(change)
        self._last = change.after
        self._learn_habits()
        effect = self._movers.apply_action(change)
        changed = bool(effect.any())
        self._unchanged = 0 if changed else self._unchanged + 1
        if changed:
            self._visits.append(self._name_visit(change.after, self._prints))
        loop = self._find_loop() if changed else 0
        stuck = self._unchanged >= self._limit or loop > 0
        return ScreenProgress(changed, self._unchanged, loop, stuck, _enclose_tiles(effect))

    def _learn_habits(self) -> None:
        """Keep what this screen did on its own, before the action ends it; a clock is the same on every screen."""
        habits = self._movers.list_habits()
        self._clocks |= {spot for spot, habit in habits.items() if habit is None}
        if self._visits:
            self._visits[-1].habits.update(habits)

    def forget_past(self) -> None:
        """Forget earlier actions, which say nothing after a correction, a new plan or a new subtask."""
        self._unchanged = 0
        self._visits.clear()

    def _update_prints(self, change: Change) -> Prints:
        """Recompute only the rows in which something changed, as long as the actions follow one another."""
        tiles = change.tiles
        if self._last is not change.before or self._prints is None or self._prints.shape != tiles.shape:
            return _hash_tiles(change.after, np.arange(len(tiles)))
        rows = np.flatnonzero(tiles.any(axis=1))
        prints = self._prints.copy()
        prints[rows] = _hash_tiles(change.after, rows)
        return prints

    def _name_visit(self, frame: Frame, prints: Prints) -> "_Visit":
        """Return the visit of this screen; a recently seen one keeps its name and its known habits."""
        for known in reversed(self._visits):
            if known.is_same_screen(frame, prints, self._clocks):
                return _Visit(known.name, prints, dict(known.habits))
        return _Visit(next(self._names), prints, {})

    def _find_loop(self) -> int:
        names = [visit.name for visit in self._visits]
        for length in _LOOP_LENGTHS:
            tail = names[-length * _ROUNDS :]
            if len(tail) == length * _ROUNDS and tail[:length] == tail[length:] and len(set(tail)) == length:
                return length
        return 0


def _enclose_tiles(tiles: Tiles) -> Rect | None:
    """Return the box around these tiles, in pixels; None if there are none."""
    rows, columns = np.flatnonzero(tiles.any(axis=1)), np.flatnonzero(tiles.any(axis=0))
    if not rows.size:
        return None
    left, top, right, bottom = columns[0], rows[0], columns[-1] + 1, rows[-1] + 1
    return Rect(int(left) * TILE, int(top) * TILE, int(right) * TILE, int(bottom) * TILE)


@dataclass(frozen=True, slots=True)
class _Visit:
    name: int
    prints: Prints
    habits: dict[Spot, Habit]

    def is_same_screen(self, frame: Frame, prints: Prints, clocks: set[Spot]) -> bool:
        """True if this frame shows this screen, apart from what moves on its own."""
        if prints.shape != self.prints.shape:
            return False
        differing = prints != self.prints
        if np.count_nonzero(differing) > len(self.habits) + len(clocks):
            return False
        return all(spot in clocks or self._is_habitual(spot, state_of(frame, spot)) for spot in list_spots(differing))

    def _is_habitual(self, spot: Spot, state: int) -> bool:
        if spot not in self.habits:
            return False
        habit = self.habits[spot]
        return habit is None or state in habit


def _hash_tiles(frame: Frame, rows: NDArray[np.intp]) -> Prints:
    """Hash all tiles in these rows: pixels weighted by their place, at half the cost of hashing each tile."""
    pixels = as_words(frame)
    sums = np.empty((len(rows), frame.width), np.uint32)
    for number, row in enumerate(rows.tolist()):
        strip = pixels[row * TILE : (row + 1) * TILE]
        np.einsum("r,rc->c", _DOWN[: len(strip)], strip, out=sums[number])
    return np.add.reduceat(sums * np.resize(_ACROSS, frame.width), np.arange(0, frame.width, TILE), axis=1)
