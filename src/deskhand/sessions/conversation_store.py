"""Conversations on disk: one SQLite file, appended to before anything is streamed. Safe with several processes."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from deskhand.bus import Bus
from deskhand.core.errors import UsageError
from deskhand.private_files import make_private_folder
from deskhand.sessions.conversation_entries import ENTRIES, Entry, StoredEntry, UserMessage
from deskhand.task.append_log import AppendLog

# Other programs name a conversation after a device or a user (10.0.0.5:5555, me@home). It goes into header and path.
SESSION_PATTERN = r"^[!-.0-\[\]-~]{1,200}$"
_SESSION = re.compile(SESSION_PATTERN.replace("$", r"\Z"))


class ConversationSummary(BaseModel):
    """One row of the list of conversations."""

    model_config = ConfigDict(frozen=True)

    session_id: str
    title: str
    started: float
    updated: float
    entries: int


@dataclass(frozen=True, slots=True)
class ConversationGrew:
    session_id: str


class ConversationStore:
    """`bus` is told whenever a conversation has grown."""

    def __init__(self, folder: Path, bus: Bus | None = None) -> None:
        self._bus = bus or Bus()
        self.path = folder / "conversations.db"
        self._log = AppendLog[Entry](self.path, "entries", "session", ENTRIES)
        self._locks = folder / "locks"
        make_private_folder(self._locks)

    async def append(self, session_id: str, *entries: Entry) -> list[StoredEntry]:
        """When this returns, the entries survive a kill -9."""
        rows = await self._log.run_in_thread(lambda: self._log.append_rows(session_id, entries))
        self._bus.publish_message(ConversationGrew(session_id))
        return [StoredEntry.model_construct(seq=seq, at=at, entry=entry) for seq, at, entry, _ in rows]

    async def read(self, session_id: str, after: int = 0) -> list[StoredEntry]:
        rows = await self._log.run_in_thread(lambda: self._log.read_rows(session_id, after))
        return [StoredEntry.model_construct(seq=seq, at=at, entry=entry) for seq, at, entry, _ in rows]

    async def read_newer(self, after: int, limit: int) -> list[tuple[str, StoredEntry]]:
        """Return at most `limit` entries of all conversations behind the one numbered `after`, with their session."""
        rows = await self._log.run_in_thread(lambda: self._log.read_newer_rows(after, limit))
        return [(name, StoredEntry.model_construct(seq=seq, at=at, entry=entry)) for name, (seq, at, entry, _) in rows]

    async def find_last_number(self) -> int:
        return await self._log.run_in_thread(self._log.find_last_number)

    async def list_conversations(self, limit: int = 50) -> list[ConversationSummary]:
        """Return the newest conversations first; the title is how the first message begins."""
        return await self._log.run_in_thread(lambda: self._select_conversations(limit))

    def _select_conversations(self, limit: int) -> list[ConversationSummary]:
        query = """SELECT session_id, MIN(seq), MIN(at), MAX(at), COUNT(*) FROM entries
                   GROUP BY session_id ORDER BY MAX(seq) DESC LIMIT ?"""
        talks: list[ConversationSummary] = []
        for session_id, first, started, updated, count in self._log.db.execute(query, (limit,)).fetchall():
            (body,) = self._log.db.execute("SELECT body FROM entries WHERE seq = ?", (first,)).fetchone()
            opening, _ = ENTRIES.parse_entry(body)
            title = opening.content[:80] if isinstance(opening, UserMessage) else ""
            talks.append(
                ConversationSummary(session_id=session_id, title=title, started=started, updated=updated, entries=count)
            )
        return talks

    async def delete_entries(self, session_id: str) -> int:
        """Delete a conversation; return the number of its entries."""
        return await self._log.run_in_thread(lambda: self._log.delete_rows([session_id]))

    async def check_writable(self) -> None:
        """Raise JournalError if nothing can be stored."""
        await self._log.run_in_thread(self._log.check_writable)

    @contextmanager
    def hold_conversation(self, session_id: str) -> Generator[None, None, None]:
        """Lock the conversation: one turn at a time, in any process. The kernel frees it when its holder dies."""
        name = hashlib.sha256(session_id.encode()).hexdigest()[:32]  # an id may have letters that no file name has
        file = os.open(self._locks / f"conversation-{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ConversationBusy(session_id) from None
            yield
        finally:
            os.close(file)

    async def close(self) -> None:
        await self._log.close()


class ConversationBusy(UsageError):
    def __init__(self, session_id: str) -> None:
        super().__init__(f"The conversation {session_id} is busy with a message: wait until it has ended, or abort it.")


def check_session_id(session_id: str) -> str:
    """Return the id if it can be part of an address; raise UsageError otherwise."""
    if not _SESSION.match(session_id) or session_id.strip(".") == "":
        raise UsageError("A session_id has at most 200 ASCII characters, without blanks and slashes.")
    return session_id
