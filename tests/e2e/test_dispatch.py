"""The outer loop with a scripted model for every role, over HTTP: what it looks up, checks, sends back and pays for."""

import re
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

import pytest

from deskhand.build import Deskhand
from deskhand.cli.event_lines import EventLines
from deskhand.core.statuses import TaskStatus
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ReceivedRequest, ScriptedCall, ScriptedStep, ScriptEntry
from deskhand.settings.schema import Settings
from deskhand.task.events import ActionEnded, GateClosed, PlanMade, Record, Ruled, Supplemented, TaskEnded
from deskhand.task.state import TaskState

E = TypeVar("E")
CALCULATOR = "com.android.calculator2"


class Office:
    """A Deskhand with a scripted model for each role that is named, and the log of its last task."""

    def __init__(self, folder: Path, scripts: dict[str, Sequence[ScriptEntry]], **settings: Any) -> None:
        self._settings = {"data_dir": folder / "data", **settings}
        self.servers = {role: ModelServer(script) for role, script in scripts.items()}
        self.log: list[Record] = []
        self.phone: dict[str, Any] = {}

    async def run(self, goal: str, *, to_the_last: bool = True, **model: Any) -> TaskState:
        """`to_the_last`: every reply has to be asked for. `model` are settings of every model."""
        async with AsyncExitStack() as stack:
            models: dict[str, Any] = {}
            for role, server in self.servers.items():
                await stack.enter_async_context(server)
                models[role] = {"model": "scripted", "base_url": server.url, "free": True, **model}
            settings = Settings.model_validate({**self._settings, "models": models})
            hand = await stack.enter_async_context(Deskhand(settings))
            state = await hand.run(goal, device="sim:desk")
            self.log = await hand.journal.read(state.task_id)
            self.phone = hand.simulated.phones["desk"].read_state()
        left = {role: server.unconsumed for role, server in self.servers.items() if server.unconsumed}
        assert not (to_the_last and left), left
        return state

    def asked(self, role: str) -> int:
        return len(self.servers[role].requests)

    def events(self, kind: type[E]) -> list[E]:
        return [record.event for record in self.log if isinstance(record.event, kind)]


def call(name: str, contains: str = "", **arguments: Any) -> ScriptedStep:
    return ScriptedStep(calls=(ScriptedCall(name=name, arguments=arguments),), contains=contains)


def plan(*titles: str, contains: str = "") -> ScriptedStep:
    parts = [{"title": title, "done_when": "", "role": "operator"} for title in titles]
    return call("plan", contains, subtasks=parts)


def act(kind: str, **fields: Any) -> ScriptedStep:
    return call("step", decision="actions", actions=[{"kind": kind, **fields}])


def done(words: str = "It is done.") -> ScriptedStep:
    return call("step", decision="done", message=words)


def press(name: str) -> ScriptEntry:
    """A click on what has this name in the numbered list of the request."""

    def reply(seen: ReceivedRequest) -> ScriptedStep:
        (number,) = re.findall(rf'\[(\d+)\] \w+ "{re.escape(name)}"', seen.text)
        return act("click", element=int(number))

    return reply


def judged(decision: str, reason: str, contains: str = "") -> ScriptedStep:
    good = decision == "gate_done"
    status = "GOOD" if good else "CRITICAL"
    return call("judge", contains, decision=decision, status=status, confidence=0.9, reason=reason)


def final(decision: str, reason: str) -> ScriptedStep:
    good = decision == "gate_done"
    answers = dict.fromkeys(("goal_reached", "steps_complete", "end_state_as_expected"), good)
    said = judged(decision, reason).calls[0].arguments
    return call("judge", **said, **answers, omissions=[] if good else [reason])


NEED = call("step", decision="supplement", message="What is the door code of the office?")


async def test_what_a_worker_lacks_is_found_in_a_file_and_the_next_plan_uses_it(tmp_path: Path) -> None:
    (tmp_path / "office.txt").write_text("The door code of the office is 4711.")
    office = Office(
        tmp_path,
        {
            "manager": [plan("Note the door code"), plan("Note 4711", contains="The door code of the office is 4711.")],
            "operator": [NEED, act("memorize", text="4711"), done()],
        },
        supplement={"folders": [tmp_path / "office.txt"]},
    )
    state = await office.run("Note the door code of the office")
    assert (state.status, state.notes) == (TaskStatus.FULFILLED, ("4711",)), state.reason
    (found,) = office.events(Supplemented)
    assert [(material.title, material.text) for material in found.materials] == [
        ("office.txt", "The door code of the office is 4711.")
    ]
    assert [made.reason for made in office.events(PlanMade)] == ["first_plan", "supplemented"]
    assert [seen.text.count("4711.") for seen in office.servers["manager"].requests] == [0, 1]


async def test_that_nothing_was_found_is_said_to_the_manager(tmp_path: Path) -> None:
    office = Office(
        tmp_path,
        {
            "manager": [plan("Note the door code"), call("plan", subtasks=[], impossible="Nobody knows the code.")],
            "operator": [NEED],
        },
    )
    state = await office.run("Note the door code of the office")
    assert (state.status, state.cause) == (TaskStatus.REJECTED, "failed")
    assert "Nobody knows the code." in state.reason
    (found,) = office.events(Supplemented)
    assert (found.need, found.materials, found.trouble) == ("What is the door code of the office?", (), "")
    told = office.servers["manager"].requests[1].text
    assert "What is the door code of the office?" in told
    assert "nothing was found" in told


async def test_eight_actions_in_two_subtasks_cost_fourteen_calls_with_plan_gates_and_final_check(
    tmp_path: Path,
) -> None:
    sums = [act("open_app", name="计算器"), *(press(key) for key in "6×7="), done("It is 42.")]
    chat = [act("open_app", name="微信"), press("Bob"), act("memorize", text="42"), done("Bob is there.")]
    office = Office(
        tmp_path,
        {
            "manager": [plan("Work out 6×7 in 计算器", "Show Bob in 微信")],
            "operator": [*sums, *chat],
            "evaluator": [
                judged("gate_done", "It shows 42.", contains="It is 42."),
                judged("gate_done", "Bob is shown."),
                final("gate_done", "Both are done."),
            ],
        },
    )
    state = await office.run("Work out 6×7, then show me Bob in 微信")
    assert state.status is TaskStatus.FULFILLED, state.reason
    assert office.phone["apps"][CALCULATOR]["history"] == ["6×7=42"]
    assert (state.actions, office.asked("operator"), state.step) == (8, 10, 10)
    assert sum(office.asked(role) for role in office.servers) == state.usage.calls <= 14


async def test_who_says_done_too_early_is_sent_back_by_the_gate(tmp_path: Path) -> None:
    office = Office(
        tmp_path,
        {
            "manager": [plan("Open 微信"), plan("Really open 微信", contains="The home screen is shown.")],
            "operator": [done("It is open."), act("open_app", name="微信"), done("Now it is.")],
            "evaluator": [
                judged("gate_fail", "The home screen is shown.", contains="It is open."),
                judged("gate_done", "It is in front."),
                final("gate_done", "It is in front."),
            ],
        },
    )
    state = await office.run("Open 微信")
    assert state.status is TaskStatus.FULFILLED, state.reason
    assert [gate.report.decision for gate in office.events(GateClosed)] == ["gate_fail", "gate_done", "gate_done"]
    assert [(made.reason, made.strategy) for made in office.events(PlanMade)][1] == ("gate_failed", "light")


async def test_a_final_check_that_fails_leads_to_a_new_plan(tmp_path: Path) -> None:
    office = Office(
        tmp_path,
        {
            "manager": [plan("Open 设置"), plan("Open 微信", contains="Nobody opened WeChat.")],
            "operator": [act("open_app", name="设置"), done(), act("open_app", name="微信"), done()],
            "evaluator": [
                judged("gate_done", "Settings are open."),
                final("gate_fail", "Nobody opened WeChat."),
                judged("gate_done", "WeChat is open."),
                final("gate_done", "Both were opened."),
            ],
        },
    )
    state = await office.run("Open 设置, then 微信")
    assert state.status is TaskStatus.FULFILLED, state.reason
    assert [made.reason for made in office.events(PlanMade)] == ["first_plan", "final_check_failed"]
    gates = office.events(GateClosed)
    assert [gate.report.by for gate in gates] == ["model"] * 4
    lines = EventLines()
    end = TaskEnded(status=TaskStatus.REJECTED, cause="failed", reason="something else")
    shown = [
        line
        for event in (*gates[:2], end)
        for line in lines.describe_record(Record(seq=1, task_id="t", at=0, event=event))
    ]
    assert "checked: Settings are open." in shown[0]
    assert "the check failed: Nobody opened WeChat." in shown[1]


async def test_a_part_that_fails_is_replanned_light_medium_heavy_and_then_goes_to_the_person(tmp_path: Path) -> None:
    plans = [plan("Press the red button"), plan("Look for it"), plan("Scroll to it"), plan("Search for it")]
    fail = call("step", decision="fail", message="There is no red button.")
    office = Office(tmp_path, {"manager": plans, "operator": [fail] * 4})
    state = await office.run("Press the red button")
    assert [made.strategy for made in office.events(PlanMade)[1:]] == ["light", "medium", "heavy"]
    assert (state.status, state.cause) == (TaskStatus.REJECTED, "failed")
    assert "the user is needed" in state.reason
    assert "There is no red button." in state.reason
    assert "There is no red button." in office.servers["manager"].requests[-1].text


async def test_eleven_identical_actions_of_a_model_are_caught_after_three(tmp_path: Path) -> None:
    def work(seen: ReceivedRequest) -> ScriptedStep:
        return done() if "Leave it alone" in seen.text else act("click", x=540, y=40)

    def judge(seen: ReceivedRequest) -> ScriptedStep:
        if "FINAL_CHECK" in seen.text:
            return final("gate_done", "nothing is left to do")
        if "WORKER_SUCCESS" in seen.text:
            return judged("gate_done", "it was left alone")
        return judged("gate_fail", "it clicks the same spot again and again")

    scripts: dict[str, Sequence[ScriptEntry]] = {
        "manager": [plan("Click until something happens"), plan("Leave it alone", contains="again and again")],
        "operator": [work] * 20,
        "evaluator": [judge] * 20,
    }
    office = Office(tmp_path, scripts)
    state = await office.run("Make something happen", to_the_last=False)
    assert state.status is TaskStatus.FULFILLED, state.reason
    first = office.events(Ruled)[0].ruling
    assert (first.rule, first.trigger) == ("repeated_action", "REPEATED_ACTION")
    assert "3 times in a row" in first.reason
    assert 3 <= len(office.events(ActionEnded)) < 11
    assert office.events(GateClosed)[0].report.by == "model"


@pytest.mark.parametrize(
    ("cause", "reply", "settings", "model", "words"),
    [
        ("steps", act("memorize", text="x"), {"executor": {"max_steps": 2}}, {}, "the limit of 2 steps was reached"),
        ("time", ScriptedStep(text="x", first_byte_s=60), {"time_limit_s": 4}, {}, "the time limit of 4 s was reached"),
        ("model", ScriptedStep(status=401), {}, {}, "refused the key for scripted"),
        (
            "budget", act("memorize", text="x"), {"budget": {"task": "0.03"}},
            {"free": False, "price": {"input": "1", "output": "1"}}, "raise it with --budget",
        ),
        ("failed", call("step", decision="ask", message="Which of the two?"), {}, {}, "the user is needed: Which of"),
    ],
    ids=("steps", "time", "model", "budget", "failed"),
)  # fmt: skip
async def test_each_end_has_its_name(
    tmp_path: Path, cause: str, reply: ScriptedStep, settings: dict[str, Any], model: dict[str, Any], words: str
) -> None:
    office = Office(tmp_path, {"operator": [reply] * 20}, **settings)
    state = await office.run("打开设置", to_the_last=False, **model)
    assert (state.status, state.cause) == (TaskStatus.REJECTED, cause), state.reason
    assert words in state.reason
