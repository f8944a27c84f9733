"""The worker's place in its work, and the one place that turns it into the bookmark's text and back."""

import json
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError

from deskhand.roles.offline.memory import RECORD_NAMES, GoalMemory, InstructionMemory
from deskhand.roles.offline.outcome import Finished
from deskhand.roles.offline.proof import Proof


@dataclass(frozen=True, slots=True)
class Detour:
    """Advice that is followed before anything else: since which step, and how far it came in the first text."""

    texts: tuple[str, ...]
    since: int
    index: int = 0
    memory: InstructionMemory = field(default_factory=InstructionMemory)


@dataclass(frozen=True, slots=True)
class LastReply:
    """The actions decided last: at which step, on which screen, and the bookmark before them."""

    step: int
    print: int
    before: str


@dataclass(slots=True)
class WorkerPlace:
    """`done` is what was achieved, in words; `extra` was said in the middle of the work.

    `proofs` are by instruction, as far as they came; None for one that was finished without any.
    """

    index: int = 0
    memory: InstructionMemory = field(default_factory=InstructionMemory)
    kept: GoalMemory = field(default_factory=GoalMemory)
    done: list[str] = field(default_factory=list[str])
    proofs: list[Proof | None] = field(default_factory=list[Proof | None])
    extra: list[str] = field(default_factory=list[str])
    detour: Detour | None = None
    reply: LastReply | None = None

    def finish_instruction(self, finished: Finished, where: str) -> None:
        """Note its proof, seen `where`; what stands behind it is done anew, if it was done before."""
        before = (*self.proofs, *[None] * self.index)[: self.index]
        self.proofs = [*before, replace(finished.proof, where=where)]
        self.index += 1
        self.memory = InstructionMemory()
        if finished.evidence:
            self.done.append(finished.evidence)

    def to_text(self) -> str:
        return _PLACE.dump_json(self, exclude_defaults=True).decode()


_PLACE = TypeAdapter(WorkerPlace)


def read_place(bookmark: str) -> WorkerPlace:
    """Return the place that a bookmark holds; the beginning if it is empty or another worker wrote it."""
    return read_own_place(bookmark) or WorkerPlace()


def read_own_place(bookmark: str) -> WorkerPlace | None:
    """Return the place that a bookmark holds; None if it is empty or another worker wrote it."""
    try:
        data = json.loads(bookmark)
        return _PLACE.validate_python(_from_flat(data) if "memo" in data else data)
    except (ValueError, TypeError, KeyError):
        return None


def _from_flat(data: dict[str, Any]) -> dict[str, Any]:
    """Convert a bookmark of before 2026-11-17: one dict for all strategies, so each record takes the fields it knows.

    Hunts and detours begin anew; what was sent, typed or touched is still known.
    """
    memory: dict[str, Any] = {}
    for kind, name in RECORD_NAMES.items():
        with suppress(ValidationError):
            memory[name] = TypeAdapter(kind).validate_python(data["memo"])
    return {"index": data["i"], "memory": memory, "done": data["done"], "extra": data["extra"]}
