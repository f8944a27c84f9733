"""Mail that is forwarded or answered: the instructions that lead through the pages that every mail program has."""

from collections.abc import Sequence

from deskhand.language import is_chinese
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.instructions import Instruction
from deskhand.screen.grounding.query import read_author

Slots = dict[str, str]
MAIL_KINDS = frozenset({"forward_mail", "reply_mail"})


def is_about_mail(slots: Slots, before: Sequence[Instruction]) -> bool:
    """True if it is called a mail, or `it` is one that the goal has just found: not a photo, nor a chat."""
    return bool(read_author(slots["mail"])) or _has_found_mail(before)


def build_mail(kind: str, slots: Slots, source: str) -> list[Instruction]:
    """Open the mail unless the goal has just done so, press the button for it, fill in, and send it."""
    author, zh = read_author(slots["mail"]), is_chinese(source)
    opening: list[Instruction] = []
    if author:
        opening.append(say.Find(f"找到{slots['mail']}" if zh else f"find {slots['mail']}", slots["mail"]))
    return [
        *opening,
        *(_build_forwarding(slots["to"], zh) if kind == "forward_mail" else _build_answer(slots["text"], zh)),
    ]


def _has_found_mail(before: Sequence[Instruction]) -> bool:
    last = before[-1] if before else None
    name = last.target if isinstance(last, say.Find) else last.name if isinstance(last, say.Open) else ""
    return bool(read_author(name))


def _build_forwarding(to: str, zh: bool) -> list[Instruction]:
    if zh:
        return [
            say.Tap("点击转发", "转发"),
            say.Write(f"在收件人里输入“{to}”", to, "收件人"),
            say.Tap("点击发送", "发送"),
        ]
    return [
        say.Tap("click Forward", "Forward"),
        say.Write(f"type “{to}” into the “to” field", to, "the “to” field"),
        say.Tap("click Send", "Send"),
    ]


def _build_answer(text: str, zh: bool) -> list[Instruction]:
    marks = next((pair for pair in ("“”", "「」", '""') if not set(pair) & set(text)), "“”")
    told = f"{marks[0]}{text}{marks[1]}"
    if zh:
        return [say.Tap("点击回复", "回复"), say.Write(f"输入{told}", text), say.Tap("点击发送", "发送")]
    return [say.Tap("click Reply", "Reply"), say.Write(f"type {told}", text), say.Tap("click Send", "Send")]
