"""The map in CONTRIBUTING.md tells the truth: real tasks are traced, and every path on it exists."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deskhand.testing import ModelServer, ScriptedCall, ScriptedStep
from tests.conftest import Adb
from tests.test_architecture import LAYERS, SRC

ROOT = Path(__file__).parent.parent
MAP = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
FORM = (ROOT / "tests/pages/form.html").as_uri()

COMMANDS = {
    "phone": ["run", "Open Settings, turn on Bluetooth"],
    "browser": ["run", "--device", "browser", "--url", FORM, "click Pro"],
    "desktop": ["run", "--device", "desktop", "Open the calculator, click 7"],
    "chat": ["chat", "on sim open Settings, turn on Bluetooth"],
    "model": ["run", "--loop", "single", "--model", "scripted", "--free", "say hello"],
}


def rows_of_ways() -> Iterator[tuple[str, dict[str, bool]]]:
    """Yield each file of the table of ways, with the ways that it lies on."""
    table = re.search(r"^\| file \|.*?\n\n", MAP, re.M | re.S)
    assert table, "CONTRIBUTING.md has no table of ways"
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines() if line)
    for row in rows:
        yield row[0].strip("`"), {way: cell == "●" for way, cell in zip(head[2:], row[2:], strict=True)}


@pytest.mark.parametrize("way", COMMANDS)
async def test_the_way_on_the_map_is_the_way_of_a_real_task(way: str, tmp_path: Path, adb: Adb) -> None:
    reply = ScriptedStep(calls=(ScriptedCall(name="step", arguments={"decision": "done", "message": "hello"}),))
    async with ModelServer([reply]) as server:
        command = [*COMMANDS[way], *(["--base-url", server.url] if way == "model" else [])]
        traced = await trace_ways(command, tmp_path, adb)
    # Attaching a desktop proves by clicks of its own that a click lands where it is aimed.
    found = next(files for files in traced if "engine/inner/executor.py" in files)
    assert [file for file, ways in rows_of_ways() if ways[way]] == found


async def trace_ways(command: list[str], folder: Path, adb: Adb) -> list[list[str]]:
    ours = {
        "DESKHAND_CONFIG": str(folder / "config.toml"),
        "DESKHAND_DATA_DIR": str(folder / "data"),
        "DESKHAND_ADB__PORT": str(adb.port),
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.way_tracer", str(folder / "ways"), *command,
        cwd=ROOT, env=os.environ | ours, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    async with asyncio.timeout(120):
        said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()
    return [json.loads(line) for line in (folder / "ways").read_text("utf-8").splitlines()]


def test_every_path_on_the_map_exists() -> None:
    paths = re.findall(r"`((?:[a-z_]+/)+(?:[a-z_]+\.\w+)?)`", MAP)
    assert len(paths) > 20
    missing = [path for path in paths if not any((root / path).exists() for root in (SRC, ROOT, ROOT / "src"))]
    assert missing == []


def test_the_tree_of_the_map_has_every_room() -> None:
    tree = MAP.split("src/deskhand/\n", 1)[1].split("\n    tests/", 1)[0]
    named = set(re.findall(r"^ {6}([a-z_]+(?:/|\.py))", tree, re.M))
    there = {f"{path.name}/" if path.is_dir() else path.name for path in SRC.iterdir()}
    assert named == {name for name in there if not name.startswith("__") and name.endswith((".py", "/"))}


def test_the_layers_of_the_map_are_those_that_are_checked() -> None:
    line = next(line for line in MAP.splitlines() if line.startswith("`core` ←"))
    assert [set(part.strip(" `").split()) for part in line.split("←")] == LAYERS
