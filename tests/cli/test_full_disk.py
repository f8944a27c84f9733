"""A full disk: the stream of a chat ends with an error, health says so, and afterwards everything goes on."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedStep
from tests.cli.conftest import Cli
from tests.cli.test_serve import events_of, models


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 3 MB, which only root can make."""
    place = tmp_path / "disk"
    place.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)], check=False).returncode:
        pytest.fail("this needs the right to mount a tmpfs")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.mark.slow
async def test_on_a_full_disk_a_chat_has_its_end_and_health_says_so(cli: Cli, small_disk: Path) -> None:
    data = small_disk / "data"
    filled = asyncio.Event()

    async def think(_: object) -> ScriptedStep:
        """The disk becomes full while the planner thinks."""
        with (small_disk / "rubbish").open("wb", buffering=0) as rubbish:
            try:
                while True:
                    rubbish.write(os.urandom(4096))
            except OSError:
                filled.set()
        return ScriptedStep(text="x" * 200_000)

    async with ModelServer([think, "Back again."]) as decider:
        env = {"DESKHAND_DATA_DIR": str(data), **models(assistant=decider)}
        running = await cli.start("serve", "--port", "0", **env)
        url = re.search(r"http://\S+", await running.line("answers at"))
        assert url
        token = (data / "server-token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(base_url=url[0], headers=headers, timeout=90) as client:
            assert (await client.get("/api/health")).json()["status"] == "ok"
            chat = {"message": "hello", "session_id": "s"}
            async with client.stream("POST", "/api/layered-agent/chat", json=chat) as answer:
                events = [event async for event in events_of(answer)]
            assert filled.is_set()
            assert [event["type"] for event in events] == ["error"], events
            assert "can't be" in events[0]["message"]
            health = await client.get("/api/health")
            assert (health.status_code, health.json()["status"]) == (503, "failing")
            assert "full" in " ".join(health.json()["troubles"])
            (small_disk / "rubbish").unlink()
            assert (await client.get("/api/health")).json()["status"] == "ok"
            async with client.stream("POST", "/api/layered-agent/chat", json=chat) as answer:
                assert [event async for event in events_of(answer)][-1]["type"] == "done"
        running.process.terminate()
        assert (await running.ended()).code == 0
