"""Reads from a goal what it says to delete, and who is to be paid."""

import re

from deskhand.engine.safety.goal_text import GoalText, is_taken_back, read_goal_text, read_goal_words

_JOIN = re.compile(r"\band\b|[,、&]|和|以及")
_WORDS = re.compile(r"[^\s\"]+")
_PAYEE = re.compile(
    r"\b(?:to|pay) ([^\W\d_][\w.@-]*)|(?:给|向|收款人)([\u4e00-\u9fff\w]{1,8}?)(?=转|付|汇|打|发|$|[^\w])"
)
_NOBODY = frozenset(
    {"the", "my", "a", "an", "this", "it", "for", "with", "now", "by", "pay", "in", "order", "checkout"}
)


def list_objects(goal: str) -> list[tuple[str, ...]]:
    """Return each thing that the goal names to be deleted, as the words that have to stand there; vague ones left out.

    "the note Shopping" is known by "shopping"; "the last photo", 这条消息 and "it" name nothing.
    """
    known, read = read_goal_words()["delete"], read_goal_text(goal)
    spans = [
        *re.finditer(rf"\b{known['verbs']}\b ?(.*?)(?={known['ends']})", read.text),
        *re.finditer(rf"{known['verbs_zh']}(.*?)(?={known['ends']})", read.text),
        *re.finditer(rf"[把将](.+?){known['verbs_zh']}", read.text),
    ]
    meant = [span[1] for span in spans if not is_taken_back(read.text[: span.start()])]
    return [words for part in meant for each in _JOIN.split(part) if (words := _list_words(each, read))]


def _list_words(part: str, read: GoalText) -> tuple[str, ...]:
    if quoted := read.list_quoted(part):
        return (quoted[0],)
    known = read_goal_words()["delete"]
    plain = re.sub(known["vague_zh"], " ", re.sub(rf"(?<![\w']){known['vague']}(?![\w'])", " ", part))
    return tuple(word.removesuffix("'s") for word in _WORDS.findall(plain) if any(map(str.isalnum, word)))


def list_payees(goal: str) -> list[str]:
    """Return who is to get money, in small letters."""
    read = read_goal_text(goal)
    found = [(one[1] or one[2]) for one in _PAYEE.finditer(read.restore_quotes(read.text).replace('"', ""))]
    return [name for name in found if name not in _NOBODY]
