"""The house rules that can be checked: who may import whom, who may sleep, how large things get, how they are named."""

import ast
import importlib
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from radon.complexity import cc_visit

SRC = Path(__file__).parent.parent / "src" / "deskhand"

LAYERS: list[set[str]] = [
    {"core"},
    {"settings"},
    {"clock", "bus", "language", "app_names", "private_files", "fault_words"},
    {"task", "screen"},
    # Above the screen: what a model is told of it comes with its encoded picture.
    {"prompting"},
    {"devices", "sandbox", "models", "roles", "research", "simphone"},
    {"engine"},
    {"build"},
    {"sessions"},
    {"server", "bench"},
    # Above the server: MCP over HTTP listens behind the same access checks.
    {"mcp"},
    {"cli"},
]
RANK = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}
# What users import and `python -m deskhand` stand outside of the house, and nothing inside imports them.
DOORS = {"__init__", "__main__", "actions", "errors", "events", "testing"}

# Modules of one name in several rooms.
PARALLEL_MODULES = {
    "app",  # the thing that is put together: of the command line, of the server, of the phone
    "chat",  # the command and the route of the same name
    "devices",  # the command and the route of the same name
    "display",  # of the X server, of the simulated phone
    "screen",  # the data of one look, and the suite that measures looking
    "tasks",  # the route and what it serves
}

# Functions of one word, each with the reason why a second word would say nothing more.
ONE_WORD_FUNCTIONS: dict[str, str] = {
    "build/__init__.py:Deskhand.start": "public: what else than a task would it start",
    "build/__init__.py:Deskhand.resume": "public: the counterpart of start",
    "cli/__init__.py:main": "what every program calls its entry point",
    "devices/browser/process_guard.py:main": "the entry point of a process of its own",
    "devices/reaper_process.py:main": "the entry point of a process of its own",
    "engine/outer/rules.py:decide": "DESIGN.md's name for the pure function behind layer 1",
    "engine/observer.py:Observer.observe": "what an observer does",
    "engine/task_log.py:TaskLog.record": "called at every event: its object is its argument",
    "engine/run.py:Task.send": "public: the verbs of a task under way have the task as their object",
    "engine/run.py:Task.events": "public",
    "engine/run.py:Task.start": "public",
    "engine/run.py:Task.wait": "public",
    "engine/run.py:Task.stop": "public",
    "engine/run.py:Task.say": "public",
    "engine/run.py:Task.pause": "public",
    "engine/run.py:Task.resume": "public",
    "roles/offline/scene.py:Scene.say": "picks the sentence in the goal's language; read 200 times in the strategies",
    "settings/load.py:load": "public: deskhand.load",
    "task/fold/__init__.py:fold": "the word for it",
}

ROLES = {"manager", "operator", "technician", "analyst", "evaluator", "assistant", "coach"}

FILES = sorted(SRC.rglob("*.py"))
Function = ast.FunctionDef | ast.AsyncFunctionDef


def room_of(file: Path) -> str:
    return file.relative_to(SRC).parts[0].removesuffix(".py")


def module_of(file: Path) -> str:
    return ".".join(("deskhand", *file.relative_to(SRC).with_suffix("").parts)).removesuffix(".__init__")


MODULES = {module_of(file): file for file in FILES}


@cache
def tree_of(file: Path) -> ast.Module:
    with tokenize.open(file) as source:
        return ast.parse(source.read(), str(file))


def imports_of(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every import, also inside of functions and for the type checker alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                yield node.lineno, name.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            for name in node.names:
                yield node.lineno, f"{node.module}.{name.name}"


def imported_module(name: str) -> str:
    """`deskhand.core.errors.DeskhandError` is in `deskhand.core.errors`."""
    return name if name in MODULES else name.rpartition(".")[0]


def functions_of(node: ast.AST, owner: ast.ClassDef | None = None) -> Iterator[tuple[ast.ClassDef | None, Function]]:
    """Every function below a node, with the class that it is a method of."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield owner, child
        yield from functions_of(child, child if isinstance(child, ast.ClassDef) else None)


def find_upward_imports() -> Iterator[tuple[str, str]]:
    for file in FILES:
        room = room_of(file)
        for line, name in imports_of(tree_of(file)):
            parts = name.split(".")
            if room in DOORS or parts[0] != "deskhand" or len(parts) < 2 or parts[1] in {room, "__version__"}:
                continue
            assert parts[1] in RANK, f"{file}:{line} imports {name}, which is in no layer"
            if RANK[parts[1]] >= RANK[room]:
                yield room, f"{file}:{line} ({room}) may not import {name}"


def find_import_cycles() -> Iterator[tuple[str, str]]:
    """In one folder the whole and its part may know each other, if only one of them needs it to be imported.

    An app of the phone opens its first page, whose base names the app; a device runs its self-test.
    """
    rooms: dict[str, dict[str, set[str]]] = defaultdict(dict)
    for module, file in MODULES.items():
        statements = [node for node in tree_of(file).body if isinstance(node, ast.Import | ast.ImportFrom)]
        needed = {imported_module(name) for _, name in imports_of(ast.Module(statements, []))}
        targets = {imported_module(name) for _, name in imports_of(tree_of(file))} & MODULES.keys()
        rooms[room_of(file)][module] = {t for t in targets if t in needed or MODULES[t].parent != file.parent}
    for room, graph in rooms.items():
        try:
            TopologicalSorter(
                {module: [t for t in targets if t in graph and t != module] for module, targets in graph.items()}
            ).prepare()
        except CycleError as error:
            yield room, f"modules of {room} import each other: {' → '.join(error.args[1])}"


def find_full_folders() -> Iterator[tuple[str, str]]:
    for folder in {file.parent for file in FILES}:
        files = [file for file in folder.iterdir() if file.is_file()]
        if len(files) > 25:
            yield room_of(folder / "x"), f"{folder} holds {len(files)} files"


def find_entangled_simphone() -> Iterator[tuple[str, str]]:
    for file in FILES:
        if room_of(file) == "simphone":
            for line, name in imports_of(tree_of(file)):
                if name.startswith("deskhand.") and name.split(".")[1] not in {"simphone", "clock"}:
                    yield "simphone", f"{file}:{line} imports {name}: a phone knows itself and the clock"


def find_named_roles() -> Iterator[tuple[str, str]]:
    for file in FILES:
        if (room := room_of(file)) not in {"server", "cli"}:
            continue
        for line, name in imports_of(tree_of(file)):
            if name.startswith("deskhand.roles"):
                yield room, f"{file}:{line} imports {name}"
        for node in ast.walk(tree_of(file)):
            if isinstance(node, ast.Constant) and node.value in ROLES:
                yield room, f"{file}:{node.lineno} names the role {node.value!r}"
            elif isinstance(node, ast.Attribute) and node.attr in ROLES:
                yield room, f"{file}:{node.lineno} names the role {node.attr!r}"


def find_wide_constructors() -> Iterator[tuple[str, str]]:
    for file in FILES:
        for owner, function in functions_of(tree_of(file)):
            arguments = function.args
            count = len([*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]) - 1
            if owner and function.name == "__init__" and count > 8:
                yield room_of(file), f"{file}:{function.lineno} {owner.name} takes {count} parameters"


def find_ambiguous_modules() -> Iterator[tuple[str, str]]:
    rooms: dict[str, set[str]] = defaultdict(set)
    for file in FILES:
        if file.stem not in DOORS | PARALLEL_MODULES:
            rooms[file.stem].add(room_of(file))
    for name, found in rooms.items():
        if len(found) > 1:
            yield from ((room, f"{name}.py is in {', '.join(sorted(found))}") for room in sorted(found))


def find_long_engine_files() -> Iterator[tuple[str, str]]:
    for file in FILES:
        length = len(file.read_text(encoding="utf-8").splitlines())
        if room_of(file) == "engine" and length > 400:
            yield "engine", f"{file} has {length} lines"


def find_knots() -> Iterator[tuple[str, str]]:
    for file in FILES:
        for block in cc_visit(file.read_text(encoding="utf-8")):
            # A class counts by its methods, which are blocks of their own. 21 is where radon's D begins.
            if block.complexity > 20 and not hasattr(block, "methods"):
                yield room_of(file), f"{file}:{block.lineno} {block.name} has a complexity of {block.complexity}"


@cache
def names_in(file: Path) -> dict[str, str]:
    """Where the imported names of a file come from."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }


def bases_of(owner: ast.ClassDef, file: Path) -> Iterator[str]:
    for base in owner.bases:
        name = ast.unparse(base.value if isinstance(base, ast.Subscript) else base)
        first, dot, rest = name.partition(".")
        yield names_in(file).get(first, f"{module_of(file)}.{first}") + dot + rest


def is_interface(owner: ast.ClassDef, file: Path) -> bool:
    return any(base in {"typing.Protocol", "abc.ABC"} for base in bases_of(owner, file))


def inherits_from_library(owner: ast.ClassDef, file: Path, method: str) -> bool:
    """True if a base class of another package declares the method."""
    for base in bases_of(owner, file):
        module, _, name = base.rpartition(".")
        if module in MODULES:
            found = [n for n in ast.walk(tree_of(MODULES[module])) if isinstance(n, ast.ClassDef) and n.name == name]
            if found and inherits_from_library(found[0], MODULES[module], method):
                return True
        elif module.split(".")[0] != "deskhand":
            library = importlib.import_module(module or "builtins")
            if hasattr(getattr(library, name, None), method):
                return True
    return False


# Any other decorator registers the function under its own name.
PLAIN_DECORATORS = {
    "staticmethod", "classmethod", "cache", "lru_cache", "contextmanager", "asynccontextmanager", "overload", "wraps",
}  # fmt: skip


def is_registered(function: Function) -> bool:
    """True for properties, commands, routes, validators: what is not called by its name."""
    for decorator in function.decorator_list:
        call = decorator.func if isinstance(decorator, ast.Call) else decorator
        if ast.unparse(call).rpartition(".")[2] not in PLAIN_DECORATORS:
            return True
    return False


def find_one_word_functions() -> Iterator[tuple[str, str]]:
    everything = [(file, owner, function) for file in FILES for owner, function in functions_of(tree_of(file))]
    verbs = {function.name for file, owner, function in everything if owner and is_interface(owner, file)}
    for file, owner, function in everything:
        name = function.name
        if "_" in name.strip("_") or (name.startswith("__") and name.endswith("__")) or is_registered(function):
            continue
        if owner and (name in verbs or inherits_from_library(owner, file, name)):
            continue
        where = f"{file.relative_to(SRC)}:{owner.name + '.' if owner else ''}{name}"
        if where not in ONE_WORD_FUNCTIONS:
            yield room_of(file), f"{where} (line {function.lineno}) is one word: verb and object"


RULES: dict[str, Callable[[], Iterator[tuple[str, str]]]] = {
    "imports go strictly down": find_upward_imports,
    "no import cycles inside of a room": find_import_cycles,
    "at most 25 files in a folder": find_full_folders,
    "simphone imports only itself and the clock": find_entangled_simphone,
    "server and cli name no role": find_named_roles,
    "at most 8 parameters of a constructor": find_wide_constructors,
    "no module name in two rooms": find_ambiguous_modules,
    "no file over 400 lines in engine": find_long_engine_files,
    "no complexity of D or worse": find_knots,
    "function names are verb and object": find_one_word_functions,
}


@pytest.mark.parametrize("rule", RULES)
def test_house_rule(rule: str) -> None:
    broken = [message for _, message in RULES[rule]()]
    assert not broken, f"{rule}:\n" + "\n".join(broken)


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
            assert node.func.id != "print" or file == SRC / "cli" / "output.py", f"{file}:{node.lineno} prints"
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
