"""The newest frame is kept without being in the way, and what nobody caused is told at once."""

import asyncio
import resource
from collections.abc import AsyncIterator, Callable

import pytest

from deskhand.bus import Bus
from deskhand.clock import SystemClock
from deskhand.core.errors import DeviceOffline, NoElements
from deskhand.core.geometry import Rect
from deskhand.core.screen import AppInfo, Element, Frame
from deskhand.screen.diff import change_between
from deskhand.screen.perception import Perception, ScreenChanged
from deskhand.screen.stillness.self_motion import SelfMotion
from tests.screen.pictures import noise, painted

BUSY = noise(400, 800)


class Screen:
    """A device whose picture the test sets; counts what it is asked."""

    id = "desk"
    capabilities = frozenset({"click"})

    def __init__(self, picture: Frame = BUSY, push: bool = False) -> None:
        self.picture = picture
        self.fault: Exception | None = None
        self.no_elements = False
        self.held: asyncio.Event | None = None
        self.frames = self.listings = 0
        self._signals: asyncio.Queue[None] | None = asyncio.Queue() if push else None

    def show(self, picture: Frame) -> None:
        self.picture = picture
        if self._signals is not None:
            self._signals.put_nowait(None)

    async def frame(self) -> Frame:
        self.frames += 1
        if self.fault:
            raise self.fault
        seen = Frame(self.picture.pixels, at=SystemClock().now())
        if self.held:
            await self.held.wait()
        return seen

    async def elements(self) -> tuple[Element, ...]:
        self.listings += 1
        if self.no_elements:
            raise NoElements("the screen never idles")
        return (Element(0, "button", Rect(0, 0, 10, 10), "OK"),)

    async def app(self) -> AppInfo:
        return AppInfo("Notes", "List")

    async def apps(self) -> tuple[str, ...]:
        return ()

    async def act(self, action: object) -> str:
        return ""

    def changes(self) -> AsyncIterator[None] | None:
        return self._stream(self._signals) if self._signals is not None else None

    @staticmethod
    async def _stream(signals: "asyncio.Queue[None]") -> AsyncIterator[None]:
        while True:
            await signals.get()
            yield None

    async def close(self) -> None:
        return None


def eyes(device: Screen, bus: Bus | None = None, every_s: float = 0.05) -> Perception:
    return Perception(device, (bus or Bus()).publish_message, SystemClock(), every_s=every_s)  # type: ignore[arg-type]  # a device


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not true():
            await SystemClock().sleep(0.01)


@pytest.mark.parametrize("push", [False, True])
async def test_a_pop_up_is_told_on_the_bus_as_unexpected(push: bool) -> None:
    device, bus = Screen(push=push), Bus()
    with bus.subscribe_to(ScreenChanged) as news:
        async with eyes(device, bus) as perception, asyncio.timeout(20):
            await until(lambda: perception.newest)
            device.show(painted(BUSY, 100, 200, 300, 400))
            told = await anext(aiter(news))
            assert not told.expected
            assert told.device_id == "desk"
            assert told.regions == (Rect(80, 200, 320, 400),)
            assert told.fraction == pytest.approx(200 * 200 / 320_000, rel=0.01)
            assert perception.surprise is told


async def test_what_an_action_changes_is_expected_and_no_surprise() -> None:
    device, bus = Screen(), Bus()
    with bus.subscribe_to(ScreenChanged) as news:
        async with eyes(device, bus) as perception, asyncio.timeout(20):
            await until(lambda: perception.newest)
            with perception.expect_changes():
                device.show(painted(BUSY, 100, 200, 300, 400))
                looks = device.frames
                await SystemClock().sleep(0.3)
                assert device.frames <= looks + 1  # the device is left to whoever acts
            perception.note_settled(change_between(BUSY, await device.frame()))
            assert (await anext(aiter(news))).expected
            assert perception.surprise is None


async def test_a_settled_frame_serves_the_next_observation() -> None:
    device = Screen()
    async with eyes(device, every_s=30) as perception:
        await until(lambda: perception.newest)
        with perception.expect_changes():
            settled = await device.frame()
        perception.note_settled(change_between(BUSY, settled))
        looks = device.frames
        assert (await perception.observe_screen(with_elements=False)).frame is settled
        assert device.frames == looks


async def test_elements_are_listed_again_only_after_a_change() -> None:
    device = Screen(push=True)
    async with eyes(device) as perception:
        first = await perception.observe_screen(with_elements=True)
        second = await perception.observe_screen(with_elements=True)
        assert first.elements == second.elements
        assert (first.app, first.title) == ("Notes", "List")
        assert device.listings == 1
        device.show(painted(BUSY, 100, 200, 300, 400))
        await until(lambda: perception.surprise)
        assert (await perception.observe_screen(with_elements=True)).frame.pixels is device.picture.pixels
        assert device.listings == 2
        with perception.expect_changes():
            pass
        await perception.observe_screen(with_elements=True)
        assert device.listings == 3


async def test_elements_that_can_t_be_listed_are_a_problem_in_words() -> None:
    device = Screen()
    device.no_elements = True
    async with eyes(device) as perception:
        seen = await perception.observe_screen(with_elements=True)
        assert seen.elements is None
        assert "never idles" in seen.problem
        assert (await perception.observe_screen(with_elements=False)).problem == ""


async def test_an_old_frame_does_not_stand_for_the_screen() -> None:
    device = Screen()
    async with eyes(device, every_s=30) as perception:
        await until(lambda: perception.newest)
        await SystemClock().sleep(0.5)
        device.show(painted(BUSY, 0, 0, 400, 800))
        assert (await perception.frame()).pixels is device.picture.pixels


async def test_with_push_signals_a_still_screen_is_not_looked_at_and_its_frame_stays_valid() -> None:
    device = Screen(push=True)
    async with eyes(device) as perception:
        await until(lambda: perception.newest)
        await SystemClock().sleep(0.8)
        assert device.frames == 1
        await perception.frame()
        assert device.frames == 1


async def test_a_device_in_trouble_is_left_alone_and_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deskhand.screen.perception._FAULT_REST_S", 0.1)
    device = Screen()
    device.fault = DeviceOffline("unplugged")
    async with eyes(device) as perception:
        await until(lambda: device.frames >= 2)
        with pytest.raises(DeviceOffline):
            await perception.frame()
        device.fault = None
        await until(lambda: perception.newest)


async def test_a_blinking_caret_is_no_news_once_it_is_known() -> None:
    device, bus = Screen(), Bus()
    with bus.subscribe_to(ScreenChanged) as news:
        async with eyes(device, bus, every_s=0.02) as perception:
            for blink in range(10):
                device.show(painted(BUSY, 80, 80, 82, 106, 0) if blink % 2 else BUSY)
                shown, seen = device.picture.pixels, perception
                await until(lambda shown=shown, seen=seen: seen.newest is not None and seen.newest.pixels is shown)
        news.close()
        told = [news_ async for news_ in news]
    assert len(told) <= 3


async def test_a_still_screen_costs_less_than_three_percent_of_a_core() -> None:
    full_hd = noise(1920, 1080)

    class FullHd(Screen):
        async def frame(self) -> Frame:
            self.frames += 1
            return Frame(full_hd.pixels.copy(), at=SystemClock().now())

    device = FullHd()
    async with Perception(device, Bus().publish_message, SystemClock()) as perception:  # type: ignore[arg-type]  # a device
        await until(lambda: perception.newest)
        begun, used = SystemClock().now(), resource.getrusage(resource.RUSAGE_SELF)
        await SystemClock().sleep(3.0)
        spent = resource.getrusage(resource.RUSAGE_SELF)
        elapsed = SystemClock().now() - begun
    cpu = spent.ru_utime + spent.ru_stime - used.ru_utime - used.ru_stime
    assert device.frames >= 3
    assert cpu / elapsed < 0.03


async def test_a_slow_picture_from_before_an_action_does_not_replace_what_the_action_ended_with() -> None:
    device = Screen()
    async with eyes(device, every_s=30) as perception:
        await until(lambda: perception.newest)
        device.held = asyncio.Event()
        slow = asyncio.create_task(perception.recapture_frame())
        await until(lambda: device.frames == 2)
        held, device.held = device.held, None
        with perception.expect_changes():
            device.show(painted(BUSY, 100, 200, 300, 400))
            settled = await device.frame()
            perception.note_settled(change_between(BUSY, settled))
        held.set()
        assert await slow is settled
        assert await perception.frame() is settled


async def test_what_a_person_does_is_not_learned_as_a_habit_of_the_screen() -> None:
    device, movers = Screen(), SelfMotion()
    async with Perception(device, Bus().publish_message, SystemClock(), movers, every_s=0.02) as perception:  # type: ignore[arg-type]  # a device
        await until(lambda: perception.newest)
        for typed in range(4):
            with perception.expect_changes():
                device.show(painted(BUSY, 80, 80, 90 + typed, 100, 10 * typed))
            await until(lambda: perception.newest and perception.newest.pixels is device.picture.pixels)
    assert movers.list_habits() == {}
