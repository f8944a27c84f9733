"""The MCP server with the official client: over standard input and output of a real process, and over real HTTP."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, ElicitResult, ImageContent, TextContent

from deskhand.mcp.over_http import serve_http
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedStep
from deskhand.screen.frame import decode_frame
from deskhand.server.token import Token, read_token
from deskhand.sessions.settings_reload import SettingsWatch
from deskhand.settings.schema import Settings
from deskhand.task.fold import fold_all
from deskhand.task.journal import SqliteJournal
from deskhand.task.state import TaskState
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from tests.conftest import Adb
from tests.server.conftest import LIMIT_S, model, until, write_settings

TOOLS = ["list_devices", "chat", "run_task", "task_status", "stop_task", "screenshot"]
ERAS = ["legacy", "auto"]
NEVER = ScriptedStep(text="x", first_byte_s=600)
RISKY = ScriptedStep(text='<answer>do(action="Tap", element=[500,500], message="pay 100 yuan")</answer>')
FINISH = ScriptedStep(text='<answer>finish(message="paid")</answer>')


def told(result: CallToolResult) -> Any:
    """The structured content of a call that went well; its text says something too."""
    assert not result.is_error, result.content
    assert text_of(result)
    return result.structured_content


def text_of(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


def refused(result: CallToolResult) -> str:
    assert result.is_error, result
    sentence = text_of(result)
    assert "\n" not in sentence
    return sentence


async def over(client: Client, task_id: str) -> Any:
    async with asyncio.timeout(LIMIT_S):
        while (status := told(await client.call_tool("task_status", {"task_id": task_id, "wait_s": 30})))["running"]:
            pass
    return status


async def journaled(folder: Path, task_id: str) -> TaskState:
    journal = SqliteJournal(folder)
    try:
        return fold_all(await journal.read(task_id))
    finally:
        await journal.close()


# --- standard input and output ---------------------------------------------------------------------------------


@dataclass
class Program:
    """`deskhand mcp`, as an MCP client starts it."""

    folder: Path
    env: dict[str, str]
    args: tuple[str, ...] = ("-m", "deskhand", "mcp")
    started: list[asyncio.subprocess.Process] = field(default_factory=list)

    @asynccontextmanager
    async def client(self, **more: Any) -> AsyncIterator[Client]:
        server = StdioServerParameters(command=sys.executable, args=list(self.args), env=self.env)
        with (self.folder / "stderr").open("w") as complaints:
            async with Client(stdio_client(server, complaints), **more) as client:
                yield client
        assert (self.folder / "stderr").read_text() == ""

    async def start(self, *args: str) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable, *self.args, *args,
            env=self.env,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        self.started.append(process)
        return process


@pytest.fixture
async def program(tmp_path: Path, adb: Adb) -> AsyncIterator[Program]:
    ours = {
        "DESKHAND_CONFIG": str(tmp_path / "config.json"),
        "DESKHAND_DATA_DIR": str(tmp_path / "data"),
        "DESKHAND_ADB__PORT": str(adb.port),
    }
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("DESKHAND_")}
    program = Program(tmp_path, inherited | ours)
    yield program
    for process in program.started:
        if process.returncode is None:
            process.kill()
            await process.communicate()


@pytest.mark.parametrize("era", ERAS)
async def test_all_tools_over_standard_input_and_output(program: Program, era: str) -> None:
    async with program.client(mode=era) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
        devices = told(await client.call_tool("list_devices"))["devices"]
        assert {"device_id": "sim", "kind": "sim", "state": "ready"}.items() <= devices[0].items()
        done = told(await client.call_tool("chat", {"device_id": "sim", "message": "open Settings"}))
        assert (set(done), done["success"]) == ({"result", "steps", "success"}, True)
        assert done["steps"] >= 1
        begun = told(await client.call_tool("run_task", {"goal": "go home, open the calculator", "device_id": "sim"}))
        assert (begun["status"], begun["running"]) in (("created", True), ("pending", True))
        ended = await over(client, begun["task_id"])
        assert (ended["status"], ended["requests"], ended["cost_usd"]) == ("fulfilled", [], "0")
        assert [subtask["status"] for subtask in ended["plan"]] == ["fulfilled"] * len(ended["plan"])
        assert ended["steps"] >= 1
        seen = await client.call_tool("screenshot", {"device_id": "sim", "side": 600})
        assert max(told(seen)["width"], told(seen)["height"]) == 600
        picture = seen.content[0]
        assert isinstance(picture, ImageContent)
        frame = decode_frame(base64.b64decode(picture.data))
        assert (picture.mime_type, frame.size) == ("image/jpeg", (told(seen)["width"], told(seen)["height"]))


async def test_nothing_but_the_protocol_is_on_standard_output_and_the_end_is_quiet(program: Program) -> None:
    process = await program.start()
    assert process.stdin
    assert process.stdout
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "chat", "arguments": {"message": "打开设置"}}},
    ]
    process.stdin.write(b"".join(json.dumps({"jsonrpc": "2.0", **line}).encode() + b"\n" for line in lines))
    process.stdin.write(b"this is no message\n")
    answers: dict[int, Any] = {}
    async with asyncio.timeout(LIMIT_S):
        while 2 not in answers:
            answer = json.loads(await process.stdout.readline())
            answers[answer.get("id")] = answer
        process.stdin.close()
        out, err = await process.communicate()
    assert answers[1]["result"]["serverInfo"]["name"] == "deskhand"
    assert answers[2]["result"]["structuredContent"]["success"]
    assert (out, err.decode(), process.returncode) == (b"", "", 0)


async def started_task(client: Client, operator: ModelServer, **more: Any) -> str:
    """A task whose model has been asked, and never answers."""
    given = {"goal": "open Settings", "device_id": "sim", "loop": "single", **more}
    task_id = told(await client.call_tool("run_task", given))["task_id"]
    await operator.wait_until(lambda server: len(server.requests) == 1, 60)
    return str(task_id)


async def test_when_input_ends_tasks_are_stopped_and_can_be_resumed(program: Program) -> None:
    async with ModelServer([NEVER]) as operator:
        write_settings(program.folder, models={"operator": model(operator, dialect="autoglm")})
        async with program.client() as client:
            task_id = await started_task(client, operator)
    state = await journaled(program.folder / "data", task_id)
    assert (state.status.value, state.cause) == ("rejected", "stopped")
    assert f"deskhand resume {task_id}" in state.reason


async def test_when_input_ends_in_the_middle_of_a_chat_it_is_stopped(program: Program) -> None:
    async with ModelServer([NEVER]) as operator:
        write_settings(program.folder, models={"operator": model(operator, dialect="autoglm")})
        async with program.client() as client:
            waiting = asyncio.create_task(client.call_tool("chat", {"message": "look"}))
            await operator.wait_until(lambda server: len(server.requests) == 1, 60)
        with pytest.raises(MCPError):
            await waiting
    journal = SqliteJournal(program.folder / "data")
    (run,) = await journal.runs(10)
    await journal.close()
    assert run.status.value == "rejected"
    assert run.ended


async def test_a_signal_ends_it_while_the_client_still_holds_its_input_open(program: Program) -> None:
    process = await program.start()
    assert process.stdin
    assert process.stdout
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    process.stdin.write(json.dumps(ping).encode() + b"\n")
    async with asyncio.timeout(LIMIT_S):
        assert json.loads(await process.stdout.readline())["id"] == 1
        os.kill(process.pid, signal.SIGTERM)
        code = await process.wait()
        err = await process.stderr.read() if process.stderr else b""
    process.stdin.close()
    assert (code, err) == (130, b"deskhand: Stopped.\n")


async def test_a_client_that_no_longer_reads_ends_it(program: Program) -> None:
    reading, writing = os.pipe()
    process = await asyncio.create_subprocess_exec(
        sys.executable, *program.args,
        env=program.env, stdin=asyncio.subprocess.PIPE, stdout=writing, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    program.started.append(process)
    os.close(writing)
    assert process.stdin
    look = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    process.stdin.write(json.dumps(look).encode() + b"\n")
    await asyncio.to_thread(os.read, reading, 1)  # it answers; nobody will read what follows
    os.close(reading)
    process.stdin.write(json.dumps(look).encode() + b"\n")
    async with asyncio.timeout(LIMIT_S):
        code = await process.wait()
        err = await process.stderr.read() if process.stderr else b""
    process.stdin.close()
    assert code == 0
    assert err.count(b"\n") == 1
    assert b"nobody reads any more" in err


async def test_what_keeps_it_from_starting_is_one_sentence_on_standard_error(program: Program) -> None:
    write_settings(program.folder, mcp={"sekrets": []})
    process = await program.start()
    out, err = await process.communicate()
    assert (process.returncode, out) == (2, b"")
    assert err.startswith(b"deskhand: ")
    assert b"sekrets" in err
    process = await program.start("--port", "5")
    out, err = await process.communicate()
    assert (process.returncode, err) == (2, b"deskhand: --port needs --http: standard input and output have no port.\n")


async def test_a_port_that_is_taken_is_one_sentence(program: Program) -> None:
    """And `deskhand serve` has another one by default."""
    assert Settings().mcp.port != Settings().server.port
    with socket.create_server(("127.0.0.1", 0)) as other:
        write_settings(program.folder, mcp={"port": other.getsockname()[1]})
        process = await program.start("--http")
        out, err = await process.communicate()
    assert (process.returncode, out) == (2, b"")
    assert err.startswith(b"deskhand: The server can't listen at 127.0.0.1, port ")
    assert err.count(b"\n") == 1


async def test_the_command_serves_http_too_and_says_where(program: Program) -> None:
    process = await program.start("--http", "--port", "0")
    assert process.stdout
    async with asyncio.timeout(LIMIT_S):
        first = (await process.stdout.readline()).decode()
    url = first.split(" at ")[1].split()[0]
    token = (program.folder / "data" / "server-token").read_text().strip()
    async with connected(url, token) as client:
        assert told(await client.call_tool("list_devices"))["devices"]
    os.kill(process.pid, signal.SIGTERM)
    out, err = await process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert str(program.folder / "data" / "server-token") in out.decode()
    assert token not in first + out.decode(), "what a service prints is kept in its log"


# --- HTTP ------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def connected(url: str, token: str, **more: Any) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=LIMIT_S) as http,
        Client(streamable_http_client(url, http_client=http), **more) as client,
    ):
        yield client


@dataclass
class Door:
    url: str
    token: Token
    folder: Path

    def client(self, **more: Any) -> AbstractAsyncContextManager[Client]:
        return connected(self.url, self.token.value, **more)


Open = Callable[..., AbstractAsyncContextManager[Door]]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, adb: Adb) -> Open:
    monkeypatch.setenv("DESKHAND_CONFIG", str(tmp_path / "config.json"))

    @asynccontextmanager
    async def opened(**settings: Any) -> AsyncIterator[Door]:
        write_settings(tmp_path, **settings)
        data = tmp_path / "data"
        watch = SettingsWatch({"data_dir": str(data), "mcp": {"port": 0}, "adb": {"port": adb.port}})
        token = read_token(data / "server-token")
        async with serve_http(watch, token) as url:
            yield Door(url, token, data)

    return opened


@pytest.mark.parametrize("era", ERAS)
async def test_all_tools_over_http(opened: Open, era: str) -> None:
    async with opened() as door, door.client(mode=era) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
        assert told(await client.call_tool("chat", {"message": "open Settings"}))["success"]
        steps: list[float] = []

        async def progress(done: float, total: float | None, _: str | None) -> None:
            assert total == 50
            steps.append(done)

        given = {"goal": "open Settings, go home, open the calculator", "device_id": "sim", "wait_s": 60}
        ended = told(await client.call_tool("run_task", given, progress_callback=progress))
        assert (ended["status"], ended["running"]) == ("fulfilled", False)
        assert steps == sorted(set(steps))
        assert steps
        seen = await client.call_tool("screenshot")
        assert told(seen)["device_id"] == "sim"


@pytest.mark.parametrize(
    ("tool", "given", "sentence"),
    [
        ("run_task", {"goal": "open Settings", "device_id": "toaster"}, "There is no device 'toaster'"),
        ("chat", {"message": "open Settings", "device_id": "toaster"}, "There is no device 'toaster'"),
        ("screenshot", {"device_id": "toaster"}, "There is no device 'toaster'"),
        ("run_task", {"goal": "  "}, "The goal is empty"),
        ("chat", {"message": ""}, "The goal is empty"),
        ("run_task", {}, "goal: Field required."),
        ("run_task", {"gaol": "x", "goal": "y"}, "gaol: Extra inputs are not permitted."),
        ("task_status", {"task_id": "nobody"}, "Task 'nobody' not found."),
        ("stop_task", {"task_id": "nobody"}, "Task 'nobody' not found."),
    ],
)
async def test_what_can_not_be_done_is_one_sentence(
    opened: Open, tool: str, given: dict[str, Any], sentence: str
) -> None:
    async with opened() as door, door.client() as client:
        assert sentence in refused(await client.call_tool(tool, given))
        with pytest.raises(MCPError, match="Unknown tool 'dance'"):
            await client.call_tool("dance")


async def test_a_busy_device_is_refused_looked_at_and_free_after_its_task_was_stopped(opened: Open) -> None:
    async with (
        ModelServer([NEVER]) as operator,
        opened(models={"operator": model(operator, dialect="autoglm")}) as door,
        door.client() as client,
    ):
        task_id = await started_task(client, operator)
        assert "busy" in refused(await client.call_tool("run_task", {"goal": "look", "device_id": "sim"}))
        assert "busy" in refused(await client.call_tool("chat", {"message": "look", "device_id": "sim"}))
        assert told(await client.call_tool("screenshot", {"device_id": "sim"}))["width"]
        (sim, *_) = told(await client.call_tool("list_devices"))["devices"]
        assert (sim["state"], sim["task_id"]) == ("busy", task_id)
        stopped = told(await client.call_tool("stop_task", {"task_id": task_id, "reason": "enough"}))
        assert (stopped["status"], stopped["reason"]) == ("rejected", "enough")
        assert "does not run in this server" in refused(await client.call_tool("stop_task", {"task_id": task_id}))
        (sim, *_) = told(await client.call_tool("list_devices"))["devices"]
        assert (sim["state"], sim["task_id"]) == ("ready", None)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Origin": "https://evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
    ],
)
async def test_the_servers_guard_stands_before_it(opened: Open, headers: dict[str, str], status: int) -> None:
    async with opened() as door:
        right = {"Authorization": f"Bearer {door.token.value}", "Accept": "application/json, text/event-stream"}
        async with httpx2.AsyncClient(headers=right | headers) as client:
            for method in ("GET", "POST", "DELETE"):
                assert (await client.request(method, door.url)).status_code == status


async def test_a_task_outlives_the_client_that_started_it(opened: Open) -> None:
    hold = asyncio.Event()

    async def think(_: Any) -> ScriptedStep:
        await hold.wait()
        return FINISH

    async with (
        ModelServer([think]) as operator,
        opened(models={"operator": model(operator, dialect="autoglm")}) as door,
    ):
        async with door.client() as client:
            task_id = await started_task(client, operator)
            watching = asyncio.create_task(client.call_tool("task_status", {"task_id": task_id, "wait_s": 600}))
            await until(lambda: not watching.done())
        await asyncio.wait({watching})
        assert watching.exception()
        hold.set()
        async with door.client() as client:
            assert (await over(client, task_id))["status"] == "fulfilled"


async def test_a_chat_whose_client_goes_away_leaves_the_device_free(opened: Open) -> None:
    async with (
        ModelServer([NEVER, FINISH]) as operator,
        opened(models={"operator": model(operator, dialect="autoglm")}) as door,
    ):
        async with door.client() as client:
            chatting = asyncio.create_task(client.call_tool("chat", {"message": "look", "device_id": "sim"}))
            await operator.wait_until(lambda server: len(server.requests) == 1, 60)
            chatting.cancel()
            await asyncio.wait({chatting})
        async with door.client() as client:

            async def free() -> bool:
                return told(await client.call_tool("list_devices"))["devices"][0]["state"] == "ready"

            await until(free)
            assert told(await client.call_tool("chat", {"message": "look", "device_id": "sim"}))["result"] == "paid"


async def test_calls_on_different_devices_run_side_by_side(opened: Open) -> None:
    names = [f"sim:{number}" for number in range(4)]
    async with opened() as door, door.client() as client:
        given = [{"message": "open Settings", "device_id": name} for name in names]
        answers = await asyncio.gather(*(client.call_tool("chat", one) for one in given))
        assert all(told(answer)["success"] for answer in answers)


@pytest.mark.parametrize("era", ERAS)
async def test_a_call_that_is_cut_off_while_the_device_is_opened_does_not_hold_up_the_end(
    opened: Open, era: str
) -> None:
    async with (
        ModelServer([NEVER]) as operator,
        opened(models={"operator": model(operator, dialect="autoglm")}) as door,
        door.client(mode=era) as client,
    ):
        calling = asyncio.create_task(client.call_tool("run_task", {"goal": "look", "device_id": "sim"}))

        async def taken() -> bool:
            return told(await client.call_tool("list_devices"))["devices"][0]["state"] == "busy"

        await until(taken)
        calling.cancel()
        await asyncio.wait({calling})


@pytest.mark.parametrize("era", ERAS)
async def test_when_the_server_ends_calls_under_way_are_answered(opened: Open, era: str) -> None:
    async with ModelServer([NEVER, NEVER]) as operator, asyncio.TaskGroup() as group:
        async with opened(models={"operator": model(operator, dialect="autoglm")}) as door:
            ready = asyncio.Event()

            async def call() -> tuple[CallToolResult, CallToolResult]:
                async with door.client(mode=era) as client:
                    task_id = await started_task(client, operator)
                    watch = client.call_tool("task_status", {"task_id": task_id, "wait_s": 600})
                    chat = client.call_tool("chat", {"message": "look", "device_id": "sim:2"})
                    answers = asyncio.gather(watch, chat)
                    await operator.wait_until(lambda server: len(server.requests) == 2, 60)
                    ready.set()
                    return await answers

            calling = group.create_task(call())
            await ready.wait()
        status, chat = await calling
    assert "deskhand resume" in told(status)["reason"]
    assert told(chat) == {"result": "Deskhand was shut down.", "steps": 0, "success": False}


# --- the person ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("action", "cause"), [("accept", "fulfilled"), ("decline", "rejected")])
async def test_what_needs_a_yes_is_put_to_the_person_by_their_client(
    opened: Open, era: str, action: Any, cause: str
) -> None:
    asked: list[str] = []

    async def person(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action=action, content={} if action == "accept" else None)

    async with (
        ModelServer([RISKY, FINISH]) as operator,
        opened(models={"operator": model(operator, dialect="autoglm")}) as door,
        door.client(mode=era, elicitation_callback=person) as client,
    ):
        task_id = told(await client.call_tool("run_task", {"goal": "pay", "loop": "single"}))["task_id"]
        assert (await over(client, task_id))["status"] == cause
    (sentence,) = asked
    for words in ("Your yes is needed", "on sim", "(540, 1200)", "pay 100 yuan"):
        assert words in sentence
    assert Path(sentence.rpartition("Picture: ")[2]).read_bytes().startswith(b"\xff\xd8")


async def test_a_form_that_is_closed_leaves_the_request_open_and_a_question_takes_words(opened: Open) -> None:
    question = ScriptedStep(text='<answer>do(action="Interact", message="Which colour?")</answer>')
    replies = [ElicitResult(action="cancel"), ElicitResult(action="accept", content={"answer": "blue"})]

    async def person(_: Any, params: Any) -> ElicitResult:
        assert params.requested_schema["required"] == ["answer"]
        return replies.pop(0)

    async with (
        ModelServer([question, NEVER]) as operator,
        opened(models={"operator": model(operator, dialect="autoglm")}) as door,
        door.client(elicitation_callback=person) as client,
    ):
        task_id = told(await client.call_tool("run_task", {"goal": "paint", "loop": "single"}))["task_id"]
        status = told(await client.call_tool("task_status", {"task_id": task_id, "wait_s": 60}))
        assert [request["kind"] for request in status["requests"]] == ["question"]
        status = told(await client.call_tool("task_status", {"task_id": task_id}))
        assert status["requests"] == []
        await operator.wait_until(lambda server: len(server.requests) == 2, 60)
        assert "blue" in operator.requests[1].text


async def test_a_client_that_can_not_ask_is_told_what_is_open_and_a_chat_says_what_to_do(opened: Open) -> None:
    async with (
        ModelServer([RISKY, RISKY]) as operator,
        opened(models={"operator": model(operator, dialect="autoglm")}) as door,
        door.client() as client,
    ):
        chat = told(await client.call_tool("chat", {"message": "pay"}))
        assert (chat["success"], chat["result"].startswith("the user is needed, use run_task: ")) == (False, True)
        begun = await client.call_tool("run_task", {"goal": "pay", "loop": "single", "wait_s": 60})
        (request,) = told(begun)["requests"]
        assert request["kind"] == "approval"
        assert request["expires"]
        assert (request["device"], request["task_id"]) == ("sim", told(begun)["task_id"])
        assert any(isinstance(part, ImageContent) for part in begun.content)
        assert "It waits for the user (approval)" in text_of(begun)


async def test_a_clients_words_are_nobodys_yes(opened: Open) -> None:
    given = {"goal": "打开微信，点击Bob，输入你好，点击发送", "device_id": "sim", "wait_s": 60}
    async with opened() as door, door.client() as client:
        (request,) = told(await client.call_tool("run_task", given))["requests"]
    assert request["kind"] == "approval"
    assert "发送" in request["text"]


async def test_a_page_that_does_something_is_not_opened_on_a_clients_word(opened: Open) -> None:
    async with opened() as door, door.client() as client:
        local = ("view-source:file:///etc/passwd", "blob:file:///x", "view-source:view-source:chrome://version")
        for url in ("tel:110", "http://news.local/subscribe", "javascript:alert(1)", *local):
            given = {"goal": "look around", "device_id": "sim", "url": url}
            assert "needs approval" in refused(await client.call_tool("run_task", given))


# --- secrets ---------------------------------------------------------------------------------------------------

VALUE = "Walrus-Quartz-58"


async def test_a_goal_names_only_the_secrets_that_the_settings_give_leave_for(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("USER", "OTHER"):
        monkeypatch.setenv(f"DESKHAND_SECRET_{name}", VALUE)
    async with opened(mcp={"secrets": ["USER"]}) as door, door.client() as client:
        for tool, words in (("chat", "message"), ("run_task", "goal")):
            sentence = refused(await client.call_tool(tool, {words: "打开微信，输入{{secret:OTHER}}"}))
            assert sentence == "The secret OTHER can't be used: the user has not named it."
        given = {"goal": "打开微信，点击Bob，输入{{secret:USER}}", "device_id": "sim", "wait_s": 60}
        ended = await client.call_tool("run_task", given)
        assert told(ended)["status"] == "fulfilled"
        assert await covered(client) > 2000
    assert VALUE not in str(ended)


async def covered(client: Client) -> int:
    """How many pixels of the screen are of the colour that secrets are painted over with."""
    picture = (await client.call_tool("screenshot", {"device_id": "sim", "side": 1280})).content[0]
    assert isinstance(picture, ImageContent)
    pixels = decode_frame(base64.b64decode(picture.data)).pixels[..., :3].astype(int)
    return int((abs(pixels - 96) <= 3).all(axis=2).sum())


async def test_where_a_secret_may_show_a_busy_screen_is_the_picture_that_its_task_kept(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKHAND_SECRET_USER", VALUE)
    given = {"goal": "打开微信，点击Bob，输入{{secret:USER}}，等待600秒", "device_id": "sim"}
    async with opened(mcp={"secrets": "USER"}) as door, door.client() as client:
        begun = told(await client.call_tool("run_task", given))

        async def typed() -> bool:
            status = told(await client.call_tool("task_status", {"task_id": begun["task_id"]}))
            return any("secret:USER" in step for step in status["last_steps"])

        await until(typed)
        assert (await client.call_tool("list_devices")).structured_content["devices"][0]["state"] == "busy"
        assert await covered(client) > 2000
