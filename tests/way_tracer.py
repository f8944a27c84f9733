"""Run `deskhand` and write down through which of its files an input reaches the device, or a request the model.

`python -m tests.way_tracer OUT ARG…` runs `deskhand ARG…`. Each time one of the outermost calls of other people's
libraries is made (the adb socket, Chromium's protocol, XTEST, the HTTP client), OUT gets a line of JSON: the files of
`src/deskhand` on the stack, from the command down. A task or a thread continues the stack that started it.
"""

import asyncio
import json
import sys
from asyncio.selector_events import BaseSelectorEventLoop
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Any

import deskhand

SRC = Path(deskhand.__file__).parent
_started_by: ContextVar[tuple[str, ...]] = ContextVar("started_by", default=())


def way_to_here() -> tuple[str, ...]:
    """Return our files from the command to the caller, each where it first appears."""
    files: list[str] = []
    frame: FrameType | None = sys._getframe(1)
    while frame:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(SRC):
            files.append(str(path.relative_to(SRC)))
        frame = frame.f_back
    return tuple(dict.fromkeys((*_started_by.get(), *reversed(files))))


def follow_tasks_and_threads() -> None:
    create_task, submit = asyncio.BaseEventLoop.create_task, ThreadPoolExecutor.submit

    def create_followed(loop: Any, coro: Any, *, context: Any = None, **options: Any) -> Any:
        context = context or copy_context()
        context.run(_started_by.set, way_to_here())
        return create_task(loop, coro, context=context, **options)

    def submit_followed(pool: Any, job: Any, *args: Any) -> Any:
        context = copy_context()
        context.run(_started_by.set, way_to_here())
        return submit(pool, context.run, job, *args)

    asyncio.BaseEventLoop.create_task = create_followed
    ThreadPoolExecutor.submit = submit_followed  # pyright: ignore[reportAttributeAccessIssue]


def watch(owner: Any, name: str, is_outermost: Any, out: Path) -> None:
    """Write the way down whenever `owner.name` is called with arguments that `is_outermost` takes."""
    original = getattr(owner, name)

    @wraps(original)
    def watched(*args: Any, **options: Any) -> Any:
        if is_outermost(*args):
            with out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(way_to_here()) + "\n")
        return original(*args, **options)

    setattr(owner, name, watched)


def main() -> None:
    out, sys.argv = Path(sys.argv[1]), ["deskhand", *sys.argv[2:]]
    follow_tasks_and_threads()

    from httpx2 import AsyncClient
    from playwright.async_api import CDPSession
    from Xlib import X
    from Xlib.ext import xtest

    watch(BaseSelectorEventLoop, "sock_sendall", lambda _, socket, data: b"input tap" in data, out)
    watch(CDPSession, "send", lambda _, method, data: data.get("type") == "mousePressed", out)
    watch(xtest, "fake_input", lambda _, kind, *rest: kind == X.ButtonPress, out)
    watch(AsyncClient, "send", lambda *_: True, out)

    from deskhand.cli import main as run_deskhand

    run_deskhand()


if __name__ == "__main__":
    main()
