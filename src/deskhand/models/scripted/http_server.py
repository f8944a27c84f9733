"""The scripted model server: a real HTTP server that speaks chat completions, responses and messages.

It answers from a script, fails on command, counts its requests, and reports the steps that nobody asked for.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
from collections.abc import Callable, Sequence
from typing import Any, Self, cast

from deskhand.clock import SystemClock
from deskhand.core.protocols import Clock
from deskhand.models.scripted.reply_formats import make_body, make_error, make_events
from deskhand.models.scripted.script import ApiName, ReceivedRequest, ScriptedStep, ScriptEntry

_APIS: dict[str, ApiName] = {"/chat/completions": "chat", "/responses": "responses", "/messages": "messages"}
_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}
_MAX_BODY = 64 * 1024 * 1024
_HEAD_TIMEOUT_S = 600


class ModelServer:
    """`async with ModelServer(["hello", Step(status=500)]) as server: … server.url`.

    With `key`, `models`, `vision` and `max_text` it refuses what a real endpoint would refuse.
    """

    def __init__(
        self,
        script: Sequence[ScriptEntry] = (),
        *,
        key: str = "",
        models: tuple[str, ...] = (),
        vision: bool = True,
        max_text: int | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.requests: list[ReceivedRequest] = []
        self.bytes_received = 0
        self.bytes_sent = 0
        self.aborted = 0
        self.connections = 0
        self._script = _repeat_steps(script)
        self._taken = 0
        self._key = key
        self._models = models
        self._vision = vision
        self._max_text = max_text
        self._clock = clock or SystemClock()
        self._server: asyncio.Server | None = None
        self._clients: set[asyncio.Task[None]] = set()
        self._happened = asyncio.Event()

    # --- life --------------------------------------------------------------------------------------------

    async def start_server(self, port: int = 0) -> None:
        self._server = await asyncio.start_server(self._handle_connection, "127.0.0.1", port)

    async def stop_server(self) -> None:
        if self._server:
            self._server.close()
        for client in list(self._clients):
            client.cancel()
        if self._clients:
            await asyncio.wait(self._clients)

    async def __aenter__(self) -> Self:
        await self.start_server()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop_server()

    @property
    def url(self) -> str:
        """The base URL of the OpenAI-compatible API; Anthropic's clients get it without the `/v1`."""
        assert self._server, "the server is not running"
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    @property
    def unconsumed(self) -> list[ScriptEntry]:
        """The steps of the script that nobody asked for."""
        return self._script[self._taken :]

    def summarize_requests(self) -> str:
        """Return one line: how many requests came, and how many steps are left."""
        left = len(self.unconsumed)
        rest = f"; {left} of {len(self._script)} steps were not asked for" if left else "; every step was asked for"
        return f"{len(self.requests)} requests, {self.bytes_received} bytes received{rest}"

    async def wait_until(self, condition: Callable[[Self], bool], timeout: float = 10.0) -> None:
        """Wait until the condition is true; it is checked after each request and each aborted reply."""
        async with asyncio.timeout(timeout):
            while not condition(self):
                self._happened.clear()
                await self._happened.wait()

    # --- HTTP --------------------------------------------------------------------------------------------

    async def _handle_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._clients.add(task)
        self.connections += 1
        try:
            while await self._serve_request(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ValueError):
            # The client is gone or does not speak HTTP: there is nobody to answer.
            pass
        except asyncio.CancelledError:
            # Only `stop` cancels a client; its connection is closed below and nobody awaits this task's result.
            pass
        finally:
            self._clients.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _serve_request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one request; return True if the connection stays open."""
        async with asyncio.timeout(_HEAD_TIMEOUT_S):
            head = await reader.readuntil(b"\r\n\r\n")
            lines = head.decode("latin-1").split("\r\n")
            headers = {n.strip().lower(): v.strip() for n, _, v in (line.partition(":") for line in lines[1:] if line)}
            size = int(headers.get("content-length") or 0)
            if size > _MAX_BODY:
                return False
            raw = await reader.readexactly(size)
        self.bytes_received += len(head) + len(raw)
        method, target, *_ = lines[0].split(" ")
        replying = asyncio.create_task(self._answer_request(method, target.partition("?")[0], headers, raw, writer))
        gone = asyncio.create_task(reader.read(1))
        try:
            await asyncio.wait({replying, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not replying.done():
                self.aborted += 1
                self._happened.set()
                return False
            return replying.result()
        finally:
            for task in (replying, gone):
                task.cancel()
            await asyncio.wait({replying, gone})

    async def _answer_request(
        self, method: str, path: str, headers: dict[str, str], raw: bytes, writer: asyncio.StreamWriter
    ) -> bool:
        api: ApiName | None = next((api for end, api in _APIS.items() if path.endswith(end)), None)
        if method == "GET" and path.endswith("/models"):
            known = [{"id": name, "object": "model"} for name in self._models]
            return await self._send_body(writer, 200, {"object": "list", "data": known})
        if method != "POST" or api is None:
            return await self._send_body(writer, 404, make_error("chat", 404, f"There is nothing at {path}."))
        try:
            parsed = json.loads(raw)
        except ValueError:
            return await self._send_body(writer, 400, make_error(api, 400, "The body is not JSON."))
        seen = ReceivedRequest(
            api, path, headers, raw, cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}
        )
        self.requests.append(seen)
        self._happened.set()
        if refusal := self._find_refusal(seen):
            status, message, code = refusal
            return await self._send_body(writer, status, make_error(api, status, message, code))
        return await self._play_step(await self._take_step(seen), seen, writer)

    def _find_refusal(self, seen: ReceivedRequest) -> tuple[int, str, str] | None:
        """Return status, message and code of what a real endpoint would refuse; None if it would not."""
        key = seen.headers.get("x-api-key") or seen.headers.get("authorization", "").removeprefix("Bearer ")
        if self._key and key != self._key:
            return 401, f"Incorrect API key provided: {key}.", "invalid_api_key" if seen.api != "messages" else ""
        if self._models and seen.model not in self._models:
            return 404, f"The model {seen.model!r} does not exist.", "model_not_found" if seen.api != "messages" else ""
        if not self._vision and seen.pictures:
            return 400, "This model does not support image input.", ""
        if self._max_text is not None and len(seen.text) > self._max_text:
            code = "context_length_exceeded" if seen.api != "messages" else ""
            return 400, "prompt is too long: it exceeds this model's maximum context length.", code
        return None

    async def _take_step(self, seen: ReceivedRequest) -> ScriptedStep:
        if self._taken >= len(self._script):
            return ScriptedStep(status=400, error="The script is over: it has no step for this request.")
        entry = self._script[self._taken]
        self._taken += 1
        if callable(entry):
            made = entry(seen)
            entry = await made if inspect.isawaitable(made) else made
        step = ScriptedStep(text=entry) if isinstance(entry, str) else entry
        if step.contains and step.contains not in seen.text:
            return ScriptedStep(
                status=400, error=f"Step {self._taken} of the script wants {step.contains!r} in the request."
            )
        return step

    # --- playing a step ------------------------------------------------------------------------------------

    async def _play_step(self, step: ScriptedStep, seen: ReceivedRequest, writer: asyncio.StreamWriter) -> bool:
        await self._clock.sleep(step.delay_s)
        if step.fault == "drop":
            return False
        if step.status != 200:
            said = make_error(seen.api, step.status, step.error or f"scripted status {step.status}", step.code)
            return await self._send_body(writer, step.status, said, step.retry_after)
        if seen.stream:
            return await self._send_stream(step, seen, writer)
        await self._clock.sleep(step.first_byte_s)
        return await self._send_body(writer, 200, make_body(step, seen), fault=step.fault)

    async def _send_body(
        self, writer: asyncio.StreamWriter, status: int, said: dict[str, Any], retry_after: float | None = None, *,
        fault: str = "",
    ) -> bool:  # fmt: skip
        payload = json.dumps(said, ensure_ascii=False).encode()
        if fault == "broken_json":
            payload = payload[: len(payload) // 2]
        extra = "" if retry_after is None else f"Retry-After: {retry_after:g}\r\n"
        sent = payload[: len(payload) // 2] if fault == "cut" else payload
        await self._write_bytes(
            writer, _make_head(status, f"application/json\r\nContent-Length: {len(payload)}\r\n{extra}") + sent
        )
        return fault != "cut"

    async def _send_stream(self, step: ScriptedStep, seen: ReceivedRequest, writer: asyncio.StreamWriter) -> bool:
        await self._write_bytes(writer, _make_head(200, "text/event-stream\r\nTransfer-Encoding: chunked\r\n"))
        await self._clock.sleep(step.first_byte_s)
        pieces = list(make_events(step, seen))
        if step.fault == "cut":
            pieces = pieces[: max(2, len(pieces) // 2)]
        for number, piece in enumerate(pieces):
            if number and step.chunk_s:
                await self._clock.sleep(step.chunk_s)
            data = piece.encode()
            if step.fault == "broken_json" and number == 1:
                data = data.replace(b"}", b"", 1)
            await self._write_bytes(writer, f"{len(data):x}\r\n".encode() + data + b"\r\n")
        if step.fault == "cut":
            return False
        await self._write_bytes(writer, b"0\r\n\r\n")
        return True

    async def _write_bytes(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        self.bytes_sent += len(data)
        writer.write(data)
        await writer.drain()


def _make_head(status: int, kind: str) -> bytes:
    return f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}\r\nContent-Type: {kind}\r\n".encode()


def _repeat_steps(script: Sequence[ScriptEntry]) -> list[ScriptEntry]:
    entries: list[ScriptEntry] = []
    for entry in script:
        entries += [entry] * (entry.times if isinstance(entry, ScriptedStep) else 1)
    return entries
