"""The two providers' own screen tools."""

import contextlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.actions import (
    Action,
    Click,
    DoubleClick,
    Drag,
    Hotkey,
    Key,
    MiddleClick,
    Move,
    OpenApp,
    RightClick,
    Scroll,
    Type,
    Wait,
)
from deskhand.core.decisions import Decision, Verdict
from deskhand.core.errors import ModelFault, Unparsable
from deskhand.core.llm import Computer, ModelReply, ToolCall
from deskhand.models.dialects import DIALECTS, coordinates_of, dialect_of
from deskhand.models.dialects.anthropic_computer import AnthropicComputerDialect
from deskhand.models.dialects.openai_computer import OpenAiComputerDialect
from tests.models.situations import BROWSER, DESKTOP, situation

HERE = situation(DESKTOP, frame=(1080, 2400))


def anthropic(*inputs: dict[str, Any], calls: tuple[ToolCall, ...] = ()) -> Decision:
    native = tuple({"type": "tool_use", "name": "computer", "input": fields} for fields in inputs)
    return AnthropicComputerDialect().read(ModelReply(native=native, calls=calls), HERE)


def openai(*actions: Any, checks: Any = (), calls: tuple[ToolCall, ...] = ()) -> Decision:
    item = {"type": "computer_call", "actions": list(actions), "pending_safety_checks": checks}
    return OpenAiComputerDialect().read(ModelReply(native=(item,) if actions else (), calls=calls), HERE)


def words(decision: Decision) -> list[Action]:
    return [planned.action for planned in decision.actions]


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ({"action": "left_click", "coordinate": [270, 600]}, Click(x=540, y=1200)),
        ({"action": "left_click", "coordinate": [540, 1200]}, Click(x=1079, y=2399)),
        ({"action": "right_click", "coordinate": [0, 0]}, RightClick(x=0, y=0)),
        ({"action": "middle_click", "coordinate": [0, 0]}, MiddleClick(x=0, y=0)),
        ({"action": "double_click", "coordinate": [0, 0]}, DoubleClick(x=0, y=0)),
        ({"action": "mouse_move", "coordinate": [1, 1]}, Move(x=2, y=2)),
        (
            {"action": "left_click_drag", "start_coordinate": [0, 0], "coordinate": [10, 10]},
            Drag(x=0, y=0, to_x=20, to_y=20),
        ),
        ({"action": "key", "text": "Return"}, Key(key="Return")),
        ({"action": "key", "text": "ctrl+s"}, Hotkey(keys=("ctrl", "s"))),
        ({"action": "type", "text": "done"}, Type(text="done")),
        ({"action": "type", "text": "hi\n"}, Type(text="hi", press_enter=True)),
        (
            {"action": "scroll", "coordinate": [1, 1], "scroll_direction": "up", "scroll_amount": 5},
            Scroll(direction="up", pages=0.5, x=2, y=2),
        ),
        ({"action": "wait", "duration": 2}, Wait(seconds=2)),
        ({"action": "screenshot"}, Wait(seconds=0.5)),
    ],
)
def test_anthropics_actions_have_their_words(said: dict[str, Any], action: Action) -> None:
    assert words(anthropic(said)) == [action]


@pytest.mark.parametrize(
    ("text", "pressed"),
    [
        ("Down Down Return", [Key(key="Down"), Key(key="Down"), Key(key="Return")]),
        ("ctrl+a Delete", [Hotkey(keys=("ctrl", "a")), Key(key="Delete")]),
        ("ctrl++", [Hotkey(keys=("ctrl", "+"))]),
        ("+", [Key(key="+")]),
    ],
)
def test_anthropics_keys_follow_xdotool(text: str, pressed: list[Action]) -> None:
    assert words(anthropic({"action": "key", "text": text})) == pressed


def test_anthropics_newer_toolset_names_the_action_in_the_block() -> None:
    item = {"type": "tool_use", "name": "left_click", "input": {"coordinate": [0, 0]}}
    assert words(AnthropicComputerDialect().read(ModelReply(native=(item,)), HERE)) == [Click(x=0, y=0)]


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ({"type": "click", "button": "left", "x": 270, "y": 600}, Click(x=540, y=1200)),
        ({"type": "click", "button": "right", "x": 0, "y": 0}, RightClick(x=0, y=0)),
        ({"type": "click", "button": "wheel", "x": 0, "y": 0}, MiddleClick(x=0, y=0)),
        ({"type": "double_click", "x": 0, "y": 0}, DoubleClick(x=0, y=0)),
        ({"type": "move", "x": 1, "y": 1}, Move(x=2, y=2)),
        (
            {"type": "drag", "path": [{"x": 0, "y": 0}, {"x": 5, "y": 5}, {"x": 10, "y": 10}]},
            Drag(x=0, y=0, to_x=20, to_y=20),
        ),
        ({"type": "drag", "path": [[0, 0], [10, 10]]}, Drag(x=0, y=0, to_x=20, to_y=20)),
        ({"type": "keypress", "keys": ["ENTER"]}, Key(key="ENTER")),
        ({"type": "keypress", "keys": ["CTRL", "S"]}, Hotkey(keys=("CTRL", "S"))),
        (
            {"type": "scroll", "x": 0, "y": 0, "scroll_x": 0, "scroll_y": 600},
            Scroll(direction="down", pages=0.5, x=0, y=0),
        ),
        (
            {"type": "scroll", "x": 0, "y": 0, "scroll_x": -270, "scroll_y": 0},
            Scroll(direction="left", pages=0.5, x=0, y=0),
        ),
        ({"type": "type", "text": "done"}, Type(text="done")),
        ({"type": "wait"}, Wait(seconds=2)),
        ({"type": "screenshot"}, Wait(seconds=0.5)),
    ],
)
def test_openais_actions_have_their_words(said: dict[str, Any], action: Action) -> None:
    assert words(openai(said)) == [action]


def test_openais_older_form_with_one_action_is_read_too() -> None:
    item = {"type": "computer_call", "action": {"type": "wait"}, "pending_safety_checks": []}
    assert words(OpenAiComputerDialect().read(ModelReply(native=(item,)), HERE)) == [Wait(seconds=2)]


def test_pending_safety_checks_reach_the_person_with_every_action() -> None:
    checks = [{"id": "cu_1", "code": "malicious_instructions", "message": "The page tells the model what to do."}]
    decision = openai({"type": "wait"}, {"type": "keypress", "keys": ["a"]}, checks=checks)
    assert [planned.sensitive for planned in decision.actions] == ["The page tells the model what to do."] * 2
    (planned,) = openai({"type": "wait"}, checks=[{"id": "cu_2"}]).actions
    assert planned.sensitive


@pytest.mark.parametrize("read", [anthropic, openai])
def test_our_own_tools_judge_end_and_do_the_rest(read: Any) -> None:
    report = ToolCall("report", {"success": False, "reason": "no effect", "decision": "done", "message": "Sent."})
    decision = read(calls=(report,))
    assert (decision.kind, decision.message) == ("done", "Sent.")
    assert decision.verdict == Verdict(success=False, reason="no effect")
    assert words(read(calls=(ToolCall("do", {"kind": "open_app", "name": "Mail"}),))) == [OpenApp(name="Mail")]


def test_a_report_beside_an_action_is_the_verdict_and_does_not_end_the_step() -> None:
    report = ToolCall("report", {"success": True, "decision": "go_on"})
    decision = anthropic({"action": "wait"}, calls=(report,))
    assert decision.kind == "actions"
    assert decision.verdict == Verdict(success=True)


@pytest.mark.parametrize("dialect", [AnthropicComputerDialect(), OpenAiComputerDialect()])
def test_words_alone_never_end_a_task(dialect: Any) -> None:
    for said in ("The task is done.", "", "finish()"):
        with pytest.raises(Unparsable, match="uses no tool"):
            dialect.read(ModelReply(text=said), HERE)
    with pytest.raises(Unparsable, match="no tool 'rm'"):
        dialect.read(ModelReply(calls=(ToolCall("rm", {}),)), HERE)


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"action": "explode"},
        {"action": "left_click"},
        {"action": "left_click", "coordinate": [1]},
        {"action": "left_click", "coordinate": [9999, 1]},
        {"action": "left_click", "coordinate": [1, 1], "text": "shift"},
        {"action": "scroll", "coordinate": [1, 1], "scroll_direction": "up", "scroll_amount": 3, "text": "ctrl"},
        {"action": "left_click_drag", "start_coordinate": [0, 0], "coordinate": [9, 9], "text": "shift"},
        {"action": "key"},
        {"action": "key", "text": "a", "repeat": 1000},
        {"action": "type", "text": ""},
        {"action": "scroll", "scroll_direction": "sideways", "scroll_amount": 1},
        {"action": "scroll", "scroll_direction": "up", "scroll_amount": "many"},
    ],
)
def test_anthropics_nonsense_is_no_action(said: dict[str, Any]) -> None:
    with pytest.raises(ModelFault):
        anthropic(said)


@pytest.mark.parametrize(
    "said",
    [
        None,
        {},
        {"type": "click", "button": "forward", "x": 1, "y": 1},
        {"type": "click", "x": 1},
        {"type": "click", "x": 1, "y": 99999},
        {"type": "click", "x": 1, "y": 1, "keys": ["SHIFT"]},
        {"type": "drag", "path": [{"x": 1, "y": 1}]},
        {"type": "drag", "path": "x"},
        {"type": "drag", "path": [[0, 0], [9, 9]], "keys": ["SHIFT"]},
        {"type": "keypress", "keys": []},
        {"type": "type"},
    ],
)
def test_openais_nonsense_is_no_action(said: Any) -> None:
    with pytest.raises(ModelFault):
        openai(said)


def test_a_computer_is_told_the_size_of_the_picture_it_sees() -> None:
    request = OpenAiComputerDialect().ask(situation(BROWSER))
    assert request.computer == Computer(540, 1200)
    assert OpenAiComputerDialect().ask(situation(DESKTOP)).computer == Computer(540, 1200, desktop=True)
    assert len(request.pictures) == 1
    with pytest.raises(ModelFault, match="needs the picture"):
        AnthropicComputerDialect().ask(replace(HERE, picture=None))


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 3000), st.floats(), st.text(max_size=5),
    st.lists(st.integers(-5, 3000), max_size=4), st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
)  # fmt: skip


@given(
    st.sampled_from(["left_click", "key", "scroll", "type", "wait", "left_click_drag", "zoom"]),
    st.dictionaries(st.sampled_from(["coordinate", "text", "scroll_amount", "duration", "start_coordinate"]), VALUES),
)
def test_any_input_to_anthropics_tool_is_a_decision_or_a_fault(name: str, fields: dict[str, Any]) -> None:
    with contextlib.suppress(ModelFault):
        assert anthropic({"action": name, **fields}).actions


@given(
    st.sampled_from(["click", "keypress", "scroll", "type", "drag", "move", "x"]),
    st.dictionaries(st.sampled_from(["x", "y", "button", "keys", "path", "text", "scroll_x", "scroll_y"]), VALUES),
    VALUES,
)
def test_any_item_from_openais_tool_is_a_decision_or_a_fault(name: str, fields: dict[str, Any], checks: Any) -> None:
    with contextlib.suppress(ModelFault):
        assert openai({"type": name, **fields}, checks=checks).actions


def test_a_models_name_tells_its_dialect() -> None:
    expected = {
        "autoglm-phone-9b": "autoglm", "ZhipuAI/AutoGLM-Phone": "autoglm", "ByteDance/UI-TARS-1.5-7B": "uitars",
        "computer-use-preview": "openai-computer", "gpt-5": "tools", "claude-sonnet-4-5": "tools",
    }  # fmt: skip
    assert {name: dialect_of(name) for name in expected} == expected
    assert all(DIALECTS[name](None).name == name for name in DIALECTS)
    assert coordinates_of("qwen3-vl-plus") == "thousandths"
    assert coordinates_of("gpt-5") is None
