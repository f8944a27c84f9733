"""AutoGLM-phone's text in all its spellings."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.actions import (
    Action,
    Back,
    Click,
    DoubleClick,
    Home,
    LongPress,
    Memorize,
    OpenApp,
    Scroll,
    Swipe,
    TakeOver,
    Type,
    Wait,
)
from deskhand.core.decisions import ActionReport, Decision, StepReport
from deskhand.core.errors import ModelFault, NotPossible, Unparsable
from deskhand.core.llm import ModelReply, Picture
from deskhand.core.statuses import ExecStatus
from deskhand.models.dialects.autoglm import AutoGlmDialect, write_action
from deskhand.models.dialects.coordinates import Scale
from tests.models.situations import BROWSER, DESKTOP, situation

MIDDLE = Click(x=540, y=1200)


def read(text: str, **where: object) -> Decision:
    return AutoGlmDialect().read(ModelReply(text=text), situation(**where))  # type: ignore[arg-type] each test names real fields


def only(decision: Decision) -> Action:
    assert decision.kind == "actions"
    (planned,) = decision.actions
    return planned.action


@pytest.mark.parametrize(
    "text",
    [
        '<think>Tap it.</think><answer>do(action="Tap", element=[500,500])</answer>',
        '<think>Tap it.</think><answer>do(action="Tap", element=[500,500])',
        '<think>Tap it.</think>\n<answer>\ndo(action="Tap", element=[500,500])\n</answer>\n',
        'Tap it.</think><answer>do(action="Tap", element=[500,500])</answer>',
        'Tap it.</think>do(action="Tap", element=[500,500])',
        'do(action="Tap", element=[500,500])',
        "do(action='Tap', element=(500, 500))",
        "do(action=Tap, element=[500.0, 500])",
        'do(action="Tap", element="500,500")',
        'do(action="Tap", element="[500, 500]")',
        'do(action="Tap", element=[450,450,550,550])',
        'do(action="tap",element=[ 500 , 500 ],)',
        "do（action＝“Tap”，element＝［500，500］）",
        "do(action=“Tap”, element=[500，500])",
        "do(action=「Tap」, element=【500,500】)",
        '```python\ndo(action="Tap", element=[500,500])\n```',
        '<answer>```\ndo(action="Tap", element=[500,500])\n```</answer>',
        '```\ndo(action="Tap", element=[500,500])',
        "Tap(element=[500,500])",
        'do("Tap", element=[500,500])',
        'The button is in the middle.\n\ndo(action="Tap", element=[500,500])\n\nThis opens the page.',
        '用户想打开微信,点击图标。do(action="Tap", element=[500,500])',
        '点击图标do(action="Tap", element=[500,500])</answer>',
        'Action: do(action="Tap", element=[500,500])',
        '<answer>do(action="Tap", element=[500,500]);</answer>',
        '< think >x< /think >< answer >do(action="Tap", element=[500,500])< /answer >',
    ],
)
def test_a_tap_is_read_in_every_spelling(text: str) -> None:
    assert only(read(text)) == MIDDLE


@pytest.mark.parametrize(
    ("command", "action"),
    [
        ('do(action="Launch", app="微信")', OpenApp(name="微信")),
        ('do(action="Type", text="hello")', Type(text="hello", clear_first=True)),
        ('do(action="Type", text="")', Type(text="", clear_first=True)),
        ('do(action="Type_Name", text="张三")', Type(text="张三", clear_first=True)),
        ('do(action="Swipe", start=[500,800], end=[500,200])', Swipe(x=540, y=1920, to_x=540, to_y=480)),
        ('do(action="Long Press", element=[0,0])', LongPress(x=0, y=0)),
        ('do(action="Long_Press", element=[0,0])', LongPress(x=0, y=0)),
        ('do(action="LongPress", element=[0,0])', LongPress(x=0, y=0)),
        ("Long Press(element=[0,0])", LongPress(x=0, y=0)),
        ('do(action="Double Tap", element=[999,999])', DoubleClick(x=1079, y=2398)),
        ('do(action="Double Tap", element=[1000,1000])', DoubleClick(x=1079, y=2399)),
        ('do(action="Back")', Back()),
        ('do(action="Home")', Home()),
        ('do(action="Wait", duration="2 seconds")', Wait(seconds=2)),
        ('do(action="Wait", duration="1.5秒")', Wait(seconds=1.5)),
        ('do(action="Wait", duration=3)', Wait(seconds=3)),
        ('do(action="Wait")', Wait(seconds=1)),
        ('do(action="Take_over", message="log in")', TakeOver(reason="log in")),
        ('do(action="Take over", message="log in")', TakeOver(reason="log in")),
        ('do(action="Note", message="the price is 5")', Memorize(text="the price is 5")),
        ('<think>It costs 5.</think><answer>do(action="Note", message="True")', Memorize(text="It costs 5.")),
    ],
)
def test_every_command_has_its_word(command: str, action: Action) -> None:
    assert only(read(command)) == action


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (r'do(action="Type", text="line one\nline two")', "line one\nline two"),
        ('do(action="Type", text="line one\nline two")', "line one\nline two"),
        ('do(action="Type", text="He said "hi" to me")', 'He said "hi" to me'),
        (r'do(action="Type", text="He said \"hi\"")', 'He said "hi"'),
        ("do(action='Type', text='don't')", "don't"),
        ('do(action="Type", text="yes, he said")', "yes, he said"),
        ('do(action="Type", text="a) b] c}")', "a) b] c}"),
        ('do(action="Type", text="done")', "done"),
        ('do(action="Type", text="finish(message=\\"x\\")")', 'finish(message="x")'),
        ('<answer>do(action="Type", text="</answer>")</answer>', "</answer>"),
        ('do(action="Type", text="do(action=Tap)")', "do(action=Tap)"),
        ('do(action="Type", text="5 > 3 \\u4f60")', "5 > 3 你"),
        ('do(action="Type", text="""raw "text" """)', 'raw "text" '),
    ],
)
def test_typed_text_arrives_as_it_was_meant(command: str, text: str) -> None:
    assert only(read(command)) == Type(text=text, clear_first=True)


def test_finish_is_done_only_by_the_grammar() -> None:
    assert read('<answer>finish(message="Sent.")</answer>') == Decision(kind="done", message="Sent.")
    assert read("finish()").kind == "done"
    assert read('完成了。finish(message="好")').message == "好"
    for prose in ("The task is done.", "I will finish now", "finish", "<answer>finish</answer>", "done()"):
        with pytest.raises(Unparsable):
            read(prose)


def test_finish_behind_an_action_waits_for_the_actions_outcome() -> None:
    decision = read('do(action="Back")\nfinish(message="ok")')
    assert only(decision) == Back()


def test_several_commands_together_are_several_actions() -> None:
    decision = read('<answer>do(action="Back")\ndo(action="Home")</answer>')
    assert [planned.action for planned in decision.actions] == [Back(), Home()]


def test_a_tap_with_a_message_needs_a_yes() -> None:
    (planned,) = read('do(action="Tap", element=[500,500], message="pays 5 yuan")').actions
    assert (planned.action, planned.sensitive) == (MIDDLE, "pays 5 yuan")


@pytest.mark.parametrize(
    ("command", "kind"), [("Interact", "ask"), ("Call_API", "supplement"), ("Take_over", "actions")]
)
def test_without_a_message_the_person_is_told_the_thought(command: str, kind: str) -> None:
    decision = read(f'<think>有两个小安,要给哪一个发?</think><answer>do(action="{command}")</answer>')
    told = [planned.action for planned in decision.actions] or decision.message
    assert (decision.kind, told) == (
        kind,
        [TakeOver(reason="有两个小安,要给哪一个发?")] if kind == "actions" else "有两个小安,要给哪一个发?",
    )


def test_interact_asks_and_call_api_wants_material() -> None:
    assert read('do(action="Interact")').kind == "ask"
    decision = read('do(action="Call_API", instruction="summarise")')
    assert (decision.kind, decision.message) == ("supplement", "summarise")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I don't know.",
        "<answer></answer>",
        "do()",
        'do(action="Tap")',
        'do(action="Tap", element=[500])',
        'do(action="Tap", element=[500,500',
        'do(action="Tap", element=[500,50',
        'do(action="Tap", element=[500,500]',
        'do(action="Type", text="half a te',
        'do(action="Tap", element=[1500,500])',
        'do(action="Tap", element=[-1,500])',
        'do(action="Tap", element=["a","b"])',
        'do(action="Tap", element=[true,false])',
        'do(action="Tap", element=[1e300,5])',
        'do(action="Explode", element=[5,5])',
        'do(action="Swipe", start=[1,1])',
        'do(action="Launch")',
        'do(action="Tap", element=[5,5], element=[6,6])',
        'do(action="Tap", element=[5,5]) and then do(action="Tap", element=[6,6])',
        'do(action="Tap", element=[5,5])\nThen I would\ndo(action="Tap", element=[6,6])',
        '<answer>do(action="Tap", element=[5,5]) or so</answer>',
        'You may do(action="Tap", element=[5,5]) if you like.',
        'undo(action="Tap", element=[5,5])',
        'os.system("rm -rf /")',
        '__import__("os").system("x")',
        "do(action=__import__('os').system('x'))",
        "do(" * 5000,
        "[" * 5000,
        'do(action="Tap", element=' + "[" * 100 + "5" + "]" * 100 + ")",
    ],
)
def test_nonsense_is_no_action(text: str) -> None:
    with pytest.raises(Unparsable) as caught:
        read(text)
    assert len(str(caught.value)) < 300
    assert str(caught.value).endswith(".")


def test_a_reply_that_was_cut_off_is_not_acted_on() -> None:
    reply = ModelReply(text='do(action="Back")', stop="length")
    with pytest.raises(Unparsable, match="cut off"):
        AutoGlmDialect().read(reply, situation())


def test_a_swipe_becomes_a_scroll_where_there_is_only_a_wheel() -> None:
    for device in (BROWSER, DESKTOP):
        decision = read('do(action="Swipe", start=[500,800], end=[500,200])', capabilities=device, frame=(1000, 1000))
        assert only(decision) == Scroll(direction="down", pages=0.6, x=500, y=800)


def test_an_action_that_the_device_lacks_is_named_with_what_it_has() -> None:
    with pytest.raises(NotPossible, match=r"can't do 'home'; it can do: .*click"):
        read('do(action="Home")', capabilities=DESKTOP)


def test_the_request_speaks_the_familys_own_language() -> None:
    past = (
        StepReport(
            step=1,
            thought="Open it.",
            actions=(ActionReport(action=Click(x=540, y=1200), status=ExecStatus.ERROR, detail="it is covered"),),
        ),
    )
    told = situation()
    request = AutoGlmDialect().ask(replace(told, past=past))
    assert (request.temperature, request.top_p, request.frequency_penalty) == (0.0, 0.85, 0.2)
    assert request.max_output_tokens == 3000
    task, did, came, now = request.turns
    assert "Send a message to Ann." in str(task.parts)
    assert did.parts == ('<think>Open it.</think><answer>do(action="Tap", element=[500,500])</answer>',)
    assert "it is covered" in str(came.parts)
    picture, *_, screen = now.parts
    assert isinstance(picture, Picture)
    assert '** Screen Info **\n\n{"current_app": "Messages"}' in str(screen)
    first = AutoGlmDialect().ask(told)
    assert len(first.turns) == 1
    assert len(first.pictures) == 1


POINTS = st.tuples(st.integers(0, 1079), st.integers(0, 2399))
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)
WORDS = st.one_of(
    POINTS.map(lambda p: Click(x=p[0], y=p[1])),
    POINTS.map(lambda p: LongPress(x=p[0], y=p[1])),
    st.tuples(POINTS, POINTS).map(lambda p: Swipe(x=p[0][0], y=p[0][1], to_x=p[1][0], to_y=p[1][1])),
    TEXTS.map(lambda text: Type(text=text, clear_first=True)),
    TEXTS.filter(bool).map(lambda text: OpenApp(name=text)),
)


@given(WORDS)
def test_what_is_written_is_read_back(action: Action) -> None:
    scale = Scale(1000, 1000, (1080, 2400))
    again = only(read(f"<think>x</think><answer>{write_action(action, scale)}</answer>"))
    assert again.kind == action.kind
    for name, value in action.model_dump().items():
        other = getattr(again, name)
        close = name in ("x", "y", "to_x", "to_y") and abs(other - value) <= 3
        assert other == value or close


@given(
    st.one_of(st.text(max_size=200), st.from_regex(r"(do|finish|Tap)?[(（]?[\w=\"'“,\[\]()<>/ ]{0,60}", fullmatch=True))
)
def test_any_text_is_a_decision_or_a_fault_and_never_a_crash(text: str) -> None:
    try:
        decision = read(text)
    except ModelFault:
        return
    assert any(word in text.casefold() for word in ("do", "finish", "tap", "wait", "back", "home", "type", "interact"))
    assert decision.kind in ("actions", "done", "ask", "supplement")


@given(st.text(alphabet=st.characters(exclude_characters="(（"), max_size=300))
def test_text_without_a_call_is_never_an_action(text: str) -> None:
    with pytest.raises(ModelFault):
        read(text)


@given(st.data())
def test_a_command_cut_anywhere_is_refused(data: st.DataObject) -> None:
    whole = '<think>ok</think><answer>do(action="Swipe", start=[512,803], end=[512,204])'
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(Unparsable):
        read(whole[:cut])
