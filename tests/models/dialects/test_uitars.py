"""UI-TARS's text in all its spellings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.actions import (
    Action,
    Back,
    Click,
    DoubleClick,
    Drag,
    Home,
    Hotkey,
    Key,
    LongPress,
    OpenApp,
    RightClick,
    Scroll,
    Swipe,
    Type,
    Wait,
)
from deskhand.core.decisions import Decision
from deskhand.core.errors import ModelFault, Unparsable
from deskhand.core.llm import ModelReply, Picture
from deskhand.models.dialects.coordinates import Scale
from deskhand.models.dialects.uitars import UiTarsDialect, write_action
from tests.models.situations import DESKTOP, PHONE, situation

ANY = DESKTOP | PHONE
HERE = situation(ANY, frame=(2000, 1000), picture=Picture(b"", 1000, 500))
MIDDLE = Click(x=1000, y=500)


def read(text: str, dialect: UiTarsDialect | None = None) -> Decision:
    return (dialect or UiTarsDialect()).read(ModelReply(text=text), HERE)


def only(decision: Decision) -> Action:
    assert decision.kind == "actions"
    (planned,) = decision.actions
    return planned.action


@pytest.mark.parametrize(
    "text",
    [
        "Thought: I click it.\nAction: click(start_box='(500,500)')",
        "Thought: I click it.\nAction: click(start_box='[500, 500]')",
        "Thought: x\nAction: click(start_box='<|box_start|>(500,500)<|box_end|>')",
        "Thought: x\nAction: click(point='<point>500 500</point>')",
        "Thought: x\nAction: click(start_box='(450,450,550,550)')",
        "Thought: x\nAction: click(start_box='<bbox>450 450 550 550</bbox>')",
        "Thought: x\nAction: click(start_box=(500,500))",
        "Thought: x\n\nAction: click(start_box='(500,500)')\n",
        "Thought: x Action: click(start_box='(500,500)')",
        "**Thought:** x\n**Action:** click(start_box='(500,500)')",
        "思考：点击\n动作：click(start_box='(500,500)')",
        "Action:\nclick(start_box='(500,500)')",
        "click(start_box='(500,500)')",
        "Reflection: no\nAction_Summary: x\nAction: click(start_box='(500,500)')",
        "Thought: x\nAction: ```click(start_box='(500,500)')```",
    ],
)
def test_a_click_is_read_in_every_spelling(text: str) -> None:
    assert only(read(text)) == MIDDLE


@pytest.mark.parametrize(
    ("command", "action"),
    [
        ("left_double(start_box='(0,0)')", DoubleClick(x=0, y=0)),
        ("right_single(start_box='(1000,1000)')", RightClick(x=1999, y=999)),
        ("long_press(point='<point>500 500</point>')", LongPress(x=1000, y=500)),
        ("drag(start_box='(0,0)', end_box='(500,500)')", Drag(x=0, y=0, to_x=1000, to_y=500)),
        (
            "drag(start_point='<point>0 0</point>', end_point='<point>500 500</point>')",
            Drag(x=0, y=0, to_x=1000, to_y=500),
        ),
        ("swipe(start_box='(0,0)', end_box='(500,500)')", Swipe(x=0, y=0, to_x=1000, to_y=500)),
        ("hotkey(key='ctrl c')", Hotkey(keys=("ctrl", "c"))),
        ("hotkey(key='ctrl+shift+t')", Hotkey(keys=("ctrl", "shift", "t"))),
        ("hotkey(key='enter')", Key(key="enter")),
        ("type(content='hello')", Type(text="hello")),
        (r"type(content='hello\n')", Type(text="hello", press_enter=True)),
        (r"type(content='it\'s')", Type(text="it's")),
        ("type(content='it's')", Type(text="it's")),
        ("type(content='finished()')", Type(text="finished()")),
        ("type(content='Action: click(start_box=(1,1))')", Type(text="Action: click(start_box=(1,1))")),
        ("scroll(start_box='(500,500)', direction='down')", Scroll(direction="down", x=1000, y=500)),
        ("scroll(direction='Up')", Scroll(direction="up")),
        ("wait()", Wait(seconds=5)),
        ("press_back()", Back()),
        ("press_home()", Home()),
        ("open_app(app_name='微信')", OpenApp(name="微信")),
    ],
)
def test_every_command_has_its_word(command: str, action: Action) -> None:
    assert only(read(f"Thought: x\nAction: {command}")) == action


def test_finished_is_done_and_call_user_asks() -> None:
    assert read("Thought: ok\nAction: finished(content='Sent.')") == Decision(
        kind="done", message="Sent.", thought="ok"
    )
    assert read("Action: finished()").kind == "done"
    assert read("Thought: Which one?\nAction: call_user()").message == "Which one?"


def test_several_actions_are_read_together() -> None:
    decision = read("Thought: x\nAction: click(start_box='(500,500)')\n\ntype(content='a')")
    assert [planned.action for planned in decision.actions] == [MIDDLE, Type(text="a")]


def test_version_1_5_points_in_pixels_of_the_picture_it_saw() -> None:
    # 1000×500 becomes 1008×504 in squares of 28 pixels.
    assert only(read("Action: click(start_box='(504,252)')", UiTarsDialect("pixels"))) == MIDDLE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Thought: I am done.",
        "Action: finished",
        "Action: click()",
        "Action: click(start_box='(500)')",
        "Action: click(start_box='(500,500')\nclick(start_box='(1,1)'",
        "Action: click(start_box='(500,5000)')",
        "Action: click(start_box='(a,b)')",
        "Action: type(content='never closed",
        "Action: hotkey()",
        "Action: scroll(direction='sideways')",
        "Action: eval(content='1')",
        "Action: click(start_box='(1,1)') click_more",
        "Thought: finished(content='x') is what I would say",
    ],
)
def test_nonsense_is_no_action(text: str) -> None:
    with pytest.raises(Unparsable):
        read(text)


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)


@given(TEXTS.filter(lambda text: not text.endswith("\n")))
def test_typed_text_is_read_back(text: str) -> None:
    scale = Scale(1000, 1000, (2000, 1000))
    assert only(read(f"Thought: x\nAction: {write_action(Type(text=text), scale)}")) == Type(text=text)


@given(
    st.one_of(
        st.text(max_size=200), st.from_regex(r"(Action: )?(click|type|drag)\([\w='(), <>|]{0,60}", fullmatch=True)
    )
)
def test_any_text_is_a_decision_or_a_fault_and_never_a_crash(text: str) -> None:
    try:
        read(text)
    except ModelFault:
        return
    assert "(" in text or "（" in text
