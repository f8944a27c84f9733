"""Find the type of a task by its words, so that memory recognizes tasks of the same kind: a small closed set."""

import re
import tomllib
from functools import cache
from importlib import resources

OTHER = "other"
_LENGTH = 60
_QUOTED = re.compile(r"“[^”]*”|「[^」]*」|\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)")


def find_task_type(title: str) -> str:
    """Return one of `list_task_types()` by the words of the title; quoted text is content and does not count."""
    own = _QUOTED.sub(" “” ", title)
    return next((name for name, pattern in _load_patterns() if pattern.search(own)), OTHER)


def task_type_of(named: str, title: str) -> str:
    """Return the named type as one lower-case word; else the type of the title."""
    word = re.sub(r"\W+", "_", named.strip().casefold())[:_LENGTH].strip("_")
    return word or find_task_type(title)


def list_task_types() -> tuple[str, ...]:
    return (*(name for name, _ in _load_patterns()), OTHER)


@cache
def _load_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    data = tomllib.loads(resources.files("deskhand.roles").joinpath("task_types.toml").read_text(encoding="utf-8"))
    return tuple((entry["name"], _compile_pattern(entry["english"], entry["chinese"])) for entry in data["types"])


def _compile_pattern(english: list[str], chinese: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{'|'.join(english)})(?![a-z])|{'|'.join(chinese)}", re.IGNORECASE)
