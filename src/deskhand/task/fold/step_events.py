"""Folds the events of the inner loop: what it saw, decided and did, and what its commands told it."""

from deskhand.core.commands import InjectPrompt, ResetContext
from deskhand.core.decisions import Artifact, StepReport
from deskhand.core.irreversible import DoneAct
from deskhand.core.statuses import ExecStatus
from deskhand.task.events import (
    ActionEnded,
    ActionIntended,
    Answered,
    ArtifactKept,
    CommandTaken,
    Decided,
    DeviceReopened,
    DoubtSettled,
    ExecutorChanged,
    Memorized,
    Observed,
    QueueFlushed,
    Settled,
    StepFinished,
)
from deskhand.task.fold.registry import on_event, replace_fields
from deskhand.task.state import TaskState
from deskhand.task.transitions import follow_table

# Kept in memory for workers and rules; the journal has the rest.
HISTORY_KEPT = 20
NOTES_KEPT = 50
ARTIFACTS_KEPT = 20
ACTS_KEPT = 500


@on_event(Observed)
def _fold_observed(state: TaskState, event: Observed, at: float) -> TaskState:
    address = event.address or state.address
    return replace_fields(
        state, step=event.step, app=event.app, address=address, situation=follow_table(state.situation, "looked")
    )


@on_event(Decided)
def _fold_decided(state: TaskState, event: Decided, at: float) -> TaskState:
    # Who stops without an end goes on from the same place when it is sent back.
    place = "" if event.decision.kind in ("actions", "done", "fail") else state.bookmark
    return replace_fields(
        state,
        bookmark=event.decision.bookmark or place,
        messages=state.messages[event.heard :],
        reopened="",
        unsent_step=event.step if event.decision.kind == "actions" else 0,
    )


@on_event(ActionIntended)
def _fold_action_intended(state: TaskState, event: ActionIntended, at: float) -> TaskState:
    return replace_fields(
        state,
        unconfirmed=event,
        unsent_step=0,
        acts=_add_act(state, event),
        last_action=event.action,
        repeats=state.repeats + 1 if event.action == state.last_action else 1,
        situation=follow_table(state.situation, "acted"),
    )


@on_event(ActionEnded)
def _fold_action_ended(state: TaskState, event: ActionEnded, at: float) -> TaskState:
    failed = event.status is not ExecStatus.EXECUTED
    settled = state if event.unknown else _settle_act(state, event.step, event.number, done=not failed)
    return replace_fields(
        settled,
        unconfirmed=None,
        undone=state.undone if failed else "",
        actions=state.actions + 1,
        failed_actions=state.failed_actions + failed,
        subtask_actions=state.subtask_actions + 1,
        subtask_failures=state.subtask_failures + failed,
        # An action of a subtask that was given up meanwhile moves nothing any more.
        situation=follow_table(state.situation, "failed" if failed else "executed"),
    )


def _add_act(state: TaskState, event: ActionIntended) -> tuple[DoneAct, ...]:
    if event.act is None:
        return state.acts
    subtask = state.subtask.id if state.subtask else ""
    begun = DoneAct(
        act=event.act,
        step=event.step,
        number=event.number,
        subtask=subtask,
        attempt=state.attempt,
        screen=event.screen,
    )
    return (*state.acts, begun)[-ACTS_KEPT:]


def _settle_act(state: TaskState, step: int, number: int, *, done: bool) -> TaskState:
    """What was done is certain now; what was not done is forgotten."""
    if not any(one.step == step and one.number == number for one in state.acts):
        return state
    acts = (
        one.model_copy(update={"certain": True}) if (one.step, one.number) == (step, number) else one
        for one in state.acts
        if done or (one.step, one.number) != (step, number)
    )
    return replace_fields(state, acts=tuple(acts))


@on_event(DoubtSettled)
def _fold_doubt_settled(state: TaskState, event: DoubtSettled, at: float) -> TaskState:
    settled = replace_fields(_settle_act(state, event.step, event.number, done=event.done), unconfirmed=None)
    if event.done:
        return _note_handed_in(settled, state.unconfirmed) if event.by_user else settled
    begun = [one.act.what for one in state.acts if (one.step, one.number) == (event.step, event.number)]
    history = add_empty_report(settled, event.step, event.because)
    return replace_fields(settled, history=history, undone=begun[0] if begun else state.undone)


def _note_handed_in(state: TaskState, intended: ActionIntended | None) -> TaskState:
    """What the user says was handed in is held like any act that can't be undone: they don't want it twice."""
    if intended is None or intended.request is None:
        return state
    done = _add_act(state, intended.model_copy(update={"act": intended.request}))
    return _settle_act(replace_fields(state, acts=done), intended.step, intended.number, done=True)


def add_empty_report(state: TaskState, step: int, because: str) -> tuple[StepReport, ...]:
    """Return the history with a step of which no action was carried out: the worker goes back to before it."""
    return (*state.history, StepReport(step=step, message=because))[-HISTORY_KEPT:]


@on_event(DeviceReopened)
def _fold_device_reopened(state: TaskState, event: DeviceReopened, at: float) -> TaskState:
    return replace_fields(state, reopened=event.because, attempt=state.attempt + 1)


@on_event(Settled)
def _fold_settled(state: TaskState, event: Settled, at: float) -> TaskState:
    return replace_fields(state, screen_loop=event.loop, situation=follow_table(state.situation, "settled"))


@on_event(QueueFlushed)
def _fold_queue_flushed(state: TaskState, event: QueueFlushed, at: float) -> TaskState:
    return state


@on_event(StepFinished)
def _fold_step_finished(state: TaskState, event: StepFinished, at: float) -> TaskState:
    return replace_fields(
        state,
        step=max(state.step, event.report.step),
        subtask_steps=state.subtask_steps + 1,
        unsent_step=0,
        history=(*state.history, event.report)[-HISTORY_KEPT:],
        situation=follow_table(state.situation, "looked"),
        failures_in_a_row=0 if event.success else state.failures_in_a_row + 1,
        unchanged_in_a_row=state.unchanged_in_a_row + 1 if event.screen_changed is False else 0,
    )


@on_event(CommandTaken)
def _fold_command_taken(state: TaskState, event: CommandTaken, at: float) -> TaskState:
    match event.command:
        case InjectPrompt(content=content):
            return replace_fields(state, messages=(*state.messages, content), attempt=state.attempt + 1)
        case ResetContext():
            return replace_fields(state, history=(), messages=(), attempt=state.attempt + 1)
        case _:
            return state


@on_event(ExecutorChanged)
def _fold_executor_changed(state: TaskState, event: ExecutorChanged, at: float) -> TaskState:
    return replace_fields(
        state,
        executor=event.status,
        executor_cause=event.cause,
        executor_decision=event.decision,
        executor_reason=event.reason,
    )


@on_event(Memorized)
def _fold_memorized(state: TaskState, event: Memorized, at: float) -> TaskState:
    return replace_fields(state, notes=(*state.notes, event.text)[-NOTES_KEPT:])


@on_event(Answered)
def _fold_answered(state: TaskState, event: Answered, at: float) -> TaskState:
    return replace_fields(state, answers=(*state.answers, event.text))


@on_event(ArtifactKept)
def _fold_artifact_kept(state: TaskState, event: ArtifactKept, at: float) -> TaskState:
    """A file written again takes the place of what it was."""
    others = tuple(artifact for artifact in state.artifacts if artifact.name != event.name)
    new = Artifact(name=event.name, size=event.size, text=event.text)
    return replace_fields(state, artifacts=(*others, new)[-ARTIFACTS_KEPT:])
