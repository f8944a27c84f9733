"""Prompt memory: one JSON file that survives two writers, a kill, a broken edit and a person's own hand."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from deskhand.core.protocols import PromptMemory
from deskhand.task.prompt_memory import CORRECTIONS_KEPT, PromptMemoryFile

WRITER = """
import asyncio, sys
from pathlib import Path
from deskhand.task.prompt_memory import PromptMemoryFile

async def main(path, task_type, times):
    memory = PromptMemoryFile(Path(path))
    n = 0
    while n < int(times):
        await memory.learn(task_type if n % 2 else "both", success=n % 4 < 2, corrections=(f"{task_type} {n}",))
        n += 1
        if n == 3:
            sys.stdout.write("begun\\n")
            sys.stdout.flush()

asyncio.run(main(*sys.argv[1:]))
"""


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def writer(path: Path, name: str, times: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), name, str(times)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


async def test_what_is_learned_is_picked_for_the_next_task_of_that_type(tmp_path: Path) -> None:
    memory: PromptMemory = PromptMemoryFile(tmp_path / "deep" / "prompts.json")
    assert await memory.pick("message") == ""
    await memory.learn("message", success=True, prompt="先找联系人", corrections=("向下滚动",))
    assert await memory.pick("message") == "先找联系人"
    assert await memory.pick("search") == ""
    assert await PromptMemoryFile(tmp_path / "deep" / "prompts.json").pick("message") == "先找联系人"


async def test_the_file_reads_as_a_person_would_write_it(tmp_path: Path) -> None:
    path = tmp_path / "prompts.json"
    memory = PromptMemoryFile(path)
    await memory.learn("message", success=True, prompt="Look at the name first.", corrections=("scroll down",))
    await memory.learn("message", success=False)
    await memory.learn("message", success=True, corrections=("返回", "scroll down"))
    entry = read(path)["message"]
    assert entry["system_prompt"] == "Look at the name first."
    assert (entry["uses"], entry["success_rate"]) == (3, 0.6667)
    assert entry["corrections"] == ["返回", "scroll down"]
    assert entry["last_updated"].startswith("20")
    text = path.read_text(encoding="utf-8")
    assert '\n  "message": {\n    "system_prompt"' in text
    assert "返回" in text
    assert [file.name for file in tmp_path.iterdir()] == ["prompts.json", "prompts.json.lock"] or {
        file.name for file in tmp_path.iterdir()
    } == {"prompts.json", "prompts.json.lock"}


async def test_what_a_person_edits_counts(tmp_path: Path) -> None:
    path = tmp_path / "prompts.json"
    memory = PromptMemoryFile(path)
    await memory.learn("shop", success=False, prompt="old")
    mine = {"system_prompt": "mine", "success_rate": 0.5, "uses": 9, "owner": "Ann", "corrections": ["a"]}
    path.write_text(json.dumps({"shop": {**read(path)["shop"], **mine}, "notes": {"why": "for me"}}))
    assert await memory.pick("shop") == "mine"
    await memory.learn("shop", success=True)
    kept = read(path)
    assert kept["notes"] == {"why": "for me"}
    assert (kept["shop"]["owner"], kept["shop"]["system_prompt"]) == ("Ann", "mine")
    assert (kept["shop"]["uses"], kept["shop"]["successes"]) == (10, 5)
    assert kept["shop"]["success_rate"] == 0.5


@pytest.mark.parametrize("odd", [{"uses": "many", "success_rate": None, "corrections": 3, "system_prompt": 5}, {}])
async def test_odd_values_are_no_obstacle(tmp_path: Path, odd: dict[str, Any]) -> None:
    path = tmp_path / "prompts.json"
    path.write_text(json.dumps({"read": odd}))
    memory = PromptMemoryFile(path)
    assert await memory.pick("read") == ""
    await memory.learn("read", success=True)
    entry = read(path)["read"]
    assert (entry["uses"], entry["success_rate"], entry["corrections"]) == (1, 1.0, [])
    assert memory.trouble == ""


async def test_only_the_newest_distinct_corrections_are_kept(tmp_path: Path) -> None:
    memory = PromptMemoryFile(tmp_path / "prompts.json")
    for n in range(25):
        await memory.learn("read", success=True, corrections=(f"hint {n}", "always", " "))
    corrections = read(tmp_path / "prompts.json")["read"]["corrections"]
    assert len(corrections) == CORRECTIONS_KEPT
    assert corrections[-2:] == ["hint 24", "always"]
    assert corrections.count("always") == 1


async def test_the_rate_is_exact_over_many_uses(tmp_path: Path) -> None:
    memory = PromptMemoryFile(tmp_path / "prompts.json")
    for n in range(31):
        await memory.learn("read", success=n % 3 == 0)
    entry = read(tmp_path / "prompts.json")["read"]
    assert (entry["uses"], entry["successes"]) == (31, 11)
    assert entry["success_rate"] == round(11 / 31, 4)


@pytest.mark.parametrize("broken", [b"{", b"[1]", b'{"read": 3}', b"\xff\xfe{}", b'{"a": ' * 5000])
@pytest.mark.parametrize("first", ["pick", "learn"])
async def test_a_broken_file_is_kept_aside_and_reported(tmp_path: Path, broken: bytes, first: str) -> None:
    path = tmp_path / "prompts.json"
    path.write_bytes(broken)
    memory = PromptMemoryFile(path)
    if first == "pick":
        assert await memory.pick("read") == ""
    else:
        await memory.learn("read", success=True)
    (aside,) = [file for file in tmp_path.iterdir() if ".broken-" in file.name]
    assert aside.read_bytes() == broken
    assert aside.name in memory.trouble
    assert str(path) in memory.trouble
    await memory.learn("read", success=True, prompt="new")
    assert memory.trouble == ""
    assert await memory.pick("read") == "new"


async def test_each_broken_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "prompts.json"
    for n in range(3):
        path.write_text(f"broken {n}")
        await PromptMemoryFile(path).pick("read")
    aside = {file.read_text() for file in tmp_path.iterdir() if ".broken-" in file.name}
    assert aside == {"broken 0", "broken 1", "broken 2"}


async def test_an_empty_file_is_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "prompts.json"
    path.touch()
    memory = PromptMemoryFile(path)
    assert await memory.pick("read") == ""
    assert memory.trouble == ""


async def test_a_place_that_can_not_be_written_is_reported_and_stops_nothing(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.touch()
    memory = PromptMemoryFile(in_the_way / "prompts.json")
    assert await memory.pick("read") == ""
    assert "can't be" in memory.trouble
    await memory.learn("read", success=True)
    assert "can't be written" in memory.trouble
    folder = PromptMemoryFile(tmp_path)
    assert await folder.pick("read") == ""
    assert "can't be read" in folder.trouble


async def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "kept" / "mine.json"
    real.parent.mkdir()
    link = tmp_path / "prompts.json"
    link.symlink_to(real)
    await PromptMemoryFile(link).learn("read", success=True, prompt="p")
    assert link.is_symlink()
    assert read(real)["read"]["system_prompt"] == "p"


def test_two_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "prompts.json"
    processes = [writer(path, name, 100) for name in ("one", "two")]
    for process in processes:
        process.communicate(timeout=120)
        assert process.returncode == 0
    kept = read(path)
    assert (kept["both"]["uses"], kept["both"]["successes"]) == (100, 50)
    assert (kept["one"]["uses"], kept["two"]["uses"]) == (50, 50)


def test_a_kill_in_the_middle_leaves_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "prompts.json"
    uses = 0
    for _ in range(8):
        process = writer(path, "one", 100_000)
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        kept = read(path)
        now = kept["both"]["uses"] + kept["one"]["uses"]
        assert now >= uses + 3
        uses = now
    asyncio.run(PromptMemoryFile(path).learn("one", success=True, prompt="still works"))
    assert read(path)["one"]["system_prompt"] == "still works"
