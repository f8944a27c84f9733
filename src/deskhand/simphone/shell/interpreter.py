"""Runs shell lines: expansion, pipes, redirects, lists. What each command does is in `commands`."""

from __future__ import annotations

import asyncio
import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass

from deskhand.simphone.shell.android_system import AndroidSystem
from deskhand.simphone.shell.commands.command import (
    BadUsage,
    Bytes,
    ByteSink,
    ByteSource,
    CommandCall,
    Handler,
    ShellExit,
)
from deskhand.simphone.shell.file_system import FileError
from deskhand.simphone.shell.syntax import Redirect, ShellCommand, ShellPipeline, ShellSyntaxError, Word, parse_line

NAME = "/system/bin/sh"


class BufferSink:
    """A sink that keeps what it gets: a pipe, a substitution or a redirect before it lands in a file."""

    def __init__(self) -> None:
        self.data = bytearray()

    async def write(self, data: Bytes) -> None:
        self.data += data


class BytesSource:
    """A source with all its bytes known."""

    def __init__(self, data: bytes = b"") -> None:
        self._data = data

    async def read(self) -> bytes:
        data, self._data = self._data, b""
        return data


class NullSink:
    async def write(self, data: Bytes) -> None:
        pass


@dataclass
class ShellStreams:
    stdin: ByteSource
    stdout: ByteSink
    stderr: ByteSink


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

    async def _run_command(self, command: ShellCommand, streams: ShellStreams) -> int:
        words = [field for word in command.words for field in await self._expand_word(word, streams)]
        while words and "=" in words[0] and words[0].split("=")[0].isidentifier():
            name, _, value = words.pop(0).partition("=")
            self.variables[name] = value
        landing: list[tuple[str, bool, BufferSink]] = []
        try:
            streams = await self._open_redirects(command.redirects, streams, landing)
            status = await self._call_handler(words, streams) if words else 0
            for path, append, buffer in landing:
                self.system.files.write_file(path, bytes(buffer.data), append=append)
        except _BadRedirect as error:
            await streams.stderr.write(f"{NAME}: {error}\n".encode())
            return 1
        return status

    async def _call_handler(self, words: list[str], streams: ShellStreams) -> int:
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

    async def _expand_word(self, word: Word, streams: ShellStreams) -> list[str]:
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
        return self._match_files(fields[0]) if pattern and len(fields) == 1 else fields

    def _read_variable(self, name: str) -> str:
        if name == "?":
            return str(self.status)
        return {"$": "4242", "#": "0", "0": NAME}.get(name, self.variables.get(name, ""))

    async def _run_substitution(self, line: str, streams: ShellStreams) -> str:
        buffer = BufferSink()
        child = Shell(self.system, self._commands)
        child.cwd, child.variables = self.cwd, dict(self.variables)
        self.status = await child.run_to_end(line, streams.stdin, buffer, streams.stderr)
        return buffer.data.decode(errors="replace").rstrip("\n")

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
