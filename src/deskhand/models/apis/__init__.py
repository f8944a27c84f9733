"""The three APIs that models are reached by. Each knows its own JSON, streamed and whole, and nothing of HTTP."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

from deskhand.core.llm import ModelReply, ModelRequest, Picture

Json = dict[str, Any]
# Random, so that nothing on a screen can pass for a picture.
_MARK = secrets.token_hex(16)


@dataclass(frozen=True, slots=True)
class RefusedFields:
    """What an endpoint has refused so far, so that it is not asked for again."""

    names: frozenset[str] = frozenset()

    def allows_field(self, name: str) -> bool:
        return name not in self.names


class ReplyStream(Protocol):
    """Puts the events of one streamed reply together."""

    @property
    def is_finished(self) -> bool:
        """Whether it may end here; what ends before was cut off."""
        ...

    def add_event(self, event: Json) -> bool:
        """Take one event; whether the reply is complete."""
        ...

    def assemble_reply(self) -> Json:
        """The reply as it would have come unstreamed."""
        ...


class ModelApi(Protocol):
    @property
    def path(self) -> str: ...
    def make_headers(self, key: str, request: ModelRequest) -> dict[str, str]: ...
    def make_body(self, request: ModelRequest, refused: RefusedFields) -> Json: ...
    def start_stream(self) -> ReplyStream: ...
    def read_reply(self, whole: Json) -> ModelReply:
        """The reply in our own words; raises KeyError, TypeError or ValueError when it is none of this API."""
        ...


def mark_picture(picture: Picture) -> str:
    """What stands for a picture's base64 in a body, until the body is encoded."""
    return f"{_MARK}{id(picture)}"


def encode_body(body: Json, pictures: tuple[Picture, ...]) -> bytes:
    """The body as sent. Pictures are put in last: escaping 400 KB that need none is half of a call's CPU time."""
    raw = json.dumps(body, ensure_ascii=False, separators=(",", ":"), default=dict).encode("utf-8", "replace")
    for picture in pictures:
        raw = raw.replace(mark_picture(picture).encode(), base64.b64encode(picture.data))
    return raw


def as_objects(value: object) -> list[Json]:
    """A list of objects, or nothing at all; anything else is not what this API sends."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):  # pyright: ignore[reportUnknownVariableType] JSON
        raise TypeError("not a list of objects")
    return cast("list[Json]", value)


def as_object(value: object) -> Json:
    """An object, or an empty one where there is none."""
    return cast("Json", value) if isinstance(value, dict) else {}


def read_arguments(said: object) -> Mapping[str, Any] | None:
    """A call's arguments; None when they are no JSON object."""
    if isinstance(said, str):
        try:
            said = json.loads(said or "{}")
        except ValueError:
            return None
    if said is None:
        return {}
    return cast("Json", said) if isinstance(said, dict) else None


def write_arguments(arguments: Mapping[str, Any] | None) -> str:
    """A call's arguments as a model reads them again."""
    return json.dumps(dict(arguments or {}), ensure_ascii=False)


def count_tokens(usage: Mapping[str, Any] | None, *names: str) -> int:
    """A number of tokens, under the first of these names that it has; 0 when it is not told."""
    for name in names:
        value = (usage or {}).get(name)
        if isinstance(value, int):
            return value
    return 0
