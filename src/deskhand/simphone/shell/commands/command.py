"""The argument of every command (`CommandCall`) and the error shapes that many Android commands share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from deskhand.simphone.phone import Phone
from deskhand.simphone.shell.android_system import AndroidSystem

Bytes = bytes | bytearray | memoryview


class ByteSource(Protocol):
    async def read(self) -> bytes:
        """Return the next bytes, empty at the end."""
        ...


class ByteSink(Protocol):
    async def write(self, data: Bytes) -> None: ...


class BufferSink:
    """A sink that keeps what it gets: a pipe, a substitution or a redirect before it lands in a file."""

    def __init__(self) -> None:
        self.data = bytearray()

    async def write(self, data: Bytes) -> None:
        self.data += data


@dataclass
class ShellStreams:
    stdin: ByteSource
    stdout: ByteSink
    stderr: ByteSink


class CallingShell(Protocol):
    """The shell that runs a command, as far as a command may see it."""

    system: AndroidSystem
    cwd: str
    variables: dict[str, str]
    status: int

    def has_command(self, name: str) -> bool: ...

    async def run_to_end(self, line: str, stdin: ByteSource, stdout: ByteSink, stderr: ByteSink) -> int: ...

    async def run_words(self, words: list[str], streams: ShellStreams) -> int: ...


@dataclass
class CommandCall:
    """One run of one command: `name` and its `args`, three streams, and the system it acts on."""

    name: str
    args: list[str]
    stdin: ByteSource
    stdout: ByteSink
    stderr: ByteSink
    shell: CallingShell

    @property
    def system(self) -> AndroidSystem:
        return self.shell.system

    @property
    def phone(self) -> Phone:
        return self.shell.system.phone

    async def print_out(self, text: str) -> None:
        """Print lines; the last newline is added."""
        await self.stdout.write((text + "\n").encode())

    async def print_err(self, text: str) -> None:
        await self.stderr.write((text + "\n").encode())

    async def read_all(self) -> bytes:
        data = bytearray()
        while chunk := await self.stdin.read():
            data += chunk
        return bytes(data)

    def resolve_path(self, name: str) -> str:
        return self.system.files.resolve_path(name, self.shell.cwd)

    def with_args(self, args: list[str], name: str | None = None) -> CommandCall:
        return CommandCall(name or self.name, args, self.stdin, self.stdout, self.stderr, self.shell)


Handler = Callable[[CommandCall], Awaitable[int]]
Family = Mapping[str, Handler]


class ShellExit(Exception):
    """`exit` was called: the whole shell ends with this status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class LoopJump(Exception):
    """`break` (leaves the loop) or `continue` was called, out of so many loops."""

    def __init__(self, depth: int, *, leaves: bool) -> None:
        super().__init__(depth)
        self.depth = depth
        self.leaves = leaves


class BadUsage(Exception):
    """The command can't make sense of an argument; the shell prints it after the command's name."""


def to_integer(word: str) -> int:
    """Read a decimal number as toybox does."""
    try:
        return int(word)
    except ValueError:
        raise BadUsage(f"not integer: {word}") from None


def drop_user_option(args: list[str]) -> list[str]:
    """Return the arguments without `--user ID`: the phone has one user."""
    if "--user" not in args:
        return args
    at = args.index("--user")
    return args[:at] + args[at + 2 :]


class JavaException(Exception):
    """A Java exception that a system service lets out of its shell command."""

    def __init__(self, kind: str, message: str, *frames: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.frames = frames


BINDER_FRAMES = (
    "com.android.modules.utils.BasicShellCommandHandler.exec(BasicShellCommandHandler.java:97)",
    "android.os.ShellCommand.exec(ShellCommand.java:38)",
    "android.os.Binder.shellCommand(Binder.java:1049)",
    "android.os.Binder.onTransact(Binder.java:877)",
    "android.os.Binder.execTransactInternal(Binder.java:1285)",
    "android.os.Binder.execTransact(Binder.java:1244)",
)


class Arguments:
    """Reads a command's words one by one, as Android's ShellCommand does."""

    def __init__(self, args: list[str], name: str) -> None:
        self._args = args
        self._at = 0
        self._last = name

    def take_next(self) -> str | None:
        if self._at >= len(self._args):
            return None
        self._last = self._args[self._at]
        self._at += 1
        return self._last

    def take_required(self) -> str:
        last = self._last
        value = self.take_next()
        if value is None:
            raise JavaException("java.lang.IllegalArgumentException", f'Argument expected after "{last}"')
        return value

    def take_rest(self) -> list[str]:
        return self._args[self._at :]


async def report_failure(call: CommandCall, command: str, reason: object) -> int:
    """Print what a system service says of an exception; return the exit status."""
    await call.print_err(f"\nException occurred while executing '{command}':\n{reason}")
    return 255


async def report_exception(call: CommandCall, command: str, error: JavaException) -> int:
    frames = "".join(f"\n\tat {frame}" for frame in (*error.frames, *BINDER_FRAMES))
    return await report_failure(call, command, f"{error}{frames}")
