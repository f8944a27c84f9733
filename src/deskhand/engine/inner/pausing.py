"""Holds the worker while the user or the planner wants a pause, and keeps the log's executor status in step."""

import asyncio

from deskhand.core.commands import Holder
from deskhand.core.statuses import ExecutorStatus
from deskhand.engine.inner.step import turn_status
from deskhand.engine.task_log import TaskLog

_RUNNING, _PAUSED = ExecutorStatus.RUNNING, ExecutorStatus.PAUSED


class PauseSwitch:
    """The worker goes on when nobody holds it any more."""

    def __init__(self, log: TaskLog) -> None:
        self._log = log
        self._holders: set[Holder] = set()
        self._free = asyncio.Event()
        self._free.set()

    async def hold_worker(self, holder: Holder, *, at_rest: bool) -> None:
        """`at_rest`: no action is under way, so the pause begins now and not at its end."""
        self._holders.add(holder)
        self._free.clear()
        if at_rest:
            await turn_status(self._log, _RUNNING, _PAUSED)

    async def free_worker(self, holder: Holder, *, working: bool = False) -> None:
        if working and self._holders == {holder}:
            await turn_status(self._log, _PAUSED, _RUNNING)
        self._holders.discard(holder)
        if not self._holders:
            self._free.set()

    async def wait_while_paused(self) -> bool:
        """Return True if there was a pause. Nothing goes on before the log says so."""
        waited = False
        while not self._free.is_set() or self._log.state.executor is _PAUSED:
            waited = True
            if self._free.is_set():
                await turn_status(self._log, _PAUSED, _RUNNING)
            elif self._log.state.executor is not _PAUSED:
                await turn_status(self._log, _RUNNING, _PAUSED)
            else:
                await self._free.wait()
        return waited
