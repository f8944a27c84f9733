"""Loads settings: command line > environment (`DESKHAND_SETTLE__MAX_WAIT_MS=…`) > file (TOML or JSON) > default."""

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from deskhand.core.errors import SettingsError
from deskhand.settings.environment import find_settings_file, read_environment
from deskhand.settings.explain import describe_setting
from deskhand.settings.file_paths import anchor_paths
from deskhand.settings.layers import (
    FLAT,
    SettingsLayer,
    SettingsTree,
    drop_outdated,
    find_origin,
    merge_layers,
    read_adb_layer,
    read_classic_layer,
    read_file_layer,
    read_variables_layer,
)
from deskhand.settings.schema import Settings, section_below
from deskhand.settings.value_words import describe_problem

# Two names that have so much in common are one, misspelt.
_LIKE = 0.7


def load(overrides: SettingsTree | None = None, file: Path | None = None) -> Settings:
    """Return the settings from all layers; raises SettingsError naming the key and where it was set."""
    return make_settings(read_layers(overrides, file))


def read_layers(overrides: SettingsTree | None = None, file: Path | None = None) -> tuple[SettingsLayer, ...]:
    """Return the layers from the weakest to the strongest."""
    file = file or find_settings_file()
    return drop_outdated(
        anchor_paths(read_file_layer(file), file.absolute().parent),
        read_adb_layer(read_environment()),
        read_classic_layer(read_environment()),
        read_variables_layer(read_environment()),
        SettingsLayer("the command line", overrides or {}),
    )


def make_settings(layers: tuple[SettingsLayer, ...]) -> Settings:
    try:
        return Settings.model_validate(merge_layers(layers))
    except ValidationError as error:
        raise SettingsError(_explain_error(error, layers)) from None


def overlay_settings(settings: Settings, *trees: SettingsTree) -> Settings:
    """Return these settings with those of the trees above them, the strongest last."""
    base = SettingsLayer("the settings", settings.model_dump(exclude_unset=True))
    return make_settings(drop_outdated(base, *(SettingsLayer("the task's own options", tree) for tree in trees)))


def _explain_error(error: ValidationError, layers: tuple[SettingsLayer, ...]) -> str:
    problems = error.errors(include_url=False)
    # A key that is missing may be the one that is misspelt.
    first = next((one for one in problems if one["type"] == "extra_forbidden"), problems[0])
    path = tuple(str(part) for part in first["loc"])
    # A missing key was set nowhere; its section was.
    places = (find_origin(path[:end], layers) for end in range(len(path), 0, -1))
    where = next((place for place in places if place != "default"), "the settings")
    key = ".".join(path)
    if first["type"] == "extra_forbidden":
        key = ".".join((key, *_first_path_in(first["input"])))
        near = find_near_key(key)
        return f"Unknown setting {key!r} in {where}: " + (
            f"did you mean {near!r}?" if near else "`deskhand config show --all` lists them."
        )
    problem = describe_problem(first)
    if first["type"] == "string_pattern_mismatch":
        problem += f"; it is for this: {describe_setting(tuple(part for part in path if not part.isdigit()))}"
    return f"Bad value for {key!r} in {where}: {problem.rstrip('.')}."


def find_near_key(key: str) -> str:
    """Return the setting, or the section, whose name is most like this one; empty if none is like it."""
    known = [*_list_keys(Settings), *FLAT]
    # `headless` alone is meant as the end of something.
    ends = {name.rpartition(".")[2]: name for name in known}
    close = get_close_matches(key, known, 1, _LIKE) or get_close_matches(key.rpartition(".")[2], ends, 1, _LIKE)
    return ends.get(close[0], close[0]) if close else ""


def _first_path_in(tree: Any) -> list[str]:
    """Return the way to the first value in an unknown section."""
    path: list[str] = []
    while isinstance(tree, dict) and tree:
        name, tree = next(iter(cast("SettingsTree", tree).items()))
        path.append(name)
    return path


def _list_keys(section: type[BaseModel], above: str = "") -> Iterator[str]:
    for name in section.model_fields:
        yield above + name
        if below := section_below(section, name):
            yield from _list_keys(below, f"{above}{name}.")
