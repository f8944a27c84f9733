"""An act that can't be undone is known again, whoever repeats it; what differs for certain is another act."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from deskhand.core.actions import Action, Click, Key, Type
from deskhand.core.decisions import PlannedAction
from deskhand.core.geometry import Rect
from deskhand.core.irreversible import DoneAct, IrreversibleAct
from deskhand.core.screen import Element, Frame, Observation
from deskhand.core.subtask import Subtask
from deskhand.engine.safety.once import describe_act, find_repeated, judge_doubt, list_doubts, name_screen
from deskhand.task.state import TaskState

FRAME = Frame(np.zeros((1000, 500, 4), np.uint8))
GOAL = 'Send "See you" to Bob and to Tom'


def chat(
    who: str = "Bob", draft: str = "See you", *said: str, button: str = "Send", source: Any = "uiautomator"
) -> Observation:
    lines = [Rect(0, 200 + 60 * at, 500, 250 + 60 * at) for at in range(len(said))]
    rows = [
        Element(0, "text", Rect(0, 40, 500, 90), name=who, source=source),
        *(Element(3 + at, "text", lines[at], name=text, source=source) for at, text in enumerate(said)),
        Element(1, "field", Rect(0, 900, 400, 960), value=draft, editable=True, focused=True, source=source),
        Element(2, "button", Rect(400, 900, 500, 960), name=button, clickable=True, source=source),
    ]  # fmt: skip
    return Observation(FRAME, tuple(rows), app="chat")


PRESS = Click(x=450, y=930)


def act_of(seen: Observation, action: Action = PRESS) -> IrreversibleAct:
    act = describe_act(PlannedAction(action=action), seen, GOAL)
    assert act, "it can't be undone"
    return act


SAME = {
    "the very same": chat(),
    "letter case and spaces": chat(draft="see  you"),
    "the name has more to it": chat(who="Bob (typing…)"),
    "more in the conversation": chat("Bob", "See you", "See you"),
    "the draft is gone": chat(draft=""),
    "another word on the button": chat(button="发送"),
}
OTHER = {"another text": chat(draft="Bye"), "another one": chat(who="Tom"), "another app": replace(chat(), app="mail")}


@pytest.mark.parametrize("how", SAME)
def test_the_same_act_is_known_again(how: str) -> None:
    assert act_of(chat()).is_same_as(act_of(SAME[how]))


@pytest.mark.parametrize("how", OTHER)
def test_another_act_is_another_one(how: str) -> None:
    assert not act_of(chat()).is_same_as(act_of(OTHER[how]))


@pytest.mark.parametrize("action", [Key(key="enter"), Type(text="See you", press_enter=True)])
def test_sending_by_a_key_is_sending(action: Action) -> None:
    empty = isinstance(action, Type)
    assert act_of(chat()).is_same_as(act_of(chat(draft="" if empty else "See you"), action))


def test_what_can_be_undone_is_no_such_act() -> None:
    assert describe_act(PlannedAction(action=Click(x=250, y=60)), chat(), GOAL) is None


def done(subtask: str = "1.1", attempt: int = 1, *, certain: bool = True) -> DoneAct:
    return DoneAct(act=act_of(chat()), step=3, number=1, subtask=subtask, attempt=attempt, certain=certain)


def at_work(subtask: str, attempt: int, *acts: DoneAct) -> TaskState:
    return TaskState(subtask=Subtask(id=subtask, title="x"), attempt=attempt, acts=acts)


@pytest.mark.parametrize(
    ("state", "held"),
    [
        (at_work("1.1", 1, done()), False),  # the goal may say it twice
        (at_work("1.1", 1, done(certain=False)), True),  # the device did not say that it was done
        (at_work("1.1", 2, done()), True),  # a hint, a fresh start, a resume
        (at_work("1.2", 2, done()), False),  # wanted side by side
        (at_work("2.1", 2, done()), True),  # another plan for the same thing
        (at_work("+1", 2, done()), False),  # the user wants more
        (at_work("abcdef", 2, done("abcdef")), True),  # the single loop
    ],
)
def test_who_may_do_it_once_more(state: TaskState, held: bool) -> None:
    assert (find_repeated(act_of(chat()), state) is not None) is held


def test_a_screen_tells_whether_it_was_sent() -> None:
    begun = DoneAct(act=act_of(chat()), step=1, number=1, subtask="", attempt=1, screen=name_screen(chat()))
    assert judge_doubt(begun, chat()) == "undone"
    assert judge_doubt(begun, chat("Bob", "", "See you")) == "done"
    assert judge_doubt(begun, chat("Bob", "See you", "See you")) == "unknown"
    assert judge_doubt(begun, chat("Bob", "")) == "unknown"
    assert judge_doubt(begun, chat("Bob", "", "See you", button="x")) == "done"
    web = DoneAct(act=act_of(chat()), step=1, number=1, subtask="", attempt=1, screen=name_screen(chat(source="dom")))
    assert judge_doubt(web, chat(source="dom")) == "unknown", "a page may send without a sign"


@pytest.mark.parametrize("draft", ["", "another draft"])
def test_a_text_that_stood_there_before_does_not_show_that_it_was_sent(draft: str) -> None:
    """A lost draft and an older message with the same words look like a message that went out."""
    before = chat("Bob", "See you", "See you")
    begun = DoneAct(act=act_of(before), step=1, number=1, subtask="", attempt=1, screen=name_screen(before))
    assert judge_doubt(begun, chat("Bob", draft, "See you")) == "unknown"
    assert judge_doubt(begun, chat("Bob", draft, "See you", "See you")) == "done"


def test_an_act_is_in_doubt_until_it_is_settled_or_done_again() -> None:
    unsure, other = done(certain=False), done().model_copy(update={"act": act_of(chat(draft="Bye"))})
    assert list_doubts(at_work("1.1", 1, unsure)) == (unsure,)
    assert list_doubts(at_work("1.1", 1, done(), unsure, other)) == (unsure,), "another one, or an earlier one"
    assert list_doubts(at_work("1.1", 1, unsure, done())) == ()
    assert list_doubts(at_work("1.1", 1, done())) == ()
