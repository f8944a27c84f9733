"""Measures the desktop: a capture against a plain copy of as many bytes, a click, a key until the change signal."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from deskhand.bench.rows import Row
from deskhand.clock import SystemClock
from deskhand.core.actions import Click, Key, OpenApp
from deskhand.core.errors import AppNotFound
from deskhand.devices.desktop.device import DesktopDevice, open_desktop
from deskhand.settings.schema import DesktopSettings

ROUNDS = 60
KEYS = 30
_RING_S = 5.0


async def run_suite(out: Path) -> list[Row]:
    del out  # only the rows are kept
    device = await open_desktop(DesktopSettings(display="own", width=1920, height=1080), clock=SystemClock())
    try:
        return [
            *await _measure_capture(device),
            await _measure_click(device),
            *await _measure_key_to_change(device),
            *await _measure_elements(device),
        ]
    finally:
        await device.close()


async def _measure_ms(work: Callable[[], Awaitable[Any]]) -> float:
    """Return the duration in milliseconds."""
    start = time.perf_counter()
    await work()
    return (time.perf_counter() - start) * 1000


async def _measure_capture(device: DesktopDevice) -> list[Row]:
    """Measure in turns and take the fastest tenth of both: a busy machine delays the X server, but not a copy."""
    source = (await device.frame()).pixels
    target = np.empty_like(source)
    captures: list[float] = []
    copies: list[float] = []
    for _ in range(ROUNDS):
        captures.append(await _measure_ms(device.frame))
        start = time.perf_counter()
        np.copyto(target, source)
        copies.append((time.perf_counter() - start) * 1000)
    return [
        Row("a picture of 1920×1080", median(captures), "ms"),
        Row(
            "a picture against a plain copy of its bytes", _fastest_tenth(captures) / _fastest_tenth(copies), limit=5.0
        ),
    ]


def _fastest_tenth(times: list[float]) -> float:
    return sorted(times)[len(times) // 10]


async def _measure_click(device: DesktopDevice) -> Row:
    times = [await _measure_ms(lambda n=n: device.act(Click(x=10 + n, y=10))) for n in range(ROUNDS)]
    return Row("a click", median(times), "ms", limit=5.0)


async def _measure_key_to_change(device: DesktopDevice) -> list[Row]:
    """Measure from sending the key until the device signals a changed picture, in a plain terminal."""
    try:
        await device.act(OpenApp(name="xterm"))
    except AppNotFound:
        return []
    changes = device.changes()
    times: list[float] = []
    for _ in range(KEYS):
        waiting = asyncio.ensure_future(anext(changes))
        await asyncio.wait({waiting}, timeout=0.05)  # the previous key may still be painting
        if waiting.done():
            waiting = asyncio.ensure_future(anext(changes))
        start = time.perf_counter()
        await device.act(Key(key="a"))
        async with asyncio.timeout(_RING_S):
            await waiting
        times.append((time.perf_counter() - start) * 1000)
    return [Row("a key until the change is told", median(times), "ms")]


async def _measure_elements(device: DesktopDevice) -> list[Row]:
    try:
        await device.act(OpenApp(name="galculator"))
    except AppNotFound:
        return []
    found = await device.elements()
    times = [await _measure_ms(device.elements) for _ in range(10)]
    return [Row(f"the {len(found)} elements of a calculator", median(times), "ms")]
