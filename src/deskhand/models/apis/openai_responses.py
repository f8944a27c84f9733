"""OpenAI's responses API, for its computer tool."""

from __future__ import annotations

from deskhand.core.llm import ModelReply, ModelRequest, Picture, StopReason, ToolCall, ToolResult, Turn
from deskhand.models.apis import (
    Json,
    ReplyStream,
    as_object,
    as_objects,
    count_tokens,
    pick_sampling,
    read_arguments,
    read_usage,
    write_arguments,
)
from deskhand.models.apis.chat_completions import to_data_url

_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


class OpenAiResponsesApi:
    path = "/responses"

    def __init__(self, model: str) -> None:
        self._model = model

    def make_headers(self, key: str, request: ModelRequest) -> dict[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def make_body(self, request: ModelRequest, refused: frozenset[str]) -> Json:
        tools: list[Json] = [
            {"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters,
             "strict": False}
            for tool in request.tools
        ]  # fmt: skip
        if request.computer and "computer-use" in self._model:
            size = {"display_width": request.computer.width, "display_height": request.computer.height}
            place = "linux" if request.computer.desktop else "browser"  # of what it knows, nothing is nearer to a phone
            tools.insert(0, {"type": "computer_use_preview", "environment": place, **size})
        elif request.computer:
            tools.insert(0, {"type": "computer"})
        body: Json = {
            "model": self._model,
            "instructions": request.system,
            "input": [item for turn in request.turns for item in _write_items(turn)],
            "tools": tools,
            "max_output_tokens": request.max_output_tokens,
            "truncation": "auto",
            "store": False,
        }
        body |= pick_sampling(request, refused, "temperature", "top_p")
        return body

    def start_stream(self) -> ReplyStream:
        return _ResponseStream()

    def read_reply(self, whole: Json) -> ModelReply:
        items = as_objects(whole["output"])
        usage = as_object(whole.get("usage"))
        parts = [part for item in items if item["type"] == "message" for part in as_objects(item["content"])]
        said = [str(part.get("text") or "") for part in parts if part["type"] == "output_text"]
        calls = [item for item in items if item["type"] == "function_call"]
        return ModelReply(
            text="\n".join(said),
            calls=tuple(ToolCall(str(item["name"]), read_arguments(item.get("arguments"))) for item in calls),
            native=tuple(item for item in items if item["type"] == "computer_call"),
            stop="refused" if any(part["type"] == "refusal" for part in parts) else _read_stop_reason(whole),
            usage=read_usage(usage, "input_tokens", "output_tokens"),
            cached_tokens=count_tokens(as_object(usage.get("input_tokens_details")), "cached_tokens"),
            model=str(whole.get("model") or ""),
        )


def _read_stop_reason(whole: Json) -> StopReason:
    if whole.get("status") != "incomplete":
        return "end"
    filtered = as_object(whole.get("incomplete_details")).get("reason") == "content_filter"
    return "refused" if filtered else "length"


def _write_items(turn: Turn) -> list[Json]:
    """Return the items of a turn: its text is a message, calls and results are items of their own."""
    items: list[Json] = []
    if turn.speaker == "model":
        if said := "\n".join(part for part in turn.parts if isinstance(part, str)):
            items.append({"role": "assistant", "content": said})
    elif told := [_write_part(part) for part in turn.parts if isinstance(part, str | Picture)]:
        items.append({"role": "user", "content": told})
    for part in turn.parts:
        if isinstance(part, ToolCall):
            call = {"call_id": part.id, "name": part.name, "arguments": write_arguments(part.arguments)}
            items.append({"type": "function_call", **call})
        elif isinstance(part, ToolResult):
            items.append({"type": "function_call_output", "call_id": part.id, "output": part.text})
    return items


def _write_part(part: str | Picture) -> Json:
    if isinstance(part, str):
        return {"type": "input_text", "text": part}
    return {"type": "input_image", "image_url": to_data_url(part), "detail": "auto"}


class _ResponseStream:
    """The last event carries the whole reply; those before it are only progress."""

    def __init__(self) -> None:
        self._whole: Json = {}

    @property
    def is_finished(self) -> bool:
        return bool(self._whole)

    def add_event(self, event: Json) -> bool:
        if event.get("type") in _ENDS:
            self._whole = event["response"]
        return self.is_finished

    def assemble_reply(self) -> Json:
        return self._whole
