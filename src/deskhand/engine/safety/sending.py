"""Reads from the screen what an action would send, and to whom."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from deskhand.core.actions import Action, Type
from deskhand.core.screen import Element, Observation
from deskhand.engine.safety import risk_words as words
from deskhand.engine.safety.touched_elements import describe_field, find_field, is_search_field

_RECIPIENT = re.compile(
    r"\b(?:to|cc|bcc|recipients?|receiver|payee|beneficiary|send to|e-?mail|phone number)\b"
    r"|收件人|抄送|密送|收款|接收人|发给|对方",
    re.IGNORECASE,
)
# A field that says whom it writes to: "Message @bob", "Reply to Ann", 给Bob发消息.
_ADDRESSED = re.compile(
    r"(?:message|reply|write|text|chat)(?: (?:to|with))? @?([^\W\d_][^:.…]{0,40})|给(.{1,20}?)(?:发|写|留)",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s+[-–—|·•:]\s+|[|\n]")
_COUNT = re.compile(r"\s*[(（\[]\d+\+?[)）\]]\s*")
_CHAT = re.compile(
    r"^(?:chat|conversation|messages?) (?:with|to) |^(?:与|和)(?=.+的?(?:聊天|对话))|的?(?:聊天|对话)$", re.IGNORECASE
)
_PEOPLE = re.compile(r"[,;，；、\n]+")
_NAMED = re.compile(r"^(.*?)\s*<([^<>]+)>$")
_WORD = re.compile(r"[^\W\d_]|\d{3}")  # a clock is no title
# A title stands in the upper part of the screen, below the clock.
_UPPER, _EDGE = 0.2, 0.04
# A word that stands for nobody in particular.
_ANYONE = frozenset({"here", "something", "a message", "messages", "message", "..."})


@dataclass(frozen=True, slots=True)
class Sending:
    """`recipients`: each of them gets it. `titles`: where no field names them, what the conversation may be called.

    `texts`: what stands in the fields, or is typed with this action. `is_talk`: an app for messages, whose title names
    the other person; a page's title may say anything.
    """

    recipients: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    is_talk: bool = False

    @property
    def recipient(self) -> str:
        """Whom it goes to, in words; empty if that can't be read."""
        return ", ".join(self.recipients) or (self.titles[0] if self.titles else "")


def read_sending(action: Action, seen: Observation) -> Sending:
    fields = list_filled_fields(seen)
    addressed = [one for one in fields if is_recipient_field(one)]
    texts = _list_texts(
        action, [one for one in fields if not is_recipient_field(one) and not is_search_field(one)], seen
    )
    people = tuple(name for one in addressed for part in _PEOPLE.split(one.value) if (name := part.strip()))
    return Sending(people, () if people else _list_titles(seen), texts, _is_talk(seen))


def _is_talk(seen: Observation) -> bool:
    talk, fields = words.read_table()["enter"], [one for one in seen.elements or () if one.editable]
    if any(one.source == "dom" for one in seen.elements or ()):
        return False
    return seen.app.casefold() in talk["apps"] or any(
        words.find_word(talk["talk"], describe_field(one)) for one in fields
    )


def list_filled_fields(seen: Observation) -> list[Element]:
    return [one for one in seen.elements or () if one.editable and one.value and not one.password]


def is_recipient_field(field: Element) -> bool:
    return bool(_RECIPIENT.search(field.name or field.hint)) and not _ADDRESSED.search(field.name or field.hint)


def split_address(recipient: str) -> tuple[str, ...]:
    """Return the names of one recipient: "Bob <bob@x.example>" is known by either."""
    found = _NAMED.match(recipient.strip())
    return (found[1].strip(' "'), found[2].strip()) if found and found[1] else (recipient.strip(" <>"),)


def _list_texts(action: Action, fields: Sequence[Element], seen: Observation) -> tuple[str, ...]:
    held = [one.value for one in fields]
    if not isinstance(action, Type):
        return tuple(held)
    into = find_field(seen)
    if into and into.value in held and not is_recipient_field(into):
        held.remove(into.value)
        typed = action.text if action.clear_first or into.value == action.text else into.value + action.text
        return (*held, typed.rstrip("\r\n"))
    return (*held, action.text.rstrip("\r\n"))


# --- titles ----------------------------------------------------------------------------------------------------------


def find_title(seen: Observation) -> str:
    """Return the screen's title: a heading at its top, else the title of its window or page."""
    fallback = _read_window_title(seen)
    if fallback and any(one.source in ("dom", "atspi") for one in seen.elements or ()):
        return fallback
    top = _list_top_row(seen)
    return top[0].name[:200] if top else fallback


def _list_titles(seen: Observation) -> tuple[str, ...]:
    """Return what the conversation may be called: by its field, by the headings above that, by the window's title."""
    said = [
        found[1] or found[2]
        for one in _list_message_fields(seen)
        for found in _ADDRESSED.finditer(one.name or one.hint)
    ]
    if named := [name for one in said if (name := one.strip(" @")) and name.casefold() not in _ANYONE]:
        return tuple(map(_clean_title, named))
    if any(one.source in ("dom", "atspi") for one in seen.elements or ()):
        found = [one.name for one in _list_headings(seen)] or _PARTS.split(_read_window_title(seen))
    else:
        found = [one.name for one in _list_top_row(seen)] or _PARTS.split(_read_window_title(seen))
    return tuple(name for one in found if (name := _clean_title(one)))


def _clean_title(text: str) -> str:
    """Return a title without the count of its members or messages, and without "Chat with"."""
    return _CHAT.sub("", _COUNT.sub("", text.partition("\n")[0]).strip()).strip()


def _list_message_fields(seen: Observation) -> list[Element]:
    return [one for one in seen.elements or () if one.editable and not one.password and not is_search_field(one)]


def _list_headings(seen: Observation) -> list[Element]:
    """Return the headings above the field that is written in, in its column."""
    elements = seen.elements or ()
    field = next((one for one in _list_message_fields(seen) if one.value or one.focused), None)
    headings = [one for one in elements if one.role == "heading" and one.name]
    if field is None:
        return headings[:1]
    box = field.bounds
    above = [one for one in headings if one.bounds.bottom <= box.top]
    return [one for one in above if one.bounds.left < box.right and box.left < one.bounds.right]


def _list_top_row(seen: Observation) -> list[Element]:
    """Return the words of the topmost row that has any, but for buttons and the clock."""
    height = seen.frame.height
    upper = [
        one
        for one in seen.elements or ()
        if one.role in ("heading", "text") and _WORD.search(one.name) and not one.editable
        and _EDGE * height <= one.bounds.top and one.bounds.bottom <= _UPPER * height
    ]  # fmt: skip
    upper = [one for one in upper if one.role == "heading"] or [one for one in upper if not one.clickable] or upper
    if not upper:
        return []
    first = min(upper, key=lambda one: one.bounds.top)
    return [first, *(one for one in upper if one is not first and one.bounds.top < first.bounds.bottom)]


def _read_window_title(seen: Observation) -> str:
    is_activity = seen.title.startswith(".") or "/" in seen.title.partition(" ")[0]
    return "" if is_activity else seen.title
