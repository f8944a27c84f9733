"""Delay and error rate of calling a screen still: our settle beside fixed sleeps and beside two equal frames."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from deskhand.bench.film_layers import LEAD
from deskhand.bench.films import Film, FilmClock, FilmDevice, make_films
from deskhand.core.protocols import Device
from deskhand.core.screen import Frame
from deskhand.screen.diff import measure_change
from deskhand.screen.stillness.settle import VisualStability
from deskhand.settings.schema import SettleSettings

_LOOK_EVERY = 0.7
INTERVAL = 0.2


@dataclass(frozen=True)
class FilmVerdict:
    """The verdict on one film: its delay after the truth, and whether it used a picture from before it."""

    film: str
    delay: float
    early: bool
    looks: int


@dataclass(frozen=True)
class SettleMethod:
    """The verdicts on all films by one way of waiting."""

    name: str
    shown: tuple[FilmVerdict, ...]

    @property
    def early(self) -> float:
        return float(np.mean([s.early for s in self.shown]))

    @property
    def median(self) -> float:
        return float(np.median([s.delay for s in self.shown if not s.early]))

    @property
    def slow(self) -> float:
        return float(np.percentile([s.delay for s in self.shown if not s.early], 90))

    @property
    def looks(self) -> float:
        return float(np.mean([s.looks for s in self.shown]))


async def show_film(film: Film, latency: float, push: bool = False) -> FilmVerdict:
    """Let our settle watch a film, after it has seen the seconds before the action as on a watched device."""
    clock = FilmClock(0.0, film.changes if push else ())
    device = FilmDevice(film, clock, latency, push)
    settle = VisualStability(SettleSettings(), clock)
    before = device.frame_at(-LEAD)
    for t in np.arange(-LEAD + _LOOK_EVERY, -0.05, _LOOK_EVERY):
        later = device.frame_at(float(t))
        settle.motion_of(device.id).learn_idle(before, later)
        before = later
    result = await settle(device, before)
    return FilmVerdict(film.name, clock.now() - film.truth, result.frame.at < film.truth, device.looks)


Wait = Callable[[Device, FilmClock], Awaitable[Frame]]


def make_sleep(seconds: float) -> Wait:
    async def sleep_then_look(device: Device, clock: FilmClock) -> Frame:
        await clock.sleep(seconds)
        return await device.frame()

    return sleep_then_look


async def wait_for_equal_frames(device: Device, clock: FilmClock) -> Frame:
    """Capture every interval until a frame equals the one before it, for three seconds, as others do."""
    last = await device.frame()
    while clock.now() < 3.0:
        await clock.sleep(INTERVAL)
        frame = await device.frame()
        if measure_change(last, frame) < SettleSettings().threshold:
            return frame
        last = frame
    return last


async def _show_plainly(film: Film, wait: Wait, latency: float) -> FilmVerdict:
    clock = FilmClock(0.0)
    device = FilmDevice(film, clock, latency)
    frame = await wait(device, clock)
    return FilmVerdict(film.name, clock.now() - film.truth, frame.at < film.truth, device.looks)


async def compare_methods(each: int = 20, seed: int = 7) -> list[SettleMethod]:
    """Return ours at the capture times of a browser and of a phone, and with push signals; then the others."""
    reel = make_films(each, seed)
    ours = [("settle, browser", 0.015, False), ("settle, phone", 0.05, False), ("settle, push signals", 0.015, True)]
    others = [(f"sleep {n} s", make_sleep(float(n))) for n in (1, 2, 3)] + [("two equal frames", wait_for_equal_frames)]
    return [
        *[
            SettleMethod(name, tuple([await show_film(film, latency, push) for film in reel]))
            for name, latency, push in ours
        ],
        *[SettleMethod(name, tuple([await _show_plainly(film, wait, 0.03) for film in reel])) for name, wait in others],
    ]


# --- the chart -----------------------------------------------------------------------------------------

_SIZE = (1000, 640)
_PLOT = (110, 60, 700, 560)
_COLOURS = ("#1664c8", "#0a9a6c", "#7a3fc0", "#c87a16", "#c85a16", "#c83a16", "#555555")


def draw_chart(methods: list[SettleMethod], file: Path) -> Path:
    """Draw delay against error: the best corner is at the bottom left."""
    image = Image.new("RGB", _SIZE, "white")
    pen = ImageDraw.Draw(image)
    small, large = ImageFont.load_default(15), ImageFont.load_default(20)
    left, top, right, bottom = _PLOT
    most_delay = max(0.5, *(m.slow for m in methods)) * 1.05
    most_early = max(0.05, *(m.early for m in methods)) * 1.1
    pen.rectangle(_PLOT, outline="#888888")
    pen.text((left, 18), "Delay after the screen became still, and how often it was called too early", "black", large)
    for share in (0, 0.25, 0.5, 0.75, 1):
        x, y = left + share * (right - left), bottom - share * (bottom - top)
        pen.line((x, bottom, x, bottom + 6), "#888888")
        pen.text((x, bottom + 10), f"{share * most_delay:.1f} s", "black", small, anchor="ma")
        pen.line((left - 6, y, left, y), "#888888")
        pen.text((left - 10, y), f"{share * most_early:.0%}", "black", small, anchor="rm")
    pen.text(((left + right) / 2, bottom + 38), "delay: median (dot) to 90th percentile (line)", "black", small, "ma")
    pen.text((14, top - 24), "too early", "black", small)
    for number, method in enumerate(methods):
        colour = _COLOURS[number % len(_COLOURS)]
        x = left + method.median / most_delay * (right - left)
        end = left + method.slow / most_delay * (right - left)
        y = bottom - method.early / most_early * (bottom - top)
        pen.line((x, y, end, y), colour, 3)
        pen.ellipse((x - 7, y - 7, x + 7, y + 7), fill=colour)
        row = top + 10 + number * 62
        pen.ellipse((right + 24, row + 3, right + 36, row + 15), fill=colour)
        pen.text((right + 46, row), method.name, "black", small)
        told = f"{method.median * 1000:.0f} ms median, {method.early:.1%} early"
        pen.text((right + 46, row + 20), told, "#555555", small)
    file.parent.mkdir(parents=True, exist_ok=True)
    image.save(file)
    return file
