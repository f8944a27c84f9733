"""The wire to the two providers' own screen tools, through their SDKs: the common library drops those items."""

from __future__ import annotations

import asyncio
import base64
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from deskhand.config import EndpointSettings
from deskhand.models import faults
from deskhand.models.faults import CallFailed
from deskhand.models.wire import Patience, address_of, anthropic_client, arguments, http_client, openai_client
from deskhand.talk import ModelReply, ModelRequest, Picture, StopReason, ToolCall, Turn
from deskhand.types import Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from httpx2 import AsyncClient
    from openai import AsyncOpenAI

Item = Mapping[str, Any]
# Models up to 4.5 know the first version of the tool only, those after it the second.
_OLDER_CLAUDE = re.compile(r"3-7|sonnet-4-2|opus-4-2|opus-4-1|(?:sonnet|haiku)-4-5")
_CLAUDE_STOPS: dict[str, StopReason] = {"max_tokens": "length", "refusal": "refused", "tool_use": "tools"}


class ComputerWire:
    """One endpoint with a screen tool. Subclasses know one provider's form each."""

    def __init__(self, endpoint: EndpointSettings, key: str, patience: Patience | None = None) -> None:
        self._endpoint = endpoint
        self._patience = patience or Patience()
        self._address = address_of(endpoint, key)
        self._key = key
        self._http: AsyncClient | None = None
        self._making = asyncio.Lock()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def name(self) -> str:
        return f"{self._endpoint.provider}:{self._endpoint.model}"

    async def close(self) -> None:
        http, self._http = self._http, None
        if http:
            await http.aclose()

    async def ask(self, request: ModelRequest) -> ModelReply:
        async with self._making:
            if self._http is None:
                with faults.installed(self._endpoint.provider):
                    await asyncio.to_thread(self._make)
        try:
            async with asyncio.timeout(self._patience.total_s):
                return await self._exchange(request)
        except TimeoutError:
            raise faults.too_slow(self._address, self._patience.total_s, connected=True) from None

    def _make(self) -> None:
        raise NotImplementedError

    async def _exchange(self, request: ModelRequest) -> ModelReply:
        raise NotImplementedError

    def _explained(self, error: Exception) -> CallFailed:
        """Both SDKs come from one generator and share their errors' names; streams let the transport's through."""
        names = [kind.__name__ for cause in (error, error.__cause__) for kind in type(cause).__mro__]
        status = getattr(error, "status_code", None)
        if isinstance(status, int):
            headers = getattr(getattr(error, "response", None), "headers", None)
            return faults.refused(self._address, status, getattr(error, "body", None), headers)
        connecting = "ConnectError" in names or "ConnectTimeout" in names
        if "TimeoutException" in names or "APITimeoutError" in names:
            waited = self._patience.connect_s if connecting else self._patience.first_byte_s
            return faults.too_slow(self._address, waited, connected=not connecting)
        if connecting:
            return faults.unreachable(self._address)
        if "APIConnectionError" in names or "TransportError" in names:
            return faults.broke_off(self._address)
        return faults.unreadable(self._address)


class OpenAiComputerWire(ComputerWire):
    _client: AsyncOpenAI

    def _make(self) -> None:
        http = http_client(self._patience)
        self._client = openai_client(self._endpoint, self._key, http)
        # Loads what the SDK defers, here in the thread.
        _ = self._client.responses
        self._http = http

    async def _exchange(self, request: ModelRequest) -> ModelReply:
        from httpx2 import HTTPError
        from openai import APIError

        fields = self._fields(request)
        create = cast("Any", self._client.responses.create)
        try:
            if not self._endpoint.stream:
                return _from_response((await create(**fields)).to_dict())
            async with await create(**fields, stream=True) as stream:
                async for event in stream:
                    if event.type in ("response.completed", "response.incomplete", "response.failed"):
                        return _from_response(event.response.to_dict())
        except (APIError, HTTPError, ValueError) as error:
            raise self._explained(error) from None
        raise faults.broke_off(self._address)

    def _fields(self, request: ModelRequest) -> dict[str, Any]:
        tools: list[Item] = [
            {
                "type": "function",
                "name": t.name,
                "description": t.description,
                "parameters": t.parameters,
                "strict": False,
            }
            for t in request.tools
        ]
        if request.computer and "computer-use" in self._endpoint.model:
            size = {"display_width": request.computer.width, "display_height": request.computer.height}
            tools.insert(0, {"type": "computer_use_preview", "environment": "browser", **size})
        elif request.computer:
            tools.insert(0, {"type": "computer"})
        return {
            "model": self._endpoint.model,
            "instructions": request.system,
            "input": [_openai_turn(turn) for turn in request.turns],
            "tools": tools,
            "max_output_tokens": request.max_output_tokens,
            "truncation": "auto",
            "store": False,
        }


def _data_url(picture: Picture) -> str:
    return f"data:{picture.media_type};base64,{base64.b64encode(picture.data).decode()}"


def _openai_turn(turn: Turn) -> Item:
    if turn.speaker == "model":
        said = "\n".join(part for part in turn.parts if isinstance(part, str))
        return {"role": "assistant", "content": said}
    content = [
        {"type": "input_text", "text": part}
        if isinstance(part, str)
        else {"type": "input_image", "image_url": _data_url(part), "detail": "auto"}
        for part in turn.parts
    ]
    return {"role": "user", "content": content}


def _from_response(response: Item) -> ModelReply:
    items = cast("list[Item]", response.get("output") or [])
    text = [
        str(part.get("text", ""))
        for item in items if item.get("type") == "message"
        for part in cast("list[Item]", item.get("content") or []) if part.get("type") == "output_text"
    ]  # fmt: skip
    calls = [
        ToolCall(str(item.get("name")), arguments(item.get("arguments")))
        for item in items
        if item.get("type") == "function_call"
    ]
    usage = cast("Item", response.get("usage") or {})
    stop: StopReason = "length" if response.get("status") == "incomplete" else "end"
    return ModelReply(
        text="\n".join(text),
        calls=tuple(calls),
        native=tuple(item for item in items if item.get("type") == "computer_call"),
        stop=stop,
        usage=_usage(usage),
        cached_tokens=int(cast("Item", usage.get("input_tokens_details") or {}).get("cached_tokens") or 0),
        model=str(response.get("model", "")),
    )


def _usage(usage: Item) -> Usage:
    return Usage(
        calls=1,
        input_tokens=int(usage.get("input_tokens") or 0),
        output_tokens=int(usage.get("output_tokens") or 0),
    )


class AnthropicComputerWire(ComputerWire):
    _client: AsyncAnthropic

    def _make(self) -> None:
        http = http_client(self._patience)
        self._client = anthropic_client(self._endpoint, self._key, http)
        _ = self._client.beta.messages
        self._http = http

    async def _exchange(self, request: ModelRequest) -> ModelReply:
        from anthropic import AnthropicError
        from httpx2 import HTTPError

        fields = self._fields(request)
        messages = cast("Any", self._client.beta.messages)
        try:
            if not self._endpoint.stream:
                return _from_message((await messages.create(**fields)).to_dict())
            async with messages.stream(**fields) as stream:
                return _from_message((await stream.get_final_message()).to_dict())
        # The SDK asserts that a stream was complete before it hands out the message.
        except (AnthropicError, HTTPError, ValueError, AssertionError) as error:
            raise self._explained(error) from None

    def _fields(self, request: ModelRequest) -> dict[str, Any]:
        version = "20250124" if _OLDER_CLAUDE.search(self._endpoint.model) else "20251124"
        tools: list[Item] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in request.tools
        ]
        if request.computer:
            size = {"display_width_px": request.computer.width, "display_height_px": request.computer.height}
            tools.insert(0, {"type": f"computer_{version}", "name": "computer", **size})
        return {
            "model": self._endpoint.model,
            "system": request.system,
            "messages": [_anthropic_turn(turn) for turn in request.turns],
            "tools": tools,
            "max_tokens": request.max_output_tokens,
            "betas": [f"computer-use-{version[:4]}-{version[4:6]}-{version[6:]}"],
        }


def _anthropic_turn(turn: Turn) -> Item:
    content: list[Item] = []
    for part in turn.parts:
        if isinstance(part, str):
            content.append({"type": "text", "text": part})
        else:
            data = base64.b64encode(part.data).decode()
            source = {"type": "base64", "media_type": part.media_type, "data": data}
            content.append({"type": "image", "source": source})
    return {"role": "assistant" if turn.speaker == "model" else "user", "content": content}


def _from_message(message: Item) -> ModelReply:
    blocks = cast("list[Item]", message.get("content") or [])
    used = [block for block in blocks if block.get("type") == "tool_use"]
    ours = [block for block in used if block.get("name") in ("report", "do")]
    return ModelReply(
        text="\n".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text"),
        calls=tuple(ToolCall(str(block.get("name")), arguments(block.get("input"))) for block in ours),
        native=tuple(block for block in used if block not in ours),
        stop=_CLAUDE_STOPS.get(str(message.get("stop_reason")), "end"),
        usage=_usage(cast("Item", message.get("usage") or {})),
        cached_tokens=int(cast("Item", message.get("usage") or {}).get("cache_read_input_tokens") or 0),
        model=str(message.get("model", "")),
    )
