"""What moves on its own: learned from frames with no action between them, tile by tile.

A caret comes back to states it had before; a clock, a spinner or a video goes on to new ones. The difference
matters: a letter typed beside a caret is a state that its tile never had, and must not be taken for blinking.
"""

from dataclasses import dataclass, field

import numpy as np
import xxhash

from deskhand.screen.diff import TILE, Tiles, grid, tile_mask
from deskhand.types import Frame

# A tile that has been quiet for longer is trusted again; long enough to remember a clock that shows minutes.
_FORGET_S = 90.0
# A look in which this share of the screen changed is more likely an event than something that always moves.
_EVENT_SHARE = 0.25
_MAX_STATES = 64

Spot = tuple[int, int]


@dataclass
class _Life:
    """What one tile did while nobody acted."""

    moves: float = 0.0
    fresh: int = 0
    states: set[int] = field(default_factory=set[int])
    last: float = 0.0

    @property
    def habitual(self) -> bool:
        return self.moves >= 2

    @property
    def free_running(self) -> bool:
        """Its next state can't be foretold, so no state of it means anything."""
        return self.habitual and self.fresh >= 2 and self.fresh > 0.5 * self.moves


class Movers:
    """One a device. Fed by whoever sees frames; asked by whoever has to tell effect from habit."""

    def __init__(self) -> None:
        self._lives: dict[Spot, _Life] = {}
        self._size = (0, 0)

    def idle(self, earlier: Frame, later: Frame) -> None:
        """Two frames with no action between them: what differs moved on its own."""
        if earlier.size != later.size or earlier.pixels is later.pixels:
            return
        self._fit(later)
        changed = tile_mask(earlier, later)
        weight = 0.5 if float(changed.mean()) > _EVENT_SHARE else 1.0
        for spot in spots(changed):
            life = self._lives.setdefault(spot, _Life())
            life.moves += weight
            life.last = later.at
            life.states.add(state_of(earlier, spot))
            state = state_of(later, spot)
            if state not in life.states:
                life.fresh += 1
                if len(life.states) < _MAX_STATES:
                    life.states.add(state)

    def never_stopped(self, frame: Frame, tiles: Tiles) -> None:
        """These tiles went on moving for as long as anyone was ready to wait."""
        self._fit(frame)
        for spot in spots(tiles):
            life = self._lives.setdefault(spot, _Life())
            life.moves, life.fresh, life.last = life.moves + 2, life.fresh + 2, frame.at

    def acted(self, before: Frame, after: Frame) -> Tiles:
        """The tiles in which an action had an effect. Their habits, and those inside of what it replaced, are over."""
        if before.size != after.size:
            self._fit(after)
            return np.ones(grid(after.size), np.bool_)
        self._fit(after)
        changed = tile_mask(before, after)
        effect = changed & ~self.explained(after, changed)
        over = {spot for spot in self._lives if effect[spot]} | _replaced(set(self._lives), effect)
        for spot in over:
            del self._lives[spot]
        return effect

    def explained(self, frame: Frame, changed: Tiles) -> Tiles:
        """Those of the changed tiles that show no more than they do on their own."""
        habit = np.zeros_like(changed)
        if frame.size == self._size:
            for spot, life in self._lives.items():
                if changed[spot] and life.habitual and frame.at - life.last < _FORGET_S:
                    habit[spot] = life.free_running or state_of(frame, spot) in life.states
        return habit

    def _fit(self, frame: Frame) -> None:
        if frame.size != self._size:
            self._lives.clear()
            self._size = frame.size


def state_of(frame: Frame, spot: Spot) -> int:
    """A number for what one tile shows."""
    top, left = spot[0] * TILE, spot[1] * TILE
    return xxhash.xxh3_64_intdigest(frame.pixels[top : top + TILE, left : left + TILE].tobytes())


def spots(tiles: Tiles) -> list[Spot]:
    return [(int(row), int(column)) for row, column in np.argwhere(tiles)]


def _replaced(movers: set[Spot], effect: Tiles) -> set[Spot]:
    """Neighbouring movers whose surroundings were mostly changed: the picture they belonged to is gone."""
    gone: set[Spot] = set()
    left = set(movers)
    while left:
        group, ring = _group(left.pop(), movers, effect.shape)
        left -= group
        if ring and 2 * sum(bool(effect[spot]) for spot in ring) >= len(ring):
            gone |= group
    return gone


def _group(start: Spot, movers: set[Spot], shape: tuple[int, ...]) -> tuple[set[Spot], set[Spot]]:
    """All movers connected to one of them, and the tiles around them."""
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
