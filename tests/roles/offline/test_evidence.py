"""Proofs: every instruction needs one of its kind, what is seen to have sprung back counts no more, at every gate."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from deskhand.core.geometry import Rect
from deskhand.core.planning import GateDecision, GateRequest, GateTrigger, QualityReport
from deskhand.core.screen import Element, Frame, Observation
from deskhand.core.statuses import SubtaskStatus
from deskhand.core.subtask import Subtask
from deskhand.roles.offline.bookmark import WorkerPlace, read_own_place, read_place
from deskhand.roles.offline.evaluator import OfflineEvaluator
from deskhand.roles.offline.evidence.needs import describe_missing, is_proof_of
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.grammar import parse_goal
from deskhand.roles.offline.outcome import Finished
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.worker import _STRATEGIES  # pyright: ignore[reportPrivateUsage]

BLANK = Frame(np.zeros((800, 400, 4), np.uint8))
PLACE = "app"
SWITCH = Element(1, "switch", Rect(300, 100, 380, 140), name="Wi-Fi", checked=True, clickable=True)
FIELD = Element(2, "field", Rect(10, 200, 300, 240), name="Name", value="Alice", editable=True)
NOTE = Element(3, "item", Rect(10, 300, 390, 340), name="Milk", clickable=True)
TITLE = Element(4, "text", Rect(100, 10, 200, 40), name="Bob")
BUBBLE = Element(5, "text", Rect(250, 400, 390, 440), name="hi")
BOX = Element(6, "field", Rect(10, 700, 300, 740), name="Message", editable=True)
MARK = Element(7, "image", Rect(220, 400, 245, 440), name="!")
COUNTRY = Element(8, "combobox", Rect(10, 500, 300, 540), name="Country", value="Germany", editable=False)
SECRET = Element(9, "field", Rect(10, 600, 300, 640), name="Password", editable=True, password=True)


def screen(*elements: Element, app: str = PLACE, home: bool | None = None) -> Observation:
    return Observation(BLANK, elements, app=app, at_home=home)


def bookmark(*proofs: Proof | None) -> str:
    kept = [proof and dataclasses.replace(proof, where=PLACE) for proof in proofs]
    return WorkerPlace(index=len(proofs), proofs=kept).to_text()


def gate(goal: str, seen: Observation, *proofs: Proof | None, **fields: Any) -> GateRequest:
    told: dict[str, Any] = {
        "trigger": GateTrigger.WORKER_SUCCESS, "depth": "low", "goal": goal, "subtask": Subtask(id="1", title=goal),
        "observation": seen, "before": None, "claim": "done", "steps": 3, "error_rate": 0.0, "changed": 1.0,
        "bookmark": bookmark(*proofs),
    }  # fmt: skip
    return GateRequest(**told | fields)


def final(goal: str, seen: Observation, parts: Sequence[tuple[str, str]], **fields: Any) -> GateRequest:
    """`parts`: title and bookmark of each subtask."""
    done = [Subtask(id=f"1.{n}", title=title, status=SubtaskStatus.FULFILLED) for n, (title, _) in enumerate(parts)]
    kept = tuple((f"1.{n}", text) for n, (_, text) in enumerate(parts) if text)
    given = {"trigger": GateTrigger.FINAL_CHECK, "subtask": None, "subtasks": tuple(done), "bookmarks": kept}
    return gate(goal, seen, **given | fields)


async def judge(request: GateRequest) -> QualityReport:
    return await OfflineEvaluator().check(request)


def test_every_instruction_that_can_be_carried_out_has_a_proof_that_it_needs() -> None:
    helping = {say.Another, say.StartAgain}
    scene = Scene.from_screen("x", Subtask(id="", title="x"), screen())
    for kind in set(_STRATEGIES) - helping:
        blank = kind(*["x"] * len([f for f in dataclasses.fields(kind) if f.default is dataclasses.MISSING]))
        assert "no proof of it" not in describe_missing(blank, scene), kind
        assert not is_proof_of(blank, Proof("carried")) or kind in (
            say.Pausing, say.PressKey, say.Hover, say.Edit, say.GoToCell,
        ), kind  # fmt: skip


WIFI, NAME = Proof("state", "Wi-Fi", "on"), Proof("text", "Name", "Alice")
SENT, GONE = Proof("sent", "Bob", "hi"), Proof("gone", "Milk", before="1")
PICKED, CREATED = Proof("value", "Country", "Germany"), Proof("seen", "Milk")
TALK = (TITLE, BUBBLE, BOX)
OFF = dataclasses.replace(SWITCH, checked=False)
EMPTIED = dataclasses.replace(FIELD, value="")
OTHER = dataclasses.replace(COUNTRY, value="France")
# goal, its proof, the screen on which it holds, one that contradicts it, what is told of that
AGAIN = {
    "switch": ("turn on Wi-Fi", WIFI, (SWITCH,), (OFF,), "off again"),
    "switch zh": ("打开Wi-Fi开关", WIFI, (SWITCH,), (OFF,), "关闭"),
    "text": ('type "Alice" into Name', NAME, (FIELD,), (EMPTIED,), "now holds"),
    "text zh": ("在Name里输入“Alice”", NAME, (FIELD,), (EMPTIED,), "输入框里现在是"),
    "choice": ("select Germany in Country", PICKED, (COUNTRY,), (OTHER,), "France"),
    "message": ('send "hi" to Bob', SENT, TALK, (*TALK, MARK), "“!”"),
    "message zh": ("给Bob发消息“hi”", SENT, TALK, (*TALK, MARK), "聊天里显示"),
    "deleted": ("delete Milk", GONE, (TITLE,), (TITLE, NOTE), "there again"),
    "created": ("create a note titled Milk", CREATED, (NOTE,), (TITLE,), "not there any more"),
    "logged in": (
        'log in as "ada" with password "pw"', Proof("entered", "ada"), (TITLE,), (SECRET,), "asked again",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", AGAIN)
async def test_a_proof_that_can_be_seen_is_looked_at_again_at_the_gate_and_at_the_end(name: str) -> None:
    goal, proof, holds, undone, told = AGAIN[name]
    for elements, good in ((holds, True), (undone, False)):
        seen = screen(*elements)
        for request in (gate(goal, seen, proof), final(goal, seen, [(goal, bookmark(proof))])):
            report = await judge(request)
            assert (report.decision is GateDecision.DONE) is good, report.reason
            assert good or (told in report.reason and parse_goal(goal)[0].source in report.reason), report.reason


@pytest.mark.parametrize("name", AGAIN)
async def test_where_it_can_not_be_seen_a_proof_stands_by_its_record(name: str) -> None:
    goal, proof, _, undone, _ = AGAIN[name]
    for seen in (screen(), screen(*undone, app="another"), Observation(BLANK, None, app=PLACE)):
        if name == "created" and seen.elements == ():
            continue  # an empty list is a list without it
        report = await judge(gate(goal, seen, proof))
        assert report.decision is GateDecision.DONE, report.reason


@pytest.mark.parametrize(
    ("goal", "proofs"),
    [
        ("turn on Wi-Fi", ()),
        ("turn on Wi-Fi", (None,)),
        ("turn on Wi-Fi", (Proof("changed"),)),
        ('turn on Wi-Fi, send "hi" to Bob', (WIFI,)),
        ('turn on Wi-Fi, send "hi" to Bob', (WIFI, Proof("seen", "hi"))),
        ("打开Wi-Fi开关，给Bob发消息“hi”", (WIFI, Proof("reacted"))),
        ("drag Milk onto Done", (Proof("changed"),)),
        ("call Bob", (Proof("changed"),)),
        ("delete Milk", (Proof("carried"),)),
    ],
)
async def test_what_has_no_proof_of_its_kind_is_named_and_not_done(goal: str, proofs: tuple[Proof | None]) -> None:
    report = await judge(gate(goal, screen(SWITCH), *proofs))
    assert report.decision is GateDecision.FAIL
    assert parse_goal(goal)[-1].source in report.reason
    assert ("没有得到证明" if "打开" in goal else "is not proven") in report.reason


async def test_what_a_later_instruction_changed_is_no_contradiction() -> None:
    goal = "turn on Wi-Fi, turn off Wi-Fi"
    report = await judge(gate(goal, screen(OFF), WIFI, Proof("state", "Wi-Fi", "off")))
    assert report.decision is GateDecision.DONE, report.reason
    handed_in = 'type "Alice" into Name, click Submit'
    report = await judge(gate(handed_in, screen(EMPTIED), NAME, Proof("changed")))
    assert report.decision is GateDecision.DONE, report.reason
    report = await judge(gate("delete Milk, create a note titled Milk", screen(NOTE), GONE, CREATED))
    assert report.decision is GateDecision.DONE, report.reason


async def test_an_app_that_left_by_itself_is_not_open() -> None:
    opened = Proof("front", "Settings", PLACE)
    for seen, good in ((screen(app=PLACE), True), (screen(app="launcher", home=True), False)):
        report = await judge(gate("open Settings", seen, opened))
        assert (report.decision is GateDecision.DONE) is good, report.reason


async def test_the_whole_goal_is_held_to_its_instructions() -> None:
    goal = 'open Settings, turn on Wi-Fi, open WeChat, send "hi" to Bob'
    first = ("open Settings, turn on Wi-Fi", bookmark(Proof("front", "Settings"), WIFI))
    second = ('open WeChat, send "hi" to Bob', bookmark(Proof("front", "WeChat"), SENT))
    report = await judge(final(goal, screen(*TALK), [first, second]))
    assert report.decision is GateDecision.DONE, report.reason
    report = await judge(final(goal, screen(*TALK), [second]))
    assert report.decision is GateDecision.FAIL
    assert "turn on Wi-Fi" in report.reason
    # what the user took back is not missing
    report = await judge(final(goal, screen(*TALK), [second], said=("skip the Wi-Fi",)))
    assert report.decision is GateDecision.DONE
    # begun afresh
    report = await judge(final(goal, screen(*TALK), [("go home, " + first[0], bookmark(
        Proof("front"), Proof("front", "Settings"), WIFI)), second]))  # fmt: skip
    assert report.decision is GateDecision.DONE, report.reason


async def test_a_plan_in_other_words_and_a_worker_without_proofs_are_judged_as_before() -> None:
    goal = "make the phone quiet and tell Bob"
    report = await judge(final(goal, screen(*TALK), [('send "hi" to Bob', bookmark(SENT))]))
    assert report.decision is GateDecision.DONE, report.reason
    report = await judge(final(goal, screen(*TALK), [("whatever a model wrote", "")]))
    assert report.decision is GateDecision.DONE, report.reason
    report = await judge(gate(goal, screen(*TALK), bookmark=""))
    assert report.decision is GateDecision.DONE, report.reason


def test_proofs_are_kept_by_instruction_when_the_work_goes_back() -> None:
    place = WorkerPlace()
    for kind in ("front", "text", "changed"):
        place.finish_instruction(Finished("", Proof(kind)), PLACE)
    place.index = 1
    place.finish_instruction(Finished("", Proof("read")), "elsewhere")
    assert [proof and (proof.kind, proof.where) for proof in place.proofs] == [("front", PLACE), ("read", "elsewhere")]
    assert read_place(place.to_text()) == place


def test_an_old_bookmark_has_no_proofs_of_what_was_done_before() -> None:
    place = WorkerPlace(index=2)
    place.finish_instruction(Finished("", Proof("front")), PLACE)
    assert place.proofs == [None, None, Proof("front", where=PLACE)]
    assert read_own_place("") is None
    assert read_own_place("an answer of another worker") is None
