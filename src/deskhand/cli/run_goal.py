"""`deskhand run`: starts a task, shows it live, stops it cleanly on Ctrl-C, and says how it ended."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, get_args

from deskhand.build import Deskhand
from deskhand.cli.output import print_json
from deskhand.cli.progress import Progress, make_progress
from deskhand.cli.signals import STOPPED
from deskhand.cli.typed_input import forward_input, is_attended
from deskhand.clock import cancel_task
from deskhand.core.errors import UsageError
from deskhand.engine.run import Task
from deskhand.language import language_of
from deskhand.settings.layers import SettingsTree, merge_trees
from deskhand.settings.load import load
from deskhand.settings.schema import COMMAND_LINE_ROLE, Settings
from deskhand.task.events import EndCause, Event, LoopMode, Observed, Record, Settled, StepFinished
from deskhand.task.fold import fold_all
from deskhand.task.journal import Journal, SqliteJournal
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
# Of several runs that begin alike.
IDS_TOLD = 5


SLOW_STOP_S = 1.0
_STOPPING = (
    "Stopping: waiting for the device to answer what is on its way to it.",
    "正在停止：等设备回应已经发给它的动作。",
)


@dataclass(frozen=True, slots=True)
class TaskOptions:
    """How a task runs. Empty means: as in the settings."""

    device: str = ""
    url: str = ""
    loop: str = ""
    max_steps: int | None = None
    wait_s: float = 0.0


@dataclass(frozen=True, slots=True)
class SettingOptions:
    """Settings that have an option of their own."""

    model: str = ""
    base_url: str = ""
    free: bool = False
    cdp_url: str = ""
    budget: float | None = None
    allow_code: bool = False
    yes: bool = False

    def to_tree(self) -> SettingsTree:
        """Return them as the uppermost layer of the settings."""
        model: SettingsTree = {"model": self.model, "base_url": self.base_url, "free": self.free or None}
        policy: SettingsTree = {"run_code": self.allow_code, "irreversible": self.yes}
        model = {key: value for key, value in model.items() if value}
        tree: SettingsTree = {
            "models": {COMMAND_LINE_ROLE: model} if model else {},
            "browser": {"cdp_url": self.cdp_url} if self.cdp_url else {},
            "budget": {} if self.budget is None else {"task": str(self.budget)},
            "policy": {key: "allow" for key, is_allowed in policy.items() if is_allowed},
        }
        return {name: section for name, section in tree.items() if section}


async def run_goal(goal: str, options: TaskOptions, overrides: SettingOptions, as_json: bool) -> int:
    settings = load(overrides.to_tree())
    mode = _parse_loop(options.loop or settings.loop)
    async with Deskhand(settings) as hand:
        task = hand.start(
            goal,
            device=options.device,
            url=options.url,
            loop=mode,
            max_steps=options.max_steps,
            wait_s=options.wait_s,
            attended=is_attended(quiet=as_json),
            options=overrides.to_tree(),
        )
        say = await _follow_task(hand, task, goal, as_json)
    # Said when all is cleaned up: a Ctrl-C until here has its own last words, and only one of the two may be said.
    return say()


async def resume_run(run_id: str, options: TaskOptions, overrides: SettingOptions, as_json: bool) -> int:
    given = overrides.to_tree()
    past = await _read_past(load(given), run_id)
    async with Deskhand(load(merge_trees(past.origin.options, given))) as hand:
        task = hand.resume(
            past.task_id,
            device=options.device,
            max_steps=options.max_steps,
            wait_s=options.wait_s,
            attended=is_attended(quiet=as_json),
            options=given,
        )
        say = await _follow_task(hand, task, past.goal, as_json)
    return say()


async def _read_past(settings: Settings, run_id: str) -> TaskState:
    """Return a run as its log tells it. Its devices are opened by the options that it began with, too."""
    journal = SqliteJournal(settings.data_dir)
    try:
        return fold_all(await journal.read(await find_task_id(journal, run_id)))
    finally:
        await journal.close()


async def find_task_id(journal: Journal, beginning: str) -> str:
    """Return the id of the run that begins like this, as users type it."""
    if not beginning:
        matches = []
    elif beginning == "last":
        matches = await journal.find_ids(limit=1)
    else:
        matches = await journal.find_ids(beginning, limit=IDS_TOLD)
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UsageError(f"Several runs begin with {beginning!r}: {', '.join(matches)}; give more of the id.")
    raise UsageError(f"There is no run {beginning!r}: `deskhand runs` lists them.")


async def _follow_task(
    hand: Deskhand, starting: AbstractAsyncContextManager[Task], goal: str, as_json: bool
) -> Callable[[], int]:
    """Show a task live until it ends. Returns the function that reports its end, for when everything is closed."""
    progress = make_progress(hand.journal, goal, quiet=as_json)
    with hand.bus.subscribe_to(Record) as records:
        watching = asyncio.create_task(progress.follow(records))
        try:
            async with starting as task, _forward_typing(task, progress, quiet=as_json):
                state = await _wait_for_end(task, progress.tell)
        finally:
            records.close()
            await watching
    steps = await hand.journal.read(state.task_id)

    def report_end() -> int:
        if as_json:
            print_json(outcome_of(state, steps, hand.journal))
        else:
            progress.close(state)
        return EXIT_CODES[state.cause or "crashed"]

    return report_end


@asynccontextmanager
async def _forward_typing(task: Task, progress: Progress, *, quiet: bool) -> AsyncGenerator[None, None]:
    """Forward what the user types to the task while the block runs."""
    if not is_attended(quiet=quiet):
        yield
        return
    listening = asyncio.create_task(forward_input(task, progress.tell, progress.show_typed))
    try:
        yield
    finally:
        await cancel_task(listening)


def _parse_loop(loop: str) -> LoopMode:
    modes: tuple[LoopMode, ...] = get_args(LoopMode)
    for mode in modes:
        if mode == loop:
            return mode
    raise UsageError(f"Unknown loop {loop!r}: use --loop {' or --loop '.join(modes)}.")


async def _wait_for_end(task: Task, tell: Callable[[str], None]) -> TaskState:
    """Wait for the task to end; stop it when this command is cancelled."""
    try:
        return await task.wait()
    except asyncio.CancelledError:
        stopping = asyncio.ensure_future(task.stop())
        if not (await asyncio.wait({stopping}, timeout=SLOW_STOP_S))[0]:
            tell(_STOPPING[language_of(task.state.goal) == "zh"])
        return await stopping


def outcome_of(state: TaskState, records: list[Record], journal: Journal) -> dict[str, Any]:
    """Return what --json prints. A run that has not ended has no exit code."""
    return {
        "task_id": state.task_id,
        "goal": state.goal,
        "device": state.device,
        "status": state.status.value,
        "cause": state.cause,
        "reason": state.reason,
        "answers": list(state.answers),
        "steps": _list_steps(records, journal),
        "model_calls": state.usage.calls,
        "cost": str(state.usage.cost),
        "spend": {role: usage.model_dump(mode="json") for role, usage in state.spend},
        "seconds": round((state.ended or records[-1].at) - state.started, 3),
        "exit_code": EXIT_CODES[state.cause] if state.cause else None,
    }


def _list_steps(records: list[Record], journal: Journal) -> list[dict[str, Any]]:
    """Return the report of each step with the files of its pictures: as it began, and as it ended."""
    steps: list[dict[str, Any]] = []
    before = after = ""
    for record in records:
        picture = find_picture(record.event, journal)
        if isinstance(record.event, Observed):
            before = after = picture
        elif isinstance(record.event, Settled):
            after = picture
        elif isinstance(record.event, StepFinished):
            changed = record.event.screen_changed
            told = record.event.report.model_dump(mode="json")
            steps.append({**told, "screen_changed": changed, "before": before or None, "after": after or None})
    return steps


def find_picture(event: Event, journal: Journal) -> str:
    """Return the file of the picture that an event names; empty if it names none, or that was deleted."""
    if not isinstance(event, Observed | Settled) or not event.frame:
        return ""
    file = journal.find_frame_file(event.frame)
    return str(file) if file.exists() else ""
