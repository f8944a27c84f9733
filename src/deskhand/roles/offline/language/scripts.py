"""Turns an instruction's words into simplified Chinese: what is known of meanings is written in that script alone."""

from dataclasses import fields, replace
from typing import Any, cast

from deskhand.language import to_simplified
from deskhand.roles.offline.language.instructions import Condition, Instruction


def simplify_words(step: Instruction) -> Instruction:
    """Return the instruction with each of its texts in simplified Chinese."""
    return cast("Instruction", _simplify_part(step))


def _simplify_part(said: Any) -> Any:
    if isinstance(said, str):
        return to_simplified(said)
    if isinstance(said, tuple):
        return tuple(_simplify_part(part) for part in cast("tuple[Any, ...]", said))
    if isinstance(said, Instruction | Condition):
        return replace(said, **{field.name: _simplify_part(getattr(said, field.name)) for field in fields(said)})
    return said
