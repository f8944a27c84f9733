"""Where commands write for people: colours and cut lines on a terminal, plain whole lines elsewhere."""

import unicodedata

from rich.console import Console
from rich.markup import escape
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


def plain(text: str, *, one_line: bool = False) -> str:
    """Words of others as the terminal may get them: no markup, and nothing that moves the cursor or turns text around.

    What a model says must not be able to hide, or to forge, what a person is asked. In `one_line`, a new line is a ⏎.
    """
    text = text.replace("\n", "⏎") if one_line else text
    return escape("".join("�" if _misleads(one) else one for one in text))


def _misleads(one: str) -> bool:
    return one not in "\n\t" and (unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp") or one in _TURNING)


# They change the direction of what follows; joiners of letters and emoji, which are unseen as well, do no harm.
_TURNING = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def make_table(console: Console, *headers: str, cut_last: bool = False) -> Table:
    """One line a row; the last column takes the room that is left on a terminal and is wrapped, or cut with an …."""
    table = Table(box=None, header_style="dim", show_header=any(headers), padding=(0, 2, 0, 0))
    table.expand = console.is_terminal
    for header in headers:
        table.add_column(header, no_wrap=True, overflow="ellipsis")
    table.columns[-1].ratio = 1
    table.columns[-1].no_wrap = cut_last
    return table
