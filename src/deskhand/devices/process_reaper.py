"""Child processes that die with the device and with us, `kill -9` included: a small keeper process owns them.

The parent's side. Which programs are started, and what their end means, is the device's business.
"""

import asyncio
import contextlib
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deskhand.core.errors import DeviceGone, DeviceSetup, DeviceTimeout
from deskhand.settings.environment import read_session_environment

_PROGRAM = Path(__file__).with_name("reaper_process.py")
_ANSWER_S = 10.0
_TAIL = 2_000


@dataclass(eq=False)
class Child:
    """One started program. `ended` resolves to its exit status (negative: the signal that killed it)."""

    pid: int
    log: Path
    ended: asyncio.Future[int] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    spoken: str = ""
    spoke: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def alive(self) -> bool:
        return not self.ended.done()

    def read_complaint(self) -> str:
        """The end of what it wrote to its log, for a fault's sentence."""
        with contextlib.suppress(OSError):
            return self.log.read_text(encoding="utf-8", errors="replace")[-_TAIL:].strip()
        return ""

    async def read_first_words(self, timeout: float) -> str:
        """What a program started with `speaks` says first; empty when it ends without a word."""
        heard = asyncio.ensure_future(self.spoke.wait())
        try:
            await asyncio.wait({heard, self.ended}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        finally:
            heard.cancel()
        return self.spoken


class ProcessReaper:
    """The connection to one keeper process, and the private folder that it removes at the end."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="deskhand-"))
        self._process: asyncio.subprocess.Process | None = None
        self._listener: asyncio.Task[None] | None = None
        self._orders: dict[int, tuple[Path, asyncio.Future[Child]]] = {}
        self._children: dict[int, Child] = {}
        self._count = 0

    async def start_reaper(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-S",
            str(_PROGRAM),
            str(self.folder),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
            env=read_session_environment(),
        )
        self._listener = asyncio.create_task(self._read_facts(self._process))

    async def launch_process(
        self, argv: Sequence[str], env: Mapping[str, str], *, cwd: str | None = None, speaks: bool = False
    ) -> Child:
        """Start a program; raises DeviceSetup when it can't be started at all."""
        if self._process is None or self._process.stdin is None or self._process.returncode is not None:
            raise DeviceGone("The keeper of the device's programs is gone: open the device again.")
        self._count += 1
        order = self._count
        log = self.folder / f"{order}-{Path(argv[0]).name}.log"
        answer: asyncio.Future[Child] = asyncio.get_running_loop().create_future()
        self._orders[order] = (log, answer)
        request = {"order": order, "argv": list(argv), "env": dict(env), "cwd": cwd, "log": str(log), "speaks": speaks}
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            async with asyncio.timeout(_ANSWER_S):
                return await answer
        except TimeoutError:
            raise DeviceTimeout(f"{argv[0]} could not be started within {_ANSWER_S:g} s.") from None
        finally:
            self._orders.pop(order, None)

    async def _read_facts(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            self._take_fact(json.loads(line))
        for _, answer in self._orders.values():
            if not answer.done():
                answer.set_exception(DeviceGone("The keeper of the device's programs was killed."))
        for child in self._children.values():
            if not child.ended.done():
                child.ended.set_result(-9)

    def _take_fact(self, fact: dict[str, Any]) -> None:
        if "order" in fact:
            log, answer = self._orders.get(fact["order"], (self.folder, None))
            if answer is None or answer.done():
                return
            if "error" in fact:
                answer.set_exception(DeviceSetup(f"A program can't be started: {fact['error']}."))
            else:
                child = self._children[fact["pid"]] = Child(fact["pid"], log)
                answer.set_result(child)
        elif "ended" in fact:
            child = self._children.pop(fact["ended"], None)
            if child is not None and not child.ended.done():
                child.ended.set_result(fact["status"])
        elif child := self._children.get(fact["spoke"]):
            child.spoken += fact["text"]
            child.spoke.set()

    async def close(self) -> None:
        """End everything that was started and wait until it is dead."""
        process, self._process = self._process, None
        try:
            if process is not None and process.stdin is not None:
                process.stdin.close()
                try:
                    async with asyncio.timeout(_ANSWER_S):
                        await process.wait()
                except TimeoutError:
                    process.kill()
                    await process.wait()
            if self._listener is not None:
                await self._listener
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
