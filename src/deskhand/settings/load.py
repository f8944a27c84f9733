"""Loads settings: command line > environment (`DESKHAND_SETTLE__MAX_WAIT_MS=…`) > file (TOML or JSON) > default."""

from pathlib import Path

from pydantic import ValidationError

from deskhand.core.errors import SettingsError
from deskhand.settings.environment import find_settings_file, read_environment
from deskhand.settings.layers import (
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
from deskhand.settings.schema import Settings


def load(overrides: SettingsTree | None = None, file: Path | None = None) -> Settings:
    """Return the settings from all layers; raises SettingsError naming the key and where it was set."""
    return make_settings(read_layers(overrides, file))


def read_layers(overrides: SettingsTree | None = None, file: Path | None = None) -> tuple[SettingsLayer, ...]:
    """Return the layers from the weakest to the strongest."""
    return drop_outdated(
        read_file_layer(file or find_settings_file()),
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
    first = error.errors(include_url=False)[0]
    path = tuple(str(part) for part in first["loc"])
    # A missing key was set nowhere; its section was.
    places = (find_origin(path[:end], layers) for end in range(len(path), 0, -1))
    where = next((place for place in places if place != "default"), "the settings")
    key = ".".join(path)
    if first["type"] == "extra_forbidden":
        return f"Unknown setting {key!r} in {where}: remove it or correct its spelling."
    return f"Bad value for {key!r} in {where}: {first['msg']}."
