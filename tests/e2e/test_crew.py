"""All workers on one goal: planned by a model, done by operator, technician and analyst, each checked."""

from pathlib import Path
from typing import Any

from deskhand.build import Deskhand
from deskhand.config import Settings
from deskhand.models.scripted import ScriptedCall, Step
from deskhand.models.server import ModelServer
from deskhand.types import SubtaskStatus, TaskStatus

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
    plan = Step(calls=(ScriptedCall(name="plan", arguments={"subtasks": PLAN}),))
    code = "```python\nprint(6 * 7)\nopen('product.txt', 'w').write('42')\n```"
    async with (
        ModelServer([plan]) as manager,
        ModelServer([code, Step(text="DONE: Six times seven is 42.", contains="Exit code 0.")]) as technician,
        ModelServer([Step(text="DONE: It was 42.", contains="Six times seven is 42.")]) as analyst,
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
