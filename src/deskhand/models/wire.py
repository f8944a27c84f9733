"""Send one request to a model over HTTP, by any of the three APIs, streamed or whole, in one attempt.

Retrying, paying and choosing a model are wrapped around it. It is our own because of what libraries cost: for a
streamed request with a picture of 300 KB, 4 ms of CPU against 15, and 0.2 s to import against 2.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from deskhand.core.errors import ModelUnavailable
from deskhand.core.llm import ModelReply, ModelRequest
from deskhand.models import failures
from deskhand.models.apis import Json, ModelApi, ReplyStream, as_object, encode_body
from deskhand.models.failures import EndpointAddress, ModelCallFailed
from deskhand.settings.schema import EndpointSettings, ModelSettings

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

_OFFICIAL = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
_KEY_VARIABLES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
# Fields that an endpoint may refuse and can be asked without, as its refusal names them.
_OPTIONAL = ("temperature", "top_p", "frequency_penalty", "tool_choice", "stream_options", "max_tokens", "tool")
# While a reply is read, these can only mean JSON of another shape than the API's.
_ODD_SHAPE = (KeyError, IndexError, TypeError, ValueError, AttributeError)
_DRAIN_S = 0.25
_STREAM_ERRORS = {"overloaded_error": 529, "rate_limit_error": 429, "rate_limit_exceeded": 429, "api_error": 500}


@dataclass(frozen=True, slots=True)
class CallTimeouts:
    """Time limits of one attempt, in seconds."""

    connect_s: float = 10.0
    first_byte_s: float = 60.0
    total_s: float = 110.0

    @classmethod
    def from_settings(cls, settings: ModelSettings) -> CallTimeouts:
        return cls(settings.connect_timeout_s, settings.first_byte_timeout_s, settings.total_timeout_s)


class HttpModel:
    """One endpoint. It knows nothing of roles, money or retries."""

    def __init__(
        self, endpoint: EndpointSettings, key: str, api: ModelApi, patience: CallTimeouts | None = None
    ) -> None:
        self._endpoint = endpoint
        self._key = key
        self._api = api
        self._patience = patience or CallTimeouts()
        self._address = _address_of(endpoint, key)
        self._http: AsyncClient | None = None
        self._refused: frozenset[str] = frozenset()  # fields that are not sent again

    def __repr__(self) -> str:
        return f"HttpModel({self.name!r})"

    @property
    def name(self) -> str:
        return f"{self._endpoint.provider}:{self._endpoint.model}"

    async def close(self) -> None:
        http, self._http = self._http, None
        if http:
            await http.aclose()

    async def ask(self, request: ModelRequest) -> ModelReply:
        """Return one reply. A field that the endpoint refuses and does not need is left out from then on."""
        while True:
            refused = self._refused
            try:
                async with asyncio.timeout(self._patience.total_s):
                    return await self._send_request(drop_tools(request) if "tool" in refused else request)
            except TimeoutError:
                raise failures.explain_timeout(self._address, self._patience.total_s, connected=True) from None
            except ModelCallFailed as fault:
                said = fault.unexplained.casefold()
                name = next((name for name in _OPTIONAL if name in said and name not in refused), None)
                if name is None:
                    raise
                self._refused = refused | {name}

    async def _send_request(self, request: ModelRequest) -> ModelReply:
        with failures.require_models_extra():
            import httpx2
        stream = self._endpoint.stream
        body = self._api.make_body(request, self._refused)
        if stream:
            body["stream"] = True
            if "/chat/" in self._api.path and "stream_options" not in self._refused:
                body["stream_options"] = {"include_usage": True}
        headers = {"Content-Type": "application/json", **self._api.make_headers(self._key, request)}
        try:
            async with self._open_client().stream(
                "POST",
                self._address.base_url + self._api.path,
                content=encode_body(body, request.pictures),
                headers=headers,
            ) as response:
                if response.status_code != 200:
                    raise await self._read_refusal(response)
                # Some servers answer in one piece, whatever they are asked.
                streamed = stream and "application/json" not in response.headers.get("content-type", "")
                whole = await self._gather_stream(response) if streamed else _parse_object(await response.aread())
        except httpx2.TimeoutException as error:
            connecting = isinstance(error, httpx2.ConnectTimeout | httpx2.PoolTimeout)
            waited = self._patience.connect_s if connecting else self._patience.first_byte_s
            raise failures.explain_timeout(self._address, waited, connected=not connecting) from None
        except (httpx2.ConnectError, httpx2.UnsupportedProtocol, httpx2.InvalidURL):
            raise failures.explain_unreachable(self._address) from None
        except (httpx2.HTTPError, httpx2.StreamError):
            raise failures.explain_broken_reply(self._address) from None
        except ValueError:
            raise failures.explain_unreadable_reply(self._address) from None
        return self._read_reply(whole)

    def _open_client(self) -> AsyncClient:
        """Return the HTTP client, made on first use. Its connections are its own: closing it disturbs nobody."""
        if self._http is None:
            from httpx2 import AsyncClient, Timeout

            # A stream that stalls between two chunks for as long as a first byte may take is dead too.
            limits = Timeout(
                self._patience.first_byte_s, connect=self._patience.connect_s, pool=self._patience.connect_s
            )
            self._http = AsyncClient(timeout=limits)
        return self._http

    async def _read_refusal(self, response: Response) -> ModelCallFailed:
        raw = await response.aread()
        try:
            said: object = json.loads(raw)
        except ValueError:
            said = raw[:2000].decode("utf-8", "replace")
        return failures.explain_refusal(self._address, response.status_code, said, response.headers)

    async def _gather_stream(self, response: Response) -> Json:
        """Put a streamed reply together; raise if the stream ends before the reply does."""
        stream, begun = self._api.start_stream(), False
        async with aclosing(_read_events(response)) as events:
            async for event in events:
                if event is None or self._feed_stream(stream, event, begun=begun):
                    break
                begun = True
            if not stream.is_finished:
                raise failures.explain_broken_reply(self._address)
            await _drain_events(events)
        return stream.assemble_reply()

    def _feed_stream(self, stream: ReplyStream, event: Json, *, begun: bool) -> bool:
        self._raise_error_in(event, billed=begun)
        try:
            return stream.add_event(event)
        except _ODD_SHAPE:
            raise failures.explain_unreadable_reply(self._address) from None

    def _read_reply(self, whole: Json) -> ModelReply:
        self._raise_error_in(whole, billed=bool(whole.get("usage")))
        try:
            return self._api.read_reply(whole)
        except _ODD_SHAPE:
            raise failures.explain_unreadable_reply(self._address) from None

    def _raise_error_in(self, said: Json, *, billed: bool) -> None:
        """Raise an error that came with status 200 or in the middle of a stream; what came before it is billed."""
        error = said.get("error") or as_object(said.get("response")).get("error")
        if not error:
            return
        fields = as_object(error)
        kinds = [_STREAM_ERRORS.get(str(fields.get(name))) for name in ("code", "type")]
        code = fields.get("code")
        status = next((kind for kind in kinds if kind), code if isinstance(code, int) and 400 <= code < 600 else 500)
        raise failures.explain_refusal(self._address, status, cast("object", error), billed=billed)


def _address_of(endpoint: EndpointSettings, key: str) -> EndpointAddress:
    base = (endpoint.base_url or _OFFICIAL.get(endpoint.provider, "")).rstrip("/")
    if endpoint.provider == "anthropic":
        base = base.removesuffix("/v1")
    variable = endpoint.api_key_env or _KEY_VARIABLES.get(endpoint.provider)
    key_from = f"the variable {variable}" if variable else "api_key_env or key_file in its settings"
    if endpoint.key_file:
        key_from = f"the key file {endpoint.key_file}"
    if not (key.isascii() and key.isprintable()):
        raise ModelUnavailable(f"The key for {endpoint.model} has characters that no key has: check {key_from}.")
    return EndpointAddress(endpoint.model, base, key_from, key)


def drop_tools(request: ModelRequest) -> ModelRequest:
    """Return the request for a server without tools: their schemas become part of the instructions."""
    if not request.tools:
        return request
    words = [f"`{tool.name}`: {json.dumps(tool.parameters, ensure_ascii=False)}" for tool in request.tools]
    system = "\n\n".join([request.system, "JSON schema of the answer:", *words])
    return replace(request, system=system, tools=(), must_call=False)


def _parse_object(raw: bytes | str) -> Json:
    data: Any = json.loads(raw)
    if not isinstance(data, dict):
        raise ValueError("no JSON object")
    return cast("Json", data)


async def _read_events(response: Response) -> AsyncGenerator[Json | None]:
    """Yield the JSON of each server-sent event, and None for `[DONE]`.

    Lines are split here: httpx also ends one at U+2028 and its like, which may stand inside of an event's JSON.
    """
    rest = b""
    async for chunk in response.aiter_bytes():
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if data := _data_of_line(line):
                yield None if data == "[DONE]" else _parse_object(data)
    if data := _data_of_line(rest):
        yield None if data == "[DONE]" else _parse_object(data)


def _data_of_line(line: bytes) -> str:
    return line.removeprefix(b"data:").decode("utf-8", "replace").strip() if line.startswith(b"data:") else ""


async def _drain_events(events: AsyncGenerator[Json | None]) -> None:
    """Read the connection to its end, so that it can be used again; the reply is complete even if that fails."""
    from httpx2 import HTTPError

    with suppress(TimeoutError, HTTPError, ValueError):
        async with asyncio.timeout(_DRAIN_S):
            async for _ in events:
                pass
