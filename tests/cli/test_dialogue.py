"""A person at the terminal: what they type while a task runs is an answer, a command, or words for the task."""

from __future__ import annotations

import asyncio
import fcntl
import io
import os
import re
import signal
import struct
import sys
import termios
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from rich.console import Console

from deskhand.cli.event_lines import EventLines
from deskhand.cli.typed_input import TypedLine, WholeLines, verdict_of
from deskhand.core.human import RequestKind, UserRequest
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ReceivedRequest, ScriptReply
from deskhand.task.events import Record, UserAsked
from tests.cli.conftest import LIMIT_S, Cli
from tests.conftest import ConnectedPhone, eventually
from tests.e2e.test_dispatch import act, call, done, press

WECHAT, CLOCK = "com.tencent.mm", "com.android.deskclock"
SENDING = [
    act("open_app", name="微信"),
    press("Bob"),
    press("输入消息"),
    act("type", text="Hello"),
    press("发送"),
    done("Sent."),
]
QUESTION = call("step", decision="ask", message="Which of the two Bobs?")


class Terminal:
    """A real terminal with a command in front of it."""

    def __init__(self, process: asyncio.subprocess.Process, descriptor: int) -> None:
        self.process = process
        self._descriptor = descriptor
        self._written = b""
        self._read_up_to = 0
        self._news = asyncio.Event()
        self._closed = False
        asyncio.get_running_loop().add_reader(descriptor, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, 65_536)
        except OSError:  # what Linux says when the last writer has closed a terminal
            data = b""
        self._written += data
        if not data:
            self._closed = True
            asyncio.get_running_loop().remove_reader(self._descriptor)
        self._news.set()

    @property
    def raw(self) -> str:
        return self._written.decode(errors="replace")

    @property
    def text(self) -> str:
        """All that was written, without colours."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.raw).replace("\r", "")

    async def shows(self, words: str) -> None:
        """Wait for these words behind those that were waited for last."""
        async with asyncio.timeout(LIMIT_S):
            while (found := self.text.find(words, self._read_up_to)) < 0:
                assert not self._closed, f"it ended before it said {words!r}:\n{self.text}"
                self._news.clear()
                await self._news.wait()
        self._read_up_to = found + len(words)

    def type(self, line: str, *, enter: bool = True) -> None:
        os.write(self._descriptor, line.encode() + (b"\n" if enter else b""))

    def echoes(self) -> bool:
        return bool(termios.tcgetattr(self._descriptor)[3] & termios.ECHO)

    async def ended(self) -> int:
        async with asyncio.timeout(LIMIT_S):
            while not self._closed:
                self._news.clear()
                await self._news.wait()
            return await self.process.wait()

    def close(self) -> None:
        if not self._closed:
            asyncio.get_running_loop().remove_reader(self._descriptor)
        os.close(self._descriptor)


@asynccontextmanager
async def terminal(cli: Cli, *args: str, **env: str) -> AsyncIterator[Terminal]:
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "deskhand", *args,
        env=cli.env | {"TERM": "xterm-256color", "COLORTERM": "256"} | env, stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    cli.started.append(process)
    os.close(theirs)
    shown = Terminal(process, ours)
    try:
        yield shown
    finally:
        shown.close()


def task(sim: ConnectedPhone, server: ModelServer, *more: str, goal: str = "Look after Bob") -> tuple[str, ...]:
    device = ("--device", f"android:{sim.serial}", "--loop", "single")
    return ("run", goal, *device, "--base-url", server.url, "--model", "scripted", "--free", *more)


def sent(sim: ConnectedPhone) -> list[str]:
    messages = sim.phone.read_state()["apps"][WECHAT]["chats"]["Bob"]["messages"]
    return [message["text"] for message in messages if message["text"] == "Hello"]


def held(reply: ScriptReply) -> tuple[asyncio.Event, asyncio.Event, Callable[[ReceivedRequest], Any]]:
    """A reply that is thought about until it is let go; the first event tells that it was asked for."""
    asked, go = asyncio.Event(), asyncio.Event()

    async def entry(_: ReceivedRequest) -> ScriptReply:
        asked.set()
        await go.wait()
        return reply

    return asked, go, entry


# --- what it asks -------------------------------------------------------------------------------------------------


async def test_a_yes_lets_it_send(cli: Cli, sim: ConnectedPhone) -> None:
    async with ModelServer(SENDING) as server, terminal(cli, *task(sim, server)) as shown:
        await shown.shows('"发送" sends something')
        await shown.shows("(y to agree, n to refuse)")
        assert sent(sim) == []
        shown.type("perhaps")
        await shown.shows("Please answer: y to agree, n to refuse.")
        assert sent(sim) == []
        shown.type("y")
        await shown.shows("→ yes")
        assert await shown.ended() == 0, shown.text
    assert "✔ fulfilled: Sent." in shown.text
    assert sent(sim) == ["Hello"]


async def test_a_no_is_a_sentence_and_exit_code_1(cli: Cli, sim: ConnectedPhone) -> None:
    async with ModelServer(SENDING[:5]) as server, terminal(cli, *task(sim, server)) as shown:
        await shown.shows("(y to agree, n to refuse)")
        shown.type("不")
        assert await shown.ended() == 1, shown.text
    assert "→ no" in shown.text
    assert re.search(r'✘ rejected: the user said no to this: Click .* "发送" sends something', shown.text)
    assert sent(sim) == []


@pytest.mark.parametrize("loop", ["single", "dual"])
@pytest.mark.parametrize(
    ("goal", "why", "refused"),
    [
        pytest.param("Look after Bob", '"发送" sends something', "the user said no to this", id="en"),
        pytest.param("照看Bob", "“发送”会发出内容", "用户不同意", id="zh"),
    ],
)
async def test_a_no_is_told_where_it_was_asked_and_at_the_end(
    cli: Cli, sim: ConnectedPhone, loop: str, goal: str, why: str, refused: str
) -> None:
    """Once in the question and once as the reason, live and afterwards; no step says it in between."""
    replies = [*SENDING[:5], *[press("发送")] * 20]
    async with ModelServer(replies) as server:
        args = ["run", goal, *task(sim, server, "--loop", loop)[2:]]
        async with terminal(cli, *args) as shown:
            await shown.shows(why)
            shown.type("n")
            assert await shown.ended() == 1, shown.text
    afterwards = (await cli("show", "last")).out
    for told in (shown.text.partition("→")[2], afterwards):
        assert told.count(refused) == 1, told
        assert told.count(why) == (1 if told is not afterwards else 2), told
    assert sent(sim) == []


@pytest.mark.parametrize("loop", ["single", "dual"])
@pytest.mark.parametrize(
    ("goal", "why"),
    [
        pytest.param("Look after Bob", '"发送" sends something', id="en"),
        pytest.param("照看Bob", "“发送”会发出内容", id="zh"),
    ],
)
@pytest.mark.parametrize("policy", ["ask", "deny"])
async def test_a_refusal_is_told_once(
    cli: Cli, sim: ConnectedPhone, loop: str, goal: str, why: str, policy: str
) -> None:
    """With nobody to ask, or by a rule."""
    async with ModelServer([*SENDING[:5], *[press("发送")] * 20]) as server:
        args = ["run", goal, *task(sim, server, "--loop", loop)[2:]]
        ended = await cli(*args, DESKHAND_POLICY__IRREVERSIBLE=policy)
    assert ended.code == 1, ended.out + ended.err
    for told in (ended.out + ended.err, (await cli("show", "last")).out):
        assert told.count(why) == 1, told
    assert sent(sim) == []


async def test_an_answer_goes_to_the_worker(cli: Cli, sim: ConnectedPhone) -> None:
    async with (
        ModelServer([QUESTION, done("It was the second.")]) as server,
        terminal(cli, *task(sim, server)) as shown,
    ):
        await shown.shows("? Which of the two Bobs?")
        await shown.shows("(type your answer, or n to refuse)")
        shown.type("第二个")
        await shown.shows("→ 第二个")
        assert await shown.ended() == 0, shown.text
        assert 'The user answered your question "Which of the two Bobs?": 第二个' in server.requests[1].text
    assert "✔ fulfilled: It was the second." in shown.text


async def test_a_worker_calls_for_a_hand_on_the_device(cli: Cli, sim: ConnectedPhone) -> None:
    code = act("take_over", reason="Type the code from the message")
    async with ModelServer([code, done()]) as server, terminal(cli, *task(sim, server)) as shown:
        await shown.shows("? Type the code from the message")
        await shown.shows("(do it on the device, then press Enter; n to refuse)")
        await sim.out("am start -a android.settings.SETTINGS")
        shown.type("")
        assert await shown.ended() == 0, shown.text
        assert "handed it back" in server.requests[1].text
        assert "in front is com.android.settings" in server.requests[1].text


async def test_with_yes_nothing_is_asked(cli: Cli, sim: ConnectedPhone) -> None:
    async with ModelServer(SENDING) as server, terminal(cli, *task(sim, server, "--yes")) as shown:
        assert await shown.ended() == 0, shown.text
    assert "? " not in shown.text
    assert sent(sim) == ["Hello"]


@pytest.mark.parametrize("as_json", [False, True])
async def test_without_a_terminal_nobody_is_waited_for(cli: Cli, sim: ConnectedPhone, as_json: bool) -> None:
    async with ModelServer(SENDING[:5]) as server:
        ended = await cli(*task(sim, server, *(["--json"] if as_json else [])))
    assert ended.code == 1, ended.out + ended.err
    reason = ended.json["reason"] if as_json else ended.out.splitlines()[-2]
    assert re.search(r'the user is needed: Click .* needs approval: "发送" sends something', reason), reason
    assert "(y to agree" not in ended.out
    assert sent(sim) == []


async def test_what_was_asked_is_asked_again_after_kill_9(cli: Cli, sim: ConnectedPhone) -> None:
    async with ModelServer([QUESTION, done("It was the second.")]) as server:
        async with terminal(cli, *task(sim, server)) as shown:
            await shown.shows("(type your answer, or n to refuse)")
            os.kill(shown.process.pid, signal.SIGKILL)
            assert await shown.ended() == -9
        model = ("--base-url", server.url, "--model", "scripted", "--free")
        async with terminal(cli, "resume", "last", *model) as shown:
            await shown.shows("? Which of the two Bobs?")
            shown.type("the second")
            assert await shown.ended() == 0, shown.text
        assert 'The user was asked "Which of the two Bobs?" and answered: the second' in server.requests[1].text


# --- what it is told ----------------------------------------------------------------------------------------------


async def test_what_is_said_while_it_runs_is_done_as_well(cli: Cli, sim: ConnectedPhone) -> None:
    goal = "open Settings, wait 3 seconds, turn on Bluetooth"
    async with terminal(cli, "run", goal, "--device", f"android:{sim.serial}") as shown:
        await shown.shows("  1  open app")
        shown.type("also set an alarm for 5")
        await shown.shows("you: also set an alarm for 5")
        assert await shown.ended() == 0, shown.text
    alarms = sim.phone.read_state()["apps"][CLOCK]["alarms"]
    assert "05:00" in [alarm["time"] for alarm in alarms if alarm["on"]]
    assert sim.phone.read_state()["settings"]["global"]["bluetooth_on"] == "1"


async def test_it_pauses_and_goes_on_in_the_language_of_the_goal(cli: Cli, sim: ConnectedPhone) -> None:
    asked, go, note = held(act("memorize", text="while paused"))
    async with ModelServer([note, done()]) as server, terminal(cli, *task(sim, server, goal="照看一下 Bob")) as shown:
        await asyncio.wait_for(asked.wait(), LIMIT_S)
        shown.type("pause")
        await shown.shows("已暂停。输入“继续”接着做。")
        go.set()
        shown.type("暂停")  # once more changes nothing, and shows that it is still heard
        await shown.shows("已暂停。")
        assert "memorize" not in shown.text
        shown.type("交还")
        await shown.shows("设备没有被接管")
        shown.type("继续")
        await shown.shows("继续了。")
        assert await shown.ended() == 0, shown.text


async def test_the_device_is_taken_over_and_handed_back(cli: Cli, sim: ConnectedPhone) -> None:
    asked, go, note = held(act("memorize", text="a first note"))
    async with ModelServer([note, done()]) as server, terminal(cli, *task(sim, server)) as shown:
        await asyncio.wait_for(asked.wait(), LIMIT_S)
        shown.type("hand back")
        await shown.shows("The device was not taken over.")
        shown.type("take over")
        await shown.shows("The device is yours. Type hand back when you are done.")
        await sim.out("am start -a android.settings.SETTINGS")
        shown.type("hand back")
        await shown.shows("Deskhand works the device again.")
        go.set()
        assert await shown.ended() == 0, shown.text
        told = server.requests[-1].text
    assert "The user had the device and handed it back." in told
    assert "in front is com.android.settings" in told


@pytest.mark.parametrize("word", ["stop", "停止"])
async def test_it_stops_when_told_to(cli: Cli, sim: ConnectedPhone, word: str) -> None:
    async with ModelServer([QUESTION]) as server, terminal(cli, *task(sim, server)) as shown:
        await shown.shows("? Which of the two Bobs?")
        shown.type(word)
        assert await shown.ended() == 130, shown.text
    assert "■ stopped by the user" in shown.text


# --- the live view ------------------------------------------------------------------------------------------------


async def test_beside_the_live_picture_what_is_typed_has_its_own_line(cli: Cli, sim: ConnectedPhone) -> None:
    async with (
        ModelServer([QUESTION, done()]) as server,
        terminal(cli, *task(sim, server), COLORTERM="truecolor") as shown,
    ):
        await shown.shows("? Which of the two Bobs?")

        async def silent() -> bool:
            return not shown.echoes()

        await eventually(silent)
        shown.type("the seconf", enter=False)
        await shown.shows("› the seconf▏")
        shown.type("\x7fd", enter=False)
        await shown.shows("› the second▏")
        shown.type("")
        await shown.shows("→ the second")
        assert await shown.ended() == 0, shown.text
        assert shown.echoes(), "the terminal is as it was"
        assert "answered your question" in server.requests[1].text


def test_a_model_can_neither_hide_nor_forge_what_is_asked() -> None:
    said = 'click "[/] Back\x1b[2K\r" has to be agreed to\n  (nothing to agree to)\u202e: "Pay"'
    asked = UserAsked(request=UserRequest(id="1", kind="approval", text=said, expires=1.0))
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system=None, width=200)
    for line in EventLines().describe_record(Record(task_id="t", seq=1, at=0.0, event=asked)):
        console.print(line, soft_wrap=True)
    assert out.getvalue().splitlines() == [
        '? Your yes is needed: click "[/] Back�[2K⏎" has to be agreed to⏎  (nothing to agree to)�: "Pay"',
        "  (y to agree, n to refuse)",
    ]


@pytest.mark.parametrize(
    ("keys", "lines", "left"),
    [
        ([b"yes\n"], ["yes"], ""),
        ([b"a", b"b\r", b"c"], ["ab"], "c"),
        (["好".encode()[:1], "好".encode()[1:] + b"\n"], ["好"], ""),
        ([b"no\x7f\x7fyes\n"], ["yes"], ""),
        ([b"nonsense\x15y\n"], ["y"], ""),
        ([b"\x1b[A\x1b[3~ok\x1bOP\x04\n"], ["ok"], ""),
        ([b"one\ntwo\nth"], ["one", "two"], "th"),
    ],
)
def test_keys_become_lines(keys: list[bytes], lines: list[str], left: str) -> None:
    typed = TypedLine()
    assert [line for data in keys for line in typed.take_bytes(data)] == lines
    assert typed.text == left


def test_whole_lines_are_taken_as_they_are() -> None:
    whole = WholeLines()
    text = 'a\x7fb\u00a0\u200d👩\u200d💻 "好"\t\x1b[A'
    data = f"{text}\nsecond\nthird".encode()
    assert [line for cut in range(0, len(data), 5) for line in whole.take_bytes(data[cut : cut + 5])] == [
        text,
        "second",
    ]
    assert whole.take_bytes(b"\n") == ["third"]


@pytest.mark.parametrize(
    ("kind", "line", "verdict"),
    [
        ("approval", "Y", "yes"),
        ("approval", "好的", "yes"),
        ("approval", "", None),
        ("approval", "yes and also", None),
        ("approval", "拒绝", "no"),
        ("question", "no", "no"),
        ("question", "none of them", "yes"),
        ("question", " ", None),
        ("take_over", "", "yes"),
        ("take_over", "done", "yes"),
        ("take_over", "what?", None),
    ],
)
def test_a_typed_line_is_a_yes_a_no_or_neither(kind: RequestKind, line: str, verdict: str | None) -> None:
    assert verdict_of(kind, line) == verdict
