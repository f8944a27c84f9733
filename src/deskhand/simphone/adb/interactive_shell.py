"""`adb shell` without a command: lines from a script, or a user at a terminal."""

from __future__ import annotations

import asyncio

from deskhand.simphone.shell.commands.command import Bytes, ByteSink, ByteSource, ShellExit, ShellStreams
from deskhand.simphone.shell.interpreter import BytesSource, Shell
from deskhand.simphone.shell.syntax import ShellSyntaxError, UnfinishedInput, parse_line

INTERRUPTED = 130
CTRL_C, CTRL_D = "\x03", "\x04"
ERASE = ("\x7f", "\b")


async def run_lines(shell: Shell, stdin: ByteSource, stdout: ByteSink, stderr: ByteSink) -> int:
    """Run each command as it comes, which may take several lines, until the input ends or `exit`."""
    pending = b""
    begun = ""
    ended = False
    try:
        while not ended:
            chunk = await stdin.read()
            ended = not chunk
            *lines, pending = (pending + chunk).split(b"\n")
            if ended:
                lines.append(pending)
            for line in lines:
                begun += line.decode(errors="replace") + "\n"
                if ended or not _is_unfinished(begun):
                    await shell.run_line(begun, ShellStreams(BytesSource(), stdout, stderr))
                    begun = ""
    except ShellExit as left:
        return left.status
    return shell.status


def _is_unfinished(text: str) -> bool:
    try:
        parse_line(text)
    except UnfinishedInput:
        return True
    except ShellSyntaxError:
        pass  # said when it is run
    return False


class _TerminalSink:
    """Turns newlines into what a terminal in raw mode needs."""

    def __init__(self, sink: ByteSink) -> None:
        self._sink = sink

    async def write(self, data: Bytes) -> None:
        await self._sink.write(bytes(data).replace(b"\n", b"\r\n"))


async def run_terminal(shell: Shell, stdin: ByteSource, sink: ByteSink) -> int:
    """Prompt, echo, erase, Ctrl-C and Ctrl-D: the line discipline that a pty would bring."""
    screen = _TerminalSink(sink)
    await _write_prompt(shell, screen)
    line = ""
    try:
        while chunk := await stdin.read():
            for char in chunk.decode(errors="replace"):
                if char in "\r\n":
                    await screen.write(b"\n")
                    await _run_typed_line(shell, line, stdin, screen)
                    line = ""
                    await _write_prompt(shell, screen)
                elif char == CTRL_D and not line:
                    return shell.status
                elif char == CTRL_C:
                    line = ""
                    await screen.write(b"^C\n")
                    await _write_prompt(shell, screen)
                elif char in ERASE:
                    if line:
                        line = line[:-1]
                        await screen.write(b"\b \b")
                elif char.isprintable():
                    line += char
                    await screen.write(char.encode())
    except ShellExit as left:
        return left.status
    return shell.status


async def _write_prompt(shell: Shell, screen: ByteSink) -> None:
    await screen.write(f"simphone:{shell.cwd} $ ".encode())


async def _run_typed_line(shell: Shell, line: str, stdin: ByteSource, screen: ByteSink) -> None:
    """Run a line; Ctrl-C typed meanwhile ends it, other keys typed meanwhile are dropped."""
    work = asyncio.ensure_future(shell.run_line(line, ShellStreams(BytesSource(), screen, screen)))
    try:
        while not work.done():
            key = asyncio.ensure_future(stdin.read())
            await asyncio.wait({work, key}, return_when=asyncio.FIRST_COMPLETED)
            if not key.done():
                key.cancel()
            elif CTRL_C.encode() in key.result() or not key.result():
                work.cancel()
                await asyncio.wait({work})
                shell.status = INTERRUPTED
                await screen.write(b"^C\n")
                return
        await work
    finally:
        work.cancel()
