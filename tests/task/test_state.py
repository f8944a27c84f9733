"""TaskState is a pure fold over events."""

from decimal import Decimal
from typing import get_args

import pytest

from deskhand.core.actions import Click
from deskhand.core.commands import InjectPrompt, ResetContext
from deskhand.core.decisions import Decision, DecisionKind, PlannedAction, StepReport, Usage
from deskhand.core.planning import Ruling
from deskhand.core.statuses import ExecStatus, ExecutorStatus, Situation, SubtaskStatus, TaskStatus
from deskhand.core.subtask import Subtask
from deskhand.task.events import (
    ActionEnded,
    ActionIntended,
    Answered,
    Billed,
    CommandTaken,
    Decided,
    Event,
    ExecutorChanged,
    Memorized,
    Observed,
    Record,
    Released,
    Reserved,
    Ruled,
    StepFinished,
    SubtaskEnded,
    SubtaskStarted,
    TaskCreated,
    TaskEnded,
    TaskResumed,
)
from deskhand.task.fold import fold_all
from deskhand.task.fold.registry import HANDLERS
from deskhand.task.fold.step_events import HISTORY_KEPT
from deskhand.task.state import TaskState, summarize_task

CLICK = Click(x=1, y=2)
CREATED = TaskCreated(goal="go", device="sim:a", worker="offline", max_steps=9)
STARTED = SubtaskStarted(subtask=Subtask(id="t", title="go"))


def after(*events: Event) -> TaskState:
    return fold_all(Record(seq=n, task_id="t", at=float(n), event=event) for n, event in enumerate(events, 1))


def finished(step: int, *, success: bool = True, changed: bool = True) -> StepFinished:
    report = StepReport(step=step)
    return StepFinished(report=report, success=success, finished=False, screen_changed=changed, ms=1)


def test_the_fold_knows_every_event() -> None:
    assert [event for event in get_args(get_args(Event)[0]) if event not in HANDLERS] == []


def test_a_task_is_pending_until_it_ends() -> None:
    assert after(CREATED).status is TaskStatus.PENDING
    ended = after(CREATED, STARTED, TaskEnded(status=TaskStatus.FULFILLED, cause="done", reason="sent"))
    assert (ended.status, ended.situation, ended.over) == (TaskStatus.FULFILLED, Situation.DONE, True)
    assert ended.subtask
    assert ended.subtask.status is SubtaskStatus.FULFILLED
    assert (ended.started, ended.ended, ended.last_seq) == (1.0, 3.0, 3)
    assert summarize_task(ended).reason == "sent"


def test_an_action_without_an_outcome_stays_unconfirmed() -> None:
    intended = ActionIntended(step=1, number=1, action=CLICK)
    assert after(CREATED, intended).unconfirmed == intended
    done = after(CREATED, intended, ActionEnded(step=1, number=1, status=ExecStatus.EXECUTED))
    assert (done.unconfirmed, done.actions, done.failed_actions) == (None, 1, 0)
    failed = after(CREATED, intended, ActionEnded(step=1, number=1, status=ExecStatus.TIMEOUT))
    assert (failed.actions, failed.failed_actions, failed.situation) == (1, 1, Situation.GET_ACTION)


def test_failures_and_unchanged_screens_are_counted_in_a_row() -> None:
    bad = finished(1, success=False, changed=False)
    state = after(CREATED, bad, bad)
    assert (state.failures_in_a_row, state.unchanged_in_a_row) == (2, 2)
    state = after(CREATED, bad, bad, finished(2))
    assert (state.failures_in_a_row, state.unchanged_in_a_row) == (0, 0)


def test_a_step_that_failed_before_anything_was_seen_is_a_step_too() -> None:
    assert after(CREATED, finished(1, success=False)).step == 1


def test_a_subtask_that_is_started_anew_keeps_its_place_and_the_next_one_has_none() -> None:
    placed = Decided(step=1, decision=Decision(kind="stale", bookmark="line 7"))
    again = SubtaskStarted(subtask=STARTED.subtask)
    assert after(CREATED, STARTED, placed, again).bookmark == "line 7"
    other = SubtaskStarted(subtask=STARTED.subtask.model_copy(update={"id": "other"}))
    assert after(CREATED, STARTED, placed, other).bookmark == ""


def test_history_is_bounded() -> None:
    state = after(CREATED, *(finished(n) for n in range(1, 60)))
    assert len(state.history) == HISTORY_KEPT
    assert state.history[-1].step == 59


def test_what_was_paid_for_adds_up_by_role() -> None:
    def bill(role: str, cents: int) -> Billed:
        return Billed(role=role, model="m", usage=Usage(calls=1, input_tokens=10, cost=Decimal(cents) / 100))

    state = after(CREATED, bill("manager", 5), bill("operator", 1), bill("operator", 2))
    assert (state.usage.calls, state.usage.input_tokens, state.usage.cost) == (3, 30, Decimal("0.08"))
    assert [(role, usage.calls, usage.cost) for role, usage in state.spend] == [
        ("manager", 1, Decimal("0.05")),
        ("operator", 2, Decimal("0.03")),
    ]


def test_a_reservation_counts_until_it_is_settled() -> None:
    def reserved(call: str) -> Reserved:
        return Reserved(call=call, role="operator", model="m", amount=Decimal("0.07"))

    bill = Billed(call="a", role="operator", model="m", usage=Usage(calls=1, cost=Decimal("0.02")))
    state = after(CREATED, reserved("a"), reserved("b"))
    assert (state.usage.cost, state.most_spent) == (0, Decimal("0.14"))
    state = after(CREATED, reserved("a"), reserved("b"), bill)
    assert (state.usage.cost, state.most_spent) == (Decimal("0.02"), Decimal("0.09"))
    state = after(CREATED, reserved("a"), reserved("b"), bill, Released(call="b"))
    assert (state.reserved, state.most_spent) == ((), Decimal("0.02"))


def test_the_bookmark_comes_from_decisions() -> None:
    decision = Decision(kind="actions", actions=(PlannedAction(action=CLICK),), bookmark="page 2")
    assert after(CREATED, Decided(step=1, decision=decision)).bookmark == "page 2"


@pytest.mark.parametrize("kind", ["stale", "ask", "supplement"])
def test_who_stops_without_an_end_keeps_its_place(kind: DecisionKind) -> None:
    there = Decision(kind="actions", actions=(PlannedAction(action=CLICK),), bookmark="page 2")
    state = after(CREATED, Decided(step=1, decision=there), Decided(step=2, decision=Decision(kind=kind, message="?")))
    assert state.bookmark == "page 2"


def test_going_on_keeps_the_counts_and_the_time_of_a_subtask_and_resuming_starts_its_time_anew() -> None:
    part = Subtask(id="1", title="x")
    events: list[Event] = [
        CREATED,
        SubtaskStarted(subtask=part),
        finished(1),
        Ruled(ruling=Ruling(outcome="QUALITY_CHECK", rule="worker_stale")),
        SubtaskStarted(subtask=part, went_on=True),
    ]
    state = fold_all(Record(seq=n, task_id="t", at=100.0 * n, event=event) for n, event in enumerate(events))
    assert (state.subtask_steps, state.fired, state.subtask_since) == (1, (("worker_stale", 1),), 100.0)
    again: list[Event] = [TaskResumed(max_steps=9), SubtaskStarted(subtask=part, went_on=True)]
    state = fold_all((Record(seq=9 + n, task_id="t", at=900.0 + n, event=e) for n, e in enumerate(again)), state)
    assert (state.subtask_steps, state.subtask_since) == (1, 900.0)


def test_a_message_stays_until_the_worker_has_heard_it() -> None:
    first, second = (CommandTaken(command=InjectPrompt(content=text)) for text in ("first", "second"))
    state = after(CREATED, first, second, Decided(step=1, decision=Decision(kind="stale"), heard=1))
    assert state.messages == ("second",)


def test_reset_clears_the_context_but_not_what_was_memorized() -> None:
    state = after(CREATED, finished(1), Memorized(text="code 42"), CommandTaken(command=ResetContext()))
    assert (state.history, state.notes) == ((), ("code 42",))


def test_answers_and_executor_status_are_kept() -> None:
    state = after(CREATED, Answered(text="408"), ExecutorChanged(status=ExecutorStatus.PAUSED))
    assert (state.answers, state.executor) == (("408",), ExecutorStatus.PAUSED)


def test_what_is_seen_sets_the_step_and_the_app() -> None:
    state = after(CREATED, STARTED, Observed(step=3, frame="f", width=10, height=20, app="com.tencent.mm"))
    assert (state.step, state.app, state.situation) == (3, "com.tencent.mm", Situation.GET_ACTION)


def test_the_bookmark_with_which_a_subtask_was_fulfilled_is_kept_for_the_judge() -> None:
    done = Decided(step=1, decision=Decision(kind="done", bookmark="proofs"), ms=1)
    ended = SubtaskEnded(id="t", status=SubtaskStatus.FULFILLED, reason="")
    next_one = SubtaskStarted(subtask=Subtask(id="u", title="more"))
    state = after(CREATED, STARTED, done, ended, next_one)
    assert (state.bookmark, state.bookmarks) == ("", (("t", "proofs"),))
    given_up = SubtaskEnded(id="t", status=SubtaskStatus.REJECTED, reason="")
    assert after(CREATED, STARTED, done, given_up, next_one).bookmarks == ()
