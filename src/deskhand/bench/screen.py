"""Measures perception: the cost of comparing frames; settling, stuck detection and reading against known truth."""

import asyncio
import resource
import time
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import numpy as np

from deskhand.bench.film_layers import make_still
from deskhand.bench.films import Film, FilmClock, FilmDevice
from deskhand.bench.rows import Row
from deskhand.bench.screen_labels import draw_screens, is_found, render_pages
from deskhand.bench.screen_settle import INTERVAL, SettleMethod, compare_methods, draw_chart
from deskhand.bench.stuck_films import measure_rates
from deskhand.clock import SystemClock
from deskhand.core.screen import Frame
from deskhand.screen.diff import change_between, measure_change
from deskhand.screen.ocr.screen_text import ScreenText
from deskhand.screen.perception import Perception

_FULL_HD = (1080, 1920, 4)
_RING = 6
_WATCHED_S = 4.0


async def run_suite(out: Path) -> list[Row]:
    return [
        *await asyncio.to_thread(_measure_comparisons),
        await _measure_watching(),
        *await _measure_settling(out),
        *await asyncio.to_thread(_measure_stuck),
        *await _measure_reading(),
    ]


def _measure_comparisons() -> list[Row]:
    """Measure each against a copy of the same bytes, over a ring of frames: captures never meet a warm cache."""
    rng = np.random.default_rng(1)
    pictures = [rng.integers(0, 255, _FULL_HD, np.uint8)]
    for number in range(1, _RING):
        pictures.append(pictures[0].copy())
        pictures[number][100:140, 100 * number : 100 * number + 40] = number
    frames = [Frame(picture) for picture in pictures]
    target = np.empty_like(pictures[0])

    def over_ring(work: Callable[[Frame, Frame], object]) -> Callable[[], None]:
        def go_round() -> None:
            for number in range(_RING):
                work(frames[number], frames[number - 1])

        return go_round

    copy, fraction, tiles = _time_fastest(
        over_ring(lambda a, _: np.copyto(target, a.pixels)), over_ring(measure_change), over_ring(change_between)
    )
    ms = 1000 / _RING
    return [
        Row("full-HD comparison, copies of the same bytes", fraction / copy, limit=2.0, note=f"{fraction * ms:.2f} ms"),
        Row("full-HD tile mask, copies of the same bytes", tiles / copy, limit=4.0, note=f"{tiles * ms:.2f} ms"),
    ]


def _time_fastest(*works: Callable[[], None]) -> list[float]:
    """Return the best of many rounds, taken in turns, so that a busy moment affects all alike."""
    best = [float("inf")] * len(works)
    for _ in range(60):
        for number, work in enumerate(works):
            begun = time.perf_counter()
            work()
            best[number] = min(best[number], time.perf_counter() - begun)
    return best


class _FullHd(FilmDevice):
    """Returns a fresh full-HD frame at once, so that only our own work is measured."""

    picture = np.random.default_rng(2).integers(0, 255, _FULL_HD, np.uint8)

    async def frame(self) -> Frame:
        self.looks += 1
        return Frame(self.picture.copy())


async def _measure_watching() -> Row:
    """Measure the CPU time of watching a still screen, without the capture itself."""
    clock = SystemClock()
    device = _FullHd(Film("still", (make_still(np.zeros((1, 1, 4), np.uint8)),)), FilmClock(0.0))
    async with Perception(device, lambda _: None, clock):
        begun, used = clock.now(), resource.getrusage(resource.RUSAGE_SELF)
        await clock.sleep(_WATCHED_S)
        spent, elapsed = resource.getrusage(resource.RUSAGE_SELF), clock.now() - begun
    cpu = spent.ru_utime + spent.ru_stime - used.ru_utime - used.ru_stime
    return Row("watching a still full-HD screen", 100 * cpu / elapsed, "% of a core", 3.0, note=f"{device.looks} looks")


async def _measure_settling(out: Path) -> list[Row]:
    methods = await compare_methods()
    draw_chart(methods, out / "settle.png")
    rows: list[Row] = []
    for number, method in enumerate(methods):
        ours = number < 3
        note = f"p90 {1000 * method.slow:.0f} ms, {method.looks:.0f} looks, {_describe_worst(method)}"
        rows.append(Row(f"{method.name}: median delay", 1000 * method.median, "ms", 1000 * INTERVAL if ours else None))
        rows.append(Row(f"{method.name}: too early", 100 * method.early, "%", 2.0 if ours else None, note=note))
    return rows


def _describe_worst(method: SettleMethod) -> str:
    early: dict[str, int] = {}
    for shown in method.shown:
        early[shown.film] = early.get(shown.film, 0) + shown.early
    name, count = max(early.items(), key=lambda item: item[1])
    return f"most early in '{name}' ({count})" if count else f"none early of {len(method.shown)}"


def _measure_stuck() -> list[Row]:
    rows: list[Row] = []
    for what, share in measure_rates().items():
        if what.startswith("false"):
            rows.append(Row(what, 100 * share, "%", 0.0))
        else:
            rows.append(Row(what, 100 * share, "%", 99.0 if what.startswith("no effect") else None, "more"))
    return rows


async def _measure_reading() -> list[Row]:
    """Measure the labels found with the right words within a few pixels, and the time of one reading."""
    text = ScreenText()
    buttons = hits = others = other_hits = 0
    took: list[float] = []
    try:
        for screen in chain(draw_screens(), await render_pages()):
            begun = time.perf_counter()
            lines = await text.read_lines(screen.frame, screen.name)
            took.append(time.perf_counter() - begun)
            for label in screen.labels:
                hit = is_found(label, lines)
                if label.button:
                    buttons, hits = buttons + 1, hits + hit
                else:
                    others, other_hits = others + 1, other_hits + hit
    finally:
        text.close()
    return [
        Row("button labels read, within 5 px", 100 * hits / buttons, "%", 98.0, "more", f"{hits} of {buttons}"),
        Row("other texts of touchable rows read", 100 * other_hits / others, "%", note=f"{other_hits} of {others}"),
        Row("reading one whole screen, median", 1000 * float(np.median(took)), "ms", note=f"{len(took)} screens"),
    ]
