"""Notices a page whose script does not end: while a call has no answer, the page is asked for a sign of life.

One limit for all calls together: without it, each of them would wait in vain for a time-out of its own.
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.async_api import CDPSession

from deskhand.devices.browser.cdp_target import Interruption, TabFrozen, discard_result, send_cdp

# A call that takes longer than this makes us ask; nearly all are answered sooner, and cost nothing more.
ASK_AFTER_S = 0.5
# How long a page that has to wait for somebody else is waited for.
EXCUSED_S = 2.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a page may be silent, and whether it has to wait for somebody else: then its silence is no sign."""

    limit: float
    is_excused: Callable[[], bool]


class Heartbeat:
    """Interrupts the calls of a tab with TabFrozen after the limit, and allows them again once its page answers."""

    def __init__(self, session: CDPSession, interruption: Interruption, patience: Patience) -> None:
        self._session = session
        self._interruption = interruption
        self._patience = patience
        self._under_way = 0
        self._asking: asyncio.TimerHandle | None = None
        self._verdict: asyncio.TimerHandle | None = None

    @contextmanager
    def watch_call(self) -> Generator[None, None, None]:
        self._under_way += 1
        self._plan_question()
        try:
            yield
        finally:
            self._under_way -= 1
            if not self._under_way and self._asking is not None:
                self._asking.cancel()
                self._asking = None

    @property
    def longest_silence(self) -> float:
        """The time after which a page has answered or is known to be frozen; short while it waits for somebody."""
        return EXCUSED_S if self._patience.is_excused() else self._patience.limit + ASK_AFTER_S

    def allow_time(self) -> None:
        """Count its silence from now on: what it had to wait for is over."""
        if self._verdict is not None:
            self._verdict.cancel()
            self._plan_verdict()

    def _plan_question(self) -> None:
        if self._asking is None and self._verdict is None:
            self._asking = asyncio.get_running_loop().call_later(ASK_AFTER_S, self._ask_page)

    def _plan_verdict(self) -> None:
        rest = max(self._patience.limit - ASK_AFTER_S, 0)
        self._verdict = asyncio.get_running_loop().call_later(rest, self._judge_silence)

    def _ask_page(self) -> None:
        self._asking = None
        question = asyncio.ensure_future(send_cdp(self._session, "Runtime.evaluate", {"expression": "1"}))
        question.add_done_callback(self._on_answer)
        self._plan_verdict()

    def _on_answer(self, question: "asyncio.Future[dict[str, object]]") -> None:
        """Whatever it answers, it is not frozen: an error says that its document or its tab is gone."""
        discard_result(question)
        if self._verdict is not None:
            self._verdict.cancel()
            self._verdict = None
        self._interruption.resume_calls(TabFrozen)
        if self._under_way:
            self._plan_question()

    def _judge_silence(self) -> None:
        if self._interruption.reason is not None or self._patience.is_excused():
            self._plan_verdict()
        else:
            self._interruption.interrupt_calls(TabFrozen)
