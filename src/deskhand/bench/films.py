"""Films of screens with known truth: the screen after an action at any moment, without waiting in real time.

A film's action is at second 0; things that move on their own moved before it, too. `truth` is the moment
of the last change that the action caused: an earlier look is wrong, a longer wait is waste.
"""

import asyncio
from bisect import bisect_right
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import numpy as np

from deskhand.bench.film_layers import (
    END,
    FAST,
    HEIGHT,
    LEAD,
    WIDTH,
    Canvas,
    FilmLayer,
    draw_any_page,
    draw_blank,
    draw_letter,
    draw_page,
    draw_rows,
    make_caret,
    make_clock,
    make_cut,
    make_cut_to,
    make_fade,
    make_fade_from,
    make_growing_bar,
    make_patch,
    make_rising_panel,
    make_scroll,
    make_shimmer,
    make_slide,
    make_spinner,
    make_still,
    make_video,
)
from deskhand.clock import ManualClock
from deskhand.core.actions import Action, ActionKind
from deskhand.core.geometry import Rect
from deskhand.core.screen import AppInfo, Element, Frame


@dataclass(frozen=True)
class Film:
    name: str
    layers: tuple[FilmLayer, ...]
    truth: float = field(init=False)
    changes: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        caused = [t for layer in self.layers if layer.caused for t in layer.times]
        object.__setattr__(self, "truth", max(caused, default=0.0))
        object.__setattr__(self, "changes", tuple(sorted({t for layer in self.layers for t in layer.times})))

    def paint_moment(self, t: float) -> Canvas:
        place = bisect_right(self.changes, t) - 1
        moment = self.changes[place] if place >= 0 else -LEAD
        canvas = np.empty((HEIGHT, WIDTH, 4), np.uint8)
        for layer in self.layers:
            layer.draw(canvas, moment)
        return canvas


class FilmClock(ManualClock):
    """Moves only by sleeping, and notifies listeners of every change of the film that it passes."""

    def __init__(self, start: float, changes: tuple[float, ...] = ()) -> None:
        super().__init__(start)
        self.changed = asyncio.Event()
        self._changes = changes

    async def sleep(self, seconds: float) -> None:
        end = self.now() + max(0.0, seconds)
        while (place := bisect_right(self._changes, self.now())) < len(self._changes) and self._changes[place] <= end:
            await super().sleep(self._changes[place] - self.now())
            self.changed.set()
            for _ in range(4):  # turns of the loop, so that a waiter for the change runs at its moment
                await super().sleep(0)
        await super().sleep(end - self.now())


class FilmDevice:
    """A device that shows a film. A capture takes `latency` seconds of the clock's time."""

    id = "film"
    capabilities: frozenset[ActionKind] = frozenset({"click"})

    def __init__(self, film: Film, clock: FilmClock, latency: float = 0.03, push: bool = False) -> None:
        self.film = film
        self.looks: int = 0
        self._clock = clock
        self._latency = latency
        self._push = push

    def frame_at(self, t: float) -> Frame:
        return Frame(self.film.paint_moment(t), at=t)

    async def frame(self) -> Frame:
        self.looks += 1
        seen = self._clock.now()
        await self._clock.sleep(self._latency)
        return self.frame_at(seen)

    async def elements(self) -> tuple[Element, ...]:
        return ()

    async def app(self) -> AppInfo:
        return AppInfo(self.film.name)

    async def apps(self) -> tuple[str, ...]:
        return ()

    async def act(self, action: Action) -> str:
        return ""

    def changes(self) -> AsyncIterator[None] | None:
        return self._signal_changes() if self._push else None

    async def _signal_changes(self) -> AsyncIterator[None]:
        while True:
            await self._clock.changed.wait()
            self._clock.changed.clear()
            yield None

    async def close(self) -> None:
        return None


Rng = np.random.Generator


def page_jumps(rng: Rng) -> tuple[FilmLayer, ...]:
    return (make_cut(draw_any_page(rng), draw_any_page(rng), rng.uniform(0.02, 0.15)),)


def fade_over(rng: Rng) -> tuple[FilmLayer, ...]:
    start = rng.uniform(0.02, 0.12)
    return (make_fade(draw_any_page(rng), draw_any_page(rng), start, start + rng.uniform(0.15, 0.6)),)


def slide_in(rng: Rng) -> tuple[FilmLayer, ...]:
    start = rng.uniform(0.02, 0.12)
    return (make_slide(draw_any_page(rng), draw_any_page(rng), start, start + rng.uniform(0.2, 0.5)),)


def list_flings(rng: Rng) -> tuple[FilmLayer, ...]:
    start = rng.uniform(0.02, 0.1)
    return (make_scroll(rng, start, start + rng.uniform(0.3, 1.0), int(rng.integers(300, 900))),)


def spinner_that_ends(rng: Rng) -> tuple[FilmLayer, ...]:
    start, end = rng.uniform(0.03, 0.15), rng.uniform(0.5, 2.6)
    turning = make_spinner(270, 540, 32, start, end, float(rng.choice([FAST, 0.08, 0.125])), caused=True)
    return (make_cut(draw_any_page(rng), draw_blank(), start), make_cut_to(draw_any_page(rng), end), turning)


def busy_button(rng: Rng) -> tuple[FilmLayer, ...]:
    """Return a small spinner over a full page, then a short message."""
    start, end = rng.uniform(0.03, 0.15), rng.uniform(0.5, 2.6)
    turning = make_spinner(450, 900, 16, start, end, float(rng.choice([FAST, 0.08])), caused=True)
    return (make_still(draw_page(rng)), turning, make_patch(draw_page(rng)[400:500], 0, 860, end))


def endless_spinner(rng: Rng) -> tuple[FilmLayer, ...]:
    turning = make_spinner(270, 540, 24, -LEAD, END, float(rng.choice([FAST, 0.1])), caused=False)
    at = rng.uniform(0.03, 0.2)
    return (make_still(draw_page(rng)), make_patch(draw_page(rng)[150:400], 0, 700, at), turning)


def typed_letter(rng: Rng) -> tuple[FilmLayer, ...]:
    at = rng.uniform(0.02, 0.12)
    return (
        make_still(draw_page(rng)),
        make_patch(draw_letter(rng), 206, 84, at),
        make_caret(200, 80, rng.uniform(0, 0.5)),
    )


def typed_word(rng: Rng) -> tuple[FilmLayer, ...]:
    pace = rng.uniform(0.02, 0.1)
    letters = [make_patch(draw_letter(rng), 100 + 11 * n, 84, 0.02 + pace * n) for n in range(int(rng.integers(3, 9)))]
    return (make_still(draw_page(rng)), *letters, make_caret(96, 80, rng.uniform(0, 0.5)))


def ticking_clock(rng: Rng) -> tuple[FilmLayer, ...]:
    ticking = make_clock(rng, 480, 10, 1.0, rng.uniform(0, 1))
    toggled = make_patch(draw_page(rng)[500:540, 100:180], 440, 300, rng.uniform(0.02, 0.15))
    return (make_still(draw_page(rng)), ticking, toggled)


def loads_in_pieces(rng: Rng, waiting: bool = False) -> tuple[FilmLayer, ...]:
    """Return an empty page whose rows arrive one after another, with pauses of 100 to 800 ms."""
    at = rng.uniform(0.05, 0.2)
    empty = draw_page(rng, 0)
    layers = [make_cut(draw_any_page(rng), empty, at)]
    pieces = draw_rows(rng, 8)
    if rng.random() < 0.3:
        rng.shuffle(pieces)  # pyright: ignore[reportArgumentType] a list of tuples is shuffled in place like any other
    started = at
    while pieces:
        at += rng.uniform(0.1, 0.8)
        if at > 2.4:
            break
        for _ in range(int(rng.integers(1, 4))):
            if pieces:
                top, row = pieces.pop(0)
                layers.append(make_patch(row, 0, top, at))
    if waiting:
        layers.append(
            make_spinner(480, 80, 16, started, max(t for layer in layers for t in layer.times), FAST, caused=True)
        )
    return tuple(layers)


def loads_in_pieces_with_spinner(rng: Rng) -> tuple[FilmLayer, ...]:
    return loads_in_pieces(rng, waiting=True)


def video_in_a_corner(rng: Rng) -> tuple[FilmLayer, ...]:
    showing = make_video(rng, Rect(300, 760, 520, 900))
    start = rng.uniform(0.02, 0.1)
    picture = draw_page(rng)
    return (make_still(draw_page(rng)), make_patch(picture[130:700], 0, 130, start + rng.uniform(0, 0.2)), showing)


def nothing_happens(rng: Rng) -> tuple[FilmLayer, ...]:
    ticking = make_clock(rng, 480, 10, 1.0, rng.uniform(0, 1))
    return (make_still(draw_page(rng)), ticking, make_caret(200, 80, rng.uniform(0, 0.5)))


def late_answer(rng: Rng) -> tuple[FilmLayer, ...]:
    return (make_cut(draw_any_page(rng), draw_any_page(rng), rng.uniform(0.2, 0.75)),)


def ripple_then_page(rng: Rng) -> tuple[FilmLayer, ...]:
    """Return a touched row that lights up and fades back; only then, after a pause, the page comes."""
    start = rng.uniform(0.0, 0.05)
    end = start + rng.uniform(0.15, 0.3)
    row = draw_page(rng)
    pressed = row.copy()
    pressed[140:240, :, :3] = row[140:240, :, :3] // 8 * 6
    return (
        make_cut(row, pressed, start),
        make_fade_from(pressed, row, start, end),
        make_cut_to(draw_any_page(rng), end + rng.uniform(0.0, 0.6)),
    )


def keyboard_rises(rng: Rng) -> tuple[FilmLayer, ...]:
    start = rng.uniform(0.03, 0.15)
    keys = draw_page(rng)[130:560]
    rising = make_rising_panel(keys, start, start + rng.uniform(0.2, 0.35))
    return (make_still(draw_page(rng)), rising, make_caret(200, 80, rng.uniform(0, 0.5), start))


def dialog_fades_in(rng: Rng) -> tuple[FilmLayer, ...]:
    below = draw_page(rng)
    dimmed = below // 2
    dimmed[..., 3] = 255
    dimmed[400:700, 60:480] = draw_page(rng)[200:500, :420]
    start = rng.uniform(0.02, 0.12)
    return (make_fade(below, dimmed, start, start + rng.uniform(0.15, 0.35)),)


def skeleton_then_page(rng: Rng) -> tuple[FilmLayer, ...]:
    start, end = rng.uniform(0.03, 0.15), rng.uniform(0.6, 2.4)
    return (
        make_cut(draw_any_page(rng), draw_page(rng, 0), start),
        make_shimmer(start, end),
        make_cut_to(draw_page(rng), end),
    )


def progress_bar(rng: Rng) -> tuple[FilmLayer, ...]:
    start, end = rng.uniform(0.03, 0.15), rng.uniform(0.6, 2.4)
    return (
        make_still(draw_page(rng)),
        make_growing_bar(120, start, end, rng.uniform(0.04, 0.12)),
        make_cut_to(draw_page(rng), end),
    )


KINDS: tuple[Callable[[Rng], tuple[FilmLayer, ...]], ...] = (
    page_jumps, fade_over, slide_in, list_flings, spinner_that_ends, busy_button, endless_spinner, typed_letter,
    typed_word, ticking_clock, loads_in_pieces, loads_in_pieces_with_spinner, video_in_a_corner, nothing_happens,
    late_answer, ripple_then_page, keyboard_rises, dialog_fades_in, skeleton_then_page, progress_bar,
)  # fmt: skip


def make_films(each: int = 20, seed: int = 7) -> list[Film]:
    """Return `each` different films of every kind; the same seed draws the same films."""
    return [
        Film(kind.__name__.replace("_", " "), kind(np.random.default_rng([seed, number, take])))
        for number, kind in enumerate(KINDS)
        for take in range(each)
    ]
