"""Lists every setting with its value, its origin and its description. Keys are masked."""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, cast

from pydantic import BaseModel

from deskhand.settings.layers import SettingsLayer, SettingsTree, find_origin
from deskhand.settings.masking import mask_address, mask_command
from deskhand.settings.schema import Settings, section_below


class ExplainedSetting(NamedTuple):
    key: str
    value: Any
    origin: str
    description: str


def list_settings(settings: Settings, layers: tuple[SettingsLayer, ...]) -> list[ExplainedSetting]:
    leaves = _walk_leaves(settings.model_dump(mode="json"), ())
    return [
        ExplainedSetting(
            ".".join(path), _mask_secrets(value, path[-1]), find_origin(path, layers), describe_setting(path)
        )
        for path, value in leaves
    ]


def describe_setting(path: tuple[str, ...]) -> str:
    """Return the description of a setting; that of a section is the docstring of its class."""
    section: type[BaseModel] = Settings
    text = ""
    for name in path:
        text = _read_descriptions(section).get(name, "")
        if below := section_below(section, name):
            section, text = below, text or inspect.getdoc(below) or ""
    return text


@cache
def _read_descriptions(section: type[BaseModel]) -> dict[str, str]:
    """Return the texts under the fields of a section, its base classes' included.

    They are read from the source when asked for: pydantic's use_attribute_docstrings adds 20 ms to every start.
    """
    own = [base for base in section.__mro__ if base.__module__.startswith(__package__ or "")]
    names = {base.__name__ for base in own}
    nodes = (node for module in {base.__module__ for base in own} for node in _parse_module(module).body)
    bodies = [node.body for node in nodes if isinstance(node, ast.ClassDef) and node.name in names]
    return {
        ast.unparse(field.target): inspect.cleandoc(text.value.value).replace("\n", " ")
        for body in bodies
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }


@cache
def _parse_module(name: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[name]))


def _mask_secrets(value: Any, name: str) -> Any:
    """Hide what a command or an address may carry: names and passwords, keys in queries, tokens as arguments."""
    match value:
        case str():
            return mask_address(value)
        case dict():
            return {below: _mask_secrets(held, below) for below, held in cast("SettingsTree", value).items()}
        case list() if name == "command":
            return mask_command(cast("list[str]", value))
        case list():
            return [_mask_secrets(one, name) for one in cast("list[Any]", value)]
        case _:
            return value


def _walk_leaves(node: SettingsTree, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in node.items():
        if isinstance(value, dict):
            yield from _walk_leaves(cast("SettingsTree", value), (*path, name))
        else:
            yield (*path, name), value
