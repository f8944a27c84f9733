"""Kills a task at, or a moment after, a row of its journal and takes it up again, with a user who knows the world."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from deskhand.build import Deskhand
from deskhand.core.errors import UsageError
from deskhand.core.human import UserRequest
from deskhand.core.statuses import TaskStatus
from deskhand.settings.load import load
from deskhand.task.journal import SqliteJournal
from deskhand.task.state import TaskState

CHILD = """
import asyncio, json, os, signal, sys, threading
from deskhand.build import Deskhand
from deskhand.bus import Bus
from deskhand.settings.load import load
from deskhand.task.events import Record

order = json.loads(sys.argv[1])
publish, rows, marks = Bus.publish_message, 0, 0

def publish_and_die(bus, message):
    global rows, marks
    publish(bus, message)
    if not isinstance(message, Record):
        return
    rows += 1
    kinds = (message.event.type, "act" if getattr(message.event, "act", None) is not None else "")
    marks += order["kill_at"] in kinds
    if rows == order["kill_at"] or (order["kill_at"] in kinds and marks == order["nth"]):
        if order["late_s"]:
            threading.Timer(order["late_s"], os.kill, (os.getpid(), signal.SIGKILL)).start()
        else:
            os.kill(os.getpid(), signal.SIGKILL)

Bus.publish_message = publish_and_die

async def agree(run):
    async for record in run.events():
        if order["attended"] and record.event.type == "person_asked":
            run.answer(record.event.request.id, "yes")

async def main():
    async with Deskhand(load(order["settings"])) as hand:
        if order["task"]:
            work = hand.resume(order["task"], wait_s=order["wait_s"])
        else:
            options = {"policy": order["settings"].get("policy", {})}
            where = {"device": order["device"], "url": order["url"]}
            work = hand.start(order["goal"], options=options, attended=order["attended"], **where)
        async with work as run:
            agreeing = asyncio.create_task(agree(run))
            state = await run.wait()
            agreeing.cancel()
    print(json.dumps({"status": state.status.value, "reason": state.reason}))

asyncio.run(main())
"""


@dataclass(frozen=True)
class Kill:
    """`late_s` after a row of the journal, or after the one that begins what can't be undone: in the middle of it.

    `nth`: the first, second … time that this is begun, or asked.
    """

    row: int | Literal["act", "person_asked", "action_intended"]
    late_s: float = 0.0
    nth: int = 1


NEVER = Kill(0)


@dataclass
class World:
    """What a goal is carried out on. `count` tells from the world itself how often the irreversible thing was done."""

    goal: str
    device: str
    folder: Path
    count: Callable[[], int]
    url: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    attended: bool = False  # by somebody who agrees to everything, until it is killed

    def tree(self) -> dict[str, Any]:
        return {"data_dir": str(self.folder), **self.settings}

    def start_child(self, kill: Kill = NEVER, task: str = "", wait_s: float = 0.0) -> subprocess.Popen[str]:
        """Begin the task, or resume it, in a process that kills itself then."""
        order = {
            "settings": self.tree(),
            "kill_at": kill.row,
            "late_s": kill.late_s,
            "nth": kill.nth,
            "attended": self.attended,
            "task": task,
            "wait_s": wait_s,
            "goal": self.goal,
            "device": self.device,
            "url": self.url,
        }
        argv = [sys.executable, "-c", CHILD, json.dumps(order)]
        return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    async def run_child(self, kill: Kill, task: str = "") -> bool:
        """True if it was killed before its end."""
        child = self.start_child(kill, task)
        _, err = await asyncio.to_thread(child.communicate)
        assert child.returncode in (0, -9), err
        return child.returncode != 0

    async def find_task(self) -> str:
        journal = SqliteJournal(self.folder)
        try:
            ids = await journal.find_ids()
        finally:
            await journal.close()
        return ids[0] if ids else ""

    async def is_fulfilled(self) -> bool:
        journal = SqliteJournal(self.folder)
        try:
            return any(summary.status is TaskStatus.FULFILLED for summary in await journal.runs())
        finally:
            await journal.close()

    async def finish(self, task: str) -> TaskState:
        """Resume it with a user at hand. What may have happened, they look up; what is asked before it, they grant."""
        async with Deskhand(load(self.tree())) as hand, hand.resume(task, attended=True) as run:
            answering = asyncio.create_task(self._answer_requests(run))
            state = await run.wait()
            answering.cancel()
        return state

    async def _answer_requests(self, run: Any) -> None:
        async for record in run.events():
            if record.event.type == "person_asked":
                with suppress(UsageError):  # asked in an earlier life
                    run.answer(record.event.request.id, self.answer(record.event.request))

    def answer(self, request: UserRequest) -> Literal["yes", "no"]:
        return "no" if self.count() else "yes"


async def survive(world: World, *kills: Kill) -> TaskState | None:
    """Kill the task and its resumes like this, then let it end. None if it ended before the first kill."""
    task = ""
    for kill in kills:
        if not await world.run_child(kill, task):
            break
        task = await world.find_task()
        assert world.count() <= 1, f"done twice after kills at {kills}"
        if not task:
            return None  # killed before anything was written: it never was
        if await world.is_fulfilled():
            break  # a moment late: there is nothing left to resume
    task = task or await world.find_task()
    if await world.is_fulfilled():
        assert world.count() == 1, f"called fulfilled, and not done, after kills at {kills}"
        return None
    state = await world.finish(task)
    assert world.count() == 1, f"{world.count()} times after kills at {kills}: {state.status} {state.reason}"
    return state
