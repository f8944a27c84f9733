"""The layers that settings are put together from: files, variables, the names other programs use for the same things.

Untyped trees only. What a setting means, and which exist, is the settings' own matter; so is reading the environment.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from deskhand.core.errors import SettingsError
from deskhand.settings.placeholders import VARIABLE as SECRET_VARIABLE

Tree = dict[str, Any]
Route = tuple[str, ...]

# The flat settings file of layered phone agents. The model that decides is the conversation's, and plans tasks too.
FLAT: dict[str, tuple[Route, ...]] = {
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
CLASSIC: dict[str, Route] = {
    "DUAL_LOOP_MODE": ("loop",),
    "MAX_EXECUTOR_FEEDBACK_HISTORY": ("dispatcher", "feedback"),
    "STUCK_THRESHOLD": ("rules", "unchanged_screens"),
    "PROMPT_MEMORY_PATH": ("prompt_memory", "path"),
    "PLANNER_INTERVAL_MS": ("dispatcher", "tick_ms"),
    "EXECUTOR_INTERVAL_MS": ("executor", "tick_ms"),
}
_CLASSIC_MODELS = {"PLANNER_MODEL": "manager", "MODEL": "operator"}
_MODEL_FIELDS = {"BASE_URL": "base_url", "NAME": "model", "API_KEY": "api_key"}
_LOOPS = {
    **dict.fromkeys(("1", "true", "yes", "on", "dual"), "dual"),
    **dict.fromkeys(("0", "false", "no", "off", "single"), "single"),
}
# What is said of one model, or of one endpoint, is not true of another: least of all its price, and its key is not
# for others to read.
_OF_A_MODEL = ("price", "free")
_OF_AN_ENDPOINT = (*_OF_A_MODEL, "provider", "base_url", "api_key", "api_key_env", "key_file")
_OPENAI_COMPATIBLE = "openai-compatible"
_PROVIDERS = (_OPENAI_COMPATIBLE, "openai", "anthropic")


@dataclass(frozen=True, slots=True)
class Layer:
    """Settings from one place. `names` says under which other name a setting stands there."""

    place: str
    tree: Tree = field(default_factory=dict[str, Any])
    names: Mapping[Route, str] = field(default_factory=dict[Route, str])

    def has(self, path: Route) -> bool:
        return has(self.tree, path)

    def where(self, path: Route) -> str:
        return f"{self.place} ({self.names[path]})" if path in self.names else self.place


def file_layer(file: Path) -> Layer:
    """A settings file: TOML, or JSON where it is called so; a file that is not there says nothing."""
    try:
        text = file.read_text(encoding="utf-8")
        if file.suffix != ".json":
            return Layer(str(file), tomllib.loads(text))
        return _json_layer(file, json.loads(text or "{}"))
    except FileNotFoundError:
        return Layer(str(file))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise SettingsError(f"The settings file {file} can't be read: {error}.") from None


def _json_layer(file: Path, data: Any) -> Layer:
    if not isinstance(data, dict):
        raise SettingsError(f"The settings file {file} can't be read: it holds no JSON object.")
    tree: Tree = {}
    names: dict[Route, str] = {}
    for key, value in cast("Tree", data).items():
        if key not in FLAT:
            tree = merge(tree, {key: value})
            continue
        for path in FLAT[key] if value not in (None, "") else ():
            tree = merge(tree, planted(path, value))
            names[path] = key
    return Layer(str(file), tree, names)


def classic_layer(variables: Mapping[str, str]) -> Layer:
    """The variables of the classic dual loop. A model's names are common ones, so they count only together."""
    given = {CLASSIC[name]: (name, value) for name, value in variables.items() if name in CLASSIC and value}
    for prefix, role in _CLASSIC_MODELS.items():
        fields = {field: f"{prefix}_{suffix}" for suffix, field in _MODEL_FIELDS.items()}
        if all(variables.get(fields[needed]) for needed in ("base_url", "model")):
            for field_name, name in fields.items():
                if value := variables.get(name):
                    given["models", role, field_name] = (name, value)
    tree: Tree = {}
    for path, (name, value) in given.items():
        meant = _LOOPS.get(value.strip().lower(), value) if name == "DUAL_LOOP_MODE" else value
        tree = merge(tree, planted(path, meant))
    return Layer("the environment", tree, {path: name for path, (name, _) in given.items()})


def variables_layer(variables: Mapping[str, str]) -> Layer:
    """`DESKHAND_SETTLE__MAX_WAIT_MS=…`"""
    tree: Tree = {}
    names: dict[Route, str] = {}
    for name, value in variables.items():
        if name.startswith("DESKHAND_") and name != "DESKHAND_CONFIG" and not name.startswith(SECRET_VARIABLE):
            path = tuple(name.removeprefix("DESKHAND_").lower().split("__"))
            tree = merge(tree, planted(path, value))
            names[path] = name
    return Layer("the environment", tree, names)


def planted(path: Route, value: Any) -> Tree:
    """A tree with this one value in it."""
    *above, leaf = path
    node: Tree = {leaf: value}
    for part in reversed(above):
        node = {part: node}
    return node


def merge(base: Tree, over: Tree) -> Tree:
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = (
            merge(cast("Tree", below), cast("Tree", value))
            if isinstance(below, dict) and isinstance(value, dict)
            else value
        )
    return merged


def merged(layers: Iterable[Layer]) -> Tree:
    whole: Tree = {}
    for layer in layers:
        whole = merge(whole, layer.tree)
    return whole


def yielding(*layers: Layer) -> tuple[Layer, ...]:
    """From the weakest to the strongest; where a stronger one names another model, nothing of the former's is left."""
    kept = list(layers)
    for above, layer in enumerate(layers):
        for role, named in _models(layer).items():
            for below in range(above):
                for past in _outdated(_models(kept[below]).get(role, {}), named):
                    kept[: below + 1] = [_without(one, ("models", role, past)) for one in kept[: below + 1]]
    return tuple(kept)


def _models(layer: Layer) -> dict[str, Tree]:
    sections = layer.tree.get("models")
    named = cast("Tree", sections) if isinstance(sections, dict) else {}
    return {role: cast("Tree", section) for role, section in named.items() if isinstance(section, dict)}


def _outdated(former: Tree, named: Tree) -> tuple[str, ...]:
    """Which settings of a model's section do not hold any more."""
    before, now = _provider(former), _provider(named)
    if (before and now and before != now) or _differ("base_url", former, named):
        return _OF_AN_ENDPOINT
    return _OF_A_MODEL if _differ("model", former, named) else ()


def _differ(key: str, former: Tree, named: Tree) -> bool:
    one, other = former.get(key), named.get(key)
    return bool(one and other) and str(one).rstrip("/") != str(other).rstrip("/")


def _provider(section: Tree) -> str:
    """Whose model it names; empty when it names none."""
    prefix = str(section.get("model", "")).partition(":")[0]
    if prefix in _PROVIDERS or "provider" in section:
        return prefix if prefix in _PROVIDERS else str(section["provider"])
    return _OPENAI_COMPATIBLE if section.get("base_url") else ""


def _without(layer: Layer, path: Route) -> Layer:
    return replace(layer, tree=_pruned(layer.tree, path)) if layer.has(path) else layer


def _pruned(tree: Tree, path: Route) -> Tree:
    first, *rest = path
    if not rest:
        return {key: value for key, value in tree.items() if key != first}
    return {**tree, first: _pruned(cast("Tree", tree[first]), tuple(rest))}


def find_origin(path: Route, layers: Iterable[Layer]) -> str:
    """Where a setting was set last; `default` where nobody has."""
    return next((layer.where(path) for layer in reversed(tuple(layers)) if layer.has(path)), "default")


def has(tree: Any, path: Route) -> bool:
    for part in path:
        if not isinstance(tree, dict) or part not in tree:
            return False
        tree = cast("Tree", tree)[part]
    return True
