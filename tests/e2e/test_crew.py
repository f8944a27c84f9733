"""All workers on one goal: planned by a model, done by operator, technician and analyst, each checked."""

from pathlib import Path
from typing import Any

import pytest

from deskhand.build import Deskhand
from deskhand.core.statuses import SubtaskStatus, TaskStatus
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedCall, ScriptedStep
from deskhand.settings.schema import Settings

PLAN = [
    {"title": "打开设置", "done_when": "", "role": "operator"},
    {"title": "Work out six times seven", "done_when": "the product is known", "role": "technician"},
    {"title": "打开微信", "done_when": "", "role": "operator"},
    {"title": "打开时钟", "done_when": "", "role": "operator"},
    {"title": "Say which number was worked out", "done_when": "it is said", "role": "analyst"},
]


def model(server: ModelServer) -> dict[str, Any]:
    return {"model": "scripted", "base_url": server.url, "free": True}


async def test_a_goal_over_three_apps_with_code_and_an_answer(tmp_path: Path) -> None:
    plan = ScriptedStep(calls=(ScriptedCall(name="plan", arguments={"subtasks": PLAN}),))
    code = "```python\nprint(6 * 7)\nopen('product.txt', 'w').write('42')\n```"
    async with (
        ModelServer([plan]) as manager,
        ModelServer([code, ScriptedStep(text="DONE: Six times seven is 42.", contains="Exit code 0.")]) as technician,
        ModelServer([ScriptedStep(text="DONE: It was 42.", contains="Six times seven is 42.")]) as analyst,
    ):
        models = {"manager": model(manager), "technician": model(technician), "analyst": model(analyst)}
        settings = Settings.model_validate({"data_dir": tmp_path, "models": models, "policy": {"run_code": "allow"}})
        async with Deskhand(settings) as hand:
            state = await hand.run("Open three apps and work out six times seven", device="sim", loop="dual")
    assert state.status is TaskStatus.FULFILLED, state.reason
    assert [server.unconsumed for server in (manager, technician, analyst)] == [[], [], []]
    assert [(part.role, part.status) for part in state.plan] == [
        (part["role"], SubtaskStatus.FULFILLED) for part in PLAN
    ]
    assert state.answers == ("It was 42.",)
    assert [(file.name, file.text) for file in state.artifacts] == [("product.txt", "42")]
    assert "It was 42." in state.reason


def plan(*parts: dict[str, str]) -> ScriptedStep:
    return ScriptedStep(calls=(ScriptedCall(name="plan", arguments={"subtasks": list(parts)}),))


@pytest.fixture
def no_bwrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.usefixtures("no_bwrap")
@pytest.mark.parametrize(
    ("allowed", "offered"), [(False, ["operator", "analyst"]), (True, ["operator", "technician", "analyst"])]
)
async def test_only_those_who_can_work_here_are_offered_to_the_planner(
    tmp_path: Path, allowed: bool, offered: list[str]
) -> None:
    async with ModelServer([plan(PLAN[0])]) as manager:
        tree = {"data_dir": tmp_path, "models": {"manager": model(manager)}, "sandbox": {"allow_unsandboxed": allowed}}
        async with Deskhand(Settings.model_validate(tree)) as hand:
            state = await hand.run("Open the settings", device="sim")
    assert state.status is TaskStatus.FULFILLED, state.reason
    (asked,) = manager.requests
    parts = asked.body["tools"][0]["function"]["parameters"]["properties"]["subtasks"]["items"]
    assert parts["properties"]["role"]["enum"] == offered
    assert ("echnician" in asked.text) is allowed


@pytest.mark.usefixtures("no_bwrap")
@pytest.mark.parametrize(
    ("goal", "sentence"),
    [
        ("Open Settings, then run `echo hello`", "not possible here: install bubblewrap"),
        ("运行 `echo hello`", "请安装 bubblewrap"),
    ],
)
async def test_without_a_sandbox_no_plan_is_made_for_code(tmp_path: Path, goal: str, sentence: str) -> None:
    async with Deskhand(Settings(data_dir=tmp_path)) as hand:
        state = await hand.run(goal, device="sim")
    assert (state.cause, state.step) == ("failed", 0), "nothing is begun that can't be ended"
    assert sentence in state.reason


async def test_code_that_was_planned_where_it_could_run_is_no_crash_where_it_can_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "```bash\necho hello\n```"
    no_way = ScriptedStep(calls=(ScriptedCall(name="plan", arguments={"subtasks": [], "impossible": "no sandbox"}),))
    async with (
        ModelServer([plan(PLAN[1]), no_way]) as manager,
        ModelServer(
            [
                ScriptedStep(text=code, first_byte_s=60),
                code,
                ScriptedStep(text="FAIL: no code here", contains="bubblewrap"),
            ]
        ) as coder,
    ):
        models = {"manager": model(manager), "technician": model(coder)}
        settings = Settings.model_validate({"data_dir": tmp_path, "models": models, "policy": {"run_code": "allow"}})
        async with Deskhand(settings) as hand:
            async with hand.start("Work it out", device="sim") as run:
                await coder.wait_until(lambda server: len(server.requests) == 1, timeout=60)
                await run.stop()
            monkeypatch.setenv("PATH", str(tmp_path))
            async with hand.resume(run.task_id) as again:
                state = await again.wait()
    assert (state.cause, state.reason) == ("failed", "no sandbox")
    assert coder.unconsumed == manager.unconsumed == []
