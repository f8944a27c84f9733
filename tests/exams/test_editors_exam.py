"""Monaco, CodeMirror and ProseMirror hold just the text that was typed, by their own models."""

import json
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from deskhand.core.actions import Click, Hotkey, Type
from deskhand.core.statuses import TaskStatus
from deskhand.devices.browser.device import BrowserDevice
from tests.devices.browser.browser_stage import device_in, running, script, show
from tests.exams.web.programs import APPS, HOME, NODE_MODULES, Program, StaticFiles
from tests.exams.web.programs import running as serving
from tests.exams.web.sitting import look_at_page, seated

pytestmark = [pytest.mark.exam, pytest.mark.timeout(600)]

# The editors of code close brackets and indent; Monaco catches keys in two ways, the second is the older one.
EDITORS = ("monaco", "monaco-textarea", "codemirror6", "codemirror5", "prosemirror")
# What editors like to change: brackets and quotes at an end, indented and empty lines, marks of a list, three dots.
BUNDLE = ["editors.js", "--bundle", "--format=iife", "--loader:.ttf=dataurl", "--log-level=error", "--outdir=built"]
OLD = "old {\n  text"
TEXTS = (
    "const a = 1",
    'say "hi" to (you)',
    "it's {",
    "(",
    '"',
    '{\n  "a": [1, 2],\n\n    "b": "中文，“引号”"\n}',
    'if (a) {\nreturn [\n      "x"\n]}',
    "function f() {\n    if (x) {\n    }\n  }",
    "# head\n- item\n1. one -- two...",
    "第一行\n\n\n第四行\n\tend)",
    "\n".join(f"line({number}) {{" for number in range(150)),
)


class Editors(StaticFiles):
    title = "Editors"

    def start(self) -> None:
        assert (HOME / "installed").exists(), "run tests/exams/install first"
        # Beside the packages, where the bundler looks for them.
        self.where = str(shutil.copytree(APPS / "editors", HOME / "editors", dirs_exist_ok=True))
        subprocess.run([str(NODE_MODULES / ".bin" / "esbuild"), *BUNDLE], cwd=self.where, check=True)
        super().start()


@pytest.fixture(scope="module")
def editors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    with serving(Editors(tmp_path_factory.mktemp("editors"))) as program:
        yield program


@pytest.fixture
async def device() -> AsyncIterator[BrowserDevice]:
    async with running() as chromium, device_in(chromium) as opened:
        yield opened


async def open_editor(device: BrowserDevice, editors: Program, editor: str) -> None:
    await show(device, f"{editors.url}?editor={editor}")
    await device.act(Click(x=300, y=120))


@pytest.mark.parametrize("editor", EDITORS)
async def test_an_editor_holds_just_what_was_typed(device: BrowserDevice, editors: Program, editor: str) -> None:
    await open_editor(device, editors, editor)
    for text in TEXTS:
        await script(device, f"put({json.dumps(OLD)})")
        await device.act(Type(text=text, clear_first=True))
        assert await script(device, "held()") == text
    await device.act(Type(text="", clear_first=True))
    assert await script(device, "held()") == ""


@pytest.mark.parametrize("editor", EDITORS)
async def test_what_an_editor_held_is_kept_when_more_is_typed(
    device: BrowserDevice, editors: Program, editor: str
) -> None:
    await open_editor(device, editors, editor)
    for text in TEXTS[:-1]:
        await script(device, "put('old ')")
        await device.act(Hotkey(keys=("ctrl", "End")))
        await device.act(Type(text=text))
        assert await script(device, "held()") == f"old {text}"


@pytest.mark.parametrize("editor", EDITORS)
async def test_a_goal_names_the_editor(editors: Program, tmp_path: Path, editor: str) -> None:
    async with seated(tmp_path) as (hand, port):
        goal = "type \"if (a) { say('嗨') [\" into the editor"
        ended = await hand.run(goal, device="browser", url=f"{editors.url}?editor={editor}", max_steps=20)
        assert ended.status is TaskStatus.FULFILLED, ended.reason
        assert await look_at_page(port, editors.url, "held()") == "if (a) { say('嗨') ["
