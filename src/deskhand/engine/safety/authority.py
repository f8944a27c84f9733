"""Who wrote the goal of a task, and what its words therefore allow: one value, made where the goal comes in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deskhand.settings.placeholders import find_secret_names
from deskhand.settings.schema import ModelsSettings
from deskhand.task.events import Author, LoopMode, TaskOrigin

# Where one part of an instruction ends and the next begins, in English and Chinese.
_PART = re.compile(r"[,;:.!?\n，；：。！？、]+|\b(?:and then|and|then)\b|然后|接着|并且|再", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?\n。！？]+")
_REFUSAL = re.compile(r"\b(?:not|never|no|without|cannot|\w+n['’]t)\b|不|别|勿|禁止", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Authority:
    """The default is the user, who may name any secret and whose goal is an approval as long as no model has a say.

    `assistant`: a chat's assistant wrote the goal. `foreign`: a model that is not ours did, through MCP.
    `secrets`: the names that such a goal may use. `message`: the user's newest one, which the assistant may quote.
    """

    author: Author = "user"
    secrets: frozenset[str] = frozenset()
    message: str = ""

    @classmethod
    def of_assistant(cls, messages: Sequence[str]) -> Authority:
        """Return the authority of an assistant to whom the user wrote `messages`, the newest last.

        Only the newest one can be quoted: what was wished for earlier is done, and no leave to do it again.
        """
        return cls("assistant", frozenset(find_secret_names("\n".join(messages))), messages[-1] if messages else "")

    @classmethod
    def of_foreign_model(cls, secrets: Iterable[str]) -> Authority:
        """Return the authority of a model that is not ours: nothing but the secrets that the settings allow it."""
        return cls("foreign", frozenset(secrets))

    @classmethod
    def of_origin(cls, origin: TaskOrigin) -> Authority:
        """Return the authority with which a task was begun."""
        return cls(origin.author, frozenset(origin.secrets), origin.message)

    def can_use_secret(self, name: str) -> bool:
        return self.author == "user" or name in self.secrets

    def is_goal_approval(self, goal: str, loop: LoopMode, models: ModelsSettings) -> bool:
        """True if nothing but the user's own words decides what is done, so that they approve what they ask for."""
        if self.author == "foreign":
            return False
        if not any(section for _, section in models):
            return True
        # The single loop has no other model than the operator's.
        by_rules = loop == "single" and not models.operator
        return self.author == "assistant" and by_rules and is_quoted(goal, self.message)


USER = Authority()


def is_quoted(goal: str, message: str) -> bool:
    """True if a goal is nothing but whole parts of a message, as they stand there.

    Fewer words than a part are no quotation: "Delete it" is not what "Don't delete it" says.
    """
    wanted = _split_parts(goal)
    for sentence in filter(None, _SENTENCE.split(message)):
        parts = _split_parts(sentence)
        starts = range(len(parts) - len(wanted) + 1)
        if wanted and not _REFUSAL.search(sentence) and any(parts[at : at + len(wanted)] == wanted for at in starts):
            return True
    return bool(wanted) and wanted == _split_parts(message)


def _split_parts(text: str) -> list[str]:
    bare = ("".join(filter(str.isalnum, part.casefold())) for part in _PART.split(text))
    return [part for part in bare if part]
