"""Learns, tile by tile, what moves on its own, from frames with no action between them.

A caret returns to earlier states; a clock, a spinner or a video goes on to new ones. The difference
matters: a letter typed beside a caret is a state that its tile never had, and must not count as blinking.
"""

import math
from dataclasses import dataclass, field

import numpy as np
import xxhash

from deskhand.core.screen import Change, Frame
from deskhand.screen.diff import TILE, Tiles, change_between, grid_of
from deskhand.screen.frame import as_words

# A tile that has been quiet for longer is trusted again; long enough to remember a clock that shows minutes.
_FORGET_S = 90.0
# A change of this share of the screen at once is more likely an event than constant motion.
_EVENT_SHARE = 0.25
_MAX_STATES = 64
_REPLACED_SHARE = 0.8
_FILM_SHARE = 0.1
_WHOLE = (0, TILE - 1)

Spot = tuple[int, int]
# The states between which a tile alternates; None for one that never returns to a state.
Habit = frozenset[int] | None


@dataclass
class _TileHistory:
    """Records what one tile did while no action ran."""

    moves: float = 0.0
    fresh: int = 0
    states: set[int] = field(default_factory=set[int])
    last: float = 0.0

    @property
    def habitual(self) -> bool:
        return self.moves >= 2

    @property
    def free_running(self) -> bool:
        """True if its next state can't be predicted, so none of its states means anything."""
        return self.fresh >= 3 and self.fresh > 0.5 * self.moves


class SelfMotion:
    """Holds one device's own motion. Watchers feed it frames; callers use it to tell an action's effect from habit."""

    def __init__(self) -> None:
        self._lives: dict[Spot, _TileHistory] = {}
        self._size = (0, 0)
        self._learned_until = -math.inf

    def learn_idle(self, earlier: Frame, later: Frame) -> None:
        """Learn from two frames with no action between them: what differs moved on its own.

        Several watchers may report the same time; each stretch of it is learned from once.
        """
        if earlier.size != later.size or earlier.pixels is later.pixels or earlier.at < self._learned_until:
            return
        self._learned_until = later.at
        self._fit_size(later)
        change = change_between(earlier, later)
        weight = 0.5 if float(change.tiles.mean()) > _EVENT_SHARE else 1.0
        companions = self._find_companions(change)
        for spot in list_spots(change.tiles):
            life = self._lives.setdefault(spot, _TileHistory())
            state = state_of(later, spot)
            life.moves += weight
            life.fresh += state not in life.states
            life.last = later.at
            if len(life.states) < _MAX_STATES:
                life.states |= {state_of(earlier, spot), state}
        self.learn_ceaseless(later, companions)

    def learn_ceaseless(self, frame: Frame, tiles: Tiles) -> None:
        """Learn that these tiles kept moving until the wait timed out."""
        self._fit_size(frame)
        for spot in list_spots(tiles):
            life = self._lives.setdefault(spot, _TileHistory())
            life.moves, life.fresh, life.last = life.moves + 3, life.fresh + 3, frame.at

    def apply_action(self, change: Change) -> Tiles:
        """Return the tiles that an action affected. Forget their habits, and those inside the area it replaced."""
        self._fit_size(change.after)
        effect = self.find_unexplained(change)
        over = {spot for spot in self._lives if effect[spot]} | _find_replaced(set(self._lives), effect)
        for spot in over:
            del self._lives[spot]
        return effect

    def forget_page(self) -> None:
        """Forget what moved on a large part of the screen, because another page opens.

        Otherwise new content in the place of a film would be taken for the film.
        """
        running = [spot for spot, life in self._lives.items() if life.free_running]
        rows, columns = grid_of(self._size)
        if len(running) >= _FILM_SHARE * rows * columns:
            for spot in running:
                del self._lives[spot]

    def find_unexplained(self, change: Change) -> Tiles:
        """Return the changed tiles, without those that show no more than their own motion."""
        changed, after = change.tiles, change.after
        if not change.before.size == after.size == self._size:
            return changed
        habit = self._find_companions(change)
        for spot, life in self._lives.items():
            if changed[spot] and life.habitual and after.at - life.last < _FORGET_S:
                habit[spot] |= life.free_running or state_of(after, spot) in life.states
        return changed & ~habit

    def list_habits(self) -> dict[Spot, Habit]:
        """Return what each tile did, for callers that need it after it was forgotten here."""
        return {spot: None if life.free_running else frozenset(life.states) for spot, life in self._lives.items()}

    def _find_companions(self, change: Change) -> Tiles:
        """Return changed tiles beside a free-running one that changed in exactly the same rows of pixels.

        The next digit of a clock changes like this, too seldom to be learned. A letter typed beside a video
        or a spinner changes other rows.
        """
        changed = change.tiles
        found = np.zeros_like(changed)
        running = {spot: life for spot, life in self._lives.items() if changed[spot] and life.free_running}
        # A video's tiles mostly have free-running tiles beside them, which need no companion.
        known = {spot for spot, life in running.items() if change.after.at - life.last < _FORGET_S}
        for spot in running:
            for near in ((spot[0], spot[1] - 1), (spot[0], spot[1] + 1)):
                if near in known or not 0 <= near[1] < changed.shape[1] or not changed[near]:
                    continue
                rows = _changed_rows(change, spot)
                found[near] |= rows != _WHOLE and _changed_rows(change, near) == rows
        return found

    def _fit_size(self, frame: Frame) -> None:
        if frame.size != self._size:
            self._lives.clear()
            self._size = frame.size


def state_of(frame: Frame, spot: Spot) -> int:
    """Return a number for what one tile shows."""
    top, left = spot[0] * TILE, spot[1] * TILE
    return xxhash.xxh3_64_intdigest(frame.pixels[top : top + TILE, left : left + TILE].tobytes())


def _changed_rows(change: Change, spot: Spot) -> tuple[int, int]:
    """Return the first and the last row of a tile in which a pixel changed."""
    part = np.s_[spot[0] * TILE : (spot[0] + 1) * TILE, spot[1] * TILE : (spot[1] + 1) * TILE]
    rows = np.flatnonzero((as_words(change.before)[part] != as_words(change.after)[part]).any(axis=1))
    return int(rows[0]), int(rows[-1])


def list_spots(tiles: Tiles) -> list[Spot]:
    return [(row, column) for row, column in np.argwhere(tiles).tolist()]


def _find_replaced(movers: set[Spot], effect: Tiles) -> set[Spot]:
    """Return neighbouring movers whose surroundings mostly changed: the picture they belonged to is gone."""
    gone: set[Spot] = set()
    left = set(movers)
    while left:
        group, ring = _collect_group(left.pop(), movers, effect.shape)
        left -= group
        if ring and sum(bool(effect[spot]) for spot in ring) >= _REPLACED_SHARE * len(ring):
            gone |= group
    return gone


def _collect_group(start: Spot, movers: set[Spot], shape: tuple[int, ...]) -> tuple[set[Spot], set[Spot]]:
    """Return all movers connected to one of them, and the tiles around them."""
    group, ring, queue = {start}, set[Spot](), [start]
    while queue:
        row, column = queue.pop()
        for near in ((row + dy, column + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)):
            if not (0 <= near[0] < shape[0] and 0 <= near[1] < shape[1]) or near in group:
                continue
            if near in movers:
                group.add(near)
                queue.append(near)
            else:
                ring.add(near)
    return group, ring
