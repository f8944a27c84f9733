"""The scripted model server itself: what it counts, refuses and reports, and scripts from disk."""

import asyncio
import json
from pathlib import Path

import pytest

from deskhand.core.errors import SettingsError
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ReceivedRequest, ScriptedStep, load_script


async def post(server: ModelServer, path: str, body: object, *, raw: bytes | None = None) -> tuple[int, str]:
    """A request by hand: no client library between the test and the wire."""
    port = int(server.url.rpartition(":")[2].removesuffix("/v1"))
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    data = raw if raw is not None else json.dumps(body).encode()
    writer.write(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(data)}\r\n\r\n".encode() + data)
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    length = next(
        (int(line.split(":")[1]) for line in head.splitlines() if line.lower().startswith("content-length")), 0
    )
    said = (await reader.readexactly(length)).decode()
    writer.close()
    await writer.wait_closed()
    return int(head.split(" ")[1]), said


async def test_steps_are_played_in_order_and_the_rest_is_reported() -> None:
    async with ModelServer([ScriptedStep(text="a", times=2), "b", "c"]) as server:
        said = [json.loads((await post(server, "/v1/chat/completions", {"model": "m"}))[1]) for _ in range(3)]
        assert [one["choices"][0]["message"]["content"] for one in said] == ["a", "a", "b"]
        assert server.unconsumed == ["c"]
        assert "3 requests" in server.summarize_requests()
        assert "1 of 4 steps were not asked for" in server.summarize_requests()
        assert server.bytes_received > 0


async def test_a_request_beyond_the_script_is_refused() -> None:
    async with ModelServer() as server:
        status, said = await post(server, "/v1/messages", {"model": "m"})
    assert status == 400
    assert "script is over" in said


async def test_a_reply_can_look_at_the_request() -> None:
    async def answer(seen: ReceivedRequest) -> str:
        return f"{seen.model} said {seen.text.count('hello')} hello"

    async with ModelServer([answer]) as server:
        _, said = await post(server, "/v1/chat/completions", {"model": "m", "messages": [{"content": "hello hello"}]})
    assert "m said 2 hello" in said


async def test_a_step_can_demand_what_the_request_must_contain() -> None:
    async with ModelServer([ScriptedStep(text="x", contains="Ann")]) as server:
        status, said = await post(server, "/v1/chat/completions", {"messages": [{"content": "Bob"}]})
    assert status == 400
    assert "wants 'Ann' in the request" in said


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff", b"[]"])
async def test_any_body_gets_an_answer(raw: bytes) -> None:
    async with ModelServer(["x"]) as server:
        status, _ = await post(server, "/v1/chat/completions", None, raw=raw)
    assert status in (200, 400)


async def test_strange_paths_and_broken_requests_do_no_harm() -> None:
    async with ModelServer(["x"]) as server:
        assert (await post(server, "/nothing", {}))[0] == 404
        port = int(server.url.rpartition(":")[2].removesuffix("/v1"))
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"\r\n\r\nnonsense\r\n\r\n")
        writer.close()
        await writer.wait_closed()
        assert (await post(server, "/v1/chat/completions", {}))[0] == 200


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("script.json", '[{"text": "a", "delay_s": 0.1}, {"status": 429, "retry_after": 1}]'),
        ("script.json", '{"steps": [{"text": "a", "delay_s": 0.1}, {"status": 429, "retry_after": 1}]}'),
        ("script.toml", '[[steps]]\ntext = "a"\ndelay_s = 0.1\n[[steps]]\nstatus = 429\nretry_after = 1\n'),
    ],
)
def test_a_script_comes_from_json_or_toml(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert load_script(tmp_path / name) == [
        ScriptedStep(text="a", delay_s=0.1),
        ScriptedStep(status=429, retry_after=1),
    ]


@pytest.mark.parametrize(
    ("text", "says"), [("{", "can't be used"), ('[{"txet": "a"}]', "txet"), ('[{"status": 7}]', "status")]
)
def test_a_bad_script_is_named_with_what_is_wrong(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "script.json"
    file.write_text(text)
    with pytest.raises(SettingsError, match=says):
        load_script(file)


async def test_a_script_from_disk_is_served(tmp_path: Path) -> None:
    file = tmp_path / "script.json"
    file.write_text('[{"text": "from disk"}]')
    async with ModelServer(load_script(file)) as server:
        assert "from disk" in (await post(server, "/v1/chat/completions", {}))[1]
