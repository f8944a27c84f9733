"""A subtask of many steps, each of which does something, ends where the user's own limits say and nowhere before."""

from pathlib import Path
from typing import Any

import pytest

from deskhand.build import Deskhand
from deskhand.core.statuses import TaskStatus
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ReceivedRequest, ScriptedCall, ScriptedStep, ScriptEntry
from deskhand.settings.load import load
from tests.devices.browser.browser_stage import script as in_page
from tests.devices.browser.browser_stage import serving

PRESSES = 34
PAGE = """<title>Counter</title><body style="font: 90px sans-serif">
<button style="font: inherit" onclick="up()">Tick</button> <button style="font: inherit" onclick="up()">Tock</button>
<p>0</p><script>count = 0; up = () => document.querySelector("p").textContent = ++count</script></body>"""


def step(**arguments: Any) -> ScriptedStep:
    return ScriptedStep(calls=(ScriptedCall(name="step", arguments=arguments),))


def press(name: str) -> ScriptEntry:
    """In turn, so that nothing is repeated: only the number of steps speaks against going on."""

    def reply(seen: ReceivedRequest) -> ScriptedStep:
        line = next(line for line in seen.text.splitlines() if f'"{name}"' in line and line.lstrip().startswith("["))
        return step(decision="actions", actions=[{"kind": "click", "element": int(line.strip()[1:].partition("]")[0])}])

    return reply


@pytest.mark.parametrize(
    ("give_up", "max_steps", "pressed"),
    [
        pytest.param(None, 60, PRESSES, id="nothing ends it"),
        pytest.param(12, 60, 12, id="the setting gives up"),
        pytest.param(None, 32, 32, id="max_steps ends it", marks=pytest.mark.slow),
    ],
)
async def test_a_long_subtask_goes_on_unless_the_settings_end_it(
    tmp_path: Path, give_up: int | None, max_steps: int, pressed: int
) -> None:
    done = step(decision="done", message="It is at 34.").model_copy(update={"times": 50})
    async with ModelServer([press("Tick"), press("Tock")] * (PRESSES // 2) + [done]) as server:
        tree = {
            "data_dir": tmp_path,
            "models": {"operator": {"model": "scripted", "base_url": server.url, "free": True}},
            "rules": {"give_up_steps": give_up} if give_up else {},
            "dispatcher": {"max_plans": 1},
            "settle": {"max_wait_ms": 200, "patience_ms": 100, "interval_ms": 50},
        }
        with serving() as site:
            async with Deskhand(load(tree)) as hand:
                state = await hand.run("Count up to 34", device="browser", url=site.page(PAGE), max_steps=max_steps)
                count = await in_page(hand.pool._open["browser"], "count")
    assert count == pressed or (give_up and pressed <= count < PRESSES), state.reason
    assert (state.status is TaskStatus.FULFILLED) == (pressed == PRESSES), state.reason
