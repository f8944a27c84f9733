"""A secret in nine spellings and in single boxes: in no byte and no picture that leaves the device, by any door."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from deskhand.core.screen import Frame
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ReceivedRequest, ScriptedStep, ScriptEntry
from deskhand.screen.frame import decode_frame
from tests.devices.browser.browser_stage import Site, serving
from tests.devices.browser.browser_stage import script as in_page
from tests.engine.secrets.test_spellings import SPELLINGS
from tests.server.conftest import House, Serve, call, model

PIN, KEY = "482915", "7K4P-Q9ZX-Ä2M8"
NINE = ["as it is", "blanks", "nothing between", "dots", "zero width", "full width", "NFD", "lines", "lower"]
PAGE = """<title>Unlock</title><meta charset="utf-8"><body style="font: 20px sans-serif; margin: 20px">
<p>Code <span id="boxes"></span></p>
<p><label>Licence <input id="licence" style="font: inherit; width: 420px"></label></p>
<p><button id="show" style="font: inherit">Show</button></p>
<pre id="echo" style="font: inherit; line-height: 1.2; margin: 0"></pre>
<script>
const spell = SPELLINGS, boxes = document.getElementById("boxes")
for (let n = 0; n < 6; n++) {
  const box = document.createElement("input")
  box.maxLength = 1; box.ariaLabel = "Digit " + (n + 1)
  box.style = "font: inherit; width: 40px; margin: 6px; text-align: center"
  box.oninput = () => { if (box.value && box.nextElementSibling) box.nextElementSibling.focus() }
  boxes.append(box)
}
document.getElementById("show").onclick = () => {
  const value = document.getElementById("licence").value
  document.title = "Licence " + spell(value)[3]
  document.getElementById("echo").innerHTML = spell(value).map((text) => `<div></div>`).join("")
  spell(value).forEach((text, n) => { document.getElementById("echo").children[n].textContent = text })
  const single = document.createElement("div")
  for (const letter of [...boxes.children].map((box) => box.value))
    single.insertAdjacentHTML("beforeend", `<span style="display: inline-block; width: 50px">${letter}</span>`)
  document.getElementById("echo").append(single)
}
</script></body>"""
SPELL = """(value) => [value, value.replaceAll("-", " "), value.replaceAll("-", ""), value.replaceAll("-", "."),
  [...value].join("\\u200b"), value.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)),
  value.normalize("NFD"), [...value].join("\\n"), value.toLowerCase()]"""


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKHAND_SECRET_PIN", PIN)
    monkeypatch.setenv("DESKHAND_SECRET_KEY", KEY)


def act(kind: str, **fields: Any) -> ScriptedStep:
    return call("step", decision="actions", actions=[{"kind": kind, **fields}])


def press(name: str) -> ScriptEntry:
    def reply(seen: ReceivedRequest) -> ScriptedStep:
        lines = [line for line in seen.text.splitlines() if f'"{name}"' in line and line.lstrip().startswith("[")]
        return act("click", element=int(lines[-1].partition("[")[2].partition("]")[0]))

    return reply


def traces(content: bytes) -> list[str]:
    """The spellings that are found in these bytes, as text and as JSON."""
    shown = {name: SPELLINGS[name](value) for name in NINE for value in (PIN, KEY)}
    found = [name for name, text in shown.items() if text.encode() in content]
    return found + [f"{name} (JSON)" for name, text in shown.items() if json.dumps(text)[1:-1].encode() in content]


async def read_answers(house: House, task_id: str) -> list[bytes]:
    """Everything that the server says about a task."""
    paths = ["", "/events?limit=1000", "/report", "/todo", "/requests", "/costs", "/events/stream"]
    answers = [(await house.client.get(f"/api/tasks/{task_id}{path}")).content for path in paths]
    others = ["/api/tasks", "/api/costs", "/api/settings", "/api/devices", "/api/health"]
    return answers + [(await house.client.get(path)).content for path in others]


async def test_nine_spellings_and_single_boxes(
    serve: Serve, site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    caplog.set_level(logging.DEBUG)
    live: list[bytes] = []
    serving_at: list[House] = []

    async def look(_: ReceivedRequest) -> ScriptedStep:
        """In the middle of the task, with everything on the screen."""
        (house,) = serving_at
        live.append((await house.client.get("/api/devices/browser/screenshot")).content)
        live.append((await house.client.get("/api/devices/browser/frames?count=1&side=8192")).content)
        return call("step", decision="done", message="It is open.")

    moves = [
        press("Digit 1"),
        act("type", text="{{secret:PIN}}"),
        press("Licence"),
        act("type", text="{{secret:KEY}}"),
        press("Show"),
        look,
    ]
    goal = "Enter {{secret:PIN}} as the code and {{secret:KEY}} as the licence"
    async with ModelServer(moves) as operator, serve(models={"operator": model(operator)}) as house:
        serving_at.append(house)
        url = site.page(PAGE.replace("SPELLINGS", SPELL))
        task_id = await house.task(goal, device="browser", url=url, loop="single")
        ended = await house.ended(task_id)
        assert ended["status"] == "fulfilled", ended
        browser = house.services.hand.pool._open["browser"]
        assert await in_page(browser, "[...boxes.children].map((box) => box.value).join('')") == PIN
        assert await in_page(browser, "licence.value") == KEY
        answers = await read_answers(house, task_id)
        bare = await browser.frame()
        live.append((await house.client.get("/api/devices/browser/screenshot")).content)
    told = [json.dumps(seen.body, ensure_ascii=False).encode() for seen in operator.requests]
    disk = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file() and file.suffix != ".jpg"]
    printed = "".join(capfd.readouterr()).encode()
    for content in (*told, *disk, *answers, caplog.text.encode(), printed):
        assert traces(content) == []
    assert "(hidden)" in operator.requests[2].text, "the boxes are told to be filled"

    frames = [file.read_bytes() for file in tmp_path.rglob("*.jpg")]
    asked = [base64.b64decode(one.partition("base64,")[2]) for seen in operator.requests for one in seen.pictures]
    empty = decode_frame(asked[0])
    ink = (brightness(empty) > 200) & (brightness(bare) < 60)
    assert ink.sum() > 3000, "there is something to hide"
    live = [picture[picture.index(b"\xff\xd8") :] for picture in live]  # one of them came in a stream
    assert len(frames) > 3
    assert len(live) == 3
    for number, picture in enumerate((*frames, *asked, *live)):
        assert (brightness(decode_frame(picture))[ink] < 60).mean() < 0.01, number


def brightness(frame: Frame) -> NDArray[np.float64]:
    return frame.pixels[..., :3].mean(axis=2)
