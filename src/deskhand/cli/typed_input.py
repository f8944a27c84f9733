"""The user at the terminal: what they type while a task runs is an answer, a command, or a message to the task."""

import asyncio
import codecs
import os
import re
import stat
import sys
import termios
import unicodedata
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import contextmanager, nullcontext

from deskhand.core.errors import DeskhandError
from deskhand.core.human import RequestKind, UserRequest
from deskhand.core.llm import Language
from deskhand.engine.run import Task
from deskhand.fault_words import to_chinese
from deskhand.language import language_of
from deskhand.sessions.request_words import HAND_BACK, verdict_of

PAUSE, RESUME = frozenset({"pause", "暂停"}), frozenset({"resume", "go on", "continue", "继续"})
STOP = frozenset({"stop", "quit", "exit", "停止", "退出"})
TAKE_OVER = frozenset({"take over", "接管"})

_HOW_TO_ANSWER: dict[RequestKind, tuple[str, str]] = {
    "approval": ("y to agree, n to refuse", "y 同意，n 不同意"),
    "question": ("type your answer, or n to refuse", "输入你的回答；n 表示不回答"),
    "take_over": ("do it on the device, then press Enter; n to refuse", "在设备上做完后按回车；n 表示不做"),
}

_TOLD = {
    "paused": ("Paused. Type resume to continue.", "已暂停。输入“继续”接着做。"),
    "resumed": ("Resumed.", "继续了。"),
    "taken": ("The device is yours. Type hand back when you are done.", "设备交给你了。做完后输入“交还”。"),
    "back": ("Deskhand works the device again.", "设备又交给 Deskhand 了。"),
}


def tell_how_to_answer(kind: RequestKind, language: Language) -> str:
    english, chinese = _HOW_TO_ANSWER[kind]
    return chinese if language == "zh" else english


def _ask_again(kind: RequestKind, language: Language) -> str:
    how = tell_how_to_answer(kind, language)
    return f"请回答：{how}。" if language == "zh" else f"Please answer: {how}."


def is_attended(*, quiet: bool) -> bool:
    """True if a user sits at the terminal and can be asked."""
    return not quiet and sys.stdin.isatty() and sys.stdout.isatty()


async def forward_input(run: Task, tell: Callable[[str], None], show: Callable[[str], None] | None = None) -> None:
    """Forward each typed line to the task until the input ends. `show` displays the line where the terminal can't."""
    if show:
        show("")
    async for line in read_typed_lines(sys.stdin.fileno(), show):
        try:
            await _forward_line(run, line.strip(), tell)
        except DeskhandError as fault:
            tell(to_chinese(str(fault)) if language_of(run.state.goal) == "zh" else str(fault))


async def _forward_line(run: Task, line: str, tell: Callable[[str], None]) -> None:
    word = line.casefold()
    language = language_of(run.state.goal)
    if word in STOP:
        await run.stop()
    elif requests := run.state.requests:
        _answer_request(run, requests[0], line, tell)
    elif word in PAUSE:
        await run.pause()
        tell(_TOLD["paused"][language == "zh"])
    elif word in RESUME:
        run.resume()
        tell(_TOLD["resumed"][language == "zh"])
    elif word in TAKE_OVER:
        await run.take_over()
        tell(_TOLD["taken"][language == "zh"])
    elif word in HAND_BACK:
        await run.hand_back()
        tell(_TOLD["back"][language == "zh"])
    elif line:
        await run.say(line)


def _answer_request(run: Task, request: UserRequest, line: str, tell: Callable[[str], None]) -> None:
    verdict = verdict_of(request.kind, line)
    if verdict is None:
        tell(_ask_again(request.kind, language_of(run.state.goal)))
    else:
        run.answer(request.id, verdict, line if request.kind == "question" and verdict == "yes" else "")


async def read_lines(descriptor: int) -> AsyncGenerator[str, None]:
    """Yield the lines of an input, without a thread, which could not be stopped while it waits for the next line."""
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode) or (stat.S_ISCHR(mode) and not os.isatty(descriptor)):
        # These can't be waited for.
        with os.fdopen(descriptor, encoding="utf-8", errors="replace", closefd=False) as file:
            for line in file:
                yield line
        return
    async for line in read_typed_lines(descriptor):
        yield line


async def read_typed_lines(descriptor: int, show: Callable[[str], None] | None = None) -> AsyncGenerator[str, None]:
    """Lines from a terminal as they are typed, without a thread that a stop would have to wait for.

    With `show`, the terminal leaves the echo to us: what is typed so far is handed to it after every key.
    """
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    typed = TypedLine() if show else WholeLines()

    def read_keys() -> None:
        try:
            data = os.read(descriptor, 4096)
        except OSError:  # what Linux says when the terminal is gone
            data = b""
        if not data:
            loop.remove_reader(descriptor)
            lines.put_nowait(None)
        for line in typed.take_bytes(data):
            lines.put_nowait(line)
        if show and isinstance(typed, TypedLine):
            show(typed.text)

    with _read_single_keys(descriptor) if show else nullcontext():
        loop.add_reader(descriptor, read_keys)
        try:
            while (line := await lines.get()) is not None:
                yield line
        finally:
            loop.remove_reader(descriptor)


class WholeLines:
    """Lines as they come, from a pipe or from a terminal that lets its user edit them; nothing in them is a key."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def take_bytes(self, data: bytes) -> list[str]:
        self._rest += data
        *finished, rest = self._rest.split(b"\n")
        self._rest = rest
        return [line.decode("utf-8", errors="replace") for line in finished]


class TypedLine:
    """A line that is being typed, from the terminal's keys; a letter may come in parts."""

    def __init__(self) -> None:
        self.text = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def take_bytes(self, data: bytes) -> list[str]:
        """The lines that are finished by these bytes. Keys that write nothing, such as arrows, change nothing."""
        finished: list[str] = []
        for key in _NOT_WRITING.sub("", self._decoder.decode(data)):
            match key:
                case "\n" | "\r":
                    finished.append(self.text)
                    self.text = ""
                case "\x7f" | "\b":
                    self.text = self.text[:-1]
                case "\x15":  # Ctrl-U
                    self.text = ""
                case _ if unicodedata.category(key) == "Cc":
                    pass
                case _:
                    self.text += key
        return finished


_NOT_WRITING = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|O.|.)?")


@contextmanager
def _read_single_keys(descriptor: int) -> Generator[None]:
    """The terminal gives every key at once and writes none; Ctrl-C stays what it is."""
    before = termios.tcgetattr(descriptor)
    keys = list(before)
    keys[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(descriptor, termios.TCSADRAIN, keys)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
