"""Nobody comes in without the token, under a foreign name or from a foreign site; on every route there is."""

from __future__ import annotations

import asyncio
import re
import socket
import stat
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
from fastapi.routing import APIRoute

from deskhand.clock import ManualClock
from deskhand.core.errors import SettingsError
from deskhand.server.access import COOKIE, check_exposure
from deskhand.server.app import make_app
from deskhand.server.browser_sessions import BrowserSessions
from deskhand.server.http_listener import open_socket
from deskhand.server.token import read_token
from deskhand.sessions.settings_reload import SettingsWatch
from deskhand.settings.schema import ServerSettings
from tests.server.conftest import House, Serve


def routes(app: Any) -> list[tuple[str, str]]:
    """Every method and path that the app itself knows, filled in."""
    assert len([route for route in app.routes if isinstance(route, APIRoute)]) > 25
    return [
        (method, re.sub(r"{[^}]*}", "x", route.path))
        for route in app.routes
        for method in sorted(getattr(route, "methods", None) or {"GET"})
    ]


def attempts(house: House) -> dict[str, tuple[dict[str, str], int]]:
    right = {"Authorization": f"Bearer {house.token.value}"}
    return {
        "no token": ({}, 401),
        "wrong token": ({"Authorization": "Bearer wrong"}, 401),
        "another scheme": ({"Authorization": f"Basic {house.token.value}"}, 401),
        "wrong cookie": ({"Cookie": f"{COOKIE}={house.token.value}"}, 401),
        "foreign Origin": ({**right, "Origin": "http://evil.example"}, 403),
        "no Origin at all": ({**right, "Origin": "null"}, 403),
        "other port": ({**right, "Origin": "http://127.0.0.1:1"}, 403),
        "rebound name": ({**right, "Host": "127.0.0.1.evil.example"}, 403),
        "wrong Host": ({**right, "Host": "evil.example"}, 403),
        "other address": ({**right, "Host": "192.168.1.2"}, 403),
        "user in Host": ({**right, "Host": "127.0.0.1@evil.example"}, 403),
        "empty Host": ({**right, "Host": ""}, 403),
    }


async def test_every_route_refuses_every_stranger(serve: Serve) -> None:
    async with serve(server={"wrong_tokens": 10_000}) as house, httpx2.AsyncClient(base_url=house.url) as stranger:
        app = make_app(house.watch, house.token)
        let_in: list[str] = []
        for method, path in [*routes(app), ("GET", "/"), ("GET", "/no/such/page"), ("TRACE", "/api/health")]:
            for name, (headers, status) in attempts(house).items():
                answer = await stranger.request(method, path, headers=headers)
                if answer.status_code != status:
                    let_in.append(f"{method} {path} with {name}: {answer.status_code}")
                if method != "HEAD":
                    assert answer.headers["content-type"] == "application/problem+json"
                    assert answer.json()["detail"].endswith(("….", ".", "names."))
    assert let_in == []


async def test_a_header_that_comes_twice_is_not_taken_at_its_better_half(house: House) -> None:
    right = ("Authorization", f"Bearer {house.token.value}")
    twice = {
        "Origin": [right, ("Origin", "http://evil.example"), ("Origin", house.url)],
        "Authorization": [("Authorization", "Bearer wrong"), right],
        "Cookie": [right, ("Cookie", "a=1"), ("Cookie", "b=2")],
    }
    for name, headers in twice.items():
        async with httpx2.AsyncClient(base_url=house.url) as stranger:
            assert (await stranger.get("/api/health", headers=headers)).status_code == 403, name


async def test_an_event_stream_is_guarded_too(house: House) -> None:
    task_id = await house.task("open Settings")
    async with httpx2.AsyncClient(base_url=house.url) as stranger:
        path = f"/api/tasks/{task_id}/events/stream"
        assert (await stranger.get(path)).status_code == 401
        right = {"Authorization": f"Bearer {house.token.value}", "Origin": "http://evil.example"}
        assert (await stranger.get(path, headers=right)).status_code == 403
    await house.ended(task_id)


async def test_a_websocket_is_refused(house: House) -> None:
    """There is none; the handshake is answered as any other request without a token is."""
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    async with httpx2.AsyncClient(base_url=house.url) as stranger:
        answer = await stranger.get("/api/health", headers={**upgrade, "Sec-WebSocket-Key": "eA=="})
    assert answer.status_code == 401


async def test_a_websocket_is_closed_for_a_reason_where_the_web_server_can_speak_it(house: House) -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "websocket", "path": "/api/health", "headers": [(b"host", b"localhost")]}
    await make_app(house.watch, house.token)(scope, cast("Any", None), send)
    assert (sent[0]["type"], sent[0]["code"]) == ("websocket.close", 1008)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:80", "[::1]:8765", "LOCALHOST:1"])
async def test_its_own_names_are_taken(house: House, host: str) -> None:
    assert (await house.client.get("/api/health", headers={"Host": host})).status_code == 200
    for scheme in ("http", "https"):  # https: behind a proxy of the user's own
        mine = {"Host": host, "Origin": f"{scheme}://{host}"}
        assert (await house.client.get("/api/health", headers=mine)).status_code == 200


async def test_a_name_from_the_settings_is_taken(serve: Serve) -> None:
    async with serve(server={"names": ["phones.example"]}) as house:
        assert (await house.client.get("/api/health", headers={"Host": "phones.example"})).status_code == 200


async def test_wrong_tokens_are_looked_at_only_so_often_and_the_right_one_always(serve: Serve) -> None:
    async with serve(server={"wrong_tokens": 3}) as house, httpx2.AsyncClient(base_url=house.url) as stranger:
        wrong = {"Authorization": "Bearer guess"}
        answers = [await stranger.get("/api/health", headers=wrong) for _ in range(5)]
        assert [answer.status_code for answer in answers] == [401, 401, 401, 429, 429]
        assert answers[-1].headers["retry-after"] == "60"
        assert (await house.client.get("/api/health")).status_code == 200
        assert (await stranger.get("/api/health")).status_code == 401


async def test_a_body_is_bounded_whether_its_length_is_told_or_not(serve: Serve) -> None:
    async with serve(server={"body_kb": 1}) as house:
        body = b'{"message": "' + b"x" * 5000 + b'"}'
        told = await house.client.post("/api/layered-agent/chat", content=body)
        assert (told.status_code, told.json()["detail"]) == (413, "The body is longer than 1 KB.")
        assert told.headers["connection"] == "close"
        for length, fits in ((1024, True), (1025, False)):
            answer = await house.client.post("/api/layered-agent/chat", content=b"x" * length)
            assert (answer.status_code == 413) is not fits, length

        async def pieces() -> Any:
            for start in range(0, len(body), 100):
                yield body[start : start + 100]

        untold = await house.client.post("/api/layered-agent/chat", content=pieces())
        assert untold.status_code == 413


async def test_a_body_that_never_ends_is_not_waited_for(serve: Serve) -> None:
    async with serve(server={"body_kb": 1}) as house:
        reader, writer = await asyncio.open_connection("127.0.0.1", httpx2.URL(house.url).port)
        head = "POST /api/layered-agent/chat HTTP/1.1", "Host: localhost", f"Authorization: Bearer {house.token.value}"
        writer.write("\r\n".join((*head, "Transfer-Encoding: chunked", "", "")).encode())
        for _ in range(64):
            writer.write(b"400\r\n" + b"x" * 1024 + b"\r\n")
        async with asyncio.timeout(30):
            assert b" 413 " in await reader.readline()
        writer.close()


@pytest.mark.parametrize(
    "path",
    [
        "/api/tasks/../../etc/passwd",
        "/api/tasks/x/frames/..%2f..%2fserver-token",
        "/api/layered-agent/sessions/..%2f..%2fserver-token",
        "/api/layered-agent/sessions/%2e%2e",
        "/api/devices/..%2f..%2fetc/screenshot",
    ],
)
async def test_no_path_leads_out_of_the_house(house: House, path: str) -> None:
    answer = await house.client.get(path)
    assert answer.status_code in (404, 422)
    assert house.token.value not in answer.text


async def test_a_session_can_not_be_a_path(house: House) -> None:
    for name in ("../x", "a/b", "a\\b", "", " ", "x" * 201, "a\nb", "a\x00", "名"):
        answer = await house.client.post("/api/layered-agent/chat", json={"message": "hi", "session_id": name})
        assert answer.status_code == 422, name
    answer = await house.client.post("/api/layered-agent/chat", json={"message": "hi", "session_id": ".."})
    assert answer.status_code == 400


async def test_a_browser_gets_a_cookie_in_place_of_the_token(house: House) -> None:
    answer = await house.client.post("/api/session")
    cookie = answer.headers["set-cookie"]
    assert answer.status_code == 204
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert house.token.value not in cookie
    pair = cookie.partition(";")[0]
    async with httpx2.AsyncClient(base_url=house.url, headers={"Cookie": pair}) as browser:
        assert (await browser.get("/api/health")).status_code == 200
        body = {"session_id": "s"}
        assert (await browser.post("/api/layered-agent/abort", json=body)).status_code == 403
        at_home = {"Origin": house.url}
        assert (await browser.post("/api/layered-agent/abort", json=body, headers=at_home)).status_code == 200


async def log_in(house: House) -> str:
    return (await house.client.post("/api/session")).headers["set-cookie"].partition(";")[0]


async def opens(house: House, pair: str) -> bool:
    async with httpx2.AsyncClient(base_url=house.url, headers={"Cookie": pair}) as browser:
        return (await browser.get("/api/health")).status_code == 200


async def test_a_cookie_is_random_ends_at_logout_and_takes_its_streams_with_it(house: House) -> None:
    one, other = await log_in(house), await log_in(house)
    assert one != other
    task_id = await house.task("open Settings", loop="single")
    await house.ended(task_id)
    headers = {"Cookie": one, "Origin": house.url}
    async with (
        httpx2.AsyncClient(base_url=house.url, headers=headers, timeout=60) as browser,
        browser.stream("GET", "/api/devices/sim/frames", params={"rate": 20}) as stream,
    ):
        pictures = stream.aiter_bytes()
        await anext(pictures)
        gone = await browser.delete("/api/session")
        assert "Max-Age=0" in gone.headers["set-cookie"]
        await house.post("/api/devices/sim/actions", kind="home")  # something to see
        async with asyncio.timeout(60):
            async for _ in pictures:
                pass
    assert (await opens(house, one), await opens(house, other)) == (False, True)


async def test_sessions_survive_a_restart_but_not_their_time_nor_a_new_token(serve: Serve, tmp_path: Path) -> None:
    async with serve(server={"session_hours": 2}) as house:
        answer = await house.client.post("/api/session")
        assert "Max-Age=7200" in answer.headers["set-cookie"]
        pair = answer.headers["set-cookie"].partition(";")[0]
    file = tmp_path / "data" / "server-sessions.json"
    assert pair.partition("=")[2] not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    async with serve(server={"session_hours": 2}) as house:
        assert await opens(house, pair)
    (tmp_path / "data" / "server-token").unlink()
    async with serve(server={"session_hours": 2}) as house:
        assert not await opens(house, pair)
    clock = ManualClock(start=1_000_000)
    sessions = BrowserSessions(tmp_path / "s.json", "token", 2, clock)
    cookie = sessions.open_session()
    for hours, valid in ((1.9, True), (0.2, False)):
        await clock.sleep(hours * 3600)
        assert sessions.is_valid(cookie) is valid


async def test_head_is_answered_wherever_get_is(house: House) -> None:
    task_id = await house.task("open Settings", loop="single")
    await house.ended(task_id)
    for path in (
        "/api/health",
        f"/api/tasks/{task_id}",
        "/api/devices/sim/frames",
        f"/api/tasks/{task_id}/events/stream",
    ):
        async with asyncio.timeout(60):
            answer = await house.client.head(path)
        assert (answer.status_code, answer.content) == (200, b""), path
    assert (await house.client.head("/api/layered-agent/chat")).status_code == 405
    assert (await house.client.head("/api/tasks/none")).status_code == 404


def test_the_token_is_made_once_and_only_its_user_can_read_it(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "token"
    first, second = read_token(file), read_token(file)
    assert (first.fresh, second.fresh) == (True, False)
    assert first.value == second.value
    assert len(first.value) > 40
    assert first.value not in repr(first)
    file.chmod(0o644)
    read_token(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_token_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("x")
    with pytest.raises(SettingsError, match="too short"):
        read_token(tmp_path / "token")
    with pytest.raises(SettingsError, match="can't be used"):
        read_token(tmp_path)


async def test_the_token_file_is_where_the_settings_say(serve: Serve, tmp_path: Path) -> None:
    async with serve(server={"token_file": str(tmp_path / "mine")}) as house:
        assert (tmp_path / "mine").read_text().strip() == house.token.value


def test_other_machines_reach_it_only_when_the_user_says_so() -> None:
    with pytest.raises(SettingsError, match="--expose"):
        check_exposure(ServerSettings(host="0.0.0.0"))
    check_exposure(ServerSettings(host="0.0.0.0", expose=True))
    check_exposure(ServerSettings(host="::1"))


async def test_an_exposed_server_takes_addresses_but_no_foreign_names(serve: Serve) -> None:
    async with serve(server={"host": "0.0.0.0", "expose": True}) as house:
        port = house.url.rpartition(":")[2]
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
            right = {"Authorization": f"Bearer {house.token.value}"}
            hosts = {"10.1.2.3": 200, "evil.example": 403, "127.0.0.1.evil.example": 403, "localhost": 200}
            for host, status in hosts.items():
                answer = await client.get("/api/health", headers={**right, "Host": host})
                assert answer.status_code == status, host


async def test_wrong_tokens_are_forgotten_after_a_minute(tmp_path: Path) -> None:
    clock = ManualClock()
    from deskhand.server.access import AccessMiddleware

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    guard = AccessMiddleware(
        inner, token=read_token(tmp_path / "t"), settings=ServerSettings(wrong_tokens=1), clock=clock
    )

    async def knock() -> int:
        sent: list[Any] = []
        headers = [(b"host", b"localhost"), (b"authorization", b"Bearer x")]

        async def send(message: Any) -> None:
            sent.append(message)

        await guard({"type": "http", "method": "GET", "headers": headers}, asyncio.Queue().get, send)
        return int(sent[0]["status"])

    assert [await knock(), await knock()] == [401, 429]
    await clock.sleep(61)
    assert await knock() == 401


async def test_settings_of_the_server_say_where_it_listens(serve: Serve, tmp_path: Path) -> None:
    async with serve(server={"host": "::1"}) as house:
        assert house.url.startswith("http://[::1]:")
        assert (await house.get("/api/health"))["status"] == "ok"
        port = int(house.url.rpartition(":")[2])
    watch = SettingsWatch({"server": {"port": port}})
    assert watch.read_current().server.port == port


def test_no_answer_waits_for_the_client_to_acknowledge_its_first_half() -> None:
    with (
        open_socket(ServerSettings(port=0)) as door,
        socket.create_connection(door.getsockname()),
        door.accept()[0] as line,
    ):
        assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize(
    ("path", "status"), [("/api/health", 200), ("/api/nowhere", 404), ("/api/devices/sim/screenshot", 401)]
)
async def test_every_answer_keeps_a_browser_from_running_or_framing_anything_else(
    house: House, path: str, status: int
) -> None:
    token = {} if status != 401 else {"Authorization": "Bearer wrong"}
    answer = await house.client.get(path, headers=token)
    assert answer.status_code == status
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
