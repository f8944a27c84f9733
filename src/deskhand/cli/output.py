"""The only file that prints: text of models, devices and files can't steer the terminal that it is shown on."""

import json
import logging
import re
import sys
from typing import Any

# Control characters but for new lines and tabs, other ends of lines, halves of a pair, and what changes the direction
# of the text behind it. Joiners of letters and emoji, which are unseen as well, do no harm.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def clean_text(text: str, *, one_line: bool = False) -> str:
    """Replace each character that a terminal would obey with �; in `one_line`, a new line with ⏎.

    A model must not be able to hide, or to forge, what the user is asked.
    """
    return _HARMFUL.sub("�", text.replace("\n", "⏎") if one_line else text)


def print_line(line: str, *, error: bool = False) -> None:
    """Print to standard output, or to standard error for an `error`, at once."""
    print(clean_text(line), file=sys.stderr if error else sys.stdout, flush=True)


def print_json(value: Any) -> None:
    """Print one JSON object. Harmful characters are written as \\uXXXX: the reader gets the same text."""
    text = json.dumps(value, ensure_ascii=False)
    print_line(_HARMFUL.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def start_logging() -> None:
    """Log warnings to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_CleanFormatter("%(asctime)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


class _CleanFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return clean_text(super().format(record))
