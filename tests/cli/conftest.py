"""The real command line in its own processes, with data, settings and an adb server apart from the user's."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Adb, eventually

LIMIT_S = 120


@dataclass(frozen=True)
class Ended:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object on stdout; anything else there fails."""
        assert self.out.count("\n") == 1, self.out
        return json.loads(self.out)

    def refused(self, code: int) -> str:
        """Its one sentence, when it must have ended with this code and nothing else to say."""
        assert self.code == code, self.out + self.err
        sentence = self.err.removesuffix("\n")
        assert sentence.startswith("deskhand: "), self.err
        assert "\n" not in sentence, self.err
        return sentence


@dataclass
class Running:
    """A command that still works. What it prints is read line by line."""

    process: asyncio.subprocess.Process
    printed: list[str] = field(default_factory=list)

    async def line(self, words: str) -> str:
        """The first line from here on that has these words in it."""
        assert self.process.stdout
        async with asyncio.timeout(LIMIT_S):
            while line := (await self.process.stdout.readline()).decode():
                self.printed.append(line)
                if words in line:
                    return line
        raise AssertionError(f"it ended before it said {words!r}: {self.printed}")

    def send(self, number: signal.Signals) -> None:
        # By os.kill: asyncio's own way takes the exit status of one that has just ended away from its watcher.
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, number)

    async def ended(self) -> Ended:
        async with asyncio.timeout(LIMIT_S):
            out, err = await self.process.communicate()
        assert self.process.returncode is not None
        return Ended(self.process.returncode, "".join(self.printed) + out.decode(), err.decode())


@dataclass
class Cli:
    """`deskhand` as a person would call it."""

    data: Path
    env: dict[str, str]
    mark: str
    started: list[asyncio.subprocess.Process] = field(default_factory=list)

    def unmeasured(self) -> Cli:
        """The same without test coverage, which costs time and writes files of its own."""
        env = {name: value for name, value in self.env.items() if not name.startswith("COVERAGE_")}
        return replace(self, env=env)

    async def start(self, *args: str, preexec: Callable[[], None] | None = None, **env: str) -> Running:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "deskhand", *args,
            env=self.env | env,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            preexec_fn=preexec,
        )  # fmt: skip
        self.started.append(process)
        return Running(process)

    async def __call__(self, *args: str, preexec: Callable[[], None] | None = None, **env: str) -> Ended:
        return await (await self.start(*args, preexec=preexec, **env)).ended()

    def processes(self) -> dict[int, str]:
        """Every living process that was started by our commands, by what it was called with."""
        found: dict[int, str] = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (folder / "environ").read_bytes():
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue  # it ended while we looked
        return found

    async def nothing_is_left_behind(self) -> None:
        async def check() -> bool:
            return not self.processes()

        try:
            await eventually(check, 20)
        except TimeoutError:
            raise AssertionError(f"still running: {self.processes()}") from None


@pytest.fixture
async def cli(tmp_path: Path, adb: Adb) -> AsyncIterator[Cli]:
    mark = f"started-by-{uuid.uuid4()}"
    ours = {
        "DESKHAND_CONFIG": str(tmp_path / "config.toml"),
        "DESKHAND_DATA_DIR": str(tmp_path / "data"),
        "DESKHAND_ADB__PORT": str(adb.port),
        "TEST_MARK": mark,
        "TERM": "dumb",
    }
    # COLUMNS and LINES would hide the size of the terminal that a test makes; pytest's own workers set them.
    hiding = ("DESKHAND_", "COLUMNS", "LINES")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(hiding)}
    cli = Cli(tmp_path / "data", inherited | ours, mark)
    try:
        yield cli
    finally:
        for process in cli.started:
            if process.returncode is None:
                process.kill()
                await process.communicate()
    await cli.nothing_is_left_behind()
