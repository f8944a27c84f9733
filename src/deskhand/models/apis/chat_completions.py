"""The chat completions API: OpenAI's, and that of every OpenAI-compatible server."""

from __future__ import annotations

from typing import Any, cast

from deskhand.core.llm import ModelReply, ModelRequest, Picture, StopReason, ToolCall, ToolResult, Turn
from deskhand.models.apis import (
    Json,
    ReplyStream,
    as_object,
    as_objects,
    count_tokens,
    mark_picture,
    pick_sampling,
    read_arguments,
    read_usage,
    write_arguments,
)

_STOPS: dict[str, StopReason] = {"length": "length", "content_filter": "refused", "tool_calls": "tools"}


class ChatCompletionsApi:
    path = "/chat/completions"

    def __init__(self, model: str, *, official: bool) -> None:
        self._model = model
        # OpenAI itself wants the limit under its newer name; every other server knows the older one.
        self._limit = "max_completion_tokens" if official else "max_tokens"

    def make_headers(self, key: str, request: ModelRequest) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def make_body(self, request: ModelRequest, refused: frozenset[str]) -> Json:
        system = [{"role": "system", "content": request.system}] if request.system else []
        limit = self._limit if self._limit not in refused else "max_completion_tokens"
        body: Json = {
            "model": self._model,
            "messages": [*system, *(message for turn in request.turns for message in _write_messages(turn))],
            limit: request.max_output_tokens,
        }
        body |= pick_sampling(request, refused, "temperature", "top_p", "frequency_penalty")
        if request.stop:
            body["stop"] = list(request.stop)
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
                }
                for tool in request.tools
            ]
            if request.must_call and "tool_choice" not in refused:
                body["tool_choice"] = "required"
        return body

    def start_stream(self) -> ReplyStream:
        return _ChatStream()

    def read_reply(self, whole: Json) -> ModelReply:
        choice = whole["choices"][0]
        message: Json = choice["message"]
        usage = as_object(whole.get("usage"))
        calls = [as_object(call["function"]) for call in as_objects(message.get("tool_calls"))]
        return ModelReply(
            text=_read_text(message.get("content")),
            thinking=str(message.get("reasoning_content") or message.get("reasoning") or ""),
            calls=tuple(ToolCall(str(call["name"]), read_arguments(call.get("arguments"))) for call in calls),
            stop=_STOPS.get(str(choice.get("finish_reason")), "tools" if calls else "end"),
            usage=read_usage(usage, "prompt_tokens", "completion_tokens"),
            cached_tokens=count_tokens(as_object(usage.get("prompt_tokens_details")), "cached_tokens"),
            model=str(whole.get("model") or ""),
        )


def _read_text(content: Any) -> str:
    """Return the text of a content, which on some servers is a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in as_objects(cast("object", content)))
    return content if isinstance(content, str) else ""


def _write_messages(turn: Turn) -> list[Json]:
    """Return the messages of a turn: each tool result is one of its own, calls stand beside the text."""
    results = [part for part in turn.parts if isinstance(part, ToolResult)]
    told: list[Json] = [{"role": "tool", "tool_call_id": result.id, "content": result.text} for result in results]
    said = [part for part in turn.parts if isinstance(part, str | Picture)]
    calls = [part for part in turn.parts if isinstance(part, ToolCall)]
    if not said and not calls and told:
        return told
    message: Json = {"role": "assistant" if turn.speaker == "model" else "user"}
    if any(isinstance(part, Picture) for part in said):
        message["content"] = [_write_part(part) for part in said]
    else:
        message["content"] = "\n\n".join(part for part in said if isinstance(part, str))
    if calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": write_arguments(call.arguments)},
            }
            for call in calls
        ]
    return [*told, message]


def _write_part(part: str | Picture) -> Json:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    return {"type": "image_url", "image_url": {"url": to_data_url(part)}}


def to_data_url(picture: Picture) -> str:
    return f"data:{picture.media_type};base64,{mark_picture(picture)}"


class _ChatStream:
    """Deltas of text, of thinking, and of calls by their index; usage comes last, or never."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls: list[Json] = []
        self._growing: dict[int, Json] = {}
        self._finish: str | None = None
        self._usage: Json | None = None
        self._model = ""

    def add_event(self, event: Json) -> bool:
        self._model = event.get("model") or self._model
        self._usage = event.get("usage") or self._usage
        for choice in as_objects(event.get("choices")):
            self._add_delta(as_object(choice.get("delta")))
            self._finish = choice.get("finish_reason") or self._finish
        # Servers that don't close with [DONE] are done when they have given both.
        return self._finish is not None and self._usage is not None

    @property
    def is_finished(self) -> bool:
        return self._finish is not None

    def _add_delta(self, delta: Json) -> None:
        self._text.append(_read_text(delta.get("content")))
        self._thinking.append(str(delta.get("reasoning_content") or delta.get("reasoning") or ""))
        for part in as_objects(delta.get("tool_calls")):
            function = as_object(part.get("function"))
            call = self._find_call(int(part.get("index") or 0), str(part.get("id") or ""), bool(function.get("name")))
            call["name"] += function.get("name") or ""
            call["arguments"] += function.get("arguments") or ""

    def _find_call(self, index: int, id: str, named: bool) -> Json:
        """Return the call that a part belongs to. Some servers give each call the same index, but an id of its own."""
        call = self._growing.get(index)
        if call is None or (named and id and id != call["id"]):
            call = self._growing[index] = {"id": id, "name": "", "arguments": ""}
            self._calls.append(call)
        return call

    def assemble_reply(self) -> Json:
        message = {
            "content": "".join(self._text),
            "reasoning_content": "".join(self._thinking),
            "tool_calls": [{"function": call} for call in self._calls],
        }
        return {
            "choices": [{"message": message, "finish_reason": self._finish}],
            "usage": self._usage,
            "model": self._model,
        }
