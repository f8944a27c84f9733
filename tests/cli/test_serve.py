"""`deskhand serve` in a process of its own: first start, clean end, a kill in the middle; one device across doors."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedCall, ScriptedStep
from tests.cli.conftest import Cli, Running
from tests.cli.test_dialogue import terminal
from tests.conftest import ConnectedPhone

NEVER = ScriptedStep(text="x", first_byte_s=600)


def call(name: str, **arguments: Any) -> ScriptedStep:
    return ScriptedStep(calls=(ScriptedCall(name=name, arguments=arguments),))


def models(**servers: ModelServer) -> dict[str, str]:
    """The models of these roles, as variables."""
    variables: dict[str, str] = {}
    for role, server in servers.items():
        prefix = f"DESKHAND_MODELS__{role.upper()}__"
        variables |= {f"{prefix}MODEL": "scripted", f"{prefix}BASE_URL": server.url, f"{prefix}FREE": "true"}
    return variables


@asynccontextmanager
async def served(cli: Cli, **env: str) -> AsyncIterator[tuple[Running, httpx2.AsyncClient]]:
    """A running server and a client with its token. The block ends it, if it has not ended yet."""
    running = await cli.start("serve", "--port", "0", **env)
    url = re.search(r"http://\S+", await running.line("answers at"))
    assert url
    token = (cli.data / "server-token").read_text().strip()
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(base_url=url[0], headers=headers, timeout=90) as client:
        yield running, client
    if running.process.returncode is None:
        running.send(signal.SIGTERM)
        assert (await running.ended()).code == 0


async def events_of(answer: httpx2.Response) -> AsyncIterator[dict[str, Any]]:
    async for line in answer.aiter_lines():
        if line.startswith("data: "):
            yield json.loads(line[6:])


async def test_the_token_is_told_to_no_log_and_a_stopped_task_can_be_resumed(cli: Cli) -> None:
    async with ModelServer([NEVER]) as operator:
        async with served(cli, **models(operator=operator)) as (running, client):
            token = (cli.data / "server-token").read_text().strip()
            assert str(cli.data / "server-token") in await running.line("The token is kept in")
            assert (await client.get("/api/health")).json()["status"] == "ok"
            task = (await client.post("/api/tasks", json={"goal": "open Settings", "loop": "single"})).json()
            await operator.wait_until(lambda server: len(server.requests) == 1, 60)
            running.send(signal.SIGTERM)
            ended = await running.ended()
        assert ended.code == 0
        assert ended.err == ""
        assert token not in ended.out, "what a service prints is kept in its log"
    resumed = await cli("resume", task["task_id"], "--json")
    assert (resumed.code, resumed.json["status"]) == (0, "fulfilled"), resumed.err
    async with served(cli) as (running, client):
        assert (await client.get(f"/api/tasks/{task['task_id']}")).json()["status"] == "fulfilled"
        running.send(signal.SIGINT)
        assert token not in (await running.ended()).out


async def test_a_kill_in_the_middle_of_a_conversation_loses_nothing_that_was_streamed(cli: Cli) -> None:
    script = [call("list_devices"), call("chat", device_id="sim", message="open Settings"), NEVER, "I go on."]
    async with ModelServer(script) as decider:
        env = models(assistant=decider)
        streamed: list[dict[str, Any]] = []
        async with served(cli, **env) as (running, client):
            body = {"message": "open Settings and tell me", "session_id": "s"}
            async with client.stream("POST", "/api/layered-agent/chat", json=body) as answer:
                async for event in events_of(answer):
                    streamed.append(event)
                    if len(streamed) == 4:
                        break
                await decider.wait_until(lambda server: len(server.requests) == 3, 60)
                running.send(signal.SIGKILL)
                await running.process.wait()
        assert [event["type"] for event in streamed] == ["tool_call", "tool_result"] * 2
        async with served(cli, **env) as (_, client):
            shown = (await client.get("/api/layered-agent/sessions/s")).json()
            kept = [entry["event"] for entry in shown["entries"] if entry["event"]["type"] != "task"]
            assert kept[1:] == streamed
            body = {"message": "and now?", "session_id": "s"}
            async with client.stream("POST", "/api/layered-agent/chat", json=body) as answer:
                went_on = [event async for event in events_of(answer)]
            assert went_on[-1] == {"type": "done", "content": "I go on.", "success": True}
            shown = (await client.get("/api/layered-agent/sessions/s")).json()
    kinds = [entry["event"]["type"] for entry in shown["entries"] if entry["event"]["type"] != "task"]
    assert kinds == ["user", *["tool_call", "tool_result"] * 2, "error", "user", "message", "done"]
    told = decider.requests[-1].body["messages"]
    assert [message["role"] for message in told] == [
        "system", "user", "assistant", "tool", "assistant", "tool", "assistant", "user",
    ]  # fmt: skip


async def test_a_task_whose_program_died_is_interrupted_and_its_stream_ends(cli: Cli) -> None:
    async with ModelServer([NEVER]) as operator:
        async with served(cli, **models(operator=operator)) as (running, client):
            body = {"goal": "look", "loop": "single"}
            task_id = (await client.post("/api/tasks", json=body)).json()["task_id"]
            await operator.wait_until(lambda server: len(server.requests) == 1, 60)
            assert (await client.get("/api/tasks")).json()["tasks"][0]["status"] == "pending"
            running.send(signal.SIGKILL)
            await running.ended()
        async with served(cli) as (_, client):
            view = (await client.get(f"/api/tasks/{task_id}")).json()
            assert (view["status"], view["running"]) == ("interrupted", False)
            assert f"deskhand resume {task_id}" in view["reason"]
            assert (await client.get("/api/tasks")).json()["tasks"][0]["status"] == "interrupted"
            async with asyncio.timeout(60):
                stream = await client.get(f"/api/tasks/{task_id}/events/stream")
            assert "task_created" in stream.text
            assert (await client.delete(f"/api/tasks/{task_id}")).status_code == 200
    assert (await cli("runs", "--json")).json["runs"] == []


async def test_a_run_and_a_conversation_are_deleted_from_the_command_line(cli: Cli) -> None:
    assert (await cli("run", "open Settings", "--json")).code == 0
    assert (await cli("chat", "打开设置", "--session", "mine:1", "--json")).code == 0
    assert len((await cli("runs", "--json")).json["runs"]) == 2
    gone = await cli("delete", "--session", "mine:1")
    assert (gone.code, gone.out) == (0, "Deleted the conversation mine:1.\n")
    (left,) = (await cli("runs", "--json")).json["runs"]
    assert (await cli("delete", "last", "--json")).json["task_id"] == left["task_id"]
    assert (await cli("runs", "--json")).json["runs"] == []
    assert list((cli.data / "frames").rglob("*.jpg")) == []
    assert "There is no conversation 'mine:1'" in (await cli("delete", "--session", "mine:1")).refused(2)
    assert "not both" in (await cli("delete")).refused(2)


async def test_one_phone_one_task_also_across_programs(cli: Cli, sim: ConnectedPhone) -> None:
    device = f"android:{sim.serial}"
    async with ModelServer([NEVER]) as operator, served(cli, **models(operator=operator)) as (_, client):
        task = await client.post("/api/tasks", json={"goal": "look", "device": device, "loop": "single"})
        assert task.status_code == 201, task.text
        refused = await cli("run", "open Settings", "--device", device)
        assert "busy" in refused.refused(3)
        chatted = await cli("chat", "open Settings", "--device", device, "--json")
        assert f"device {device} is busy" in chatted.out
    assert (await cli("run", "open Settings", "--device", device)).code == 0


async def test_what_keeps_the_server_from_starting_is_one_sentence(cli: Cli, tmp_path: Path) -> None:
    assert "--expose" in (await cli("serve", "--host", "0.0.0.0")).refused(2)
    async with served(cli) as (running, client):
        port = str(client.base_url).rstrip("/").rpartition(":")[2]
        assert f"port {port}" in (await cli("serve", "--port", port)).refused(2)
        assert running.process.returncode is None


async def test_a_bad_file_is_reported_once_and_changes_nothing(cli: Cli, tmp_path: Path) -> None:
    async with served(cli) as (running, client):
        (tmp_path / "config.toml").write_text('[settle]\nmax_wait_ms = "soon"\n')
        for _ in range(3):
            trouble = (await client.get("/api/health")).json()["settings_trouble"]
            assert "'settle.max_wait_ms' in " in trouble
        running.send(signal.SIGTERM)
        ended = await running.ended()
    assert ended.err.count("settle.max_wait_ms") == 1
    assert "config.toml" in ended.err


# --- in the terminal -------------------------------------------------------------------------------------------


async def test_a_message_is_answered_in_the_terminal_and_the_conversation_goes_on(cli: Cli) -> None:
    first = await cli("chat", "open Settings", "--session", "mine", "--json")
    assert (first.code, first.json["events"][-1]["success"]) == (0, True), first.err
    second = await cli("chat", "what is the title?", "--session", "mine")
    assert second.code == 0
    assert "→ chat sim what is the title" in second.out


async def test_what_is_typed_while_it_works_is_done_next_and_devices_are_no_json(cli: Cli) -> None:
    asked, go = asyncio.Event(), asyncio.Event()

    async def think(_: Any) -> str:
        asked.set()
        await go.wait()
        return "First."

    async with ModelServer([call("list_devices"), think, "Second."]) as decider:
        async with terminal(cli, "chat", **models(assistant=decider)) as shown:
            await shown.shows("Type what to do")
            shown.type("do the first")
            await asked.wait()
            shown.type("do the second")
            await shown.shows("Kept for when this is done: do the second")
            go.set()
            await shown.shows("First.")
            await shown.shows("Second.")
            shown.type("")
            assert await shown.ended() == 0, shown.text
        told = decider.requests[-1].body["messages"]
        assert told[-1] == {"role": "user", "content": "do the second"}
    assert "device_id" not in shown.text


async def test_a_conversation_can_be_piped_in(cli: Cli) -> None:
    process = await asyncio.create_subprocess_exec(
        *["/bin/sh", "-c", 'printf "open Settings\\nwhat is the title?\\n" | "$0" -m deskhand chat', sys.executable],
        env=cli.env,
        stdout=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(120):
        out, _ = await process.communicate()
    assert "the title: Settings" in out.decode()
    assert "Continue it with: deskhand chat --session" in out.decode()


async def test_settings_are_shown_with_where_they_come_from_and_without_keys(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[settle]\ninterval_ms = 50\n")
    env = {
        "DESKHAND_SETTLE__THRESHOLD": "0.1",
        "MODEL_NAME": "autoglm-phone-9b",
        "MODEL_BASE_URL": "http://127.0.0.1:1/v1",
        "MODEL_API_KEY": "sk-canary",
    }
    shown = await cli("config", "show", **env)
    assert shown.code == 0
    lines = [line.split() for line in shown.out.splitlines()]
    assert ["settle.interval_ms", "50", str(tmp_path / "config.toml")] in lines
    assert ["settle.threshold", "0.1", "the", "environment", "(DESKHAND_SETTLE__THRESHOLD)"] in lines
    assert ["models.operator.model", "autoglm-phone-9b", "the", "environment", "(MODEL_NAME)"] in lines
    assert "sk-canary" not in shown.out
    assert ["models.operator.api_key", "**********", "the", "environment", "(MODEL_API_KEY)"] in lines
    assert "executor.max_steps" not in shown.out
    everything = await cli("config", "show", "--all", "--json", **env)
    settings = {one["key"]: one for one in everything.json["settings"]}
    assert settings["executor.max_steps"] == {
        "key": "executor.max_steps",
        "value": 50,
        "origin": "default",
        "description": "Most steps of one task.",
    }
    table = await cli("config", "show", "--all", **env)
    rows = [" ".join(line.split()) for line in table.out.splitlines()]
    assert "executor.max_steps 50 default Most steps of one task." in rows
    assert "sk-canary" not in everything.out
