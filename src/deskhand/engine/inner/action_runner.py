"""Carries out one action: journals it, sends it, watches the screen until it is still, reports."""

import asyncio
from dataclasses import dataclass, replace

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
from deskhand.core.errors import (
    AppNotFound,
    DeviceFault,
    DeviceRestarted,
    DeviceTimeout,
    DeviceUnusable,
    ModelFault,
)
from deskhand.core.protocols import CodeRunner, Settle
from deskhand.core.screen import Frame
from deskhand.core.statuses import ExecStatus
from deskhand.core.stop_outcome import StopOutcome, outcome_of
from deskhand.engine.context import TaskContext
from deskhand.engine.inner.step import Step
from deskhand.engine.inner.stopped_action import StoppedAction
from deskhand.engine.safety.permission import ActionIntent
from deskhand.engine.safety.wire_guard import WireGuard
from deskhand.screen.stillness.self_motion import SelfMotion
from deskhand.screen.stillness.stuck import StuckWatch
from deskhand.task.events import (
    ActionEnded,
    ActionIntended,
    Answered,
    ArtifactKept,
    DeviceReopened,
    Event,
    Memorized,
    Settled,
)

# Actions of the engine itself, on every device.
ENGINE_SKILLS: frozenset[ActionKind] = frozenset({"wait", "memorize", "answer"})
TECHNICIAN_SKILLS: frozenset[ActionKind] = ENGINE_SKILLS | frozenset[ActionKind]({"run_code"})
USER_SKILLS: frozenset[ActionKind] = frozenset({"take_over"})
ANALYST_SKILLS: frozenset[ActionKind] = frozenset({"memorize", "answer"})
# The most characters of a program's output that a worker gets.
MAX_OUTPUT = 8_000


@dataclass(frozen=True, slots=True)
class ActionOutcome:
    """An action's report and the frame that it ended with (None: unknown).

    `unseen` says why nobody knows what came of it, `refused` why a request that it led to was dropped.
    """

    report: ActionReport
    frame: Frame | None = None
    unseen: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True)
class _Sent:
    """The details of an action that was carried out, and the events that record what it produced."""

    detail: str = ""
    learned: tuple[Event, ...] = ()
    exit_code: int | None = None


class ActionRunner:
    def __init__(
        self,
        context: TaskContext,
        settle: Settle,
        movers: SelfMotion,
        wire: WireGuard,
        code: CodeRunner | None = None,
    ) -> None:
        self._device = context.device
        self._observer = context.observer
        self._log = context.log
        self._clock = context.clock
        self._settings = context.settings.executor
        self._settle = settle
        self._wire = wire
        self._code = code
        self._stuck = StuckWatch(movers=movers)
        self.acting = False
        self.stopped = ""  # what became of the action that was under way when the work was halted
        self._turn = asyncio.Lock()

    def forget_screens(self) -> None:
        """Begin anew to watch for screens that keep coming back: another subtask begins."""
        self._stuck.forget_past()

    def skills_of_current_role(self, *, attended: bool = False) -> frozenset[ActionKind]:
        """Return the actions that the subtask's worker may use.

        Only the operator touches the screen, and calls an attending user to it; only the technician runs code.
        """
        assert self._log.state.subtask, "steps run only after StartTask"
        match self._log.state.subtask.role:
            case "operator":
                skills = self._device.capabilities | ENGINE_SKILLS
                return skills | USER_SKILLS if attended else skills
            case "technician":
                return TECHNICIAN_SKILLS if self._code else ENGINE_SKILLS
            case "analyst":
                return ANALYST_SKILLS

    async def carry_out(
        self, step: Step, number: int, action: Action, before: Frame, intent: ActionIntent
    ) -> ActionOutcome:
        """Journal the intention with what the step has noted, act, wait until the screen is still."""
        with self._observer.perception.expect_changes():
            self.acting = True
            try:
                ended, hopeless, refused = await self._attempt_action(step, number, action, intent)
                again = action.kind in REPEATABLE_KINDS and intent.act is None and not hopeless
                if ended.status is not ExecStatus.EXECUTED and again:
                    ended, _, refused = await self._attempt_action(step, number, action, intent)
            finally:
                self.acting = False
            if ended.status is not ExecStatus.EXECUTED:
                report = ActionReport(action=action, status=ended.status, detail=ended.detail)
                return ActionOutcome(report, refused=refused)
            if action.kind in SETTLING_KINDS:
                outcome = await self._watch_effect(step, number, action, before, ended)
                return replace(outcome, refused=await self.settle_requests())
            report = ActionReport(action=action, status=ended.status, detail=ended.detail, exit_code=ended.exit_code)
            return await self._look_after_wait(report) if action.kind == "wait" else ActionOutcome(report, before)

    async def settle_requests(self) -> str:
        """Ask about the requests that are held by now; return why one was dropped, empty if none was."""
        return await self._wire.settle_requests()

    async def _attempt_action(
        self, step: Step, number: int, action: Action, intent: ActionIntent
    ) -> tuple[ActionEnded, bool, str]:
        """Return how it ended, True if trying again can't help, and why a request that it led to was dropped."""
        intended = ActionIntended(
            step=step.number,
            number=number,
            action=action,
            act=intent.act,
            screen=intent.screen,
            request=intent.request,
        )
        try:
            await self._log.record(*step.take_unwritten(), intended)
        except asyncio.CancelledError:  # the intention is written all the same
            await self._record_unsent(step, number, action)
            raise
        begun = self._clock.now()
        status, detail, lost, hopeless, sent = ExecStatus.EXECUTED, "", None, False, _Sent()
        reopened: tuple[Event, ...] = ()
        try:
            # Code and waiting have a time of their own, with which they end as a result and not as a fault.
            timed = action.kind not in ("run_code", "wait")
            async with asyncio.timeout(self._settings.action_timeout_s if timed else None):
                sent = await self._send_action(action)
        except DeviceUnusable as fault:
            status, detail, lost = ExecStatus.ERROR, str(fault), fault
        except (TimeoutError, DeviceTimeout) as fault:
            status, detail = ExecStatus.TIMEOUT, str(fault) or f"no answer within {self._settings.action_timeout_s:g} s"
        except DeviceRestarted as fault:
            status, detail, reopened = ExecStatus.ERROR, str(fault), (DeviceReopened(because=str(fault)),)
        except (DeviceFault, ModelFault) as fault:
            # A key that nobody has, an address that is none: told to the worker, and the same again when repeated.
            hopeless = isinstance(fault, AppNotFound | ModelFault)
            status, detail = ExecStatus.ERROR, str(fault)
        except asyncio.CancelledError as stop:
            if action.kind != "wait":
                self.stopped = await StoppedAction(action, outcome_of(stop)).record_end(step.number, number, self._log)
            raise
        ms = round((self._clock.now() - begun) * 1000)
        if refused := "" if lost else await self._settle_before_end(step, number, action):
            status, detail, hopeless = ExecStatus.ERROR, refused, True
        ended = ActionEnded(
            step=step.number,
            number=number,
            status=status,
            detail=detail or sent.detail,
            exit_code=sent.exit_code,
            ms=ms,
            unknown=status is ExecStatus.TIMEOUT or lost is not None or bool(reopened),
        )
        await self._log.record(ended, *sent.learned, *reopened)
        if lost:
            raise lost
        return ended, hopeless, refused

    async def _settle_before_end(self, step: Step, number: int, action: Action) -> str:
        """Ask about its requests before the log says that it was carried out: until they go, nothing has happened."""
        try:
            return await self.settle_requests()
        except asyncio.CancelledError:
            await self._record_unsent(step, number, action)
            raise

    async def _record_unsent(self, step: Step, number: int, action: Action) -> None:
        """Journal that a stop came before the action left: nobody has to look for what it did."""
        stopped = StoppedAction(action, StopOutcome.NOT_SENT)
        self.stopped = await stopped.record_end(step.number, number, self._log)

    async def _send_action(self, action: Action) -> _Sent:
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
                return _Sent(_describe_result(result), kept, result.code)
            case _:
                async with self._turn:
                    return _Sent(await self._device.act(action))

    async def act_for_user(self, action: Action) -> str:
        """Carry out the user's own action, after the worker's current one and never at the same time."""
        self._wire.let_user_act()
        with self._observer.perception.expect_changes():
            async with asyncio.timeout(self._settings.action_timeout_s), self._turn:
                return await self._device.act(action)

    async def _look_after_wait(self, report: ActionReport) -> ActionOutcome:
        """Take a fresh frame: what is queued behind the wait must not be aimed at what was there before."""
        try:
            return ActionOutcome(report, await self._observer.perception.recapture_frame())
        except DeviceFault as fault:
            return ActionOutcome(report, unseen=f"the screen could not be read: {fault}")

    async def _watch_effect(
        self, step: Step, number: int, action: Action, before: Frame, ended: ActionEnded
    ) -> ActionOutcome:
        opening = action.kind in OPENING_KINDS
        settle = self._settle.wait_for_animation_completion if opening else self._settle
        try:
            settled = await settle(self._device, before)
        except DeviceFault as fault:
            # It was carried out; what came of it, nobody has seen.
            report = ActionReport(action=action, status=ended.status, detail=ended.detail)
            return ActionOutcome(report, unseen=f"the screen could not be read: {fault}")
        self._observer.perception.note_settled(settled.change)
        progress = self._stuck.judge_action(settled.change)
        settled_event = Settled(
            step=step.number,
            number=number,
            still=settled.still,
            waited_ms=settled.waited_ms,
            frames=settled.frames,
            changed=settled.change.fraction,
            frame=await self._log.journal.keep_frame(settled.frame),
            loop=progress.loop,
        )
        report = ActionReport(
            action=action,
            status=ended.status,
            detail=ended.detail,
            changed=progress.changed,
            area=progress.area,
        )
        step.note_events(settled_event)
        return ActionOutcome(report, settled.frame)


def _describe_result(result: CodeResult) -> str:
    """Tell the worker how code ended: an exit code that is not zero is a result like any other."""
    ended = f"Ended after {result.seconds:.1f} s because {result.stopped}. " if result.stopped else ""
    lines = [f"{ended}Exit code {result.code}.", _shorten_text(result.output.strip()) or "(no output)"]
    if result.files:
        lines.append("Files written: " + ", ".join(f"{file.name} ({file.size} bytes)" for file in result.files))
    return "\n".join(lines)


def _shorten_text(text: str) -> str:
    """Return the beginning and the end of a long text."""
    if len(text) <= MAX_OUTPUT:
        return text
    half = MAX_OUTPUT // 2
    return f"{text[:half]}\n… {len(text) - 2 * half} characters left out …\n{text[-half:]}"
