"""Children that die with their parent, gently where they can: the keeper on its own."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from deskhand.core.errors import DeviceGone, DeviceSetup
from deskhand.devices.process_reaper import ProcessReaper


@pytest_asyncio.fixture
async def keeper() -> AsyncIterator[ProcessReaper]:
    keeper = ProcessReaper()
    await keeper.start_reaper()
    yield keeper
    await keeper.close()


ENV = {"PATH": os.environ["PATH"]}


def alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


async def test_a_childs_end_is_told_with_its_status(keeper: ProcessReaper) -> None:
    child = await keeper.launch_process(["sh", "-c", "echo a complaint >&2; exit 3"], ENV)
    async with asyncio.timeout(10):
        assert await child.ended == 3
    assert child.read_complaint() == "a complaint"
    assert not child.alive


async def test_what_a_child_says_first_is_heard(keeper: ProcessReaper) -> None:
    child = await keeper.launch_process(["sh", "-c", "echo ready; exec sleep 60"], ENV, speaks=True)
    assert await child.read_first_words(10) == "ready\n"
    silent = await keeper.launch_process(["true"], ENV, speaks=True)
    assert await silent.read_first_words(10) == ""


async def test_a_program_that_is_not_there_is_a_clear_sentence(keeper: ProcessReaper) -> None:
    with pytest.raises(DeviceSetup, match="can't be started: No such file"):
        await keeper.launch_process(["/no/such/program"], ENV)


async def test_closing_ends_children_and_grandchildren_and_lets_them_tidy_up(tmp_path: Path) -> None:
    keeper = ProcessReaper()
    await keeper.start_reaper()
    tidied = tmp_path / "tidied"
    script = f"trap 'echo yes > {tidied}; exit' TERM; (setsid sleep 300 & echo $!); while :; do sleep 0.05; done"
    child = await keeper.launch_process(["sh", "-c", script], ENV, speaks=True)
    grandchild = int(await child.read_first_words(10))
    stubborn = await keeper.launch_process(["sh", "-c", "trap '' TERM HUP; while :; do sleep 0.05; done"], ENV)
    await keeper.close()
    assert tidied.read_text() == "yes\n"
    assert not any(map(alive, (child.pid, grandchild, stubborn.pid)))
    assert not keeper.folder.exists()
    with pytest.raises(DeviceGone):
        await keeper.launch_process(["true"], ENV)


async def test_children_do_not_inherit_deafness(keeper: ProcessReaper) -> None:
    child = await keeper.launch_process(["sleep", "60"], ENV)
    os.kill(child.pid, signal.SIGTERM)
    async with asyncio.timeout(10):
        assert await child.ended == -signal.SIGTERM


async def test_a_killed_keeper_takes_its_children_along_and_they_count_as_ended() -> None:
    keeper = ProcessReaper()
    await keeper.start_reaper()
    child = await keeper.launch_process(["sleep", "60"], ENV)
    parent = int(Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[1])
    os.kill(parent, signal.SIGKILL)
    async with asyncio.timeout(10):
        assert await child.ended == -9
        while alive(child.pid):
            await asyncio.sleep(0.01)
    await keeper.close()
