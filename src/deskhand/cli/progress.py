"""Live progress of a run: phone picture and steps on a terminal, plain lines elsewhere, nothing when quiet."""

from collections.abc import AsyncIterable, Callable, Sequence
from decimal import Decimal
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from deskhand.cli.console import as_markup, make_console, print_markup
from deskhand.cli.end_words import tell_end, tell_numbers
from deskhand.cli.event_lines import EventLines
from deskhand.cli.terminal_picture import draw_half_blocks
from deskhand.core.statuses import TaskStatus
from deskhand.language import language_of
from deskhand.task.events import Event, Observed, Record, Settled, UserAsked
from deskhand.task.journal import SqliteJournal
from deskhand.task.state import TaskState

# A picture smaller than this shows nothing; below it, lines of text say more.
SMALLEST_WIDTH, SMALLEST_HEIGHT = 72, 24
# What is written below the live view when the run ends.
LAST_WORDS = 4
COLOURS = {TaskStatus.FULFILLED: "green", TaskStatus.REJECTED: "red"}


class Progress(Protocol):
    @property
    def show_typed(self) -> Callable[[str], None] | None:
        """Shows what is being typed; None where the terminal does so by itself."""
        ...

    async def follow(self, records: AsyncIterable[Record]) -> None: ...
    def tell(self, line: str) -> None: ...
    def close(self, state: TaskState) -> None: ...


def make_progress(journal: SqliteJournal, goal: str, *, quiet: bool) -> Progress:
    """Make the view of a task; it speaks the language of the goal."""
    console = make_console(quiet=quiet)
    roomy = console.width >= SMALLEST_WIDTH and console.height >= SMALLEST_HEIGHT
    if not quiet and console.is_terminal and console.color_system == "truecolor" and roomy:
        return PictureProgress(console, journal, EventLines(language_of(goal)))
    return LineProgress(console, journal, EventLines(language_of(goal)))


class LineProgress:
    """One line for each thing that happened."""

    show_typed = None

    def __init__(self, console: Console, journal: SqliteJournal, events: EventLines) -> None:
        self._console = console
        self._journal = journal
        self._events = events

    async def follow(self, records: AsyncIterable[Record]) -> None:
        async for record in records:
            for line in self._events.describe_record(record):
                print_markup(self._console, line)
            if isinstance(record.event, UserAsked) and (frame := record.event.request.frame):
                print_markup(self._console, f"[dim]  {as_markup(str(self._journal.find_frame_file(frame)))}[/dim]")

    def tell(self, line: str) -> None:
        print_markup(self._console, f"[yellow]{as_markup(line)}[/yellow]")

    def close(self, state: TaskState) -> None:
        print_markup(self._console, describe_end(state, self._events.told))


class PictureProgress:
    """The device's newest picture beside the steps so far."""

    def __init__(self, console: Console, journal: SqliteJournal, events: EventLines) -> None:
        self._console = console
        self._events = events
        self._journal = journal
        self._lines: list[str] = []
        self._picture = Text()
        self._live: Live | None = None
        self._typed: str | None = None

    async def follow(self, records: AsyncIterable[Record]) -> None:
        with Live(console=self._console, auto_refresh=False, transient=False) as live:
            self._live = live
            async for record in records:
                self._lines += self._events.describe_record(record)
                await self._load_picture(record.event)
                self._refresh_view()
            self._typed = None
            self._refresh_view()

    def tell(self, line: str) -> None:
        self._lines.append(f"[yellow]{as_markup(line)}[/yellow]")
        self._refresh_view()

    def show_typed(self, text: str) -> None:
        """In the view itself: whatever else writes on the terminal would be drawn over, or push it out of place."""
        self._typed = text
        self._refresh_view()

    def _refresh_view(self) -> None:
        if self._live:
            self._live.update(self._make_view(), refresh=True)

    def _make_view(self) -> Group:
        view = Table.grid(padding=(0, 3))
        view.add_row(self._picture, Group(*self._wrap_newest()))
        typed = [Text(f"› {self._typed}▏", style="bold", no_wrap=True)] if self._typed is not None else []
        return Group(view, *typed)

    def _wrap_newest(self) -> list[Text]:
        """As many lines as there is room for, wrapped: the newest may be a question that has to be read whole."""
        picture = max((line.cell_len for line in self._picture.split("\n")), default=0)
        width = max(10, self._console.width - picture - 3)
        wrapped = [Text.from_markup(line).wrap(self._console, width) for line in self._lines[-self._height :]]
        return [row for rows in wrapped for row in rows][-self._height :]

    @property
    def _height(self) -> int:
        return self._console.height - LAST_WORDS

    async def _load_picture(self, event: Event) -> None:
        if isinstance(event, Observed | Settled) and (jpeg := await self._journal.load_frame(event.frame)):
            self._picture = draw_half_blocks(jpeg, self._console.width // 2, self._height)

    def close(self, state: TaskState) -> None:
        print_markup(self._console, describe_end(state, self._events.told))


def describe_end(state: TaskState, told: Sequence[str]) -> str:
    """Return the closing lines: how it ended, how long it took, what it cost, where to read more."""
    by_role = ", ".join(f"{role} {format_money(usage.cost)}" for role, usage in state.spend)
    spent = format_money(state.usage.cost) + (f" ({by_role})" if by_role else "")
    return f"{tell_end(state, told)}\n{tell_numbers(state, spent)}"


def format_money(cost: Decimal) -> str:
    """Return dollars and cents, with more digits below a dollar so that a cost never reads as nothing."""
    return f"${cost:.2f}" if cost >= 1 or not cost else f"${cost:.4f}"


def colour_status(status: TaskStatus, text: str) -> str:
    colour = COLOURS.get(status, "yellow")
    return f"[{colour}]{text}[/{colour}]"
