"""Live progress of a run: phone picture and steps on a terminal, plain lines elsewhere, nothing when quiet."""

from collections.abc import AsyncIterable
from decimal import Decimal
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from deskhand.cli.lines import lines_of
from deskhand.cli.picture import half_blocks
from deskhand.cli.sheet import make_console, say
from deskhand.protocols import Journal
from deskhand.task.events import Event, Observed, Record, Settled
from deskhand.task.state import TaskState
from deskhand.types import TaskStatus

# A picture smaller than this shows nothing; below it, lines of text say more.
SMALLEST_WIDTH, SMALLEST_HEIGHT = 72, 24
# What is written below the live view when the run ends.
LAST_WORDS = 4
MARKS = {TaskStatus.FULFILLED: "✔", TaskStatus.REJECTED: "✘"}
COLOURS = {TaskStatus.FULFILLED: "green", TaskStatus.REJECTED: "red"}


class Progress(Protocol):
    async def follow(self, records: AsyncIterable[Record]) -> None: ...
    def close(self, state: TaskState) -> None: ...


def make_progress(journal: Journal, *, quiet: bool) -> Progress:
    console = make_console()
    if quiet:
        return Silence()
    roomy = console.width >= SMALLEST_WIDTH and console.height >= SMALLEST_HEIGHT
    if console.is_terminal and console.color_system == "truecolor" and roomy:
        return LivePicture(console, journal)
    return Lines(console)


class Silence:
    async def follow(self, records: AsyncIterable[Record]) -> None:
        async for _ in records:
            pass

    def close(self, state: TaskState) -> None:
        pass


class Lines:
    """One line for each thing that happened."""

    def __init__(self, console: Console) -> None:
        self._console = console

    async def follow(self, records: AsyncIterable[Record]) -> None:
        async for record in records:
            for line in lines_of(record):
                say(self._console, line)

    def close(self, state: TaskState) -> None:
        say(self._console, ending(state))


class LivePicture:
    """The device's newest picture beside the steps so far."""

    def __init__(self, console: Console, journal: Journal) -> None:
        self._console = console
        self._journal = journal
        self._lines: list[str] = []
        self._picture = Text()

    async def follow(self, records: AsyncIterable[Record]) -> None:
        with Live(console=self._console, auto_refresh=False, transient=False) as live:
            async for record in records:
                self._lines += lines_of(record)
                await self._look(record.event)
                live.update(self._view(), refresh=True)

    def _view(self) -> Table:
        view = Table.grid(padding=(0, 3))
        lines = (Text.from_markup(line, overflow="ellipsis") for line in self._lines[-self._height :])
        view.add_row(self._picture, Group(*lines))
        return view

    @property
    def _height(self) -> int:
        return self._console.height - LAST_WORDS

    async def _look(self, event: Event) -> None:
        if isinstance(event, Observed | Settled) and (jpeg := await self._journal.load_frame(event.frame)):
            self._picture = half_blocks(jpeg, self._console.width // 2, self._height)

    def close(self, state: TaskState) -> None:
        say(self._console, ending(state))


def ending(state: TaskState) -> str:
    """The last words: how it ended, how long it took, what it cost, where to read more."""
    mark = MARKS.get(state.status, "…")
    reason = state.reason if state.over else "it has no end: it still runs, or its program was ended from outside"
    by_role = ", ".join(f"{role} {money(usage.cost)}" for role, usage in state.spend)
    spent = f"{state.usage.calls} model calls, {money(state.usage.cost)}" + (f" ({by_role})" if by_role else "")
    took = f"{state.ended - state.started:.1f} s, " if state.ended else ""
    return (
        f"{coloured(state.status, f'{mark} {state.status.value}')}: {escape(reason)}\n"
        f"[dim]{state.step} steps, {took}{spent} · deskhand show {state.task_id}[/dim]"
    )


def money(cost: Decimal) -> str:
    """Whole cents, but never "nothing" for something."""
    return f"${cost:.2f}" if cost >= 1 or not cost else f"${cost:.4f}"


def coloured(status: TaskStatus, text: str) -> str:
    colour = COLOURS.get(status, "yellow")
    return f"[{colour}]{text}[/{colour}]"
