"""`deskhand run`: starts a task, shows it live, stops it cleanly on Ctrl-C, and says how it ended."""

import asyncio
import json
from typing import Any, NoReturn, get_args

from deskhand.build import Deskhand
from deskhand.cli.faults import STOPPED, run_loop
from deskhand.cli.progress import make_progress
from deskhand.config import load
from deskhand.engine.run import Run
from deskhand.errors import UsageError
from deskhand.task.events import EndCause, LoopMode, Record, StepFinished
from deskhand.task.state import TaskState

EXIT_CODES: dict[EndCause, int] = {
    "done": 0,
    "failed": 1,
    "steps": 1,
    "time": 1,
    "crashed": 1,
    "device": 3,
    "model": 4,
    "budget": 5,
    "stopped": STOPPED,
}


def run(goal: str, *, device: str, max_steps: int | None, loop: str, wait_s: float, as_json: bool) -> NoReturn:
    run_loop(_run(goal, device, max_steps, loop, wait_s, as_json), as_json=as_json)


async def _run(goal: str, device: str, max_steps: int | None, loop: str, wait_s: float, as_json: bool) -> int:
    mode = _mode(loop)
    async with Deskhand(load()) as hand:
        progress = make_progress(hand.journal, quiet=as_json)
        with hand.bus.subscribe(Record) as records:
            watching = asyncio.create_task(progress.follow(records))
            try:
                async with hand.start(goal, device=device, loop=mode, max_steps=max_steps, wait_s=wait_s) as task:
                    state = await _to_the_end(task)
            finally:
                records.close()
                await watching
        steps = await hand.journal.read(state.task_id)
    # Said when all is cleaned up: a Ctrl-C until here has its own last words, and only one of the two may be said.
    if as_json:
        print(json.dumps(outcome(state, steps), ensure_ascii=False))
    else:
        progress.close(state)
    return EXIT_CODES[state.cause or "crashed"]


def _mode(loop: str) -> LoopMode:
    modes: tuple[LoopMode, ...] = get_args(LoopMode)
    for mode in modes:
        if mode == loop:
            return mode
    raise UsageError(f"There is no loop {loop!r}: use --loop {' or --loop '.join(modes)}.")


async def _to_the_end(task: Run) -> TaskState:
    """The task's end, or its stop when this command is told to stop."""
    try:
        return await task.wait()
    except asyncio.CancelledError:
        return await task.stop()


def outcome(state: TaskState, records: list[Record]) -> dict[str, Any]:
    """What --json prints. A run that has not ended has no exit code."""
    steps = [record.event.report for record in records if isinstance(record.event, StepFinished)]
    return {
        "run": state.task_id,
        "goal": state.goal,
        "device": state.device,
        "status": state.status.value,
        "cause": state.cause,
        "reason": state.reason,
        "answers": list(state.answers),
        "steps": [step.model_dump(mode="json") for step in steps],
        "model_calls": state.usage.calls,
        "cost": str(state.usage.cost),
        "seconds": round((state.ended or records[-1].at) - state.started, 3),
        "exit_code": EXIT_CODES[state.cause] if state.cause else None,
    }
