"""Films of screens with known truth: what happens after an action, shown at any moment, in no real time.

A film's action is at second 0; what moves on its own has been moving since before that. `truth` is the moment
of the last change that the action caused: to look earlier is too early, to wait longer is waste.
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
    Layer,
    any_page,
    blank,
    blocks,
    caret,
    clock,
    cut,
    cut_to,
    fade,
    fade_from,
    growing_bar,
    letter,
    page,
    patch,
    scroll,
    scroll_up,
    shimmer,
    slide,
    spinner,
    still,
    video,
)
from deskhand.clock import ManualClock
from deskhand.core.actions import Action, ActionKind
from deskhand.core.geometry import Rect
from deskhand.core.screen import AppInfo, Element, Frame


@dataclass(frozen=True)
class Film:
    name: str
    layers: tuple[Layer, ...]
    truth: float = field(init=False)
    changes: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        caused = [t for layer in self.layers if layer.caused for t in layer.times]
        object.__setattr__(self, "truth", max(caused, default=0.0))
        object.__setattr__(self, "changes", tuple(sorted({t for layer in self.layers for t in layer.times})))

    def paint(self, t: float) -> Canvas:
        place = bisect_right(self.changes, t) - 1
        moment = self.changes[place] if place >= 0 else -LEAD
        canvas = np.empty((HEIGHT, WIDTH, 4), np.uint8)
        for layer in self.layers:
            layer.draw(canvas, moment)
        return canvas


class FilmClock(ManualClock):
    """Moves only by sleeping, and tells listeners of every change of the film it passes on the way."""

    def __init__(self, start: float, changes: tuple[float, ...] = ()) -> None:
        super().__init__(start)
        self.changed = asyncio.Event()
        self._changes = changes

    async def sleep(self, seconds: float) -> None:
        end = self.now() + max(0.0, seconds)
        while (place := bisect_right(self._changes, self.now())) < len(self._changes) and self._changes[place] <= end:
            await super().sleep(self._changes[place] - self.now())
            self.changed.set()
            for _ in range(4):  # turns of the loop, so that whoever waits for the change runs at its moment
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

    def at(self, t: float) -> Frame:
        return Frame(self.film.paint(t), at=t)

    async def frame(self) -> Frame:
        self.looks += 1
        seen = self._clock.now()
        await self._clock.sleep(self._latency)
        return self.at(seen)

    async def elements(self) -> tuple[Element, ...]:
        return ()

    async def app(self) -> AppInfo:
        return AppInfo(self.film.name)

    async def apps(self) -> tuple[str, ...]:
        return ()

    async def act(self, action: Action) -> str:
        return ""

    def changes(self) -> AsyncIterator[None] | None:
        return self._signals() if self._push else None

    async def _signals(self) -> AsyncIterator[None]:
        while True:
            await self._clock.changed.wait()
            self._clock.changed.clear()
            yield None

    async def close(self) -> None:
        return None


Rng = np.random.Generator


def jump(rng: Rng) -> tuple[Layer, ...]:
    return (cut(any_page(rng), any_page(rng), rng.uniform(0.02, 0.15)),)


def fade_over(rng: Rng) -> tuple[Layer, ...]:
    start = rng.uniform(0.02, 0.12)
    return (fade(any_page(rng), any_page(rng), start, start + rng.uniform(0.15, 0.6)),)


def slide_in(rng: Rng) -> tuple[Layer, ...]:
    start = rng.uniform(0.02, 0.12)
    return (slide(any_page(rng), any_page(rng), start, start + rng.uniform(0.2, 0.5)),)


def fling(rng: Rng) -> tuple[Layer, ...]:
    start = rng.uniform(0.02, 0.1)
    return (scroll(rng, start, start + rng.uniform(0.3, 1.0), int(rng.integers(300, 900))),)


def spinner_that_ends(rng: Rng) -> tuple[Layer, ...]:
    start, end = rng.uniform(0.03, 0.15), rng.uniform(0.5, 2.6)
    turning = spinner(270, 540, 32, start, end, float(rng.choice([FAST, 0.08, 0.125])), caused=True)
    return (cut(any_page(rng), blank(), start), cut_to(any_page(rng), end), turning)


def busy_button(rng: Rng) -> tuple[Layer, ...]:
    """A small spinner over a full page, then a short message."""
    start, end = rng.uniform(0.03, 0.15), rng.uniform(0.5, 2.6)
    turning = spinner(450, 900, 16, start, end, float(rng.choice([FAST, 0.08])), caused=True)
    return (still(page(rng)), turning, patch(page(rng)[400:500], 0, 860, end))


def endless_spinner(rng: Rng) -> tuple[Layer, ...]:
    turning = spinner(270, 540, 24, -LEAD, END, float(rng.choice([FAST, 0.1])), caused=False)
    at = rng.uniform(0.03, 0.2)
    return (still(page(rng)), patch(page(rng)[150:400], 0, 700, at), turning)


def typed_letter(rng: Rng) -> tuple[Layer, ...]:
    at = rng.uniform(0.02, 0.12)
    return (still(page(rng)), patch(letter(rng), 206, 84, at), caret(200, 80, rng.uniform(0, 0.5)))


def typed_word(rng: Rng) -> tuple[Layer, ...]:
    pace = rng.uniform(0.02, 0.1)
    letters = [patch(letter(rng), 100 + 11 * n, 84, 0.02 + pace * n) for n in range(int(rng.integers(3, 9)))]
    return (still(page(rng)), *letters, caret(96, 80, rng.uniform(0, 0.5)))


def ticking_clock(rng: Rng) -> tuple[Layer, ...]:
    ticking = clock(rng, 480, 10, 1.0, rng.uniform(0, 1))
    toggled = patch(page(rng)[500:540, 100:180], 440, 300, rng.uniform(0.02, 0.15))
    return (still(page(rng)), ticking, toggled)


def loads_in_pieces(rng: Rng, waiting: bool = False) -> tuple[Layer, ...]:
    """An empty page whose rows arrive one after another, with pauses of 100 to 800 ms."""
    at = rng.uniform(0.05, 0.2)
    empty = page(rng, 0)
    layers = [cut(any_page(rng), empty, at)]
    pieces = blocks(rng, 8)
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
                layers.append(patch(row, 0, top, at))
    if waiting:
        layers.append(spinner(480, 80, 16, started, max(t for layer in layers for t in layer.times), FAST, caused=True))
    return tuple(layers)


def loads_in_pieces_with_spinner(rng: Rng) -> tuple[Layer, ...]:
    return loads_in_pieces(rng, waiting=True)


def video_in_a_corner(rng: Rng) -> tuple[Layer, ...]:
    showing = video(rng, Rect(300, 760, 520, 900))
    start = rng.uniform(0.02, 0.1)
    picture = page(rng)
    return (still(page(rng)), patch(picture[130:700], 0, 130, start + rng.uniform(0, 0.2)), showing)


def nothing_happens(rng: Rng) -> tuple[Layer, ...]:
    ticking = clock(rng, 480, 10, 1.0, rng.uniform(0, 1))
    return (still(page(rng)), ticking, caret(200, 80, rng.uniform(0, 0.5)))


def late_answer(rng: Rng) -> tuple[Layer, ...]:
    return (cut(any_page(rng), any_page(rng), rng.uniform(0.2, 0.75)),)


def ripple_then_page(rng: Rng) -> tuple[Layer, ...]:
    """The row that was touched lights up and fades back; only then, after a pause, the page comes."""
    start = rng.uniform(0.0, 0.05)
    end = start + rng.uniform(0.15, 0.3)
    row = page(rng)
    pressed = row.copy()
    pressed[140:240, :, :3] = row[140:240, :, :3] // 8 * 6
    return (
        cut(row, pressed, start),
        fade_from(pressed, row, start, end),
        cut_to(any_page(rng), end + rng.uniform(0.0, 0.6)),
    )


def keyboard_rises(rng: Rng) -> tuple[Layer, ...]:
    start = rng.uniform(0.03, 0.15)
    keys = page(rng)[130:560]
    rising = scroll_up(keys, start, start + rng.uniform(0.2, 0.35))
    return (still(page(rng)), rising, caret(200, 80, rng.uniform(0, 0.5), start))


def dialog_fades_in(rng: Rng) -> tuple[Layer, ...]:
    below = page(rng)
    dimmed = below // 2
    dimmed[..., 3] = 255
    dimmed[400:700, 60:480] = page(rng)[200:500, :420]
    start = rng.uniform(0.02, 0.12)
    return (fade(below, dimmed, start, start + rng.uniform(0.15, 0.35)),)


def skeleton_then_page(rng: Rng) -> tuple[Layer, ...]:
    start, end = rng.uniform(0.03, 0.15), rng.uniform(0.6, 2.4)
    return (cut(any_page(rng), page(rng, 0), start), shimmer(start, end), cut_to(page(rng), end))


def progress_bar(rng: Rng) -> tuple[Layer, ...]:
    start, end = rng.uniform(0.03, 0.15), rng.uniform(0.6, 2.4)
    return (still(page(rng)), growing_bar(120, start, end, rng.uniform(0.04, 0.12)), cut_to(page(rng), end))


KINDS: tuple[Callable[[Rng], tuple[Layer, ...]], ...] = (
    jump, fade_over, slide_in, fling, spinner_that_ends, busy_button, endless_spinner, typed_letter, typed_word,
    ticking_clock, loads_in_pieces, loads_in_pieces_with_spinner, video_in_a_corner, nothing_happens, late_answer,
    ripple_then_page, keyboard_rises, dialog_fades_in, skeleton_then_page, progress_bar,
)  # fmt: skip


def films(each: int = 20, seed: int = 7) -> list[Film]:
    """`each` different films of every kind; the same seed draws the same films."""
    return [
        Film(kind.__name__.replace("_", " "), kind(np.random.default_rng([seed, number, take])))
        for number, kind in enumerate(KINDS)
        for take in range(each)
    ]
