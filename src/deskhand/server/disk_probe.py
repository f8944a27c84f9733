"""Finds out whether the server can store anything, by storing something."""

from __future__ import annotations

import asyncio
from typing import Protocol

from deskhand.core.errors import JournalError

# A store that another program has locked answers later; who asks for the health of the server is not kept waiting.
PATIENCE_S = 1.0


class WritableStore(Protocol):
    async def check_writable(self) -> None: ...


class DiskProbe:
    """One probe at a time, however many ask; while one takes its time, the result of the last one holds."""

    def __init__(self, *stores: WritableStore) -> None:
        self._stores = stores
        self._trouble = ""
        self._probing: asyncio.Task[None] | None = None

    async def find_trouble(self) -> str:
        """Return why nothing can be stored; empty if the disk takes what is written."""
        if self._probing is None or self._probing.done():
            self._probing = asyncio.create_task(self._write_probes())
        await asyncio.wait({self._probing}, timeout=PATIENCE_S)
        return self._trouble

    async def _write_probes(self) -> None:
        try:
            for store in self._stores:
                await store.check_writable()
            self._trouble = ""
        except JournalError as fault:
            self._trouble = str(fault)

    async def close(self) -> None:
        if self._probing:
            await asyncio.wait({self._probing})
