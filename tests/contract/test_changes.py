"""The contract on the change signal: it rings when the picture changes, and only then, and ends with the device."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from deskhand.core.errors import DeviceGone
from tests.contract.stage import Stage

pytestmark = pytest.mark.asyncio(loop_scope="package")

RING_S = 2.0
SILENCE_S = 1.0
STILL_S = 15.0


async def rings(changes: AsyncIterator[None], seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await anext(changes)
    except TimeoutError:
        return False
    return True


async def quiet(stage: Stage) -> AsyncIterator[None]:
    """Listening, after what was still under way has been told."""
    try:
        async with asyncio.timeout(STILL_S):
            while await rings(changes := listening(stage), SILENCE_S):
                await changes.aclose()  # type: ignore[attr-defined] it is a generator
    except TimeoutError:
        raise AssertionError("a still screen keeps ringing") from None
    return listening(stage)


def listening(stage: Stage) -> AsyncIterator[None]:
    changes = stage.device.changes()
    assert changes is not None
    return changes


@pytest.mark.has(pushes=False)
async def test_a_device_without_a_signal_says_so(stage: Stage) -> None:
    assert stage.device.changes() is None


@pytest.mark.has(pushes=True)
async def test_a_change_rings_and_a_still_screen_does_not(stage: Stage) -> None:
    changes = await quiet(stage)
    waiting = asyncio.ensure_future(anext(changes))
    done, _ = await asyncio.wait({waiting}, timeout=SILENCE_S)
    assert not done, "a still screen rang"
    await stage.paint()
    async with asyncio.timeout(RING_S):
        await waiting
    await changes.aclose()  # type: ignore[attr-defined] it is a generator


@pytest.mark.has(pushes=True)
async def test_every_listener_hears_a_change(stage: Stage) -> None:
    await (await quiet(stage)).aclose()  # type: ignore[attr-defined] it is a generator
    listeners = [listening(stage) for _ in range(3)]
    waiting = [asyncio.ensure_future(anext(one)) for one in listeners]
    await asyncio.sleep(0)
    await stage.paint()
    async with asyncio.timeout(RING_S):
        await asyncio.gather(*waiting)
    for one in listeners:
        await one.aclose()  # type: ignore[attr-defined] it is a generator


@pytest.mark.has(pushes=True)
async def test_the_signal_ends_with_the_device(fresh: Stage) -> None:
    async def listen() -> None:
        async for _ in listening(fresh):
            pass

    ear = asyncio.ensure_future(listen())
    await fresh.device.frame()
    await fresh.device.close()
    async with asyncio.timeout(RING_S):
        (outcome,) = await asyncio.gather(ear, return_exceptions=True)
    assert outcome is None or isinstance(outcome, DeviceGone)
