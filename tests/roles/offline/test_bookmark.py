"""The bookmark's text: every place comes back from it as it was, and what can't be read is the beginning."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.geometry import Rect
from deskhand.roles.offline.bookmark import Detour, LastReply, WorkerPlace, read_place
from deskhand.roles.offline.memory import (
    ComputeMemory,
    GoalMemory,
    HuntMemory,
    InstructionMemory,
    MoveMemory,
    OpenMemory,
    SendMemory,
    Taken,
    ToggleMemory,
    WriteMemory,
)

# Texts of a journal are UTF-8: no lone surrogates.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
COUNTS = st.integers(0, 9)
TRACES = st.tuples(TEXTS, st.builds(Rect, COUNTS, COUNTS, COUNTS, COUNTS))
MEMORIES = st.builds(
    InstructionMemory,
    home=st.booleans(),
    hunt=st.builds(HuntMemory, left=st.lists(TEXTS, max_size=3).map(tuple), turns=COUNTS),
    open=st.builds(OpenMemory, way=st.sampled_from(["", "app", "page"]), pages=st.lists(COUNTS, max_size=2).map(tuple)),
    toggle=st.builds(ToggleMemory, app=st.none() | TEXTS, touches=COUNTS),
    write=st.builds(WriteMemory, results=st.none() | TEXTS, shift=st.integers(-50, 50)),
    send=st.builds(SendMemory, sent=st.booleans(), before=COUNTS),
    compute=st.builds(ComputeMemory, left=st.none() | st.lists(TEXTS, max_size=3).map(tuple)),
    move=st.builds(MoveMemory, left=st.none() | st.floats(0, 100)),
)
PLACES = st.builds(
    WorkerPlace,
    index=COUNTS,
    memory=MEMORIES,
    kept=st.builds(
        GoalMemory,
        taken=st.none() | st.builds(Taken, TEXTS, TRACES, COUNTS, st.none() | COUNTS),
        wrong=st.lists(st.tuples(TEXTS, TRACES), max_size=2).map(tuple),
    ),
    done=st.lists(TEXTS, max_size=3),
    extra=st.lists(TEXTS, max_size=3),
    detour=st.none() | st.builds(Detour, st.lists(TEXTS, max_size=2).map(tuple), COUNTS, COUNTS, MEMORIES),
    reply=st.none() | st.builds(LastReply, COUNTS, COUNTS, TEXTS),
)


@given(place=PLACES)
def test_a_place_comes_back_from_its_text_as_it_was(place: WorkerPlace) -> None:
    assert read_place(place.to_text()) == place


def test_the_beginning_takes_two_letters() -> None:
    assert WorkerPlace().to_text() == "{}"


@pytest.mark.parametrize(
    "text",
    ["", "not mine", "7", "[]", '"memo"', '{"index":"x"}', '{"memory":{"send":{"sent":"perhaps"}}}', '{"memo":1}'],
)
def test_what_can_not_be_read_is_the_beginning(text: str) -> None:
    assert read_place(text) == WorkerPlace()


def test_a_bookmark_of_before_the_records_still_knows_what_was_sent() -> None:
    memo = {"hunt": {"left": ["scroll"], "turns": 1, "names": []}, "typed": 1, "before": 2, "sent": True, "looks": 1}
    old = {"i": 3, "memo": memo, "kept": {"dismissed": 1}, "done": ["opened Messages"], "extra": ["go home"]}
    place = read_place(json.dumps(old))
    assert (place.index, place.done, place.extra) == (3, ["opened Messages"], ["go home"])
    assert place.memory.send == SendMemory(typed=1, before=2, sent=True, looks=1)
    assert place.memory.hunt == HuntMemory()


def test_fields_that_meant_something_else_in_an_old_bookmark_are_left_out() -> None:
    memo = {"entered": ["Wi-Fi"], "touches": 1, "app": "settings"}
    place = read_place(json.dumps({"i": 0, "memo": memo, "kept": {}, "done": [], "extra": []}))
    assert place.memory.toggle == ToggleMemory(touches=1, app="settings", entered=("Wi-Fi",))
    assert place.memory.write == WriteMemory()
