"""Writes docs/settings.md from the schema: `make docs`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from deskhand.settings.explain import describe_setting, section_below
from deskhand.settings.schema import ModelSettings, Settings

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
HEAD = """# Settings

Command line > environment > settings file > default. `deskhand config show` says where each value comes from, `--all`
describes every setting. In the file `~/.config/deskhand/config.toml` a section is a table; in the environment
`settle.max_wait_ms` is `DESKHAND_SETTLE__MAX_WAIT_MS`.

This page is written by `make docs` from src/deskhand/settings/schema.py.
"""

KeyPath = tuple[str, ...]


def write_page() -> str:
    sections: dict[str, list[str]] = {}
    for path, field in list_fields(Settings):
        section = path[0] if len(path) > 1 else ""
        key = ".".join(path).replace("models.manager.", "models.ROLE.")
        sections.setdefault(section, []).append(f"| `{key}` | {default_of(field)} | {describe_setting(path)} |")
    parts = [HEAD]
    for name, rows in sections.items():
        head = f"## {name}\n\n{describe_setting((name,))}\n" if name else "## General\n"
        parts.append("\n".join((head, "| setting | default | what it does |", "|---|---|---|", *rows)) + "\n")
    return "\n".join(parts)


def list_fields(section: type[BaseModel], path: KeyPath = ()) -> Iterator[tuple[KeyPath, FieldInfo]]:
    """Every setting with its path. All roles have the same ones, so those of the manager stand for all."""
    for name, field in section.model_fields.items():
        below = section_below(section, name)
        if below is None or below is ModelSettings or get_origin(field.annotation) is tuple:
            yield (*path, name), field
        if below is not None and below is not ModelSettings and name != "fallbacks":
            yield from list_fields(below, (*path, name))
    if path == ("models",):
        yield from list_fields(ModelSettings, (*path, "manager"))


def default_of(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value: Any = field.get_default(call_default_factory=True)
    text = f"{value:g}" if isinstance(value, float) else str(value).replace(str(Path.home()), "~")
    shown = f"`{text.lower() if isinstance(value, bool) else text}`" if value not in (None, "", ()) else "–"
    choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    return ", ".join((shown, *(f"or `{choice}`" for choice in choices if choice != value)))


if __name__ == "__main__":
    PAGE.write_text(write_page(), encoding="utf-8")
