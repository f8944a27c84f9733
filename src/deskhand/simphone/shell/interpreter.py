"""Runs shell lines: expansion, pipes, redirects, lists, loops. What each command does is in `commands`."""

from __future__ import annotations

import asyncio
import contextlib
import fnmatch
from collections.abc import Awaitable, Callable, Mapping

from deskhand.simphone.shell.android_system import AndroidSystem
from deskhand.simphone.shell.commands.command import (
    BadUsage,
    BufferSink,
    Bytes,
    ByteSink,
    ByteSource,
    CommandCall,
    Handler,
    LoopJump,
    ShellExit,
    ShellStreams,
)
from deskhand.simphone.shell.file_system import FileError
from deskhand.simphone.shell.shell_sums import work_out
from deskhand.simphone.shell.syntax import (
    CaseChoice,
    Compound,
    ForLoop,
    Redirect,
    ShellBranches,
    ShellCommand,
    ShellGroup,
    ShellPipeline,
    ShellSyntaxError,
    WhileLoop,
    Word,
    parse_line,
)

NAME = "/system/bin/sh"


class BytesSource:
    """A source with all its bytes known."""

    def __init__(self, data: bytes = b"") -> None:
        self._data = data

    async def read(self) -> bytes:
        data, self._data = self._data, b""
        return data


class LineSource:
    """A source that can be read line by line, by the commands of a loop one after the other."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._ahead = b""

    async def read(self) -> bytes:
        data, self._ahead = self._ahead, b""
        return data or await self._source.read()

    async def read_line(self) -> bytes:
        """Return the next line with its end; without one only at the end of everything."""
        while b"\n" not in self._ahead and (chunk := await self._source.read()):
            self._ahead += chunk
        line, newline, self._ahead = self._ahead.partition(b"\n")
        return line + newline


class NullSink:
    async def write(self, data: Bytes) -> None:
        pass


class Shell:
    """One shell process: its directory, variables and last status."""

    def __init__(self, system: AndroidSystem, commands: Mapping[str, Handler]) -> None:
        self.system = system
        self.cwd = "/"
        self.status = 0
        self.variables = {
            "PATH": "/product/bin:/apex/com.android.runtime/bin:/system/bin:/vendor/bin",
            "HOME": "/", "USER": "shell", "SHELL": NAME, "HOSTNAME": "simphone", "TMPDIR": "/data/local/tmp",
            "EXTERNAL_STORAGE": "/sdcard", "ANDROID_DATA": "/data", "ANDROID_ROOT": "/system",
        }  # fmt: skip
        self._commands = commands
        self._background: set[asyncio.Task[int]] = set()

    async def run_to_end(self, line: str, stdin: ByteSource, stdout: ByteSink, stderr: ByteSink) -> int:
        """Run a line to its end, background jobs included; return its exit status."""
        try:
            await self.run_line(line, ShellStreams(stdin, stdout, stderr))
        except ShellExit as ended:
            self.status = ended.status
        except asyncio.CancelledError:
            for job in self._background:
                job.cancel()
            raise
        await asyncio.gather(*self._background, return_exceptions=True)
        return self.status

    def has_command(self, name: str) -> bool:
        return name in self._commands

    async def run_line(self, line: str, streams: ShellStreams) -> None:
        try:
            program = parse_line(line)
        except ShellSyntaxError as error:
            await streams.stderr.write(f"{NAME}: {error}\n".encode())
            self.status = 1
            return
        with contextlib.suppress(LoopJump):  # outside of a loop they do nothing
            await self._run_program(program, streams)

    async def _run_program(self, program: list[ShellPipeline], streams: ShellStreams) -> None:
        for pipeline in program:
            if pipeline.after == "&&" and self.status != 0:
                continue
            if pipeline.after == "||" and self.status == 0:
                continue
            if pipeline.background:
                job = asyncio.ensure_future(self._run_pipeline(pipeline, streams))
                self._background.add(job)
                job.add_done_callback(self._background.discard)
                self.status = 0
            else:
                self.status = await self._run_pipeline(pipeline, streams)

    async def _run_pipeline(self, pipeline: ShellPipeline, streams: ShellStreams) -> int:
        """Run the stages one after the other: the phone's commands all end, so a pipe can be a buffer."""
        stdin = streams.stdin
        status = 0
        for index, command in enumerate(pipeline.commands):
            last = index == len(pipeline.commands) - 1
            pipe = BufferSink()
            stdout = streams.stdout if last else pipe
            status = await self._run_command(command, ShellStreams(stdin, stdout, streams.stderr))
            stdin = BytesSource(bytes(pipe.data))
        return int(status == 0) if pipeline.negated else status

    async def _run_command(self, command: ShellCommand | Compound, streams: ShellStreams) -> int:
        if not isinstance(command, ShellCommand):
            return await self._run_redirected(command.redirects, streams, lambda to: self._run_compound(command, to))
        words = [field for word in command.words for field in await self._expand_word(word, streams)]
        while words and "=" in words[0] and words[0].split("=")[0].isidentifier():
            name, _, value = words.pop(0).partition("=")
            self.variables[name] = value
        return await self._run_redirected(command.redirects, streams, lambda to: self.run_words(words, to))

    async def _run_redirected(
        self, redirects: list[Redirect], streams: ShellStreams, work: Callable[[ShellStreams], Awaitable[int]]
    ) -> int:
        landing: list[tuple[str, bool, BufferSink]] = []
        try:
            streams = await self._open_redirects(redirects, streams, landing)
            status = await work(streams)
            for path, append, buffer in landing:
                self.system.files.write_file(path, bytes(buffer.data), append=append)
        except _BadRedirect as error:
            await streams.stderr.write(f"{NAME}: {error}\n".encode())
            return 1
        return status

    async def _run_compound(self, command: Compound, streams: ShellStreams) -> int:
        streams = ShellStreams(LineSource(streams.stdin), streams.stdout, streams.stderr)
        self.status = 0
        match command:
            case ForLoop():
                for field in [each for word in command.words for each in await self._expand_word(word, streams)]:
                    self.variables[command.name] = field
                    if await self._run_turn(command.body, streams):
                        break
            case WhileLoop():
                while await self._run_condition(command.condition, streams) != command.until:
                    await self.system.clock.sleep(0)  # a loop that never ends must not stop the phone
                    if await self._run_turn(command.body, streams):
                        break
            case ShellBranches(branches=branches):
                for condition, body in branches:
                    if condition is None or await self._run_condition(condition, streams):
                        await self._run_program(body, streams)
                        break
            case CaseChoice():
                await self._run_case(command, streams)
            case ShellGroup(subshell=True):
                child = self._fork_shell()
                with contextlib.suppress(ShellExit):
                    await child._run_program(command.body, streams)
                self.status = child.status
            case ShellGroup():
                await self._run_program(command.body, streams)
        return self.status

    async def _run_turn(self, body: list[ShellPipeline], streams: ShellStreams) -> bool:
        """Run a loop's body once; return True if the loop is to be left."""
        try:
            await self._run_program(body, streams)
        except LoopJump as jump:
            if jump.depth > 1:
                raise LoopJump(jump.depth - 1, leaves=jump.leaves) from None
            return jump.leaves
        return False

    async def _run_condition(self, condition: list[ShellPipeline], streams: ShellStreams) -> bool:
        status = self.status
        await self._run_program(condition, streams)
        holds, self.status = self.status == 0, status
        return holds

    async def _run_case(self, command: CaseChoice, streams: ShellStreams) -> None:
        value = "".join(await self._expand_word(command.word, streams))
        for patterns, body in command.arms:
            wanted = ["".join(await self._expand_word(pattern, streams, glob=False)) for pattern in patterns]
            if any(fnmatch.fnmatchcase(value, pattern) for pattern in wanted):
                await self._run_program(body, streams)
                return

    async def run_words(self, words: list[str], streams: ShellStreams) -> int:
        """Run one command by its words, as they are after expansion."""
        if not words:
            return 0
        name, *args = words
        name = name.removeprefix("/system/bin/")
        handler = self._commands.get(name)
        if handler is None:
            await streams.stderr.write(f"{NAME}: {name}: inaccessible or not found\n".encode())
            return 127
        call = CommandCall(name, args, streams.stdin, streams.stdout, streams.stderr, self)
        try:
            return await handler(call)
        except BadUsage as error:
            await call.print_err(f"{name}: {error}")
            return 1

    async def _open_redirects(
        self, redirects: list[Redirect], streams: ShellStreams, landing: list[tuple[str, bool, BufferSink]]
    ) -> ShellStreams:
        result = ShellStreams(streams.stdin, streams.stdout, streams.stderr)
        for redirect in redirects:
            if redirect.operator == "2>&1":
                result.stderr = result.stdout
            elif redirect.operator in ("1>&2", ">&2"):
                result.stdout = result.stderr
            else:
                name = "".join(await self._expand_word(redirect.target, streams))
                if redirect.operator == "<":
                    result.stdin = BytesSource(self._read_redirect(name))
                    continue
                sink = self._open_sink(name, redirect.operator.endswith(">>"), landing)
                if redirect.operator.startswith(("2", "&")):
                    result.stderr = sink
                if not redirect.operator.startswith("2"):
                    result.stdout = sink
        return result

    def _read_redirect(self, name: str) -> bytes:
        if name == "/dev/null":
            return b""
        try:
            return self.system.files.read_file(self.system.files.resolve_path(name, self.cwd))
        except FileError as error:
            raise _BadRedirect(f"can't open {name}: {error}") from None

    def _open_sink(self, name: str, append: bool, landing: list[tuple[str, bool, BufferSink]]) -> ByteSink:
        """Truncate or create the file at once, as `>` does; what is written lands at the end."""
        if name == "/dev/null":
            return NullSink()
        path = self.system.files.resolve_path(name, self.cwd)
        try:
            self.system.files.write_file(path, b"", append=append)
        except FileError as error:
            raise _BadRedirect(f"can't create {name}: {error}") from None
        buffer = BufferSink()
        landing.append((path, True, buffer))
        return buffer

    async def _expand_word(self, word: Word, streams: ShellStreams, *, glob: bool = True) -> list[str]:
        """Return a word's fields: unquoted substitutions split at blanks, unquoted * and ? match files."""
        fields: list[str] = [""]
        kept = any(part.quoted or part.kind == "text" for part in word)
        pattern = False
        for part in word:
            value = part.value
            if part.kind == "variable":
                value = self._read_variable(part.value)
            elif part.kind == "command":
                value = await self._run_substitution(part.value, streams)
            elif part.kind == "sum":
                value = str(work_out(part.value, self._read_variable))
            if part.kind == "text" or part.quoted:
                fields[-1] += value
                pattern = pattern or (not part.quoted and any(char in value for char in "*?"))
                continue
            pieces = value.split()
            if pieces:
                kept = True
                fields[-1] += pieces[0]
                fields.extend(pieces[1:])
        if not kept:
            return []
        return self._match_files(fields[0]) if glob and pattern and len(fields) == 1 else fields

    def _read_variable(self, name: str) -> str:
        if name == "?":
            return str(self.status)
        return {"$": "4242", "#": "0", "0": NAME}.get(name, self.variables.get(name, ""))

    async def _run_substitution(self, line: str, streams: ShellStreams) -> str:
        buffer = BufferSink()
        child = self._fork_shell()
        self.status = await child.run_to_end(line, streams.stdin, buffer, streams.stderr)
        return buffer.data.decode(errors="replace").rstrip("\n")

    def _fork_shell(self) -> Shell:
        child = Shell(self.system, self._commands)
        child.cwd, child.variables, child.status = self.cwd, dict(self.variables), self.status
        return child

    def _match_files(self, pattern: str) -> list[str]:
        folder, slash, name = pattern.rpartition("/")
        try:
            entries = self.system.files.list_directory(self.system.files.resolve_path(folder or slash, self.cwd))
        except FileError:
            return [pattern]
        found = [f"{folder}{slash}{entry}" for entry in entries if fnmatch.fnmatchcase(entry, name)]
        return found or [pattern]


class _BadRedirect(Exception):
    pass
