"""Lists every setting with its value and where it comes from. Keys are masked."""

import re
from collections.abc import Iterator
from typing import Any, cast

from deskhand.settings.layers import Layer, Tree, origin
from deskhand.settings.schema import Settings


def explained(settings: Settings, layers: tuple[Layer, ...]) -> list[tuple[str, Any, str]]:
    """Every setting: its name, its value with keys masked, and where it comes from."""
    leaves = _leaves(settings.model_dump(mode="json"), ())
    return [(".".join(path), _masked(value), origin(path, layers)) for path, value in leaves]


def _masked(value: Any) -> Any:
    """Without the name and password that an address may carry; keys mask themselves."""
    return re.sub(r"(?<=://)[^/@\s]+(?=@)", "***", value) if isinstance(value, str) else value


def _leaves(node: Tree, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in node.items():
        if isinstance(value, dict):
            yield from _leaves(cast("Tree", value), (*path, name))
        else:
            yield (*path, name), value
