"""Where commands write for people: colours and cut lines on a terminal, plain whole lines elsewhere."""

from rich.console import Console
from rich.table import Table

# Wide enough that nothing written to a file or a pipe is ever cut or wrapped.
ENDLESS = 100_000


def make_console() -> Console:
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = ENDLESS
    return console


def say(console: Console, line: str) -> None:
    """Long lines are wrapped by the terminal itself, so that Chinese breaks where it may and copies stay whole."""
    console.print(line, soft_wrap=True)


def make_table(console: Console, *headers: str, cut_last: bool = False) -> Table:
    """One line a row; the last column takes the room that is left on a terminal and is wrapped, or cut with an …."""
    table = Table(box=None, header_style="dim", show_header=any(headers), padding=(0, 2, 0, 0))
    table.expand = console.is_terminal
    for header in headers:
        table.add_column(header, no_wrap=True, overflow="ellipsis")
    table.columns[-1].ratio = 1
    table.columns[-1].no_wrap = cut_last
    return table
