"""A secret is typed where it belongs and is seen nowhere else: not on disk, not by a model, not in what is printed.

Pictures are read as a person would read them, with a reader of the tests' own.
"""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from rapidfuzz.fuzz import partial_ratio

from deskhand.build import Deskhand
from deskhand.core.errors import SettingsError, UsageError
from deskhand.core.screen import Frame
from deskhand.core.statuses import ExecStatus, TaskStatus
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ReceivedRequest, ScriptedCall, ScriptedStep, ScriptEntry
from deskhand.screen.frame import decode_frame, shrink_frame
from deskhand.screen.ocr.screen_text import ScreenText
from deskhand.settings.load import load
from tests.devices.browser.browser_stage import Site
from tests.devices.browser.browser_stage import script as in_page

USER, PASSWORD = "Walrus-Quartz-58", "Gift&Zebra 93+x"
WECHAT = "com.tencent.mm"
LOGIN = """<title>Sign in</title><body style="font: 24px sans-serif">
<form onsubmit="event.preventDefault(); document.body.innerHTML =
  '<h1>Welcome, ' + user.value + '!</h1><p>Your account is open.</p><p id=got hidden></p>';
  document.title = 'Account of ' + user.value; window.got = [user.value, password.value]">
<p><label>User name <input id="user" style="font: inherit"></label></p>
<p><label>Password <input id="password" type="password" style="font: inherit"></label></p>
<button style="font: inherit">Log in</button></form>
<script>const user = document.getElementById("user"), password = document.getElementById("password")</script></body>"""


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One secret in a variable, one in the user's file."""
    monkeypatch.setenv("DESKHAND_CONFIG", str(tmp_path / "own" / "config.toml"))
    monkeypatch.setenv("DESKHAND_SECRET_USER", USER)
    file = tmp_path / "own" / "secrets.toml"
    file.parent.mkdir()
    file.write_text(f'PASSWORD = "{PASSWORD}"\n')
    file.chmod(0o600)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
async def reader() -> AsyncIterator[ScreenText]:
    reader = ScreenText()
    yield reader
    reader.close()


# --- where a secret might be ---------------------------------------------------------------------------------------


def forms(secret: str) -> Iterable[bytes]:
    for text in (secret, quote(secret), quote(secret, safe=""), json.dumps(secret)[1:-1]):
        yield text.encode()
    yield base64.b64encode(secret.encode())
    yield secret.encode("utf-16-le")


def in_bytes(content: bytes) -> bool:
    return any(form in content for secret in (USER, PASSWORD) for form in forms(secret))


async def on_picture(reader: ScreenText, frame: Frame) -> str:
    """What is read there of a secret, misread letters forgiven."""
    for line in await reader.read_lines(shrink_frame(frame)):
        for secret in (USER, PASSWORD):
            if len(line.text) >= 6 and partial_ratio(_letters(secret), _letters(line.text)) > 70:
                return line.text
    return ""


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def no_bytes_on_disk(data: Path) -> None:
    files = [file for file in data.rglob("*") if file.is_file()]
    assert [file for file in files if in_bytes(file.read_bytes())] == []


async def nothing_on_disk(data: Path, reader: ScreenText) -> None:
    no_bytes_on_disk(data)
    frames = list(data.rglob("*.jpg"))
    assert frames
    for file in frames:
        assert not await on_picture(reader, decode_frame(file.read_bytes())), file


async def nothing_was_told(server: ModelServer, reader: ScreenText) -> None:
    for seen in server.requests:
        assert not in_bytes(json.dumps(seen.body, ensure_ascii=False).encode())
        assert not in_bytes(json.dumps(seen.body).encode())
        for picture in seen.pictures:
            frame = decode_frame(base64.b64decode(picture.partition("base64,")[2] or picture))
            assert not await on_picture(reader, frame)


# --- models --------------------------------------------------------------------------------------------------------


def call(name: str, **arguments: Any) -> ScriptedStep:
    return ScriptedStep(calls=(ScriptedCall(name=name, arguments=arguments),))


def act(kind: str, **fields: Any) -> ScriptedStep:
    return call("step", decision="actions", actions=[{"kind": kind, **fields}])


DONE = call("step", decision="done", message="It is done.")


def press(name: str) -> ScriptEntry:
    """A click on what the numbered list of the request calls so."""

    def reply(seen: ReceivedRequest) -> ScriptedStep:
        lines = [line for line in seen.text.splitlines() if f'"{name}"' in line and line.lstrip().startswith("[")]
        return act("click", element=int(lines[-1].partition("[")[2].partition("]")[0]))

    return reply


def model(server: ModelServer) -> dict[str, Any]:
    return {"model": "scripted", "base_url": server.url, "free": True, "coordinates": "thousandths"}


async def at_a_field(hand: Deskhand, device: str) -> tuple[int, int]:
    """A phone with a chat open; returns where its field is, in thousandths of the screen."""
    ended = await hand.run("打开微信，点击Bob", device=device)
    assert ended.status is TaskStatus.FULFILLED, ended.reason
    phone = hand.pool._open[device]
    frame = await phone.frame()
    x, y = next(element for element in await phone.elements() if element.editable).bounds.center
    return x * 1000 // frame.width, y * 1000 // frame.height


# --- tests ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
async def test_on_a_phone_without_a_model(data: Path, reader: ScreenText) -> None:
    async with Deskhand(load({"data_dir": data})) as hand:
        async with hand.start("打开微信，给Bob发{{secret:PASSWORD}}", device="sim:bob") as run:
            state = await run.wait()
            phone = hand.pool._open["sim:bob"]
            assert await on_picture(reader, await phone.frame()), "the reader would have seen it"
        assert state.status is TaskStatus.FULFILLED, state.reason
        messages = hand.simulated.phones["bob"].read_state()["apps"][WECHAT]["chats"]["Bob"]["messages"]
        assert messages[-1] == {"from": "me", "text": PASSWORD}
        assert "{{secret:PASSWORD}}" in state.reason
        no_bytes_on_disk(data)  # with the journal's write-ahead log
    await nothing_on_disk(data, reader)


async def test_a_login_in_a_browser_with_models(data: Path, site: Site, reader: ScreenText) -> None:
    goal = "Log in with {{secret:USER}} and {{secret:PASSWORD}}"
    moves = [
        press("User name"),
        act("type", text="{{secret:USER}}"),
        press("Password"),
        act("type", text="{{secret:PASSWORD}}"),
        press("Log in"),
        DONE,
    ]
    passed = {"status": "GOOD", "confidence": 0.9, "decision": "gate_done", "reason": "It shows the account."}
    answers = dict.fromkeys(("goal_reached", "steps_complete", "end_state_as_expected"), True)
    judge = call("judge", **passed, **answers, omissions=[])
    async with ModelServer(moves) as operator, ModelServer([judge.model_copy(update={"times": 9})]) as evaluator:
        models = {"operator": model(operator), "evaluator": model(evaluator)}
        async with Deskhand(load({"data_dir": data, "models": models})) as hand:
            async with hand.start(goal, device="browser", url=site.page(LOGIN)) as run:
                state = await run.wait()
                browser = hand.pool._open["browser"]
                assert await in_page(browser, "window.got") == [USER, PASSWORD]
                assert await on_picture(reader, await browser.frame()), "the reader would have seen it"
            assert state.status is TaskStatus.FULFILLED, state.reason
        assert state.failed_actions == 0
        assert "stand for a value that only the device gets to know" in operator.requests[0].text
        assert "Welcome, {{secret:USER}}!" in operator.requests[-1].text
        assert "Account of {{secret:USER}}" in operator.requests[-1].text
        assert evaluator.requests
        for server in (operator, evaluator):
            await nothing_was_told(server, reader)
        await nothing_on_disk(data, reader)


async def test_a_task_goes_on_with_its_secrets_in_another_process(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    goal = "Open WeChat, then tap Bob, then type {{secret:USER}}"
    async with Deskhand(load({"data_dir": data})) as hand:
        state = await hand.run(goal, device="sim:again", loop="single", max_steps=2)
        assert state.cause == "steps"
        hand._vault = Deskhand(hand.settings)._vault  # one that knows nothing yet, as after a restart
        monkeypatch.delenv("DESKHAND_SECRET_USER")
        with pytest.raises(SettingsError, match="DESKHAND_SECRET_USER"):
            async with hand.resume(state.task_id):
                pass
        monkeypatch.setenv("DESKHAND_SECRET_USER", USER)
        async with hand.resume(state.task_id) as run:
            state = await run.wait()
        assert (state.status, state.goal) == (TaskStatus.FULFILLED, goal), state.reason
        elements = await hand.pool._open["sim:again"].elements()
        assert [element.value for element in elements if element.editable] == [USER]
    no_bytes_on_disk(data)


async def test_only_what_the_person_named_is_typed(data: Path) -> None:
    """A model that was talked into it gets nothing; the person's own word in the middle of the work is enough."""
    async with Deskhand(load({"data_dir": data})) as hand:
        x, y = await at_a_field(hand, "sim:sly")
        typing = act("type", text="{{secret:USER}}")

        async def told(_: ReceivedRequest) -> ScriptedStep:
            await run.say("Use {{secret:USER}}")
            return typing

        address = act("open_url", url="https://example.org/?{{secret:USER}}")
        async with ModelServer([act("click", x=x, y=y), typing, told, address, DONE]) as server:
            hand.settings = load({"data_dir": data, "models": {"operator": model(server)}})
            async with hand.start("Write to him", device="sim:sly", loop="single") as run:
                state = await run.wait()
        reports = [report for step in state.history for report in step.actions if report.action.kind != "click"]
        refused, done, left = [(report.status, report.detail) for report in reports]
        assert refused == (ExecStatus.ERROR, "The secret USER is not typed: the user has not named it.")
        assert done[0] is ExecStatus.EXECUTED
        assert left == (
            ExecStatus.ERROR,
            "{{secret:USER}} can only be typed into a field; it can't be used to open url.",
        )
        elements = await hand.pool._open["sim:sly"].elements()
        assert [element.value for element in elements if element.editable] == [USER]


async def test_a_secret_without_a_value_is_told_before_any_device_is_touched(data: Path) -> None:
    async with Deskhand(load({"data_dir": data, "secrets": {"keyring": ""}})) as hand:
        with pytest.raises(SettingsError, match=r"There is no value for \{\{secret:TOKEN\}\}: looked for the variable"):
            await hand.run("Type {{secret:TOKEN}}", device="sim:none")
        with pytest.raises(UsageError, match=r"^\{\{secret:my token\}\} names no secret: write \{\{secret:NAME\}\}"):
            await hand.run("Type {{secret:my token}}", device="sim:none")
        assert hand.simulated.phones == {}
        assert await hand.journal.runs() == []
