"""The ports of the phone that lead to the host, as `adb reverse` sets them up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

FIRST_FREE_PORT = 40_000


class PortStream(Protocol):
    """A connection to a port of the host."""

    async def read(self) -> bytes: ...
    async def write(self, data: bytes) -> None: ...
    def close_stream(self) -> None: ...


class ReverseRefused(Exception):
    """What adbd says when it refuses."""


OpenOnHost = Callable[[str], Awaitable[PortStream | None]]


@dataclass(frozen=True)
class ReversedPort:
    target: str
    open_on_host: OpenOnHost


class ReversedPorts:
    """By the name of the phone's own port (`tcp:8000`). A port lives as long as the host that asked for it."""

    def __init__(self) -> None:
        self._ports: dict[str, ReversedPort] = {}

    def add_port(self, name: str, target: str, open_on_host: OpenOnHost, *, rebind: bool) -> str:
        """Return the name, with a free port for `tcp:0`."""
        if name == "tcp:0":
            taken = {int(each.partition(":")[2]) for each in self._ports if each.startswith("tcp:")}
            name = f"tcp:{next(port for port in range(FIRST_FREE_PORT, 65_536) if port not in taken)}"
        if not rebind and name in self._ports:
            raise ReverseRefused("cannot rebind existing socket")
        self._ports[name] = ReversedPort(target, open_on_host)
        return name

    def remove_port(self, name: str) -> None:
        if self._ports.pop(name, None) is None:
            raise ReverseRefused(f"listener '{name}' not found")

    def remove_all(self, open_on_host: OpenOnHost | None = None) -> None:
        """Remove those of one host, or all."""
        for name, port in list(self._ports.items()):
            if open_on_host in (None, port.open_on_host):
                del self._ports[name]

    def list_ports(self, serial: str) -> str:
        return "".join(f"{serial} {name} {port.target}\n" for name, port in self._ports.items())

    async def open_port(self, name: str) -> PortStream | None:
        """Open the host's end of a port; None if nobody listens there."""
        port = self._ports.get(name)
        return await port.open_on_host(port.target) if port else None
