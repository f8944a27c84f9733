"""The wire against a real HTTP server: every API, streamed and not, and every way it can fail."""

import asyncio
import base64
import json
import re
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pytest

from deskhand.clock import ManualClock, SystemClock
from deskhand.core.decisions import Usage
from deskhand.core.errors import ModelUnavailable
from deskhand.core.llm import ModelRequest, Picture, Tool, ToolCall, ToolResult, Turn
from deskhand.models.failures import ModelCallFailed
from deskhand.models.make_model import make_http_model
from deskhand.models.retrying import RetryingModel
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedCall, ScriptedStep
from deskhand.models.wire import CallTimeouts, HttpModel
from deskhand.settings.schema import EndpointSettings, Provider

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
    server: ModelServer, provider: Provider = "openai-compatible", patience: CallTimeouts | None = None, **fields: Any
) -> AsyncIterator[HttpModel]:
    endpoint = EndpointSettings(
        **{"api_key_env": "MY_KEY", **fields, "provider": provider, "model": "scripted", "base_url": server.url}
    )
    model = make_http_model(endpoint, "tools", patience)
    try:
        yield model
    finally:
        await model.close()


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_text_and_calls_arrive_with_their_usage(provider: Provider, stream: bool) -> None:
    said = ScriptedStep(
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
    async with ModelServer([ScriptedStep(text="half", stop="length")]) as server, wire(server, provider) as model:
        assert (await model.ask(REQUEST)).stop == "length"


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("provider", "dialect"), [("openai-compatible", "tools"), ("anthropic", "tools"), ("openai", "openai-computer")]
)
async def test_a_refusal_to_answer_says_so(provider: Provider, dialect: str, stream: bool) -> None:
    async with ModelServer([ScriptedStep(text="I won't.", stop="refused")]) as server:
        endpoint = EndpointSettings(provider=provider, model="m", base_url=server.url, stream=stream)
        model = make_http_model(endpoint, dialect)
        assert (await model.ask(REQUEST)).stop == "refused"
        await model.close()


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
    refusal = ScriptedStep(status=400, error='"auto" tool choice requires --enable-auto-tool-choice')
    request = ModelRequest(**{**_fields(REQUEST), "tools": (TOOL,)})
    async with ModelServer([refusal, "{}", "{}"]) as server, wire(server) as model:
        await model.ask(request)
        await model.ask(request)
    assert ["tools" in seen.body for seen in server.requests] == [True, False, False]
    assert '"decision"' in server.requests[1].text


# --- failures --------------------------------------------------------------------------------------------------


async def failure(model: HttpModel) -> ModelCallFailed:
    with pytest.raises(ModelCallFailed) as caught:
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
        (lambda: ModelServer([ScriptedStep(status=402, error="pay first")]), "no credit left"),
        (lambda: ModelServer([ScriptedStep(status=400, error=f"strange {KEY}")]), r"status 400\): strange \*\*\*"),
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


CANNOT_SEE, TOO_LONG, UNKNOWN = "can't see pictures", "too long for scripted", "does not know the model scripted"


@pytest.mark.parametrize(
    ("status", "said", "says"),
    [
        (400, "Invalid content type. image_url is only supported by certain models.", CANNOT_SEE),
        (400, "Failed to deserialize: messages[1]: unknown variant `image_url`, expected `text`", CANNOT_SEE),
        (400, "Unsupported content part type for text-only server: image_url", CANNOT_SEE),
        (400, "At most 0 image(s) may be provided in one request.", CANNOT_SEE),
        (400, "Image input is not enabled for this model", CANNOT_SEE),
        (500, "image input is not supported - hint: you may need to provide the mmproj", CANNOT_SEE),
        (404, "No endpoints found that support image input", CANNOT_SEE),
        (400, "the request exceeds the available context size. try increasing it", TOO_LONG),
        (500, "the request exceeds the available context size. try increasing it", TOO_LONG),
        (400, "prompt is too long: 215000 tokens > 200000 maximum", TOO_LONG),
        (400, "Range of input length should be [1, 30720]", TOO_LONG),
        (400, "Prompt 超长", TOO_LONG),
        (413, "Request Entity Too Large", TOO_LONG),
        (400, "Model Not Exist", UNKNOWN),
        (400, "openai/gpt-99 is not a valid model ID", UNKNOWN),
        (400, "The supported API model names are a or b, but you passed c.", UNKNOWN),
        (400, "模型不存在,请检查模型代码。", UNKNOWN),
        (403, "Project `proj_1` does not have access to model `gpt-99`", UNKNOWN),
        (400, "API key not valid. Please pass a valid API key.", "refused the key"),
        (403, "Forbidden", "refused the key"),
        (429, "You exceeded your current quota, please check your plan and billing details.", "no credit left"),
    ],
)
async def test_what_real_providers_say_is_understood(status: int, said: str, says: str) -> None:
    async with ModelServer([ScriptedStep(status=status, error=said)]) as server, wire(server) as model:
        fault = await failure(model)
    assert says in str(fault)
    assert not fault.retryable
    assert len(server.requests) == 1


async def test_a_picture_that_is_refused_for_itself_does_not_make_a_model_blind() -> None:
    async with (
        ModelServer([ScriptedStep(status=400, error="Could not process image")]) as server,
        wire(server) as model,
    ):
        fault = await failure(model)
    assert "status 400): Could not process image" in str(fault)


@pytest.mark.parametrize("status", [500, 504, 524])
async def test_a_server_that_took_too_long_is_asked_again(status: int) -> None:
    said = "The upstream server took too long to respond."
    async with ModelServer([ScriptedStep(status=status, error=said)]) as server, wire(server) as model:
        fault = await failure(model)
    assert fault.retryable
    assert fault.billed is (status > 500), "a gateway's time-out does not stop the model behind it"


@pytest.mark.parametrize("key", ["sk-“quoted”-0123", "sk-one\nsk-two", "密钥"])
def test_a_key_that_can_not_be_sent_is_one_sentence(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("MY_KEY", key)
    endpoint = EndpointSettings(model="scripted", base_url="http://127.0.0.1:9/v1", api_key_env="MY_KEY")
    with pytest.raises(ModelUnavailable, match="has characters that no key has: check the variable MY_KEY") as caught:
        make_http_model(endpoint, "tools")
    assert key not in str(caught.value)


async def test_a_dead_endpoint_is_named() -> None:
    async with ModelServer() as server:
        pass
    endpoint = EndpointSettings(model="scripted", base_url="http://127.0.0.1:9/v1")
    model = make_http_model(endpoint, "tools")
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
        (ScriptedStep(text="a long enough text " * 9, fault="cut"), "broke off"),
        (ScriptedStep(text="a long enough text " * 9, fault="broken_json"), "no valid answer"),
        (ScriptedStep(fault="drop"), "broke off"),
    ],
)
async def test_a_damaged_reply_may_be_tried_again_and_may_be_billed(
    provider: Provider, stream: bool, step: ScriptedStep, says: str
) -> None:
    async with ModelServer([step]) as server, wire(server, provider, stream=stream) as model:
        fault = await failure(model)
    assert says in str(fault)
    assert fault.retryable
    assert fault.billed


@pytest.mark.parametrize("stream", [True, False])
async def test_a_slow_first_byte_ends_the_call(stream: bool) -> None:
    slow = ScriptedStep(text="late", first_byte_s=60)
    async with ModelServer([slow]) as server, wire(server, patience=CallTimeouts(5, 0.2, 60), stream=stream) as model:
        fault = await failure(model)
        await server.wait_until(lambda s: s.aborted == 1)
    assert "did not answer for scripted within 0.2 s" in str(fault)
    assert fault.billed


async def test_a_stream_that_never_ends_is_ended() -> None:
    drip = ScriptedStep(text="x" * 10_000, chunk_s=0.05)
    async with ModelServer([drip]) as server, wire(server, patience=CallTimeouts(5, 5, 0.4)) as model:
        fault = await failure(model)
        await server.wait_until(lambda s: s.aborted == 1)
    assert "within 0.4 s" in str(fault)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_cancelling_inside_a_stream_closes_the_connection_at_once(provider: Provider) -> None:
    drip = ScriptedStep(text="x" * 10_000, chunk_s=0.02)
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
            await server.wait_until(lambda s, number=number: s.aborted == number)
            took.append(time.monotonic() - begun)
    assert min(took) < 0.2


@asynccontextmanager
async def saying(raw: bytes, provider: Provider = "openai-compatible") -> AsyncIterator[HttpModel]:
    """A wire to a server that answers with these bytes, whatever it is asked, and hangs up."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(raw)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        model = make_http_model(EndpointSettings(provider=provider, model="scripted", base_url=url), "tools")
        try:
            yield model
        finally:
            await model.close()


STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


def events(*said: Any, done: str = "") -> bytes:
    return "".join(f"data: {json.dumps(one, ensure_ascii=False)}\n\n" for one in said).encode() + done.encode()


def delta(text: str, finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}


USED = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
BEGUN: dict[str, Any] = {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 9}}}


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize(
    ("provider", "first", "event"),
    [
        ("openai-compatible", delta("I "), {"error": {"message": "overloaded", "code": 503}}),
        ("anthropic", BEGUN, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    ],
)
async def test_an_error_inside_a_stream_is_a_failure_and_what_had_begun_may_be_billed(
    provider: Provider, first: dict[str, Any], event: dict[str, Any], begun: bool
) -> None:
    said = events(first, event) if begun else events(event)
    async with saying(STREAM + b"Connection: close\r\n\r\n" + said, provider) as model:
        with pytest.raises(ModelCallFailed, match=r"status 5\d\d") as caught:
            await model.ask(REQUEST)
    assert caught.value.retryable
    assert caught.value.billed is begun


async def test_a_whole_reply_counts_however_its_connection_ends() -> None:
    said = events(delta("Yes."), delta("", "stop"), USED, done="data: [DONE]\n\n")
    chunk = f"{len(said):x}\r\n".encode() + said + b"\r\n"
    # The last, empty chunk is missing: to HTTP this was cut off.
    async with saying(STREAM + b"Transfer-Encoding: chunked\r\n\r\n" + chunk) as model:
        assert (await model.ask(REQUEST)).text == "Yes."


async def test_only_a_line_feed_ends_a_line_of_a_stream() -> None:
    odd = "one\u2028two\x85three\x0cfour"
    said = events(delta(odd), delta("", "stop"), USED).replace(b"\n\n", b"\r\n\r\n")
    async with saying(STREAM + b"Connection: close\r\n\r\n" + said.rstrip()) as model:
        reply = await model.ask(REQUEST)
    assert (reply.text, reply.usage.output_tokens) == (odd, 2)


@pytest.mark.parametrize("numbered", [True, False])
async def test_calls_in_a_stream_are_told_apart_by_index_or_by_id(numbered: bool) -> None:
    def part(number: int, name: str, arguments: str) -> dict[str, Any]:
        call = {"index": number if numbered else 0, "function": {"name": name, "arguments": arguments}}
        named = {"id": "" if numbered else f"call_{number}"} if name else {}
        return {"choices": [{"delta": {"tool_calls": [{**call, **named}]}, "finish_reason": None}]}

    parts = (part(0, "chat", '{"device'), part(0, "", '_id": "a"}'), part(1, "chat", '{"device_id": "b"}'))
    said = events(*parts, delta("", "tool_calls"), USED)
    async with saying(STREAM + b"Connection: close\r\n\r\n" + said) as model:
        reply = await model.ask(REQUEST)
    assert reply.calls == (ToolCall("chat", {"device_id": "a"}), ToolCall("chat", {"device_id": "b"}))


async def test_a_server_that_does_not_stream_is_understood() -> None:
    message = {"choices": [{"message": {"content": "In one piece."}, "finish_reason": "stop"}], "usage": USED["usage"]}
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nConnection: close\r\n\r\n"
    async with saying(head + json.dumps(message).encode()) as model:
        assert (await model.ask(REQUEST)).text == "In one piece."


async def test_connections_are_kept_between_calls() -> None:
    async with ModelServer(["a", "b", "c"]) as server, wire(server) as model:
        for _ in range(3):
            await model.ask(REQUEST)
        assert server.connections == 1


def test_no_test_reaches_another_machine() -> None:
    with pytest.raises(AssertionError, match=r"a test tried to reach 192\.0\.2\.1"):
        socket.create_connection(("192.0.2.1", 443), timeout=0.1)
    with pytest.raises(AssertionError, match=r"a test tried to reach models\.example"):
        socket.getaddrinfo("models.example", 443)


def test_a_key_is_in_no_representation() -> None:
    model = make_http_model(
        EndpointSettings(model="scripted", base_url="http://127.0.0.1:9/v1", api_key_env="MY_KEY"), "tools"
    )
    assert KEY not in f"{model!r} {model._address!r}"


# --- patience --------------------------------------------------------------------------------------------------


async def test_a_busy_server_is_asked_again_after_what_it_wants_and_then_with_backoff() -> None:
    clock = ManualClock()
    script = [ScriptedStep(status=429, retry_after=7), ScriptedStep(status=500), ScriptedStep(status=503), "at last"]
    async with ModelServer(script) as server, wire(server) as model:
        reply = await RetryingModel([model], clock, 3, Random(1)).ask(REQUEST)
    assert reply.text == "at last"
    assert len(server.requests) == 4
    # 7, then between half and all of 1 s and of 2 s.
    assert 7 + 0.5 + 1.0 <= clock.now() <= 7 + 1.0 + 2.0


async def test_what_can_not_be_mended_is_not_tried_again() -> None:
    async with ModelServer(["x"], key="another") as server, wire(server) as model:
        with pytest.raises(ModelUnavailable, match="refused the key"):
            await RetryingModel([model], ManualClock(), 3).ask(REQUEST)
    assert len(server.requests) == 1


async def test_fallbacks_are_asked_in_order_and_all_are_named_when_none_answers() -> None:
    down = [ScriptedStep(status=500, times=2)]
    async with ModelServer(down) as one, ModelServer([*down, "from the second"]) as two:
        async with wire(one) as first, wire(two) as second:
            clock = ManualClock()
            both = RetryingModel([first, second], clock, 1)
            with pytest.raises(ModelUnavailable, match=r"status 500 for scripted\. And its fallback: .* status 500"):
                await both.ask(REQUEST)
            assert both.name == first.name
        async with wire(one) as first, wire(two) as second:
            reply = await RetryingModel([first, second], clock, 0).ask(REQUEST)
    assert reply.text == "from the second"


async def test_a_provider_that_wants_minutes_is_left_for_the_fallback() -> None:
    clock = ManualClock()
    async with (
        ModelServer([ScriptedStep(status=429, retry_after=600)]) as one,
        ModelServer(["quick"]) as two,
        wire(one) as first,
        wire(two) as second,
    ):
        reply = await RetryingModel([first, second], clock, 3).ask(REQUEST)
    assert (reply.text, clock.now()) == ("quick", 0)


HANGS = ScriptedStep(text="late", first_byte_s=60, times=9)


async def test_one_that_hangs_leaves_time_for_the_fallback_and_for_the_reason() -> None:
    patience = CallTimeouts(5, 0.3, 60)
    async with ModelServer([HANGS]) as one, ModelServer(["quick"]) as two:
        async with wire(one, patience=patience) as first, wire(two) as second:
            reply = await RetryingModel([first, second], SystemClock(), 9, limit_s=1.2).ask(REQUEST)
        assert reply.text == "quick"
        async with wire(one, patience=patience) as first:
            with pytest.raises(ModelUnavailable, match=r"did not answer for scripted within 0\.3 s"):
                await asyncio.wait_for(RetryingModel([first], SystemClock(), 9, limit_s=1.0).ask(REQUEST), 20)


async def test_another_attempt_is_cut_short_when_the_time_is_over() -> None:
    async with ModelServer([ScriptedStep(status=500), HANGS]) as server, wire(server) as model:
        with pytest.raises(ModelUnavailable, match="status 500"):
            await RetryingModel([model], ManualClock(), 3, limit_s=1.2).ask(REQUEST)
        await server.wait_until(lambda s: s.aborted == 1)
    assert len(server.requests) == 2


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
        model = make_http_model(endpoint, dialect)
        try:
            assert (await model.ask(TALKED)).text == "Done."
        finally:
            await model.close()
    told = server.requests[0].body[path]
    assert [json.dumps(item).count('"c1"') for item in told].count(1) == 2, told
    behind = json.dumps(told[2:])
    assert "Wi-Fi is on" in behind
    assert "I look." in json.dumps(told[1])
