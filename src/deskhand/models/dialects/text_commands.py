"""Find the commands in a text reply: they must stand together, and nothing may hide after them."""

from __future__ import annotations

import re

from deskhand.core.errors import Unparsable
from deskhand.models.dialects.call_grammar import (
    CallReader,
    CommandCall,
    GrammarError,
    normalize_name,
    read_calls,
    strip_fence,
)

# What may follow a command on its line: closing tags, a fence, a full stop, a comment.
_CLOSING = re.compile(r"(?:\s|[<＜]\s*/?\s*(?:answer|think|thinking)\s*[>＞]|```|[.。;；!！]|#[^\n]*)*")
# A command begins a line, perhaps as a list item or after `Action:`.
_BEGIN = re.compile(
    r"^[ \t>*\-`]*(?:(?:action|动作|操作)\s*[:：]\s*)?(?=[^\W\d][\w \-]{0,20}[(（])", re.IGNORECASE | re.MULTILINE
)


def find_calls(text: str, known: frozenset[str], *, alone: bool, inline: tuple[str, ...] = ()) -> list[CommandCall]:
    """Return the commands of a reply. `alone`: the reply may hold nothing else.

    `inline` names commands that may also follow words on the same line, if the reply ends with them:
    servers that strip special tokens send thought and command run together.
    """
    body = strip_fence(text)
    starts = [match.end() for match in _BEGIN.finditer(body)]
    starts = [at for at in starts if normalize_name(CallReader(body, at).peek_call_name()) in known]
    if not starts:
        return _find_inline_calls(body, known, inline)
    reader = CallReader(body, starts[0])
    try:
        calls = read_calls(reader, known)
    except GrammarError as error:
        raise Unparsable(f"The command can't be read: {error}.") from None
    after = _skip_closing(body, reader.at)
    line_is_over = "\n" in body[reader.at : after] or after >= len(body)
    if (alone and after < len(body)) or not line_is_over:
        raise Unparsable(f"After the command comes {body[after : after + 30]!r}; write the command and nothing else.")
    if any(at >= reader.at for at in starts):
        raise Unparsable("The reply contains commands in several places; write them together or only one.")
    return calls


def _find_inline_calls(body: str, known: frozenset[str], inline: tuple[str, ...]) -> list[CommandCall]:
    if inline:
        pattern = rf"(?<![A-Za-z0-9_.])(?=(?:{'|'.join(inline)})\s*[(（])"
        for match in list(re.finditer(pattern, body))[:20]:
            reader = CallReader(body, match.start())
            try:
                calls = read_calls(reader, known)
            except GrammarError:
                continue
            if _skip_closing(body, reader.at) >= len(body):
                return calls
    raise Unparsable(
        "The reply contains no command that can be read; answer with one command in the form you were told."
    )


def _skip_closing(body: str, at: int) -> int:
    match = _CLOSING.match(body, at)
    return match.end() if match else at
