"""Whether actions still get anywhere, judged by the picture alone. What to do about it is left to others.

A share of changed pixels can't tell: a blinking caret is 9e-6 of them and a typed letter 4e-5. So every changed
tile is asked whether it shows more than it does on its own.
"""

from collections import deque
from dataclasses import dataclass
from itertools import count

import numpy as np

from deskhand.screen.diff import Tiles, tile_mask
from deskhand.screen.movers import Habit, Movers, Spot, States, spots, state_of, states_of
from deskhand.types import Frame

_LOOP_LENGTHS = (2, 3)
_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class Progress:
    """What the picture says after an action: how many in a row had no effect, and how long a loop of screens is."""

    changed: bool
    unchanged: int = 0
    loop: int = 0
    stuck: bool = False

    @property
    def reason(self) -> str:
        if self.loop:
            return f"the same {self.loop} screens keep coming back"
        return f"{self.unchanged} actions in a row changed nothing on the screen" if self.unchanged else ""


class StuckWatch:
    """One a task. `movers` is shared with whoever watches the device, so that habits are learned between actions."""

    def __init__(self, limit: int = 3, movers: Movers | None = None) -> None:
        self._limit = limit
        self._movers = movers or Movers()
        self._last: Frame | None = None
        self._states: States | None = None
        self._unchanged = 0
        self._visits: deque[_Visit] = deque(maxlen=max(_LOOP_LENGTHS) * _ROUNDS)
        self._names = count()
        self._clocks: set[Spot] = set()

    def acted(self, before: Frame, after: Frame) -> Progress:
        """Take in one action by the settled frames around it."""
        if self._last is not None:
            self._movers.idle(self._last, before)
        mask = tile_mask(before, after)
        states = self._tile_states(before, after, mask)
        self._last, self._states = after, states
        self._learn()
        changed = bool(self._movers.acted(before, after, mask).any())
        self._unchanged = 0 if changed else self._unchanged + 1
        if changed:
            self._visits.append(self._visit(states))
        loop = self._loop() if changed else 0
        return Progress(changed, self._unchanged, loop, self._unchanged >= self._limit or loop > 0)

    def _learn(self) -> None:
        """Keep what this screen did on its own, before the action ends it; a clock is the same on every screen."""
        habits = self._movers.habits()
        self._clocks |= {spot for spot, habit in habits.items() if habit is None}
        if self._visits:
            self._visits[-1].habits.update(habits)

    def reset(self) -> None:
        """After a correction, a new plan or a new subtask, what came before says nothing."""
        self._unchanged = 0
        self._visits.clear()

    def _tile_states(self, before: Frame, after: Frame, changed: Tiles) -> States:
        """Only what changed is worked out anew, as long as the actions follow one another."""
        known = self._last is before and self._states is not None and self._states.shape == changed.shape
        if not known or self._states is None or changed.mean() > 0.5:
            return states_of(after)
        states = self._states.copy()
        for spot in spots(changed):
            states[spot] = state_of(after, spot)
        return states

    def _visit(self, tiles: States) -> "_Visit":
        """A screen that was seen lately keeps its name, and what is known of its habits."""
        for known in reversed(self._visits):
            if known.shows(tiles, self._clocks):
                return _Visit(known.name, tiles, dict(known.habits))
        return _Visit(next(self._names), tiles, {})

    def _loop(self) -> int:
        names = [visit.name for visit in self._visits]
        for length in _LOOP_LENGTHS:
            tail = names[-length * _ROUNDS :]
            if len(tail) == length * _ROUNDS and tail[:length] == tail[length:] and len(set(tail)) == length:
                return length
        return 0


@dataclass(frozen=True, slots=True)
class _Visit:
    name: int
    tiles: States
    habits: dict[Spot, Habit]

    def shows(self, tiles: States, clocks: set[Spot]) -> bool:
        """Whether these tiles are this screen, but for what moves on it on its own."""
        if tiles.shape != self.tiles.shape:
            return False
        differing = tiles != self.tiles
        if np.count_nonzero(differing) > len(self.habits) + len(clocks):
            return False
        return all(spot in clocks or self._habitual(spot, int(tiles[spot])) for spot in spots(differing))

    def _habitual(self, spot: Spot, state: int) -> bool:
        if spot not in self.habits:
            return False
        habit = self.habits[spot]
        return habit is None or state in habit
