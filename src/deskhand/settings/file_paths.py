"""Paths in a settings file: a relative one starts at the folder of the file, wherever the program was started."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast, get_args

from pydantic import BaseModel

from deskhand.settings.layers import SettingsLayer, SettingsTree
from deskhand.settings.schema import Settings


def anchor_paths(layer: SettingsLayer, folder: Path) -> SettingsLayer:
    """Return the layer with its relative paths made absolute."""
    return replace(layer, tree=_anchor_section(layer.tree, Settings, folder))


def _anchor_section(tree: SettingsTree, section: type[BaseModel], folder: Path) -> SettingsTree:
    anchored = dict(tree)
    for name, value in tree.items():
        if field := section.model_fields.get(name):
            anchored[name] = _anchor_value(value, field.annotation, folder, is_program=name == "executable")
    return anchored


def _anchor_value(value: Any, annotation: Any, folder: Path, *, is_program: bool = False) -> Any:
    kinds = _kinds_in(annotation)
    section = next((kind for kind in kinds if issubclass(kind, BaseModel)), None)
    match value:
        case dict() if section:
            return _anchor_section(cast("SettingsTree", value), section, folder)
        case list():
            return [_anchor_value(one, annotation, folder) for one in cast("list[Any]", value)]
        # A program without a folder is looked for among the installed ones.
        case str() if Path in kinds and value and not value.startswith("~") and (not is_program or "/" in value):
            return str(folder / value)
        case _:
            return value


def _kinds_in(annotation: Any) -> list[type]:
    """Return the classes in an annotation: Path in `tuple[Path, ...] | None`."""
    if isinstance(annotation, type) and not get_args(annotation):
        return [annotation]
    return [kind for part in get_args(annotation) for kind in _kinds_in(part)]
