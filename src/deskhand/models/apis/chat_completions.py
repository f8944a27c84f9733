"""Chat completions: OpenAI's, and that of everything that calls itself OpenAI-compatible."""

from __future__ import annotations

from typing import Any, cast

from deskhand.core.decisions import Usage
from deskhand.core.llm import ModelReply, ModelRequest, Picture, StopReason, ToolCall, ToolResult, Turn
from deskhand.models.apis import Concessions, Json, Stream, arguments, count, listed, mapped, mark, words

_STOPS: dict[str, StopReason] = {"length": "length", "content_filter": "refused", "tool_calls": "tools"}


class ChatApi:
    path = "/chat/completions"

    def __init__(self, model: str, *, official: bool) -> None:
        self._model = model
        # OpenAI itself wants the limit under its newer name; every other server knows the older one.
        self._limit = "max_completion_tokens" if official else "max_tokens"

    def headers(self, key: str, request: ModelRequest) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, request: ModelRequest, given: Concessions) -> Json:
        system = [{"role": "system", "content": request.system}] if request.system else []
        limit = self._limit if given.takes(self._limit) else "max_completion_tokens"
        body: Json = {
            "model": self._model,
            "messages": [*system, *(message for turn in request.turns for message in _messages(turn))],
            limit: request.max_output_tokens,
        }
        for name in ("temperature", "top_p", "frequency_penalty"):
            if (value := getattr(request, name)) is not None and given.takes(name):
                body[name] = value
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
            if request.must_call and given.takes("tool_choice"):
                body["tool_choice"] = "required"
        return body

    def stream(self) -> Stream:
        return _ChatStream()

    def reply(self, whole: Json) -> ModelReply:
        choice = whole["choices"][0]
        message: Json = choice["message"]
        usage = mapped(whole.get("usage"))
        calls = [mapped(call["function"]) for call in listed(message.get("tool_calls"))]
        return ModelReply(
            text=_text(message.get("content")),
            thinking=str(message.get("reasoning_content") or message.get("reasoning") or ""),
            calls=tuple(ToolCall(str(call["name"]), arguments(call.get("arguments"))) for call in calls),
            stop=_STOPS.get(str(choice.get("finish_reason")), "tools" if calls else "end"),
            usage=Usage(
                calls=1,
                input_tokens=count(usage, "prompt_tokens"),
                output_tokens=count(usage, "completion_tokens"),
            ),
            cached_tokens=count(mapped(usage.get("prompt_tokens_details")), "cached_tokens"),
            model=str(whole.get("model") or ""),
        )


def _text(content: Any) -> str:
    """A string, or, on some servers, a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in listed(cast("object", content)))
    return content if isinstance(content, str) else ""


def _messages(turn: Turn) -> list[Json]:
    """Each result is a message of its own here; calls stand beside the words."""
    results = [part for part in turn.parts if isinstance(part, ToolResult)]
    told: list[Json] = [{"role": "tool", "tool_call_id": result.id, "content": result.text} for result in results]
    said = [part for part in turn.parts if isinstance(part, str | Picture)]
    calls = [part for part in turn.parts if isinstance(part, ToolCall)]
    if not said and not calls and told:
        return told
    message: Json = {"role": "assistant" if turn.speaker == "model" else "user"}
    if any(isinstance(part, Picture) for part in said):
        message["content"] = [_part(part) for part in said]
    else:
        message["content"] = "\n\n".join(part for part in said if isinstance(part, str))
    if calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": words(call.arguments)}}
            for call in calls
        ]
    return [*told, message]


def _part(part: str | Picture) -> Json:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    return {"type": "image_url", "image_url": {"url": data_url(part)}}


def data_url(picture: Picture) -> str:
    return f"data:{picture.media_type};base64,{mark(picture)}"


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

    def feed(self, event: Json) -> bool:
        self._model = event.get("model") or self._model
        self._usage = event.get("usage") or self._usage
        for choice in listed(event.get("choices")):
            self._delta(mapped(choice.get("delta")))
            self._finish = choice.get("finish_reason") or self._finish
        # Servers that don't close with [DONE] are done when they have given both.
        return self._finish is not None and self._usage is not None

    @property
    def finished(self) -> bool:
        return self._finish is not None

    def _delta(self, delta: Json) -> None:
        self._text.append(_text(delta.get("content")))
        self._thinking.append(str(delta.get("reasoning_content") or delta.get("reasoning") or ""))
        for part in listed(delta.get("tool_calls")):
            function = mapped(part.get("function"))
            call = self._call(int(part.get("index") or 0), str(part.get("id") or ""), bool(function.get("name")))
            call["name"] += function.get("name") or ""
            call["arguments"] += function.get("arguments") or ""

    def _call(self, index: int, id: str, named: bool) -> Json:
        """The call that a part belongs to. Some servers give each call the same index, but an id of its own."""
        call = self._growing.get(index)
        if call is None or (named and id and id != call["id"]):
            call = self._growing[index] = {"id": id, "name": "", "arguments": ""}
            self._calls.append(call)
        return call

    def whole(self) -> Json:
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
