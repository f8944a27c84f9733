"""Write a scripted reply in the JSON of each API: as one body, and as server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from deskhand.models.scripted.script import ApiName, ReceivedRequest, ScriptedStep

_CHUNK = 16
_STOPS: dict[ApiName, dict[str, str]] = {
    "chat": {"end": "stop", "tools": "tool_calls", "length": "length", "refused": "content_filter"},
    "messages": {"end": "end_turn", "tools": "tool_use", "length": "max_tokens", "refused": "refusal"},
    "responses": {"end": "completed", "tools": "completed", "length": "incomplete", "refused": "completed"},
}


def make_body(step: ScriptedStep, seen: ReceivedRequest) -> dict[str, Any]:
    """Return the whole reply, unstreamed."""
    return {"chat": _make_chat_body, "messages": _make_message_body, "responses": _make_response_body}[seen.api](
        step, seen
    )


def make_events(step: ScriptedStep, seen: ReceivedRequest) -> Iterator[str]:
    """Return the same reply as server-sent events."""
    return {"chat": _make_chat_events, "messages": _make_message_events, "responses": _make_response_events}[seen.api](
        step, seen
    )


def make_error(api: ApiName, status: int, message: str, code: str = "") -> dict[str, Any]:
    kind = code or _ERROR_TYPES.get(status, "api_error")
    if api == "messages":
        return {"type": "error", "error": {"type": kind, "message": message}}
    return {"error": {"message": message, "type": kind, "param": None, "code": code or None}}


_ERROR_TYPES = {
    400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
    429: "rate_limit_error", 529: "overloaded_error",
}  # fmt: skip


def _stop_word_of(step: ScriptedStep, api: ApiName) -> str:
    return _STOPS[api][step.stop or ("tools" if step.calls or step.computer else "end")]


def _split_text(text: str) -> list[str]:
    return [text[at : at + _CHUNK] for at in range(0, len(text), _CHUNK)]


def _format_event(value: dict[str, Any], event: str = "") -> str:
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {json.dumps(value, ensure_ascii=False)}\n\n"


# --- chat completions ----------------------------------------------------------------------------------------


def _make_chat_usage(step: ScriptedStep) -> dict[str, int]:
    total = step.input_tokens + step.output_tokens
    return {"prompt_tokens": step.input_tokens, "completion_tokens": step.output_tokens, "total_tokens": total}


def _make_chat_calls(step: ScriptedStep) -> list[dict[str, Any]]:
    return [
        {"id": f"call_{n}", "type": "function", "function": {"name": c.name, "arguments": json.dumps(c.arguments)}}
        for n, c in enumerate(step.calls)
    ]


def _make_chat_body(step: ScriptedStep, seen: ReceivedRequest) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.text or None}
    if step.calls:
        message["tool_calls"] = _make_chat_calls(step)
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": seen.model,
        "choices": [{"index": 0, "message": message, "finish_reason": _stop_word_of(step, "chat")}],
        "usage": _make_chat_usage(step),
    }


def _make_chat_events(step: ScriptedStep, seen: ReceivedRequest) -> Iterator[str]:
    head = {"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": seen.model}

    def make_chunk(delta: dict[str, Any], finish: str | None = None) -> str:
        return _format_event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    yield make_chunk({"role": "assistant", "content": ""})
    for piece in _split_text(step.text):
        yield make_chunk({"content": piece})
    for number, call in enumerate(_make_chat_calls(step)):
        arguments = call["function"]["arguments"]
        call["function"] = {"name": call["function"]["name"], "arguments": ""}
        yield make_chunk({"tool_calls": [{"index": number, **call}]})
        for piece in _split_text(arguments):
            yield make_chunk({"tool_calls": [{"index": number, "function": {"arguments": piece}}]})
    yield make_chunk({}, _stop_word_of(step, "chat"))
    yield _format_event({**head, "choices": [], "usage": _make_chat_usage(step)})
    yield "data: [DONE]\n\n"


# --- messages ------------------------------------------------------------------------------------------------


def _make_message_blocks(step: ScriptedStep) -> list[dict[str, Any]]:
    text = [{"type": "text", "text": step.text}] if step.text else []
    computer = [
        {"type": "tool_use", "id": f"toolu_c{n}", "name": "computer", "input": fields}
        for n, fields in enumerate(step.computer)
    ]
    calls = [
        {"type": "tool_use", "id": f"toolu_{n}", "name": call.name, "input": call.arguments}
        for n, call in enumerate(step.calls)
    ]
    return [*text, *computer, *calls]


def _make_message_body(step: ScriptedStep, seen: ReceivedRequest) -> dict[str, Any]:
    return {
        "id": "msg_scripted",
        "type": "message",
        "role": "assistant",
        "model": seen.model,
        "content": _make_message_blocks(step),
        "stop_reason": _stop_word_of(step, "messages"),
        "stop_sequence": None,
        "usage": {"input_tokens": step.input_tokens, "output_tokens": step.output_tokens},
    }


def _make_message_events(step: ScriptedStep, seen: ReceivedRequest) -> Iterator[str]:
    def make_event(kind: str, **fields: Any) -> str:
        return _format_event({"type": kind, **fields}, kind)

    empty: dict[str, Any] = {**_make_message_body(step, seen), "content": [], "stop_reason": None}
    empty["usage"] = {"input_tokens": step.input_tokens, "output_tokens": 0}
    yield make_event("message_start", message=empty)
    for index, block in enumerate(_make_message_blocks(step)):
        start: dict[str, Any]
        if block["type"] == "text":
            start, deltas = (
                {"type": "text", "text": ""},
                [("text_delta", "text", p) for p in _split_text(block["text"])],
            )
        else:
            start = {**block, "input": {}}
            deltas = [("input_json_delta", "partial_json", p) for p in _split_text(json.dumps(block["input"]))]
        yield make_event("content_block_start", index=index, content_block=start)
        for kind, key, piece in deltas:
            yield make_event("content_block_delta", index=index, delta={"type": kind, key: piece})
        yield make_event("content_block_stop", index=index)
    ending = {"stop_reason": _stop_word_of(step, "messages"), "stop_sequence": None}
    yield make_event("message_delta", delta=ending, usage={"output_tokens": step.output_tokens})
    yield make_event("message_stop")


# --- responses -----------------------------------------------------------------------------------------------


def _make_response_items(step: ScriptedStep) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if step.text:
        content: list[dict[str, Any]] = [{"type": "output_text", "text": step.text, "annotations": []}]
        if step.stop == "refused":
            content = [{"type": "refusal", "refusal": step.text}]
        items.append({"type": "message", "id": "msg_0", "status": "completed", "role": "assistant", "content": content})
    if step.computer:
        items.append(
            {
                "type": "computer_call",
                "id": "cu_0",
                "call_id": "call_c",
                "status": "completed",
                "actions": list(step.computer),
                "pending_safety_checks": list(step.safety_checks),
            }
        )
    items += [
        {
            "type": "function_call",
            "id": f"fc_{n}",
            "call_id": f"call_{n}",
            "status": "completed",
            "name": call.name,
            "arguments": json.dumps(call.arguments),
        }
        for n, call in enumerate(step.calls)
    ]
    return items


def _make_response_body(step: ScriptedStep, seen: ReceivedRequest) -> dict[str, Any]:
    status = _stop_word_of(step, "responses")
    return {
        "id": "resp_scripted",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": status,
        "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
        "model": seen.model,
        "output": _make_response_items(step),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": step.input_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": step.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": step.input_tokens + step.output_tokens,
        },
    }


def _make_response_events(step: ScriptedStep, seen: ReceivedRequest) -> Iterator[str]:
    whole = _make_response_body(step, seen)
    number = 0

    def make_event(kind: str, **fields: Any) -> str:
        nonlocal number
        number += 1
        return _format_event({"type": kind, "sequence_number": number, **fields}, kind)

    yield make_event("response.created", response={**whole, "status": "in_progress", "output": [], "usage": None})
    for index, item in enumerate(whole["output"]):
        yield make_event("response.output_item.added", output_index=index, item={**item, "status": "in_progress"})
        if item["type"] == "message":
            for piece in _split_text(step.text):
                yield make_event(
                    "response.output_text.delta",
                    item_id=item["id"], output_index=index, content_index=0, delta=piece, logprobs=[],
                )  # fmt: skip
        yield make_event("response.output_item.done", output_index=index, item=item)
    yield make_event(f"response.{whole['status']}", response=whole)
