"""Actions: one union, fully validated."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from deskhand.core.actions import (
    ACTION_KINDS,
    ENGINE_KINDS,
    REPEATABLE_KINDS,
    SETTLING_KINDS,
    Action,
    Click,
    Drag,
    Scroll,
    Type,
    describe_action,
    parse_action,
    points_of,
)


def test_every_member_of_the_union_has_its_word() -> None:
    union = get_args(get_args(Action)[0])
    assert {member.model_fields["kind"].default for member in union} == ACTION_KINDS


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({"kind": "click", "x": -1, "y": 5}, "x"),
        ({"kind": "click", "x": 1}, "y"),
        ({"kind": "click", "x": 1, "y": 2, "colour": "red"}, "colour"),
        ({"kind": "tap", "x": 1, "y": 2}, "tap"),
        ({"kind": "wait", "seconds": 0}, "seconds"),
        ({"kind": "wait", "seconds": 1e9}, "seconds"),
        ({"kind": "scroll", "x": 4}, "both x and y"),
        ({"kind": "scroll", "direction": "sideways"}, "direction"),
        ({"kind": "hotkey", "keys": []}, "keys"),
        ({"kind": "open_app", "name": ""}, "name"),
        ({"kind": "run_code", "language": "perl", "code": "1"}, "language"),
        ({}, "kind"),
        ("click", "dict"),
    ],
)
def test_what_is_not_an_action_is_refused_by_name(data: object, field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        parse_action(data)


def test_an_action_is_the_same_after_a_trip_through_json() -> None:
    action = Drag(x=1, y=2, to_x=3, to_y=4, target="slider")
    assert parse_action(action.model_dump(mode="json")) == action


def test_points_are_every_place_the_action_touches() -> None:
    assert points_of(Drag(x=1, y=2, to_x=3, to_y=4)) == [(1, 2), (3, 4)]
    assert points_of(Scroll()) == []
    assert points_of(Scroll(x=0, y=0)) == [(0, 0)]
    assert points_of(Type(text="x")) == []


def test_a_description_names_the_target_or_else_the_point() -> None:
    send = Click(x=540, y=2210, target="Send")
    assert describe_action(send) == 'click "Send"'
    assert describe_action(send, points=True) == 'click "Send" (540, 2210)'
    assert describe_action(Click(x=540, y=2210)) == "click (540, 2210)"
    assert describe_action(Type(text="你好", press_enter=True)) == 'type "你好" press_enter=True'
    assert describe_action(Scroll(direction="up", pages=3 * 0.8)) == 'scroll "up" pages=2.4'


@given(st.sampled_from(sorted(ACTION_KINDS)), st.dictionaries(st.text(max_size=8), st.integers() | st.text(max_size=8)))
def test_garbage_is_an_action_or_a_validation_error_never_a_crash(kind: str, data: dict[str, object]) -> None:
    try:
        action = parse_action(data | {"kind": kind})
    except ValidationError:
        return
    assert action.kind == kind
    assert describe_action(action)


def test_what_waits_for_time_or_memory_does_not_wait_for_the_screen() -> None:
    assert not SETTLING_KINDS & ENGINE_KINDS
    assert {"click", "type", "key", "hotkey", "scroll", "swipe", "drag", "open_app", "open_url"} <= SETTLING_KINDS
    assert not REPEATABLE_KINDS & {"click", "type", "key", "hotkey", "drag", "swipe", "scroll", "run_code", "back"}
