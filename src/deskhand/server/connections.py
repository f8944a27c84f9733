"""Connections of the server: a bounded number of them, and none that stays open without a request.

Everything here happens before any token is seen, so that strangers can neither use up the file descriptors of the
process nor fill its log.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import resource
import socket
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from deskhand.core.protocols import Clock

# Every request has to be complete in its head this long after the connection, or the last response.
HEAD_S = 10.0
# What other parts of the process need: half of what is free, and at least this many connections for us.
FEWEST = 4
_NO_ROOM = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_PAUSE_S = 0.1
_REPORT_S = 60.0

_log = logging.getLogger("deskhand.server")


class Connections:
    """The open connections, the oldest first. One that waits for a request makes room for a new one.

    `most`: there are fewer where the process has few file descriptors.
    """

    def __init__(self, most: int, clock: Clock) -> None:
        self.limit = count_affordable(most)
        self._clock = clock
        self._open: dict[TimedProtocol, None] = {}
        self._changed = asyncio.Event()
        self._reported = float("-inf")

    def add_connection(self, connection: TimedProtocol) -> None:
        self._open[connection] = None

    def drop_connection(self, connection: TimedProtocol) -> None:
        self._open.pop(connection, None)
        self._changed.set()

    async def wait_for_room(self) -> None:
        """Return when one more connection may be accepted."""
        while len(self._open) >= self.limit:
            self._changed.clear()
            if not self.close_idle():
                await self._changed.wait()

    def close_idle(self) -> bool:
        """Close the oldest connection without a request; False if there is none."""
        self._report_shortage()
        idle = next((one for one in self._open if one.is_idle), None)
        if idle is None:
            return False
        self.drop_connection(idle)
        idle.transport.abort()
        return True

    def _report_shortage(self) -> None:
        """Once a minute: it is strangers who decide how often this happens."""
        if self._clock.now() - self._reported >= _REPORT_S:
            self._reported = self._clock.now()
            _log.warning("All %d connections are in use: idle ones are closed (server.connections).", self.limit)

    async def accept_from(self, door: socket.socket, make_protocol: Callable[[], asyncio.Protocol]) -> None:
        """Accept connections for ever."""
        loop = asyncio.get_running_loop()
        door.setblocking(False)
        while True:
            await self.wait_for_room()
            try:
                accepted, _ = await loop.sock_accept(door)
            except OSError as error:
                if error.errno in _NO_ROOM:
                    self.close_idle()
                    await self._clock.sleep(_PAUSE_S)
                continue
            try:
                await loop.connect_accepted_socket(make_protocol, accepted)
            except OSError:
                accepted.close()  # gone already


class TimedProtocol(H11Protocol):
    """HTTP on one connection, which is closed when a request does not come in time."""

    def __init__(self, *args: Any, connections: Connections, **more: Any) -> None:
        super().__init__(*args, **more)
        self._all = connections
        self._deadline: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """True while no request is under way."""
        return self._deadline is not None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        self._all.add_connection(self)
        self._start_deadline()

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before and not self.cycle.response_complete:
            self._end_deadline()

    def on_response_complete(self) -> None:
        self._start_deadline()  # first: the next request may be here already
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_deadline()
        self._all.drop_connection(self)
        super().connection_lost(exc)

    def _start_deadline(self) -> None:
        self._end_deadline()
        self._deadline = self.loop.call_later(HEAD_S, self.transport.abort)

    def _end_deadline(self) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None


def count_affordable(wanted: int) -> int:
    """Return how many connections the process can have beside everything else, at most `wanted`."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY:
        return wanted
    try:
        used = len(os.listdir("/proc/self/fd"))
    except OSError:
        used = 32
    return max(FEWEST, min(wanted, (most - used) // 2))
