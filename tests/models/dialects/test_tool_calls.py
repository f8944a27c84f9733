"""The default dialect: tool calls, or the same JSON as text."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.actions import Action, Click, Key, Scroll, Swipe, Type
from deskhand.core.decisions import ActionReport, Decision, Expect, StepReport, Verdict
from deskhand.core.errors import ModelFault, NotPossible, Unparsable
from deskhand.core.llm import ModelReply, ToolCall
from deskhand.core.statuses import ExecStatus
from deskhand.models.dialects.tool_calls import ToolCallsDialect
from tests.models.situations import BROWSER, DESKTOP, PHONE, situation

STEP: dict[str, Any] = {
    "last_action": {"success": True, "reason": "the page opened"},
    "thought": "Tap Send.",
    "decision": "actions",
    "actions": [
        {"kind": "click", "x": 250, "y": 1025, "target": "Send", "expect_text": "Sent", "sensitive": "it sends"}
    ],
}


def call(arguments: Any, **where: Any) -> Decision:
    return ToolCallsDialect().read(ModelReply(calls=(ToolCall("step", arguments),)), situation(**where))


def text(said: str, **where: Any) -> Decision:
    return ToolCallsDialect().read(ModelReply(text=said), situation(**where))


def test_a_call_carries_verdict_thought_actions_and_expectations() -> None:
    decision = call(STEP)
    assert decision.verdict == Verdict(success=True, reason="the page opened")
    assert decision.thought == "Tap Send."
    (planned,) = decision.actions
    assert planned.action == Click(x=500, y=2050, target="Send")
    assert planned.expect == Expect(text="Sent")
    assert planned.sensitive == "it sends"


def test_an_element_is_named_by_its_number() -> None:
    (planned,) = call({"decision": "actions", "actions": [{"kind": "click", "element": 7}]}).actions
    assert planned.action == Click(x=500, y=2050)


@pytest.mark.parametrize(
    "said",
    [
        json.dumps(STEP),
        "```json\n" + json.dumps(STEP, indent=2) + "\n```",
        "Here is my step:\n```\n" + json.dumps(STEP),
        "Sure! ```json\n" + json.dumps(STEP) + "\n```",
        '<think>Perhaps {"decision": "done"}? No.</think>\n' + json.dumps(STEP),
        "I see [7] and {this}.</think>```json\n" + json.dumps(STEP) + "\n```",
        "I tap Send. " + json.dumps(STEP) + " Done so far.",
        json.dumps({"name": "step", "arguments": STEP}),
        str(STEP),
        json.dumps(STEP).replace(", ", "， ").replace('": ', '"： '),
        json.dumps(STEP)[:-1] + ",}",
    ],
)
def test_the_same_json_as_text_is_read_in_every_wrapping(said: str) -> None:
    (planned,) = text(said).actions
    assert planned.action == Click(x=500, y=2050, target="Send")


def test_text_for_a_place_is_typed_after_a_click_there() -> None:
    said = {"kind": "type", "element": 7, "text": "hi", "press_enter": True, "expect_text": "hi", "target": "Name"}
    click, write = call({"decision": "actions", "actions": [said]}).actions
    assert click.action == Click(x=500, y=2050, target="Name")
    assert write.action == Type(text="hi", press_enter=True, target="Name")
    assert (click.expect, write.expect) == (None, Expect(text="hi"))


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ({"kind": "click", "element": "7"}, Click(x=500, y=2050)),
        ({"kind": "click", "x": "0", "y": "10.5"}, Click(x=0, y=21)),
        ({"kind": "click", "element": 7, "text": "", "keys": [], "clear_first": False}, Click(x=500, y=2050)),
        ({"kind": "click", "x": 0, "y": 0, "element": "", "to_x": None, "sensitive": False}, Click(x=0, y=0)),
        ({"kind": "type", "text": "", "clear_first": True}, Type(text="", clear_first=True)),
        ({"kind": "type", "text": "a", "clear_first": False, "x": None}, Type(text="a")),
    ],
)
def test_what_small_models_write_all_the_same(said: dict[str, Any], action: Action) -> None:
    (planned,) = call({"decision": "actions", "actions": [said]}).actions
    assert planned.action == action


def test_what_is_typed_is_not_taken_for_a_thought() -> None:
    said = {"decision": "actions", "actions": [{"kind": "type", "text": "a</think>{b"}]}
    (planned,) = text(json.dumps(said)).actions
    assert planned.action == Type(text="a</think>{b")


def test_bare_actions_are_a_decision_to_act() -> None:
    (planned,) = text('{"kind": "type", "text": "done"}').actions
    assert planned.action == Type(text="done")
    assert len(text('[{"kind": "back"}, {"kind": "home"}]').actions) == 2
    reply = ModelReply(calls=(ToolCall("click", {"x": 1, "y": 1}), ToolCall("key", {"key": "enter"})))
    first, second = ToolCallsDialect().read(reply, situation()).actions
    assert (first.action, second.action) == (Click(x=2, y=2), Key(key="enter"))


def test_a_model_that_points_in_thousandths_is_understood() -> None:
    reply = ModelReply(
        calls=(ToolCall("step", {"decision": "actions", "actions": [{"kind": "click", "x": 500, "y": 500}]}),)
    )
    (planned,) = ToolCallsDialect("thousandths").read(reply, situation()).actions
    assert planned.action == Click(x=540, y=1200)


def test_without_a_picture_points_are_the_frames_own_pixels() -> None:
    (planned,) = call({"decision": "actions", "actions": [{"kind": "click", "x": 1079, "y": 5}]}, picture=None).actions
    assert planned.action == Click(x=1079, y=5)


@pytest.mark.parametrize("kind", ["done", "fail", "stale", "supplement", "ask"])
def test_a_step_can_end_without_an_action(kind: str) -> None:
    decision = call({"decision": kind, "message": "so it is"})
    assert (decision.kind, decision.message) == (kind, "so it is")


@pytest.mark.parametrize(
    "arguments",
    [
        None,
        {},
        {"decision": "actions"},
        {"decision": "actions", "actions": []},
        {"decision": "actions", "actions": ["click"]},
        {"decision": "actions", "actions": {"kind": "back"}},
        {"decision": "actions", "actions": [{"kind": "click"}]},
        {"decision": "actions", "actions": [{"kind": "click", "x": 5}]},
        {"decision": "actions", "actions": [{"kind": "click", "x": 5, "y": 5000}]},
        {"decision": "actions", "actions": [{"kind": "click", "x": "5", "y": "five"}]},
        {"decision": "actions", "actions": [{"kind": "click", "element": 99}]},
        {"decision": "actions", "actions": [{"kind": "explode"}]},
        {"decision": "actions", "actions": [{"kind": "back"}] * 11},
        {"decision": "done", "actions": [{"kind": "back"}]},
        {"decision": "finish"},
        {"decision": ["done"]},
        {"decision": "fail"},
        {"decision": "ask", "message": 5},
    ],
)
def test_a_wrong_call_is_told_in_one_sentence(arguments: Any) -> None:
    with pytest.raises(Unparsable) as caught:
        call(arguments)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "said", ["", "done", "I am done.", "{", '{"decision": "do', "{}", '{"a": 1} {"b": 2}', "[" * 9000]
)
def test_text_that_is_no_step_is_no_decision(said: str) -> None:
    with pytest.raises(Unparsable):
        text(said)


def test_two_calls_that_contradict_each_other_are_refused() -> None:
    reply = ModelReply(calls=(ToolCall("step", {"decision": "done"}), ToolCall("step", STEP)))
    with pytest.raises(Unparsable, match="call it once"):
        ToolCallsDialect().read(reply, situation())


def test_only_what_the_device_can_do_is_offered_and_taken() -> None:
    for device in (PHONE, DESKTOP, BROWSER):
        (tool,) = ToolCallsDialect().ask(situation(device)).tools
        kinds = set(tool.parameters["properties"]["actions"]["items"]["properties"]["kind"]["enum"])
        assert kinds == device | {"wait", "memorize", "answer", "take_over"}
    with pytest.raises(NotPossible):
        call({"decision": "actions", "actions": [{"kind": "run_code", "code": "ls"}]})


def test_a_scroll_becomes_a_swipe_on_a_phone() -> None:
    (planned,) = call(
        {"decision": "actions", "actions": [{"kind": "scroll", "direction": "down", "pages": 0.5}]}
    ).actions
    assert planned.action == Swipe(x=540, y=1800, to_x=540, to_y=600, duration_ms=500)
    (planned,) = call({"decision": "actions", "actions": [{"kind": "scroll"}]}, capabilities=DESKTOP).actions
    assert planned.action == Scroll()


def test_the_request_tells_failures_elements_and_shows_one_picture() -> None:
    failed = ActionReport(action=Click(x=1, y=2), status=ExecStatus.ERROR, detail="it is covered")
    still = ActionReport(action=Key(key="enter"), status=ExecStatus.EXECUTED, changed=False)
    past = (
        StepReport(step=1, thought="Open.", actions=(failed,)),
        StepReport(step=2, actions=(still,)),
        StepReport(step=3, error="No JSON."),
    )
    request = ToolCallsDialect().ask(replace(situation(), past=past))
    (turn,) = request.turns
    told = "\n".join(part for part in turn.parts if isinstance(part, str))
    assert "it is covered" in told
    assert "the screen did not change" in told
    assert "FAILED: No JSON." in told
    assert '[7] button "Send" at 250,1025' in told
    assert len(request.pictures) == 1
    assert "x from 0 to 539 and y from 0 to 1199" in request.system


def test_what_a_password_field_holds_is_not_told() -> None:
    (field,) = situation().elements
    secret = replace(field, role="field", value="hunter2", password=True)
    request = ToolCallsDialect().ask(situation(elements=(secret,)))
    assert "hunter2" not in repr(request)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from(["actions", "click", "done", "back", "step"]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["decision", "actions", "kind", "x", "y", "text", "element", "message"]), inner),
    max_leaves=12,
)  # fmt: skip


@given(JSON)
def test_any_json_is_a_decision_or_a_fault_and_never_a_crash(said: Any) -> None:
    for attempt in (lambda: call(said if isinstance(said, dict) else None), lambda: text(json.dumps(said))):
        try:
            decision = attempt()
        except ModelFault:
            continue
        assert decision.kind != "actions" or decision.actions


@given(st.text(alphabet=st.characters(exclude_characters="{["), max_size=300))
def test_text_without_json_is_never_a_decision(said: str) -> None:
    with pytest.raises(Unparsable):
        text(said)
