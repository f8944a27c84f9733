"""The worker's place in its work, as the compact JSON that travels in the bookmark."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

Memo = dict[str, Any]


@dataclass(slots=True)
class Place:
    """`memo` is what the current instruction remembers; `kept` outlives it; `done` is what was achieved, in words.

    `extra` was said in the middle of the work and comes behind the goal, `detour` is done before anything else.
    `reply` is of the actions decided last: at which step, on which screen, and the place before them.
    """

    index: int = 0
    memo: Memo = field(default_factory=dict[str, Any])
    kept: Memo = field(default_factory=dict[str, Any])
    done: list[str] = field(default_factory=list[str])
    extra: list[str] = field(default_factory=list[str])
    detour: Memo = field(default_factory=dict[str, Any])
    reply: Memo = field(default_factory=dict[str, Any])

    def advance(self, evidence: str) -> None:
        self.index += 1
        self.memo = {}
        if evidence:
            self.done.append(evidence)

    def write(self) -> str:
        data = {"i": self.index, "memo": self.memo, "kept": self.kept, "done": self.done, "extra": self.extra}
        if self.detour:
            data["detour"] = self.detour
        if self.reply:
            data["reply"] = self.reply
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def read_place(bookmark: str) -> Place:
    """An empty bookmark, or one that another worker wrote, is the beginning."""
    if not bookmark:
        return Place()
    try:
        data = json.loads(bookmark)
        memo, kept, detour = dict(data["memo"]), dict(data["kept"]), dict(data.get("detour", {}))
        reply = dict(data.get("reply", {}))
        return Place(int(data["i"]), memo, kept, list(data["done"]), list(data["extra"]), detour, reply)
    except (ValueError, KeyError, TypeError):
        return Place()
