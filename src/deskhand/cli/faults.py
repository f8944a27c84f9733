"""How every command runs and fails: an event loop that Ctrl-C stops cleanly, one sentence on stderr, an exit code."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Coroutine
from typing import Any, NoReturn

from deskhand.cli import STOPPED
from deskhand.errors import DeskhandError


def run_loop(work: Coroutine[Any, Any, int], *, as_json: bool = False) -> NoReturn:
    """Run a command to its exit code. Ctrl-C and SIGTERM cancel it where it stands, so that it can clean up."""
    try:
        code = asyncio.run(_cancelled_by_signals(work))
        sys.stdout.flush()
    except DeskhandError as fault:
        fail(str(fault), fault.exit_code, as_json=as_json)
    except asyncio.CancelledError:
        fail("Stopped.", STOPPED, as_json=as_json)
    except BrokenPipeError:
        code = 0  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


async def _cancelled_by_signals(work: Coroutine[Any, Any, int]) -> int:
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    return await task


def fail(sentence: str, code: int, *, as_json: bool = False) -> NoReturn:
    # The sentence is about to be said: a second Ctrl-C must not cut it short.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print(f"deskhand: {sentence}", file=sys.stderr)
    if as_json:
        print(json.dumps({"status": "error", "reason": sentence, "exit_code": code}, ensure_ascii=False))
    sys.exit(code)
