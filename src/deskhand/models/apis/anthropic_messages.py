"""Anthropic's messages API, with its computer tool if the request has a screen."""

from __future__ import annotations

import json
import re
from typing import Any

from deskhand.core.decisions import Usage
from deskhand.core.llm import ModelReply, ModelRequest, StopReason, ToolCall, ToolResult, Turn
from deskhand.models.apis import (
    Json,
    ReplyStream,
    as_object,
    as_objects,
    count_tokens,
    mark_picture,
    pick_sampling,
    read_arguments,
)

_STOPS: dict[str, StopReason] = {
    "max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "refused", "tool_use": "tools",
}  # fmt: skip
# Models up to 4.5 know the first version of the computer tool only, those after it the second.
_OLDER = re.compile(r"3-7|(?:sonnet|opus)-4(?:-[01]\b|-2|@|$)|(?:sonnet|haiku)-4-5")


class AnthropicMessagesApi:
    path = "/v1/messages"

    def __init__(self, model: str) -> None:
        self._model = model
        self._version = "20250124" if _OLDER.search(model) else "20251124"

    def make_headers(self, key: str, request: ModelRequest) -> dict[str, str]:
        headers = {"anthropic-version": "2023-06-01"}
        if key:
            headers["x-api-key"] = key
        if request.computer:
            day = self._version
            headers["anthropic-beta"] = f"computer-use-{day[:4]}-{day[4:6]}-{day[6:]}"
        return headers

    def make_body(self, request: ModelRequest, refused: frozenset[str]) -> Json:
        tools: list[Json] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in request.tools
        ]
        if request.computer:
            size = {"display_width_px": request.computer.width, "display_height_px": request.computer.height}
            tools.insert(0, {"type": f"computer_{self._version}", "name": "computer", **size})
        body: Json = {
            "model": self._model,
            "messages": [_write_message(turn) for turn in request.turns],
            "max_tokens": request.max_output_tokens,
        }
        if request.system:
            body["system"] = request.system
        body |= pick_sampling(request, refused, "temperature", "top_p")
        if request.stop:
            body["stop_sequences"] = list(request.stop)
        if tools:
            body["tools"] = tools
            if request.must_call and "tool_choice" not in refused:
                body["tool_choice"] = {"type": "any"}
        return body

    def start_stream(self) -> ReplyStream:
        return _MessageStream()

    def read_reply(self, whole: Json) -> ModelReply:
        blocks = as_objects(whole["content"])
        used = [block for block in blocks if block["type"] == "tool_use"]
        usage = as_object(whole.get("usage"))
        # Cached tokens, read or written, are input too, at another price.
        cached = count_tokens(usage, "cache_read_input_tokens")
        fresh = count_tokens(usage, "input_tokens") + count_tokens(usage, "cache_creation_input_tokens")
        ours = [block for block in used if not _is_screen_call(block)]
        return ModelReply(
            text="".join(str(block["text"]) for block in blocks if block["type"] == "text"),
            thinking="".join(str(block.get("thinking") or "") for block in blocks if block["type"] == "thinking"),
            calls=tuple(ToolCall(str(block["name"]), read_arguments(block.get("input"))) for block in ours),
            native=tuple(block for block in used if _is_screen_call(block)),
            stop=_STOPS.get(str(whole.get("stop_reason")), "end"),
            usage=Usage(calls=1, input_tokens=fresh + cached, output_tokens=count_tokens(usage, "output_tokens")),
            cached_tokens=cached,
            model=str(whole.get("model") or ""),
        )


def _is_screen_call(block: Json) -> bool:
    return block.get("name") == "computer" or block.get("toolset_name") == "computer"


def _write_message(turn: Turn) -> Json:
    content: list[Json] = []
    for part in turn.parts:
        if isinstance(part, str):
            content.append({"type": "text", "text": part})
        elif isinstance(part, ToolCall):
            given = dict(part.arguments or {})
            content.append({"type": "tool_use", "id": part.id, "name": part.name, "input": given})
        elif isinstance(part, ToolResult):
            content.append({"type": "tool_result", "tool_use_id": part.id, "content": part.text})
        else:
            source = {"type": "base64", "media_type": part.media_type, "data": mark_picture(part)}
            content.append({"type": "image", "source": source})
    return {"role": "assistant" if turn.speaker == "model" else "user", "content": content}


class _MessageStream:
    """Content blocks that begin, grow and end; the end of the message is an event of its own."""

    def __init__(self) -> None:
        self._message: Json = {"content": []}
        self._inputs: dict[int, list[str]] = {}

    is_finished = False

    def add_event(self, event: Json) -> bool:
        kind = event.get("type")
        if kind == "message_start":
            self._message = {**event["message"], "content": []}
        elif kind == "content_block_start":
            self._message["content"].append(dict(event["content_block"]))
        elif kind == "content_block_delta":
            self._grow_block(event["index"], event["delta"])
        elif kind == "message_delta":
            self._message.update(event.get("delta") or {})
            self._message["usage"] = {**(self._message.get("usage") or {}), **(event.get("usage") or {})}
        elif kind == "message_stop":
            self.is_finished = True
        return self.is_finished

    def _grow_block(self, index: int, delta: Json) -> None:
        block: dict[str, Any] = self._message["content"][index]
        for name in ("text", "thinking"):
            if name in delta:
                block[name] = block.get(name, "") + delta[name]
        if "partial_json" in delta:
            self._inputs.setdefault(index, []).append(delta["partial_json"])

    def assemble_reply(self) -> Json:
        for index, parts in self._inputs.items():
            self._message["content"][index]["input"] = _read_input("".join(parts))
        return self._message


def _read_input(text: str) -> Any:
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text
