"""No test can reach anything but this machine, unless DESKHAND_TEST_NETWORK=1 says so."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest

HERE = ("::1", "localhost", "0.0.0.0")  # the last one as a place to listen at
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")


@pytest.fixture(scope="session", autouse=True)
def only_loopback() -> Iterator[None]:
    """For the whole session: what a wider fixture starts is held back too. Programs inherit no proxy."""
    if os.environ.get("DESKHAND_TEST_NETWORK") == "1":
        yield
        return
    connect, connect_ex, resolve = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def check(address: object) -> None:
        host = address[0] if isinstance(address, tuple) else None
        if host is not None and host not in HERE and not str(host).startswith("127."):
            raise AssertionError(f"a test tried to reach {host}")

    def guarded_connect(self: socket.socket, address: Any) -> None:
        check(address)
        connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: Any) -> int:
        check(address)
        return connect_ex(self, address)

    def guarded_resolve(host: Any, *args: Any, **kwargs: Any) -> Any:
        if str(host).endswith(".invalid"):  # by its definition no name of anything: nobody needs to be asked
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        check((host,))
        return resolve(host, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded_connect)
        patch.setattr(socket.socket, "connect_ex", guarded_connect_ex)
        patch.setattr(socket, "getaddrinfo", guarded_resolve)
        for variable in PROXIES:
            patch.delenv(variable, raising=False)
        yield
