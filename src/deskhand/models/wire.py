"""The wire to chat models: any OpenAI-compatible endpoint, OpenAI and Anthropic, through one library.

One attempt a call: retrying, paying and choosing are wrapped around it. The library is imported on first use,
because it takes longer than everything else together.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from deskhand.config import EndpointSettings, ModelSettings
from deskhand.models import faults
from deskhand.models.faults import NO_TOOLS, Address, CallFailed
from deskhand.talk import ModelReply, ModelRequest, Picture, StopReason, ToolCall, Turn
from deskhand.types import Usage

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from httpx2 import AsyncClient
    from openai import AsyncOpenAI
    from pydantic_ai.messages import ModelMessage, ModelResponse
    from pydantic_ai.models import Model as LibraryModel
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings as LibrarySettings

_STOPS: dict[str, StopReason] = {"length": "length", "content_filter": "refused", "tool_call": "tools"}


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one attempt may take, in seconds."""

    connect_s: float = 10.0
    first_byte_s: float = 60.0
    total_s: float = 110.0

    @classmethod
    def of(cls, settings: ModelSettings) -> Patience:
        return cls(settings.connect_timeout_s, settings.first_byte_timeout_s, settings.total_timeout_s)


def http_client(patience: Patience) -> AsyncClient:
    """A client whose connections are its own, so that closing one disturbs nobody."""
    from httpx2 import AsyncClient, Timeout

    # A stream that stalls between two chunks for as long as a first byte may take is dead too.
    return AsyncClient(timeout=Timeout(patience.first_byte_s, connect=patience.connect_s, pool=patience.connect_s))


def openai_client(endpoint: EndpointSettings, key: str, http: AsyncClient) -> AsyncOpenAI:
    from openai import AsyncOpenAI

    base = endpoint.base_url or "https://api.openai.com/v1"
    return AsyncOpenAI(api_key=key or "none", base_url=base, http_client=http, max_retries=0, timeout=http.timeout)


def anthropic_client(endpoint: EndpointSettings, key: str, http: AsyncClient) -> AsyncAnthropic:
    from anthropic import AsyncAnthropic

    base = (endpoint.base_url or "https://api.anthropic.com").rstrip("/").removesuffix("/v1")
    return AsyncAnthropic(api_key=key or "none", base_url=base, http_client=http, max_retries=0, timeout=http.timeout)


def address_of(endpoint: EndpointSettings, key: str) -> Address:
    official = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
    variable = endpoint.api_key_env or {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}.get(
        endpoint.provider
    )
    key_from = f"the key file {endpoint.key_file}" if endpoint.key_file else f"the variable {variable}"
    if not endpoint.key_file and not variable:
        key_from = "api_key_env or key_file in its settings"
    return Address(endpoint.model, endpoint.base_url or official.get(endpoint.provider, ""), key_from, key)


class Wire:
    """One endpoint. Knows nothing of roles, money or second chances."""

    def __init__(self, endpoint: EndpointSettings, key: str, patience: Patience | None = None) -> None:
        self._endpoint = endpoint
        self._patience = patience or Patience()
        self._address = address_of(endpoint, key)
        self._key = key
        self._http: AsyncClient | None = None
        self._model: LibraryModel[Any] | None = None
        self._making = asyncio.Lock()
        # Found out by the first refusal: some local servers know no tools; they get the schema as words.
        self._tools = True

    def __repr__(self) -> str:
        return f"Wire({self.name!r})"

    @property
    def name(self) -> str:
        return f"{self._endpoint.provider}:{self._endpoint.model}"

    async def close(self) -> None:
        http, self._http, self._model = self._http, None, None
        if http:
            await http.aclose()

    async def ask(self, request: ModelRequest) -> ModelReply:
        if not self._tools:
            return await self._once(without_tools(request))
        try:
            return await self._once(request)
        except CallFailed as fault:
            if not (request.tools and fault.status in (400, 404, 422) and NO_TOOLS.search(fault.detail)):
                raise
        self._tools = False
        return await self._once(without_tools(request))

    async def _once(self, request: ModelRequest) -> ModelReply:
        # Two first calls at once must not make two clients, of which one would never be closed.
        async with self._making:
            with faults.installed(self._endpoint.provider):
                model = self._model = self._model or await asyncio.to_thread(self._make)
        try:
            async with asyncio.timeout(self._patience.total_s):
                response = await self._exchange(model, request)
        except TimeoutError:
            raise faults.too_slow(self._address, self._patience.total_s, connected=True) from None
        return _reply(response)

    def _make(self) -> LibraryModel[Any]:
        """In a thread: importing the library takes a second or two, in which the event loop must not stand."""
        self._http = http_client(self._patience)
        if self._endpoint.provider == "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            client = anthropic_client(self._endpoint, self._key, self._http)
            return AnthropicModel(self._endpoint.model, provider=AnthropicProvider(anthropic_client=client))
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.profiles.openai import OpenAIModelProfile
        from pydantic_ai.providers.openai import OpenAIProvider
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

        client = openai_client(self._endpoint, self._key, self._http)
        if self._endpoint.provider == "openai":
            return OpenAIChatModel(self._endpoint.model, provider=OpenAIProvider(openai_client=client))
        provider = OpenAICompatibleProvider("compatible", openai_client=client)
        # The older name of this limit is the one that every other server knows.
        profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
        return OpenAIChatModel(self._endpoint.model, provider=provider, profile=profile)

    async def _exchange(self, model: LibraryModel[Any], request: ModelRequest) -> ModelResponse:
        from pydantic_ai import direct
        from pydantic_ai.exceptions import (
            ModelAPIError,
            ModelConnectionError,
            ModelHTTPError,
            ModelTimeoutError,
            UnexpectedModelBehavior,
        )

        messages, settings, parameters = _messages(request), _settings(request), _parameters(request)
        try:
            if not self._endpoint.stream:
                return await direct.model_request(
                    model, messages, model_settings=settings, model_request_parameters=parameters
                )
            async with direct.model_request_stream(
                model, messages, model_settings=settings, model_request_parameters=parameters
            ) as stream:
                async for _ in stream:
                    pass
                return stream.get()
        except ModelHTTPError as error:
            raise faults.refused(self._address, error.status_code, error.body, error.headers) from None
        except ModelTimeoutError as error:
            connected = error.phase not in ("connect", "pool")
            waited = self._patience.first_byte_s if connected else self._patience.connect_s
            raise faults.too_slow(self._address, waited, connected=connected) from None
        except ModelConnectionError as error:
            reached = error.phase in ("read", "write")
            raise (faults.broke_off if reached else faults.unreachable)(self._address) from None
        except (ModelAPIError, UnexpectedModelBehavior, ValueError):
            raise faults.unreadable(self._address) from None


# --- to the library's words and back -----------------------------------------------------------------------------


def without_tools(request: ModelRequest) -> ModelRequest:
    """The same request for a server that knows no tools: their schemas become part of the instructions."""
    words = [f"`{tool.name}`: {json.dumps(tool.parameters, ensure_ascii=False)}" for tool in request.tools]
    system = "\n\n".join([request.system, "JSON schema of the answer:", *words])
    return replace(request, system=system, tools=(), must_call=False) if request.tools else request


def _messages(request: ModelRequest) -> list[ModelMessage]:
    from pydantic_ai.messages import ModelRequest as Asked
    from pydantic_ai.messages import ModelResponse as Answered
    from pydantic_ai.messages import SystemPromptPart, TextPart

    messages: list[ModelMessage] = []
    first = [SystemPromptPart(request.system)] if request.system else []
    for turn in request.turns:
        if turn.speaker == "model":
            messages.append(Answered([TextPart("\n".join(part for part in turn.parts if isinstance(part, str)))]))
        else:
            messages.append(Asked([*first, _prompt(turn)]))
            first = []
    return messages


def _prompt(turn: Turn) -> Any:
    from pydantic_ai.messages import BinaryContent, UserPromptPart

    if not any(isinstance(part, Picture) for part in turn.parts):
        return UserPromptPart("\n\n".join(part for part in turn.parts if isinstance(part, str)))
    return UserPromptPart(
        [
            BinaryContent(part.data, media_type=part.media_type) if isinstance(part, Picture) else part
            for part in turn.parts
        ]
    )


def _settings(request: ModelRequest) -> LibrarySettings:
    settings: dict[str, Any] = {"max_tokens": request.max_output_tokens, "max_retries": 0}
    for name in ("temperature", "top_p", "frequency_penalty"):
        if (value := getattr(request, name)) is not None:
            settings[name] = value
    if request.stop:
        settings["stop_sequences"] = list(request.stop)
    if request.tools:
        settings["tool_choice"] = "required" if request.must_call else "auto"
    return cast("LibrarySettings", settings)


def _parameters(request: ModelRequest) -> ModelRequestParameters:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    tools = [
        ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters))
        for tool in request.tools
    ]
    return ModelRequestParameters(function_tools=tools, allow_text_output=True)


def _reply(response: ModelResponse) -> ModelReply:
    from pydantic_ai.messages import TextPart, ThinkingPart, ToolCallPart

    usage = response.usage
    return ModelReply(
        text="".join(part.content for part in response.parts if isinstance(part, TextPart)),
        thinking="".join(part.content for part in response.parts if isinstance(part, ThinkingPart)),
        calls=tuple(ToolCall(p.tool_name, arguments(p.args)) for p in response.parts if isinstance(p, ToolCallPart)),
        stop=_STOPS.get(response.finish_reason or "", "end"),
        usage=Usage(calls=1, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens),
        cached_tokens=usage.cache_read_tokens,
        model=response.model_name or "",
    )


def arguments(said: str | Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """A call's arguments; None when they are no JSON object."""
    if isinstance(said, str):
        try:
            said = json.loads(said or "{}")
        except ValueError:
            return None
    return said if isinstance(said, Mapping) else {} if said is None else None
