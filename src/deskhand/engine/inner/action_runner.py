"""Carrying out one action: written down, sent, watched until the screen is still, reported."""

import asyncio
from dataclasses import dataclass

from deskhand.core.actions import (
    OPENING_KINDS,
    REPEATABLE_KINDS,
    SETTLING_KINDS,
    Action,
    ActionKind,
    Answer,
    Memorize,
    RunCode,
    Wait,
)
from deskhand.core.decisions import ActionReport, CodeResult
from deskhand.core.errors import AppNotFound, DeviceFault, DeviceTimeout, DeviceUnusable
from deskhand.core.protocols import Clock, CodeRunner, Device, Settle
from deskhand.core.screen import Frame
from deskhand.core.statuses import ExecStatus
from deskhand.core.subtask import WorkerRole
from deskhand.engine.observer import Observer
from deskhand.engine.task_log import TaskLog
from deskhand.screen.stillness.stuck import StuckWatch
from deskhand.settings.schema import ExecutorSettings
from deskhand.task.events import ActionEnded, ActionIntended, Answered, ArtifactKept, Event, Memorized, Settled

# What the engine itself can do, on every device.
ENGINE_SKILLS: frozenset[ActionKind] = frozenset({"wait", "memorize", "answer"})
TECHNICIAN_SKILLS: frozenset[ActionKind] = ENGINE_SKILLS | frozenset[ActionKind]({"run_code"})
ANALYST_SKILLS: frozenset[ActionKind] = frozenset({"memorize", "answer"})
# The most that is told of what code wrote.
MAX_OUTPUT = 8_000


@dataclass(frozen=True, slots=True)
class Acted:
    """An action's report, the picture it ended with (None: unknown), and what is still to be written down.

    `unseen` says why nobody knows what came of it.
    """

    report: ActionReport
    frame: Frame | None = None
    unwritten: tuple[Event, ...] = ()
    unseen: str = ""


@dataclass(frozen=True, slots=True)
class _Sent:
    """A few words worth telling of an action that was carried out, and what is to be remembered of it."""

    detail: str = ""
    learned: tuple[Event, ...] = ()
    exit_code: int | None = None


class ActionRunner:
    def __init__(
        self,
        device: Device,
        eyes: Observer,
        log: TaskLog,
        settle: Settle,
        clock: Clock,
        settings: ExecutorSettings,
        stuck: StuckWatch,
        code: CodeRunner | None = None,
    ) -> None:
        self._device = device
        self._code = code
        self._eyes = eyes
        self._stuck = stuck
        self._log = log
        self._settle = settle
        self._clock = clock
        self._settings = settings
        self.acting = False
        self._turn = asyncio.Lock()

    def skills(self, role: WorkerRole) -> frozenset[ActionKind]:
        """What a worker of this role may do: only the operator touches the screen, only the technician runs code."""
        match role:
            case "operator":
                return self._device.capabilities | ENGINE_SKILLS
            case "technician":
                return TECHNICIAN_SKILLS if self._code else ENGINE_SKILLS
            case "analyst":
                return ANALYST_SKILLS

    async def carry_out(
        self, step: int, number: int, action: Action, before: Frame, along: tuple[Event, ...] = ()
    ) -> Acted:
        """`along` are events that are written with the intention, in one append."""
        with self._eyes.perception.acting():
            return await self._carry_out(step, number, action, before, along)

    async def _carry_out(
        self, step: int, number: int, action: Action, before: Frame, along: tuple[Event, ...]
    ) -> Acted:
        self.acting = True
        try:
            ended, hopeless = await self._attempt(step, number, action, along)
            if ended.status is not ExecStatus.EXECUTED and action.kind in REPEATABLE_KINDS and not hopeless:
                ended, _ = await self._attempt(step, number, action)
        finally:
            self.acting = False
        if ended.status is not ExecStatus.EXECUTED:
            return Acted(ActionReport(action=action, status=ended.status, detail=ended.detail))
        if action.kind not in SETTLING_KINDS:
            report = ActionReport(action=action, status=ended.status, detail=ended.detail, exit_code=ended.exit_code)
            return await self._after_wait(report) if action.kind == "wait" else Acted(report, before)
        return await self._watch(step, number, action, before, ended)

    async def _attempt(
        self, step: int, number: int, action: Action, along: tuple[Event, ...] = ()
    ) -> tuple[ActionEnded, bool]:
        """How it ended, and whether trying again can't help."""
        await self._log.record(*along, ActionIntended(step=step, number=number, action=action))
        begun = self._clock.now()
        status, detail, lost, hopeless, sent = ExecStatus.EXECUTED, "", None, False, _Sent()
        try:
            # Code and waiting have a time of their own, with which they end as a result and not as a fault.
            timed = action.kind not in ("run_code", "wait")
            async with asyncio.timeout(self._settings.action_timeout_s if timed else None):
                sent = await self._send(action)
        except DeviceUnusable as fault:
            status, detail, lost = ExecStatus.ERROR, str(fault), fault
        except (TimeoutError, DeviceTimeout) as fault:
            status, detail = ExecStatus.TIMEOUT, str(fault) or f"no answer within {self._settings.action_timeout_s:g} s"
        except DeviceFault as fault:
            status, detail, hopeless = ExecStatus.ERROR, str(fault), isinstance(fault, AppNotFound)
        ms = round((self._clock.now() - begun) * 1000)
        ended = ActionEnded(
            step=step,
            number=number,
            status=status,
            detail=detail or sent.detail,
            exit_code=sent.exit_code,
            ms=ms,
        )
        await self._log.record(ended, *sent.learned)
        if lost:
            raise lost
        return ended, hopeless

    async def _send(self, action: Action) -> _Sent:
        match action:
            case Wait(seconds=seconds):
                await self._clock.sleep(seconds)
                return _Sent()
            case Memorize(text=text):
                return _Sent(learned=(Memorized(text=text),))
            case Answer(text=text):
                return _Sent(learned=(Answered(text=text),))
            case RunCode(language=language, code=code) if self._code:
                result = await self._code.run(language, code)
                kept = tuple(ArtifactKept(name=f.name, size=f.size, text=f.text) for f in result.files)
                return _Sent(_told(result), kept, result.code)
            case _:
                async with self._turn:
                    return _Sent(await self._device.act(action))

    async def by_hand(self, action: Action) -> str:
        """The person's own action: behind whatever is being done, never beside it."""
        with self._eyes.perception.acting():
            async with asyncio.timeout(self._settings.action_timeout_s), self._turn:
                return await self._device.act(action)

    async def _after_wait(self, report: ActionReport) -> Acted:
        """The screen as it is now: what was queued behind the wait must not be aimed at what was there before."""
        try:
            return Acted(report, await self._eyes.perception.fresh())
        except DeviceFault as fault:
            return Acted(report, unseen=f"the screen could not be read: {fault}")

    async def _watch(self, step: int, number: int, action: Action, before: Frame, ended: ActionEnded) -> Acted:
        opening = action.kind in OPENING_KINDS
        settle = self._settle.wait_for_animation_completion if opening else self._settle
        try:
            settled = await settle(self._device, before)
        except DeviceFault as fault:
            # It was carried out; what came of it, nobody has seen.
            report = ActionReport(action=action, status=ended.status, detail=ended.detail)
            return Acted(report, unseen=f"the screen could not be read: {fault}")
        self._eyes.perception.settled(settled.change)
        progress = self._stuck.acted(settled.change)
        event = Settled(
            step=step,
            number=number,
            still=settled.still,
            waited_ms=settled.waited_ms,
            frames=settled.frames,
            changed=settled.change.fraction,
            frame=await self._log.journal.keep_frame(settled.frame),
            loop=progress.loop,
        )
        report = ActionReport(action=action, status=ended.status, detail=ended.detail, changed=progress.changed)
        return Acted(report, settled.frame, (event,))


def _told(result: CodeResult) -> str:
    """How code ended, as the worker is told: an exit code that is not zero is a result like any other."""
    ended = f"Ended after {result.seconds:.1f} s because {result.stopped}. " if result.stopped else ""
    lines = [f"{ended}Exit code {result.code}.", _cut(result.output.strip()) or "(no output)"]
    if result.files:
        lines.append("Files written: " + ", ".join(f"{file.name} ({file.size} bytes)" for file in result.files))
    return "\n".join(lines)


def _cut(text: str) -> str:
    """The beginning and the end of a long text."""
    if len(text) <= MAX_OUTPUT:
        return text
    half = MAX_OUTPUT // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"
