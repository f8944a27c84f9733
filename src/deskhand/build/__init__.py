"""The composition root: settings → devices, workers, runner. The only place that names concrete classes.

Heavy parts are imported where they are made, so that nobody pays for what they don't use.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Self

from deskhand.build.simulated_phones import SimulatedPhones
from deskhand.build.task_roles import TaskRoles
from deskhand.bus import Bus
from deskhand.clock import SystemClock
from deskhand.core.actions import OpenUrl
from deskhand.core.decisions import PlannedAction
from deskhand.core.errors import AppFrozen, NoElements, UsageError
from deskhand.core.outgoing import find_outbox
from deskhand.core.screen import DIALOG_ID, DeviceInfo, Frame, Observation
from deskhand.engine.budget import Budget
from deskhand.engine.outer.rules import DEFAULT_RULES, Rule
from deskhand.engine.parts import TaskParts
from deskhand.engine.run import Task, clear_goal
from deskhand.engine.safety.authority import USER, Authority
from deskhand.engine.safety.policy import judge_action
from deskhand.engine.safety.wire_guard import hold_for_task
from deskhand.engine.secrets.grants import Grants, find_named_secrets, learn_goal_secrets
from deskhand.engine.secrets.guarded_device import GuardedDevice
from deskhand.engine.secrets.guarded_parts import guard_device, guard_parts
from deskhand.engine.secrets.pictures import take_covered_frame
from deskhand.engine.secrets.vault import Vault
from deskhand.screen.stillness.settle import VisualStability
from deskhand.settings.credentials import read_secret
from deskhand.settings.layers import SettingsTree, merge_trees
from deskhand.settings.load import load, overlay_settings
from deskhand.settings.schema import PolicySettings, Settings
from deskhand.settings.site_lists import explain_block
from deskhand.task.events import Event, LoopMode, TaskOrigin
from deskhand.task.fold import fold_all
from deskhand.task.journal import SqliteJournal
from deskhand.task.state import TaskState
from deskhand.task.task_lease import hold_task

if TYPE_CHECKING:
    from deskhand.core.protocols import Clock, CodeRunner, Device
    from deskhand.devices.pool import Pool, Provider
    from deskhand.screen.ocr.screen_text import ScreenText

DEFAULT_DEVICE = "sim"

__all__ = ["DEFAULT_DEVICE", "Deskhand", "SimulatedPhones", "make_pool"]


class Deskhand:
    """Everything put together. `async with Deskhand() as hand: state = await hand.run("…")`.

    `rules`: the user's own, beside those that watch every step anyway.
    """

    def __init__(self, settings: Settings | None = None, *, rules: Sequence[Rule] = ()) -> None:
        self.settings = settings or load()
        self._rules = (*DEFAULT_RULES, *rules)
        self.bus = Bus()
        self.clock: Clock = SystemClock()
        self.simulated = SimulatedPhones(self.settings, self.clock)
        # One for all tasks: what one of them has typed may still be on the screen of the next.
        self._vault = Vault(lambda name: read_secret(name, self.settings.secrets))
        # The devices of the tasks under way: each knows what was typed into it.
        self._guarded: dict[str, GuardedDevice] = {}
        self._stack = AsyncExitStack()
        self._open = False

    async def __aenter__(self) -> Self:
        self._open = True
        self.journal = SqliteJournal(self.settings.data_dir)
        self._stack.push_async_callback(self.journal.close)
        self.pool = make_pool(self.settings, self.clock, self.simulated)
        self._stack.push_async_callback(self.pool.close)
        self._settle = VisualStability(self.settings.settle, self.clock)
        self._reader = make_reader()
        if self._reader:
            self._stack.callback(self._reader.close)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._open = False
        await self._stack.aclose()

    def hide_secrets(self, text: str) -> str:
        """Return text from a screen as a model may read it."""
        return self._vault.scrub_text(text)

    async def take_covered_frame(self, device_id: str) -> Frame:
        """Return a screen without secrets. Once one is in use, a device that another program uses is refused."""
        if not self._vault:
            return await self.pool.look_at_screen(device_id)
        if guarded := self._guarded.get(await self.pool.resolve_id(device_id)):
            return await take_covered_frame(guarded, self._reader, self._vault)
        async with self.pool.lease_device(device_id) as leased:
            return await take_covered_frame(GuardedDevice(leased, self._vault, Grants()), self._reader, self._vault)

    async def list_devices(self) -> list[DeviceInfo]:
        return await self.pool.list_devices()

    @asynccontextmanager
    async def start(
        self,
        goal: str,
        *,
        device: str = "",
        url: str = "",
        loop: LoopMode = "dual",
        max_steps: int | None = None,
        wait_s: float = 0.0,
        attended: bool = False,
        authority: Authority = USER,
        budget: Budget | None = None,
        settings: Settings | None = None,
        options: SettingsTree | None = None,
    ) -> AsyncGenerator[Task, None]:
        """Start a task on a leased device, at a page if one is given; leaving the block stops it.

        `attended`: a user follows it and answers its questions; else every question ends it.
        `authority`: who wrote the goal.
        `budget`: money that it shares with others; else it has its own.
        `settings`: the task's, from its start to its end, however long it waits for its device.
        `options`: those of them that were given for this task alone; a resumed task has them again.
        """
        settings = settings or self.settings
        goal, name = clear_goal(goal), device or settings.device or DEFAULT_DEVICE
        policy = settings.policy
        if url and (refused := explain_block(url, policy.sites_allow, policy.sites_deny)):
            raise UsageError(refused)  # a browser would say so itself, a phone would not
        await learn_goal_secrets(goal, self._vault, authority, lambda name: read_secret(name, settings.secrets))
        approves = authority.is_goal_approval(goal, loop, settings.models)
        cap = str(budget.cap if budget else settings.budget.task)
        origin = TaskOrigin(
            url=url,
            options=merge_trees(options or {}, {"budget": {"task": cap}}),
            author=authority.author,
            secrets=tuple(sorted(authority.secrets)),
            message=authority.message,
        )
        async with (
            self.pool.lease_device(name, wait_s=wait_s) as leased,
            self._assemble_crew(settings, leased, loop, budget, goal_approves=approves) as crew,
        ):
            self.simulated.set_language(leased.id, goal, settings.simphone.locale)
            if url:
                await self._open_page(leased, url, policy, authority)
            task = Task(goal, crew, max_steps, attended=attended, origin=origin)
            async with hold_task(self.journal, task.task_id, self.clock), _run_task(task):
                yield task

    async def _open_page(self, device: Device, url: str, policy: PolicySettings, authority: Authority) -> None:
        """Open the page that a task begins with. One that a model has chosen is held to the whole policy."""
        opening = PlannedAction(action=OpenUrl(url=url))
        if authority.author == "foreign":
            permit = judge_action(opening, Observation(await device.frame()), policy)
            if permit.verdict != "allow":
                raise UsageError(permit.reason)
        async with hold_for_task(find_outbox(device), policy):
            await device.act(opening.action)
            if await _is_asked_to_stay(device):
                await device.act(opening.action)  # the second time, the page before is left

    async def _reopen_page(self, device: Device, past: TaskState, policy: PolicySettings, authority: Authority) -> str:
        """Lead a browser that shows nothing to the page where the task was; return a sentence if it had to be."""
        url = past.address or past.origin.url
        if not url or not (await device.app()).address.startswith("about:"):
            return ""
        await self._open_page(device, url, policy, authority)
        return f"The browser was opened anew at {url}: what was filled in there is gone."

    @asynccontextmanager
    async def resume(
        self,
        task_id: str,
        *,
        device: str = "",
        max_steps: int | None = None,
        wait_s: float = 0.0,
        attended: bool = False,
        budget: Budget | None = None,
        settings: Settings | None = None,
        options: SettingsTree | None = None,
    ) -> AsyncGenerator[Task, None]:
        """Continue a task from its journal, on its own device unless another is named.

        It has the options and the authority again with which it began; `options` are new ones.
        `budget`: money that it shares with others; else it goes on with its own.
        """
        async with hold_task(self.journal, task_id, self.clock, wait_s):
            records = await self.journal.read(task_id)
            past, events = fold_all(records), [record.event for record in records]
            if not past.goal:
                raise UsageError(
                    f"The beginning of task {task_id} can't be read, so its goal is not known: start it anew."
                )
            given = merge_trees(past.origin.options, options or {})
            settings = overlay_settings(settings or self.settings, given)
            secrets = settings.secrets
            await self._vault.learn_values(find_named_secrets(events), lambda name: read_secret(name, secrets))
            authority = Authority.of_origin(past.origin)
            # What an unreadable entry did is not known: it may have been the very thing that the goal approves, once.
            approves = not past.unreadable and authority.is_goal_approval(past.goal, past.loop, settings.models)
            budget = budget or Budget(settings.budget, past.most_spent)
            lived_on = self.simulated.has_started(device or past.device)
            async with (
                self.pool.lease_device(device or past.device, wait_s=wait_s) as leased,
                self._assemble_crew(settings, leased, past.loop, budget, events, goal_approves=approves) as crew,
            ):
                self.simulated.set_language(leased.id, past.goal, settings.simphone.locale)
                origin = past.origin.model_copy(update={"options": given})
                reopened = await self._reopen_page(leased, past, settings.policy, authority)
                if self.simulated.has_started(leased.id) and not lived_on:
                    reopened = "The simulated phone was started anew: what was done on it is gone."
                task = Task.from_past(past, crew, max_steps, attended=attended, origin=origin, reopened=reopened)
                async with _run_task(task):
                    yield task

    async def run(
        self, goal: str, *, device: str = "", url: str = "", loop: LoopMode = "dual", max_steps: int | None = None
    ) -> TaskState:
        """Carry out a goal and return how it ended. Outside of `async with`, everything is opened for this one."""
        if not self._open:
            async with self:
                return await self.run(goal, device=device, url=url, loop=loop, max_steps=max_steps)
        async with self.start(goal, device=device, url=url, loop=loop, max_steps=max_steps) as run:
            return await run.wait()

    @asynccontextmanager
    async def _assemble_crew(
        self,
        settings: Settings,
        device: Device,
        loop: LoopMode,
        budget: Budget | None = None,
        past: Sequence[Event] = (),
        *,
        goal_approves: bool,
    ) -> AsyncGenerator[TaskParts, None]:
        """Make everything that one task works with, on one budget; its models are closed with the task."""
        async with AsyncExitStack() as closing:
            staff = TaskRoles(settings, self.clock, budget or Budget(settings.budget), closing)
            crew = TaskParts(
                device=device,
                workers=staff.make_workers(),
                worker_name=staff.name,
                journal=self.journal,
                bus=self.bus,
                clock=self.clock,
                settle=self._settle,
                settings=settings,
                outer=replace(staff.make_outer_roles(), rules=self._rules) if loop == "dual" else None,
                reader=self._reader,
                movers=self._settle.motion_of(device.id),
                code=lambda task_id: self._make_code_runner(settings, task_id),
                ledger=staff.ledger,
                goal_approves=goal_approves,
            )
            guarded = guard_device(crew, self._vault, past)
            self._guarded[device.id] = guarded
            closing.callback(self._guarded.pop, device.id)
            yield guard_parts(crew, guarded, self._vault)

    def _make_code_runner(self, settings: Settings, task_id: str) -> CodeRunner:
        from deskhand.sandbox.code_runner import Sandbox

        return Sandbox(settings.sandbox, settings.data_dir / "work" / task_id, self.clock)


async def _is_asked_to_stay(device: Device) -> bool:
    """True if the page that the task before has left behind asks whether it may be left."""
    if "switch_window" not in device.capabilities or "open_app" in device.capabilities:
        return False  # no browser
    try:
        elements = await device.elements()
    except (AppFrozen, NoElements):
        return False  # the task, which looks next, tells what is wrong
    return any(e.id == DIALOG_ID for e in elements) and {"Leave", "Stay"} <= {e.name for e in elements}


@asynccontextmanager
async def _run_task(run: Task) -> AsyncGenerator[None, None]:
    await run.start()
    try:
        yield
    finally:
        if not run.state.over:
            await run.stop("the program that started it went away")


def make_reader() -> ScreenText | None:
    """Return the reader of screens without elements, or None if `deskhand[ocr]` is not installed."""
    from deskhand.screen.ocr.screen_text import ScreenText

    return ScreenText() if find_spec("rapidocr") else None


def make_pool(settings: Settings, clock: Clock, simulated: SimulatedPhones) -> Pool:
    """Make the pool with every kind of device: a new kind is one more line here."""
    from deskhand.devices.android.adb.client import AdbClient
    from deskhand.devices.android.provider import PhoneProvider
    from deskhand.devices.browser.provider import BrowserProvider
    from deskhand.devices.desktop.provider import DesktopProvider
    from deskhand.devices.pool import Pool

    providers: dict[str, Provider] = {
        "sim": simulated,
        "android": PhoneProvider(AdbClient(settings.adb), clock),
        "browser": BrowserProvider(settings.browser, clock, settings.policy),
        "desktop": DesktopProvider(settings.desktop, clock),
    }
    return Pool(providers, clock=clock, locks=settings.data_dir / "locks")
