"""The house rules that can be checked: who may import whom, who may sleep, print and read the environment."""

import ast
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SRC = Path(__file__).parent.parent / "src" / "deskhand"

LAYERS: list[set[str]] = [
    {"core"},
    {"settings"},
    {"clock", "bus", "language", "app_names"},
    {"task", "screen"},
    # Above the screen: what a model is told of it comes with its encoded picture.
    {"prompting"},
    {"devices", "sandbox", "models", "roles", "research", "simphone"},
    {"engine"},
    {"build"},
    {"sessions"},
    {"server", "fleet", "bench"},
    # Above the server: MCP over HTTP listens behind the same access checks.
    {"mcp"},
    {"cli"},
]
RANK = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}
# The package's own door and `python -m deskhand` stand outside of the house.
DOORS = {"__init__", "__main__"}

FILES = sorted(SRC.rglob("*.py"))


def room_of(file: Path) -> str:
    return file.relative_to(SRC).parts[0].removesuffix(".py")


@cache
def tree_of(file: Path) -> ast.Module:
    with tokenize.open(file) as source:
        return ast.parse(source.read(), str(file))


def imports_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every import at run time; those for the type checker alone are free."""
    typing_only: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            typing_only.update(inner for statement in node.body for inner in ast.walk(statement))
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        if isinstance(node, ast.Import):
            for name in node.names:
                yield node.lineno, name.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            for name in node.names:
                yield node.lineno, f"{node.module}.{name.name}"


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(SRC)))
def test_imports_go_strictly_down(file: Path) -> None:
    room = room_of(file)
    if room in DOORS:
        return
    for line, name in imports_of(tree_of(file)):
        parts = name.split(".")
        if parts[0] != "deskhand" or len(parts) < 2 or parts[1] in {room, "__version__"}:
            continue
        assert parts[1] in RANK, f"{file}:{line} imports {name}, which is in no layer"
        assert RANK[parts[1]] < RANK[room], f"{file}:{line} ({room}) may not import {name}"


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(SRC)))
def test_only_the_right_rooms_sleep_print_and_read_the_environment(file: Path) -> None:
    room = room_of(file)
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Attribute) and node.attr == "sleep" and isinstance(node.value, ast.Name):
            asleep = node.value.id in {"time", "asyncio"}
            assert not asleep or room == "clock", f"{file}:{node.lineno} sleeps"
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}:
            assert room == "settings", f"{file}:{node.lineno} reads the environment"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id != "print" or room == "cli", f"{file}:{node.lineno} prints"
            assert node.func.id not in {"eval", "exec"}, f"{file}:{node.lineno} evaluates text as code"
        if isinstance(node, ast.ImportFrom) and node.module in {"time", "asyncio"}:
            assert "sleep" not in {name.name for name in node.names} or room == "clock", f"{file}:{node.lineno}"


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(SRC)))
def test_files_and_functions_stay_short(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= 500, f"{file} is over 500 lines"
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= 60, f"{file}:{node.lineno} {node.name} is {length} lines long"


@pytest.mark.parametrize("file", [f for f in FILES if room_of(f) in RANK], ids=lambda f: str(f.relative_to(SRC)))
def test_every_module_says_what_it_owns(file: Path) -> None:
    assert ast.get_docstring(tree_of(file)), f"{file} has no docstring"


def test_only_the_composition_root_names_concrete_classes() -> None:
    concrete = ("deskhand.devices.", "deskhand.models.", "deskhand.simphone.")
    for file in FILES:
        if room_of(file) in {"roles", "engine"}:
            for line, name in imports_of(tree_of(file)):
                assert not name.startswith(concrete), f"{file}:{line} names {name}"
