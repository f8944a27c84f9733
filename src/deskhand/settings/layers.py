"""Reads the layers of the settings: files, variables, and the names that other programs use for the same settings.

Untyped trees only. `schema` owns the settings and their meaning; the caller reads the environment.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from deskhand.core.errors import SettingsError
from deskhand.settings.placeholders import VARIABLE as SECRET_VARIABLE

SettingsTree = dict[str, Any]
KeyPath = tuple[str, ...]

# The flat settings file of layered phone agents. The model that decides is the conversation's, and plans tasks too.
FLAT: dict[str, tuple[KeyPath, ...]] = {
    "base_url": (("models", "operator", "base_url"),),
    "model_name": (("models", "operator", "model"),),
    "api_key": (("models", "operator", "api_key"),),
    "decision_base_url": (("models", "assistant", "base_url"), ("models", "manager", "base_url")),
    "decision_model_name": (("models", "assistant", "model"), ("models", "manager", "model")),
    "decision_api_key": (("models", "assistant", "api_key"), ("models", "manager", "api_key")),
    "default_max_steps": (("executor", "max_steps"),),
    "layered_max_turns": (("chat", "max_turns"),),
}

# The variables of the classic dual loop.
CLASSIC: dict[str, KeyPath] = {
    "DUAL_LOOP_MODE": ("loop",),
    "MAX_EXECUTOR_FEEDBACK_HISTORY": ("dispatcher", "feedback"),
    "STUCK_THRESHOLD": ("rules", "unchanged_screens"),
    "PROMPT_MEMORY_PATH": ("prompt_memory", "path"),
    "PLANNER_INTERVAL_MS": ("dispatcher", "tick_ms"),
    "EXECUTOR_INTERVAL_MS": ("executor", "tick_ms"),
}
# The variables of adb itself, the stronger one last, as adb ranks them.
ADB: dict[str, KeyPath] = {
    "ANDROID_ADB_SERVER_ADDRESS": ("adb", "host"),
    "ANDROID_ADB_SERVER_PORT": ("adb", "port"),
}
ADB_SOCKET = "ADB_SERVER_SOCKET"
_TCP = re.compile(r"tcp:(?:(?P<host>\[[^\]]+\]|[^:\[\]]*):)?(?P<port>\d+)|tcp:(?P<only>[^:]+)")
_CLASSIC_MODELS = {"PLANNER_MODEL": "manager", "MODEL": "operator"}
_MODEL_FIELDS = {"BASE_URL": "base_url", "NAME": "model", "API_KEY": "api_key"}
_LOOPS = {
    **dict.fromkeys(("1", "true", "yes", "on", "dual"), "dual"),
    **dict.fromkeys(("0", "false", "no", "off", "single"), "single"),
}
# Settings of one model, or of one endpoint, do not hold for another: least of all its price, and its key must not
# be sent to others.
_OF_A_MODEL = ("price", "free")
_OF_AN_ENDPOINT = (*_OF_A_MODEL, "provider", "base_url", "api_key", "api_key_env", "key_file")
_OPENAI_COMPATIBLE = "openai-compatible"
_PROVIDERS = (_OPENAI_COMPATIBLE, "openai", "anthropic")


@dataclass(frozen=True, slots=True)
class SettingsLayer:
    """Settings from one source. `names` maps a setting to its other name there."""

    place: str
    tree: SettingsTree = field(default_factory=dict[str, Any])
    names: Mapping[KeyPath, str] = field(default_factory=dict[KeyPath, str])

    def has_path(self, path: KeyPath) -> bool:
        return has_path(self.tree, path)

    def describe_place(self, path: KeyPath) -> str:
        return f"{self.place} ({self.names[path]})" if path in self.names else self.place


def read_file_layer(file: Path) -> SettingsLayer:
    """Read a settings file: TOML, or JSON by its suffix; a missing file is an empty layer."""
    try:
        text = file.read_text(encoding="utf-8")
        if file.suffix != ".json":
            return SettingsLayer(str(file), tomllib.loads(text))
        return _read_json_layer(file, json.loads(text or "{}"))
    except FileNotFoundError:
        return SettingsLayer(str(file))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise SettingsError(f"The settings file {file} can't be read: {error}.") from None


def _read_json_layer(file: Path, data: Any) -> SettingsLayer:
    if not isinstance(data, dict):
        raise SettingsError(f"The settings file {file} can't be read: it holds no JSON object.")
    tree: SettingsTree = {}
    names: dict[KeyPath, str] = {}
    for key, value in cast("SettingsTree", data).items():
        if key not in FLAT:
            tree = merge_trees(tree, {key: value})
            continue
        for path in FLAT[key] if value not in (None, "") else ():
            tree = merge_trees(tree, plant_value(path, value))
            names[path] = key
    return SettingsLayer(str(file), tree, names)


def read_classic_layer(variables: Mapping[str, str]) -> SettingsLayer:
    """Read the variables of the classic dual loop. A model's names are common ones, so they count only together."""
    given = {CLASSIC[name]: (name, value) for name, value in variables.items() if name in CLASSIC and value}
    for prefix, role in _CLASSIC_MODELS.items():
        fields = {field: f"{prefix}_{suffix}" for suffix, field in _MODEL_FIELDS.items()}
        if all(variables.get(fields[needed]) for needed in ("base_url", "model")):
            for field_name, name in fields.items():
                if value := variables.get(name):
                    given["models", role, field_name] = (name, value)
    tree: SettingsTree = {}
    for path, (name, value) in given.items():
        meant = _LOOPS.get(value.strip().lower(), value) if name == "DUAL_LOOP_MODE" else value
        tree = merge_trees(tree, plant_value(path, meant))
    return SettingsLayer("the environment", tree, {path: name for path, (name, _) in given.items()})


def read_adb_layer(variables: Mapping[str, str]) -> SettingsLayer:
    """Read where adb's own variables say that its server is, so that both talk to the same one."""
    given = {path: (name, value) for name, path in ADB.items() if (value := variables.get(name, "").strip())}
    if socket := variables.get(ADB_SOCKET, "").strip():
        # Another kind of socket than tcp is no host that answers: the device says so when it is used.
        found = _TCP.fullmatch(socket)
        host = (found["host"] or found["only"] or "127.0.0.1").strip("[]") if found else socket
        port = found["port"] if found else None
        given = {("adb", "host"): (ADB_SOCKET, "127.0.0.1" if host == "localhost" else host)}
        given |= {("adb", "port"): (ADB_SOCKET, port)} if port else {}
    tree: SettingsTree = {}
    for path, (_, value) in given.items():
        tree = merge_trees(tree, plant_value(path, value))
    return SettingsLayer("the environment", tree, {path: name for path, (name, _) in given.items()})


def read_variables_layer(variables: Mapping[str, str]) -> SettingsLayer:
    """Read our own variables: `DESKHAND_SETTLE__MAX_WAIT_MS=…`."""
    tree: SettingsTree = {}
    names: dict[KeyPath, str] = {}
    for name, value in variables.items():
        if name.startswith("DESKHAND_") and name != "DESKHAND_CONFIG" and not name.startswith(SECRET_VARIABLE):
            path = tuple(name.removeprefix("DESKHAND_").lower().split("__"))
            tree = merge_trees(tree, plant_value(path, value))
            names[path] = name
    return SettingsLayer("the environment", tree, names)


def plant_value(path: KeyPath, value: Any) -> SettingsTree:
    """Return a tree with this one value in it."""
    *above, leaf = path
    node: SettingsTree = {leaf: value}
    for part in reversed(above):
        node = {part: node}
    return node


def merge_trees(base: SettingsTree, over: SettingsTree) -> SettingsTree:
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = (
            merge_trees(cast("SettingsTree", below), cast("SettingsTree", value))
            if isinstance(below, dict) and isinstance(value, dict)
            else value
        )
    return merged


def merge_layers(layers: Iterable[SettingsLayer]) -> SettingsTree:
    whole: SettingsTree = {}
    for layer in layers:
        whole = merge_trees(whole, layer.tree)
    return whole


def drop_outdated(*layers: SettingsLayer) -> tuple[SettingsLayer, ...]:
    """Drop settings that belong to another model or endpoint than a stronger layer names; weakest layer first."""
    kept = list(layers)
    for above, layer in enumerate(layers):
        for role, named in _model_sections_of(layer).items():
            for below in range(above):
                for past in _find_outdated(_model_sections_of(kept[below]).get(role, {}), named):
                    kept[: below + 1] = [_remove_path(one, ("models", role, past)) for one in kept[: below + 1]]
    return tuple(kept)


def _model_sections_of(layer: SettingsLayer) -> dict[str, SettingsTree]:
    sections = layer.tree.get("models")
    named = cast("SettingsTree", sections) if isinstance(sections, dict) else {}
    return {role: cast("SettingsTree", section) for role, section in named.items() if isinstance(section, dict)}


def _find_outdated(former: SettingsTree, named: SettingsTree) -> tuple[str, ...]:
    """Return the settings of a model's section that no longer hold."""
    before, now = _provider_of(former), _provider_of(named)
    if (before and now and before != now) or _is_different("base_url", former, named):
        return _OF_AN_ENDPOINT
    return _OF_A_MODEL if _is_different("model", former, named) else ()


def _is_different(key: str, former: SettingsTree, named: SettingsTree) -> bool:
    one, other = former.get(key), named.get(key)
    return bool(one and other) and str(one).rstrip("/") != str(other).rstrip("/")


def _provider_of(section: SettingsTree) -> str:
    """Return the provider of the model that the section names; empty if it names none."""
    prefix = str(section.get("model", "")).partition(":")[0]
    if prefix in _PROVIDERS or "provider" in section:
        return prefix if prefix in _PROVIDERS else str(section["provider"])
    return _OPENAI_COMPATIBLE if section.get("base_url") else ""


def _remove_path(layer: SettingsLayer, path: KeyPath) -> SettingsLayer:
    return replace(layer, tree=_prune_tree(layer.tree, path)) if layer.has_path(path) else layer


def _prune_tree(tree: SettingsTree, path: KeyPath) -> SettingsTree:
    first, *rest = path
    if not rest:
        return {key: value for key, value in tree.items() if key != first}
    return {**tree, first: _prune_tree(cast("SettingsTree", tree[first]), tuple(rest))}


def find_origin(path: KeyPath, layers: Iterable[SettingsLayer]) -> str:
    """Return the place where a setting was set last; `default` if nowhere."""
    return next((layer.describe_place(path) for layer in reversed(tuple(layers)) if layer.has_path(path)), "default")


def has_path(tree: Any, path: KeyPath) -> bool:
    for part in path:
        if not isinstance(tree, dict) or part not in tree:
            return False
        tree = cast("SettingsTree", tree)[part]
    return True
