"""Retry a model with backoff and jitter, then its fallbacks in their order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from random import Random

from deskhand.core.errors import ModelUnavailable, SettingsError
from deskhand.core.llm import ModelReply, ModelRequest
from deskhand.core.protocols import Clock, Model
from deskhand.models.failures import ModelCallFailed

FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0


class FallbackModel:
    """A fallback that is made when it is first needed, so that an unused one needs no key."""

    def __init__(self, name: str, make: Callable[[], Model]) -> None:
        self.name = name
        self._make = make
        self._model: Model | None = None

    async def ask(self, request: ModelRequest) -> ModelReply:
        if self._model is None:
            try:
                self._model = self._make()
            except (ModelUnavailable, SettingsError) as fault:
                raise ModelCallFailed(str(fault)) from None
        return await self._model.ask(request)

    async def close(self) -> None:
        if self._model:
            await self._model.close()


class RetryingModel:
    """Ask the first model and, when it fails, the next: the first reply counts.

    `limit_s` is the time for the retries of all of them together. Each has its share, so that one that hangs leaves
    time for the next, and the last for an error that says why there is no answer.
    """

    def __init__(
        self, models: Sequence[Model], clock: Clock, retries: int = 3, random: Random | None = None,
        limit_s: float = 110.0,
    ) -> None:  # fmt: skip
        self._models = tuple(models)
        self._clock = clock
        self._retries = retries
        self._random = random or Random()
        self._limit_s = limit_s

    @property
    def name(self) -> str:
        return self._models[0].name

    async def ask(self, request: ModelRequest) -> ModelReply:
        faults: list[ModelCallFailed] = []
        begun, share = self._clock.now(), self._limit_s / len(self._models)
        for number, model in enumerate(self._models, 1):
            fault = await self._ask_with_retries(model, request, begun + share * number)
            if isinstance(fault, ModelReply):
                return fault
            faults.append(fault)
        sentences = [str(fault) for fault in faults]
        raise ModelUnavailable(" And its fallback: ".join(sentences)) from None

    async def _ask_with_retries(
        self, model: Model, request: ModelRequest, until: float
    ) -> ModelReply | ModelCallFailed:
        last: ModelCallFailed | None = None
        for attempt in range(self._retries + 1):
            try:
                # The first attempt has the time-outs of its endpoint; the others have the time that is left.
                async with asyncio.timeout(until - self._clock.now() if last else None):
                    return await model.ask(request)
            except TimeoutError:
                if last is None:
                    raise
                return last
            except ModelCallFailed as fault:
                last = fault
                wait = self._wait_before_retry(attempt, fault)
                if wait is None or self._clock.now() + wait >= until:
                    return fault
                await self._clock.sleep(wait)
        raise AssertionError("the last attempt always returns")

    def _wait_before_retry(self, attempt: int, fault: ModelCallFailed) -> float | None:
        """Return the seconds until the next attempt; None if there should be none."""
        if not fault.retryable or attempt >= self._retries:
            return None
        if fault.retry_after is not None:
            # A provider that wants minutes is as good as down: the fallback is faster.
            return fault.retry_after if fault.retry_after <= LONGEST_WAIT_S else None
        longest = min(FIRST_WAIT_S * 2**attempt, LONGEST_WAIT_S)
        return longest * (0.5 + self._random.random() / 2)

    async def close(self) -> None:
        for model in self._models:
            await model.close()
