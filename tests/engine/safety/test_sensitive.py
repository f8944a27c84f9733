"""What the model, or its provider, wants a person to agree to is never carried out by itself, in either loop."""

import numpy as np
import pytest

from deskhand.core.actions import Action, Click, Home, OpenApp, TakeOver
from deskhand.core.decisions import Decision, PlannedAction
from deskhand.core.llm import ModelReply
from deskhand.core.screen import Frame, Observation
from deskhand.core.statuses import Situation, TaskStatus
from deskhand.engine.parts import OuterRoles
from deskhand.engine.safety.policy import judge_action
from deskhand.models.dialects import DIALECTS
from deskhand.roles.offline.evaluator import OfflineEvaluator
from deskhand.roles.offline.manager import OfflineManager
from deskhand.settings.schema import PolicySettings
from deskhand.task.events import SituationChanged, StepFinished
from deskhand.task.journal import SqliteJournal
from tests.engine.conftest import Journaled, ScriptedWorker, StartRun
from tests.models.situations import DESKTOP, situation

PAY = Click(x=100, y=200, target="Pay now")


def outer(loop: str) -> OuterRoles | None:
    if loop == "single":
        return None
    judge = OfflineEvaluator()
    return OuterRoles(OfflineManager(), judge, judge, can_afford=lambda _: True)


@pytest.mark.parametrize("loop", ["single", "dual"])
async def test_a_sensitive_action_ends_in_a_question_to_a_person(
    start: StartRun, device: Journaled, journal: SqliteJournal, loop: str
) -> None:
    worker = ScriptedWorker([PlannedAction(action=PAY, sensitive="this spends 30 dollars")])
    async with start(device, worker, goal="tap Pay now", outer=outer(loop)) as run:
        state = await run.wait()
    events = [record.event for record in await journal.read(state.task_id)]
    assert device.sent == []
    assert (state.status, state.cause) == (TaskStatus.REJECTED, "failed")
    assert state.reason == ('the user is needed: Click "Pay now" needs approval: this spends 30 dollars.')
    assert Situation.WAIT_USER in [event.situation for event in events if isinstance(event, SituationChanged)]
    assert [event.report.actions for event in events if isinstance(event, StepFinished)] == [()]


@pytest.mark.parametrize(
    "actions",
    [
        [Home(), PlannedAction(action=PAY, sensitive="money"), OpenApp(name="设置")],
        [Home(), TakeOver(reason="type the code from the message")],
    ],
)
async def test_nothing_of_a_reply_is_carried_out_when_a_part_of_it_needs_a_person(
    start: StartRun, device: Journaled, actions: list[Action | PlannedAction]
) -> None:
    async with start(device, ScriptedWorker(actions)) as run:
        state = await run.wait()
    assert device.sent == []
    assert state.reason.startswith("the user is needed: ")


def autoglm() -> Decision:
    said = '<answer>do(action="Tap", element=[500,500], message="付款 30 元")</answer>'
    return DIALECTS["autoglm"](None).read(ModelReply(text=said), situation())


def openai() -> Decision:
    item = {
        "type": "computer_call",
        "actions": [{"type": "click", "x": 10, "y": 20, "button": "left"}],
        "pending_safety_checks": [{"id": "cu_sc_1", "code": "malicious_instructions", "message": "Odd page."}],
    }
    return DIALECTS["openai-computer"](None).read(ModelReply(native=(item,)), situation(DESKTOP))


@pytest.mark.parametrize(("decision", "worry"), [(autoglm(), "付款 30 元。"), (openai(), "Odd page.")])
async def test_the_warnings_of_each_family_are_heeded(
    start: StartRun, device: Journaled, decision: Decision, worry: str
) -> None:
    async with start(device, ScriptedWorker(decision)) as run:
        state = await run.wait()
    assert device.sent == []
    assert state.reason.startswith("the user is needed: Click")
    assert state.reason.endswith(worry)


def test_what_a_provider_holds_back_no_setting_lets_pass() -> None:
    (planned,) = openai().actions
    seen = Observation(Frame(np.zeros((100, 100, 4), np.uint8)))
    permit = judge_action(planned, seen, PolicySettings(irreversible="allow"), approved="click it")
    assert (permit.verdict, permit.reason) == ("ask", "Click (20, 40) needs approval: Odd page.")
    # The model's own mark is one that the person may have answered beforehand.
    (planned,) = autoglm().actions
    assert judge_action(planned, seen, PolicySettings(irreversible="allow")).verdict == "allow"
