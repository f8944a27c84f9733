"""Looking while nothing happens, on a phone without push signals."""

import asyncio

from deskhand.types import Frame
from tests.engine.conftest import Journaled, ScriptedWorker, StartRun, forever


class Watched(Journaled):
    """Counts the pictures that are taken."""

    frames = 0

    async def frame(self) -> Frame:
        self.frames += 1
        return await self._device.frame()


async def test_a_quiet_screen_is_looked_at_as_often_as_set(start: StartRun, device: Journaled) -> None:
    async def looks(tick_ms: int, seconds: float) -> int:
        """How often it is looked at while the worker thinks; at most ten times are waited for."""
        watched, worker = Watched(device._device), ScriptedWorker(forever)
        async with start(watched, worker, executor={"tick_ms": tick_ms}):
            async with asyncio.timeout(20):
                while not worker.briefings:
                    await asyncio.sleep(0.01)
            before, end = watched.frames, asyncio.get_running_loop().time() + seconds
            while watched.frames < before + 10 and asyncio.get_running_loop().time() < end:
                await asyncio.sleep(0.01)
            return watched.frames - before

    assert await looks(50, seconds=20) == 10
    assert await looks(60_000, seconds=1) == 0
