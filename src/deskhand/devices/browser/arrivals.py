"""Tracks what an action has announced and the browser still has to deliver: new tabs, and downloads to their end."""

import asyncio
from collections.abc import Callable
from typing import Literal

# How long what was announced may take to begin, and how long a download is waited for before it is only mentioned.
BEGIN_S = 3.0
COMPLETE_S = 5.0

Kind = Literal["tab", "download"]


class Arrivals:
    def __init__(self) -> None:
        self._expected: set[Kind] = set()
        self._arrived: set[Kind] = set()
        self._under_way: dict[str, str] = {}
        self._news = asyncio.Event()

    def expect_arrival(self, kind: Kind) -> None:
        self._expected.add(kind)

    def note_arrival(self, kind: Kind) -> None:
        self._arrived.add(kind)
        self._ring_bell()

    def note_download(self, guid: str, name: str) -> None:
        self._under_way[guid] = name
        self.note_arrival("download")

    def end_download(self, guid: str) -> None:
        self._under_way.pop(guid, None)
        self._ring_bell()

    async def wait_for_arrivals(self) -> list[str]:
        """Wait for what was announced; return the names of downloads that are not complete yet."""
        await self._wait_while(lambda: bool(self._expected - self._arrived), BEGIN_S)
        self._expected.clear()
        self._arrived.clear()
        await self._wait_while(lambda: bool(self._under_way), COMPLETE_S)
        unfinished = list(self._under_way.values())
        self._under_way.clear()  # each is mentioned once; its end is told when it comes
        return unfinished

    async def _wait_while(self, holds: Callable[[], bool], longest: float) -> None:
        try:
            async with asyncio.timeout(longest):
                while holds():
                    await self._news.wait()
        except TimeoutError:
            return

    def _ring_bell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
