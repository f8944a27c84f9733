"""A model that gets every parameter wrong is told so, action by action; it never ends the task with it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from deskhand.build import Deskhand
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ReceivedRequest, ScriptedCall, ScriptedStep
from deskhand.settings.load import load
from tests.contract.absurd_actions import ABSURD
from tests.devices.browser.browser_stage import Site, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

POINT = {"x": 5, "y": 5}
# What the grammar of actions refuses by itself.
MALFORMED: list[dict[str, Any]] = [
    {"kind": "fly"}, {"kind": ""}, {"kind": None}, {}, {"kind": "click"}, {"kind": "click", "x": "left", "y": "top"},
    {"kind": "click", "x": -1, "y": -1}, {"kind": "click", "x": 1e12, "y": 1e12}, {"kind": "click", "element": 99_999},
    {"kind": "click", "element": -1}, {"kind": "key"}, {"kind": "key", "key": ""}, {"kind": "key", "key": "x" * 41},
    {"kind": "key", "key": 7}, {"kind": "hotkey", "keys": []}, {"kind": "hotkey", "keys": list("abcdefg")},
    {"kind": "hotkey", "keys": "ctrl"}, {"kind": "type"}, {"kind": "type", "text": 5}, {"kind": "wait", "seconds": -1},
    {"kind": "wait", "seconds": "soon"}, {"kind": "wait", "seconds": 1e9}, {"kind": "scroll", "direction": "sideways"},
    {"kind": "scroll", "pages": 0}, {"kind": "scroll", "x": 5}, {"kind": "long_press", **POINT, "duration_ms": -5},
    {"kind": "long_press", **POINT, "duration_ms": 10**9}, {"kind": "drag", **POINT}, {"kind": "swipe", **POINT},
    {"kind": "open_url"}, {"kind": "open_url", "url": ""}, {"kind": "open_app", "name": ""}, {"kind": "answer"},
    {"kind": "memorize", "text": ""}, {"kind": "take_over", "reason": ""}, {"kind": "switch_window", "title": ""},
    {"kind": "run_code", "code": ""}, {"kind": "click", **POINT, "colour": "red"},
]  # fmt: skip
SCRIPTS = {"malformed": MALFORMED} | {
    kind: [{"kind": kind, **fields} for fields in several] for kind, several in ABSURD.items()
}


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hand(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Deskhand]:
    """One for all: its devices stay open from task to task."""
    patience: dict[str, Any] = {
        "executor": {"max_failures": 100, "max_steps": 200},
        "rules": {"steps_without_progress": 100},
        "settle": {"max_wait_ms": 50, "max_opening_ms": 50, "patience_ms": 0, "interval_ms": 20},
        "desktop": {"display": "own"},
        "policy": {"irreversible": "allow"},
    }
    async with Deskhand(load({"data_dir": tmp_path_factory.mktemp("data"), **patience})) as hand:
        yield hand


def step(**arguments: Any) -> ScriptedStep:
    return ScriptedStep(calls=(ScriptedCall(name="step", arguments=arguments),))


@pytest.mark.parametrize(
    "device", ["browser", *(pytest.param(name, marks=pytest.mark.slow) for name in ("desktop", "sim:confused"))]
)
@pytest.mark.parametrize("script", SCRIPTS)
async def test_every_wrong_parameter_is_fed_back(
    hand: Deskhand, site: Site, device: str, script: str, tmp_path: Path
) -> None:
    said = [step(decision="actions", actions=[action]) for action in SCRIPTS[script]]
    done = step(decision="done", message="I give up.")
    async with ModelServer([*said, done]) as server:
        operator = {"model": "scripted", "base_url": server.url, "free": True, "coordinates": "pixels", "retries": 0}
        settings = hand.settings.model_copy(update={"models": load({"models": {"operator": operator}}).models})
        url = site.page("<title>Page</title><input autofocus>") if device == "browser" else ""
        async with hand.start("Try", device=device, url=url, loop="single", settings=settings) as task:
            state = await task.wait()
        assert (state.cause, state.reason) == ("done", "I give up."), state.reason
        assert len(server.requests) == len(said) + 1, "each of them was answered, one by one"


async def test_a_key_that_nobody_has_is_told_in_the_next_request(hand: Deskhand, site: Site) -> None:
    def look(seen: ReceivedRequest) -> ScriptedStep:
        assert 'There is no key "refresh"' in json.dumps(seen.body, ensure_ascii=False).replace('\\"', '"')
        return step(decision="done", message="I see.")

    said = step(decision="actions", actions=[{"kind": "key", "key": "refresh"}])
    async with ModelServer([said, look]) as server:
        operator = {"model": "scripted", "base_url": server.url, "free": True, "coordinates": "pixels"}
        settings = hand.settings.model_copy(update={"models": load({"models": {"operator": operator}}).models})
        url = site.page("<title>Page</title>")
        async with hand.start("Try", device="browser", url=url, loop="single", settings=settings) as task:
            assert (await task.wait()).reason == "I see."
