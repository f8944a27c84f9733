"""Sentences of everyday web work are read whole, and told again they are read the same; descriptions are not typed."""

import pytest

from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.grammar import parse_goal
from tests.roles.offline.test_grammar import meaning


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("Pick Tea, Milk and Sugar", ["Tea", "Milk", "Sugar"]),
        ("Select Oslo, Bergen, Tromsø and click Next", ["Oslo", "Bergen", "Tromsø"]),
        ("choose Red, Blue from the colour list", ["Red", "Blue"]),
        ("选择苹果、香蕉", ["苹果", "香蕉"]),
    ],
)
def test_a_list_of_choices_is_a_choice_each(goal: str, expected: list[str]) -> None:
    assert [step.option for step in parse_goal(goal) if isinstance(step, say.Select)] == expected


def test_a_long_part_behind_a_choice_is_no_choice() -> None:
    steps = parse_goal("Select Blue, whatever else you may like best and click OK")
    assert any(isinstance(step, say.NotUnderstood) for step in steps)


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("go through the tabs to find and click on the link “Terms”", [("Tap", "the link “Terms”", "click")]),
        ("Expand the sections below, to find and click the link \"Fees\".", [("Tap", "the link “Fees”", "click")]),
        ("Enter the user name “eve” and the password “p w” into the form", [
            ("Write", "eve", "user name", "False"), ("Write", "p w", "password", "False")]),
        ("type the code “77” into both fields", [
            ("Write", "77", "the 1st field", "False"), ("Write", "77", "the 2nd field", "False")]),
        ("type “Oslo” in all upper case letters into City", [("Write", "OSLO", "City", "False")]),
        ("enter 12/24/2025 as the arrival date", [("SetValue", "the arrival date", "12/24/2025")]),
        ("select 7 with the volume slider", [("SetValue", "the volume slider", "7")]),
        ("click the bin icon to delete it", [("Tap", "the bin icon", "click")]),
        ("for the user @ann, click on the “Follow” button", [
            ("Tap", "the “Follow” button for the user @ann", "click")]),
        ("select none and press Save", [("SelectNone",), ("Tap", "Save", "click")]),
        ("select File > Export > PDF", [
            ("Reveal", "File", "Export"), ("Reveal", "Export", "PDF"), ("Tap", "PDF", "click")]),
        ("Open Settings > Display", [("Open", "Settings"), ("Find", "Display")]),
        ("Copy the text in the 1st text area, paste it into Notes and press Save", [
            ("Transfer", "the 1st text area", "Notes"), ("Tap", "Save", "click")]),
        ("find the last word in the paragraph and type it into Answer", [
            ("Transfer", "the last word in the paragraph", "Answer")]),
        ("enter the value of Order number into Reference", [("Transfer", "Order number", "Reference")]),
        ("把备注里的文字复制到标题", [("Transfer", "备注", "标题")]),
        ("找到段落的第三个词，把它输入到答案", [("Transfer", "段落的第三个词", "答案")]),
        ("highlight the text in the 2nd paragraph", [("SelectText", "the 2nd paragraph")]),
        ("Drag Milk down by two positions", [("Shift", "Milk", "down", "2")]),
        ("drag the knob left, then click Done", [("Shift", "the knob", "left", "0"), ("Tap", "Done", "click")]),
        ("把牛奶向上移动一个位置", [("Shift", "牛奶", "up", "1")]),
        ("drag Milk to the bottom right", [("Place", "Milk", "bottom right")]),
        ("move Milk to the 3rd position", [("Place", "Milk", "3")]),
        ("把牛奶拖到左上角", [("Place", "牛奶", "top left")]),
        ("resize the comment box so that the width is smaller than before", [
            ("Resize", "the comment box", "width", "False")]),
        ("click on the folder or file named “Taxes”", [("Tap", "the folder or file named “Taxes”", "click")]),
        ("click the star icon to mark it as important", [("Tap", "the star icon", "click")]),
        ("find the mail from Ann and forward it to Bob", [
            ("Find", "the mail from Ann"), ("Tap", "Forward", "click"),
            ("Write", "Bob", "the “to” field", "False"), ("Tap", "Send", "click")]),
        ("find the email by Ann and reply to her with the text “on my way”", [
            ("Find", "the email by Ann"), ("Tap", "Reply", "click"), ("Write", "on my way", "False"),
            ("Tap", "Send", "click")]),
        ("forward Ann's message to Bob", [
            ("Find", "Ann's message"), ("Tap", "Forward", "click"), ("Write", "Bob", "the “to” field", "False"),
            ("Tap", "Send", "click")]),
        ("找到小王发的邮件，把它转发给小李", [
            ("Find", "小王发的邮件"), ("Tap", "转发", "click"), ("Write", "小李", "收件人", "False"),
            ("Tap", "发送", "click")]),
        ("set the sliders to [3,7]", [("SetValue", "the 1st slider", "3"), ("SetValue", "the 2nd slider", "7")]),
        ("scroll to the bottom of the terms and click Agree", [
            ("Scrolling", "down", "True", "the terms"), ("Tap", "Agree", "click")]),
        ("把列表滑到底部", [("Scrolling", "down", "True", "列表")]),
    ],
)  # fmt: skip
def test_sentences_of_web_work(goal: str, expected: list[tuple[str, ...]]) -> None:
    assert meaning(goal) == expected
    # a plan is written with the parts, so each part alone means the same
    assert [part for step in parse_goal(goal) for part in meaning(step.source)] == expected


@pytest.mark.parametrize(
    "goal",
    [
        "Type the total of all rows into Sum",
        "enter your answer into the box",
        "type the text below into Name",
        "Enter an item that starts with “Nor”",
        "type each label into its field",
        "How many red balls are there?",
        "type it into Name",
        "输入到标题",
        "send it to Bob",
        "forward the message to Bob",
        "paste it into Name",
    ],
)
def test_what_has_to_be_found_out_is_not_typed_as_it_stands(goal: str) -> None:
    assert any(isinstance(step, say.NotUnderstood) for step in parse_goal(goal))


def test_the_same_words_in_quotes_are_typed() -> None:
    assert meaning("type “the text below” into Name") == [("Write", "the text below", "Name", "False")]
