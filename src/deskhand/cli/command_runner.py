"""How every command runs and fails: an event loop that Ctrl-C stops cleanly, one sentence on stderr, an exit code."""

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

from deskhand.cli.output import print_json, print_line
from deskhand.cli.signals import STOPPED, STOPPING, ignore_signals
from deskhand.core.errors import DeskhandError


def run_loop(work: Coroutine[Any, Any, int], *, as_json: bool = False) -> NoReturn:
    """Run a command to its exit code. Ctrl-C and SIGTERM cancel it where it stands, so that it can clean up."""
    gc.enable()
    signals = _Signals()
    try:
        code = asyncio.run(signals.cancel_on_signal(work))
        ignore_signals()
        sys.stdout.flush()
    except DeskhandError as fault:
        exit_with_error(str(fault), fault.exit_code, as_json=as_json)
    except asyncio.CancelledError:
        exit_with_error("Stopped.", STOPPED, as_json=as_json)
    except BrokenPipeError:
        code = 0  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


class _Signals:
    """The first one cancels the work. The others change nothing: what cleans up is not to be cancelled in turn.

    Handlers of our own, and not the loop's: those are taken back when the loop is closed, and a Ctrl-C at that
    moment was answered with a traceback, or with the default, which is to die of it.
    """

    def __init__(self) -> None:
        self._come = False
        self._cancel: Callable[[], object] | None = None
        for number in STOPPING:
            signal.signal(number, self._take_signal)

    def _take_signal(self, *_: object) -> None:
        if self._come:
            return
        self._come = True
        if self._cancel:
            self._cancel()

    async def cancel_on_signal(self, work: Coroutine[Any, Any, int]) -> int:
        """The work's result, unless a signal comes first."""
        task, loop = asyncio.ensure_future(work), asyncio.get_running_loop()
        # Through the loop, which would otherwise sleep on.
        self._cancel = lambda: loop.call_soon_threadsafe(task.cancel)
        if self._come:
            task.cancel()
        try:
            return await task
        finally:
            self._cancel = None


def exit_with_error(sentence: str, code: int, *, as_json: bool = False) -> NoReturn:
    # The sentence is about to be said: a second Ctrl-C must not cut it short.
    ignore_signals()
    print_line(f"deskhand: {sentence}", error=True)
    if as_json:
        print_json({"status": "error", "reason": sentence, "exit_code": code})
    sys.exit(code)
