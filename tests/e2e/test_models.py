"""The same small task by a model of every family, on a phone, in a browser and on a desktop, over the real wire.

What came of it is read from the phone, the page and the program themselves.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from deskhand.build import Deskhand
from deskhand.core.statuses import TaskStatus
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ReceivedRequest, ScriptedCall, ScriptedStep, ScriptEntry
from deskhand.settings.load import load
from deskhand.settings.schema import Settings
from deskhand.task.state import TaskState
from tests.devices.browser.browser_stage import Site, serving
from tests.devices.browser.browser_stage import script as in_page
from tests.devices.desktop.desktop_stage import Stage, install
from tests.e2e.speakers import FIELD, PROVIDERS, SPEAKERS, Finish, Move, Open, Touch, Write, script, tools

pytestmark = pytest.mark.asyncio(loop_scope="module")

GOAL = "Give your name to whoever waits for it"
WECHAT, CALCULATOR = "com.tencent.mm", "com.android.calculator2"
PAGE = """<title>waiting</title><body style="font-size: 20px"><p>Your name, please</p>
<input aria-label="Name"> <button onclick="document.title = 'Hello ' + document.querySelector('input').value">Send
</button></body>"""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("programs") / "share"
    install(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))
        yield folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hand(tmp_path_factory: pytest.TempPathFactory, programs: Path) -> AsyncIterator[Deskhand]:
    """One for all: its browser and its desktop stay open from task to task."""
    data = tmp_path_factory.mktemp("data")
    async with Deskhand(
        load(
            {
                "data_dir": data,
                "desktop": {"display": "own"},
                "policy": {"irreversible": "allow"},
                "simphone": {"locale": "zh"},
            }
        )
    ) as hand:
        yield hand


def staffed(settings: Settings, server: ModelServer, dialect: str, **fields: Any) -> Settings:
    operator = {
        "provider": PROVIDERS.get(dialect, "openai-compatible"),
        "model": "scripted",
        "base_url": server.url,
        "dialect": dialect,
        "free": True,
        **fields,
    }
    return Settings.model_validate({**settings.model_dump(), "models": {"operator": operator}})


@asynccontextmanager
async def worked(
    hand: Deskhand, dialect: str, moves: Sequence[Move], device: str, loop: Any, url: str = ""
) -> AsyncIterator[tuple[ModelServer, TaskState, Any]]:
    """A task that was fulfilled with exactly as many requests as steps; the device is still open."""
    leased: list[Any] = []
    async with ModelServer(script(SPEAKERS[dialect], moves, lambda: leased[0])) as server:
        hand.settings = staffed(hand.settings, server, dialect)
        async with hand.start(GOAL, device=device, url=url, loop=loop) as run:
            leased.append(hand.pool._open[device])  # the device itself, to ask it by other ways than the task's
            state = await run.wait()
            assert state.status is TaskStatus.FULFILLED, state.reason
            yield server, state, leased[0]
    assert server.unconsumed == []
    assert len(server.requests) == state.step == state.usage.calls == len(moves)
    assert state.failed_actions == 0


@pytest.mark.parametrize(("dialect", "loop"), list(zip(SPEAKERS, ["dual", "single"] * 3, strict=False)))
async def test_on_a_phone(hand: Deskhand, dialect: str, loop: str) -> None:
    moves = [Open("微信"), Touch("Bob"), FIELD, Write("Ada"), Touch("发送"), Finish()]
    async with worked(hand, dialect, moves, f"sim:{dialect}", loop):
        messages = hand.simulated.phones[dialect].read_state()["apps"][WECHAT]["chats"]["Bob"]["messages"]
        assert messages[-1] == {"from": "me", "text": "Ada"}


@pytest.mark.parametrize(("dialect", "loop"), list(zip(SPEAKERS, ["single", "dual"] * 3, strict=False)))
async def test_in_a_browser(hand: Deskhand, site: Site, dialect: str, loop: str) -> None:
    moves = [FIELD, Write("Ada"), Touch("Send"), Finish()]
    async with worked(hand, dialect, moves, "browser", loop, site.page(PAGE, f"/{dialect}.html")) as (*_, device):
        assert await in_page(device, "document.title") == "Hello Ada"


@pytest.mark.parametrize(("dialect", "loop"), list(zip(SPEAKERS, ["dual", "single"] * 3, strict=False)))
async def test_on_a_desktop(hand: Deskhand, programs: Path, dialect: str, loop: str) -> None:
    moves = [Open("GTK board"), FIELD, Write("Ada"), Touch("Press me"), Finish()]
    async with worked(hand, dialect, moves, "desktop", loop) as (*_, device):
        stage = Stage(device, programs)
        try:
            await stage.last("GTK board", "text", text="Ada")
            await stage.last("GTK board", "clicked")
        finally:
            await stage.clear()


# --- what it takes ------------------------------------------------------------------------------------------------


async def test_eight_actions_take_nine_requests_and_a_quarter_of_what_agent_s3_sends(hand: Deskhand) -> None:
    keys = [Touch(key) for key in ("1", "2", "×", "3", "4", "5", "=")]
    async with worked(hand, "tools", [Open("计算器"), *keys, Finish()], "sim:sums", "dual") as (server, state, _):
        assert hand.simulated.phones["sums"].read_state()["apps"][CALCULATOR]["history"] == ["12×345=4140"]
    assert (state.actions, len(server.requests)) == (8, 9)
    assert server.bytes_received <= 41_000_000 / 4
    assert max(len(seen.pictures) for seen in server.requests) == 1


async def test_several_actions_in_one_reply_take_one_request(hand: Deskhand) -> None:
    opened = {"kind": "open_app", "name": "计算器", "expect_app": "calculator"}
    said = {"decision": "actions", "actions": [opened, {"kind": "memorize", "text": "ready"}]}
    both = ScriptedStep(calls=(ScriptedCall(name="step", arguments=said),))
    async with ModelServer([both, tools(Finish(), (0, 0), (1, 1))]) as server:
        hand.settings = staffed(hand.settings, server, "tools")
        state = await hand.run(GOAL, device="sim:both", loop="single")
    assert (state.status, state.actions, state.notes) == (TaskStatus.FULFILLED, 2, ("ready",))
    assert len(server.requests) == state.step == 2


async def test_a_model_without_eyes_works_from_the_list_alone(hand: Deskhand) -> None:
    def press(name: str) -> ScriptEntry:
        def reply(seen: ReceivedRequest) -> ScriptedStep:
            (number,) = re.findall(rf'\[(\d+)\] button "{re.escape(name)}"', seen.text)
            said = {"decision": "actions", "actions": [{"kind": "click", "element": int(number)}]}
            return ScriptedStep(calls=(ScriptedCall(name="step", arguments=said),))

        return reply

    first, last = (tools(move, (0, 0), (1, 1)) for move in (Open("计算器"), Finish()))
    entries = [first, press("6"), press("×"), press("7"), press("="), last]
    async with ModelServer(entries, vision=False) as server:
        hand.settings = staffed(hand.settings, server, "tools", vision=False)
        state = await hand.run(GOAL, device="sim:blind")
    assert state.status is TaskStatus.FULFILLED, state.reason
    assert hand.simulated.phones["blind"].read_state()["apps"][CALCULATOR]["history"] == ["6×7=42"]
    assert not any(seen.pictures for seen in server.requests)
    assert server.bytes_received < 200_000
