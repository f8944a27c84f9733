"""Judges from frames and their times if a screen is still. Leaves capturing and waiting to settle.

The quiet time that a screen needs depends on what was seen. A page that changed at once and looks complete
needs less than one interval. If nothing has happened yet, the page is mostly empty, or it arrives
in pieces, more is probably coming, and the quiet must last longer (`patience_ms`).
"""

from collections import deque

import numpy as np

from deskhand.core.geometry import Rect
from deskhand.core.screen import Change, Frame
from deskhand.screen.diff import Tiles, change_between, find_detailed_tiles, grid_of, mask_of, regions_of
from deskhand.screen.stillness.self_motion import SelfMotion, Spot, list_spots, state_of
from deskhand.settings.schema import SettleSettings

# A tile that returns slowly to what it showed before is blinking; a spinner is faster than that.
_BLINK_S = 0.25
_BLINKING_TILES = 12
# A page is empty if this much of it was replaced, and this much of its height in one piece shows nothing.
_PAGE_SHARE = 0.1
_EMPTY_SHARE = 0.5
# A change of this much of the screen at once is another page, not one more piece of this one.
_NEW_PAGE_SHARE = 0.6
# A tile that kept moving for this long, this often, without a pause longer than this, moves in place: a film.
_IN_PLACE_S, _IN_PLACE_MOVES, _IN_PLACE_PAUSE_S = 1.5, 3, 1.5
# On a busy machine one frame may show an app opening, and the next one, seconds later, the result.
_LOOKS_TO_TELL = 3
# Two moments this close are the same: sums of floats are not exact.
_JITTER = 1e-4


class StillnessJudge:
    """Judges one wait for a still screen."""

    def __init__(self, settings: SettleSettings, before: Frame, movers: SelfMotion, started: float) -> None:
        interval = settings.interval_ms / 1000
        # Captures are spaced so that the required still frames, and the capture itself, fit into one interval.
        self._span = 0.35 * interval * settings.still_frames
        self._still_frames = settings.still_frames
        self._step = self._span / settings.still_frames
        self._half = interval / 2
        self._isolated = 2 * interval
        self._patience = max(settings.patience_ms / 1000, self._span)
        self._threshold = settings.threshold
        self._before, self._last = before, before
        self._movers = movers
        self._moved_at = started
        self._bursts = 0
        self._moves = 0
        self._longest_gap = 0.0
        self._small_once = False
        self._latency = 0.0
        self._unfinished: bool | None = None
        self._recent: deque[Tiles] = deque(maxlen=6)
        self._blinks: dict[Spot, tuple[int, float]] = {}
        self._runs = _TileRuns(before)
        self._came_along_at = -np.inf
        self.frames = 0
        self.first_look = started + self._step

    def add_look(self, frame: Frame, at: float, latency: float, signalled: float | None = None) -> bool:
        """Take in one frame whose capture began at `at`; True if the screen is still.

        `signalled` is when the device last reported a change, which dates a change better than the capture.
        """
        self.frames += 1
        self._latency = latency
        self._step = max(self._span / self._still_frames - latency / 2, self._half / 4)
        change = change_between(self._last, frame)
        moved = self._find_movement(change, at)
        self._recent.append(moved)
        if moved.any():
            if change.share_of(moved & ~self._runs.find_moving_in_place(frame, moved, at)) >= self._threshold:
                self._came_along_at = at
            self._note_movement(
                change.share_of(moved) >= self._threshold,
                moved,
                at if signalled is None else min(at, max(signalled, self._moved_at)),
            )
        else:
            self._small_once = False
        self._last = frame
        return at - self._moved_at >= self._compute_needed_quiet(at) - _JITTER

    def next_look(self, at: float, pushed: bool) -> float:
        """Return the next capture time: no later than stillness is possible; with push signals, no earlier either."""
        done = self._moved_at + self._compute_needed_quiet(at)
        if pushed and done > at:
            return done
        step = self._step if at - self._moved_at < self._span else self._half
        return min(at + step, done) if done > at else at + step

    def earliest_look(self, at: float) -> float:
        return at + self._step

    def is_quiet_enough(self, at: float) -> bool:
        """True if the screen is quiet enough to count as still when no time is left to be sure."""
        return at - self._moved_at >= self._compute_usual_quiet() - _JITTER

    def is_in_transition(self, at: float) -> bool:
        """True if large changes go on, except those of parts that only move in place: a long transition."""
        return at - self._came_along_at < self._patience

    def find_moving_regions(self) -> tuple[Rect, ...]:
        """Return the regions that moved in the last few frames."""
        return regions_of(np.logical_or.reduce(self._recent), self._last.size) if self._recent else ()

    def find_ceaseless_tiles(self) -> Tiles:
        """Return the tiles that moved in at least half of the last few frames; few frames, far apart, tell nothing."""
        if len(self._recent) < _LOOKS_TO_TELL:
            return np.zeros(grid_of(self._last.size), np.bool_)
        return np.sum(self._recent, axis=0) * 2 >= len(self._recent)

    # --- movement ----------------------------------------------------------------------------------------

    def _find_movement(self, change: Change, at: float) -> Tiles:
        moved = self._movers.find_unexplained(change)
        if change.before.size != change.after.size:
            self._recent.clear()
            self._blinks.clear()
            return moved
        if np.count_nonzero(moved) <= _BLINKING_TILES:
            for spot in list_spots(moved):
                moved[spot] = not self._has_blinked(change.after, spot, at)
        return moved

    def _has_blinked(self, frame: Frame, spot: Spot, at: float) -> bool:
        earlier, since = self._blinks.get(spot, (0, at))
        self._blinks[spot] = (state_of(self._last, spot), at)
        return at - since >= _BLINK_S and earlier == state_of(frame, spot)

    def _note_movement(self, big: bool, moved: Tiles, at: float) -> None:
        gap = at - self._moved_at
        if self._bursts and not big and gap >= self._isolated and not self._small_once:
            self._small_once = True  # a clock's tick or a caret; anything more goes on in the next frame
            return
        self._small_once = False
        paused = gap >= self._span
        new_page = float(moved.mean()) >= _NEW_PAGE_SHARE
        if self._bursts == 0 or (paused and (new_page or not self._find_effect().any())):
            self._bursts, self._moves, self._longest_gap = 1, 0, 0.0
        elif new_page:
            self._bursts, self._longest_gap = 1, max(self._longest_gap, gap)
        elif big and (paused or (gap > 1.5 * self._step and self._fills_a_blank(moved))):
            self._bursts += 1
        else:
            self._longest_gap = max(self._longest_gap, gap)
        self._moves += 1
        self._moved_at = at
        self._unfinished = None

    def _fills_a_blank(self, moved: Tiles) -> bool:
        """True if content appeared where there was nothing: a page in pieces, however short the pause was."""
        return float(find_detailed_tiles(self._last)[moved].mean()) < 0.5

    # --- judgement ---------------------------------------------------------------------------------------

    def _compute_usual_quiet(self) -> float:
        """Return the quiet time for a screen that looks finished: longer than the pauses in the movement so far."""
        usual = max(self._span - self._latency, self._half)
        rhythm = 1.25 * self._longest_gap if self._moves > 1 else 0.0
        return min(max(usual, rhythm), self._patience)

    def _compute_needed_quiet(self, at: float) -> float:
        if at - self._moved_at < self._compute_usual_quiet() - _JITTER:
            return self._compute_usual_quiet()
        if self._unfinished is None:
            self._unfinished = (
                self._bursts != 1 or not (effect := self._find_effect()).any() or self._is_empty_page(effect)
            )
        return self._patience if self._unfinished else self._compute_usual_quiet()

    def _find_effect(self) -> Tiles:
        """Return the tiles that differ from before the action."""
        return self._movers.find_unexplained(change_between(self._before, self._last))

    def _is_empty_page(self, replaced: Tiles) -> bool:
        """True if the page was replaced and shows next to nothing."""
        if float(replaced.mean()) < _PAGE_SHARE:
            return False
        return _longest_run(np.logical_not(find_detailed_tiles(self._last).any(axis=1))) >= _EMPTY_SHARE * len(replaced)


class _TileRuns:
    """Tracks how long each tile has been moving."""

    def __init__(self, frame: Frame) -> None:
        self._fit_grid(frame)

    def find_moving_in_place(self, frame: Frame, moved: Tiles, at: float) -> Tiles:
        """Take in the tiles that moved just now; return those in boxes around long-moving tiles."""
        if moved.shape != self._last.shape:
            self._fit_grid(frame)
        anew = moved & (at - self._last > _IN_PLACE_PAUSE_S)
        self._first[anew], self._moves[anew] = at, 0
        self._last[moved] = at
        self._moves[moved] += 1
        ceaseless = (self._moves >= _IN_PLACE_MOVES) & (self._last - self._first >= _IN_PLACE_S)
        return mask_of(regions_of(ceaseless, frame.size), frame.size)

    def _fit_grid(self, frame: Frame) -> None:
        shape = grid_of(frame.size)
        self._first, self._last = np.zeros(shape), np.full(shape, -np.inf)
        self._moves = np.zeros(shape, np.uint32)


def _longest_run(flags: Tiles) -> int:
    """Return the length of the longest run of trues."""
    longest = run = 0
    for flag in flags:
        run = run + 1 if flag else 0
        longest = max(longest, run)
    return longest
