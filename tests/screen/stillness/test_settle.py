"""A screen is called still soon after it is, and not before; what moves on its own does not count."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.bench.films import KINDS, Film, FilmClock, FilmDevice
from deskhand.bench.screen_settle import show_film
from deskhand.clock import SystemClock
from deskhand.core.errors import BadFrame, DeviceGone, DeviceTimeout
from deskhand.core.screen import Frame, SettleResult
from deskhand.screen.stillness.settle import VisualStability
from deskhand.settings.schema import SettleSettings
from tests.promptness import AT_ONCE_S
from tests.screen.pictures import noise, painted, plain

BUSY = noise(400, 800)


class Screen(FilmDevice):
    """Shows what `shown` says for a moment; a fault in it is raised."""

    def __init__(
        self,
        clock: FilmClock,
        shown: Callable[[float], Frame | Exception],
        push: Iterable[float] = (),
        latency: float = 0.01,
    ) -> None:
        super().__init__(Film("screen", ()), clock, latency=latency, push=bool(push))
        self._shown = shown

    def frame_at(self, t: float) -> Frame:
        shown = self._shown(t)
        if isinstance(shown, Exception):
            raise shown
        return Frame(shown.pixels, shown.order, t)


async def settle(
    shown: Callable[[float], Frame | Exception], before: Frame = BUSY, push: tuple[float, ...] = (), **changed: object
) -> tuple[SettleResult, float, int]:
    clock = FilmClock(0.0, push)
    device = Screen(clock, shown, push)
    result = await VisualStability(SettleSettings.model_validate(changed), clock)(device, before)
    return result, clock.now(), device.looks


def steps(*changes: float) -> Callable[[float], Frame]:
    """A full page that looks different after each of these moments."""
    pages = [BUSY, *(painted(BUSY, 0, 100 * n, 400, 100 * n + 100, 9 * n) for n in range(1, len(changes) + 1))]
    return lambda t: pages[sum(t >= moment for moment in changes)]


def in_pieces(*moments: float) -> Callable[[float], Frame]:
    """An empty page with a title, whose rows come one after the other at these moments."""
    empty = plain(400, 800)
    full = painted(BUSY, 0, 0, 400, 60, 30)
    height = min(130, 700 // len(moments))

    def shown(t: float) -> Frame:
        arrived = sum(t >= moment for moment in moments)
        pixels = empty.pixels.copy()
        if arrived:
            pixels[:60] = full.pixels[:60]
            pixels[100 : 100 + height * (arrived - 1)] = full.pixels[100 : 100 + height * (arrived - 1)]
        return Frame(pixels) if arrived else BUSY

    return shown


async def test_one_change_is_still_within_an_interval() -> None:
    result, ended, _ = await settle(steps(0.05))
    assert result.still
    assert result.frame.at >= 0.05
    assert ended - 0.05 <= 0.2
    assert result.moving == ()


@given(st.floats(0.0, 0.8))
async def test_one_change_is_seen_whenever_it_comes(moment: float) -> None:
    result, ended, _ = await settle(steps(moment))
    assert result.still
    assert result.frame.at >= moment
    assert ended <= moment + 0.3 or ended <= 0.9


async def test_where_nothing_happens_more_patience_is_shown_but_not_all_of_it() -> None:
    result, ended, _ = await settle(steps())
    assert result.still
    assert 0.8 < ended < 1.0
    _, shorter, _ = await settle(steps(), patience_ms=300)
    assert shorter < 0.5


@given(st.lists(st.floats(0.1, 0.8), min_size=2, max_size=5))
async def test_a_page_that_comes_in_pieces_is_waited_for(pauses: list[float]) -> None:
    moments = [0.05, *(0.05 + float(total) for total in np.cumsum(pauses))]
    result, _, _ = await settle(in_pieces(*moments))
    assert result.frame.at >= min(moments[-1], 2.9)


async def test_what_never_stops_is_given_up_on_and_named() -> None:
    result, ended, _ = await settle(lambda t: painted(BUSY, 120, 160, 160, 200, int(t * 40) % 250))
    assert not result.still
    assert 2.9 < ended < 3.2
    assert result.waited_ms == pytest.approx(ended * 1000, abs=1)
    assert [box for box in result.moving if box.contains_point(140, 180)]
    assert all(box.area < 400 * 800 / 4 for box in result.moving)


async def test_what_never_stopped_is_ignored_the_next_time() -> None:
    clock = FilmClock(0.0)

    def shown(t: float) -> Frame:
        spinning = painted(BUSY, 120, 160, 160, 200, int(t * 40) % 250)
        return painted(spinning, 0, 500, 400, 700, 70) if t > 10.05 else spinning

    device = Screen(clock, shown)
    still = VisualStability(SettleSettings(), clock)
    assert not (await still(device, device.frame_at(0.0))).still
    await clock.sleep(10 - clock.now())
    second = await still(device, device.frame_at(9.9))
    assert second.still
    assert second.waited_ms < 400


async def test_two_looks_that_were_seconds_apart_are_no_proof_of_restlessness() -> None:
    """A busy machine: in one look the app opens, in the next one it is there. Nothing of it moves on its own."""
    clock = FilmClock(0.0)
    device = Screen(clock, steps(0.05, 1.5), latency=1.6)
    still = VisualStability(SettleSettings(), clock)
    assert not (await still(device, BUSY)).still
    assert device.looks == 2
    assert still.motion_of(device.id).list_habits() == {}


async def test_a_caret_that_was_seen_blinking_does_not_count_but_a_letter_does() -> None:
    clock = FilmClock(0.0)

    def shown(t: float) -> Frame:
        typed = painted(BUSY, 90, 84, 100, 100, 200) if t > 5.02 else BUSY
        return painted(typed, 80, 80, 82, 106, 0) if t % 1.06 < 0.53 else typed

    device = Screen(clock, shown)
    still = VisualStability(SettleSettings(), clock)
    looks = [device.frame_at(t * 0.7) for t in range(7)]
    for earlier, later in pairwise(looks):
        still.motion_of(device.id).learn_idle(earlier, later)
    await clock.sleep(5.0)
    result = await still(device, device.frame_at(4.95))
    assert result.still
    assert result.waited_ms <= 250  # the letter was seen as an effect: nobody waits for one any longer
    assert result.frame.at > 5.02


async def test_push_signals_save_looks_and_time() -> None:
    polled, polled_end, polled_looks = await settle(steps(0.4))
    pushed, pushed_end, pushed_looks = await settle(steps(0.4), push=(0.4,))
    assert polled.still
    assert pushed.still
    assert pushed_end <= polled_end
    assert pushed_looks < polled_looks


async def test_a_push_stream_that_breaks_is_replaced_by_looking() -> None:
    class Broken(Screen):
        def changes(self) -> AsyncIterator[None]:
            async def stream() -> AsyncIterator[None]:
                raise DeviceGone("the stream ended")
                yield

            return stream()

    clock = FilmClock(0.0)
    result = await VisualStability(SettleSettings(), clock)(Broken(clock, steps(0.3)), BUSY)
    assert result.still
    assert result.frame.at >= 0.3


async def test_a_turned_screen_is_a_change_like_any_other() -> None:
    result, ended, _ = await settle(lambda t: noise(800, 400) if t > 0.1 else BUSY)
    assert result.still
    assert result.frame.size == (800, 400)
    assert ended < 0.5


async def test_a_black_screen_is_still() -> None:
    result, _, _ = await settle(lambda t: plain(400, 800, 0))
    assert result.still


async def test_half_a_picture_is_looked_at_again() -> None:
    result, _, _ = await settle(lambda t: BadFrame("half a picture") if 0.1 < t < 0.3 else steps(0.05)(t))
    assert result.still


async def test_only_bad_pictures_are_the_device_s_fault() -> None:
    with pytest.raises(BadFrame):
        await settle(lambda t: BadFrame("half a picture"), max_wait_ms=500)


async def test_a_device_that_is_gone_is_not_waited_for() -> None:
    with pytest.raises(DeviceGone):
        await settle(lambda t: DeviceGone("unplugged"))


@pytest.mark.parametrize(
    ("change", "longer"),
    [({"still_frames": 6}, True), ({"interval_ms": 400}, True), ({"interval_ms": 100}, False)],
)
async def test_each_setting_changes_the_wait(change: dict[str, Any], longer: bool) -> None:
    _, usual, _ = await settle(steps(0.05))
    _, other, _ = await settle(steps(0.05), **change)
    assert (other > usual) == longer


async def test_the_threshold_says_what_is_too_small_to_start_the_wait_again() -> None:
    def shown(t: float) -> Frame:  # an empty page, on which a small thing appears while more is expected
        empty = plain(400, 800)
        return BUSY if t < 0.05 else painted(empty, 0, 700, 60, 760, 3) if t > 0.6 else empty

    _, ignoring, _ = await settle(shown, threshold=0.02)
    _, heeding, _ = await settle(shown, threshold=0.001)
    assert ignoring < 1.0
    assert heeding > 1.4


@pytest.mark.parametrize(("blank_rows", "patient"), [(7, False), (13, True)])
async def test_only_a_page_that_is_mostly_blank_is_expected_to_fill(blank_rows: int, patient: bool) -> None:
    page = painted(noise(400, 800, 3), 0, 0, 400, 40 * blank_rows, 240)
    result, ended, _ = await settle(lambda t: page if t >= 0.05 else BUSY)
    assert result.still
    assert (ended > 0.8) == patient


@pytest.mark.parametrize(("tiles", "patient"), [(14, False), (28, True)])
async def test_a_small_change_on_an_empty_page_is_no_page_that_fills(tiles: int, patient: bool) -> None:
    empty = plain(400, 800)
    changed = painted(empty, 0, 0, 280, 40 * tiles // 7, 30)
    result, ended, _ = await settle(lambda t: changed if t >= 0.05 else empty, before=empty)
    assert result.still
    assert (ended > 0.8) == patient


@pytest.mark.parametrize(("columns", "patient"), [(4, True), (8, False)])
async def test_most_of_the_screen_at_once_is_a_finished_page_and_less_is_a_piece(columns: int, patient: bool) -> None:
    empty = plain(400, 800)
    pixels = empty.pixels.copy()
    pixels[:, : 40 * columns] = noise(40 * columns, 800, 3).pixels
    filled = Frame(pixels)
    result, ended, _ = await settle(lambda t: BUSY if t < 0.05 else empty if t < 0.5 else filled)
    assert result.still
    assert result.frame.at >= 0.5
    assert (ended > 1.2) == patient


@pytest.mark.parametrize(
    ("pause", "right", "bottom", "still"),
    [(0.35, 2, 30, True), (0.18, 2, 30, False), (0.35, 400, 2, True), (0.35, 2, 800, False)],
    ids=["caret", "spinner", "line of ten tiles", "line of twenty tiles"],
)
async def test_only_what_is_small_and_slow_may_blink_on_a_still_page(
    pause: float, right: int, bottom: int, still: bool
) -> None:
    empty = plain(400, 800)
    blinking = painted(empty, 0, 0, right, bottom, 0)

    def shown(t: float) -> Frame:
        return BUSY if t < 0.05 else blinking if (t - 0.05) % (2 * pause) >= pause else empty

    result, _, _ = await settle(shown)
    assert result.still == still


async def test_a_few_slow_looks_are_enough_to_know_what_never_stops() -> None:
    clock = FilmClock(0.0)
    device = Screen(clock, lambda t: painted(BUSY, 120, 160, 320, 360, int(t * 40) % 250), latency=0.7)
    still = VisualStability(SettleSettings(), clock)
    assert not (await still(device, BUSY)).still
    assert 3 <= device.looks < 6
    assert len(still.motion_of(device.id).list_habits()) == 5 * 5


async def test_no_time_at_all_is_one_look() -> None:
    result, ended, looks = await settle(steps(0.05), max_wait_ms=0)
    assert looks == 1
    assert ended < 0.1
    assert not result.still


async def opened(
    shown: Callable[[float], Frame | Exception], push: tuple[float, ...] = (), **changed: object
) -> tuple[SettleResult, float]:
    clock = FilmClock(0.0, push)
    settle = VisualStability(SettleSettings.model_validate(changed), clock)
    return await settle.wait_for_animation_completion(Screen(clock, shown, push), BUSY), clock.now()


SLOWLY = tuple(0.7 * n for n in range(1, 9))


@pytest.mark.parametrize("push", [(), SLOWLY], ids=["polled", "pushed"])
async def test_what_was_opened_is_waited_for_while_it_comes_along(push: tuple[float, ...]) -> None:
    result, ended = await opened(in_pieces(*SLOWLY), push)
    assert result.still
    assert result.frame.at >= SLOWLY[-1]
    assert ended < SLOWLY[-1] + 1
    usual, ended, _ = await settle(in_pieces(*SLOWLY), push=push)
    assert usual.frame.at < SLOWLY[-1]
    assert ended < 3.2


@pytest.mark.parametrize("seconds", [1.3, 1.9])
async def test_a_late_and_long_transition_is_waited_for_after_opening(seconds: float) -> None:
    def shown(t: float) -> Frame:  # a spinner on an empty page, which then fades into the full one
        spinning = painted(plain(400, 800), 180, 380, 220, 420, int(t * 40) % 250)
        share = min(1.0, max(0.0, (t - 2.4) / seconds))
        return Frame((spinning.pixels * (1 - share) + BUSY.pixels * share).astype(np.uint8))

    result, ended = await opened(shown)
    assert result.still
    assert result.frame.at >= 2.4 + seconds
    assert ended < 3.4 + seconds


async def test_slides_that_follow_each_other_slowly_are_a_film() -> None:
    def shown(t: float) -> Frame:  # with a spinner, so that the time between two slides is never still
        return painted(plain(400, 800, 200 + int(t / 0.9)), 180, 380, 220, 420, int(t * 40) % 250)

    _, ended = await opened(shown)
    assert ended < 3.2


@given(st.floats(0.0, 0.6), st.sampled_from([2.0, 5.0, 30.0]), st.sampled_from([(40, 40), (240, 200), (400, 800)]))
async def test_an_opened_page_with_a_film_takes_no_longer_than_any_other(
    came: float, rate: float, size: tuple[int, int]
) -> None:
    def shown(t: float) -> Frame:
        if t < came:
            return noise(400, 800, 3)
        pixels = BUSY.pixels.copy()
        pixels[: size[1], : size[0], :3] = noise(*size, 7 + int(t * rate)).pixels[..., :3]
        return Frame(pixels)

    result, ended = await opened(shown)
    assert ended < 3.2
    assert result.still or result.moving


async def test_what_is_opened_after_a_film_is_not_taken_for_the_film() -> None:
    clock, page = FilmClock(0.0), in_pieces(10.1, 10.6, 11.1, 11.6)
    film = [painted(plain(400, 800), 40, 40, 360, 760, shade) for shade in range(0, 250, 25)]
    device = Screen(clock, lambda t: film[int(t * 20) % len(film)] if t < 10.05 else page(max(t, 10.1)))
    still = VisualStability(SettleSettings(), clock)
    assert not (await still(device, device.frame_at(0.0))).still
    await clock.sleep(10 - clock.now())
    opened = await still.wait_for_animation_completion(device, device.frame_at(9.9))
    assert opened.still
    assert opened.frame.at >= 11.6


async def test_the_wait_after_opening_has_a_limit_which_is_a_setting() -> None:
    _, ended = await opened(in_pieces(*SLOWLY), max_opening_ms=4000)
    assert 4.0 <= ended < 4.2
    _, ended = await opened(in_pieces(*SLOWLY), max_opening_ms=0)
    assert 3.0 <= ended < 3.2  # never less than for any other action


async def test_a_wait_that_was_cut_short_teaches_nothing() -> None:
    """The action after it lies between the frames around it, so what differs there did not move on its own."""
    clock = FilmClock(0.0)
    device = Screen(clock, steps(0.05, 2.05))
    still = VisualStability(SettleSettings(), clock)
    await still(device, BUSY)
    await clock.sleep(2 - clock.now())
    cut = asyncio.create_task(still(device, device.frame_at(2.0)))
    await asyncio.sleep(0)
    cut.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cut
    await clock.sleep(3 - clock.now())
    await still(device, device.frame_at(3.0))
    assert still.motion_of(device.id).list_habits() == {}


async def test_stop_ends_the_wait_at_once() -> None:
    class Slow(Screen):
        async def frame(self) -> Frame:
            await asyncio.Event().wait()
            raise AssertionError

    clock = SystemClock()
    waiting = asyncio.create_task(VisualStability(SettleSettings(), clock)(Slow(FilmClock(0.0), steps()), BUSY))
    await clock.sleep(0.1)
    asked = time.monotonic()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert time.monotonic() - asked < AT_ONCE_S


async def test_a_device_that_never_answers_is_a_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dumb(Screen):
        async def frame(self) -> Frame:
            await asyncio.Event().wait()
            raise AssertionError

    monkeypatch.setattr("deskhand.screen.stillness.change_signal._LOOK_TIMEOUT_S", 0.05)
    clock = FilmClock(0.0)
    with pytest.raises(DeviceTimeout, match="film"):
        await VisualStability(SettleSettings(), clock)(Dumb(clock, steps()), BUSY)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
async def test_films_are_not_called_still_too_early(kind: Callable[[np.random.Generator], tuple[object, ...]]) -> None:
    film = Film(kind.__name__, kind(np.random.default_rng(5)))  # type: ignore[arg-type]  # layers of one of the films
    shown = await show_film(film, latency=0.03)
    assert not shown.early
    assert shown.delay < 1.2
