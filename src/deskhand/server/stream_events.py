"""The events of the one stream: entries of both logs, and states that are told whole each time they change."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, TypeAdapter

from deskhand.core.human import UserRequest
from deskhand.server.schemas import DeviceView, ResponseModel, SettingView
from deskhand.sessions.conversation_entries import ShownEntry
from deskhand.task.events import Event

StateTopic = Literal["devices", "requests", "settings"]
Topic = Literal["tasks", "chats", "devices", "requests", "settings"]
STATE_TOPICS: tuple[StateTopic, ...] = get_args(StateTopic)
_UNSEEN = "-"
_POSITION = re.compile(r"([0-9]{1,15})\.([0-9]{1,15})((?:\.(?:-|[0-9a-f]{8})){3})")


class TaskNews(ResponseModel):
    """Something happened to a task, of whichever program; `seq` is its number in the journal."""

    topic: Literal["tasks"] = "tasks"
    seq: int
    at: float
    task_id: str
    device: str
    event: Event


class ChatNews(ResponseModel):
    """A new entry of a conversation; `seq` is its number among all of them."""

    topic: Literal["chats"] = "chats"
    seq: int
    at: float
    session_id: str
    event: ShownEntry


class DevicesNews(ResponseModel):
    """All devices as they are now."""

    topic: Literal["devices"] = "devices"
    devices: list[DeviceView]


class RequestsNews(ResponseModel):
    """All that the running tasks need the user for now: one that is missing was answered or withdrawn."""

    topic: Literal["requests"] = "requests"
    requests: list[UserRequest]


class SettingsNews(ResponseModel):
    """All settings as they hold now. `trouble`: why the newest file is not taken up; empty if it is."""

    topic: Literal["settings"] = "settings"
    settings: list[SettingView]
    trouble: str


StreamEvent = Annotated[TaskNews | ChatNews | DevicesNews | RequestsNews | SettingsNews, Field(discriminator="topic")]


def describe_events() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the JSON schema of the stream's events, and the schemas that it refers to."""
    schema = TypeAdapter[Any](StreamEvent).json_schema(
        mode="serialization", ref_template="#/components/schemas/{model}"
    )
    return schema, schema.pop("$defs")


@dataclass(frozen=True, slots=True)
class Position:
    """How far a client has read: the last numbers of both logs, and a hash of each state that it was told."""

    journal: int
    chats: int
    states: tuple[str, ...] = (_UNSEEN,) * len(STATE_TOPICS)

    @classmethod
    def parse_text(cls, text: str | None) -> Position | None:
        """Return the position of a Last-Event-ID, or None if it is missing or none of ours."""
        found = _POSITION.fullmatch(text or "")
        return cls(int(found[1]), int(found[2]), tuple(found[3][1:].split("."))) if found else None

    def __str__(self) -> str:
        return ".".join((str(self.journal), str(self.chats), *self.states))

    def find_state(self, topic: StateTopic) -> str:
        return self.states[STATE_TOPICS.index(topic)]

    def with_state(self, topic: StateTopic, state: str) -> Position:
        place = STATE_TOPICS.index(topic)
        return replace(self, states=(*self.states[:place], state, *self.states[place + 1 :]))


@dataclass(frozen=True, slots=True)
class StreamItem:
    """An event, encoded once for all who read it, with the position behind it and what filters ask for."""

    position: Position
    event: TaskNews | ChatNews | DevicesNews | RequestsNews | SettingsNews
    data: bytes

    @property
    def chunk(self) -> bytes:
        return b"id: %b\ndata: %b\n\n" % (str(self.position).encode(), self.data)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a client asked for. A task, a device or a conversation narrows its own topic and leaves the others."""

    topics: frozenset[Topic]
    task_id: str = ""
    device: str = ""
    session_id: str = ""

    def includes_item(self, item: StreamItem) -> bool:
        if item.event.topic not in self.topics:
            return False
        match item.event:
            case TaskNews() as news:
                return self.task_id in ("", news.task_id) and self.device in ("", news.device)
            case ChatNews() as news:
                return self.session_id in ("", news.session_id)
            case _:
                return True
