"""Measures the CPU time of our side of a model call with a picture of 300 KB, against the scripted server."""

import asyncio
import gc
import os
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from statistics import median

import numpy as np

from deskhand.bench.rows import Row
from deskhand.clock import SystemClock
from deskhand.core.llm import ModelReply, ModelRequest, Picture, StepRequest
from deskhand.core.protocols import Model
from deskhand.core.screen import Frame
from deskhand.engine.budget import Budget
from deskhand.models.dialects import DIALECTS
from deskhand.models.make_model import make_model
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedStep
from deskhand.screen.frame import shrink_frame, to_jpeg
from deskhand.settings.schema import BudgetSettings, Provider, Settings

CALLS = 40
PICTURE_BYTES = 300_000
LIMIT_MS = 10.0
_REPLY = 'do(action="Tap", element=[500,500])'


async def run_suite(out: Path) -> list[Row]:
    rows: list[Row] = []
    with _run_server() as url:
        rows.append(await _measure_call(url, "openai-compatible", True))
        rows.append(await _measure_call(url, "openai-compatible", False))
        rows.append(await _measure_call(url, "anthropic", True))
    return [*rows, _measure_reading(), _measure_encoding()]


@contextmanager
def _run_server() -> Generator[str]:
    """Run the server in its own thread, so that its work is not counted as ours."""
    ready: Queue[tuple[str, Callable[[], None]]] = Queue()

    async def serve_replies() -> None:
        over = asyncio.Event()
        loop = asyncio.get_running_loop()
        async with ModelServer([ScriptedStep(text=_REPLY, times=100_000)]) as server:
            ready.put((server.url, lambda: loop.call_soon_threadsafe(over.set) and None))
            await over.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve_replies()))
    thread.start()
    url, stop = ready.get(timeout=30)
    try:
        yield url
    finally:
        stop()
        thread.join()


async def _measure_call(url: str, provider: Provider, stream: bool) -> Row:
    section = {"provider": provider, "model": "scripted", "base_url": url, "stream": stream, "retries": 0}
    settings = Settings.model_validate({"models": {"operator": {**section, "price": {"input": "1", "output": "1"}}}})
    model = make_model("operator", settings, SystemClock(), Budget(BudgetSettings.model_validate({"task": "1000"})))
    request = DIALECTS["autoglm"](None).ask(_make_step_request())
    try:
        await model.ask(request)
        spent = [await _measure_cpu_ms(model, request) for _ in range(CALLS)]
    finally:
        await model.close()
    name = f"one call, {provider}, {'streamed' if stream else 'whole'}"
    return Row(name, median(spent), "ms CPU", LIMIT_MS, note=f"with a picture of {PICTURE_BYTES // 1000} KB")


async def _measure_cpu_ms(model: Model, request: ModelRequest) -> float:
    gc.collect()
    begun = time.thread_time()
    await model.ask(request)
    return (time.thread_time() - begun) * 1000


def _make_step_request() -> StepRequest:
    return StepRequest(
        language="en",
        role="You operate a phone.",
        task="Send hello to Ann. " * 20,
        now="Step 5 of 50.",
        frame=(1080, 2400),
        capabilities=frozenset({"click", "type", "swipe", "back", "home"}),
        picture=Picture(b"\xff\xd8\xff\xe0" + os.urandom(PICTURE_BYTES), 576, 1280),
    )


def _measure_reading() -> Row:
    situation, dialect = _make_step_request(), DIALECTS["autoglm"](None)
    reply = ModelReply(text=f"<think>{'I see the list. ' * 30}</think><answer>{_REPLY}</answer>")
    return Row("reading one reply", _measure_median_ms(lambda: dialect.read(reply, situation)), "ms CPU")


def _measure_encoding() -> Row:
    ramp = np.linspace(0, 255, 1080 * 2400 * 4, dtype=np.uint8).reshape(2400, 1080, 4)
    frame = Frame(ramp)
    return Row("shrinking and encoding one frame", _measure_median_ms(lambda: to_jpeg(shrink_frame(frame))), "ms CPU")


def _measure_median_ms(work: Callable[[], object]) -> float:
    spent: list[float] = []
    for _ in range(CALLS):
        begun = time.thread_time()
        work()
        spent.append((time.thread_time() - begun) * 1000)
    return median(spent)
