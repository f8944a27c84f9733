"""Strangers who connect and say nothing: they are let go, they keep nobody out, and the log stays quiet."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import signal
import socket
from contextlib import ExitStack

import httpx2
import pytest

from deskhand.server import connections
from tests.cli.conftest import Cli, cli
from tests.server.conftest import House, Serve, until

__all__ = ["cli"]

HALVES = (b"", b"GET /api/health HT", b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")


def knock(url: str, half: bytes = b"") -> socket.socket:
    host, port = url.removeprefix("http://").split(":")
    line = socket.create_connection((host, int(port)))
    line.sendall(half)
    line.setblocking(False)
    return line


def is_closed(line: socket.socket) -> bool:
    try:
        return line.recv(4096) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


@pytest.mark.parametrize("half", HALVES)
async def test_half_a_request_is_not_waited_for(house: House, half: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_S", 0.3)
    with knock(house.url, half) as line:
        await until(lambda: is_closed(line))


async def test_bytes_that_trickle_in_gain_no_time(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither before the first request nor behind a response to one whose body never ends."""
    monkeypatch.setattr(connections, "HEAD_S", 0.5)
    head = b"POST /api/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n"
    for begin, drop in ((b"GET / HTTP/1.1\r\n", b"X: y\r\n"), (head, b"x")):
        with knock(house.url, begin) as line:

            def trickle(line: socket.socket = line, drop: bytes = drop) -> bool:
                try:
                    line.send(drop)
                except ConnectionError:
                    return True
                except BlockingIOError:
                    return False
                return is_closed(line)

            await until(trickle, 30)


async def test_a_slow_answer_and_a_quiet_stream_are_no_half_requests(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_S", 0.2)
    async with house.client.stream("GET", "/api/devices/sim/frames", params={"rate": 20}) as stream:
        pictures = stream.aiter_bytes()
        await anext(pictures)
        await asyncio.sleep(0.6)
        await house.post("/api/devices/sim/actions", kind="open_app", name="设置")
        async with asyncio.timeout(60):
            assert await anext(pictures)


async def test_the_settings_say_how_many_connections_there_may_be(serve: Serve) -> None:
    """The oldest silent ones make room for the next; those with a request under way don't."""
    async with serve(server={"connections": 6}) as house, house.client.stream("GET", "/api/devices/sim/frames") as live:
        pictures = live.aiter_bytes()
        await anext(pictures)
        with ExitStack() as lines:
            silent = [lines.enter_context(knock(house.url)) for _ in range(30)]
            async with httpx2.AsyncClient(base_url=house.url, timeout=30) as client:
                headers = {"Authorization": f"Bearer {house.token.value}"}
                assert (await client.get("/api/health", headers=headers)).status_code == 200
            await until(lambda: sum(map(is_closed, silent)) >= 25)
        await house.post("/api/devices/sim/actions", kind="open_app", name="设置")
        async with asyncio.timeout(60):
            assert await anext(pictures)


@pytest.mark.slow
async def test_with_few_file_descriptors_strangers_keep_nobody_out_and_the_log_stays_quiet(cli: Cli) -> None:
    def few() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (96, 96))

    running = await cli.start("serve", "--port", "0", preexec=few)
    found = re.search(r"http://\S+", await running.line("answers at"))
    assert found
    token = (cli.data / "server-token").read_text().strip()
    with ExitStack() as lines:
        for half in HALVES * 100:
            lines.enter_context(knock(found[0], half))
        lines.enter_context(knock(found[0], b"\x00\xff nonsense\r\n\r\n"))
        async with httpx2.AsyncClient(base_url=found[0], timeout=30) as client:
            for _ in range(5):
                answer = await client.get("/api/health", headers={"Authorization": f"Bearer {token}"})
                assert answer.status_code == 200
    os.kill(running.process.pid, signal.SIGTERM)
    ended = await running.ended()
    assert ended.code == 0
    assert len(ended.err) < 1000, ended.err[:3000]
