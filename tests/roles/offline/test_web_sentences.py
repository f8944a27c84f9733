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
    ],
)
def test_what_has_to_be_found_out_is_not_typed_as_it_stands(goal: str) -> None:
    assert any(isinstance(step, say.NotUnderstood) for step in parse_goal(goal))


def test_the_same_words_in_quotes_are_typed() -> None:
    assert meaning("type “the text below” into Name") == [("Write", "the text below", "Name", "False")]
