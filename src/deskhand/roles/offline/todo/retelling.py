"""A title in other words: with another time, number or text in it, or without a pronoun that nobody could resolve."""

import re
from dataclasses import fields

from deskhand.roles.offline.language.grammar import parse_goal
from deskhand.roles.offline.language.instructions import Instruction, NotUnderstood
from deskhand.roles.offline.language.lexicon import load_lexicon
from deskhand.roles.offline.language.new_things import read_clock

_TIME = re.compile(
    r"(?:上午|早上|早晨|凌晨|下午|晚上|中午|傍晚)?\s*(?:\d{1,2}|[零一二两三四五六七八九十]{1,3})\s*(?:点(?:\s*(?:半|\d{1,2}分?|[零一二三四五六七八九十]{1,3}分?))?|[:：]\d{2})"
    r"(?:\s*[ap]\.?m\.?)?|\d{1,2}\s*(?:[ap]\.?m\.?|o'clock)",
    re.IGNORECASE,
)
_HOUR = re.compile(r"(?<=\bfor )\d{1,2}\b|(?<=\bat )\d{1,2}\b")
_QUOTE = re.compile(r"“[^”]*”|「[^」]*」|\"[^\"]*\"")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def retell_title(title: str, new: str) -> str:
    """The title with `new` in the place of what is like it; empty when nothing is, or several things are."""
    if read_clock(new) and (found := _TIME.search(title) or _HOUR.search(title)):
        return _put_new(title, found, new)
    if _QUOTE.fullmatch(new):
        return _replace_only(_QUOTE, title, new)
    return _replace_only(_NUMBER, title, new) if _NUMBER.fullmatch(new) else ""


def _replace_only(pattern: re.Pattern[str], title: str, new: str) -> str:
    found = list(pattern.finditer(title))
    return _put_new(title, found[0], new) if len(found) == 1 else ""


def _put_new(title: str, found: re.Match[str], new: str) -> str:
    made = title[: found.start()] + new + title[found.end() :]
    return "" if any(isinstance(step, NotUnderstood) for step in parse_goal(made)) else made


def resolve_pronoun(title: str, before: str) -> str:
    """`turn it off`, said while Wi-Fi is being turned on, is `turn Wi-Fi off`: whoever does it sees only its title."""
    texts = [text for step in parse_goal(title, open_pronouns=True) for text in _list_texts(step)]
    pronoun = next((text for text in texts if text.casefold() in load_lexicon().pronouns), "")
    if not pronoun or not before:
        return title
    together = parse_goal(f"{before}, {title}")
    alone, resolved = parse_goal(title, open_pronouns=True), together[len(parse_goal(before)) :]
    if len(alone) != len(resolved):
        return title
    for mine, its in zip(alone, resolved, strict=True):
        for text, other in zip(_list_texts(mine), _list_texts(its), strict=True):
            if text == pronoun and other != pronoun:
                alone_word = rf"(?<![A-Za-z]){re.escape(pronoun)}(?![A-Za-z])"
                return re.sub(alone_word, other.replace("\\", r"\\"), title)
    return title


def _list_texts(step: Instruction) -> list[str]:
    """The words in a step, without how it was said as a whole."""
    values = (getattr(step, field.name) for field in fields(step) if field.name != "source")
    return [value for value in values if isinstance(value, str)]
