"""The wire against a real HTTP server: every API, streamed and not, and every way it can fail."""

import asyncio
import base64
import json
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pytest

from deskhand.clock import ManualClock
from deskhand.config import EndpointSettings, Provider
from deskhand.errors import ModelUnavailable
from deskhand.models.faults import CallFailed
from deskhand.models.make import make_wire
from deskhand.models.patient import Patient
from deskhand.models.scripted import ScriptedCall, Step
from deskhand.models.server import ModelServer
from deskhand.models.wire import Patience, Wire
from deskhand.talk import ModelRequest, Picture, Tool, ToolCall, ToolResult, Turn
from deskhand.types import Usage

KEY = "sk-test-0123456789abcdef"
JPEG = b"\xff\xd8\xff\xe0" + bytes(200)
REQUEST = ModelRequest(
    role="operator",
    system="Be brief.",
    turns=(Turn("user", ("Hello", Picture(JPEG, 10, 10), "there")),),
    temperature=0.0,
)
TOOL = Tool("step", "decide", {"type": "object", "properties": {"decision": {"type": "string"}}})


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)


PROVIDERS: list[Provider] = ["openai-compatible", "openai", "anthropic"]


@asynccontextmanager
async def wire(
    server: ModelServer, provider: Provider = "openai-compatible", patience: Patience | None = None, **fields: Any
) -> AsyncIterator[Wire]:
    endpoint = EndpointSettings(
        **{"api_key_env": "MY_KEY", **fields, "provider": provider, "model": "scripted", "base_url": server.url}
    )
    model = make_wire(endpoint, "tools", patience)
    try:
        yield model
    finally:
        await model.close()


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_text_and_calls_arrive_with_their_usage(provider: Provider, stream: bool) -> None:
    said = Step(
        text="I tap. 好的",
        calls=(ScriptedCall(name="step", arguments={"decision": "done", "n": [1, 2]}),),
        output_tokens=7,
    )
    request = ModelRequest(**{**_fields(REQUEST), "tools": (TOOL,), "must_call": True})
    async with ModelServer([said]) as server, wire(server, provider, stream=stream) as model:
        reply = await model.ask(request)
    assert reply.text == "I tap. 好的"
    assert reply.calls == (ToolCall("step", {"decision": "done", "n": [1, 2]}),)
    assert reply.usage == Usage(calls=1, input_tokens=1000, output_tokens=7)
    assert reply.stop == "tools"
    (seen,) = server.requests
    assert seen.stream is stream
    assert "Be brief." in seen.text
    assert "Hello" in seen.text
    (picture,) = seen.pictures
    assert base64.b64decode(picture.removeprefix("data:image/jpeg;base64,")) == JPEG
    assert server.unconsumed == []


def _fields(request: ModelRequest) -> dict[str, Any]:
    return {name: getattr(request, name) for name in request.__dataclass_fields__}


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_reply_cut_at_its_limit_says_so(provider: Provider) -> None:
    async with ModelServer([Step(text="half", stop="length")]) as server, wire(server, provider) as model:
        assert (await model.ask(REQUEST)).stop == "length"


async def test_sampling_reaches_the_server() -> None:
    request = ModelRequest(**{**_fields(REQUEST), "top_p": 0.85, "frequency_penalty": 0.2, "stop": ("END",)})
    async with ModelServer(["ok"]) as server, wire(server) as model:
        await model.ask(request)
    body = server.requests[0].body
    assert (body["temperature"], body["top_p"], body["frequency_penalty"]) == (0.0, 0.85, 0.2)
    assert (body["max_tokens"], body["stop"]) == (3000, ["END"])


async def test_turns_keep_their_order() -> None:
    turns = (Turn("user", ("one",)), Turn("model", ("two",)), Turn("user", ("three",)))
    async with ModelServer(["ok"]) as server, wire(server) as model:
        await model.ask(ModelRequest(role="operator", system="zero", turns=turns))
    messages = server.requests[0].body["messages"]
    assert [(m["role"], m["content"]) for m in messages] == [
        ("system", "zero"), ("user", "one"), ("assistant", "two"), ("user", "three"),
    ]  # fmt: skip


async def test_a_server_that_knows_no_tools_gets_the_schema_as_words() -> None:
    refusal = Step(status=400, error='"auto" tool choice requires --enable-auto-tool-choice')
    request = ModelRequest(**{**_fields(REQUEST), "tools": (TOOL,)})
    async with ModelServer([refusal, "{}", "{}"]) as server, wire(server) as model:
        await model.ask(request)
        await model.ask(request)
    assert ["tools" in seen.body for seen in server.requests] == [True, False, False]
    assert '"decision"' in server.requests[1].text


# --- failures --------------------------------------------------------------------------------------------------


async def failure(model: Wire) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        await model.ask(REQUEST)
    sentence = str(caught.value)
    assert KEY not in sentence
    assert "\n" not in sentence
    assert sentence.endswith(".")
    assert caught.value.__cause__ is None
    return caught.value


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ModelServer(["x"], key="another"), "refused the key for scripted: check the variable"),
        (lambda: ModelServer(["x"], models=("other",)), "does not know the model scripted"),
        (lambda: ModelServer(["x"], vision=False), "can't see pictures: set vision = false"),
        (lambda: ModelServer(["x"], max_text=3), "too long for scripted"),
        (lambda: ModelServer([Step(status=402, error="pay first")]), "no credit left"),
        (lambda: ModelServer([Step(status=400, error=f"strange {KEY}")]), r"status 400\): strange \*\*\*"),
    ],
)
async def test_a_refusal_is_one_clear_sentence_and_final(
    provider: Provider, make: Callable[[], ModelServer], says: str
) -> None:
    async with make() as server, wire(server, provider) as model:
        fault = await failure(model)
    assert not fault.retryable
    assert not fault.billed
    assert re.search(says, str(fault))


async def test_a_dead_endpoint_is_named() -> None:
    async with ModelServer() as server:
        pass
    endpoint = EndpointSettings(model="scripted", base_url="http://127.0.0.1:9/v1")
    model = make_wire(endpoint, "tools")
    fault = await failure(model)
    await model.close()
    assert "127.0.0.1:9 can't be reached for scripted" in str(fault)
    assert fault.retryable
    assert not fault.billed
    assert server.requests == []


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    ("step", "says"),
    [
        (Step(text="a long enough text " * 9, fault="cut"), "broke off"),
        (Step(text="a long enough text " * 9, fault="broken_json"), "no valid answer"),
        (Step(fault="drop"), "broke off"),
    ],
)
async def test_a_damaged_reply_may_be_tried_again_and_may_be_billed(
    provider: Provider, stream: bool, step: Step, says: str
) -> None:
    async with ModelServer([step]) as server, wire(server, provider, stream=stream) as model:
        fault = await failure(model)
    assert says in str(fault)
    assert fault.retryable
    assert fault.billed


@pytest.mark.parametrize("stream", [True, False])
async def test_a_slow_first_byte_ends_the_call(stream: bool) -> None:
    slow = Step(text="late", first_byte_s=60)
    async with ModelServer([slow]) as server, wire(server, patience=Patience(5, 0.2, 60), stream=stream) as model:
        fault = await failure(model)
        await server.until(lambda s: s.aborted == 1)
    assert "did not answer for scripted within 0.2 s" in str(fault)
    assert fault.billed


async def test_a_stream_that_never_ends_is_ended() -> None:
    drip = Step(text="x" * 10_000, chunk_s=0.05)
    async with ModelServer([drip]) as server, wire(server, patience=Patience(5, 5, 0.4)) as model:
        fault = await failure(model)
        await server.until(lambda s: s.aborted == 1)
    assert "within 0.4 s" in str(fault)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_cancelling_inside_a_stream_closes_the_connection_at_once(provider: Provider) -> None:
    drip = Step(text="x" * 10_000, chunk_s=0.02)
    took: list[float] = []
    async with ModelServer(["warm", drip, drip, drip]) as server, wire(server, provider) as model:
        await model.ask(REQUEST)
        # The best of three: what the machine does beside is not ours to answer for.
        for number in range(1, 4):
            sent = server.bytes_sent
            asking = asyncio.create_task(model.ask(REQUEST))
            while server.bytes_sent < sent + 500:
                await asyncio.sleep(0.01)
            begun = time.monotonic()
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            await server.until(lambda s, number=number: s.aborted == number)
            took.append(time.monotonic() - begun)
    assert min(took) < 0.2


@pytest.mark.parametrize(
    ("provider", "event"),
    [
        ("openai-compatible", {"error": {"message": "overloaded", "code": 503}}),
        ("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    ],
)
async def test_an_error_in_the_middle_of_a_stream_is_a_failure(provider: Provider, event: dict[str, Any]) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        data = f"data: {json.dumps(event)}\n\n".encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        writer.write(head + data)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        model = make_wire(EndpointSettings(provider=provider, model="scripted", base_url=url), "tools")
        with pytest.raises(CallFailed, match=r"status 5\d\d") as caught:
            await model.ask(REQUEST)
        await model.close()
    assert caught.value.retryable


async def test_connections_are_kept_between_calls() -> None:
    async with ModelServer(["a", "b", "c"]) as server, wire(server) as model:
        for _ in range(3):
            await model.ask(REQUEST)
        assert server.connections == 1


def test_a_key_is_in_no_representation() -> None:
    model = make_wire(
        EndpointSettings(model="scripted", base_url="http://127.0.0.1:9/v1", api_key_env="MY_KEY"), "tools"
    )
    assert KEY not in f"{model!r} {model._address!r}"


# --- patience --------------------------------------------------------------------------------------------------


async def test_a_busy_server_is_asked_again_after_what_it_wants_and_then_with_backoff() -> None:
    clock = ManualClock()
    script = [Step(status=429, retry_after=7), Step(status=500), Step(status=503), "at last"]
    async with ModelServer(script) as server, wire(server) as model:
        reply = await Patient([model], clock, 3, Random(1)).ask(REQUEST)
    assert reply.text == "at last"
    assert len(server.requests) == 4
    # 7, then between half and all of 1 s and of 2 s.
    assert 7 + 0.5 + 1.0 <= clock.now() <= 7 + 1.0 + 2.0


async def test_what_can_not_be_mended_is_not_tried_again() -> None:
    async with ModelServer(["x"], key="another") as server, wire(server) as model:
        with pytest.raises(ModelUnavailable, match="refused the key"):
            await Patient([model], ManualClock(), 3).ask(REQUEST)
    assert len(server.requests) == 1


async def test_fallbacks_are_asked_in_order_and_all_are_named_when_none_answers() -> None:
    down = [Step(status=500, times=2)]
    async with ModelServer(down) as one, ModelServer([*down, "from the second"]) as two:
        async with wire(one) as first, wire(two) as second:
            clock = ManualClock()
            both = Patient([first, second], clock, 1)
            with pytest.raises(ModelUnavailable, match=r"status 500 for scripted\. And its fallback: .* status 500"):
                await both.ask(REQUEST)
            assert both.name == first.name
        async with wire(one) as first, wire(two) as second:
            reply = await Patient([first, second], clock, 0).ask(REQUEST)
    assert reply.text == "from the second"


async def test_a_provider_that_wants_minutes_is_left_for_the_fallback() -> None:
    clock = ManualClock()
    async with (
        ModelServer([Step(status=429, retry_after=600)]) as one,
        ModelServer(["quick"]) as two,
        wire(one) as first,
        wire(two) as second,
    ):
        reply = await Patient([first, second], clock, 3).ask(REQUEST)
    assert (reply.text, clock.now()) == ("quick", 0)


TALKED = ModelRequest(
    role="assistant",
    system="",
    turns=(
        Turn("user", ("Turn on Wi-Fi",)),
        Turn("model", ("I look.", ToolCall("chat", {"device_id": "sim"}, "c1"), ToolCall("list_devices", {}, "c2"))),
        Turn("user", (ToolResult("c1", "Wi-Fi is on"), ToolResult("c2", "sim"))),
    ),
    tools=(TOOL,),
)


@pytest.mark.parametrize(
    ("provider", "dialect", "path"),
    [("openai-compatible", "tools", "messages"), ("anthropic", "tools", "messages"),
     ("openai-compatible", "openai-computer", "input")],
)  # fmt: skip
async def test_calls_and_their_results_are_told_in_the_words_of_each_api(
    provider: Provider, dialect: str, path: str
) -> None:
    async with ModelServer(["Done."]) as server:
        url = server.url.removesuffix("/v1") if provider == "anthropic" else server.url
        endpoint = EndpointSettings(provider=provider, model="m", base_url=url, api_key_env="MY_KEY")
        model = make_wire(endpoint, dialect)
        try:
            assert (await model.ask(TALKED)).text == "Done."
        finally:
            await model.close()
    told = server.requests[0].body[path]
    assert [json.dumps(item).count('"c1"') for item in told].count(1) == 2, told
    behind = json.dumps(told[2:])
    assert "Wi-Fi is on" in behind
    assert "I look." in json.dumps(told[1])
