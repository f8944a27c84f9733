"""Lines and tables for users: colours and cut lines on a terminal, plain whole lines elsewhere."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.segment import Segment
from rich.table import Table

from deskhand.cli.output import clean_text

# Wide enough that nothing written to a file or a pipe is ever cut or wrapped.
ENDLESS = 100_000


class CleanConsole(Console):
    """Cleans whatever is printed on it, so that no caller can forget to. Styles and cursor moves are rich's own."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            cleaned = segment.text if segment.control else clean_text(segment.text)
            yield segment if cleaned == segment.text else Segment(cleaned, segment.style)


def make_console(*, quiet: bool = False) -> Console:
    console = CleanConsole(highlight=False, quiet=quiet)
    if not console.is_terminal:
        console.width = ENDLESS
    return console


def print_markup(console: Console, line: str) -> None:
    """Long lines are wrapped by the terminal itself, so that Chinese breaks where it may and copies stay whole."""
    console.print(line, soft_wrap=True)


def as_markup(text: str, *, one_line: bool = False) -> str:
    """Return text of others so that it means itself inside of markup. Cleaned already here: � has a width, ESC none."""
    return escape(clean_text(text, one_line=one_line))


def make_table(console: Console, *headers: str, cut_last: bool = False) -> Table:
    """Return a table with one line a row. The last column gets the room that is left; it is wrapped, or cut with …."""
    table = Table(box=None, header_style="dim", show_header=any(headers), padding=(0, 2, 0, 0))
    table.expand = console.is_terminal
    for header in headers:
        table.add_column(header, no_wrap=True, overflow="ellipsis")
    table.columns[-1].ratio = 1
    if not cut_last:
        table.columns[-1].no_wrap, table.columns[-1].overflow = False, "fold"  # a path is long and has to be read whole
    return table
