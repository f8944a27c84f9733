"""The journal's door: events and pictures are kept without values, also those in the user's own words."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from deskhand.core.errors import SettingsError
from deskhand.core.screen import Frame
from deskhand.engine.secrets.grants import Grants, find_named_secrets
from deskhand.engine.secrets.pictures import PictureCover
from deskhand.engine.secrets.vault import Vault
from deskhand.task.events import Event, Record, TaskSummary
from deskhand.task.journal import Journal


class GuardedJournal:
    """Also notes which secrets the user names on the way."""

    def __init__(self, journal: Journal, vault: Vault, cover: PictureCover, grants: Grants) -> None:
        self._journal = journal
        self._vault = vault
        self._cover = cover
        self._grants = grants

    async def append(self, task_id: str, events: Sequence[Event]) -> list[Record]:
        await self._learn_named_secrets(events)
        clean = [self._clean_event(event) for event in events] if self._vault else events
        return await self._journal.append(task_id, clean)

    async def _learn_named_secrets(self, events: Sequence[Event]) -> None:
        if names := find_named_secrets(events):
            self._grants.add_named_secrets(events)
            with suppress(SettingsError):  # raised when it is to be typed; a goal was checked before the task began
                await self._vault.learn_values(names, self._grants.read)

    def _clean_event(self, event: Event) -> Event:
        dumped = event.model_dump(mode="json")
        # A placeholder may be longer than its value, and too long for where it stands.
        for hide in (self._vault.scrub_text, self._vault.blot_text):
            clean = _change_texts(dumped, hide)
            if clean == dumped:
                return event
            with suppress(ValidationError):
                return type(event).model_validate(clean)
        return event  # a value that is one of our own words ("click") hides nothing

    async def read(self, task_id: str, after: int = 0) -> list[Record]:
        return await self._journal.read(task_id, after)

    async def runs(self, limit: int = 50) -> list[TaskSummary]:
        return await self._journal.runs(limit)

    async def find_ids(self, beginning: str = "", limit: int = -1) -> list[str]:
        return await self._journal.find_ids(beginning, limit)

    async def keep_frame(self, frame: Frame) -> str:
        return await self._journal.keep_frame(await self._cover.cover_frame(frame))

    async def load_frame(self, name: str) -> bytes | None:
        return await self._journal.load_frame(name)

    async def claim(self, task_id: str) -> bool:
        return await self._journal.claim(task_id)

    async def release(self, task_id: str) -> None:
        await self._journal.release(task_id)

    def find_frame_file(self, name: str) -> Path:
        return self._journal.find_frame_file(name)

    async def close(self) -> None:
        await self._journal.close()


def _change_texts(tree: Any, change: Callable[[str], str]) -> Any:
    match tree:
        case str():
            return change(tree)
        case dict():
            return {key: _change_texts(below, change) for key, below in cast("dict[str, Any]", tree).items()}
        case list():
            return [_change_texts(below, change) for below in cast("list[Any]", tree)]
        case _:
            return tree
