"""The two providers' own screen tools on the wire."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Literal

import pytest

from deskhand.core.decisions import Usage
from deskhand.core.llm import Computer, ModelRequest, Picture, Tool, ToolCall, Turn
from deskhand.models.failures import ModelCallFailed
from deskhand.models.make_model import make_http_model
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedCall, ScriptedStep
from deskhand.models.wire import CallTimeouts, HttpModel
from deskhand.settings.schema import EndpointSettings

Name = Literal["openai", "anthropic"]
NAMES: list[Name] = ["openai", "anthropic"]
REPORT = Tool("report", "judge", {"type": "object", "properties": {"decision": {"type": "string"}}})
REQUEST = ModelRequest(
    role="operator",
    system="Be brief.",
    turns=(
        Turn("user", ("Look", Picture(b"\xff\xd8\xff" + bytes(200), 10, 10))),
        Turn("model", ("wrong",)),
        Turn("user", ("Again",)),
    ),
    tools=(REPORT,),
    computer=Computer(1280, 800),
)


@asynccontextmanager
async def wire(
    server: ModelServer, name: Name, model: str = "scripted", patience: CallTimeouts | None = None, **fields: Any
) -> AsyncIterator[HttpModel]:
    endpoint = EndpointSettings(provider=name, model=model, base_url=server.url, **fields)
    made = make_http_model(endpoint, f"{name}-computer", patience)
    try:
        yield made
    finally:
        await made.close()


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("name", NAMES)
async def test_screen_actions_and_our_own_calls_arrive_apart(name: Name, stream: bool) -> None:
    act = {"type": "click", "x": 1, "y": 2, "button": "left"} if name == "openai" else {"action": "screenshot"}
    said = ScriptedStep(
        text="I look.",
        computer=(act,),
        calls=(ScriptedCall(name="report", arguments={"decision": "go_on"}),),
        safety_checks=({"id": "cu_1", "code": "odd", "message": "Odd page."},),
    )
    async with ModelServer([said]) as server, wire(server, name, stream=stream) as model:
        reply = await model.ask(REQUEST)
    assert reply.text == "I look."
    assert reply.calls == (ToolCall("report", {"decision": "go_on"}),)
    (item,) = reply.native
    if name == "openai":
        assert item["actions"] == [act]
        assert item["pending_safety_checks"][0]["message"] == "Odd page."
    else:
        assert (item["name"], item["input"]) == ("computer", act)
    assert reply.usage == Usage(calls=1, input_tokens=1000, output_tokens=50)
    (seen,) = server.requests
    assert seen.api == ("responses" if name == "openai" else "messages")
    assert len(seen.pictures) == 1
    assert "acknowledged" not in seen.text


@pytest.mark.parametrize(("desktop", "place"), [(True, "linux"), (False, "browser")])
async def test_the_preview_is_told_where_it_is(desktop: bool, place: str) -> None:
    async with (
        ModelServer([ScriptedStep(text="ok")]) as server,
        wire(server, "openai", "computer-use-preview") as model,
    ):
        await model.ask(replace(REQUEST, computer=Computer(1280, 800, desktop)))
        assert server.requests[0].body["tools"][0]["environment"] == place


async def test_each_model_gets_the_tool_that_it_knows() -> None:
    expected = {
        ("openai", "computer-use-preview"): "computer_use_preview",
        ("openai", "gpt-5.4"): "computer",
        ("anthropic", "proxy-claude-sonnet-4-5"): "computer_20250124",
        ("anthropic", "claude-sonnet-4-0"): "computer_20250124",
        ("anthropic", "claude-opus-4-1-20250805"): "computer_20250124",
        ("anthropic", "claude-opus-4-5-20251101"): "computer_20251124",
        ("anthropic", "proxy-claude-opus-4-6"): "computer_20251124",
    }
    for (name, model), tool in expected.items():
        async with ModelServer(["ok"]) as server, wire(server, name, model) as made:  # type: ignore[arg-type] a Name
            await made.ask(REQUEST)
        body = server.requests[0].body
        assert body["tools"][0]["type"] == tool
        if name == "anthropic":
            day = tool.removeprefix("computer_")
            assert server.requests[0].headers["anthropic-beta"] == f"computer-use-{day[:4]}-{day[4:6]}-{day[6:]}"


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("step", "says", "retryable", "billed"),
    [
        (ScriptedStep(status=429, retry_after=2), "limits the requests", True, False),
        (ScriptedStep(status=500), "status 500", True, False),
        (ScriptedStep(status=401), "refused the key", False, False),
        (ScriptedStep(text="a long enough text " * 9, fault="cut"), "broke off", True, True),
        (ScriptedStep(text="a long enough text " * 9, fault="broken_json"), "no valid answer", True, True),
        (ScriptedStep(fault="drop"), "broke off", True, True),
    ],
)
async def test_failures_are_told_apart(
    name: Name, stream: bool, step: ScriptedStep, says: str, retryable: bool, billed: bool
) -> None:
    async with ModelServer([step]) as server, wire(server, name, stream=stream) as model:
        with pytest.raises(ModelCallFailed, match=says) as caught:
            await model.ask(REQUEST)
    assert (caught.value.retryable, caught.value.billed) == (retryable, billed)
    assert caught.value.retry_after == step.retry_after


@pytest.mark.parametrize("name", NAMES)
async def test_slowness_and_dead_endpoints_are_told(name: Name) -> None:
    slow = ScriptedStep(text="x", first_byte_s=60)
    async with ModelServer([slow]) as server, wire(server, name, patience=CallTimeouts(5, 0.2, 60)) as model:
        with pytest.raises(ModelCallFailed, match=r"within 0\.2 s"):
            await model.ask(REQUEST)
        await server.wait_until(lambda s: s.aborted == 1)
    async with wire(server_at("http://127.0.0.1:9/v1"), name) as model:
        with pytest.raises(ModelCallFailed, match="can't be reached"):
            await model.ask(REQUEST)


def server_at(url: str) -> Any:
    return type("Nowhere", (), {"url": url})


@pytest.mark.parametrize("name", NAMES)
async def test_cancelling_closes_the_connection(name: Name) -> None:
    async with ModelServer([ScriptedStep(text="x" * 10_000, chunk_s=0.02)]) as server, wire(server, name) as model:
        asking = asyncio.create_task(model.ask(REQUEST))
        await server.wait_until(lambda s: len(s.requests) == 1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await server.wait_until(lambda s: s.aborted == 1, timeout=1)
