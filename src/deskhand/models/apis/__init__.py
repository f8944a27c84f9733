"""The three APIs of models. Each knows its own JSON, streamed and whole, and nothing of HTTP."""

from __future__ import annotations

import base64
import json
import math
import secrets
from collections.abc import Mapping
from typing import Any, Protocol, cast

from deskhand.core.decisions import Usage
from deskhand.core.llm import ModelReply, ModelRequest, Picture

Json = dict[str, Any]
# Random, so that no text on a screen can stand for a picture.
_MARK = secrets.token_hex(16)


class ReplyStream(Protocol):
    """Assembles one streamed reply from its events."""

    @property
    def is_finished(self) -> bool:
        """True if the reply may end here; a stream that ends before was cut off."""
        ...

    def add_event(self, event: Json) -> bool:
        """Take one event; return True if the reply is complete."""
        ...

    def assemble_reply(self) -> Json:
        """Return the reply as it would have come unstreamed."""
        ...


class ModelApi(Protocol):
    @property
    def path(self) -> str: ...
    def make_headers(self, key: str, request: ModelRequest) -> dict[str, str]: ...
    def make_body(self, request: ModelRequest, refused: frozenset[str]) -> Json:
        """Return the body without the fields that the endpoint has `refused` so far."""
        ...

    def start_stream(self) -> ReplyStream: ...
    def read_reply(self, whole: Json) -> ModelReply:
        """Return the reply; raise KeyError, TypeError or ValueError if it does not fit this API."""
        ...


def mark_picture(picture: Picture) -> str:
    """Return the mark that stands for a picture's base64 until the body is encoded."""
    return f"{_MARK}{id(picture)}"


def encode_body(body: Json, pictures: tuple[Picture, ...]) -> bytes:
    """Return the body as bytes. Pictures are put in last: to escape their 400 KB is half of a call's CPU time."""
    raw = json.dumps(body, ensure_ascii=False, separators=(",", ":"), default=dict).encode("utf-8", "replace")
    for picture in pictures:
        raw = raw.replace(mark_picture(picture).encode(), base64.b64encode(picture.data))
    return raw


def as_objects(value: object) -> list[Json]:
    """Return a list of objects, empty for None; raise TypeError for anything else."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):  # pyright: ignore[reportUnknownVariableType] JSON
        raise TypeError("not a list of objects")
    return cast("list[Json]", value)


def as_object(value: object) -> Json:
    """Return the value if it is an object, else an empty one."""
    return cast("Json", value) if isinstance(value, dict) else {}


def read_arguments(said: object) -> Mapping[str, Any] | None:
    """Return the arguments of a call; None if they are no JSON object."""
    if isinstance(said, str):
        try:
            said = json.loads(said or "{}")
        except ValueError:
            return None
    if said is None:
        return {}
    return cast("Json", said) if isinstance(said, dict) else None


def write_arguments(arguments: Mapping[str, Any] | None) -> str:
    """Return the arguments of a call as JSON, for showing them to the model again."""
    return json.dumps(dict(arguments or {}), ensure_ascii=False)


# No call has more: a larger number is no count.
_MOST_TOKENS = 100_000_000


def count_tokens(usage: Json, name: str) -> int:
    """Return the number of tokens under this name; 0 if there is none, or something that is no count."""
    value = usage.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST_TOKENS:
        return 0
    return math.ceil(value)


def read_usage(usage: Json, input_name: str, output_name: str) -> Usage:
    tokens = count_tokens(usage, input_name), count_tokens(usage, output_name)
    return Usage(calls=1, input_tokens=tokens[0], output_tokens=tokens[1])


def pick_sampling(request: ModelRequest, refused: frozenset[str], *names: str) -> Json:
    """Return those of the request's sampling fields that are set and not refused."""
    values = {name: getattr(request, name) for name in names if name not in refused}
    return {name: value for name, value in values.items() if value is not None}
