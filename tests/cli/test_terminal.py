"""What a person sees on a terminal: a live picture where there is room for one, colours, lines that fit."""

import asyncio
import fcntl
import os
import re
import struct
import sys
import termios

from rich.cells import cell_len

from deskhand.task.events import TaskCreated
from deskhand.task.journal import SqliteJournal
from tests.cli.conftest import LIMIT_S, Cli

GOAL = "打开设置"
HALF_BLOCKS = re.compile(r"(?:\x1b\[[0-9;]*m▀)+")


async def on_a_terminal(cli: Cli, *args: str, size: tuple[int, int] = (120, 40), **env: str) -> tuple[int, str]:
    """The exit code, and all that was written to a terminal of this size."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "deskhand", *args,
        env=cli.env | {"TERM": "xterm-256color"} | env, stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    cli.started.append(process)
    os.close(theirs)
    try:
        written = await asyncio.to_thread(_read_to_the_end, ours)
        async with asyncio.timeout(LIMIT_S):
            return await process.wait(), written
    finally:
        os.close(ours)


def _read_to_the_end(terminal: int) -> str:
    parts: list[bytes] = []
    while True:
        try:
            part = os.read(terminal, 65_536)
        except OSError:  # what Linux says when the last writer has closed a terminal
            part = b""
        if not part:
            return b"".join(parts).decode()
        parts.append(part)


def plain(written: str) -> list[str]:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written).replace("\r", "").splitlines()


async def test_the_devices_picture_is_shown_live_in_true_colour(cli: Cli) -> None:
    code, written = await on_a_terminal(cli, "run", GOAL, COLORTERM="truecolor")
    assert code == 0
    assert "\x1b[38;2;" in written
    picture = [line for line in plain(written) if line.startswith("▀▀▀")]
    assert picture
    assert max(line.count("▀") for line in picture) <= 60
    assert any(line.rstrip().endswith("1  打开应用“设置”") for line in picture), "the steps stand beside it"
    assert any(line.startswith("✔ 完成") for line in plain(written))


async def test_a_terminal_without_true_colour_or_room_gets_coloured_lines(cli: Cli) -> None:
    for size, colours in (((120, 40), "256"), ((60, 40), "truecolor"), ((120, 12), "truecolor")):
        code, written = await on_a_terminal(cli, "run", GOAL, size=size, COLORTERM=colours)
        assert code == 0
        assert "▀" not in written
        assert "\x1b[32m✔ 完成" in written
        assert "  1  打开应用“设置”" in plain(written)


async def test_the_list_of_runs_fits_the_terminal_line_by_line(cli: Cli) -> None:
    journal = SqliteJournal(cli.data)
    goal = "打开微信，找到张三，发送消息“明天下午两点开会”，确认消息已经发出去了"
    await journal.append(
        "abcdef012345", [TaskCreated(goal=goal, device="android:192.168.1.5:5555", worker="offline", max_steps=9)]
    )
    await journal.close()
    for width in (80, 160):
        _, written = await on_a_terminal(cli, "runs", size=(width, 40))
        header, line = plain(written)
        assert cell_len(line.rstrip()) <= width
        assert line.startswith("abcdef01  ")
        assert "打开微信" in line
        assert ("…" in line) is (width == 80)
        assert header.split() == ["run", "started", "status", "steps", "device", "goal"]
