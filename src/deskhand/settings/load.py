"""Loads settings: command line > environment (`DESKHAND_SETTLE__MAX_WAIT_MS=…`) > file (TOML or JSON) > default."""

import os
from pathlib import Path

from pydantic import ValidationError

from deskhand.core.errors import SettingsError
from deskhand.settings.environment import settings_file
from deskhand.settings.layers import (
    Layer,
    Tree,
    classic_layer,
    file_layer,
    find_origin,
    merged,
    variables_layer,
    yielding,
)
from deskhand.settings.schema import Settings


def load(overrides: Tree | None = None, file: Path | None = None) -> Settings:
    """Settings from all layers; raises SettingsError naming the key and where it was set."""
    return put_together(read_layers(overrides, file))


def read_layers(overrides: Tree | None = None, file: Path | None = None) -> tuple[Layer, ...]:
    """From the weakest to the strongest."""
    return yielding(
        file_layer(file or settings_file()),
        classic_layer(os.environ),
        variables_layer(os.environ),
        Layer("the command line", overrides or {}),
    )


def put_together(layers: tuple[Layer, ...]) -> Settings:
    try:
        return Settings.model_validate(merged(layers))
    except ValidationError as error:
        raise SettingsError(_explain(error, layers)) from None


def _explain(error: ValidationError, layers: tuple[Layer, ...]) -> str:
    first = error.errors(include_url=False)[0]
    path = tuple(str(part) for part in first["loc"])
    # What is missing was set nowhere; what it is missing in was.
    places = (find_origin(path[:end], layers) for end in range(len(path), 0, -1))
    where = next((place for place in places if place != "default"), "the settings")
    key = ".".join(path)
    if first["type"] == "extra_forbidden":
        return f"Unknown setting {key!r} in {where}: remove it or correct its spelling."
    return f"Bad value for {key!r} in {where}: {first['msg']}."
